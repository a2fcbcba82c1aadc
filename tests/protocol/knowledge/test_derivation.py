"""What follows for a coalition, step by step, agrees with its view; every proof holds."""

from collections import Counter
from itertools import combinations
from typing import Any

import pytest
import role_kit as KIT
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.protocol.knowledge.derivation import Knowledge, RunCiphertexts, closure
from veilmix.protocol.knowledge.facts import Answer, Ciphertext, FactRule, KeyFact, Origin
from veilmix.protocol.knowledge.view import ViewedRun
from veilmix.protocol.wire.announcement import Flaw, Rules

ROWS = KIT.people(8)
USUAL = ("curator", "analyst", "network", "user-2", "user-5")
RUNS = {m: KIT.run(ROWS, shufflers=m) for m in (1, 2)}
TERMS = {m: RunCiphertexts(ViewedRun(run.transcript, run.board)) for m, run in RUNS.items()}
PARTIES = {m: (*USUAL, *(f"shuffler-{hop + 1}" for hop in range(m))) for m in RUNS}


def knows(shufflers: int, *members: str) -> Knowledge:
    return closure(TERMS[shufflers], members)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.sampled_from((1, 2)), st.data())
def test_somebody_is_pinned_exactly_if_the_derivation_links_it(shufflers: int, data: Any) -> None:
    members = data.draw(st.sets(st.sampled_from(PARTIES[shufflers])))
    seen = TERMS[shufflers].record.view(members)
    assert knows(shufflers, *members).linked() == seen.by_round


def test_every_coalition_of_one_shuffler_agrees_with_its_view() -> None:
    names = ("curator", "analyst", "network", "shuffler-1", "user-2")
    for size in range(len(names) + 1):
        for members in combinations(names, size):
            seen = TERMS[1].record.view(members)
            assert knows(1, *members).linked() == seen.by_round


def test_every_step_follows_from_steps_before_it() -> None:
    knowledge = knows(2, "curator", "shuffler-1", "shuffler-2")
    proof = knowledge.proof(Answer(3, 1, 0))
    rules = [reason.rule for _, reason in proof]
    assert rules[-1] is FactRule.READ
    assert set(rules) == {
        FactRule.SENDER,
        FactRule.SAW,
        FactRule.KEY,
        FactRule.OPEN,
        FactRule.FOLLOW,
        FactRule.READ,
    }
    assert {fact.party for fact, _ in proof if isinstance(fact, KeyFact)} == knowledge.members
    done: set[Any] = set()
    for fact, reason in proof:
        assert done.issuperset(reason.premises)
        if not reason.premises:
            assert reason.event is not None or reason.rule is FactRule.KEY
        done.add(fact)


def test_without_one_key_the_chain_breaks_where_that_key_is_needed() -> None:
    whole = knows(2, "curator", "shuffler-1", "shuffler-2")
    less = knows(2, "curator", "shuffler-1")
    name = next(t.name for t in TERMS[2].by_name.values() if t.user == 3 and t.layer == 2)
    inner = TERMS[2].by_name[name].inside[0]
    assert Origin(name, 3) in less.why
    assert Ciphertext(inner) in less.why  # the curator was sent it
    assert Ciphertext(inner, opened=True) in less.why
    assert Origin(inner, 3) not in less.why
    assert Origin(inner, 3) in whole.why
    with pytest.raises(KeyError):
        less.proof(Answer(3, 1, 0))


def test_a_member_proves_its_own_answers_by_having_given_them() -> None:
    knowledge = knows(1, "user-2")
    assert knowledge.proof(Answer(1, 1, 0)) == [(Answer(1, 1, 0), (FactRule.OWN, (), None))]
    assert Answer(2, 1, 0) not in knowledge.why


def test_batches_that_keep_their_order_link_everybody_without_the_shufflers() -> None:
    rules = Rules(min_dropout=3, ordered=False, lesson=True)
    for shufflers in (1, 2):
        run = KIT.run(ROWS, shufflers=shufflers, rules=rules)
        record = ViewedRun(run.transcript, run.board)
        knowledge = closure(RunCiphertexts(record), ["network", "curator"])
        assert knowledge.linked()[1] == {p: dict(enumerate(row)) for p, row in enumerate(ROWS)}
        assert record.view(["network", "curator"]).by_round == knowledge.linked()
        assert not closure(RunCiphertexts(record), ["curator"]).linked()
        assert FactRule.ORDER in {r.rule for _, r in knowledge.proof(Answer(3, 1, 0))}
    sorted_ = closure(TERMS[2], ["network", "curator"])
    assert not sorted_.linked()


@pytest.mark.parametrize("flaw", ["bundled", "one-salt", "one-key"])
def test_answers_that_stay_together_show_the_reader_whole_rows(flaw: str) -> None:
    rules = Rules(min_dropout=3, lesson=True, flaws=(Flaw(flaw),))
    run = KIT.run(ROWS, rules=rules)
    record = ViewedRun(run.transcript, run.board)
    (joint,) = [count for count in record.view(["curator"]).counted if count.columns == (0, 1, 2)]
    assert joint.counts == Counter(ROWS)
    assert not record.view(["curator"]).by_round
    assert not [count for count in record.view(["analyst"]).counted if count.columns == (0, 1, 2)]
    members = ["curator", "shuffler-1"]
    assert closure(RunCiphertexts(record), members).linked() == record.view(members).by_round
    assert record.view(members).by_round[1][3] == dict(enumerate(ROWS[3]))

"""Programs of more rounds, or with hidden values: real equals ideal, and who does what wrong."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
import role_kit as KIT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from role_kit import Asking, Saying, ballots
from veilmix.crypto.entropy import SeededEntropy
from veilmix.errors import Reason
from veilmix.protocol.board.strategies import strategy_of
from veilmix.protocol.ideal import Ideal, PeopleTable, hide_table, run_through
from veilmix.protocol.ideal_view import ideal_view
from veilmix.protocol.rounds.round_context import open_round
from veilmix.protocol.wire import parties
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Program, Rules
from veilmix.protocol.wire.hiding_rules import (
    BLANK,
    COVERS,
    HIDDEN,
    OTHER_VALUE,
    Mask,
    Redact,
    cover_draws,
)
from veilmix.protocol.wire.messages import Call, Submission
from veilmix.protocol.wire.parties import Role
from veilmix.roles.network.memory_network import Network
from veilmix.scenarios.attacks.faults.users import Faulty

PEOPLE = KIT.people(24)
DEEP = Rules(min_dropout=3, min_batch=4)

MASK, MASKS = (Mask(1, ("Oslo", "Rome")),), (Mask(0, ("red",)), Mask(1, ("Oslo",)))
PAIRS = (((0, 1), (0, 2), (1, 2)), MASK)
TRIPLE = (((0, 1, 2),), MASKS)
DEEPER = Asking([PAIRS, TRIPLE])
BLANKS = Asking(kept=(0, 1), hidden=(Redact(0, ("blue",), COVERS // 5), Redact(1, ("Ur",), 0)))
CASES = {
    "hierarchical": (Program.HIERARCHICAL, DEEPER),
    "hierarchical, pairs only": (Program.HIERARCHICAL, Asking([PAIRS])),
    "hierarchical, nothing asked": (Program.HIERARCHICAL, Asking([])),
    "hierarchical, nothing kept": (Program.HIERARCHICAL, Asking([PAIRS], ())),
    "local suppression": (Program.LOCAL_SUPPRESSION, BLANKS),
}


def cast(program: Program, strategy: Any, rows: Any = PEOPLE, **changes: Any) -> Any:
    fields = {"program": program, "decide": strategy, "rules": DEEP, "shufflers": 2}
    return KIT.cast(rows, **fields | changes)


def ideal(played: Any, absent: Mapping[int, Sequence[int]] | None = None) -> tuple[Any, ...]:
    """The same without a message, as `real` below gives it."""
    outcome = straight(played, absent)
    return outcome.tallies, outcome.decision, outcome.release, outcome.burned


def straight(played: Any, absent: Mapping[int, Sequence[int]] | None = None) -> Ideal:
    """Without a message: who stays away once stays away, and each covers as it would."""
    gone: dict[int, Sequence[int]] = dict(absent or {})

    def answering(call: Call) -> PeopleTable:
        missing = {i for number in range(1, call.round + 1) for i in gone.get(number, ())}
        here = [i for i in range(played.people) if i not in missing]
        table = KIT.table(played, [played.row(i) for i in here])
        roots = [played.entropy.fork(parties.user(i)).fork(f"round-{call.round}") for i in here]
        draws = [cover_draws(call.hidden, root) for root in roots]
        shape = len(here), len(call.hidden)
        return hide_table(table, call.hidden, np.array(draws, dtype=np.uint64).reshape(shape))

    plans = played.policy, played.rules, strategy_of(played.decide)
    return run_through(played.program, played.schema, answering, *plans)


def real(played: Any) -> tuple[Any, ...]:
    """What a run of it gives; what a reader counted before it burned a round is no result."""
    run = KIT.run(played)
    answered = len(run.board.tallies)
    reads = tuple(read.counts for read in run.transcript.reads)[:answered]
    last = run.board.calls[answered - 1].reader if answered else None
    return reads, run.decision, reads[-1][0] if last == "analyst" else None, run.board.burned


@pytest.mark.parametrize("shufflers", [1, 2])
@pytest.mark.parametrize("name", CASES)
def test_real_is_ideal(name: str, shufflers: int) -> None:
    played = cast(*CASES[name], shufflers=shufflers)
    assert real(played) == ideal(played)


@pytest.mark.memory
def test_the_curator_is_handed_all_that_it_has_read() -> None:
    strategy, other = Asking([PAIRS, TRIPLE]), Asking([PAIRS, TRIPLE])
    release = real(cast(Program.HIERARCHICAL, strategy))[2]
    assert release is not None
    assert sum(release.values()) == 24
    assert ideal(cast(Program.HIERARCHICAL, other))[2] == release
    assert strategy.heard == other.heard
    deepest = strategy.heard[-1]
    assert [heard.call.round for heard in deepest] == [1, 2, 3]
    (triple,) = deepest[2].counts
    assert {values[0] for values in triple} == {"red", OTHER_VALUE}
    assert {values[1] for values in triple} == {"Oslo", OTHER_VALUE}


@st.composite
def sessions(draw: Any) -> tuple[Any, dict[int, list[int]]]:
    """Give a session of any of the programs, with people who go missing in any round."""
    program, strategy = draw(st.sampled_from(list(CASES.values())))
    rows = KIT.people(draw(st.integers(0, 14)))
    what = st.sampled_from(["absent", "late", "duplicate", "malformed"])
    rounds = st.lists(st.integers(1, 4), min_size=1, max_size=2, unique=True)
    wrong = draw(st.dictionaries(st.integers(0, 13), st.tuples(what, rounds), max_size=5))
    wrong = {index: fault for index, fault in wrong.items() if index < len(rows)}
    rules = Rules(
        min_batch=draw(st.integers(1, 6)),
        min_dropout=draw(st.integers(1, 3)),
        padded=draw(st.booleans()),
        lesson=True,
    )
    policy = AnnouncedPolicy(2, 0.5, "hierarchical", draw(st.booleans()))
    faults = KIT.attack(**{f"user_{index + 1}": fault for index, fault in wrong.items()})
    seed = draw(st.integers(0, 9))
    played = cast(program, strategy, rows, rules=rules, policy=policy, faults=faults, seed=seed)
    absent = {
        number: [i for i, (how, when) in wrong.items() if how != "duplicate" and number in when]
        for number in range(1, 5)
    }
    return played, absent


@pytest.mark.slow
@pytest.mark.memory
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sessions())
def test_real_is_ideal_whoever_goes_missing(case: Any) -> None:
    played, absent = case
    assert real(played) == ideal(played, absent)


# who goes missing -> in which round each, what becomes of the session, people in the release
MISSING: dict[str, tuple[dict[int, int], str | None, int]] = {
    "nobody": ({}, None, 24),
    "enough to hide among, from the pairs on": ({0: 2, 1: 2, 2: 2}, None, 21),
    "two, from the pairs on": ({0: 2, 1: 2}, "2 of 24 people are missing since the round", 0),
    "one in the deepest round": ({5: 3}, "1 of 24 people are missing since the round before", 0),
    "enough, then one more": ({0: 2, 1: 2, 2: 2, 3: 3}, "1 of 21 people are missing", 0),
    "enough twice": ({0: 2, 1: 2, 2: 2, 3: 3, 4: 3, 5: 3}, None, 18),
    "one from the release": ({7: 4}, "1 of 24 people are missing since the round before", 0),
    "most of them": (dict.fromkeys(range(21), 3), "3 people took part; the smallest batch", 0),
}


def test_the_curator_has_a_rule_of_its_own_on_who_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A first shuffler that hands on whatever comes does not make the curator read the few."""
    monkeypatch.setattr("veilmix.roles.shuffler.check_rounds", lambda *_: None)
    faults = KIT.attack(**{f"user_{i}": ("absent", range(2, 9)) for i in (1, 2)})
    run = KIT.run(cast(Program.HIERARCHICAL, DEEPER, faults=faults))
    assert run.board.burned.startswith("2 of 24 people are missing since the round before")
    assert [max(tally.totals) for tally in run.board.tallies] == [24]
    assert [entry.author for entry in run.board.entries][-3:-1] == ["curator", "curator"]


@pytest.mark.parametrize("name", MISSING)
def test_people_absent_in_a_later_round(name: str) -> None:
    """The release is of one set of people, and no two rounds differ by a few of them."""
    when, burned, released = MISSING[name]
    faults = KIT.attack(
        **{f"user_{index + 1}": ("absent", range(first, 9)) for index, first in when.items()}
    )
    played = cast(Program.HIERARCHICAL, DEEPER, faults=faults)
    outcome = real(played)
    absent = {number: [i for i, first in when.items() if first == number] for number in range(1, 5)}
    assert outcome == ideal(played, absent)
    assert (outcome[3] is None) == (burned is None)
    assert outcome[3] is None or outcome[3].startswith(burned)
    assert sum((outcome[2] or {}).values()) == released


def test_whoever_left_does_not_come_back() -> None:
    """Rounds are of ever fewer people, so that the numbers tell who is in which."""
    away = KIT.attack(user_1=("absent", [2]), user_2=("absent", [2]), user_3=("absent", [2]))
    run = KIT.run(cast(Program.HIERARCHICAL, DEEPER, faults=away))
    assert [account.people for account in run.board.mixed if account.hop == 1] == [24, 21, 21, 21]
    assert run.refused("shuffler-1", 3) == {Reason.UNEXPECTED: 3}
    assert run.refused("shuffler-1", 4) == {Reason.UNEXPECTED: 3}


def test_who_left_between_two_rounds_is_told_apart_by_any_two() -> None:
    """Lost on the way, not at the door: ballots of round 3 are as many as of round 1, less one."""
    from veilmix.errors import RoundBurned
    from veilmix.protocol.wire.crowd_limits import check_rounds

    check_rounds([24, 21], 18, 3)
    check_rounds([24, 21], 21, 3)
    with pytest.raises(RoundBurned, match="1 of 21 people are missing since the round before"):
        check_rounds([24, 21], 20, 3)
    with pytest.raises(RoundBurned, match="1 of 24 people are missing since an earlier round"):
        check_rounds([24, 20], 23, 3)


def test_a_batch_below_the_minimum_in_a_deep_round_is_burned() -> None:
    gone = {f"user_{index + 1}": ("absent", range(3, 9)) for index in range(21)}
    run = KIT.run(cast(Program.HIERARCHICAL, DEEPER, faults=KIT.attack(**gone)))
    assert run.board.burned == "3 people took part; the smallest batch that hides is 4"
    assert [tally.counts for tally in run.board.tallies] == [None, None]
    assert run.board.decision is None


# what somebody says in the round of pairs (0, 1), (0, 2), (1, 2) with city masked
ANSWERS: dict[str, tuple[Any, dict[Reason, int], tuple[int, ...]]] = {
    "a value that is masked": (
        ballots((0, ("red", "Zürich")), (1, ("red", "yes")), (2, (OTHER_VALUE, "yes"))),
        {Reason.OUTSIDE_DOMAIN: 1},
        (23, 24, 24),
    ),
    "a blank where other is meant": (
        ballots((0, ("red", BLANK)), (1, ("red", "yes")), (2, (BLANK, "yes"))),
        {Reason.OUTSIDE_DOMAIN: 2},
        (23, 24, 23),
    ),
    "a question not asked": (
        ballots((0, ("red", "Oslo")), (1, ("red", "yes")), (3, ("Oslo", "yes"))),
        {Reason.MALFORMED: 1},
        (24, 24, 23),
    ),
    "more than was asked": (
        ballots((0, ("red", "Oslo", "yes")), (1, ("red", "yes")), (2, ("Oslo", "yes"))),
        {Reason.MALFORMED: 1},
        (23, 24, 24),
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_to_questions_not_asked_are_refused_and_counted(name: str) -> None:
    values, refused, totals = ANSWERS[name]
    faults = {"user-1": lambda network, party: Saying(network, party, 2, values)}
    run = KIT.run(cast(Program.HIERARCHICAL, Asking([PAIRS]), faults=faults))
    assert run.refused("curator", 2) == refused
    assert run.board.tallies[1].totals == totals
    assert run.board.burned is None  # the batch goes on, and so does the session


def test_what_is_blank_cannot_be_said() -> None:
    said = ballots((0, ("blue", "Oslo")))
    faults = {"user-1": lambda network, party: Saying(network, party, 2, said)}
    run = KIT.run(
        cast(Program.LOCAL_SUPPRESSION, BLANKS, rules=Rules(min_dropout=1), faults=faults)
    )
    assert run.refused("analyst", 2) == {Reason.OUTSIDE_DOMAIN: 1}
    assert run.board.tallies[1].totals == (23,)


class Deceived(Faulty):
    """Was shown another call than everybody else, and answers that."""

    def __init__(self, network: Network, party: str, call: Call, row: Sequence[str]) -> None:
        super().__init__(network, party, {})
        self.call, self.row = call, row

    async def send(self, plan: Any, receiver: str, body: Any) -> None:
        from veilmix.protocol.rounds.ballots import submit

        if plan.call.round == self.call.round and isinstance(body, Submission):
            board = self.network.board
            assert board.announcement is not None
            shown = open_round(board.announcement, board.session, self.call)
            envelope = submit(shown, self.row, SeededEntropy(5)).envelope
            body = Submission(envelope, witness=plan.witness)
        await super().send(plan, receiver, body)


@pytest.mark.parametrize(
    "shown",
    [
        Call(2, Role.CURATOR, PAIRS[0]),  # without the mask: everything by name
        Call(2, Role.CURATOR, PAIRS[0], (Mask(1, ("Oslo", "Ur")),)),
        Call(2, Role.CURATOR, ((0, 1), (0, 2), (0, 1, 2)), MASK),
        Call(2, Role.ANALYST, PAIRS[0], MASK),
    ],
)
def test_whoever_is_shown_another_question_is_absent_not_identified(shown: Call) -> None:
    """The call is bound inside every layer: what answers another one does not open."""
    victims = {
        f"user-{i + 1}": lambda network, party, i=i: Deceived(network, party, shown, PEOPLE[i])
        for i in range(3)
    }
    run = KIT.run(cast(Program.HIERARCHICAL, DEEPER, faults=victims))
    refused = run.refused("shuffler-1", 2)
    assert sum(refused.values()) == 3
    assert set(refused) <= {Reason.DOES_NOT_OPEN, Reason.WRONG_SIZE}
    assert [account.people for account in run.board.mixed if account.hop == 1] == [24, 21, 21, 21]
    alone = KIT.run(cast(Program.HIERARCHICAL, DEEPER, faults={"user-1": victims["user-1"]}))
    assert alone.board.burned is not None  # a single one would stand out: nothing is read of it
    assert len(alone.transcript.reads) == 1


@pytest.mark.parametrize("name", CASES)
def test_what_is_read_is_the_same_through_the_eyes_of_an_ideal_run(name: str) -> None:
    """Counts by round, and what was hidden before they were said; so are the layers opened."""
    from veilmix.protocol.knowledge.view import view

    played = cast(*CASES[name])
    run, outcome = KIT.run(played), straight(played)
    for members in (["curator"], ["analyst"], ["curator", "shuffler-1", "shuffler-2"]):
        knowledge = view(run.transcript, members, run.board)
        other = ideal_view(24, outcome, played.policy, 2, *members)
        assert knowledge.counted == other.counted
        whole = {number for number, (open_, all_) in knowledge.opened.items() if open_ == all_}
        assert set(other.linked_columns) == whole == set(knowledge.by_round)


def test_what_was_hidden_is_pinned_on_nobody() -> None:
    """With all keys a coalition follows everybody in every round, and learns what was said."""
    from veilmix.protocol.knowledge.view import view

    run = KIT.run(cast(Program.HIERARCHICAL, DEEPER))
    seen = view(run.transcript, ["curator", "shuffler-1", "shuffler-2"], run.board)
    assert set(seen.by_round) == {1, 2, 3}
    assert any(value == OTHER_VALUE for row in seen.by_round[3].values() for value in row.values())
    assert all(tuple(seen.pinned[i][j] for j in range(3)) == PEOPLE[i] for i in range(24))
    blank = KIT.run(cast(Program.LOCAL_SUPPRESSION, BLANKS))
    late = view(blank.transcript, ["analyst", "shuffler-1", "shuffler-2"], blank.board)
    assert set(late.by_round) == {2}
    assert any(value == BLANK for row in late.by_round[2].values() for value in row.values())
    assert not any(value in HIDDEN for row in late.pinned.values() for value in row.values())
    assert all(PEOPLE[i][j] == value for i, row in late.pinned.items() for j, value in row.items())

"""Persons with several rows: ballots of equal size, counts of persons, and a promise about them."""

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import protocol_kit as kit
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.exposure.persons import Persons
from veilmix.crypto.entropy import SeededEntropy
from veilmix.errors import ParameterError, Reason, Refused, RoundBurned
from veilmix.protocol.board.strategies import RoundResult
from veilmix.protocol.board.sum_check import check_sums
from veilmix.protocol.ideal import PeopleTable, answer, run_through
from veilmix.protocol.rounds.ballots import Ballot, enclose, parse_ballot
from veilmix.protocol.rounds.tallying import read_ballots
from veilmix.protocol.wire.announcement import (
    AnnouncedPolicy,
    Program,
    Rules,
    Setting,
)
from veilmix.protocol.wire.crowd_limits import check_rounds, unspent
from veilmix.protocol.wire.messages import Call
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.rows_per_person import (
    check_possible,
    dummies_in,
    people_among,
    without_dummies,
)
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.protocol.wire.wire import Writer, decode
from veilmix.scenarios.programs.curated.persons import ByPersons, verify_persons
from veilmix.scenarios.schema.model import Policy

VALUES = ("a", "bb", "ccc")
SCHEMA = Schema(tuple(Feature(name, VALUES) for name in ("one", "two", "three")))
ROWS = 4
People = list[list[tuple[str, ...]]]


@st.composite
def people(draw: Any, most: int = 9) -> People:
    row = st.tuples(*[st.sampled_from(VALUES)] * 3)
    person = st.lists(row, min_size=1, max_size=ROWS)
    return draw(st.lists(person, min_size=2, max_size=most))


def table(persons: People) -> PeopleTable:
    rows = [(i, *map(VALUES.index, row)) for i, own in enumerate(persons) for row in own]
    numbers = np.array(rows)
    return PeopleTable((VALUES,) * 3, numbers[:, 1:], numbers[:, 0], ROWS)


def counted(persons: People, columns: tuple[int, ...]) -> Counter[tuple[str, ...]]:
    """Count persons one by one."""
    return Counter(
        cell for own in persons for cell in {tuple(row[j] for j in columns) for row in own}
    )


@settings(max_examples=15, deadline=None)
@given(people(5))
def test_ballots_through_the_mix_count_persons(persons: People) -> None:
    """As many ballots of each person, all of one size, whatever its rows; the ideal answer."""
    held = kit.session(2, schema=SCHEMA, rules=Rules(rows=ROWS))
    for asks, reader in ((((0,), (1,), (2,)), Role.CURATOR), (((0, 2),), Role.ANALYST)):
        plan = held.plan(Call(1 if reader is Role.CURATOR else 2, reader, asks))
        sealed = kit.seal(plan, persons)
        assert {len(each.envelope) for each in sealed} == {plan.envelope}
        assert {len(each.ballots) for each in sealed} == {ROWS * len(asks)}
        if reader is Role.ANALYST:
            held.keys["curator"] = held.keys["analyst"]
        reading = read_ballots(plan, kit.mix(held, plan, [each.envelope for each in sealed]))
        assert not reading.refused
        assert set(reading.totals) == {ROWS * len(persons)}
        assert tuple(map(dict, reading.counts)) == answer(table(persons), plan.call)
        for columns, counts in zip(asks, reading.counts, strict=True):
            assert without_dummies(counts) == counted(persons, columns)
            assert dummies_in(counts) == ROWS * len(persons) - sum(
                counted(persons, columns).values()
            )


@pytest.mark.parametrize("rows", [1, ROWS])
def test_a_ballot_is_an_answer_or_a_dummy_as_a_whole(rows: int) -> None:
    plan = kit.session(schema=SCHEMA, rules=Rules(rows=rows)).plan(Call(2, Role.ANALYST, ((0, 1),)))
    for values in (("", "a"), ("a", ""), ("", "")):
        data = (
            b"\0"
            + bytes(16)
            + b"".join(len(value).to_bytes(2, "big") + value.encode() for value in values)
        )
        if rows > 1 and not any(values):
            assert parse_ballot(plan, data).values == values
            continue
        with pytest.raises(Refused) as caught:
            parse_ballot(plan, data)
        assert caught.value.reason in (Reason.MALFORMED, Reason.OUTSIDE_DOMAIN)


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ([("a", "a", x) for x in VALUES] + [("bb", "a", "a"), ("ccc", "a", "a")], "5 different"),
        ([], "at least one"),
        ([("a", "a")], "rows of 3 values"),
        ([("a", "a", "")], "none empty"),
        ([("a", "a", "d")], "not in its domain"),
    ],
)
def test_rows_that_no_envelope_takes(own: Any, message: str) -> None:
    plan = kit.session(schema=SCHEMA, rules=Rules(rows=ROWS)).plan(
        Call(2, Role.ANALYST, ((0, 1, 2),))
    )
    with pytest.raises(ParameterError, match=message):
        kit.seal(plan, [own])


@pytest.mark.parametrize(
    "rules",
    [
        {"rows": 0},
        {"rows": 1_001},
        {"padded": False, "lesson": True},
        {"audit": True},
        {"verified": True},
    ],
)
def test_rules_without_a_meaning_for_persons(rules: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="rows: "):
        Rules(**{"rows": 2} | rules)


@pytest.mark.parametrize("number", [0, 1])
def test_one_row_has_one_encoding(number: int) -> None:
    """The bit says that a number follows: it is 2 or more, or the announcement is not read."""
    out = Writer()
    Rules(rows=6).write(out)
    data = out.finish()
    assert decode(data, Rules.read) == Rules(rows=6)
    assert data.count(b"\x10\x00\x06") == 1
    with pytest.raises(Refused) as caught:
        decode(data.replace(b"\x10\x00\x06", b"\x10\x00" + bytes([number])), Rules.read)
    assert caught.value.reason is Reason.MALFORMED


@pytest.mark.parametrize(
    "changes",
    [
        {"program": Program.HIERARCHICAL},
        {"policy": AnnouncedPolicy(2, 0.5, setting=Setting.STATISTICAL, delta=0.1)},
    ],
)
def test_programs_without_a_bound_for_persons(changes: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="several rows of a person are accepted in two-round"):
        kit.session(rules=Rules(rows=2), **changes)


@settings(max_examples=60, deadline=None)
@given(people(), st.integers(1, 5), st.integers(0, 8), st.data())
def test_the_truth_is_never_above_the_promise(
    persons: People, k: int, target: int, data: Any
) -> None:
    """Also of the persons that stay, after some have left between the rounds."""
    kind = data.draw(st.sampled_from(["exposure", "all"]))
    strategy = ByPersons(Policy(kind=kind, k=k, max_exposure=target / 8), ROWS)
    stay = data.draw(st.lists(st.booleans(), min_size=len(persons), max_size=len(persons)))
    came = [own for own, here in zip(persons, stay, strict=True) if here] or persons
    here = {1: persons, 2: came}
    rule = kind if kind == "all" else "persons"
    outcome = run_through(
        Program.TWO_ROUND,
        SCHEMA,
        lambda call: table(here[call.round]),
        AnnouncedPolicy(k, target / 8, rule),
        Rules(rows=ROWS, min_dropout=1, min_batch=1),
        strategy,
    )
    assert outcome.decision is not None
    proof = outcome.decision.certificate
    assert proof.n == len(persons)
    verify_persons(outcome.decision, [RoundResult(outcome.calls[0], outcome.tallies[0])])
    if outcome.release is None:
        return
    kept = outcome.decision.kept
    assert without_dummies(outcome.release) == counted(came, kept)
    codes = table(came)
    exposed = Persons.from_table(codes.codes[:, list(kept)], codes.owner).below(range(len(kept)), k)
    proved = strategy.prove(SCHEMA, outcome.calls[:1], outcome.decision, outcome.release)
    assert proved.n == len(came)
    assert exposed <= proved.people <= proved.n
    if kind == "exposure":
        assert exposed / len(came) <= target / 8


def test_one_who_leaves_uncovers_others_in_each_of_its_rows() -> None:
    """A bound that took one cell a person would promise too little: 1 left, 2 are exposed."""
    mine, others = [("a", "a", "a"), ("bb", "a", "a")], [[("a", "a", "a")], [("bb", "a", "a")]]
    strategy = ByPersons(Policy(kind="fixed", k=2, keep=("one",)), ROWS)
    here = {1: [mine, *others], 2: others}
    outcome = run_through(
        Program.TWO_ROUND,
        SCHEMA,
        lambda call: table(here[call.round]),
        AnnouncedPolicy(2, 0.0, "fixed"),
        Rules(rows=ROWS, min_dropout=1),
        strategy,
    )
    assert outcome.release is not None
    decision = outcome.decision
    proved = strategy.prove(SCHEMA, outcome.calls[:1], decision, outcome.release)  # type: ignore[arg-type]
    assert decision is not None
    assert decision.certificate.people == 0
    assert proved.people == proved.n == 2


def test_a_release_with_more_persons_than_a_value_has_burns() -> None:
    persons: People = [[("a", "a", "a"), ("a", "bb", "a")], [("bb", "a", "a")]]
    first, last = Call(1, Role.CURATOR, ((0,), (1,), (2,))), Call(2, Role.ANALYST, ((0, 1),))
    heard = [RoundResult(first, answer(table(persons), first))]
    (joint,) = answer(table(persons), last)
    check_sums(heard, last, joint, ROWS)
    for cell in product(("a", "bb"), repeat=2):
        more = {**joint, cell: 3}
        with pytest.raises(RoundBurned, match="does not fit"):
            check_sums(heard, last, more, ROWS)


def test_persons_are_counted_by_their_ballots() -> None:
    assert [people_among(ballots, 1) for ballots in (0, 1, 7)] == [0, 1, 7]
    assert [people_among(ballots, 3) for ballots in (0, 1, 3, 4, 6)] == [0, 1, 1, 2, 2]


def test_a_malicious_person_has_a_vote_for_each_of_its_ballots() -> None:
    """The limit that docs/protocol.md names: equal ballots of a person count as those of many."""
    held = kit.session(2, schema=SCHEMA, rules=Rules(rows=ROWS))
    plan = held.plan(Call(1, Role.CURATOR, ((0,), (1,))))
    honest = kit.seal(plan, [[("a", "a", "a")], [("bb", "a", "a")]])
    ballots = [Ballot(ask, ("ccc",)) for ask in (0, 1) for _ in range(ROWS)]
    stuffed = enclose(plan, ballots, SeededEntropy(9))
    envelopes = [each.envelope for each in (*honest, stuffed)]
    reading = read_ballots(plan, kit.mix(held, plan, envelopes))
    assert reading.counts[0]["ccc",] == ROWS
    assert set(reading.totals) == {3 * ROWS}


def test_every_token_of_every_ballot_is_spent() -> None:
    assert unspent(3, [3 * ROWS, 3 * ROWS], ROWS) == ""
    for total in (3 * ROWS - 1, 3 * ROWS + 1, 3):
        assert f"({ROWS} each to a question), and {total} ballots" in unspent(3, [total], ROWS)


REPLACED = Counter({("a",): 17, ("bb",): 3, ("ccc",): 3, ("",): 17})  # 20 persons, 2 ballots each


def test_a_person_whose_ballots_became_dummies_burns_the_release() -> None:
    heard = [RoundResult(Call(1, Role.CURATOR, ((0,),)), (REPLACED,))]
    release = Call(2, Role.ANALYST, ((0,),))
    check_sums(heard, release, REPLACED, 2)
    gone = REPLACED - Counter({("bb",): 1, ("ccc",): 1})
    check_sums(heard, release, gone, 2)  # it left: both of its ballots are missing
    with pytest.raises(RoundBurned, match="does not fit"):
        check_sums(heard, release, gone + Counter({("",): 2}), 2)


@pytest.mark.parametrize(
    ("tally", "possible"),
    [
        ({("a",): 3, ("",): 3}, True),
        ({("a",): 4, ("",): 2}, False),  # more persons than there are
        ({("a",): 2, ("",): 4}, False),  # a person of dummies alone
        ({("a",): 3, ("bb",): 3}, True),
    ],
)
def test_no_row_has_more_persons_than_there_are(
    tally: dict[tuple[str, ...], int], *, possible: bool
) -> None:
    if possible:
        check_possible([tally], 2)
        check_possible([tally], 1)
        return
    other = {("a",): 3, ("",): 3}
    for tallies in ([tally, other], [other, tally]):
        with pytest.raises(RoundBurned, match="than they can have"):
            check_possible(tallies, 2)


def test_a_part_of_the_ballots_of_a_person_is_missed() -> None:
    check_rounds([40], 40, 10, 2)
    check_rounds([40], 20, 10, 2)
    check_rounds([40], 39, 1, 2)  # the rule is off
    with pytest.raises(RoundBurned, match="1 of 40 ballots to a question are missing"):
        check_rounds([40], 39, 10, 2)
    with pytest.raises(RoundBurned, match="19 of 40 ballots"):
        check_rounds([40], 21, 10, 2)


def test_a_lost_ballot_uncovers_others_in_the_proof() -> None:
    policy = Policy(kind="fixed", k=3, max_exposure=1.0, keep=("one",))
    strategy = ByPersons(policy, 2)
    heard = [RoundResult(Call(1, Role.CURATOR, ((0,), (1,), (2,))), (REPLACED,) * 3)]
    decision = strategy.decide(SCHEMA, heard)
    whole = strategy.prove(SCHEMA, (), decision, REPLACED)
    short = strategy.prove(SCHEMA, (), decision, REPLACED - Counter({("ccc",): 1}))
    assert (whole.n, short.n) == (20, 20)
    assert short.people == whole.people + 2  # two others have this row

"""What audits let coalitions follow that watch, and which crowds they tell apart."""

from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import pytest
import role_kit as KIT
from hypothesis import given
from hypothesis import strategies as st
from veilmix.analysis.trust import received
from veilmix.protocol.knowledge.audit_paths import Way, crowds
from veilmix.protocol.knowledge.derivation import RunCiphertexts, closure
from veilmix.protocol.knowledge.facts import Answer, FactRule
from veilmix.protocol.knowledge.view import ViewedRun
from veilmix.protocol.rounds.audit import chosen
from veilmix.protocol.rounds.round_context import open_round
from veilmix.protocol.wire.announcement import Rules
from veilmix.protocol.wire.parties import paired
from veilmix.roles.cast import Guards

MANY = 12
ROWS = KIT.people(MANY)
EVERYBODY = frozenset(range(MANY))


def recorded(shufflers: int, *, audit: bool = True, challenge: bool = False) -> ViewedRun:
    rules = Rules(min_dropout=3, audit=audit, challenge=challenge)
    registered = {"guards": Guards(registered=MANY)}
    run = KIT.run(ROWS, rules=rules, shufflers=shufflers, **registered)
    assert not run.board.burned
    return ViewedRun(run.transcript, run.board)


TWO = recorded(2)


def heads(record: ViewedRun, number: int, hop: int = 1) -> frozenset[int]:
    """Whose envelopes the coins of a round have chosen at the first hop, worked out anew."""
    told, board = record.board.announcement, record.board
    assert told is not None
    plan = open_round(told, board.session, board.calls[number - 1])
    accepted = board.challenged.accepted[number].people
    places = chosen(plan, board.audited.tosses[number], hop, len(accepted))
    return frozenset(accepted[place].person for place in places)


@pytest.mark.parametrize("reader", ["curator", "analyst"])
def test_a_reader_and_one_of_two_shufflers_link_those_whom_the_other_has_opened(
    reader: str,
) -> None:
    number = 1 if reader == "curator" else 2
    open_at_one = heads(TWO, number)
    assert 0 < len(open_at_one) < MANY
    for shuffler, linked in (
        ("shuffler-2", open_at_one),
        ("shuffler-1", EVERYBODY - open_at_one),
    ):
        seen = TWO.view([reader, shuffler])
        assert seen.by_round[number].keys() == linked
        for person in linked:
            row = seen.by_round[number][person]
            assert row.items() <= dict(enumerate(ROWS[person])).items()
        assert received(seen, (3, 4, 2), TWO.truth).linked == len(linked)


def test_without_an_audit_the_same_coalitions_link_nobody() -> None:
    plain = recorded(2, audit=False)
    for shuffler in ("shuffler-1", "shuffler-2"):
        assert not plain.view(["curator", "analyst", shuffler]).by_round


def test_a_reader_counts_both_halves_apart() -> None:
    seen, half = TWO.view(["analyst"]), heads(TWO, 2)
    assert not seen.by_round
    assert {count.among for count in seen.counted} == {None, half, EVERYBODY - half}
    for count in seen.counted:
        people = EVERYBODY if count.among is None else count.among
        assert count.counts == Counter(
            tuple(ROWS[person][column] for column in count.columns) for person in people
        )
    plain = recorded(2, audit=False).view(["analyst"])
    more, less = received(seen, (3, 4, 2), TWO.truth), received(plain, (3, 4, 2), TWO.truth)
    assert more.bits > less.bits
    assert more.crowd == min(len(half), MANY - len(half)) < less.crowd
    assert more.exact
    assert less.exact


def test_who_reads_nothing_learns_nothing_from_an_audit() -> None:
    assert TWO.view(["shuffler-1", "shuffler-2", "network"]).knows == TWO.view(["network"]).knows
    assert [count.among for count in TWO.view(["shuffler-1"]).counted] == [None]


@pytest.mark.memory
@pytest.mark.parametrize(("shufflers", "challenge"), [(1, True), (2, True), (3, False), (4, False)])
def test_every_coalition_links_what_the_closure_derives(shufflers: int, challenge: bool) -> None:
    """With three or four a pair that is not in it hides everybody; of a pair one is enough."""
    record = recorded(shufflers, audit=shufflers > 1, challenge=challenge)
    hops = [f"shuffler-{hop + 1}" for hop in range(shufflers)]
    terms = RunCiphertexts(record)
    for size in range(shufflers + 2):
        for members in combinations([*hops, "analyst"], size):
            view = record.view(members)
            assert closure(terms, members).linked() == view.by_round, members
            pairs = [set(hops[at : at + 2]) for at in range(0, paired(shufflers), 2)]
            last = set(hops[paired(shufflers) :])
            enough = all(pair & set(members) for pair in pairs) and last <= set(members)
            if not enough or "analyst" not in members:
                assert not view.by_round, members
            elif len(pairs) < 2:
                assert view.by_round, members


def test_a_proof_says_what_an_audit_has_shown() -> None:
    person = min(heads(TWO, 2))
    proof = closure(RunCiphertexts(TWO), ["analyst", "shuffler-2"]).proof(Answer(person, 2, 0))
    assert {reason.rule for _, reason in proof} >= {FactRule.SHOWN, FactRule.KEY, FactRule.READ}
    assert all(reason.rule is not FactRule.SENDER for _, reason in proof)


def test_two_pairs_are_one_crowd_of_which_more_is_known() -> None:
    seen = recorded(4).view(["analyst"])
    assert {count.among for count in seen.counted} == {None}
    assert seen.more
    assert not received(seen, (3, 4, 2)).exact
    one_pair = recorded(3).view(["analyst"])
    assert not one_pair.more
    assert received(one_pair, (3, 4, 2)).crowd == MANY


# Crowds, from ways alone


@st.composite
def cases(draw: Any) -> tuple[Mapping[int, Way], list[int], frozenset[bytes]]:
    people, hops = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    ways = {person: tuple(bytes([hop, person]) for hop in range(hops)) for person in range(people)}
    layers = sorted(layer for way in ways.values() for layer in way)
    shown = frozenset(draw(st.lists(st.sampled_from(layers), unique=True)))
    return ways, draw(st.lists(st.sampled_from(range(hops)), unique=True)), shown


@given(cases())
def test_people_are_told_apart_exactly_if_no_closed_hop_can_exchange_them(case: Any) -> None:
    """Any two whom some closed hop mixes are in one crowd; crowds are apart; the rest is open."""
    ways, closed, shown = case
    partition = crowds(ways, closed, shown)
    crowd = {person: at for at, some in enumerate(partition.blocks) for person in some}
    assert sum(map(len, partition.blocks)) == len(crowd)
    for person, way in ways.items():
        assert (person in crowd) is any(way[hop] not in shown for hop in closed)
    reached = {person: {person} for person in ways}
    for _ in ways:
        for member, other in combinations(sorted(ways), 2):
            if any(ways[member][h] not in shown and ways[other][h] not in shown for h in closed):
                reached[member] |= reached[other]
                reached[other] |= reached[member]
    for member in crowd:
        assert reached[member] == set(partition.blocks[crowd[member]])

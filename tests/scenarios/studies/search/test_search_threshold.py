"""The search where only k people open a row: what exchanged rows mean, and closed rows."""

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from veilmix.crypto.entropy import entropy_of
from veilmix.protocol.search.crowds import guess_between, other_closed, rotated
from veilmix.protocol.search.deviation import Action, Deviation
from veilmix.protocol.wire.messages import Kind
from veilmix.scenarios.attacks.faults.deviant_cast import deviant_cast
from veilmix.scenarios.attacks.faults.deviation import Deviations
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.studies.matrix.attack_plan import changed
from veilmix.scenarios.studies.search.search_session import kinds_of_rows, small
from veilmix.scenarios.studies.search.search_trial import Trial, Verdict

KEYS = {"policy.prefixes": False, "policy.close": "none"}  # all that opens is published
WHOLE = small(changed(load("threshold-titanic"), KEYS, ()))
ALONE, CLOSED = ("a", "c"), ("a", "d")  # of the target and two others; of one person
SAY = (Deviation(by="user-6", do=Action.SAY, row=CLOSED, rounds=(1,)),)


@cache
def trial(*members: str) -> Trial:
    return Trial(WHOLE, members, (1,))


@pytest.fixture(scope="module")
def analyst() -> Trial:
    return trial("analyst")


def test_a_closed_row_is_another_row_of_few_people(analyst: Trial) -> None:
    worlds = other_closed(analyst.rows, range(6), kinds_of_rows(WHOLE), WHOLE.policy.k)
    assert [world[2] for world in worlds] == [("a", "g"), ("b", "c"), ("b", "g")]
    assert all(max(Counter(world)[world[2]], 1) < WHOLE.policy.k for world in worlds)


def test_exchanged_rows_keep_all_groups_and_closed_rows_look_alike(analyst: Trial) -> None:
    session, honest = analyst.session, analyst.session.honest
    first = session.play((), analyst.rows, 1)
    assert first.board.burned is None
    assert first.view == session.play((), rotated(analyst.rows, honest), 1).view
    assert len(analyst.other_rows()) == 3
    more = (*analyst.rows[:2], ALONE, *analyst.rows[3:])  # a group has one person more
    assert first.view != session.play((), more, 1).view


def test_reader_and_randomness_read_closed_rows_by_watching(analyst: Trial) -> None:
    assert analyst.watched() is None
    assert trial("analyst", "randomness").watched() == "closed"
    assert trial("shuffler-2", "randomness").watched() is None


def test_k_less_one_people_who_send_a_guess_read_a_closed_row() -> None:
    guessing = trial("shuffler-2", "user-6")
    assert guessing.verdict(SAY) is Verdict.JOINT
    assert guessing.beyond == "closed"
    worlds, other = guessing.worlds(SAY), guessing.other_rows()[0]
    assert guess_between(worlds, other, (1, 2)) == 1.0
    assert guess_between(guessing.honest, other, (1, 2)) == 0.5


def test_wires_that_ask_in_the_name_of_a_person_are_answered_for_their_own_row() -> None:
    """Nobody signs a question: the person is left out, and the reader can try the row."""
    ask = Deviation(
        by="network", do=Action.REPLACE, message=Kind.QUERY, people=("user-2",), row=CLOSED
    )
    both = trial("analyst", "network")
    played = both.session.play((ask,), both.rows, 1)
    assert played.record.occasions == {0}
    assert played.board.tallies[0].totals == (5,)
    assert both.verdict((ask,)) in (Verdict.JOINT, Verdict.DISTINGUISHED)
    found = both.worlds((ask,))
    assert any(found.are_apart(both.rows, rows) for rows in both.other_rows())


def test_members_join_a_group_only_with_an_output_that_they_asked_for() -> None:
    """Ballots of own seeds are a group of their own, however equal their rows are."""
    two = ("user-1", "user-5")
    double = (Deviation(by="shuffler-1", do=Action.REPLACE, people=two, row=CLOSED),)
    alone = trial("shuffler-1").session
    rows = trial("shuffler-1").rows
    (tally,) = alone.play(double, rows, 1).board.tallies
    assert tally.counts is not None
    assert tally.counts[0].get(CLOSED) == 2  # the own two, and not the person's
    friend = trial("shuffler-1", "user-6").session
    (tally,) = friend.play((*double, *SAY), rows, 1).board.tallies
    assert tally.counts is not None
    assert tally.counts[0].get(CLOSED) == 4  # with that of the friend, and of the person


def test_whoever_asks_for_nothing_has_no_output() -> None:
    silent = Deviation(by="user-6", do=Action.OMIT, message=Kind.QUERY)
    session = trial("analyst", "user-6").session
    (tally,) = session.play((silent,), trial("analyst").rows, 1).board.tallies
    assert tally.totals == (5,)
    deviations = Deviations((silent,), entropy_of(1), 6, ("analyst", "user-6"))
    deviant_cast(replace(session.casts[1], row=trial("analyst").rows.__getitem__), deviations)
    assert deviations.consulted == set()

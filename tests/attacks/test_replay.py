"""A message sent a second time, in the same round, in the next, or in another session."""

from typing import Any

import attack_kit as KIT
import pytest
import role_kit as ROLES
from veilmix.errors import Reason
from veilmix.protocol.wire.announcement import Flaw, Rules
from veilmix.roles.cast import Guards
from veilmix.scenarios.attacks.faults.wire import Replay, Wires

REPLAY = {"attack": "replay", "target": "user-1", "into": "round"}
UNLISTED = {"defence__registered": False}  # else a copy is refused before its answers are opened


def test_repeats_in_a_round_are_dropped() -> None:
    outcome = KIT.attack(REPLAY, **UNLISTED)
    assert KIT.effect(outcome).value == 0
    assert outcome.refused["duplicate"] == 3 + 1  # the answers inside the envelope, in both rounds
    assert KIT.totals(outcome) == [30, 30, 30]


def test_where_repeats_are_kept_a_count_moves_by_one() -> None:
    outcome = KIT.attack(REPLAY, **KIT.lesson(defence__dedupe=False, **UNLISTED))
    assert KIT.effect(outcome).value == 1
    assert KIT.totals(outcome) == [31, 31, 31]


def test_a_stranger_is_not_registered() -> None:
    switches = KIT.lesson(defence__dedupe=False, defence__registered=True)
    outcome = KIT.attack(REPLAY, **switches)
    assert KIT.effect(outcome).value == 0
    assert outcome.refused["unregistered"] == 2  # in both rounds


def test_in_the_next_round_it_does_not_open() -> None:
    fault = {"attack": "replay", "target": "user-1", "into": "next"}
    outcome = KIT.attack(fault, feature=[{"name": "A"}], defence__min_dropout=1, **UNLISTED)
    assert outcome.refused == {"does-not-open": 1, "duplicate": 1}


def test_a_signature_keeps_the_users_place_free() -> None:
    """The copy comes first: without a signature it takes the place of the user's own."""
    fault = {"attack": "replay", "target": "user-1", "into": "next"}
    outcome = KIT.attack(fault, feature=[{"name": "A"}], defence__registered=True)
    assert outcome.refused == {"unregistered": 1}
    assert outcome.release is not None
    assert sum(outcome.release.values()) == 30


def test_the_next_session_has_other_keys() -> None:
    fault = {"attack": "replay", "target": "user-1", "into": "session"}
    outcome = KIT.attack(fault, **UNLISTED)
    assert outcome.refused["does-not-open"] >= 1


def sessions(rules: Rules, **changes: Any) -> Any:
    """Two sessions with the SAME keys, in the second of which a vote of the first comes again."""
    wire = Wires([Replay("user-1", "session", "user-99")])
    for title in ("one", "two"):
        rows = ROLES.people(12)
        rows[0] = ("blue", "Ur", "no") if title == "two" else rows[0]
        played = ROLES.run(
            rows, title=title, rules=rules, wire=wire, decide=ROLES.keep(), **changes
        )
    return played


def test_without_binding_an_old_vote_counts_in_another_session() -> None:
    loose = sessions(Rules(lesson=True, flaws=(Flaw.UNBOUND,)))
    assert loose.refused("shuffler-1", 1) == {Reason.DUPLICATE: 1}  # the user's own!
    assert loose.transcript.reads[0].counts[0][("red",)] == 4  # what user-1 said in session one


def test_bound_it_does_not_open() -> None:
    bound = sessions(Rules())
    assert bound.refused("shuffler-1", 1) == {Reason.DUPLICATE: 1, Reason.DOES_NOT_OPEN: 1}
    assert bound.transcript.reads[0].counts[0][("red",)] == 3


def test_bound_and_signed_the_new_vote_counts() -> None:
    signed = sessions(Rules(), guards=Guards(registered=12))
    assert signed.refused("shuffler-1", 1) == {Reason.UNREGISTERED: 1}
    assert signed.transcript.reads[0].counts[0] == {("red",): 3, ("green",): 4, ("blue",): 5}


@pytest.mark.parametrize("into", ["round", "next", "session"])
def test_nothing_honest_is_lost_to_a_replay_of_registered_users(into: str) -> None:
    outcome = KIT.attack({**REPLAY, "into": into}, defence__registered=True)
    assert KIT.totals(outcome) == [30, 30, 30]
    assert KIT.effect(outcome).value == 0

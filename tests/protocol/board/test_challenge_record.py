"""The record of a round with locks: every envelope, every earlier round and every alarm counts."""

from types import SimpleNamespace
from typing import Any

import protocol_kit as KIT
import pytest
from veilmix.errors import Reason, VerificationError
from veilmix.protocol.board import challenge_record
from veilmix.protocol.board.challenge_record import check_accepted
from veilmix.protocol.wire.announcement import Setting
from veilmix.protocol.wire.messages import Accepted, Alarm, Cause

PLAN = KIT.session(2).plan()


def accepted(*people: int) -> Accepted:
    """Return a list of accepted people, whose envelopes do not matter here."""
    return Accepted(tuple(SimpleNamespace(person=person) for person in people))  # type: ignore[arg-type]


def record(*rounds: Accepted, alarms: Any = ()) -> Any:
    """Return the board of a session in the fixed setting, with these rounds."""
    return SimpleNamespace(
        announcement=SimpleNamespace(
            policy=SimpleNamespace(setting=Setting.FIXED),
            rules=SimpleNamespace(min_dropout=2, min_batch=3),
        ),
        registry=(b"key",),
        heads={},
        session=PLAN.session,
        calls=[None] * len(rounds),
        challenged=SimpleNamespace(accepted=dict(enumerate(rounds, start=1))),
        alarms=list(alarms),
    )


@pytest.fixture(autouse=True)
def envelopes(monkeypatch: pytest.MonkeyPatch) -> list[Reason | None]:
    """What is wrong with each envelope: nothing; every alarm is borne out."""
    wrong: list[Reason | None] = [None, None, None]
    monkeypatch.setattr(challenge_record, "open_round", lambda *_: PLAN)
    monkeypatch.setattr(challenge_record, "check_envelopes", lambda *_: iter(wrong))
    monkeypatch.setattr(challenge_record, "borne_out", lambda *_: True)
    return wrong


@pytest.mark.parametrize("place", range(3))
def test_every_envelope_is_signed(envelopes: list[Reason | None], place: int) -> None:
    board = record(accepted(0, 1, 2))
    check_accepted(board, 1)
    envelopes[place] = Reason.UNREGISTERED
    with pytest.raises(VerificationError, match="not signed by its user"):
        check_accepted(board, 1)


@pytest.mark.parametrize("earlier", [((0, 1, 2), (0, 1, 2, 3)), ((0, 1, 2, 3), (0, 1, 2))])
def test_a_round_is_compared_with_every_earlier_one(earlier: tuple[tuple[int, ...], ...]) -> None:
    board = record(*(accepted(*people) for people in earlier), accepted(0, 1, 2))
    with pytest.raises(VerificationError, match="1 people were accepted in one of two rounds only"):
        check_accepted(board, 3)
    check_accepted(record(*[accepted(0, 1, 2)] * 3), 3)


@pytest.mark.parametrize("place", range(3))
def test_a_proved_loss_is_found_among_other_alarms(place: int) -> None:
    alarms = [("user-1", Alarm(1, Cause.BALANCE)), ("user-2", Alarm(2, Cause.CHANGED))]
    check_accepted(record(accepted(0, 1, 2), alarms=alarms), 1)
    alarms.insert(place, ("user-3", Alarm(1, Cause.CHANGED)))
    with pytest.raises(VerificationError, match="user-3 has proved that a ballot is missing"):
        check_accepted(record(accepted(0, 1, 2), alarms=alarms), 1)

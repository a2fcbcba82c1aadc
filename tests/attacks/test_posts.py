"""What the board refuses is counted, and ends the session with a name: no party can crash it."""

from dataclasses import replace
from typing import Any

import pytest
import role_kit as ROLES
from veilmix.errors import Reason
from veilmix.protocol.board.phases import Phase
from veilmix.protocol.wire.messages import (
    Alarm,
    BallotMarks,
    Body,
    Call,
    Cause,
    CommittedDecision,
    Key,
    Mixed,
    OpenedCertificate,
    Tally,
)
from veilmix.roles.network.memory_network import Endpoint

ROWS = ROLES.people(8)


def saying(kind: type, instead: Any) -> type[Endpoint]:
    """Give the place of a party that posts something else."""

    class Saying(Endpoint):
        async def post(self, body: Body) -> None:
            await super().post(instead(body) if isinstance(body, kind) else body)

    return Saying


# name -> (party, the place from which it lies, what of it the board refuses)
WRONG: dict[str, tuple[str, type[Endpoint], str]] = {
    "call-for-everything": (
        "curator",
        saying(Call, lambda body: replace(body, asks=((0, 1, 2),))),
        "call of curator",
    ),
    "decision-on-nothing": (
        "curator",
        saying(CommittedDecision, lambda body: replace(body, kept=(7,))),
        "committed of curator",
    ),
    "certificate-of-another-decision": (
        "curator",
        saying(OpenedCertificate, lambda body: replace(body, blind=bytes(32))),
        "certificate of curator",
    ),
    "tally-of-less": (
        "curator",
        saying(Tally, lambda body: replace(body, totals=body.totals[:1])),
        "tally of curator",
    ),
    "tally-of-the-analyst": (
        "analyst",
        saying(Tally, lambda body: replace(body, counts=None)),
        "tally of analyst",
    ),
    "another-hop": (
        "shuffler-1",
        saying(Mixed, lambda body: replace(body, hop=2)),
        "mixed of shuffler-1",
    ),
    "marks-nobody-asked-for": (
        "curator",
        saying(Tally, lambda _body: BallotMarks(())),
        "heard of curator",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_refused_post_burns_the_session_and_is_counted(name: str) -> None:
    party, place, what = WRONG[name]
    played = ROLES.run(ROWS, faults={party: place})
    assert played.board.burned == f"the board refused the {what}: unexpected"
    assert played.board.phase is Phase.OVER
    counted = [played.refused("board", number) for number in range(3)]
    assert sum(count.get(Reason.UNEXPECTED, 0) for count in counted) == 1


class Early(Endpoint):
    """Raises an alarm of a round to come before it publishes."""

    async def post(self, body: Body) -> None:
        if isinstance(body, Tally):
            await super().post(Alarm(9, Cause.BALANCE))
        await super().post(body)


def test_a_refused_alarm_is_counted_and_ends_nothing() -> None:
    played = ROLES.run(ROWS, faults={"curator": Early})
    assert played.board.burned is None
    assert played.board.alarms == []
    assert played.refused("board", 1) == {Reason.UNEXPECTED: 1}


class Twice(Endpoint):
    """Posts its key twice."""

    async def post(self, body: Body) -> None:
        await super().post(body)
        if isinstance(body, Key):
            await super().post(body)


@pytest.mark.parametrize("party", ["shuffler-1", "analyst"])
def test_a_key_that_comes_twice_ends_the_session(party: str) -> None:
    played = ROLES.run(ROWS, faults={party: Twice})
    assert played.board.burned == f"the board refused the key of {party}: unexpected"
    assert played.board.phase is Phase.OVER

"""People have the whole of their time to look, and nothing is opened before it has passed."""

from typing import Any

import pytest
import role_kit as KIT
import trio
from veilmix.crypto.entropy import SeededEntropy
from veilmix.protocol.rounds.round_context import Round
from veilmix.protocol.wire.announcement import Rules
from veilmix.protocol.wire.messages import Alarm, Cause, Kind
from veilmix.roles import user
from veilmix.roles.analyst import MISDECIDED
from veilmix.roles.board_monitor import BoardMonitor
from veilmix.roles.cast import Guards
from veilmix.roles.network.memory_network import Endpoint
from veilmix.scenarios.attacks.faults.shuffler import Deed, cheat, substitute

pytestmark = pytest.mark.memory

MANY = 12
ROWS = KIT.people(MANY)
contest = user.contest


def challenged(target: str) -> KIT.Run:
    """A session in which the first shuffler replaces what a person has sent."""
    return KIT.run(
        ROWS,
        rules=Rules(min_dropout=3, challenge=True),
        guards=Guards(registered=MANY),
        shufflers=2,
        faults={"shuffler-1": cheat(Deed(substitute, SeededEntropy(3), target=target))},
    )


@pytest.mark.parametrize("share", [0.0, 0.5, 0.9])
def test_who_looks_late_but_in_time_is_heard(share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose ballot a shuffler has replaced: it is said by them, and nothing is opened."""

    async def slow(me: Endpoint, plan: Round, *given: Any) -> None:
        number = plan.call.round
        await me.until(Kind.HEARD, lambda board: number in board.challenged.marks)
        await trio.sleep(share * plan.announcement.rules.deadline)
        await contest(me, plan, *given)

    monkeypatch.setattr(user, "contest", slow)
    run = challenged("user-3")
    assert run.board.burned is not None
    assert "sent and was accepted has not come" in run.board.burned
    assert run.board.alarms
    assert not run.board.challenged.share_secrets
    assert not run.transcript.reads


def test_each_alarm_is_judged_whatever_others_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three people the one in the middle of their order says what is so."""

    async def said(me: Endpoint, plan: Round, *given: Any) -> None:
        if me.party not in ("user-1", "user-12"):
            await contest(me, plan, *given)
            return
        number = plan.call.round
        await me.until(Kind.HEARD, lambda board: number in board.challenged.marks)
        await me.post(Alarm(number, Cause.CHANGED, b"nothing"))

    monkeypatch.setattr(user, "contest", said)
    run = challenged("user-5")
    assert {party for party, _ in run.board.alarms} == {"user-1", "user-5", "user-12"}
    assert run.board.burned == "a ballot that user-5 sent and was accepted has not come"
    assert not run.transcript.reads


@pytest.mark.parametrize("place", [0, 1])
def test_a_wrong_decision_is_not_read_whatever_else_is_wrong(
    place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [Cause.BALANCE]
    found.insert(place, Cause.DECISION)

    async def look(*_: Any) -> list[Cause]:
        await trio.lowlevel.checkpoint()
        return found

    monkeypatch.setattr(BoardMonitor, "look", look)
    run = KIT.run(ROWS)
    assert run.board.burned == MISDECIDED
    assert len(run.transcript.reads) == 1

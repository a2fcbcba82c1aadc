"""The analyst: reads the ballots of a release, counts them, and publishes the joint counts."""

from ..errors import RoundBurned
from ..protocol.announcement import UNPROMISED, Setting
from ..protocol.ledger import check_promise, check_rounds
from ..protocol.messages import Cause
from ..protocol.parties import Role
from ..protocol.session import Round
from ..protocol.tallying import Reading
from .keyholder import Keyholder
from .network import Endpoint, Inbox
from .reader import publish, read_round
from .watch import Watch
from .workshop import Workshop

MISDECIDED = "the announced rule decides otherwise from the published marginals"


async def analyst(
    me: Endpoint,
    key: Keyholder,
    inbox: Inbox,
    workshop: Workshop,
    watch: Watch,
) -> None:
    """Publish a key, check the announcement, then read the rounds meant for the analyst.

    It also watches the board, and reads nothing that by the announced rule may not be released.
    """
    if not await key.take_part(me):
        return
    async for plan in me.rounds():
        alarms = await watch.look(me, workshop)
        if plan.call.reader is not Role.ANALYST:
            continue
        try:
            if Cause.DECISION in alarms:
                raise RoundBurned(MISDECIDED)  # noqa: TRY301 - burned like the others
            reading = await read_round(me, plan, key.secret, inbox, workshop)
            if reading is not None:
                _check(me, plan, reading)
                await publish(me, reading, counts=True)
        except RoundBurned as burned:
            await me.burn(burned)
    await watch.look(me, workshop)


def _check(me: Endpoint, plan: Round, reading: Reading) -> None:
    """RoundBurned if people are missing so that a few stand out, or the promise does not hold."""
    if me.board.decision is None:
        return
    proof, people = me.board.decision.certificate, max(reading.totals)
    policy = plan.announcement.policy
    if policy.setting is Setting.FIXED:
        before = [max(tally.totals) for tally in me.board.tallies]
        check_rounds(before, people, plan.announcement.rules.min_dropout)
    elif policy.rule not in UNPROMISED:
        check_promise(proof.people, proof.n, proof.k, people, policy.max_exposure)

"""The curator: announces the session, learns the marginals, decides which columns are released.

It is handed its decision rule. What it decides goes on the board with a certificate.
"""

import trio

from ..crypto.entropy import Entropy
from ..errors import ParameterError, RoundBurned
from ..protocol import parties
from ..protocol.announcement import NONCE, Announcement, Policy, Program, Rules
from ..protocol.board import Board
from ..protocol.ideal import DecisionRule
from ..protocol.messages import Closed, Decision, Kind, Tally
from ..protocol.parties import Role
from ..protocol.phases import Phase
from ..protocol.programs import next_call
from ..protocol.schema import Schema
from ..protocol.tallying import Reading, marginals
from .keyholder import Keyholder
from .network import Endpoint, Letter
from .reader import read_round
from .workshop import Workshop


async def curator(
    me: Endpoint,
    key: Keyholder,
    plans: "Plans",
    inbox: trio.MemoryReceiveChannel[Letter],
    workshop: Workshop,
) -> Decision | None:
    """Announce, put the program's questions one after the other, decide in between, close."""
    decision = None
    try:
        await _announce(me, key, plans)
        while call := next_call(plans.program, plans.schema, len(me.board.calls), decision):
            await me.post(call)
            if call.reader is Role.ANALYST:
                await me.network.until(Kind.TALLY, _tallied)
            elif reading := await read_round(
                me, me.network.plan(call), key.secret, inbox, workshop
            ):
                await me.post(_account(reading, publish=plans.policy.publish_marginals))
                decision = await _decide(plans, reading, workshop)
                await me.post(decision)
            if me.board.phase is Phase.BURNT:
                break
    except RoundBurned as burned:
        await me.burn(burned)
    await me.post(Closed())
    return decision


def _tallied(board: Board) -> bool:
    """Whether the last call has been answered."""
    return len(board.tallies) == len(board.calls)


async def _decide(plans: "Plans", reading: Reading, workshop: Workshop) -> Decision:
    """Apply the rule to the marginals, in a thread: it may take its time."""
    counts, people = marginals(reading.counts)
    decision = await workshop.alone(lambda: plans.decide(plans.schema, counts, people))
    proof, columns = decision.certificate, len(plans.schema.names)
    if max(decision.kept, default=0) >= columns or proof.people > proof.n:
        raise ParameterError(
            f"the decision rule keeps columns {decision.kept} of {columns} and promises at most "
            f"{proof.people} of {proof.n} people exposed; that is no decision"
        )
    return decision


class Plans:
    """What the curator intends: the session's terms, and the rule it will decide by."""

    def __init__(
        self,
        title: str,
        schema: Schema,
        policy: Policy,
        rules: Rules,
        shufflers: int,
        decide: DecisionRule,
        entropy: Entropy,
        program: Program,
    ) -> None:
        self.title = title
        self.schema = schema
        self.policy = policy
        self.rules = rules
        self.shufflers = shufflers
        self.decide = decide
        self.entropy = entropy
        self.program = program


async def _announce(me: Endpoint, key: Keyholder, plans: Plans) -> None:
    """Wait for everybody's key, announce the session, wait for everybody's consent."""
    due = plans.shufflers + 1
    with trio.move_on_after(plans.rules.deadline):
        await me.network.until(Kind.KEY, lambda board: len(board.keys) == due)
    if len(me.board.keys) < due:
        raise RoundBurned(f"only {len(me.board.keys)} of {due} keyholders published a key in time")
    keys = me.board.keys
    announcement = Announcement(
        plans.title,
        plans.entropy.random(NONCE),
        plans.schema,
        plans.policy,
        plans.rules,
        tuple(keys[parties.shuffler(hop + 1)] for hop in range(plans.shufflers)),
        key.pair.public,
        keys[parties.ANALYST],
        plans.program,
    )
    await me.post(announcement)
    with trio.move_on_after(plans.rules.deadline):
        await me.network.until(Kind.CONSENT, lambda board: len(board.consents) == due)
    if len(me.board.consents) < due:
        raise RoundBurned("not everybody consented to the announcement in time")


def _account(reading: Reading, *, publish: bool) -> Tally:
    """What the board shows of a reading: totals and refusals, and the counts if that was agreed."""
    counts = tuple(dict(count) for count in reading.counts) if publish else None
    return Tally(reading.totals, reading.refused, counts)

"""A curator that asks for all columns together; its rule asks for single columns."""

from collections.abc import Sequence
from dataclasses import dataclass

from veilmix.protocol.board.strategies import RoundResult, Strategy
from veilmix.protocol.knowledge.batch_subtraction import counted
from veilmix.protocol.wire.messages import Call, Decision
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.schema import Schema
from veilmix.scenarios.attacks.catalogue.attack import CURATOR, Attack, Measured
from veilmix.scenarios.attacks.catalogue.scene import Scene
from veilmix.scenarios.attacks.catalogue.setup import AttackSetup
from veilmix.scenarios.schema.model import Fault


@dataclass
class Nosy(Strategy):
    """Ask for all columns in round 2, and decide as announced from round 1."""

    announced: Strategy

    def ask(self, schema: Schema, heard: Sequence[RoundResult]) -> Call | None:
        """Return the call of round 2; None in later rounds."""
        every = tuple(range(len(schema.features)))
        return Call(2, Role.CURATOR, (every,)) if len(heard) == 1 else None

    def decide(self, schema: Schema, heard: Sequence[RoundResult]) -> Decision:
        """Return the decision of the announced strategy after round 1."""
        return self.announced.decide(schema, heard[:1])


def ask_all(setup: AttackSetup, entry: Fault, number: int) -> None:
    """Give the curator its strategy."""
    setup.strategy(Nosy, entry, number)


def rows_read(scene: Scene, _entry: Fault) -> Measured:
    """Return the number of whole rows that the curator counted early, and of people."""
    view = scene.loot((CURATOR,))
    every = tuple(range(len(scene.people.schema.names)))
    joint = [
        sum(count.values())
        for call in view.board.calls
        if call.reader is Role.CURATOR
        # A call without an answer has no counts.
        for columns, count in zip(call.asks, counted(view, call.round), strict=False)
        if columns == every
    ]
    return max(joint, default=0), scene.n


NOSY = Attack(
    by=CURATOR,
    does="asks for all columns together, which its rule forbids",
    remedy="`publish_marginals`: people work out which question is due, and answer no other",
    scenario="hierarchical",
    unit="people whose rows it counts",
    waits="a second round",
    measure=rows_read,
    commit=ask_all,
)

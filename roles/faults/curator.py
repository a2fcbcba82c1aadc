"""What a curator may do wrong: lie about its rule or its counts, equivocate, claim a crash."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...errors import RoundBurned
from ...protocol.announcement import Announcement
from ...protocol.messages import Body, Call, Counts, Decision, Tally
from ...protocol.programs import DecisionRule, RoundResult, Strategy, strategy_of
from ...protocol.schema import Schema
from ..board_stream import Retold
from ..network import Endpoint, Fault, Network
from ..occasions import Note, no_note

CRASH = "the curator says that its machine has crashed"


class Liar(Endpoint):
    """A curator that says what its attacks say; what it decides by is another thing (`lying`).

    attacks: `equivocate`: tell `target` of a session in which ballots have no salt. `crash`: count,
    then say that it failed. `lie-marginals`: publish small crowds as part of the largest one.
    notes: say that an attack is carried out. lying: what it decides by.
    """

    def __init__(
        self,
        network: Network,
        party: str,
        attacks: Collection[str],
        target: str | None,
        notes: Mapping[str, Note],
        lying: "Lying | None",
    ) -> None:
        super().__init__(network, party)
        self.attacks = attacks
        self.target = target
        self.notes = notes
        self.lying = lying

    def _note(self, attack: str) -> None:
        """Say that an attack is carried out."""
        self.notes.get(attack, no_note)(self.network.instruments)

    async def post(self, body: Body) -> None:
        """Post honestly, but tell the target another announcement, or crash before the count."""
        if "crash" in self.attacks and isinstance(body, Tally):
            self._note("crash")
            raise RoundBurned(CRASH)
        if "lie-marginals" in self.attacks and isinstance(body, Tally) and body.counts is not None:
            said = replace(body, counts=tuple(merged(count) for count in body.counts))
            if said != body:
                self._note("lie-marginals")
            body = said
        if isinstance(body, Call | Decision):
            for attack in self.lying.changed if self.lying else ():
                self._note(attack)
        await super().post(body)
        if "equivocate" in self.attacks and isinstance(body, Announcement) and self.target:
            unguarded = replace(body.rules, tokens=False, challenge=False)
            unsalted = replace(unguarded, audit=False, salted=False)
            told = replace(body, rules=unsalted)
            self._note("equivocate")
            self.network.show(self.target, Retold(self.network.stream, told))


@dataclass(frozen=True, slots=True)
class Lying(Strategy):
    """A strategy that is not the announced one.

    Attributes:
        honest: the announced one.
        attacks: `lie`: keep every column, and certify it with the proof for fewer. `lie-marginals`:
            decide as if small crowds were part of the largest one.
        changed: those attacks by which it has decided otherwise than it would have.
    """

    honest: Strategy
    attacks: Collection[str]
    changed: set[str] = field(default_factory=set)

    def _heard(self, heard: Sequence[RoundResult]) -> Sequence[RoundResult]:
        if "lie-marginals" not in self.attacks:
            return heard
        said = [
            replace(result, counts=tuple(merged(count) for count in result.counts))
            for result in heard
        ]
        if said != list(heard):
            self.changed.add("lie-marginals")
        return said

    def ask(self, schema: Schema, heard: Sequence[RoundResult]) -> Call | None:
        """Ask as the announced one, of what it says it has read."""
        return self.honest.ask(schema, self._heard(heard))

    def decide(self, schema: Schema, heard: Sequence[RoundResult]) -> Decision:
        """Decide likewise, and perhaps keep every column for all that."""
        decision = self.honest.decide(schema, self._heard(heard))
        every = tuple(range(len(schema.features)))
        if "lie" not in self.attacks or decision.kept == every:
            return decision
        self.changed.add("lie")
        return replace(decision, kept=every)


def lying(honest: DecisionRule | Strategy, *attacks: str) -> Lying | None:
    """Give what a curator decides by who commits these attacks; None: by the announced rule."""
    changed = {"lie", "lie-marginals"} & set(attacks)
    return Lying(strategy_of(honest), attacks) if changed else None


def merged(count: Counts) -> Counts:
    """Add every crowd of less than a quarter of the people to the largest one."""
    total = sum(count.values())
    large = Counter({cell: many for cell, many in count.items() if 4 * many >= total})
    if count:
        large[max(sorted(count), key=lambda cell: count[cell])] += total - large.total()
    return large


def liar(
    *attacks: str,
    target: str | None = None,
    notes: Mapping[str, Note] | None = None,
    lying: Lying | None = None,
) -> Fault:
    """Give the fault of a curator that commits these attacks.

    notes: say that an attack is carried out. lying: what it decides by; None: by the announced
    rule.
    """
    return lambda network, party: Liar(network, party, attacks, target, notes or {}, lying)

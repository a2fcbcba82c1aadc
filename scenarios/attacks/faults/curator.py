"""Misbehaviour of a curator: lies about its rule or its counts, equivocation, a claimed crash."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ....errors import RoundBurned
from ....protocol.board.strategies import DecisionRule, RoundResult, Strategy, strategy_of
from ....protocol.wire.announcement import Announcement
from ....protocol.wire.messages import Body, Call, Counts, Decision, Tally
from ....protocol.wire.schema import Schema
from ....roles.network.board_stream import Retold
from ....roles.network.memory_network import Endpoint, Fault, Network
from ....roles.occasions import Note, no_note

CRASH = "the curator says that its machine has crashed"

MakeStrategy = Callable[[Strategy], Strategy]  # announced strategy -> deviating strategy


class Liar(Endpoint):
    """The network access of a malicious curator, which changes its posts.

    Its decisions come from `lying`, the curator's deviating strategy (None if honest).

    attacks: `equivocate`: show `target` a session in which ballots have no salt. `crash`: count,
    then claim a failure. `lie-marginals`: publish small equivalence classes as part of the largest.
    notes: record that an attack is carried out, by attack.
    """

    def __init__(
        self,
        network: Network,
        party: str,
        attacks: Collection[str],
        target: str | None,
        notes: Mapping[str, Note],
        lying: "Lying | OwnStrategy | None",
    ) -> None:
        """Join the network as a curator that commits these attacks. Arguments as in the class."""
        super().__init__(network, party)
        self.attacks = attacks
        self.target = target
        self.notes = notes
        self.lying = lying

    def _note(self, attack: str) -> None:
        """Record that an attack is carried out."""
        self.notes.get(attack, no_note)(self.network.instruments)

    async def post(self, body: Body) -> None:
        """Post a message as the attacks require.

        They change counts, abort before the count, or show the target another announcement.
        """
        if "crash" in self.attacks and isinstance(body, Tally):
            self._note("crash")
            raise RoundBurned(CRASH)
        if "lie-marginals" in self.attacks and isinstance(body, Tally) and body.counts is not None:
            false_tally = replace(body, counts=tuple(merged(count) for count in body.counts))
            if false_tally != body:
                self._note("lie-marginals")
            body = false_tally
        if isinstance(body, Call | Decision):
            for attack in self.lying.changed if self.lying else ():
                self._note(attack)
        await super().post(body)
        if "equivocate" in self.attacks and isinstance(body, Announcement) and self.target:
            unguarded = replace(body.rules, tokens=False, challenge=False)
            unsalted = replace(unguarded, audit=False, salted=False)
            false_announcement = replace(body, rules=unsalted)
            self._note("equivocate")
            self.network.show(self.target, Retold(self.network.stream, false_announcement))


@dataclass(frozen=True, slots=True)
class Lying(Strategy):
    """A curator's strategy with the attacks `lie` and `lie-marginals`.

    Attributes:
        honest: the announced strategy.
        attacks: `lie`: keep every column, and certify it with the proof for fewer. `lie-marginals`:
            decide as if small equivalence classes were part of the largest.
        changed: the attacks that have changed a call or a decision.
    """

    honest: Strategy
    attacks: Collection[str]
    changed: set[str] = field(default_factory=set)

    def _claimed_results(self, round_results: Sequence[RoundResult]) -> Sequence[RoundResult]:
        """Return the results that the curator claims: for `lie-marginals`, with merged counts."""
        if "lie-marginals" not in self.attacks:
            return round_results
        claimed_results = [
            replace(result, counts=tuple(merged(count) for count in result.counts))
            for result in round_results
        ]
        if claimed_results != list(round_results):
            self.changed.add("lie-marginals")
        return claimed_results

    def ask(self, schema: Schema, heard: Sequence[RoundResult]) -> Call | None:
        """Return the announced strategy's next call (query of a round), from the claimed counts."""
        return self.honest.ask(schema, self._claimed_results(heard))

    def decide(self, schema: Schema, heard: Sequence[RoundResult]) -> Decision:
        """Return the decision from the claimed counts.

        For the attack `lie`, with every column released.
        """
        decision = self.honest.decide(schema, self._claimed_results(heard))
        every = tuple(range(len(schema.features)))
        if "lie" not in self.attacks or decision.kept == every:
            return decision
        self.changed.add("lie")
        return replace(decision, kept=every)


@dataclass(frozen=True, slots=True)
class OwnStrategy(Strategy):
    """The strategy of an attack, compared with the strategy that it replaces.

    Attributes:
        honest: the strategy that it replaces.
        attack_strategy: the strategy of the attack.
        attack: the name of the attack.
        changed: attacks by which the curator has asked or decided otherwise than announced.
    """

    honest: Strategy
    attack_strategy: Strategy
    attack: str
    changed: set[str] = field(default_factory=set)

    def ask(self, schema: Schema, heard: Sequence[RoundResult]) -> Call | None:
        """Return the call (query of a round) of the attack, and record if it differs."""
        call = self.attack_strategy.ask(schema, heard)
        if self.attack not in self.changed and call != self.honest.ask(schema, heard):
            self.changed.add(self.attack)
        return call

    def decide(self, schema: Schema, heard: Sequence[RoundResult]) -> Decision:
        """Return the decision of the attack, and record if it differs from the honest decision."""
        decision = self.attack_strategy.decide(schema, heard)
        if self.attack not in self.changed and decision != self.honest.decide(schema, heard):
            self.changed.add(self.attack)
        return decision


def lying(
    honest: DecisionRule | Strategy,
    *attacks: str,
    strategies: Mapping[str, MakeStrategy] | None = None,
) -> Lying | OwnStrategy | None:
    """Return the strategy of a curator that commits these attacks; None: the announced rule.

    honest: the announced rule. strategies: attack -> the attack's strategy, made from the strategy
    that it replaces.
    """
    strategy: Lying | OwnStrategy | None = None
    changed: set[str] = set()
    if {"lie", "lie-marginals"} & set(attacks):
        strategy = Lying(strategy_of(honest), attacks, changed)
    for attack, make in (strategies or {}).items():
        replaced = strategy or strategy_of(honest)
        strategy = OwnStrategy(replaced, make(replaced), attack, changed)
    return strategy


def merged(count: Counts) -> Counts:
    """Return the counts with every class under a quarter of the people moved to the largest."""
    total = sum(count.values())
    large = Counter({cell: people for cell, people in count.items() if 4 * people >= total})
    if count:
        large[max(sorted(count), key=lambda cell: count[cell])] += total - large.total()
    return large


def liar(
    *attacks: str,
    target: str | None = None,
    notes: Mapping[str, Note] | None = None,
    lying: Lying | OwnStrategy | None = None,
) -> Fault:
    """Return the fault of a curator that commits these attacks.

    notes: record that an attack is carried out. lying: its strategy; None: the announced rule.
    """
    return lambda network, party: Liar(network, party, attacks, target, notes or {}, lying)

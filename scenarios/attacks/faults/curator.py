"""Misbehaviour of a curator: it breaks its announced rule, falsifies counts, or equivocates.

It can also claim a crash after it has counted.
"""

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

# returns the attack's strategy that replaces a given strategy
MakeStrategy = Callable[[Strategy], Strategy]


class Liar(Endpoint):
    """The network access of a malicious curator, which changes its posts.

    attacks: `equivocate` shows `target` a session in which ballots have no salt. `crash` counts,
    then claims a failure. `lie-marginals` publishes people in small equivalence classes as members
    of the largest class. notes: attack -> function that records that the attack is carried out.
    lying: the curator's deviating strategy, which has made its decisions; None if the strategy is
    honest.
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
        """Join the network as a curator with these attacks.

        attacks: the names of the attacks. target: the user that `equivocate` deceives. notes:
        attack -> function that records that the attack is carried out. lying: the curator's
        deviating strategy; None: it follows the announced strategy.
        """
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

        An attack changes the published counts, aborts before they are posted, or shows the target
        another announcement.
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
        attacks: `lie`: release every column, with the certificate of the columns that the announced
            strategy releases. `lie-marginals`: decide as if people in small equivalence classes
            were in the largest class.
        changed: the attacks that have changed a query or a decision.
    """

    honest: Strategy
    attacks: Collection[str]
    changed: set[str] = field(default_factory=set)

    def _claimed_results(self, round_results: Sequence[RoundResult]) -> Sequence[RoundResult]:
        """Return the claimed results: for `lie-marginals`, without small equivalence classes."""
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
        """Return the announced strategy's next query of a round, from the claimed counts.

        The claimed counts differ from the true counts for the attack `lie-marginals`. heard: the
        true results of the rounds so far.
        """
        return self.honest.ask(schema, self._claimed_results(heard))

    def decide(self, schema: Schema, heard: Sequence[RoundResult]) -> Decision:
        """Return the announced strategy's decision, from the counts that the curator claims.

        The claimed counts differ from the true counts for the attack `lie-marginals`. For the
        attack `lie`, the decision releases every column. heard: the true results of the rounds so
        far.
        """
        decision = self.honest.decide(schema, self._claimed_results(heard))
        every = tuple(range(len(schema.features)))
        if "lie" not in self.attacks or decision.kept == every:
            return decision
        self.changed.add("lie")
        return replace(decision, kept=every)


@dataclass(frozen=True, slots=True)
class OwnStrategy(Strategy):
    """The strategy of an attack, which records where it differs from the strategy that it replaces.

    Attributes:
        honest: the replaced strategy.
        attack_strategy: the strategy of the attack.
        attack: the name of the attack.
        changed: names of attacks that have changed a query or a decision.
    """

    honest: Strategy
    attack_strategy: Strategy
    attack: str
    changed: set[str] = field(default_factory=set)

    def ask(self, schema: Schema, heard: Sequence[RoundResult]) -> Call | None:
        """Return the attack's query of a round, and record whether the honest query differs.

        heard: the results of the rounds so far.
        """
        call = self.attack_strategy.ask(schema, heard)
        if self.attack not in self.changed and call != self.honest.ask(schema, heard):
            self.changed.add(self.attack)
        return call

    def decide(self, schema: Schema, heard: Sequence[RoundResult]) -> Decision:
        """Return the attack's decision, and record whether it differs from the honest decision.

        heard: the results of the rounds so far.
        """
        decision = self.attack_strategy.decide(schema, heard)
        if self.attack not in self.changed and decision != self.honest.decide(schema, heard):
            self.changed.add(self.attack)
        return decision


def lying(
    honest: DecisionRule | Strategy,
    *attacks: str,
    strategies: Mapping[str, MakeStrategy] | None = None,
) -> Lying | OwnStrategy | None:
    """Return the strategy of a curator that commits these attacks; None if no attack changes it.

    honest: the announced rule. strategies: attack -> function that turns the strategy which the
    attack replaces into the attack's strategy.
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
    """Return the counts with all classes below a quarter of the people moved to the largest."""
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

    target: the user that `equivocate` deceives. notes: attack -> function that records that the
    attack is carried out. lying: the curator's strategy; None: the announced rule.
    """
    return lambda network, party: Liar(network, party, attacks, target, notes or {}, lying)

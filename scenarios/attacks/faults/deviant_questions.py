"""The queries of a malicious curator: joint counts of columns that its announced rule forbids."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from ....protocol.board.strategies import RoundResult, Strategy, legal, strategy_of
from ....protocol.search.deviation import Action, Deviation
from ....protocol.wire import parties
from ....protocol.wire.hiding_rules import Mask
from ....protocol.wire.messages import Call, Decision
from ....protocol.wire.parties import Role
from ....protocol.wire.schema import Schema
from ....roles.cast import Cast
from .deviation import Deviations


@dataclass(frozen=True, slots=True)
class Overasking(Strategy):
    """A curator's strategy that requests the widest column groups that the board accepts.

    It does so in the rounds of a deviation. Otherwise it follows the announced strategy, which sees
    only the counts of rounds before the first deviation.

    Attributes:
        honest: the announced strategy.
        cast: the session, with the release program and rule that fix the legal queries.
        deviations: the strategy of the coalition, which records the changed rounds.
    """

    honest: Strategy
    cast: Cast
    deviations: Deviations

    def ask(self, schema: Schema, heard: Sequence[RoundResult]) -> Call | None:
        """Return the widest legal query in a round of a deviation, else the announced query.

        schema: the columns. heard: the results of the rounds so far.
        """
        number, calls = len(heard) + 1, [result.call for result in heard]
        due = self.honest.ask(schema, self._honest_results(heard))
        # The honest strategy sees only the rounds before the first deviation. If its query is for
        # an earlier round, that query was posted already, and none is due.
        if due is not None and due.round != number:
            due = None
        means = any(deviation.is_in(number) for deviation in self._call_deviations())
        for call in _calls(schema, calls) if means else ():
            if call != due and self._is_legal(schema, calls, call):
                self.deviations.deviant_rounds.add(number)
                return call
        return due

    def _is_legal(self, schema: Schema, calls: Sequence[Call], call: Call) -> bool:
        """Whether the bulletin board accepts a query (call) after the earlier queries."""
        return legal(self.cast.program, schema, calls, None, call, self.cast.policy.rule)

    def decide(self, schema: Schema, heard: Sequence[RoundResult]) -> Decision:
        """Return the announced strategy's decision, from the rounds before the first deviation.

        heard: the results of the rounds so far.
        """
        return self.honest.decide(schema, self._honest_results(heard))

    def _call_deviations(self) -> Iterator[Deviation]:
        """Yield the deviations of the coalition that concern the curator's queries."""
        return self.deviations.deviations_by(parties.CURATOR, Action.ASK)

    def _honest_results(self, round_results: Sequence[RoundResult]) -> Sequence[RoundResult]:
        """Return the results of the rounds before the curator first broke its rule."""
        first = min(self.deviations.deviant_rounds, default=len(round_results) + 1)
        return round_results[: first - 1]


def _calls(schema: Schema, calls: Sequence[Call]) -> Iterator[Call]:
    """Yield queries of a round (calls) that the curator could post, the widest column groups first.

    calls: the queries of earlier rounds.
    """
    number = len(calls) + 1
    columns = range(len(schema.features))
    masks = {rule.column: rule for call in calls for rule in call.hidden if isinstance(rule, Mask)}
    hidden = tuple(masks[column] for column in sorted(masks))
    for width in range(len(columns), 1, -1):
        yield Call(number, Role.CURATOR, tuple(combinations(columns, width)), hidden)


def questions(cast: Cast, deviations: Deviations) -> Strategy | None:
    """Return the curator's strategy with its deviating queries.

    Without such deviations, the strategy in the session's inputs (`cast.lies`) is returned; None:
    the curator follows the announced strategy.
    """
    if not any(True for _ in deviations.deviations_by(parties.CURATOR, Action.ASK)):
        return cast.lies
    return Overasking(strategy_of(cast.lies or cast.decide), cast, deviations)

"""The release program `pairs`: at most two columns, of largest weight, within max_exposure.

Most published tables have two columns, and cells of few columns are large. `exposure` releases as
many columns as its exposure bound allows. `pairs` releases at most two columns, of largest total
weight with a bound within max_exposure. Among tables of equal weight it takes the table with the
lowest bound, then the first.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace as changed

from ...populations.facts import ScenarioFacts
from ...schema.model import Policy, Scenario
from ...schema.problems import Problem, problem
from ..capabilities import WeighedChoice
from ..curated.program import BoundDecision, Decided
from ..weights import column_weights

if TYPE_CHECKING:
    from ....protocol.board.strategies import Strategy
    from ....protocol.wire.messages import Counts, Decision
    from ....protocol.wire.schema import Schema
    from ..interface import ConsideredColumns, Session

MAX_COLUMNS = 2  # most columns of a cross table (counts of two columns together)


def cross_table(
    policy: Policy, schema: "Schema", counts: Sequence[Sequence[int]], new_people: int | None
) -> tuple[int, ...]:
    """Return the released columns, at most two; () if no table is safe.

    counts: for each column, the people with each value, zeros of a public domain included.
    new_people: the number of people in round 2 if they are other people; None: the same people.
    """
    from ..curated.rule_names import PLAIN, PRICED
    from ..curated.rules import bound, named_rule

    rule, gains = named_rule(policy, new_people, schema), column_weights(policy, schema.names)
    allowed = [j for j, name in enumerate(schema.names) if name not in policy.forbidden]
    required = {schema.column(name) for name in policy.required}
    tables = []
    for size in range(1, MAX_COLUMNS + 1):
        for columns in filter(required.issubset, combinations(allowed, size)):
            ranking = PLAIN if rule == PRICED else rule
            proof = bound(ranking, [counts[j] for j in columns], policy.k)
            tables.append((-sum(gains[j] for j in columns), proof.value, columns, proof))
    tables.sort(key=lambda table: table[:3])
    if rule != PRICED:
        safe = (columns for _, value, columns, _ in tables if value <= policy.max_exposure)
        return next(safe, ())
    from ....analysis.suppression.priced_choice import Priced

    priced = Priced.from_marginals(counts, policy.k, policy.max_exposure)
    return priced.first((columns, proof.people) for _, _, columns, proof in tables) or ()


class PairDecision(BoundDecision):
    """The decision of the release program `pairs`: by exposure bounds of columns and pairs."""

    def options(
        self,
        policy: Policy,
        schema: "Schema",
        counts: "Sequence[Counts] | None",
        new_people: int | None,
    ) -> "tuple[ConsideredColumns, ...]":
        """Return every column and every pair of columns, each with its exposure bound.

        counts: the counts of round 1, by column; None: it was not counted. new_people: the number
        of people in round 2 if they are other people; None: the same people.
        """
        options = super().options(policy, schema, counts, new_people)
        return tuple(option for option in options if len(option.columns) <= MAX_COLUMNS)

    def considered(self, session: "Session") -> "tuple[ConsideredColumns, ...]":
        """Return every column and every pair of columns of a session, with exposure bounds."""
        considered = super().considered(session)
        return tuple(option for option in considered if len(option.columns) <= MAX_COLUMNS)


class PairsProgram(Decided):
    """The release program `pairs`: it releases a cross table of at most two columns."""

    kind = "pairs"
    capabilities = (PairDecision(), WeighedChoice())
    note = "the best cross table of two columns"

    def check(self, scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:
        """Yield a problem for more than two required columns, and the problems of `Decided`."""
        if len(scenario.policy.required) > MAX_COLUMNS:
            message = 'kind = "pairs" releases two columns at most; require no more'
            yield problem(("policy", "required"), message)
        yield from super().check(scenario, facts)

    def strategy(self, scenario: Scenario, others: int | None) -> "Strategy":
        """Return the strategy that chooses at most two columns from the counts of single columns.

        others: the number of people in round 2 if they are other people; None: the same people.
        """
        from ....protocol.wire.messages import Decision
        from ..curated.rules import BySingles, as_certificate, bound, choose, listed, named_rule

        policy = scenario.policy

        def decide(schema: "Schema", counts: Sequence[Sequence[int]], people: int) -> "Decision":
            """Return the decision to release one column, two columns or no column.

            counts: for each column, the people with each value. people: respondents of round 1.
            """
            value_counts = listed(schema, counts)
            released_columns = cross_table(policy, schema, value_counts, others)
            rule = named_rule(policy, others, schema)
            proof: Any
            if released_columns:
                proof = bound(rule, [value_counts[column] for column in released_columns], policy.k)
            else:
                empty_policy = changed(policy, required=(), forbidden=schema.names)
                proof = choose(empty_policy, rule, schema, value_counts).certificate
            return Decision(released_columns, as_certificate(proof, policy, others or people))

        return BySingles(decide, policy)

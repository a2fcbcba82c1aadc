"""The release program `informative`: it releases the columns of largest total entropy.

The program `exposure` releases as many columns as its exposure bound allows; a nearly constant
column counts there as much as a column that distinguishes people. Here the weight of a column is
its entropy H, in bits a person,

    H = - sum over values v of p_v log2 p_v,    p_v the share of people with v in round 1,

and the set of largest total weight with an exposure bound within max_exposure is released. The
joint entropy of the released columns is at most the sum of their entropies (equal if they are
independent). Counts of single columns do not determine the difference.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...populations.facts import ScenarioFacts
from ...schema.model import Scenario
from ...schema.problems import Problem, problem
from ..curated.program import Decided

if TYPE_CHECKING:
    from ....protocol.board.strategies import Strategy
    from ....protocol.wire.messages import Decision
    from ....protocol.wire.schema import Schema


def bits(count: Sequence[int]) -> float:
    """Return the entropy of a column in bits per person; 0 without people.

    count: the number of people with each value.
    """
    from ....analysis.estimation import entropy

    people = sum(count)
    return float(entropy([number / people for number in count], unit="bits")) if people else 0.0


class Informative(Decided):
    """The release program `informative`: it releases the columns of largest total entropy."""

    kind = "informative"
    note = "the columns of largest total entropy"

    def check(self, scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:
        """Yield a problem for weights: this release program computes the weights itself."""
        for key, setting in (
            ("weights", scenario.policy.weights),
            ("prefer", scenario.policy.prefer),
        ):
            if setting:
                message = f'kind = "informative" weighs columns by their entropy; leave {key} out'
                yield problem(("policy", key), message)
        yield from super().check(scenario, facts)

    def strategy(self, scenario: Scenario, others: int | None) -> "Strategy":
        """Return the strategy that weighs each column by its entropy in the counts of round 1.

        others: the number of people in round 2 if they are other people; None: the same people.
        """
        from msgspec.structs import replace

        from ....protocol.wire.messages import Decision
        from ..curated.rules import BySingles, as_certificate, choose, listed, named_rule

        policy = scenario.policy

        def decide(schema: "Schema", counts: Sequence[Sequence[int]], people: int) -> "Decision":
            """Return the safe columns of largest total entropy. people: respondents of round 1.

            counts: for each column, the people with each value.
            """
            value_counts = listed(schema, counts)
            column_bits = dict(zip(schema.names, map(bits, value_counts), strict=True))
            rule = named_rule(policy, others, schema)
            choice = choose(replace(policy, weights=column_bits), rule, schema, value_counts)
            return Decision(
                choice.kept, as_certificate(choice.certificate, policy, others or people)
            )

        return BySingles(decide, policy)

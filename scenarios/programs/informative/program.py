"""The columns that tell most: each weighs the bits that its counts of round 1 say it carries.

Where `exposure` keeps as many columns as it can promise for, a column that is the same for nearly
everybody counts there as much as one that tells people apart. Here a column weighs its entropy,

    H = - sum over values v of p_v log2 p_v,    p_v the share of v in round 1, in bits a person,

and the heaviest set within the promise is kept. The joint entropy of what is kept is at most the
sum of its columns' (equal where they are independent); single columns do not tell by how much.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...populations.facts import Facts
from ...schema.model import Policy as Section
from ...schema.model import Scenario
from ...schema.problems import Problem, problem
from ..two_round.program import Decided

if TYPE_CHECKING:
    from ....protocol.messages import Decision
    from ....protocol.programs import Strategy
    from ....protocol.schema import Schema


def bits(count: Sequence[int]) -> float:
    """The entropy of a column in bits a person, from how many have each value; 0 for nobody."""
    from ....analysis.estimation import entropy

    people = sum(count)
    return float(entropy([number / people for number in count], unit="bits")) if people else 0.0


class Informative(Decided):
    """The heaviest set of columns within the promise, each weighed by what it tells."""

    kind = "informative"
    note = "the columns that tell most"

    def check(self, scenario: Scenario, facts: Facts) -> Iterator[Problem]:
        """Weights are what it finds."""
        for key, given in (
            ("weights", scenario.policy.weights),
            ("prefer", scenario.policy.prefer),
        ):
            if given:
                message = f'kind = "informative" weighs columns by what they tell; leave {key} out'
                yield problem(("policy", key), message)
        yield from super().check(scenario, facts)

    def strategy(self, scenario: Scenario, others: int | None) -> "Strategy":
        """Decide from the counts of single columns."""
        from msgspec.structs import replace

        from ....protocol.messages import Decision
        from ..two_round.rules import BySingles, as_certificate, choose, listed, named_rule

        policy = scenario.policy

        def decide(schema: "Schema", counts: Sequence[Sequence[int]], people: int) -> "Decision":
            everything = listed(schema, counts)
            told = dict(zip(schema.names, map(bits, everything), strict=True))
            rule = named_rule(policy, others, schema)
            choice = choose(replace(policy, weights=told), rule, schema, everything)
            return Decision(
                choice.kept, as_certificate(choice.certificate, policy, others or people)
            )

        return BySingles(decide, policy)

    def decides(self, policy: Section) -> str:
        """What is kept, in a clause."""
        return f"it keeps the features that tell most, by the rule {policy.rule}"

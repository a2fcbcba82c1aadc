"""A release program: it releases the column with the lowest certified bound."""

from collections.abc import Sequence

from veilmix.protocol.wire.messages import Decision
from veilmix.protocol.wire.schema import Schema
from veilmix.scenarios.programs.curated import rules
from veilmix.scenarios.programs.curated.program import Decided
from veilmix.scenarios.schema.model import Policy, Scenario


class SafestColumn(Decided):
    """Release the safest column, or no column."""

    kind = compared = "one"
    note = "the safest column alone"

    def decides(self, policy: Policy) -> str:
        """Return a clause that says which columns are released."""
        return f"it keeps the safest feature alone, by the rule {policy.rule}"

    def strategy(self, scenario: Scenario, others: int | None) -> rules.BySingles:
        """Decide from the counts of single columns."""
        policy = scenario.policy

        def decide(schema: Schema, counts: Sequence[Sequence[int]], people: int) -> Decision:
            rule = rules.named_rule(policy, others, schema)
            proofs = [
                rules.bound(rule, [count], policy.k) for count in rules.listed(schema, counts)
            ]
            best = min(range(len(proofs)), key=lambda column: proofs[column].people)
            if proofs[best].value > policy.max_exposure:
                return rules.release_nothing(policy, others or people)
            return Decision((best,), rules.as_certificate(proofs[best], policy, others or people))

        return rules.BySingles(decide, policy)

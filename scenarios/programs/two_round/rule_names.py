"""The names of the rules that a policy may decide by, and which one a policy means.

`margins` is the default: the smaller of what prices prove (analysis/composition/margins_bound.py)
and the coverage bound, which anybody checks with whole numbers alone.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from ...schema.model import Policy

PRICED = "margins"
PLAIN = "coverage"
CARRIED_OVER = (PLAIN, "refined")  # rules that hold, with confidence, for other people
OWN = (PRICED, PLAIN)  # what a policy may say whose program has a proof of its own: the default
CARRIED: Mapping[str, str] = {PRICED: PLAIN}  # what stands in for a rule where others are promised


def policy_for(policy: Policy, *, people_counted: bool) -> Policy:
    """The policy with the rule that it means.

    Prices are of tables with the very counts, so of people who were not counted the default rule
    promises what coverage does.
    """
    rule = policy.rule if people_counted else CARRIED.get(policy.rule, policy.rule)
    return policy if rule == policy.rule else replace(policy, rule=rule)

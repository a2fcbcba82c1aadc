"""The names of the rules, methods that bound the exposure of a release, and the rule of a policy.

`margins` is the default: the smaller of two bounds. The first is proved by prices (dual variables
of a linear relaxation of the worst case, analysis/composition/margins_bound.py). The second is the
coverage bound, a count of the cells of common values (coverage.py in that folder), which readers
check with whole numbers alone.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from ...schema.model import Policy

PRICED = "margins"
PLAIN = "coverage"
PERSONS = "persons"  # the rule where persons have several rows (persons.py)
CARRIED_OVER = (PLAIN, "refined")  # rules that also bound the exposure of people outside the counts
# values of `rule` that a scenario may have if its release program proves decisions without a rule
OWN_PROOF_RULES = (PRICED, PLAIN)
# rule -> the rule used in its place if the released people are not in the counts
CARRIED: Mapping[str, str] = {PRICED: PLAIN}


def policy_for(policy: Policy, *, people_counted: bool) -> Policy:
    """Return a policy with a rule (a method that bounds exposure) for the people of the release.

    people_counted: whether the people of the release are the people of round 1. The rule `margins`
    holds only for tables with exactly the given counts. For other people it is replaced by the
    coverage bound, a count of the cells of common values.
    """
    rule = policy.rule if people_counted else CARRIED.get(policy.rule, policy.rule)
    return policy if rule == policy.rule else replace(policy, rule=rule)

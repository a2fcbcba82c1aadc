"""The names of the rules that bound the exposure of a release, and the rule that a policy implies.

`margins` is the default: the smaller of the bound proved by prices (dual variables of a linear
relaxation of the worst case, analysis/composition/margins_bound.py) and the coverage bound (a count
of the cells of common values, coverage.py there), which readers check with whole numbers alone.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from ...schema.model import Policy

PRICED = "margins"
PLAIN = "coverage"
PERSONS = "persons"  # the rule where persons have several rows (persons.py)
CARRIED_OVER = (PLAIN, "refined")  # rules with a bound for people who were not counted
OWN_PROOF_RULES = (PRICED, PLAIN)  # rules accepted by a program with its own proof
CARRIED: Mapping[str, str] = {PRICED: PLAIN}  # rule that replaces another for people not counted


def policy_for(policy: Policy, *, people_counted: bool) -> Policy:
    """Return a policy with a rule (a method that bounds exposure) for the people of the release.

    people_counted: whether they are the people of round 1. The rule `margins` holds only for tables
    with exactly the given counts; for other people the coverage bound, a count of the cells of
    common values, replaces it.
    """
    rule = policy.rule if people_counted else CARRIED.get(policy.rule, policy.rule)
    return policy if rule == policy.rule else replace(policy, rule=rule)

"""Release programs with a choice of columns by the curator, from the counts of single columns.

kind       released columns
exposure   the set of largest total weight with a bound on exposure within max_exposure
fixed      the columns that the scenario names, at any exposure bound
all        every column, at any exposure bound
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...populations.facts import ScenarioFacts
from ...schema.model import Policy, Scenario
from ...schema.problems import Problem, problem
from ..capabilities import FixedColumns, RuleDecision, WeighedChoice
from .program import BoundDecision, Decided
from .rule_names import PERSONS

if TYPE_CHECKING:
    from ....protocol.wire.announcement import AnnouncedPolicy
    from ....protocol.wire.schema import Schema
    from ..dropped_columns import UnreleasedColumn
    from ..interface import Session


class PolicyDecision(BoundDecision, RuleDecision):
    """The decision of the release program `exposure`: by exposure bounds of all column sets."""

    def dropped(self, session: "Session") -> "tuple[UnreleasedColumn, ...]":
        """Return each suppressed column of a session with the limits that would admit it."""
        if session.settings.rows is not None:
            from .persons import dropped as of_persons

            return of_persons(session)
        from .options import dropped

        return dropped(session)

    def unreleased(
        self, policy: Policy, rule: str, schema: "Schema", counts: Sequence[Sequence[int]]
    ) -> "Iterator[UnreleasedColumn]":
        """Yield each suppressed column with the max_exposure, and the k, that would admit it.

        rule: the name of the method that bounds exposure. counts: for each column by itself, the
        people with each value.
        """
        from .options import unreleased

        return unreleased(policy, rule, schema, counts)


class NamedColumns(FixedColumns):
    """The fixed columns of the release program `fixed`: the list `keep` of [policy]."""

    keys = ("keep",)

    def columns(self, policy: Policy, schema: "Schema") -> tuple[str, ...]:  # noqa: ARG002
        """Return the columns named in `keep` of the policy."""
        return policy.keep


class AllColumns(FixedColumns):
    """The fixed columns of the release program `all`: every column."""

    def columns(self, policy: Policy, schema: "Schema") -> tuple[str, ...]:  # noqa: ARG002
        """Return the names of all columns."""
        return schema.names


class ExposureProgram(Decided):
    """The release program `exposure`: it releases the safe set of columns of largest total weight.

    A set is safe if the proved share of exposed people is at most max_exposure.
    """

    kind = "exposure"
    capabilities = (PolicyDecision(), WeighedChoice())

    def policy(self, scenario: Scenario) -> "AnnouncedPolicy":
        """Return the announced policy of the release program.

        If each person may have several rows, the announced rule is `persons`, an exposure bound for
        them.
        """
        announced = super().policy(scenario)
        several = scenario.population.rows is not None
        return replace(announced, rule=PERSONS) if several else announced

    def proof(self, policy: Policy) -> str:
        """Return the name of the rule that bounds the exposure, as it is announced."""
        return policy.rule


class Fixed(Decided):
    """The release program `fixed`: it releases the columns named in the scenario."""

    kind = "fixed"
    capabilities = (BoundDecision(), NamedColumns())

    def check(self, scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:
        """Yield a problem for a missing `keep`, and those of release programs with a curator."""
        if not scenario.policy.keep:
            message = 'missing; kind = "fixed" releases the features named in keep'
            yield problem(("policy", "keep"), message)
        yield from super().check(scenario, facts)


class ReleaseAll(Decided):
    """The release program `all`: it releases every column, at any exposure bound."""

    kind = "all"
    capabilities = (BoundDecision(), AllColumns())

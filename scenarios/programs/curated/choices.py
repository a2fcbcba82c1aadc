"""Programs with a choice of columns by the curator, from the counts of single columns.

kind       columns kept
exposure   the heaviest set with a bound on exposed people within max_exposure
fixed      the columns that the scenario names, for any bound
all        every column
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...populations.facts import ScenarioFacts
from ...schema.model import Policy, Scenario
from ...schema.problems import Problem, problem
from .program import Decided

if TYPE_CHECKING:
    from ....protocol.wire.schema import Schema
    from ..dropped_columns import UnreleasedColumn
    from ..interface import Session


class ExposureProgram(Decided):
    """A program that releases the heaviest set of columns within the promised exposure."""

    kind = "exposure"
    by_rule = True
    on_paper = True

    def proof(self, policy: Policy) -> str:
        """Return the rule that bounds the exposure."""
        return policy.rule

    def dropped(self, session: "Session") -> "tuple[UnreleasedColumn, ...]":
        """Return the limits that would admit each suppressed column."""
        if session.scenario.population.rows is not None:
            from .persons import dropped as of_persons

            return of_persons(session)
        from .options import dropped

        return dropped(session)


class Fixed(Decided):
    """A program that releases the columns that the scenario names."""

    kind = "fixed"
    chooses = False
    listed = True
    on_paper = True
    largest = None

    def fixed_columns(self, policy: Policy, schema: "Schema") -> tuple[str, ...] | None:  # noqa: ARG002
        """Return the columns named in `keep`."""
        return policy.keep

    def check(self, scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:
        """Report a missing `keep`, and the problems of all programs of this family."""
        if not scenario.policy.keep:
            message = 'missing; kind = "fixed" releases the features named in keep'
            yield problem(("policy", "keep"), message)
        yield from super().check(scenario, facts)


class ReleaseAll(Decided):
    """A program that releases every column."""

    kind = "all"
    chooses = False
    on_paper = True
    largest = None

    def fixed_columns(self, policy: Policy, schema: "Schema") -> tuple[str, ...] | None:  # noqa: ARG002
        """Return the names of all columns."""
        return schema.names

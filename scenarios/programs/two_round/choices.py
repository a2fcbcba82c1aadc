"""Programs whose curator decides what is released, from the counts of single columns.

kind       columns kept
exposure   the heaviest set whose bound on exposed people is within max_exposure
fixed      those the scenario names, whatever the bound says
all        every one
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...populations.facts import Facts
from ...schema.model import Policy as Section
from ...schema.model import Scenario
from ...schema.problems import Problem, problem
from . import text
from .program import Decided

if TYPE_CHECKING:
    from ....protocol.schema import Schema
    from ..dropped import Dropped
    from ..interface import Session


class Exposure(Decided):
    """The heaviest set of columns within the promise."""

    kind = "exposure"
    by_rule = True
    on_paper = True

    def stage_rule(self, policy: Section) -> str:
        """What may be released at all."""
        return text.stage_rule(policy)

    def proof(self, policy: Section) -> str:
        """The rule that bounds the exposure."""
        return policy.rule

    def dropped(self, session: "Session") -> "tuple[Dropped, ...]":
        """What it would take to keep each column that is not."""
        from .options import dropped

        return dropped(session)


class Fixed(Decided):
    """The columns that the scenario names."""

    kind = "fixed"
    chooses = False
    listed = True
    on_paper = True
    largest = None

    def fixed_columns(self, policy: Section, schema: "Schema") -> tuple[str, ...] | None:  # noqa: ARG002
        """Those named in keep."""
        return policy.keep

    def check(self, scenario: Scenario, facts: Facts) -> Iterator[Problem]:
        """It needs names."""
        if not scenario.policy.keep:
            message = 'missing; kind = "fixed" releases the features named in keep'
            yield problem(("policy", "keep"), message)
        yield from super().check(scenario, facts)

    def decides(self, policy: Section) -> str:
        """What is kept, in a clause."""
        return f"it keeps {', '.join(policy.keep)}, whatever the bound says"

    def promise(self, scenario: Scenario) -> str:  # noqa: ARG002
        """None."""
        return text.UNPROMISED


class All(Decided):
    """Every column."""

    kind = "all"
    chooses = False
    on_paper = True
    largest = None

    def fixed_columns(self, policy: Section, schema: "Schema") -> tuple[str, ...] | None:  # noqa: ARG002
        """Every one."""
        return schema.names

    def decides(self, policy: Section) -> str:  # noqa: ARG002
        """What is kept, in a clause."""
        return "it keeps every feature, whatever the bound says"

    def promise(self, scenario: Scenario) -> str:  # noqa: ARG002
        """None."""
        return text.UNPROMISED

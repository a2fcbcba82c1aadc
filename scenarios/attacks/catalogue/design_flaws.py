"""The design errors of a scenario: the guards that it announces to be off."""

from ....protocol.wire.announcement import Flaw
from ...schema.model import Scenario
from .registry import GUARDS


def flaws(scenario: Scenario) -> tuple[Flaw, ...]:
    """The design errors of a scenario, in the order of the wire."""
    left_out = {guard.flaw for guard in GUARDS.values() if guard.flaw and not guard.is_on(scenario)}
    return tuple(flaw for flaw in Flaw if flaw.value in left_out)

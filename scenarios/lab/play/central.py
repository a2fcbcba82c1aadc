"""Playing a scenario with central parties: message code is loaded only if messages are sent."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...attacks.catalogue.strikes import Faults
from ...populations.samples import Samples
from ...programs.interface import Mode, Played, Report
from ...schema.model import Scenario

if TYPE_CHECKING:
    from ....roles.network.instruments import Instrument


def play_central(
    scenario: Scenario,
    crowd: Samples,
    faults: Faults,
    seed: int | None,
    mode: Mode,
    instruments: "Sequence[Instrument]" = (),
    report: Report = lambda _: None,
    **more: Any,
) -> Played:
    """Play a scenario with central parties. more: arguments of `play_real`."""
    if mode == "real":
        from .real import play_real

        return play_real(scenario, crowd, faults, seed, instruments, report, **more)
    from .ideal import play_ideal

    return play_ideal(scenario, crowd, faults, seed)

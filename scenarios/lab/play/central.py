"""The play of a scenario with central parties (curator, analyst, shufflers).

The code for messages is imported only if messages are sent, so that ideal runs load faster.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...programs.interface import Mode, Played, Report
from .session_plan import SessionPlan

if TYPE_CHECKING:
    from ....roles.network.instruments import Instrument


def play_central(
    plan: SessionPlan,
    seed: int | None,
    mode: Mode,
    instruments: "Sequence[Instrument]" = (),
    report: Report = lambda _: None,
    **more: Any,
) -> Played:
    """Return the outcome of a session with central parties, with or without messages.

    mode: "real" (with messages) or "ideal". more: further arguments of `play_real`. instruments:
    observers of the messages and events.
    """
    if mode == "real":
        from .real import play_real

        return play_real(plan, seed, instruments, report, **more)
    from .ideal import play_ideal

    return play_ideal(plan, seed)

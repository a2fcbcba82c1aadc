"""veilmix: a laboratory for releasing data about people without trusting anyone with the data.

`veilmix.run(scenario)` plays a scenario and returns its `Outcome`; `veilmix.analysis` holds the
numbers. Nothing is imported until it is asked for (PEP 562), so that `import veilmix` costs nothing
and no tool that imports this folder under another name makes a second copy of anything.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .scenarios.play.run import run as run
    from .scenarios.scoring.outcome import Outcome as Outcome

__version__ = "0.1.0"
__all__ = ["Outcome", "__version__", "run"]

_HOMES = {"run": "scenarios.play.run", "Outcome": "scenarios.scoring.outcome"}


def __getattr__(name: str) -> Any:
    """Import a public name from its home at first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'veilmix' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"veilmix.{_HOMES[name]}"), name)

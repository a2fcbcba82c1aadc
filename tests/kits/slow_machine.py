"""A machine that is many times slower: every clock that veilmix can read runs that much faster.

The solver never reads a clock (docs/adr/0081), so nothing of it changes.
"""

import sys
import time
from collections.abc import Callable

import pytest

CLOCKS = ("perf_counter", "monotonic", "process_time", "thread_time")


def slow_down(patch: pytest.MonkeyPatch, times: float) -> None:
    """Make every clock run so many times as fast, in all modules of veilmix that are imported."""
    faster = {getattr(time, name): _faster(getattr(time, name), times) for name in CLOCKS}
    for name in CLOCKS:
        patch.setattr(time, name, faster[getattr(time, name)])
    for module in [each for name, each in sys.modules.items() if name.startswith("veilmix")]:
        for name, value in list(vars(module).items()):
            if callable(value) and _hashable(value) and value in faster:
                patch.setattr(module, name, faster[value])


def _hashable(value: object) -> bool:
    return type(value) is type(time.time)


def _faster(clock: Callable[[], float], times: float) -> Callable[[], float]:
    start = clock()
    return lambda: start + times * (clock() - start)

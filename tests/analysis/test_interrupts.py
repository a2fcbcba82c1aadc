"""Ctrl-C ends what takes long, at a step that is counted and not timed."""

import gc
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest
from veilmix.analysis import composition, incidence, information, randomizers, shuffled
from veilmix.analysis.shuffled import amplification, compose_reports

OWN = "veilmix"  # the package, with which the names of its modules begin
PRIOR, GRR = [0.5, 0.5], randomizers.GRR(2, 1.0)

# Calls that take long, and a step of each at which Ctrl-C is pressed. A step is a call that
# veilmix's own code makes or receives; each has more than twice as many.
LENGTHY: dict[str, tuple[int, Callable[[], Any]]] = {
    "finite_information": (
        100,
        lambda: information.finite_information(GRR, PRIOR, 9_000, method="exact", tally=False),
    ),
    "report_epsilon": (
        1_000,
        lambda: amplification.report_epsilon(10**6, randomizers.GRR(1000, 3.0), 1e-6),
    ),
    "hockey_stick": (10_000, lambda: shuffled.hockey_stick(10**6, 0.3, 0.003, bits=6)),
    "estimate": (10_000, lambda: incidence.estimate([50] * 61, 0.5, method="bayes", rng=0)),
    "compose_reports": (10_000, lambda: compose_reports([GRR] * 3, [10**5] * 3, 1e-6)),
    "posterior": (
        10_000,
        lambda: information.posterior(
            randomizers.GRR(12, 1.0), [0.5] * 12, list(range(50, 4850, 400)), draws=20_000, rng=1
        ),
    ),
    "average_privacy": (
        5_000,
        lambda: information.average_privacy(
            np.random.default_rng(1).dirichlet(np.ones(2000), 400).T, [0.5] * 400
        ),
    ),
    "worst_case": (
        10_000,
        lambda: composition.worst_case(
            [np.bincount(np.random.default_rng(k).integers(0, k, 20_000)) for k in (9, 7, 15, 6)],
            10,
        ),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LENGTHY)
def test_what_takes_long_can_be_interrupted(name: str) -> None:
    """At a step of its own: so it has as many, and does not go on when it hears Ctrl-C."""
    step, call = LENGTHY[name]
    taken = 0

    def press(frame: FrameType, event: str, _: object) -> None:
        nonlocal taken
        if event in ("call", "c_call") and frame.f_globals.get("__name__", "").startswith(OWN):
            taken += 1
            if taken == step:
                signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.disable()  # hypothesis listens to it, and what is raised there is lost
    try:
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012
            sys.setprofile(press)
            call()
            sys.setprofile(None)
            pytest.fail(f"{name} has {taken:,} steps of its own; the interrupt comes at {step:,}")
    finally:
        sys.setprofile(None)
        gc.enable()
        signal.signal(signal.SIGINT, before)

"""Figure 2 of paper 002: average privacy at one level of worst-case privacy, by number of inputs.

Average privacy is the share of the information in a person's value that a report leaves hidden. All
protocols have the local epsilon 2, so the same worst-case privacy e^-2. The distribution of values
has a Jeffreys prior. The paper's figure shows small numbers of inputs a (possible values); here a
goes to 1,000, where unary encoding has 2^1000 outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ParameterError
from .. import drawing
from ..information import average_privacy, jeffreys
from ..randomizers import GRR, UnaryEncoding
from ..validation import Floats, brief
from .parameters import (
    Progress,
    positive_numbers,
    stage_of,
    title_of,
    whole_numbers,
)
from .registry import Check, Material, Numbers, Redrawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EPSILON = 2.0  # local epsilon of all protocols in nats, as in the paper's caption
INPUTS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 50, 70, 100, 200, 300, 500, 700, 1000)
MOST_INPUTS = 10_000
Protocols = Mapping[str, Callable[[int, float], Any]]
PROTOCOLS: Protocols = {
    "GRR": GRR,
    "basic RAPPOR": UnaryEncoding.rappor,
    "OUE": UnaryEncoding.oue,
    "BLH": UnaryEncoding.blh,
}


@dataclass(frozen=True, slots=True, eq=False)
class ByInputs:
    """The average privacy of each protocol, for each number of inputs.

    Average privacy is the share of the information in a person's value that a report leaves hidden.

    Attributes:
        epsilon: local epsilon of all protocols, in nats.
        inputs: numbers of possible values.
        privacy: average privacy S of each protocol, 0 to 1, at each of `inputs`.
    """

    epsilon: float
    inputs: tuple[int, ...]
    privacy: dict[str, Floats]

    @property
    def worst_case(self) -> float:
        """The worst-case privacy of all protocols, e^-epsilon: 1 hides all, 0 discloses all."""
        return exp(-self.epsilon)

    def best(self, at: int) -> str:
        """Return the protocol with the most average privacy for `inputs[at]` possible values."""
        return max(self.privacy, key=lambda name: float(self.privacy[name][at]))


def protocols_of(protocols: Protocols | None) -> Protocols:
    """Return checked protocols: by name, a function of the number of inputs and epsilon.

    None stands for the four protocols of the paper: GRR, basic RAPPOR, OUE and BLH.
    """
    needs = "a dictionary of functions (inputs, epsilon) -> randomizer by name, at least one"
    if protocols is None:
        return PROTOCOLS
    if not isinstance(protocols, Mapping) or not protocols:
        raise ParameterError(f"protocols: found {brief(protocols)}; needs {needs}")
    for name, make in protocols.items():
        if not isinstance(name, str) or not callable(make):
            raise ParameterError(f"protocols: found {brief(name)}: {brief(make)}; needs {needs}")
    return protocols


def by_inputs(
    inputs: tuple[int, ...] = INPUTS, epsilon: float = EPSILON, protocols: Protocols = PROTOCOLS
) -> ByInputs:
    """Compute the average privacy of each protocol at each number of inputs.

    Average privacy is the share of the information in a person's value that a report leaves hidden.

    Args:
        inputs: the numbers of inputs a (possible values), each >= 2.
        epsilon: local epsilon of every protocol, nats.
        protocols: by name, functions of a and epsilon that return a randomizer.
    """
    privacy = {
        name: np.array([average_privacy(make(a, epsilon), jeffreys(a)) for a in inputs])
        for name, make in protocols.items()
    }
    return ByInputs(epsilon, inputs, privacy)


def average_privacy_figure(
    *,
    inputs: Sequence[int] = INPUTS,
    epsilon: float = EPSILON,
    protocols: Protocols | None = None,
    progress: Progress | None = None,
) -> Redrawn:
    """Return the average privacy of protocols with one worst case, against the number of inputs.

    Average privacy is the share of the information in a person's value that a report leaves hidden,
    with a Jeffreys prior of the distribution of values. The worst-case privacy at local epsilon is
    e^-epsilon.

    Args:
        inputs: numbers of inputs a, different, ascending, each 2 to 10,000, two or more.
        epsilon: local epsilon of each protocol, nats, > 0.
        protocols: by name a function of (a, epsilon) that returns a randomizer, or its matrix
            (reports x inputs), with that local epsilon. None: GRR, basic RAPPOR, OUE and BLH.
        progress: called with a description of each stage.

    Returns:
        The frame "figure2": for each a the average privacy of each protocol and the worst case, 0
        to 1. Checks only for the inputs, epsilon and protocols of the defaults.

    Raises:
        ParameterError: inputs, epsilon or protocols are out of range, or a protocol is no
            randomizer of a inputs.

    Source:
        Paper 002, Figure 2, with Propositions 10.1 and 10.3.
    """
    numbers = whole_numbers(inputs, "inputs", 2, MOST_INPUTS, min_count=2)
    if list(numbers) != sorted(numbers):
        raise ParameterError(f"inputs: found {brief(list(numbers))}; needs ascending numbers")
    (level,) = positive_numbers([epsilon], "epsilon")
    stage_of(progress)(f"figure 2: average privacy up to {numbers[-1]:,} inputs")
    curves = by_inputs(numbers, level, protocols_of(protocols))
    redrawn = protocols is None and (numbers, level) == (INPUTS, EPSILON)
    title = title_of("002", "2", f"privacy at epsilon = {level:g}", redrawn=redrawn)
    checks = tuple(_checks(curves)) if redrawn else ()
    return Redrawn("figure2", (_numbers(curves),), checks, lambda: draw(curves, title))


def privacy_figure(material: Material) -> Redrawn:
    """Redraw Figure 2 of paper 002: the share of a value's information that a report hides."""
    return average_privacy_figure(inputs=INPUTS, epsilon=EPSILON, progress=material.progress)


@drawing.styled
def draw(curves: ByInputs, title: str) -> Figure:
    """Draw the average privacy of each protocol by number of inputs, and their worst-case privacy.

    Average privacy is the share of the information in a value that a report hides; worst-case
    privacy is e^-epsilon.
    """
    from matplotlib.ticker import FuncFormatter, NullFormatter

    figure, (ax,) = drawing.new(7.2, 4.6)
    protocol_count = len(curves.privacy)
    for (name, values), (colour, style) in zip(
        curves.privacy.items(), drawing.styles(len(curves.privacy)), strict=True
    ):
        ax.plot(curves.inputs, values, color=colour, linestyle=style, label=name)
    ax.axhline(
        curves.worst_case,
        color=drawing.BLACK,
        linewidth=1,
        label="worst case, all four" if protocol_count == 4 else "worst case",
    )
    ax.set_xscale("log")
    ax.set_xlim(curves.inputs[0], curves.inputs[-1])
    ax.set_ylim(0, 1.02)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ticks = (2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
    ax.set_xticks([a for a in ticks if curves.inputs[0] <= a <= curves.inputs[-1]])
    ax.set_xlabel("a (number of inputs)")
    ax.set_ylabel("share of what is private that stays hidden")
    ax.legend(loc="center right")
    figure.suptitle(title, fontsize=11)
    return figure


def _numbers(curves: ByInputs) -> Numbers:
    """Return the table of average and worst-case privacy: a row for each number of inputs."""
    columns = [curves.inputs, *(values.tolist() for values in curves.privacy.values())]
    rows = [(*row, curves.worst_case) for row in zip(*columns, strict=True)]
    return Numbers("figure2", ("a", *curves.privacy, "worst_case"), rows)


def _checks(curves: ByInputs) -> list[Check]:
    """Return the comparisons of the curves with the statements of the paper."""
    gaps = {name: np.diff(values) for name, values in curves.privacy.items()}
    falling = [name for name, gap in gaps.items() if gap.min() < 0]
    winners = [curves.best(i) for i in range(len(curves.inputs))]
    last = max((i for i, name in enumerate(winners) if name != "GRR"), default=-1)
    from_here = curves.inputs[last + 1] if last + 1 < len(winners) else None
    ends = ", ".join(f"{name} {values[-1]:.4f}" for name, values in curves.privacy.items())
    return [
        Check(
            "2",
            "the gap between average and worst case",
            "section 10.4",
            "only grows with a",
            f"falls somewhere for {', '.join(falling)}" if falling else "grows for all four",
            not falling,
        ),
        Check(
            "2",
            "most average privacy for large a",
            "section 10.4",
            "GRR",
            f"GRR from a = {from_here} on" if from_here else "not GRR",
            from_here is not None,
        ),
        Check(
            "2", f"average privacy at a = {curves.inputs[-1]:,}", "figure", "not shown", ends, None
        ),
    ]

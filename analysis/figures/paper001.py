"""Three figures of one-bit reports through a mix, which paper 001 announces without showing.

The figures are computed from formulas, without simulation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .. import drawing
from ..shuffled import Figure, coverage_figure, crowd_figure, privacy_ratio_figure
from ..validation import crowd
from .parameters import positive_numbers, whole_numbers
from .registry import Material, Numbers, Redrawn, ResearchPaper

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

# people and lie probability, chosen here because the paper shows no parameters
PEOPLE, NOISE = 200, 0.25
DELTA = 1e-6
SIZES = tuple(2**i for i in range(1, 21))
USERS, EPSILONS = 1000, (0.05, 0.1, 0.2, 0.4)


def outcome_ratio_figure(*, n: int = PEOPLE, q: float = NOISE) -> Redrawn:
    """Return the log privacy ratio of each count of reported bits 1, and the law of that count.

    Each of n people reports a bit through a mix and lies with probability q. The ratio is the
    probability of a count if one person has a 0, over that if the person has a 1. It is far from 1
    only at counts that are unlikely.

    Args:
        n: people, >= 1.
        q: lie probability, 0 < q <= 1/2.

    Returns:
        The frame "privacy-ratio": if 0, (n - 1) // 2 or n - 1 of the other people have a 1, the log
        ratio (nats) at each share s / n of reported bits 1; and the probability of s, scaled so
        that its maximum is half of the local epsilon. No checks: the paper has no such figure.

    Raises:
        ParameterError: n or q is out of range.

    Source:
        Paper 001, announced without a figure; `veilmix.analysis.shuffled.privacy_ratio_figure` has
        the same numbers as curves.
    """
    return _line_figure(privacy_ratio_figure(crowd(n), q))


def crowd_epsilon_figure(
    *, q: float = NOISE, delta: float = DELTA, sizes: Sequence[int] = SIZES
) -> Redrawn:
    """Return epsilon after shuffling against the number of people.

    Each person reports a bit through a mix and lies with probability q. The local epsilon does not
    depend on other people; the epsilon after shuffling falls as people join.

    Args:
        q: lie probability, 0 < q <= 1/2.
        delta: probability with which epsilon may be exceeded, in (0, 1).
        sizes: numbers of people, each >= 1.

    Returns:
        The frame "crowd": for each number of people the local epsilon and two epsilons after
        shuffling, in nats. "Probabilistic": the log ratio exceeds epsilon with probability at most
        delta; "hockey-stick": (epsilon, delta)-differential privacy. No checks: the paper has no
        such figure.

    Raises:
        ParameterError: q, delta or a size is out of range.

    Source:
        Paper 001, announced without a figure; `veilmix.analysis.shuffled.crowd_figure` has the same
        numbers as curves.
    """
    return _line_figure(crowd_figure(q, delta, whole_numbers(sizes, "sizes", 1)))


def noise_coverage_figure(*, n: int = USERS, epsilons: Sequence[float] = EPSILONS) -> Redrawn:
    """Return the probability that the log privacy ratio exceeds epsilon, by lie probability.

    Each of n people reports a bit through a mix. The privacy ratio is the probability of a count of
    reported bits 1 if one person has a 0, over that if the person has a 1. The probability is the
    largest over all possible bits of the people.

    Args:
        n: people, >= 1.
        epsilons: privacy losses in nats, > 0; a line each.

    Returns:
        The frame "coverage": for each epsilon and each of 49 lie probabilities from 0.01 to 0.49,
        the probability, which is 1 - coverage; rows below 1e-15 are left out. No checks: the paper
        has no such figure.

    Raises:
        ParameterError: n or an epsilon is out of range.

    Source:
        Paper 001, announced without a figure; `veilmix.analysis.shuffled.coverage_figure` has the
        same numbers as curves.
    """
    return _line_figure(coverage_figure(crowd(n), positive_numbers(epsilons, "epsilons")))


def _line_figure(figure: Figure) -> Redrawn:
    """Return a figure of lines as a `Redrawn`, without checks: the paper has no such figure."""
    numbers = Numbers(figure.name, figure.columns, tuple(figure.rows()))
    return Redrawn(figure.name, (numbers,), (), lambda: _draw(figure))


@drawing.styled
def _draw(figure: Figure) -> Canvas:
    """Draw a figure of lines in the colours and styles of veilmix's figures."""
    canvas, (ax,) = drawing.new(7.2, 4.6)
    figure.plot(ax)
    for line, (colour, style) in zip(ax.lines, drawing.styles(len(ax.lines)), strict=True):
        line.set(color=colour, linestyle=style)
    if len(ax.lines) > 1:
        ax.legend()
    return canvas


def _ratio(material: Material) -> Redrawn:
    """Draw the log privacy ratio of each count of reported bits 1, with default parameters.

    The ratio is the probability of the count if one person has a 0, over that if the person has a
    1.
    """
    material.progress("figure privacy-ratio")
    return outcome_ratio_figure(n=PEOPLE, q=NOISE)


def _crowd(material: Material) -> Redrawn:
    """Draw epsilon after shuffling against the number of people, with the default parameters."""
    material.progress("figure crowd")
    return crowd_epsilon_figure(q=NOISE, delta=DELTA, sizes=SIZES)


def _coverage(material: Material) -> Redrawn:
    """Draw the probability that the privacy ratio exceeds epsilon, with the default parameters."""
    material.progress("figure coverage")
    return noise_coverage_figure(n=USERS, epsilons=EPSILONS)


PAPER = ResearchPaper(
    "K-randomization: one-bit and L-bit reports through a mix",
    {
        "ratio": ("the privacy ratio over the outcome space", _ratio),
        "crowd": ("epsilon against population size: the crowd protects", _crowd),
        "coverage": ("coverage against the lie probability q", _coverage),
    },
)

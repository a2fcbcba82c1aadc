"""An attack, a population, a randomizer, a score and a figure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray
from veilmix import Frame
from veilmix.analysis.randomizers import Pure
from veilmix.analysis.randomizers.neighbour_laws import Neighbours, symbol_neighbours
from veilmix.scenarios.attacks.catalogue.attack import USER, Attack, by_some
from veilmix.scenarios.attacks.catalogue.measures import moved
from veilmix.scenarios.lab.scoring.figure_plugins import OwnFigure
from veilmix.scenarios.lab.scoring.result import Result
from veilmix.scenarios.lab.scoring.score_plugins import Score
from veilmix.scenarios.populations.generated import Generator

FIB = Attack(
    by=USER,
    does="says something else",
    remedy="nothing: each of them moves a count by one",
    scenario="attack-poison",
    unit="people by whom a count is moved",
    measure=moved,
    reads=("users", "share"),
    trials={"": by_some()},
    forges=True,
)

Numbers = NDArray[np.int64]


def lopsided(levels: int, n: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """Draw a column in which nine people in ten have the first value."""
    return np.where(rng.random(n) < 0.9, 0, rng.integers(0, levels, n)).astype(np.int32)


LOPSIDED = Generator("generated: nine in ten have the first value", lopsided)


def smallest(result: Result) -> float | None:
    """Return the size of the smallest released combination; None without a release."""
    counts = result.release.counts if result.release else ()
    return min((float(row[-1]) for row in counts), default=None)


SMALLEST = Score("people", smallest, "who share the rarest released values")


def largest(result: Result) -> Frame | None:
    """Return the five largest combinations of the release; None without a release."""
    if not result.release or not result.release.counts:
        return None
    rows = sorted(result.release.counts, key=lambda row: -int(row[-1]))[:5]
    values = tuple(" and ".join(map(str, row[:-1])) for row in rows)
    return Frame({"values": values, "people": tuple(int(row[-1]) for row in rows)})


def bars(numbers: Frame) -> Figure:
    """Draw people for each combination."""
    figure = Figure(figsize=(6, 3), layout="constrained")
    figure.add_subplot(xlabel="people").barh(numbers["values"], numbers["people"])
    return figure


LARGEST = OwnFigure("People in the five largest combinations of the release.", largest, bars)


@dataclass(frozen=True)
class ReportedValue(Pure):
    """k-ary randomized response.

    Attributes:
        a: number of values.
        epsilon: of a report, in nats.
    """

    a: int
    epsilon: float  # pyright: ignore[reportIncompatibleMethodOverride]

    def __str__(self) -> str:
        return f"ReportedValue(a={self.a}, epsilon={self.epsilon:g})"

    @property
    def inputs(self) -> int:
        """Number of values."""
        return self.a

    @property
    def outputs(self) -> int:
        """Number of reports."""
        return self.a

    @property
    def truth(self) -> float:
        """Probability of the own value."""
        return exp(self.epsilon) / (exp(self.epsilon) + self.a - 1)

    @property
    def lie(self) -> float:
        """Probability of a given other value."""
        return (1 - self.truth) / (self.a - 1)

    def _columns(self) -> NDArray[np.float64]:
        return np.where(np.eye(self.a) > 0, self.truth, self.lie)

    def sample(self, x: ArrayLike, rng: np.random.Generator | int | None = None) -> Numbers:
        """Draw a report for each value."""
        coins, values = np.random.default_rng(rng), np.asarray(x)
        is_true = coins.random(values.size) < self.truth - self.lie
        return np.where(is_true, values, coins.integers(0, self.a, values.size))

    def tally(self, reports: Numbers) -> tuple[Numbers, int]:
        """Return the reports of each value, and the number of all reports."""
        return np.bincount(reports, minlength=self.a), len(reports)

    def supports(self, reports: Numbers) -> NDArray[np.bool_]:
        """Return a mask of the values that each report supports, shape (reports, a)."""
        return np.asarray(reports[:, None] == np.arange(self.a))

    def neighbours(self) -> list[Neighbours]:
        """Return the laws of two people with different values, for the bounds after shuffling."""
        return [symbol_neighbours(self.a, self.truth, self.lie)]

    @property
    def text_width(self) -> int:
        """Number of characters of a report."""
        return len(f"{self.a - 1:x}")

    def encode(self, reports: Numbers, domain: Sequence[str]) -> list[str]:
        """Write reports, in hexadecimal."""
        return [f"{report:0{self.text_width}x}" for report in reports.tolist()]

    def decode(self, texts: Sequence[str]) -> Numbers:
        """Read reports; a text that is no report is left out."""
        return np.array([n for text in texts if (n := int(text, 16)) < self.a], np.int64)

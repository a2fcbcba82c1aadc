"""Linkability and inference: how often whoever sees the rows of a release is right about somebody.

    inference     knows somebody's other columns, takes one of the nearest rows in them, and guesses
                  that row's value of the column sought
    linkability   has two files on the same people with different columns; links two entries if
                  the nearest rows to both are the same row of the release

Both are expectations over which of several nearest rows is taken: no attack is drawn at random. For
those whose columns some row of the release has, the nearest rows are a cell, and counting cells is
enough: with c people in a cell, and s of them with the same value too, inference is right with
chance s / c; with cells of a and b people that have s in common, linkability with s / (a b). For
the others, rows are compared (nearest.py): all people, or a sample where those would be too many.

The control is people who are not in the release: another table, or the same people, each left out
in turn (`control="left-out"`). Guessing without the release takes a value as often as it occurs in
it (inference), or a row (linkability).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..exposure.cells import as_table
from .nearest import Codes, Floats, Near, Numbers, neighbours
from .rates import Attack, Rate

SEED = 0x67756573  # of the samples
MOST = 4e9  # comparisons of one cell with another; beyond, people are sampled
LEFT_OUT: Literal["left-out"] = "left-out"
Control = ArrayLike | Literal["left-out"] | None


@dataclass(frozen=True, slots=True)
class Inference:
    """Guess a column from others.

    Attributes:
        sought: the number of the column that is guessed.
        known: the numbers of those that it is guessed from.
    """

    sought: int
    known: tuple[int, ...]

    def of_cells(self, counted: "Counted") -> tuple[Floats, NDArray[np.bool_]]:
        """Each person's chance where its cell is in the release, and whether it is."""
        whole = counted.people((*self.known, self.sought))
        cell = counted.people(self.known)
        return np.divide(whole, cell, out=np.zeros(len(cell)), where=cell > 0), cell > 0

    def of_rows(self, near: Near) -> float:
        """A person's chance from the nearest rows."""
        places = near.nearest(self.known)
        weights = near.weights[places]
        same = near.rows[places, self.sought] == near.codes[self.sought]
        return float(weights[same].sum() / weights.sum())

    def by_chance(self, release: Codes, people: Codes) -> float:
        """How often a value is right that is taken from a random row."""
        size = int(max(release[:, self.sought].max(), people[:, self.sought].max())) + 1
        shares = (np.bincount(table[:, self.sought], minlength=size) for table in (release, people))
        held, wanted = shares
        return float((held / held.sum()) @ (wanted / wanted.sum()))


@dataclass(frozen=True, slots=True)
class Linkability:
    """Link what is known of the same people in two files.

    Attributes:
        first: the numbers of the columns of one file.
        second: the numbers of those of the other.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]

    def of_cells(self, counted: "Counted") -> tuple[Floats, NDArray[np.bool_]]:
        """Each person's chance where both its cells are in the release, and whether they are."""
        both = counted.people((*self.first, *self.second))
        pairs = counted.people(self.first) * counted.people(self.second)
        return np.divide(both, pairs, out=np.zeros(len(pairs)), where=pairs > 0), pairs > 0

    def of_rows(self, near: Near) -> float:
        """A person's chance from the nearest rows."""
        first, second = near.nearest(self.first), near.nearest(self.second)
        both = np.intersect1d(first, second, assume_unique=True)
        weights = (near.weights[places].sum() for places in (both, first, second))
        shared, alone, beside = (float(weight) for weight in weights)
        return shared / alone / beside

    def by_chance(self, release: Codes, people: Codes) -> float:  # noqa: ARG002
        """How often two random rows are the same."""
        return 1 / len(release)


class Counted:
    """Cells of a release, looked up for people.

    Rows are told apart by sums of random 64-bit numbers, one for each value (two different rows
    collide with probability n^2 / 2^64). own: each person is in the release, and is left out.
    """

    def __init__(self, release: Codes, targets: Codes) -> None:
        self.targets = None if targets is release else targets
        both = release if self.targets is None else np.concatenate((release, targets))
        rng = np.random.default_rng(SEED)
        self.marks = [_marked(both[:, j], rng) for j in range(both.shape[1])]
        self.m, self.own = len(release), False
        self.known: dict[frozenset[int], Floats] = {}

    def people(self, columns: Sequence[int]) -> Floats:
        """For each person the rows of the release that agree with it in these columns."""
        asked = frozenset(columns)
        if asked not in self.known:
            self.known[asked] = self._counted(asked)
        return self.known[asked] - 1 if self.own else self.known[asked]

    def _counted(self, columns: frozenset[int]) -> Floats:
        keys = np.zeros(len(self.marks[0]), np.uint64)
        for j in columns:
            keys += self.marks[j]
        _, cells = np.unique(keys, return_inverse=True)
        held = np.bincount(cells[: self.m], minlength=int(cells.max()) + 1)
        return held[cells if self.targets is None else cells[self.m :]].astype(np.float64)


def _marked(column: Codes, rng: np.random.Generator) -> NDArray[np.uint64]:
    """A random number for each value of a column, by row."""
    most = int(column.max())
    if most > len(column):
        _, column = np.unique(column, return_inverse=True)
        most = int(column.max())
    return rng.integers(0, 2**64 - 1, most + 1, np.uint64, endpoint=True)[column]


Question = Inference | Linkability


def ask(
    questions: Sequence[Question],
    release: ArrayLike,
    people: ArrayLike,
    control: Control = None,
    numbers: Numbers | None = None,
    most: float = MOST,
) -> list[Attack]:
    """Attack a release with all questions at once.

    Args:
        questions: what is sought from what; columns are numbers.
        release: m x d codes, a row for each row that was released.
        people: n x d codes in the same coding: those whose rows made the release.
        control: people who are not in it; or `left-out`, where `people` are the release itself.
        numbers: for each column the number of each code (nan: none), or None for a category.
        most: cells that are compared with others at most, about; beyond, people are sampled.

    Raises:
        ParameterError: tables do not fit each other.
    """
    held, targets = as_table(release), as_table(people)
    if held.shape[1] != targets.shape[1] or not len(held) or not len(targets):
        raise ParameterError(f"release, people: found shapes {held.shape} and {targets.shape}")
    counted = Counted(held, held if people is release else targets)
    rates = _rates(questions, counted, held, targets, numbers, most)
    controls: Sequence[Rate | None] = [None] * len(questions)
    if isinstance(control, str):
        if held.shape != targets.shape or len(held) < 2:
            raise ParameterError("control: left-out needs the release of exactly these people")
        counted = counted if counted.targets is None else Counted(held, held)
        counted.own = True
        controls = _rates(questions, counted, held, held, numbers, most)
    elif control is not None:
        outside = as_table(control)
        controls = _rates(questions, Counted(held, outside), held, outside, numbers, most)
    attacks = []
    n = len(targets)
    for question, attack, other in zip(questions, rates, controls, strict=True):
        chance = Rate(question.by_chance(held, targets) * n, n)
        match question:
            case Inference(sought, known):
                attacks.append(Attack("inference", known, (sought,), attack, other, chance))
            case Linkability(first, second):
                attacks.append(Attack("linkability", first, second, attack, other, chance))
    return attacks


def _rates(
    questions: Sequence[Question],
    counted: Counted,
    release: Codes,
    targets: Codes,
    numbers: Numbers | None,
    most: float,
) -> list[Rate]:
    answers = [question.of_cells(counted) for question in questions]
    far = np.zeros(len(targets), np.bool_)
    for _, known in answers:
        far |= ~known
    asked = _sampled(np.flatnonzero(far), release, most)
    chances = np.zeros((len(questions), len(asked)))
    if len(asked):
        people = targets[asked]
        for place, near in enumerate(neighbours(release, people, numbers, own=counted.own)):
            for i, question in enumerate(questions):
                chances[i, place] = question.of_rows(near)
    return [
        _rate(chance, known, asked, chances[i], len(targets))
        for i, (chance, known) in enumerate(answers)
    ]


def _sampled(far: NDArray[np.intp], release: Codes, most: float) -> NDArray[np.intp]:
    """The people whose rows are compared: all, or as many as there is time for."""
    m, d = release.shape
    few = max(20, int(most / (m * d)))
    if len(far) <= few:
        return far
    return np.sort(np.random.default_rng(SEED).choice(far, few, replace=False))


def _rate(
    chance: Floats, known: NDArray[np.bool_], asked: NDArray[np.intp], near: Floats, n: int
) -> Rate:
    """Exact over cells; over rows exact or by sample, which widens the interval."""
    measured = ~known[asked]
    far, some = int((~known).sum()), int(measured.sum())
    if not far:
        return Rate(float(chance.sum()), n)
    mean = float(near[measured].mean()) if some else 0.5
    right = float(chance[known].sum()) + far * mean
    if some == far:
        return Rate(min(right, n), n)
    return Rate(min(right, n), n, 1 / (1 / n + (far / n) ** 2 / max(1, some)))

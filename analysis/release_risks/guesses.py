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
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import ParameterError
from ..exposure.cells import as_table
from .nearest import Codes, Floats, Near, Numbers, neighbours
from .rates import Attack, Rate

SEED = 0x67756573  # of the samples
KEPT = 3  # counts that are kept: a question has as many
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

    def of_cells(self, counted: "CellCounts | LeftOut") -> tuple[Floats, NDArray[np.bool_]]:
        """Each person's chance where its cell is in the release, and whether it is."""
        whole = counted.people((*self.known, self.sought))
        cell = counted.people(self.known)
        return np.divide(whole, cell, out=np.zeros(len(cell)), where=cell > 0), cell > 0

    def of_rows(self, near: Near) -> float:
        """A person's chance from the nearest rows."""
        places = near.nearest(self.known)
        weights = near.weights[places]
        same = near.held(places, self.sought) == near.codes[self.sought]
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

    def of_cells(self, counted: "CellCounts | LeftOut") -> tuple[Floats, NDArray[np.bool_]]:
        """Each person's chance where both its cells are in the release, and whether they are."""
        both = counted.people((*self.first, *self.second))
        first, second = counted.people(self.first), counted.people(self.second)
        pairs = np.multiply(first, second, dtype=np.float64)
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


class CellCounts:
    """Cells of a release, looked up for people.

    Rows are told apart by sums of random 64-bit numbers, one for each value (two different rows
    collide with probability n^2 / 2^64). Of large tables each count is large, so that only the
    last few are kept: questions are asked one after the other.
    """

    def __init__(self, release: Codes, targets: Codes) -> None:
        self.targets = None if targets is release else targets
        both = release if self.targets is None else np.concatenate((release, targets))
        rng = np.random.default_rng(SEED)
        self.marks = [_marked(both[:, j], rng) for j in range(both.shape[1])]
        self.m, self.n = len(release), len(both)
        self.known: dict[frozenset[int], NDArray[np.int32]] = {}

    def people(self, columns: Sequence[int]) -> NDArray[np.int32]:
        """For each person the rows of the release that agree with it in these columns."""
        asked = frozenset(columns)
        people = self.known.pop(asked, None)
        self.known[asked] = self._counted(asked) if people is None else people  # now the last
        while len(self.known) > KEPT:
            del self.known[next(iter(self.known))]
        return self.known[asked]

    def _counted(self, columns: frozenset[int]) -> NDArray[np.int32]:
        keys = np.zeros(self.n, np.uint64)
        for j in columns:
            marks, column = self.marks[j]
            keys += marks[column]
        order = np.argsort(keys)
        keys = keys[order]
        starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
        sizes = np.diff(starts, append=self.n)
        held = sizes if self.targets is None else np.add.reduceat(order < self.m, starts, dtype=int)
        each = np.empty(self.n, np.int32)
        each[order] = np.repeat(held.astype(np.int32), sizes)
        return each if self.targets is None else each[self.m :]


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """The same, each person being in the release and left out of it."""

    counted: CellCounts

    def people(self, columns: Sequence[int]) -> NDArray[np.int32]:
        """For each person the rows of others that agree with it in these columns."""
        return self.counted.people(columns) - np.int32(1)


def _marked(column: Codes, rng: np.random.Generator) -> tuple[NDArray[np.uint64], Codes]:
    """A random number for each value of a column, and the values by row."""
    most = int(column.max())
    if most > len(column):
        _, column = np.unique(column, return_inverse=True)
        most = int(column.max())
    return rng.integers(0, 2**64 - 1, most + 1, np.uint64, endpoint=True), column


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
    counted = CellCounts(held, held if people is release else targets)
    asked = [_Side(counted, targets)]
    if isinstance(control, str):
        if held.shape != targets.shape or len(held) < 2:
            raise ParameterError("control: left-out needs the release of exactly these people")
        others = counted if counted.targets is None else CellCounts(held, held)
        asked.append(_Side(LeftOut(others), held))
    elif control is not None:
        outside = as_table(control)
        asked.append(_Side(CellCounts(held, outside), outside))
    for question in questions:
        for side in asked:
            side.ask(question)
    rates, *rest = [side.rates(questions, held, numbers, most) for side in asked]
    controls: Sequence[Rate | None] = rest[0] if rest else [None] * len(questions)
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


@dataclass(slots=True, eq=False)
class _Side:
    """People who are attacked: those of the release, or of the control.

    Of each question that was asked: what cells tell, as a sum over people, and whose they tell.
    """

    counted: CellCounts | LeftOut
    people: Codes
    right: list[float] = field(default_factory=list)
    known: list[NDArray[np.bool_]] = field(default_factory=list)

    def ask(self, question: Question) -> None:
        """Count cells for a question."""
        chance, known = question.of_cells(self.counted)
        self.right.append(float(chance.sum() if known.all() else chance[known].sum()))
        self.known.append(known)

    def rates(
        self, questions: Sequence[Question], release: Codes, numbers: Numbers | None, most: float
    ) -> list[Rate]:
        """How often each is right: those whom cells tell nothing are compared with rows."""
        far = np.zeros(len(self.people), np.bool_)
        for known in self.known:
            far |= ~known
        asked = _sampled(np.flatnonzero(far), release, most)
        chances = np.zeros((len(questions), len(asked)))
        if len(asked):
            own = isinstance(self.counted, LeftOut)
            near_rows = neighbours(release, self.people[asked], numbers, own=own)
            for place, near in enumerate(near_rows):
                for i, question in enumerate(questions):
                    chances[i, place] = question.of_rows(near)
        return [
            _rate(right, known, asked, chances[i])
            for i, (right, known) in enumerate(zip(self.right, self.known, strict=True))
        ]


def _sampled(far: NDArray[np.intp], release: Codes, most: float) -> NDArray[np.intp]:
    """The people whose rows are compared: all, or as many as there is time for."""
    m, d = release.shape
    few = max(20, int(most / (m * d)))
    if len(far) <= few:
        return far
    return np.sort(np.random.default_rng(SEED).choice(far, few, replace=False))


def _rate(right: float, known: NDArray[np.bool_], asked: NDArray[np.intp], near: Floats) -> Rate:
    """Exact over cells; over rows exact or by sample, which widens the interval."""
    n = len(known)
    measured = ~known[asked]
    far, some = n - int(np.count_nonzero(known)), int(measured.sum())
    if not far:
        return Rate(right, n)
    mean = float(near[measured].mean()) if some else 0.5
    right += far * mean
    if some == far:
        return Rate(min(right, n), n)
    return Rate(min(right, n), n, 1 / (1 / n + (far / n) ** 2 / max(1, some)))

"""Linkability and inference: success rates of an attacker that sees the rows of a release.

    inference     the attacker knows a person's other columns, takes one of the nearest rows in
                  them, and guesses that row's value of the column sought
    linkability   the attacker has two files on the same people with different columns; it links two
                  entries if the nearest rows to both are the same row of the release

Both are expectations over the choice among several nearest rows: no attack is drawn at random. If
a released row has exactly the person's values in the known columns, so has each nearest row, and
counting rows is enough. If c released rows have the person's known values, and s of them also the
sought value, inference is right with probability s / c. If a rows have the person's values of the
first file, b rows the values of the second and s rows both, linkability is right with probability
s / (a b). For people without such rows, distances are computed (nearest.py): for all of them, or a
sample if there are too many.

The control is people outside the release: another table, or the same people, each left out in turn
(`control="left-out"`). Guessing without the release takes a value with its frequency in the release
(inference), or a random row (linkability).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...deprecated import accepts_old, keeps_old
from ...errors import ParameterError
from ..exposure.cells import as_table
from .nearest import Codes, Floats, Near, Numbers, neighbours
from .rates import Rate, ReleaseAttack

SEED = 0x67756573  # seed of the samples, so that results are repeatable
# Most sets of columns with cached counts, because the counts take much memory. An attack reads at
# most three sets, and the control may read the same three again.
CACHE_SIZE = 3
# most comparisons of one value with another; beyond it, people are sampled to save time
MAX_COMPARISONS = 4e9
LEFT_OUT: Literal["left-out"] = "left-out"
Control = ArrayLike | Literal["left-out"] | None
Owners = tuple[NDArray[np.integer] | None, NDArray[np.integer] | None]


@keeps_old(known="known_columns", of_cells="rate_by_cells", of_rows="rate_by_rows")
@dataclass(frozen=True, slots=True)
class Inference:
    """An inference attack: guess a person's value of a column from the person's other columns.

    Attributes:
        sought: the number of the guessed column.
        known_columns: the numbers of the known columns.
    """

    sought: int
    known_columns: tuple[int, ...]

    def rate_by_cells(self, counted: CellCounts | LeftOut) -> tuple[Floats, NDArray[np.bool_]]:
        """Return each attacked person's success probability from counts, and a mask.

        The mask is True if a released row has the person's values in all known columns. Only then
        do counts give the probability: the share of these rows with the person's sought value. The
        probability is 0 where the mask is False. Shape (people,) each.

        counted: numbers of released rows that agree with each attacked person.
        """
        whole = counted.people((*self.known_columns, self.sought))
        cell = counted.people(self.known_columns)
        return np.divide(whole, cell, out=np.zeros(len(cell)), where=cell > 0), cell > 0

    def rate_by_rows(self, near: Near) -> float:
        """Return a person's success probability from the rows nearest in the known columns.

        near: the distances of the released rows from the attacked person.
        """
        places = near.nearest(self.known_columns)
        weights = near.weights[places]
        is_right = near.row_codes(places, self.sought) == near.codes[self.sought]
        return float(weights[is_right].sum() / weights.sum())

    def by_chance(self, release: Codes, people: Codes, weights: Floats | None = None) -> float:
        """Return the probability that a random released row has a random person's value.

        This is the baseline of guessing without an attack.

        release: codes of the released rows.
        people: codes of the attacked people.
        weights: for each row of `people` the weight in drawing a random person; equal if not given.
        """
        size = int(max(release[:, self.sought].max(), people[:, self.sought].max())) + 1
        release_shares = np.bincount(release[:, self.sought], minlength=size)
        target_shares = np.bincount(people[:, self.sought], weights, minlength=size)
        return float(
            (release_shares / release_shares.sum()) @ (target_shares / target_shares.sum())
        )


@keeps_old(of_cells="rate_by_cells", of_rows="rate_by_rows")
@dataclass(frozen=True, slots=True)
class Linkability:
    """A linkability attack: link the entries of one person in two files with different columns.

    The attacker uses the release to link them. Columns are numbered as in the release.

    Attributes:
        first: column numbers of the first file.
        second: column numbers of the second file.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]

    def rate_by_cells(self, counted: CellCounts | LeftOut) -> tuple[Floats, NDArray[np.bool_]]:
        """Return each attacked person's success probability from counts, and a mask.

        The mask is True if some released row has the person's values of the first file, and some
        row has the values of the second. Only then do counts of rows give the probability. The
        probability is 0 where the mask is False. Shape (people,) each.

        counted: numbers of released rows that agree with each attacked person.
        """
        pair_people = counted.people((*self.first, *self.second))
        first, second = counted.people(self.first), counted.people(self.second)
        pairs = np.multiply(first, second, dtype=np.float64)
        return np.divide(pair_people, pairs, out=np.zeros(len(pairs)), where=pairs > 0), pairs > 0

    def rate_by_rows(self, near: Near) -> float:
        """Return a person's success probability from the rows nearest in each file's columns.

        near: the distances of the released rows from the attacked person.
        """
        first, second = near.nearest(self.first), near.nearest(self.second)
        in_both = np.intersect1d(first, second, assume_unique=True)
        weights = (near.weights[places].sum() for places in (in_both, first, second))
        shared, first_weight, second_weight = (float(weight) for weight in weights)
        return shared / first_weight / second_weight

    def by_chance(
        self,
        release: Codes,
        people: Codes,  # noqa: ARG002
        weights: Floats | None = None,  # noqa: ARG002
    ) -> float:
        """Return the probability that a random released row links the right person.

        It is the baseline of guessing without an attack. release: codes of the released rows.
        `people` and `weights` are not used.
        """
        return 1 / len(release)


class CellCounts:
    """Numbers of released rows that agree with each attacked person, in any columns.

    A row is identified by a sum of random 64-bit numbers, a number for each value. Sums can be
    sorted fast, and two of n different rows have equal sums with probability about n^2 / 2^64. The
    arrays are large, so only the last few sets of columns are cached.
    """

    def __init__(self, release: Codes, targets: Codes) -> None:
        """Draw a random number for each value of each column: a sum of them identifies a row.

        release: codes of the released rows.
        targets: codes of the attacked people; the release itself if they are its people.
        """
        self.targets = None if targets is release else targets
        joined_rows = release if self.targets is None else np.concatenate((release, targets))
        rng = np.random.default_rng(SEED)
        self.marks = [_marked(joined_rows[:, j], rng) for j in range(joined_rows.shape[1])]
        self.m, self.n = len(release), len(joined_rows)
        self.cache: dict[frozenset[int], NDArray[np.int32]] = {}

    def people(self, columns: Sequence[int]) -> NDArray[np.int32]:
        """Return the number of released rows that agree with each attacked person in these columns.

        Shape (people,).
        """
        key = frozenset(columns)
        people = self.cache.pop(key, None)
        # The counts go to the end of the cache as the most recently used, because the first are
        # deleted.
        self.cache[key] = self._row_people(key) if people is None else people
        while len(self.cache) > CACHE_SIZE:
            del self.cache[next(iter(self.cache))]
        return self.cache[key]

    def _row_people(self, columns: frozenset[int]) -> NDArray[np.int32]:
        """Count, for each attacked person, the released rows with equal values in these columns."""
        keys = np.zeros(self.n, np.uint64)
        for j in columns:
            marks, column = self.marks[j]
            keys += marks[column]
        order = np.argsort(keys)
        keys = keys[order]
        starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
        sizes = np.diff(starts, append=self.n)
        row_sizes = (
            sizes if self.targets is None else np.add.reduceat(order < self.m, starts, dtype=int)
        )
        row_people = np.empty(self.n, np.int32)
        row_people[order] = np.repeat(row_sizes.astype(np.int32), sizes)
        return row_people if self.targets is None else row_people[self.m :]


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """Numbers of other people's rows that agree with each person: the control.

    The person's own row is left out of the release.

    Attributes:
        counted: numbers of all released rows that agree with each person.
    """

    counted: CellCounts

    def people(self, columns: Sequence[int]) -> NDArray[np.int32]:
        """Return the number of other people's rows that agree with each person in these columns."""
        return self.counted.people(columns) - np.int32(1)


def _marked(column: Codes, rng: np.random.Generator) -> tuple[NDArray[np.uint64], Codes]:
    """Return a random 64-bit number for each value of a column, and the column's codes.

    The sum of a row's numbers over some columns stands for the row's combination of values.
    The codes are renumbered if the largest is above the number of rows, so that few numbers are
    drawn.
    """
    largest_code = int(column.max())
    if largest_code > len(column):
        _, column = np.unique(column, return_inverse=True)
        largest_code = int(column.max())
    return rng.integers(0, 2**64 - 1, largest_code + 1, np.uint64, endpoint=True), column


Question = Inference | Linkability


@accepts_old(most="max_comparisons")
def ask(
    questions: Sequence[Question],
    release: ArrayLike,
    people: ArrayLike,
    control: Control = None,
    numbers: Numbers | None = None,
    max_comparisons: float = MAX_COMPARISONS,
    owners: Owners = (None, None),
) -> list[ReleaseAttack]:
    """Measure the success of inference and linkability attacks on a release, all at once.

    A person with several rows is attacked at one of these rows, each with the same probability.

    Args:
        questions: the attacks, each with the numbers of its known and sought columns.
        release: m x d codes, a row for each released row.
        people: n x d codes in the same coding: the people of the release.
        control: people outside the release; or `left-out`, if `people` are the release itself.
        numbers: for each column the number of each code (nan: no number), or None for a category.
        max_comparisons: approximate limit of the values compared; beyond it, people are sampled.
        owners: the person of each row of the people, and of the control; None: each row is a
            person's own. Not with `left-out`.

    Raises:
        ParameterError: the tables differ in their columns or are empty, or `left-out` is used and
            the release has not one row for each person.
    """
    rows, targets = as_table(release), as_table(people)
    if rows.shape[1] != targets.shape[1] or not len(rows) or not len(targets):
        raise ParameterError(
            f"release, people: found shapes {rows.shape} and {targets.shape}; the same columns and "
            "at least one row each are needed"
        )
    counts = CellCounts(rows, rows if people is release else targets)
    sides = [_Side(counts, targets, person_weights(owners[0]))]
    if isinstance(control, str):
        if rows.shape != targets.shape or len(rows) < 2:
            raise ParameterError(
                "control: found left-out; needs as many rows in release as in people, at least "
                "two, because each person's row in turn is left out of the release"
            )
        left_out = counts if counts.targets is None else CellCounts(rows, rows)
        sides.append(_Side(LeftOut(left_out), rows))
    elif control is not None:
        outside = as_table(control)
        sides.append(_Side(CellCounts(rows, outside), outside, person_weights(owners[1])))
    for question in questions:
        for side in sides:
            side.ask(question)
    rates, *rest = [side.rates(questions, rows, numbers, max_comparisons) for side in sides]
    controls: Sequence[Rate | None] = rest[0] if rest else [None] * len(questions)
    weights = sides[0].weights
    attacks, n = [], len(targets) if weights is None else round(float(weights.sum()))
    for question, attack, control_rate in zip(questions, rates, controls, strict=True):
        chance = Rate(question.by_chance(rows, targets, weights) * n, n)
        match question:
            case Inference(sought, columns):
                attacks.append(
                    ReleaseAttack("inference", columns, (sought,), attack, control_rate, chance)
                )
            case Linkability(first, second):
                attacks.append(
                    ReleaseAttack("linkability", first, second, attack, control_rate, chance)
                )
    return attacks


def person_weights(owner: NDArray[np.integer] | None) -> Floats | None:
    """Return 1 / (number of the person's rows) for each row; None if each row is a person's own.

    owner: the number of the person of each row.
    """
    if owner is None:
        return None
    weights: Floats = 1 / np.bincount(owner)[owner]
    return weights


@dataclass(slots=True, eq=False)
class _Side:
    """The attacked people of one kind: people of the release, or of the control outside it.

    A person is counted by an attack if released rows have exactly the values that the attacker
    knows; then counts of rows give the success. Other people need distances.

    Attributes:
        counted: numbers of released rows that agree with each of these people.
        people: codes of the people's rows.
        weights: weight of each row, 1 for each person in total; None: each row is a person's own.
        right: for each attack the expected successes on the counted people.
        answer_masks: for each attack a mask of the counted people.
    """

    counted: CellCounts | LeftOut
    people: Codes
    weights: Floats | None = None
    right: list[float] = field(default_factory=list)
    answer_masks: list[NDArray[np.bool_]] = field(default_factory=list)

    def ask(self, question: Question) -> None:
        """Add an attack's successes on people with released rows that match the known values.

        A mask of these people is kept, because all other people need distances. question: the
        attack.
        """
        chance, is_answered = question.rate_by_cells(self.counted)
        if self.weights is not None:
            chance = chance * self.weights
        self.right.append(float(chance.sum() if is_answered.all() else chance[is_answered].sum()))
        self.answer_masks.append(is_answered)

    def rates(
        self,
        questions: Sequence[Question],
        release: Codes,
        numbers: Numbers | None,
        work_limit: float,
    ) -> list[Rate]:
        """Return the success rate of each attack.

        If no released row has exactly a person's known values, the rows are compared by distance.

        questions: the attacks that were asked before, in the same order.
        release: codes of the released rows.
        numbers: for each column the number of each code (nan: no number), or None for a category.
        work_limit: approximate limit of the values compared; beyond it, a sample of people is
        compared.
        """
        is_far = np.zeros(len(self.people), np.bool_)
        for is_answered in self.answer_masks:
            is_far |= ~is_answered
        sample = _sampled(np.flatnonzero(is_far), release, work_limit)
        chances = np.zeros((len(questions), len(sample)))
        if len(sample):
            left_out = isinstance(self.counted, LeftOut)
            near_rows = neighbours(release, self.people[sample], numbers, is_member=left_out)
            for place, row_near in enumerate(near_rows):
                for i, question in enumerate(questions):
                    chances[i, place] = question.rate_by_rows(row_near)
        return [
            _rate(right, is_answered, sample, chances[i], self.weights)
            for i, (right, is_answered) in enumerate(
                zip(self.right, self.answer_masks, strict=True)
            )
        ]


def _sampled(far_places: NDArray[np.intp], release: Codes, work_limit: float) -> NDArray[np.intp]:
    """Return the people to compare with rows: all, or as many random people as the limit allows.

    far_places: indices of the people without a released row that has their known values.
    release: codes of the released rows.
    work_limit: approximate limit of the values compared.
    """
    m, d = release.shape
    sample_size = max(20, int(work_limit / (m * d)))
    if len(far_places) <= sample_size:
        return far_places
    return np.sort(np.random.default_rng(SEED).choice(far_places, sample_size, replace=False))


def _rate(
    right: float,
    is_answered: NDArray[np.bool_],
    sample: NDArray[np.intp],
    near_chances: Floats,
    weights: Floats | None = None,
) -> Rate:
    """Return the success rate over all people; sampling widens the interval.

    right: expected successes on people counted by equal rows.
    is_answered: a mask of these people.
    sample: indices of the people that were compared by distance.
    near_chances: success probabilities of the sample.
    weights: weight of each row if a person has several, else None.
    """
    measured = ~is_answered[sample]
    if weights is not None:
        return _person_rate(right, ~is_answered, sample[measured], near_chances[measured], weights)
    n = len(is_answered)
    far_count, measured_count = n - int(np.count_nonzero(is_answered)), int(measured.sum())
    if not far_count:
        return Rate(right, n)
    mean = float(near_chances[measured].mean()) if measured_count else 0.5
    right += far_count * mean
    if measured_count == far_count:
        return Rate(min(right, n), n)
    return Rate(min(right, n), n, 1 / (1 / n + (far_count / n) ** 2 / max(1, measured_count)))


def _person_rate(
    right: float,
    is_far: NDArray[np.bool_],
    sample: NDArray[np.intp],
    near_chances: Floats,
    weights: Floats,
) -> Rate:
    """Return the success rate of persons with several rows.

    right: expected successes on rows counted by equal released rows.
    is_far: a mask of the other rows.
    sample: indices of the other rows that were compared by distance.
    near_chances: success probabilities of the sample.
    weights: weight of each row, 1 for each person in total.
    """
    n = round(float(weights.sum()))
    far, own_weight = float(weights[is_far].sum()), weights[sample]
    measured = float(own_weight.sum())
    if len(own_weight):
        right += far * float((own_weight * near_chances).sum()) / measured
    elif far:
        right += far / 2
    right = min(right, n)
    if len(own_weight) == np.count_nonzero(is_far):
        return Rate(right, n)
    return Rate(right, n, 1 / (1 / n + (far / n) ** 2 / max(1.0, measured)))

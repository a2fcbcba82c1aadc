"""Advice on a table: how coarse to say what, so that few are below k and least is lost.

The search is `analysis.advice`; here columns become ladders, and what was found is put in the words
of a scenario.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np

from ...analysis.advice import Advice, Choice, Ladder, search
from ...analysis.advice.information_kept import Prediction, bits, prediction, two_way_distance
from ...analysis.advice.ladder import entropy
from ...analysis.composition import best_bound
from ...analysis.exposure import joint_counts, users_below
from ...errors import DataError, ParameterError
from ..populations.people import Table, coarse
from ..schema.problems import did_you_mean, listed
from .ladders import Column, column

WIDE = 20  # columns above which other choices are not measured, only the best
SHOWN = 12  # choices that are measured and shown


class Basis(StrEnum):
    """What has to reach the target: the table itself, or what its columns' counts alone prove."""

    TRUTH = "truth"
    PROMISE = "promise"


@dataclass(frozen=True, slots=True)
class Cost:
    """What a choice costs.

    Attributes:
        kept: bits of each column, as it is said.
        whole: bits of each column, before.
        promised: people below k that the columns' counts alone can exclude no better.
        two_way: mean distance of two-way tables, None where it was not measured.
        predicted: of a column that was named.
    """

    kept: tuple[float, ...]
    whole: tuple[float, ...]
    promised: int
    two_way: float | None = None
    predicted: Prediction | None = None

    @property
    def share(self) -> float:
        """The share of all columns' bits that is kept."""
        return sum(self.kept) / sum(self.whole) if sum(self.whole) else 1.0


@dataclass(frozen=True, slots=True)
class Advised:
    """Advice on a table.

    Attributes:
        table: as it was read.
        columns: those that are asked about, each with its ladder.
        k: people in the smallest crowd wanted.
        max_exposure: the share of people who may be in a smaller one.
        most: people who may be.
        found: what the search found, and what it proved.
        before: the people below k with everything as it is (but for what costs nothing).
        finer: of each column, the people below k were it one level finer (by promise: as many as
            the counts could then not exclude).
        choices: those of the frontier that are shown, the best among them, with their costs.
        predict: the column that was named; None: none was.
        missing: what an empty cell is called.
        by: whether truth or the promise decides.
    """

    table: Table
    columns: tuple[Column, ...]
    k: int
    max_exposure: float
    most: int
    found: Advice
    before: int
    finer: tuple[int | None, ...]
    choices: tuple[tuple[Choice, Cost], ...]
    predict: str | None = None
    missing: str = "(missing)"
    by: Basis = Basis.TRUTH

    @property
    def n(self) -> int:
        """People in the table."""
        return len(self.table.codes)

    @property
    def best(self) -> Choice:
        """The choice that is advised."""
        return self.found.best

    @property
    def cost(self) -> Cost:
        """Of the best choice."""
        return next(cost for choice, cost in self.choices if choice == self.best)

    def coarse(self, choice: Choice | None = None) -> dict[str, tuple[str, ...]]:
        """The table as a choice says it (None: the best), by columns; dropped ones left out.

        Every library of tables takes it as it is: `pandas.DataFrame(advised.coarse())`.
        """
        levels = (choice or self.best).levels
        features = [
            feature
            for ladder, level in zip(self.columns, levels, strict=True)
            if (feature := ladder.feature(level)) is not None
        ]
        said = coarse(self.table, features, self.missing)
        return {
            feature.name: tuple(said.values[j][code] for code in said.codes[:, j].tolist())
            for feature in features
            for j in (said.columns.index(feature.name),)
        }

    def level_names(self, choice: Choice) -> tuple[str, ...]:
        """The level of each column in a choice, in words."""
        pairs = zip(self.columns, choice.levels, strict=True)
        return tuple(asked.ladder.levels[level].name for asked, level in pairs)


def advise(
    table: Table,
    k: int = 5,
    max_exposure: float = 0.01,
    *,
    missing: str = "(missing)",
    hierarchies: Mapping[str, Path] | None = None,
    weights: Mapping[str, float] | None = None,
    predict: str | None = None,
    by: str = "truth",
    steps: int | None = None,
    progress: Callable[[str], None] = lambda _stage: None,
) -> Advised:
    """Search for the choice of coarser values that loses least.

    Args:
        table: its people, direct identifiers left out.
        k: people in the smallest crowd wanted.
        max_exposure: the share of people who may be in a smaller one.
        missing: what an empty cell of the table is called.
        hierarchies: files as ARX has them, by column.
        weights: how much columns count, by name; otherwise the root of their bits.
        predict: a column whose prediction from the others is measured.
        by: what has to reach the target: the `truth` of the table, or the `promise` of its columns.
        steps: of the search, at most; None: 1.5 x 10^9 / people, at most 250,000.
        progress: is called with the name of each stage.

    Raises:
        DataError: a column that is named is not there, or a hierarchy does not fit.
    """
    judge = _by(by)
    _known(table, [*(hierarchies or {}), *(weights or {}), *([predict] if predict else [])])
    progress("ladders of coarser values")
    columns = _columns(table, k, missing, hierarchies or {}, weights or {})
    most = _allowed(max_exposure, len(table.codes))
    ladders = [asked.ladder for asked in columns]
    promise = _Promise(table, columns, k)
    asked = promise if judge is Basis.PROMISE else None
    advice = search(table.codes, ladders, k, most, promise=asked, steps=steps, progress=progress)
    progress("what it costs")
    before = _below(table, columns, [0] * len(columns), k)
    finer = tuple(_finer(table, columns, advice.best, j, asked or k) for j in range(len(columns)))
    costs = _costs(table, columns, advice, promise, predict)
    return Advised(
        *(table, columns, k, max_exposure, most, advice, before, finer, costs),
        *(predict, missing, judge),
    )


def _columns(
    table: Table,
    k: int,
    missing: str,
    hierarchies: Mapping[str, Path],
    weights: Mapping[str, float],
) -> tuple[Column, ...]:
    """Every column of a table with its ladder and its weight."""
    return tuple(
        _weighted(column(table, j, k, missing, hierarchies.get(name)), table, j, weights)
        for j, name in enumerate(table.columns)
    )


def coarse_codes(
    table: Table, columns: Sequence[Column], levels: Sequence[int]
) -> list[np.ndarray]:
    """The columns as a choice says them."""
    return [
        asked.ladder.levels[level].codes[table.codes[:, j]]
        for j, (asked, level) in enumerate(zip(columns, levels, strict=True))
    ]


class _Promise:
    """What the counts of single columns prove of a choice: people below k at most."""

    def __init__(self, table: Table, columns: Sequence[Column], k: int) -> None:
        self.table, self.columns, self.k = table, columns, k
        self.known: dict[tuple[int, int], np.ndarray] = {}

    def __call__(self, levels: Sequence[int]) -> int:
        marginals = [self._counts(j, level) for j, level in enumerate(levels)]
        told = [counts for counts in marginals if counts.size > 1]
        if not told:  # everybody is in one crowd
            n = len(self.table.codes)
            return 0 if n >= self.k else n
        return best_bound(told, self.k).people

    def _counts(self, j: int, level: int) -> np.ndarray:
        if (j, level) not in self.known:
            codes = self.columns[j].ladder.levels[level].codes
            counts = np.bincount(codes[self.table.codes[:, j]])
            self.known[j, level] = counts[counts > 0]
        return self.known[j, level]


def _by(said: str) -> Basis:
    try:
        return Basis(said)
    except ValueError:
        raise ParameterError(f"by: found {said!r}; {' and '.join(Basis)} are accepted") from None


def _known(table: Table, names: Sequence[str]) -> None:
    for name in names:
        if name not in table.columns:
            raise DataError(
                f"no column is called {name!r}; advice is on {listed(table.columns)}"
                f"{did_you_mean(name, table.columns)}"
            )


def _weighted(asked: Column, table: Table, j: int, weights: Mapping[str, float]) -> Column:
    held = entropy(np.bincount(asked.ladder.levels[0].codes[table.codes[:, j]]))
    name = asked.ladder.column
    weight = max(1e-6, weights.get(name, held**0.5))
    return Column(Ladder(name, asked.ladder.levels, weight), asked.steps)


def _allowed(share: float, n: int) -> int:
    from ...analysis.scoring.table_score import allowed

    return allowed(share, n)


def _below(table: Table, columns: Sequence[Column], levels: Sequence[int], k: int) -> int:
    codes = np.stack(coarse_codes(table, columns, levels), axis=1)
    return int(users_below(joint_counts(codes, range(codes.shape[1])), k))


def _finer(
    table: Table, columns: Sequence[Column], best: Choice, j: int, judge: "_Promise | int"
) -> int | None:
    """The people below k, by truth (judge: k) or promise, were column j one level finer."""
    if best.levels[j] == 0:
        return None
    levels = list(best.levels)
    levels[j] -= 1
    return _below(table, columns, levels, judge) if isinstance(judge, int) else judge(levels)


def _spread(frontier: Sequence[Choice], best: Choice) -> list[Choice]:
    """The best, and choices of the frontier that differ most in the people below k."""
    others = [choice for choice in frontier if choice != best]
    step = max(1, -(-len(others) // (SHOWN - 1)))
    return sorted({*others[::step], best}, key=lambda choice: (choice.people, choice.loss))


def _costs(
    table: Table,
    columns: Sequence[Column],
    advice: Advice,
    promise: "_Promise",
    predict: str | None,
) -> tuple[tuple[Choice, Cost], ...]:
    """The choices that are shown, and what each costs; of a wide table that of the best in full."""
    label = None if predict is None else table.columns.index(predict)
    shown, wide = _spread(advice.frontier(), advice.best), len(columns) > WIDE
    whole = [not wide or choice == advice.best for choice in shown]
    costs = (
        _cost(table, columns, choice, promise, label, whole=measured)
        for choice, measured in zip(shown, whole, strict=True)
    )
    return tuple(zip(shown, costs, strict=True))


def _cost(
    table: Table,
    columns: Sequence[Column],
    choice: Choice,
    promise: "_Promise",
    label: int | None,
    *,
    whole: bool,
) -> Cost:
    fine = coarse_codes(table, columns, [0] * len(columns))
    coarse = coarse_codes(table, columns, choice.levels)
    guessed = None
    if label is not None and whole:
        others = [j for j in range(len(columns)) if j != label]
        guessed = prediction(fine[label], [fine[j] for j in others], [coarse[j] for j in others])
    distance = two_way_distance(fine, coarse) if whole else None
    return Cost(tuple(bits(coarse)), tuple(bits(fine)), promise(choice.levels), distance, guessed)

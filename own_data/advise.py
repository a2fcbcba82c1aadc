"""Advice on a table: a generalization level for each column that leaves few people below k.

People below k are in equivalence classes of fewer than k people. The advice loses as
little information as possible. `analysis.advice` searches. This module gives each
column a ladder, its generalization levels from fine to coarse, and writes the result as
features of a scenario.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..analysis.advice import Advice, Choice, Ladder, search
from ..analysis.advice.choice import choice_of
from ..analysis.advice.information_kept import Prediction, bits, prediction, two_way_distance
from ..analysis.advice.ladder import entropy
from ..deprecated import keeps_old
from ..errors import DataError, ParameterError
from ..scenarios.populations.people import SourceTable, coarse
from ..scenarios.schema.problems import did_you_mean, listed
from .attacker_columns import DEFAULT_ROLES, Roles, divided
from .coarsening_ladders import LadderColumn, column
from .export import SUPPRESSED, with_suppressed
from .judges import MarginalPromise, Truth, coarse_codes
from .sensitive_targets import Targets
from .suppressed_cells import CellsOfLevels, SuppressedCells, advice_with_cells

# with more searched columns than this, only the best choice gets its two-way tables and predictions
# measured, because they take time
WIDE = 20
MAX_CHOICES = 12  # most choices of generalization levels that are measured and shown


class Basis(StrEnum):
    """The basis on which generalization levels are judged: the table, or counts of its columns.

    `truth`: the people below k in the table itself. `promise`: an upper bound on them that
    the counts of single columns prove.
    """

    TRUTH = "truth"
    PROMISE = "promise"


@keeps_old(kept="released_bits")
@dataclass(frozen=True, slots=True)
class ChoiceCost:
    """The loss of information of a choice of generalization levels, a level for each column.

    Attributes:
        released_bits: entropy of each column in bits, as the column is released.
        whole: entropy of each column in bits, unchanged.
        promised: upper bound on the people below k, as the columns' counts alone prove.
        two_way: mean total variation distance, 0 to 1, of the two-way tables from the
            unchanged tables; None if it was not measured.
        predicted: shares of people with a right prediction of their value of a named
            column; None: no column was named.
    """

    released_bits: tuple[float, ...]
    whole: tuple[float, ...]
    promised: int
    two_way: float | None = None
    predicted: Prediction | None = None

    @property
    def share(self) -> float:
        """The released share of the entropy of all columns (summed), 0 to 1."""
        return sum(self.released_bits) / sum(self.whole) if sum(self.whole) else 1.0


@keeps_old(
    most="people_limit",
    found="advice",
    before="exposed_before",
    known="knowledge",
    kept="row_mask",
    asked="requested_choice",
)
@dataclass(frozen=True, slots=True)
class Advised:
    """Advice on a table: the result of `advise`.

    The searched columns are the columns that may become coarser. A choice is a
    generalization level for each of them. The target is k, and targets (l, entropy-l, t) of
    sensitive columns.

    Attributes:
        table: the searched columns of the table, as they were read.
        columns: the searched columns, each with its ladder of levels, from fine to coarse.
        k: people in the smallest safe equivalence class.
        max_exposure: the largest accepted share of people in a smaller class.
        people_limit: the largest accepted number of people in classes that miss the target.
        advice: the result of the search, and its proof.
        exposed_before: the people that miss the target with all values unchanged, except
            changes without loss such as merged spellings.
        finer: for each searched column, the people that miss the target if the column
            were a level finer (by promise: the proved upper bound); None at the finest
            level.
        choices: the best choice and some further choices on the Pareto front of few people
            below k and little loss, each with its cost.
        predict: the column to predict; None: no column.
        missing: the value of an empty cell.
        by: whether the table itself or the counts of its columns decide.
        rest: columns that are released as they are, and not searched; None: no column.
        knowledge: whether attackers know the quasi-identifiers (`quasi`), or all columns
            (`all`).
        targets: targets of sensitive columns, by column.
        missed: people in classes that miss the target, with suppressed cells, but before
            rows are suppressed.
        exposed: people below k, if attackers know the quasi-identifiers, and if they know
            all columns that are released; counted in all rows.
        suppress: the largest share of people with suppressed rows; None: no row.
        row_mask: whether each row is released; None: all are.
        requested_choice: the choice that the user requests, in place of the best; None: the
            best.
        like: the file with the earlier advice that is applied; "": a search found the
            choice.
        cells: the suppressed cells, if cells may be suppressed.
    """

    table: SourceTable
    columns: tuple[LadderColumn, ...]
    k: int
    max_exposure: float
    people_limit: int
    advice: Advice
    exposed_before: int
    finer: tuple[int | None, ...]
    choices: tuple[tuple[Choice, ChoiceCost], ...]
    predict: str | None = None
    missing: str = "(missing)"
    by: Basis = Basis.TRUTH
    rest: SourceTable | None = None
    knowledge: str = "all"
    targets: Mapping[str, Targets] = field(default_factory=dict)
    missed: int = 0
    exposed: tuple[int, int] = (0, 0)
    suppress: float | None = None
    row_mask: NDArray[np.bool_] | None = None
    requested_choice: Choice | None = None
    like: str = ""
    cells: SuppressedCells | None = None

    @property
    def reached(self) -> bool:
        """Whether at most `people_limit` people are in classes that miss k or another target.

        On the basis of the promise, the upper bound that the columns' counts prove must also be
        within the limit.
        """
        promised = self.cost.promised if self.by is Basis.PROMISE else 0
        return max(self.missed, promised) <= self.people_limit

    @property
    def released_limit(self) -> float:
        """The share of released people that may be in classes that miss the target, 0 to 1.

        The share is 0 if rows or cells are suppressed, because suppression leaves no class that
        misses the target.
        """
        is_suppressed = self.suppress is not None or self.cells is not None
        return 0.0 if is_suppressed else self.max_exposure

    @property
    def n(self) -> int:
        """The number of people in the table."""
        return self.table.n

    @property
    def whole(self) -> SourceTable:
        """The table with all columns: searched, or released unchanged."""
        if self.rest is None:
            return self.table
        return replace(
            self.table,
            columns=(*self.table.columns, *self.rest.columns),
            codes=np.column_stack((self.table.codes, self.rest.codes)),
            values=(*self.table.values, *self.rest.values),
        )

    @property
    def suppressed(self) -> int:
        """The number of rows that are suppressed under the best choice of levels."""
        return 0 if self.row_mask is None else int(np.count_nonzero(~self.row_mask))

    @property
    def best(self) -> Choice:
        """The generalization level of each searched column: advised, or as the user requests."""
        return self.requested_choice or self.advice.best

    @property
    def cost(self) -> ChoiceCost:
        """The loss of information of the advised choice of generalization levels."""
        return next(cost for choice, cost in self.choices if choice == self.best)

    def coarse(self, choice: Choice | None = None) -> dict[str, tuple[str, ...]]:
        """Return the table under a choice of levels as columns of texts, without dropped columns.

        choice: a generalization level for each searched column; None for the best. Rows that
        the best choice suppresses are left out of every choice. A suppressed cell is `*`. Every
        library of tables accepts the result: `pandas.DataFrame(advised.coarse())`.
        """
        levels = (choice or self.best).levels
        features = [
            feature
            for ladder, level in zip(self.columns, levels, strict=True)
            if (feature := ladder.feature(level)) is not None
        ]
        coarse_table = coarse(self.table, features, self.missing)
        tables_by_feature = {feature.name: coarse_table for feature in features}
        tables_by_feature |= dict.fromkeys(self.rest.columns, self.rest) if self.rest else {}
        if self.cells is not None and levels == self.best.levels:
            coarse_table = with_suppressed(coarse_table, self.cells.mask, SUPPRESSED)
            tables_by_feature |= {feature.name: coarse_table for feature in features}
        rows = np.flatnonzero(self.row_mask) if self.row_mask is not None else slice(None)
        return {
            name: tuple(values_of.values[j][code] for code in values_of.codes[rows, j].tolist())
            for name, values_of in tables_by_feature.items()
            for j in (values_of.columns.index(name),)
        }

    def level_names(self, choice: Choice) -> tuple[str, ...]:
        """Return the name of each column's level in a choice, such as "intervals of 10"."""
        pairs = zip(self.columns, choice.levels, strict=True)
        return tuple(column.ladder.levels[level].name for column, level in pairs)


def advise(
    table: SourceTable,
    k: int = 5,
    max_exposure: float = 0.01,
    *,
    missing: str = "(missing)",
    hierarchies: Mapping[str, Path] | None = None,
    weights: Mapping[str, float] | None = None,
    predict: str | None = None,
    by: str = "truth",
    steps: int | None = None,
    roles: Roles = DEFAULT_ROLES,
    requested_levels: Mapping[str, int] | None = None,
    progress: Callable[[str], None] = lambda _stage: None,
) -> Advised:
    """Search for coarser values with the least loss of information that reach k.

    DataError for unknown columns.

    Args:
        table: the people's table, without direct identifiers.
        k: people in the smallest safe equivalence class.
        max_exposure: the share of people that may be in a smaller class.
        missing: the value of an empty cell of the table.
        hierarchies: files of generalization levels in the form of ARX, by column.
        weights: the weight of each named column in the loss; for other columns the square
            root of their entropy in bits.
        predict: a column whose prediction from the other columns is measured.
        by: the basis of the target: the table's `truth`, or the `promise`, a bound from the
            counts of its columns.
        steps: most steps of the search; None: the default of `analysis.advice.search`.
        roles: columns known to attackers, columns released unchanged, and targets of
            sensitive columns.
        requested_levels: the level of each searched column in the choice to describe, in
            place of the best; DataError for an unknown level, and for a choice that misses
            the target.
        progress: is called with the name of each stage.
    """
    table_search = find(
        table,
        k,
        max_exposure,
        missing=missing,
        hierarchies=hierarchies,
        weights=weights,
        predict=predict,
        by=by,
        steps=steps,
        roles=roles,
        progress=progress,
    )
    return table_search.settle(requested_levels, progress)


@dataclass(frozen=True, slots=True)
class TableSearch:
    """The result of a search for generalization levels, before a choice is described in full.

    Searched columns are the columns that may become coarser; a choice is a level for each
    of them. The target is k, and targets (l, entropy-l, t) of sensitive columns.

    Attributes:
        table: the people's table, with all columns.
        columns: the searched columns, each with its ladder of levels.
        rest: columns that are released as they are, and not searched.
        roles: the roles of the columns.
        truth: counts the people in the table that miss the target.
        promise: bounds the people below k by the counts of single columns.
        advice: the result of the search.
        max_exposure: the share of people that may be in an equivalence class smaller than
            k.
        predict: the column to predict; None: no column.
        by: the basis of the target: the table, or the counts of its columns.
        cells: the suppressed cells of each choice, if cells may be suppressed.
        costs: a cache of the costs of choices.
        like: the file with the earlier advice that is applied; "": a search found the
            choice.
        notes: values and columns that the earlier advice does not know, a line each.
    """

    table: SourceTable
    columns: tuple[LadderColumn, ...]
    rest: SourceTable | None
    roles: Roles
    truth: Truth
    promise: MarginalPromise
    advice: Advice
    max_exposure: float
    predict: str | None
    by: Basis
    cells: CellsOfLevels | None = None
    costs: dict[tuple[Choice, bool], ChoiceCost] = field(default_factory=dict)
    like: str = ""
    notes: tuple[str, ...] = ()

    @property
    def people_limit(self) -> int:
        """The largest accepted number of people in classes that miss k or another target."""
        return _people_limit(self.roles, self.max_exposure, self.table)

    @property
    def bound(self) -> Callable[[Sequence[int]], int] | None:
        """The function that counts people a second time for a choice of levels; None: no function.

        Its argument is the generalization level of each searched column. The first count is the
        people in classes smaller than k; both counts must be within the limit of people. By
        promise, the second is the upper bound on the first that the counts of single columns
        prove. By truth, it is the people in classes that miss k or a target of a sensitive
        column; without such targets, there is no second count.
        """
        return _second_judge(self.by, self.truth, self.promise)

    def settle(
        self,
        requested_levels: Mapping[str, int] | None = None,
        progress: Callable[[str], None] = lambda _stage: None,
    ) -> Advised:
        """Return the advice with the best choice, or with the requested choice, described in full.

        requested_levels: the generalization level of each searched column, by name; None: the
        best choice. DataError for unknown levels, or if they miss the target.
        """
        choice = None if requested_levels is None else self.asked_choice(requested_levels)
        progress("what it costs")
        best = choice or self.advice.best
        levels, judge, truth = best.levels, self.bound or self.truth, self.truth
        cells = self.cells_of(best)
        return Advised(
            truth.searched,
            self.columns,
            truth.k,
            self.max_exposure,
            people_limit=self.people_limit,
            advice=self.advice,
            exposed_before=truth([0] * len(levels)),
            finer=tuple(_finer(best, j, judge) for j in range(len(levels))),
            choices=tuple(self._costs(best)),
            predict=self.predict,
            missing=truth.missing,
            by=self.by,
            rest=self.rest,
            knowledge=self.roles.knowledge,
            targets=self.roles.targets,
            missed=truth(levels) if cells is None else truth.missed_with(levels, cells.mask),
            exposed=truth.exposed(levels, self.rest, None if cells is None else cells.mask),
            suppress=self.roles.suppress,
            row_mask=truth.kept_rows(levels),
            cells=cells,
            requested_choice=choice,
            like=self.like,
        )

    def people(self, levels: Sequence[int]) -> int:
        """Return the number of people that miss the target (k, and targets of sensitive columns).

        levels: the generalization level of each searched column. By promise, the number is the
        upper bound that the columns' counts prove.
        """
        return (self.bound or self.truth)(levels)

    def cells_of(self, choice: Choice) -> SuppressedCells | None:
        """Return the suppressed cells of a choice of levels; None if no cell may be suppressed."""
        return None if self.cells is None else self.cells.at(choice.levels)

    def choice(self, levels: Sequence[int]) -> Choice:
        """Return the choice with these generalization levels, its people below k and its loss.

        levels: a level for each searched column.
        """
        for choice in self.advice.tried:
            if choice.levels == tuple(levels):
                return choice
        ladders = [column.ladder for column in self.columns]
        people = self.truth.below(levels)
        return choice_of(ladders, levels, people, self.table.n)

    def asked_choice(self, requested_levels: Mapping[str, int]) -> Choice:
        """Return the user's choice: a generalization level for each searched column.

        requested_levels: by column name, from 0 (finest) up. DataError for an unknown column or
        level, or if more than `people_limit` people are in classes that miss k or another
        target.
        """
        names = [column.ladder.column for column in self.columns]
        for name in requested_levels:
            if name not in names:
                raise DataError(
                    f"--levels {name}: it is not searched; accepted: {listed(names)}"
                    f"{did_you_mean(name, names)}"
                )
        for name, searched in zip(names, self.columns, strict=True):
            highest, level = len(searched.ladder.levels) - 1, requested_levels.get(name)
            if level is None or not 0 <= level <= highest:
                raise DataError(
                    f"--levels {name}: found {level}; a level of each searched column is accepted, "
                    f"0 to {highest} (dropped) for {name}"
                )
        levels = tuple(requested_levels[name] for name in names)
        if self.cells is not None:
            return self.cells.choice(levels)
        missed = self.people(levels)
        if missed > self.people_limit:
            raise DataError(
                f"--levels: {missed:,} people miss the target with these levels; at most "
                f"{self.people_limit:,} may"
            )
        return self.choice(levels)

    def _costs(self, best: Choice) -> Iterator[tuple[Choice, ChoiceCost]]:
        """Yield the choices of generalization levels to show, each with its loss of information.

        If more than `WIDE` columns are searched, two-way tables and predictions are measured for
        the best choice only. best: the best choice.
        """
        label = None if self.predict is None else self.truth.searched.columns.index(self.predict)
        wide = len(self.columns) > WIDE
        for choice in _spread(self.advice.frontier(), best):
            whole = not wide or choice == best
            if (choice, whole) not in self.costs:
                self.costs[choice, whole] = _cost(
                    self.truth.searched, self.columns, choice, self.promise, label, whole=whole
                )
            yield choice, self.costs[choice, whole]


def find(
    table: SourceTable,
    k: int,
    max_exposure: float,
    *,
    missing: str = "(missing)",
    hierarchies: Mapping[str, Path] | None = None,
    weights: Mapping[str, float] | None = None,
    predict: str | None = None,
    by: str = "truth",
    steps: int | None = None,
    roles: Roles = DEFAULT_ROLES,
    progress: Callable[[str], None] = lambda _stage: None,
) -> TableSearch:
    """Return the result of a search for generalization levels; errors as of `advise`.

    If both rows and cells may be suppressed, two searches run, for rows and for cells. The result
    with less loss is returned.

    Args:
        table: the people's table.
        k: people in the smallest safe class.
        max_exposure: the largest accepted share of people in classes that miss the target, 0 to 1.
        missing: the value of an empty cell.
        hierarchies: files of generalization levels, by column.
        weights: the weight of a column's loss, by column.
        predict: the column to predict, for the cost of a choice; None: no column.
        by: `truth` or `promise`: whether the table or the counts of its columns decide.
        steps: most steps of the search; None: its default.
        roles: columns known to attackers, released unchanged, or with a target.
        progress: is called with the name of each stage.
    """
    _check_names(table, [*(hierarchies or {}), *(weights or {}), *([predict] if predict else [])])
    basis = _by(by)
    if roles.suppress_cells is not None and basis is Basis.PROMISE:
        raise DataError(
            f"{table.called}: suppress_cells: not accepted by promise: the counts of single "
            "columns do not show which cells to suppress; by truth is accepted"
        )

    def run_search(part: Roles) -> TableSearch:
        """Return the result of a search with these roles of columns."""
        progress("ladders of coarser values")
        searched, rest = divided(table, part)
        columns = _columns(searched, k, missing, hierarchies or {}, weights or {})
        truth = Truth(table, searched, columns, k, part, missing)
        promise = MarginalPromise(searched, columns, k, table, truth.unchanged_columns)
        cells = None
        if part.suppress_cells is None:
            limit = _people_limit(part, max_exposure, table)
            advice = _searched(truth, limit, _second_judge(basis, truth, promise), steps, progress)
        else:
            cells = CellsOfLevels(truth, part.suppress_cells)
            advice = advice_with_cells(cells, steps, progress)
        return TableSearch(
            *(table, columns, rest, part, truth, promise, advice, max_exposure, predict, basis),
            cells=cells,
        )

    parts = [roles]
    if roles.suppress_cells is not None and roles.suppress is not None:
        parts = [replace(roles, suppress_cells=None), replace(roles, suppress=None)]
    return min(map(run_search, parts), key=lambda table_search: table_search.advice.best.loss)


def _second_judge(
    by: Basis, truth: Truth, promise: MarginalPromise
) -> Callable[[Sequence[int]], int] | None:
    """Return the function that counts people a second time for a choice of levels, if any.

    Its argument is the generalization level of each searched column. The first count is the
    people in classes smaller than k. By promise, the second is the upper bound on the first
    that the counts of single columns prove. By truth, it is the people in classes that miss
    k or a target of a sensitive column; without such targets, return None.
    """
    if by is Basis.PROMISE:
        return promise
    return truth if truth.targets.targets else None


def _searched(
    truth: Truth,
    people_limit: int,
    bound: Callable[[Sequence[int]], int] | None,
    steps: int | None,
    progress: Callable[[str], None],
) -> Advice:
    """Return the advice of `search`: generalization levels with the least loss within a limit.

    At most `people_limit` people may be in classes smaller than k. bound: a function of the
    level of each searched column; its number of people must be within the limit, too; None:
    k is the only target. steps: most steps of the search; None: its default.
    """
    return search(
        truth.searched.codes,
        [column.ladder for column in truth.columns],
        truth.k,
        people_limit,
        promise=bound,
        steps=steps,
        persons=truth.table.persons,
        fixed=truth.fixed,
        progress=progress,
    )


def _columns(
    table: SourceTable,
    k: int,
    missing: str,
    hierarchies: Mapping[str, Path],
    weights: Mapping[str, float],
) -> tuple[LadderColumn, ...]:
    """Return every column of a table with its ladder of generalization levels and its weight.

    k: people in the smallest safe class. missing: the value of an empty cell. hierarchies:
    files of levels, by column. weights: the weight of a column's loss that the user gave, by
    column.
    """
    return tuple(
        _weighted(column(table, j, k, missing, hierarchies.get(name)), table, j, weights)
        for j, name in enumerate(table.columns)
    )


def _by(basis: str) -> Basis:
    """Return the basis of advice, `truth` or `promise`; ParameterError for any other text."""
    try:
        return Basis(basis)
    except ValueError:
        raise ParameterError(f"by: found {basis!r}; {' and '.join(Basis)} are accepted") from None


def _check_names(table: SourceTable, names: Sequence[str]) -> None:
    """Raise DataError for a name that is no column of the table."""
    for name in names:
        if name not in table.columns:
            raise DataError(
                f"no column is called {name!r}; accepted: {listed(table.columns)}"
                f"{did_you_mean(name, table.columns)}"
            )


def _weighted(
    column: LadderColumn, table: SourceTable, j: int, weights: Mapping[str, float]
) -> LadderColumn:
    """Return a column with its weight in the loss of information.

    The weight is the user's, or else the square root of the column's entropy in bits. j:
    number of the column. weights: of the user, by column.
    """
    column_entropy = entropy(np.bincount(column.ladder.levels[0].codes[table.codes[:, j]]))
    name = column.ladder.column
    weight = max(1e-6, weights.get(name, column_entropy**0.5))
    return LadderColumn(Ladder(name, column.ladder.levels, weight), column.steps)


def _people_limit(roles: Roles, max_exposure: float, table: SourceTable) -> int:
    """Return the largest accepted number of people in classes that miss the target.

    roles: if rows may be suppressed, their largest share replaces max_exposure.
    max_exposure: the largest accepted share of people in such classes, 0 to 1.
    """
    from ..analysis.scoring.table_score import allowed

    return allowed(roles.limit(max_exposure), table.n)


def _finer(best: Choice, j: int, judge: Callable[[Sequence[int]], int]) -> int | None:
    """Return the people that miss the target if column j is a level finer than in `best`.

    None if the column is at its finest level. best: the best choice of levels. j: position of
    the column. judge: returns the people that miss the target, for a level of each column.
    """
    if best.levels[j] == 0:
        return None
    levels = list(best.levels)
    levels[j] -= 1
    return judge(levels)


def _spread(frontier: Sequence[Choice], best: Choice) -> list[Choice]:
    """Return the best choice of levels, and at most `MAX_CHOICES` - 1 further choices to show.

    The further choices are taken at equal steps from the frontier: choices for which no
    tried choice has both fewer people below k and less loss. The result is sorted by people
    below k, then by loss.
    """
    further = [choice for choice in frontier if choice != best]
    step = max(1, -(-len(further) // (MAX_CHOICES - 1)))
    return sorted({*further[::step], best}, key=lambda choice: (choice.people, choice.loss))


def _cost(
    table: SourceTable,
    columns: Sequence[LadderColumn],
    choice: Choice,
    promise: "MarginalPromise",
    label: int | None,
    *,
    whole: bool,
) -> ChoiceCost:
    """Return the loss of information of a choice of generalization levels.

    promise: gives the upper bound on people below k by the columns' counts. label: number
    of the column to predict; None: no column. whole: whether to measure two-way tables and
    the prediction.
    """
    fine = coarse_codes(table, columns, [0] * len(columns))
    coarse = coarse_codes(table, columns, choice.levels)
    guessed = None
    if label is not None and whole:
        further = [j for j in range(len(columns)) if j != label]
        guessed = prediction(fine[label], [fine[j] for j in further], [coarse[j] for j in further])
    distance = two_way_distance(fine, coarse) if whole else None
    return ChoiceCost(
        tuple(bits(coarse)), tuple(bits(fine)), promise(choice.levels), distance, guessed
    )

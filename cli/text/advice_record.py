"""The record that `veilmix advise` prints with `--format json`, and the function that fills it."""

from collections.abc import Sequence

from ...analysis.advice import Choice
from ...analysis.advice.information_kept import Prediction
from ...analysis.scoring.set_scores import PROMISED_BY, PROMISED_BY_PERSONS
from ...own_data.advise import Advised, ChoiceCost
from ...own_data.risk_record import RiskPlaces
from ...scenarios.serialization.record import Record
from .advice import places_of

VALUES = 1000  # most values of a column that are recorded; of a column with more, none is


class AdvisedChoice(Record, frozen=True):
    """A listed choice of generalization levels, with its measures before cells are suppressed.

    No listed choice is better than another in both loss and people below k.

    Attributes:
        advised: whether it is the advised choice.
        loss: loss of information in the columns, 0 to 1.
        people_below_k: people in an equivalence class smaller than k.
        promised: upper bound on the people below k, from the counts of single columns alone.
        bits_kept: entropy kept of each column, in bits.
        two_way: mean distance of two-way tables from the true tables, 0 to 1; None if it was not
            measured.
        prediction: accuracy of predicting the named column; None if no column was named.
        levels: number of the generalization level of each column; 0: unchanged.
        says: name of the generalization level of each column.
    """

    advised: bool
    loss: float
    people_below_k: int
    promised: int
    bits_kept: tuple[float, ...]
    two_way: float | None
    prediction: Prediction | None
    levels: tuple[int, ...]
    says: tuple[str, ...]


class AdvisedColumn(Record, frozen=True):
    """A column of the table, with its advised level of generalization.

    Attributes:
        column: name of the column.
        feature: the keys of its [[feature]] in a scenario; None if the column is left out.
        says: the name of the advised level.
        levels: the names of all levels, from fine to coarse.
        people_below_k_one_step_finer: people in classes smaller than k if this column were
            generalized one level less; None at the finest level.
        values: the released values, which `--like` needs; None: not recorded, as the column is left
            out or has more than VALUES.
    """

    column: str
    feature: dict[str, object] | None
    says: str
    levels: tuple[str, ...]
    people_below_k_one_step_finer: int | None
    values: tuple[str, ...] | None = None


class AdvisedTable(Record, frozen=True):
    """Advice on a table: a generalization level for each column, and its exposure and utility.

    A person below k is in an equivalence class smaller than k.

    Attributes:
        data: the name of the table.
        read: how the table was read, in words.
        users: people in the table.
        k: people in the smallest safe equivalence class.
        max_exposure: the accepted share of people in smaller classes.
        left_out: columns that are neither generalized nor released.
        by: whether the true exposure (`truth`) or its certified bound (`promise`) has to reach the
            target.
        promised_by: the rule that computes the certified bound.
        exact: whether it is proved that no choice of levels loses less information.
        bound: proved lower bound on the loss of any choice.
        counted: number of times that the search counted the table.
        people_below_k_as_it_is: people below k if no column is generalized.
        columns: the columns that may be generalized.
        choices: the choices of levels that no other choice beats in both loss and people below k.
        rows: rows of the table, more than `users` if a person has several.
        person: the definition of a person, in words.
        known: the columns that attackers know in the target: `quasi`, the quasi-identifiers, or
            `all`.
        released_as_is: columns that are released unchanged.
        people_below_k_known_quasi, people_below_k_known_all: people below k if attackers know the
            quasi-identifiers, or all that is released.
        rows_suppressed: rows that are left out.
        cells_suppressed: single cells that are suppressed. The numbers in `choices` and `columns`
            describe the table before these cells are suppressed.
        cells_lost: the loss of information by suppressed cells.
        cells_lost_at_least: proved lower bound on this loss, for the same levels.
        people_missing_a_target: people in classes that miss k, or a target of a sensitive column,
            once rows or cells are suppressed.
        places: the risk of each value of the generalized table; None without a person below k.
        suppress: the largest share of people with suppressed rows; None: no row is suppressed.
        like: the file with the earlier advice that was applied; "": a search found the advice.
    """

    data: str
    read: str
    users: int
    k: int
    max_exposure: float
    left_out: tuple[str, ...]
    by: str
    promised_by: str
    exact: bool
    bound: float
    counted: int
    people_below_k_as_it_is: int
    columns: tuple[AdvisedColumn, ...]
    choices: tuple[AdvisedChoice, ...]
    rows: int
    person: str
    known: str
    released_as_is: tuple[str, ...]
    people_below_k_known_quasi: int
    people_below_k_known_all: int
    people_missing_a_target: int
    rows_suppressed: int
    cells_suppressed: int
    cells_lost: float
    cells_lost_at_least: float
    places: RiskPlaces | None = None
    suppress: float | None = None
    like: str = ""


def advised_table(advised: Advised, called: str) -> AdvisedTable:
    """Return the advice on a table as the record for JSON. called: the name of the table's file."""
    search, table, cells = advised.advice, advised.table, advised.cells
    released = advised.coarse()
    columns = (
        AdvisedColumn(
            column.ladder.column,
            column.steps[level],
            column.ladder.levels[level].name,
            tuple(rung.name for rung in column.ladder.levels),
            finer,
            _values(released.get(column.ladder.column)),
        )
        for column, level, finer in zip(
            advised.columns, advised.best.levels, advised.finer, strict=True
        )
    )
    return AdvisedTable(
        called,
        table.note,
        advised.n,
        advised.k,
        advised.max_exposure,
        tuple(
            judged.column for judged in table.judged if judged.column not in advised.whole.columns
        ),
        str(advised.by),
        PROMISED_BY if table.persons is None else PROMISED_BY_PERSONS,
        search.exact,
        search.bound,
        search.counted,
        advised.exposed_before,
        tuple(columns),
        tuple(_choice(advised, *pair) for pair in advised.choices),
        len(table.codes),
        table.person,
        advised.knowledge,
        () if advised.rest is None else advised.rest.columns,
        *advised.exposed,
        advised.missed,
        advised.suppressed,
        0 if cells is None else cells.suppressed,
        0.0 if cells is None else cells.loss,
        0.0 if cells is None else cells.lower,
        places_of(advised),
        advised.suppress,
        advised.like,
    )


def _values(cells: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the different values of a column's cells, sorted; None if there are more than VALUES.

    cells: None if the column is left out; then the result is None too.
    """
    values = None if cells is None else tuple(sorted(set(cells)))
    return values if values is not None and len(values) <= VALUES else None


def _choice(advised: Advised, choice: Choice, cost: ChoiceCost) -> AdvisedChoice:
    """Return the record of a choice of generalization levels. cost: its measures of utility."""
    return AdvisedChoice(
        choice == advised.best,
        choice.loss,
        choice.people,
        cost.promised,
        tuple(cost.released_bits),
        cost.two_way,
        cost.predicted,
        choice.levels,
        tuple(advised.level_names(choice)),
    )

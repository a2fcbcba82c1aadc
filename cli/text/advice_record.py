"""What `veilmix advise` prints with `--format json`, by definition."""

from ...analysis.advice import Choice
from ...analysis.advice.information_kept import Prediction
from ...analysis.scoring.set_scores import PROMISED_BY
from ...scenarios.serialization.record import Record
from ...scenarios.tables.advise import Advised, Cost


class AdvisedChoice(Record, frozen=True):
    """A choice of the frontier, and what it costs.

    Attributes:
        advised: whether it is the one that is advised.
        loss: what is lost of the columns, 0 to 1.
        people_below_k: in a crowd smaller than k.
        promised: at most so many, by the counts of the columns alone.
        bits_kept: of each column.
        two_way: mean distance of two-way tables; None where it was not measured.
        prediction: of a column that was named; None: none was.
        levels: of each column, by number.
        says: of each column, the name of its level.
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
    """A column, and what to say of it.

    Attributes:
        column: its name.
        feature: the keys of its [[feature]]; None: it is left out.
        says: the name of the level that is advised.
        levels: the names of all of them, from fine to coarse.
        people_below_k_one_step_finer: None where there is no finer level.
    """

    column: str
    feature: dict[str, object] | None
    says: str
    levels: tuple[str, ...]
    people_below_k_one_step_finer: int | None


class AdvisedTable(Record, frozen=True):
    """Advice on a table.

    Attributes:
        data: what the table is called.
        read: how it was read, in words.
        users: people in it.
        k: people in the smallest crowd wanted.
        max_exposure: the share of people who may be in a smaller one.
        left_out: columns that nobody is asked about.
        by: whether truth or the promise decides.
        promised_by: the bound by which choices are promised.
        exact: whether no choice loses less.
        bound: no choice loses less than this.
        counted: counts of the table that the search took.
        people_below_k_as_it_is: in a crowd smaller than k, with every column as it is.
        columns: those that are asked about.
        choices: of the frontier.
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


def advised_table(advised: Advised, called: str) -> AdvisedTable:
    """All of the advice on a table that is called so."""
    search, table = advised.found, advised.table
    columns = (
        AdvisedColumn(
            column.ladder.column,
            column.steps[level],
            column.ladder.levels[level].name,
            tuple(rung.name for rung in column.ladder.levels),
            finer,
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
        tuple(judged.column for judged in table.judged if judged.column not in table.columns),
        str(advised.by),
        PROMISED_BY,
        search.exact,
        search.bound,
        search.counted,
        advised.before,
        tuple(columns),
        tuple(_choice(advised, *pair) for pair in advised.choices),
    )


def _choice(advised: Advised, choice: Choice, cost: Cost) -> AdvisedChoice:
    return AdvisedChoice(
        choice == advised.best,
        choice.loss,
        choice.people,
        cost.promised,
        tuple(cost.kept),
        cost.two_way,
        cost.predicted,
        choice.levels,
        tuple(advised.level_names(choice)),
    )

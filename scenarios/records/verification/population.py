"""The true rows of the people of a run, known to the laboratory and to no party.

The rows come from the sealed answers in a full transcript. For an ideal or a very large run, the
seed draws the same people again. The rows are used only if their counts are the counted ones: a
source that has changed would give other people and a wrong truth.
"""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....errors import LocalError
from ...programs.registry import samples
from ...programs.topology import topology_of
from ..result_file import Run
from .views import board, record_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Row = tuple[str, ...]


def people(run: Run) -> "npt.NDArray[np.int64] | None":
    """Return the rows of the people of the release as integer codes, an array of people by columns.

    None if the rows are unknown.
    """
    if not run.result.marginals:
        return None
    if run.scenario.population.setting == "fixed" and (rows := _sealed(run)):
        return _codes(rows) if _agree(rows, run) else None
    return _drawn_people(run)


def _sealed(run: Run) -> list[Row]:
    """Return the row that each person sealed in round 1; [] if answers are not recorded."""
    if run.transcript is None or not run.transcript.sealed_answers:
        return []
    if topology_of(run.scenario).untold:  # the record of a run among peers gives each row directly
        truth = record_of(run).truth
        columns = range(len(run.result.features))
        return [tuple(row[column] for column in columns) for _, row in sorted(truth.items())]
    calls = board(run).calls
    queries = next((call.asks for call in calls if call.round == 1), ())
    names = run.result.features
    rows = []
    for message in run.transcript.sealed_answers:
        if message.round != 1:
            continue
        values_by_column: dict[int, str] = {}
        for ask, values in message.answers:
            values_by_column.update(zip(queries[ask], values, strict=True))
        if len(values_by_column) < len(names):
            return []
        rows.append(tuple(values_by_column[column] for column in range(len(names))))
    return rows


def _drawn_people(run: Run) -> "npt.NDArray[np.int64] | None":
    """Return the people of the release's round, drawn from the seed; None if they are unknown.

    The people of round 1 must have the counts of the run.
    """
    import numpy as np

    seed = run.result.seed
    if seed is None:
        return None
    try:
        crowd = samples(run.scenario, seed)
    except LocalError:  # the source of the people is missing or has changed
        return None
    codes = crowd.people.codes[: crowd.first]
    rows = [
        tuple(texts[code] for texts, code in zip(crowd.people.values, row, strict=True))
        for row in codes.tolist()
    ]
    if not _agree(rows, run):
        return None
    return np.asarray(crowd.people.codes[0 if crowd.fixed else crowd.first :], dtype=np.int64)


def _agree(rows: Sequence[Row], run: Run) -> bool:
    """Whether rows (a row for each person) have the marginal counts of the run."""
    marginals = run.result.marginals
    return all(
        Counter(column) == Counter(marginals[name])
        for name, column in zip(run.result.features, zip(*rows, strict=True), strict=True)
    )


def _codes(rows: Sequence[Row]) -> "npt.NDArray[np.int64]":
    """Return rows of texts as integer codes, an array of people by columns."""
    import numpy as np

    columns = []
    for column in zip(*rows, strict=True):
        numbers = {value: code for code, value in enumerate(sorted(set(column)))}
        columns.append([numbers[value] for value in column])
    return np.array(columns, dtype=np.int64).T

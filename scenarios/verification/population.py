"""The people of a run, one row each: what the laboratory knows of it and no party does.

A full transcript holds what every person sealed; of an ideal run, or of one too large for that, a
seed draws the same people again. What is found is used only if its counts are those that were
read: a table of other people would give a wrong truth.
"""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...errors import LocalError
from ..programs.registry import samples
from ..programs.topology import topology_of
from ..records.result_file import Run
from .views import board, record_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Row = tuple[str, ...]


def people(run: Run) -> "npt.NDArray[np.int64] | None":
    """Codes (n x d) of the people whom the release is about; None where they cannot be known."""
    if not run.result.marginals:
        return None
    if run.scenario.population.setting == "fixed" and (rows := _sealed(run)):
        return _codes(rows) if _agree(rows, run) else None
    return _drawn(run)


def _sealed(run: Run) -> list[Row]:
    """What each person said of every feature in round 1; [] where that was not recorded."""
    if run.transcript is None or not run.transcript.made:
        return []
    if topology_of(run.scenario).untold:  # whoever takes part says its row on the board
        truth = record_of(run).truth
        columns = range(len(run.result.features))
        return [tuple(row[column] for column in columns) for _, row in sorted(truth.items())]
    calls = board(run).calls
    asks = next((call.asks for call in calls if call.round == 1), ())
    names = run.result.features
    rows = []
    for made in run.transcript.made:
        if made.round != 1:
            continue
        said: dict[int, str] = {}
        for ask, values in made.answers:
            said.update(zip(asks[ask], values, strict=True))
        if len(said) < len(names):
            return []
        rows.append(tuple(said[column] for column in range(len(names))))
    return rows


def _drawn(run: Run) -> "npt.NDArray[np.int64] | None":
    """The people that the seed draws, those of the round that was released."""
    import numpy as np

    seed = run.result.seed
    if seed is None:
        return None
    try:
        crowd = samples(run.scenario, seed)
    except LocalError:  # the table is not there any more, or another one
        return None
    counted = crowd.people.codes[: crowd.first]
    rows = [
        tuple(texts[code] for texts, code in zip(crowd.people.values, row, strict=True))
        for row in counted.tolist()
    ]
    if not _agree(rows, run):
        return None
    return np.asarray(crowd.people.codes[0 if crowd.fixed else crowd.first :], dtype=np.int64)


def _agree(rows: Sequence[Row], run: Run) -> bool:
    """Whether rows have the counts that were read."""
    marginals = run.result.marginals
    return all(
        Counter(column) == Counter(marginals[name])
        for name, column in zip(run.result.features, zip(*rows, strict=True), strict=True)
    )


def _codes(rows: Sequence[Row]) -> "npt.NDArray[np.int64]":
    import numpy as np

    columns = []
    for column in zip(*rows, strict=True):
        numbers = {value: code for code, value in enumerate(sorted(set(column)))}
        columns.append([numbers[value] for value in column])
    return np.array(columns, dtype=np.int64).T

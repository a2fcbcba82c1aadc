"""The numbers of lesson 6, find me: how many households can be found by the columns known of them.

The households are drawn from the table `rochdale`, as a scenario draws its people. A household is
found if nobody else has its answers in the known columns: `Identified.certain` of `find_people`,
with all columns released.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from veilmix.analysis.exposure import joint_counts
from veilmix.analysis.exposure.cells import cells_of
from veilmix.analysis.reidentification import find_people
from veilmix.scenarios.populations.build import population
from veilmix.scenarios.populations.tables import shipped
from veilmix.scenarios.schema.model import PopulationSection

SOURCE, PEOPLE, SEED = "rochdale", 300, 6
SEEDS = tuple(range(1, 21))  # of the draws that give the range
COLUMNS = 8
SETS = 1 << COLUMNS


@cache
def draw(seed: int) -> NDArray[np.int32]:
    """Return the answers of the households of a draw: 0 or 1, shape (households, columns)."""
    return population(PopulationSection(source=f"builtin:{SOURCE}", users=PEOPLE), (), seed).codes


def columns_of(mask: int) -> list[int]:
    """Return the columns of a set: column j is in it if bit j is 1."""
    return [column for column in range(COLUMNS) if mask >> column & 1]


@cache
def found(mask: int, seed: int = SEED) -> int:
    """Return the number of households that are found by whoever knows a set of columns of all."""
    return find_people(draw(seed), columns_of(mask)).certain if mask else 0


def table() -> dict[str, Any]:
    """Return the table: `lessons/tables.py` says what is in it."""
    least, most = _range(SEEDS)
    return {
        "lesson": 6,
        "source": f"veilmix find_people, builtin:{SOURCE}, users = {PEOPLE}, seed {SEED}",
        "seeds": SEEDS,
        "truth": found(SETS - 1),
        "range": [least, most],
        "facts": {
            "people": PEOPLE,
            "columns": COLUMNS,
            "all": shipped(SOURCE).n,
            "draws": len(SEEDS),
            "least": least,
            "most": most,
            "sets": SETS,
            "age": _age(),
            **_counted(draw(SEED)),
        },
        "sheet": {
            "columns": list(range(1, COLUMNS + 1)),
            "rows": [PEOPLE],
            "cells": [[found((1 << many) - 1) for many in range(1, COLUMNS + 1)]],
        },
        "picture": {
            "columns": [f"l6-column-{column}" for column in range(COLUMNS)],
            "rows": ["".join(map(str, row)) for row in _mixed(draw(SEED)).tolist()],
            "found": [found(mask) for mask in range(SETS)],
            "start": _first_found(_mixed(draw(SEED))),
        },
    }


def _range(seeds: Sequence[int]) -> list[int]:
    """Return the least and the most households that all columns find, over draws."""
    all_found = [found(SETS - 1, seed) for seed in seeds]
    return [min(all_found), max(all_found)]


def _mixed(rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the rows in a random order: a draw keeps alike households side by side."""
    return np.random.default_rng(SEED).permutation(rows)


def _first_found(rows: NDArray[np.int32]) -> int:
    """Return the place of a household that is found by all columns together."""
    cells = cells_of(rows, range(COLUMNS)).tolist()
    return next(at for at, cell in enumerate(cells) if cells.count(cell) == 1)


def _counted(rows: NDArray[np.int32]) -> dict[str, int]:
    everywhere = joint_counts(rows, range(COLUMNS))
    return {
        "cells": len(everywhere),
        "largest": int(everywhere.max()),
        "smallest": min(int(joint_counts(rows, [column]).min()) for column in range(COLUMNS)),
        "others": COLUMNS - 1,
        "others_found": found(SETS - 2),
        "learnt": _learnt(rows),
        "safe": max(len(known) for known in _sets() if found(_mask(known)) == 0),
    }


def _age() -> int:
    """Return the age in the values of the column of the wife's age, "over" and "under" it."""
    (age,) = {text.split()[-1] for text in shipped(SOURCE).values[1]}
    return int(age)


def _learnt(rows: NDArray[np.int32]) -> int:
    """Return the number of households with a first answer that all alike in the others give."""
    cells = cells_of(rows, range(1, COLUMNS))
    return sum(len(set(rows[cells == cell, 0].tolist())) == 1 for cell in cells)


def _sets() -> Iterator[tuple[int, ...]]:
    return chain.from_iterable(combinations(range(COLUMNS), many) for many in range(COLUMNS + 1))


def _mask(known: Sequence[int]) -> int:
    return sum(1 << column for column in known)


def samples(known: dict[str, Any]) -> Iterator[tuple[object, object]]:
    """Yield cells of a table with the same computed anew: those that cost little."""
    for mask in (1, 7, 100, 254, 255):
        yield known["picture"]["found"][mask], found(mask)
    for name, value in _counted(draw(SEED)).items():
        yield known["facts"][name], value
    yield known["range"], _range(known["seeds"])

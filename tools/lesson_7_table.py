"""The numbers of lesson 7, your own table: what share of people is in a small crowd.

People are drawn from the table `drinking`, as a scenario draws them; a coarser column is a
`[[feature]]` with `merge`, one that is left out is no feature. A person is below k if fewer than k
people have its values in all columns.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from veilmix.analysis.exposure import Crowds, joint_counts
from veilmix.scenarios.populations.build import population
from veilmix.scenarios.populations.tables import shipped
from veilmix.scenarios.schema.model import FeatureSection, PopulationSection

SOURCE, PEOPLE, SEED, K = "drinking", 300, 7, 5
SEEDS = tuple(range(1, 21))  # of the draws that give the range
MERGED = {
    "place": {
        "near Copenhagen": ("Copenhagen", "suburb of Copenhagen"),
        "elsewhere": ("large city", "city", "country"),
    },
    "status": {"not married": ("unmarried", "widowed")},
    "income": {"up to 100": ("0-50", "50-100"), "over 100": ("100-150", "over 150")},
    "alcohol": {"1 and more": ("1-2", "over 2")},
}
COLUMNS = tuple(MERGED)
EXACT, COARSER, OUT = LEVELS = (0, 1, 2)
CROWDS = (2, 3, 5, 10, 20)  # k of the picture
SHEET_CROWDS = (3, 5, 10)
Choice = tuple[int, ...]  # the level of each column


def feature(column: str, level: int) -> FeatureSection:
    """Return a column as a scenario asks for it."""
    return FeatureSection(name=column, merge=MERGED[column] if level == COARSER else None)


@cache
def codes(choice: Choice, seed: int = SEED, people: int | None = PEOPLE) -> NDArray[np.int32]:
    """Return the rows of a draw; without a number of people those of the whole table."""
    asked = [feature(column, level) for column, level in zip(COLUMNS, choice, strict=True)]
    kept = [each for each, level in zip(asked, choice, strict=True) if level != OUT]
    section = PopulationSection(source=f"builtin:{SOURCE}", users=people)
    return population(section, kept, seed).codes


def crowds(choice: Choice, seed: int = SEED, people: int | None = PEOPLE) -> Crowds:
    """Return the crowds of a choice of levels."""
    if set(choice) == {OUT}:
        return Crowds.from_cells([people])
    rows = codes(choice, seed, people)
    return Crowds.from_cells(joint_counts(rows, range(rows.shape[1])))


def percent(choice: Choice, k: int = K, seed: int = SEED, people: int | None = PEOPLE) -> float:
    """Return the percentage of people below k."""
    return round(100 * crowds(choice, seed, people).exposure(k), 1)


ALL_EXACT, ALL_COARSER = (EXACT,) * len(COLUMNS), (COARSER,) * len(COLUMNS)
WITHOUT_FIRST = (OUT, EXACT, EXACT, EXACT)


def table() -> dict[str, Any]:
    """Return the table: `lessons/tables.py` says what is in it."""
    least, most = _range(SEEDS)
    values = [len(texts) for texts in shipped(SOURCE).values]
    return {
        "lesson": 7,
        "source": f"veilmix, crowds of builtin:{SOURCE}, users = {PEOPLE}, seed {SEED}",
        "seeds": SEEDS,
        "truth": percent(ALL_EXACT),
        "range": [least, most],
        "facts": {
            "k": K,
            "people": PEOPLE,
            "places": values[0],
            "statuses": values[1],
            "incomes": values[2],
            "drinks": values[3],
            "sets": int(np.prod(values)),
            "cells": len(joint_counts(codes(ALL_EXACT), range(len(COLUMNS)))),
            "income": int(MERGED["income"]["up to 100"][-1].split("-")[1]),
            "draws": len(SEEDS),
            "least": least,
            "most": most,
            "whole": shipped(SOURCE).n,
            "whole_percent": percent(ALL_EXACT, people=None),
            "coarser": percent(ALL_COARSER),
            "without": percent(WITHOUT_FIRST),
        },
        "sheet": {
            "columns": list(range(len(COLUMNS) + 1)),
            "rows": SHEET_CROWDS,
            "cells": [
                [percent(_first_coarser(many), k) for many in range(len(COLUMNS) + 1)]
                for k in SHEET_CROWDS
            ],
        },
        "picture": {
            "columns": [_column(at) for at in range(len(COLUMNS))],
            "k": CROWDS,
            "start": CROWDS.index(K),
            "people": PEOPLE,
            "crowds": [_groups(choice) for choice in product(LEVELS, repeat=len(COLUMNS))],
        },
    }


def _range(seeds: Sequence[int]) -> list[float]:
    """Return the least and the largest percentage below k, over draws."""
    found = [percent(ALL_EXACT, seed=seed) for seed in seeds]
    return [min(found), max(found)]


def _first_coarser(many: int) -> Choice:
    return tuple(COARSER if at < many else EXACT for at in range(len(COLUMNS)))


def _column(at: int) -> dict[str, Any]:
    """Return the name of a column, of its coarser values, and how many values it has."""
    return {
        "key": f"l7-column-{at}",
        "coarser": f"l7-coarser-{at}",
        "values": len(shipped(SOURCE).values[at]),
    }


def _groups(choice: Choice) -> dict[str, tuple[int, ...]]:
    """Return the sizes of crowds, and the people in crowds of each size."""
    found = crowds(choice)
    return {"sizes": found.sizes, "people": found.people}


def samples(known: dict[str, Any]) -> Iterator[tuple[object, object]]:
    """Yield cells of a table with the same computed anew: those that cost little."""
    for at, choice in enumerate(product(LEVELS, repeat=len(COLUMNS))):
        if at % 7 == 0:
            groups = {name: list(each) for name, each in _groups(choice).items()}
            yield known["picture"]["crowds"][at], groups
    yield known["truth"], percent(ALL_EXACT)
    yield known["range"], _range(known["seeds"])
    yield known["facts"]["whole_percent"], percent(ALL_EXACT, people=None)

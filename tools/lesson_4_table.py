"""The numbers of lesson 4, why the slack: how often a promise about two columns is broken.

In a table of people and two columns of yes and no, t is the smallest share of a value in each
column: by itself, no column exposes anybody below t. The promise without a term is that both
columns together expose nobody below c t1 t2; Theorem 3 of paper 000 adds c: at most this share of
the people. A run draws a table, and compares both with the share that is exposed.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from math import prod
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng
from numpy.typing import NDArray
from veilmix.analysis.composition import theorem3
from veilmix.analysis.composition.tightness_examples import strict_example
from veilmix.analysis.exposure import joint_counts

SEED, RUNS = 4, 100
PEOPLE = (20, 50, 100, 200, 500, 1_000, 2_000)
CS = tuple(Fraction(1, inverse) for inverse in (1, 2, 5, 10, 20, 50, 100))
ODD = 5  # people who answer the second question otherwise, at most
KIND, CROWD, C = "alike", 100, Fraction(1, 10)  # of the question
SHEET_C, SHEET_PEOPLE = (CS[0], CS[3], CS[-1]), PEOPLE[::2]

Codes = NDArray[np.int64]


def alike(chance: Generator, people: int) -> Codes:
    """Draw two columns that are equal, except for 1 to `ODD` people."""
    first = chance.integers(0, 2, people)
    second = first.copy()
    odd = chance.choice(people, chance.integers(1, ODD, endpoint=True), replace=False)
    second[odd] = 1 - second[odd]
    return np.stack([first, second], axis=1)


def apart(chance: Generator, people: int) -> Codes:
    """Draw two columns that have nothing to do with each other."""
    return chance.integers(0, 2, (people, 2))


KINDS: Mapping[str, Callable[[Generator, int], Codes]] = {"alike": alike, "apart": apart}


@cache
def broken(kind: str, people: int, c: Fraction) -> tuple[int, int]:
    """Return the runs in which the promise is broken: without a term, and with it."""
    tables = drawn(kind, people)
    found = [verdict(columns, c) for columns in tables]
    return sum(without for without, _ in found), sum(with_term for _, with_term in found)


@cache
def drawn(kind: str, people: int) -> tuple[Codes, ...]:
    """Draw the tables of all runs with a kind of columns and so many people."""
    chance = default_rng((SEED, people, list(KINDS).index(kind)))
    return tuple(KINDS[kind](chance, people) for _ in range(RUNS))


def verdict(columns: Codes, c: Fraction) -> tuple[bool, bool]:
    """Whether a table breaks the promise without a term, and with it."""
    people = len(columns)
    counts = [np.bincount(column) for column in columns.T]
    least = [Fraction(int(min(count[count > 0])), people) for count in counts]
    crowds = joint_counts(columns, [0, 1]).tolist()
    limit = c * least[0] * least[1] * people
    exposed = Fraction(sum(crowd for crowd in crowds if crowd < limit), people)
    return exposed > 0, exposed > theorem3(counts, least, c).value


def table() -> dict[str, Any]:
    """Return the table: `lessons/tables.py` says what is in it."""
    cells = {kind: [[broken(kind, people, c) for c in CS] for people in PEOPLE] for kind in KINDS}
    every = [cell for rows in cells.values() for row in rows for cell in row]
    worst, room = strict_example(CS[-1]), strict_example(CS[0])
    return {
        "lesson": 4,
        "source": f"Theorem 3 of paper 000 on {RUNS} tables for each point, seed {SEED}",
        "seeds": [SEED],
        "truth": broken(KIND, CROWD, C)[0],
        "facts": {
            "runs": RUNS,
            "people": CROWD,
            "c": float(C),
            "odd": ODD,
            "points": len(every),
            "all_runs": RUNS * len(every),
            "with_term": sum(with_term for _, with_term in every),
            "largest": PEOPLE[-1],
            "largest_broken": broken(KIND, PEOPLE[-1], C)[0],
            "least_c": float(CS[-1]),
            "least_broken": broken(KIND, PEOPLE[-1], CS[-1])[0],
            "apart_broken": broken("apart", CROWD, C)[0],
            "least_share": float(CS[-1]),
            "worst_people": len(worst.table),
            "room": len(room.table),
            "room_half": len(room.table) // 2,
            "room_c": float(room.c),
            "room_limit": round(float(room.c * prod(room.thresholds) * len(room.table)), 2),
        },
        "sheet": {
            "columns": SHEET_PEOPLE,
            "rows": [float(c) for c in SHEET_C],
            "cells": [[broken(KIND, n, c)[0] for n in SHEET_PEOPLE] for c in SHEET_C],
        },
        "picture": {
            "runs": RUNS,
            "people": PEOPLE,
            "c": [float(c) for c in CS],
            "kinds": [f"l4-{kind}" for kind in KINDS],
            "start": [PEOPLE.index(CROWD), CS.index(C), list(KINDS).index(KIND)],
            "broken": list(cells.values()),
        },
    }


def samples(known: dict[str, Any]) -> Iterator[tuple[object, object]]:
    """Yield cells of a table with the same computed anew: those that cost little."""
    picture = known["picture"]
    for kind, people, c in ((0, 0, 0), (0, 3, 3), (0, 6, 6), (1, 0, 1), (1, 3, 3)):
        point = list(KINDS)[kind], picture["people"][people], CS[c]
        yield tuple(picture["broken"][kind][people][c]), broken(*point)
    worst = strict_example(CS[-1])
    yield (known["facts"]["worst_people"], True), (len(worst.table), worst.joint > worst.columns)

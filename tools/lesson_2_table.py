"""The numbers of lesson 2, a crowd buys columns: how many columns so many people may release.

Each run is one of `veilmix sweep more-people`: people drawn from the census, the coverage bound.
The price of c columns in a draw is the smallest crowd of `CROWDS` from which on, at every larger
one, at least c columns are released.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from statistics import median_low
from typing import Any

from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.studies.sweeps.sweep import play_one
from veilmix.scenarios.studies.sweeps.sweep_file import SweepLine
from veilmix.scenarios.studies.sweeps.sweep_plan import plan

SCENARIO, SEED, DRAWS = "more-people", 5, 5
K, SHARE = 10, 0.05  # of the question
SCHOOL = 800  # pupils, of the last exercise
PEOPLE = tuple(100 * 2**step for step in range(9))
CROWD_SIZES = (2, 5, 10, 20, 30)
SHARES = (0.01, 0.05, 0.1)
CROWDS = (
    *range(200, 1_000, 50),
    *range(1_000, 4_000, 200),
    *range(4_000, 16_000, 1_000),
    *range(16_000, 31_000, 2_000),
)
SHEET_SIZES = (5, 10, 20)  # rows of the hand-out


@cache
def runs(people: int, k: int, share: float) -> tuple[SweepLine, ...]:
    """Play a point of the sweep: a line for each draw."""
    point = {
        "population.users": (people,),
        "policy.rule": ("coverage",),
        "policy.k": (k,),
        "policy.max_exposure": (share,),
    }
    jobs = plan(load(SCENARIO), point, repeats=DRAWS, seed=SEED, mode="ideal")
    return tuple(play_one(job) for job in jobs)


def released(people: int, k: int, share: float) -> tuple[int, ...]:
    """Return the number of released columns of each draw."""
    return tuple(len(line.result["decision"]["kept"]) for line in runs(people, k, share))


def columns(people: int, k: int, share: float) -> int:
    """Return the median of the draws."""
    return median_low(released(people, k, share))


def prices(wanted: int) -> list[int]:
    """Return, for each draw, the smallest crowd from which on so many columns are released."""
    found = [released(people, K, SHARE) for people in CROWDS]
    return [_first(lambda at, d=draw: found[at][d] >= wanted) for draw in range(DRAWS)]


def _first(enough: Callable[[int], bool]) -> int:
    short = max((at for at in range(len(CROWDS)) if not enough(at)), default=-1)
    return CROWDS[short + 1]


def table() -> dict[str, Any]:
    """Return the table: `lessons/tables.py` says what is in it."""
    census = _census()
    cells = [[[columns(n, k, e) for n in PEOPLE] for k in CROWD_SIZES] for e in SHARES]
    two, three, four = (sorted(prices(wanted)) for wanted in (2, 3, 4))
    middle = [median_low(price) for price in (two, three, four)]
    return {
        "lesson": 2,
        "source": f"veilmix sweep {SCENARIO} --mode ideal, policy.rule = coverage, seed {SEED}",
        "seeds": sorted({line.seed for line in runs(PEOPLE[0], K, SHARE)}),
        "truth": middle[1],
        "range": [three[0], three[-1]],
        "marks": [
            {"at": middle[0], "key": "l2-mark-before"},
            {"at": middle[2], "key": "l2-mark-after"},
        ],
        "facts": {
            "k": K,
            "share": SHARE,
            "people": middle[0],
            "least": three[0],
            "most": three[-1],
            "next": middle[2],
            "race_values": census[2][1],
            "work_values": census[3][1],
            "times": round(middle[1] / middle[0]),
            "next_times": round(middle[2] / middle[1]),
            "points": len(PEOPLE) * len(CROWD_SIZES) * len(SHARES),
            "draws": DRAWS,
            **_counted(),
            **_doubling(cells[SHARES.index(SHARE)]),
            "school": SCHOOL,
            "school_columns": columns(SCHOOL, K, SHARE),
        },
        "sheet": {
            "columns": PEOPLE[1:],
            "rows": SHEET_SIZES,
            "cells": [[columns(n, k, SHARE) for n in PEOPLE[1:]] for k in SHEET_SIZES],
        },
        "picture": {
            "people": PEOPLE,
            "k": CROWD_SIZES,
            "shares": SHARES,
            "start": [PEOPLE.index(middle[0]), CROWD_SIZES.index(K), SHARES.index(SHARE)],
            "columns": [
                {"key": f"l2-column-{at}", "values": n} for at, (_, n) in enumerate(census)
            ],
            "released": cells,
        },
    }


def _census() -> list[tuple[str, int]]:
    """Return the columns in the order in which crowds buy them, each with its number of values."""
    line = runs(PEOPLE[-1], CROWD_SIZES[0], SHARES[-1])[0]
    counts = line.result["marginals"]
    return [(name, len(counts[name])) for name in line.result["decision"]["kept"]]


def _counted() -> dict[str, int]:
    """Return the number of runs; of those with more exposed than promised; of other columns."""
    found = [
        line.result
        for people in PEOPLE
        for k in CROWD_SIZES
        for share in SHARES
        for line in runs(people, k, share)
    ]
    exposure = [each["exposure"] for each in found]
    order = [name for name, _ in _census()]
    kept = [each["decision"]["kept"] for each in found]
    return {
        "runs": len(found),
        "over": sum(each["true"] > each["promised"] for each in exposure),
        "others": sum(names != order[: len(names)] for names in kept),
    }


def _doubling(cells: Sequence[Sequence[int]]) -> dict[str, int]:
    """Return how many times the people as many columns cost if k is doubled: the median."""
    place = {k: at for at, k in enumerate(CROWD_SIZES)}
    pairs = [(place[k], place[2 * k]) for k in CROWD_SIZES if 2 * k in place]
    times = [
        PEOPLE[_reach(cells[double], wanted)] // PEOPLE[_reach(cells[single], wanted)]
        for single, double in pairs
        for wanted in (2, 3, 4)
        if max(cells[double]) >= wanted and cells[single][0] < wanted
    ]
    return {"double": median_low(times)}


def _reach(cells: Sequence[int], wanted: int) -> int:
    return next(at for at, found in enumerate(cells) if found >= wanted)


def samples(known: dict[str, Any]) -> Iterator[tuple[object, object]]:
    """Yield cells of a table with the same computed anew: those that cost little."""
    picture = known["picture"]
    for e, k, n in ((1, 2, 2), (1, 1, 1), (0, 0, 3), (2, 4, 4), (1, 2, 5)):
        point = picture["people"][n], picture["k"][k], picture["shares"][e]
        yield picture["released"][e][k][n], columns(*point)
    people = known["facts"]["people"]
    before = CROWDS[CROWDS.index(people) - 1]
    yield (True, True), (columns(people, K, SHARE) >= 2, columns(before, K, SHARE) < 2)
    yield known["facts"]["school_columns"], columns(known["facts"]["school"], K, SHARE)

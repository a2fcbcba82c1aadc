"""The numbers of lesson 5, lie a little: what noise costs, and what a crowd adds to it.

People answer a yes-or-no question with `GRR(2, epsilon)`: they lie with probability
1 / (1 + e^epsilon). The factor of a suspicion is e^epsilon; after shuffling, epsilon is the
probabilistic one, so that outcomes with a larger factor occur with probability `DELTA` at most.
"""

from collections.abc import Iterator
from functools import cache
from math import ceil, exp
from typing import Any

import numpy as np
from veilmix.analysis.randomizers import GRR
from veilmix.analysis.shuffled import epsilon_for, local_epsilon

SEED, DRAWS, DELTA, YES, SURE = 5, 8, 1e-6, 0.3, 0.95
EPSILONS = (0.25, 0.5, 1.1, 1.6, 2.0, 3.0, 4.0, 6.0)
PEOPLE = (10, 30, 100, 300, 1_000, 3_000)
START = PEOPLE.index(30), EPSILONS.index(1.1)
START_EPSILON = EPSILONS[START[1]]
SCHOOL, CLASS, ALONE = 1_000, 30, 4  # of the question: people, and a lie in so many answers
DIE = 6  # sides
FEW, MANY = 100, 1_000  # people, of the second exercise
SHEET_EPSILONS, SHEET_PEOPLE = (1.1, 2.0, 3.0), (30, 300, 3_000)


def alone(lie: float) -> float:
    """Return the factor by which one answer may strengthen a suspicion, without a mix."""
    return exp(local_epsilon(lie))


@cache
def shuffled(people: int, lie: float) -> float:
    """Return the factor by which the shuffled answers of all may strengthen a suspicion."""
    return exp(epsilon_for(people, lie, DELTA, "probabilistic"))


def enough(people: int, factor: float) -> int:
    """Return the largest m, at least `ALONE`, for which a lie in m answers keeps a factor."""
    most = ALONE
    while shuffled(people, 1 / (2 * most)) <= factor:
        most *= 2
    least = most
    most *= 2
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if shuffled(people, 1 / middle) <= factor else (least, middle)
    return least


@cache
def draws(people: int, epsilon: float) -> tuple[tuple[float, float, float], ...]:
    """Return low, estimated and high share of each draw of lies."""
    noise = GRR(2, epsilon)
    answers = np.arange(people) < round(YES * people)
    found = []
    for draw in range(DRAWS):
        reports = noise.sample(answers.astype(np.int64), np.random.default_rng([SEED + draw]))
        estimate = noise.estimate(reports)
        low, high = (float(end[1]) for end in estimate.interval(SURE))
        found.append((round(low, 3), round(float(estimate.projected()[1]), 3), round(high, 3)))
    return tuple(found)


def up(factor: float) -> float:
    """Round a factor up, to three digits or two decimals."""
    scale = 100 if factor < 100 else 1
    return ceil(factor * scale) / scale


def table() -> dict[str, Any]:
    """Return the table: `lessons/tables.py` says what is in it."""
    lies = [lie_of(epsilon) for epsilon in EPSILONS]
    truth = enough(SCHOOL, alone(1 / ALONE))
    return {
        "lesson": 5,
        "source": f"veilmix GRR(2, epsilon), epsilon_for(.., {DELTA:g}, 'probabilistic')",
        "seeds": list(range(SEED, SEED + DRAWS)),
        "truth": truth,
        "marks": [{"at": ALONE, "key": "l5-mark-alone"}],
        "facts": {
            "school": SCHOOL,
            "class": CLASS,
            "alone": ALONE,
            "factor": round(alone(1 / ALONE), 9),
            "class_enough": enough(CLASS, alone(1 / ALONE)),
            "lies": round(SCHOOL / truth),
            "rare": round(1 / DELTA),
            "yes_share": YES,
            "sure_share": SURE,
            "die": round(alone(1 / DIE), 9),
            **_measured(),
        },
        "sheet": {
            "columns": SHEET_PEOPLE,
            "rows": SHEET_EPSILONS,
            "cells": [[up(shuffled(n, lie_of(e))) for n in SHEET_PEOPLE] for e in SHEET_EPSILONS],
        },
        "picture": {
            "people": PEOPLE,
            "epsilons": EPSILONS,
            "start": START,
            "yes": YES,
            "truths": [round(1 - lie, 3) for lie in lies],
            "alone": [up(alone(lie)) for lie in lies],
            "shuffled": [[up(shuffled(n, lie)) for n in PEOPLE] for lie in lies],
            "draws": [[draws(n, epsilon) for n in PEOPLE] for epsilon in EPSILONS],
        },
    }


def lie_of(epsilon: float) -> float:
    """Return the probability of a lie."""
    return GRR(2, epsilon).lie


def _measured() -> dict[str, float]:
    """Return how many intervals hold the truth, and the mean width for a few and many people."""
    all_draws = [each for n in PEOPLE for epsilon in EPSILONS for each in draws(n, epsilon)]
    few, many = (np.array(draws(n, START_EPSILON)) for n in (FEW, MANY))
    return {
        "asked": len(all_draws),
        "hits": sum(low <= YES <= high for low, _, high in all_draws),
        "epsilon": START_EPSILON,
        "few": FEW,
        "many": MANY,
        "times": MANY // FEW,
        "few_share": _width(few),
        "many_share": _width(many),
        "narrower": round(_width(few) / _width(many)),
    }


def _width(drawn: np.ndarray[Any, Any]) -> float:
    return round(float((drawn[:, 2] - drawn[:, 0]).mean()), 2)


def samples(known: dict[str, Any]) -> Iterator[tuple[object, object]]:
    """Yield cells of a table with the same computed anew: those that cost little."""
    picture = known["picture"]
    for e, n in ((0, 0), (1, 2), (2, 1), (4, 3), (7, 4)):
        people, epsilon = picture["people"][n], picture["epsilons"][e]
        yield picture["shuffled"][e][n], up(shuffled(people, lie_of(epsilon)))
        yield picture["draws"][e][n], [list(each) for each in draws(people, epsilon)]
    truth = known["truth"]
    kept = [shuffled(SCHOOL, 1 / lies) <= alone(1 / ALONE) for lies in (truth, truth + 1)]
    yield [True, False], kept
    yield known["facts"]["class_enough"], enough(CLASS, alone(1 / ALONE))

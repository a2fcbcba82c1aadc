"""The same figures as Anonymeter 1.1.0 and pycanon 1.0.1, which were run on these small tables.

Distances in the tables have no ties, and all predicates that isolate a row were asked for, so their
attacks leave nothing to chance.
"""

from math import floor

import numpy as np
import pytest
from veilmix.analysis.release_risks import (
    Inference,
    Linkability,
    ReleaseAttack,
    ask,
    diversity,
    singling_out,
)

Row = tuple[int | str, ...]
X, Y, C, S = range(4)


def people(start: int) -> list[Row]:
    return [
        (
            i * 7919 % 1009,
            i * 104729 % 997,
            "abc"[i * i % 7 % 3],
            "uvwxyz"[(i * 31 % 1009 + i // 5) % 6],
        )
        for i in range(start, start + 40)
    ]


def released() -> list[Row]:
    return [
        (int(x) + 5, int(y) - 3, c, s if i % 4 else "uvwxyz"[i % 6])
        for i, (x, y, c, s) in enumerate(people(1))
    ]


def coded(*tables: list[Row]) -> tuple[list[np.ndarray], list[np.ndarray | None]]:
    """Codes of all tables in one coding, and the numbers of the columns that have some."""
    columns = list(zip(*(row for table in tables for row in table), strict=True))
    pairs = [np.unique(np.array(column), return_inverse=True) for column in columns]
    codes = np.stack([place for _, place in pairs], axis=1)
    numbers = [values.astype(float) if values.dtype.kind == "i" else None for values, _ in pairs]
    ends = np.cumsum([len(table) for table in tables])[:-1]
    return np.split(codes, ends), numbers


@pytest.fixture
def release() -> tuple[list[np.ndarray], list[np.ndarray | None]]:
    return coded(released(), people(1), people(41))


@pytest.mark.parametrize(
    ("columns", "isolating", "right", "outside"), [(1, 4, 2, 2), (2, 51, 21, 17), (3, 95, 31, 15)]
)
def test_singling_out_is_anonymeters(
    release: tuple[list[np.ndarray], list[np.ndarray | None]],
    columns: int,
    isolating: int,
    right: int,
    outside: int,
) -> None:
    (held, own, other), numbers = release
    outcome = singling_out(held, own, columns, other, numbers)
    assert outcome.exact
    assert (outcome.isolating, outcome.right.right) == (isolating, right)
    assert outcome.control is not None
    assert outcome.control.right == outside


def asked(release: tuple[list[np.ndarray], list[np.ndarray | None]]) -> list[ReleaseAttack]:
    (held, own, other), numbers = release
    questions = [
        Linkability((X, S), (Y, C)),
        Inference(C, (X, Y, S)),
        Inference(S, (X, Y, C)),
    ]
    return ask(questions, held, own, other, numbers)


@pytest.mark.parametrize(
    ("place", "right", "outside", "risk"),
    [
        (0, 33, 0, (0.7872000431331901, 0.6654701080011372, 0.9089299782652431)),
        (1, 35, 13, (0.7607000393333436, 0.596186466467772, 0.9252136121989153)),
        (2, 33, 11, (0.7114967990579838, 0.5381472204311819, 0.8848463776847857)),
    ],
)
def test_linkability_and_inference_are_anonymeters(
    release: tuple[list[np.ndarray], list[np.ndarray | None]],
    place: int,
    right: int,
    outside: int,
    risk: tuple[float, float, float],
) -> None:
    answer = asked(release)[place]
    assert answer.control is not None
    assert (answer.attack.right, answer.control.right) == (right, outside)
    interval = answer.risk()
    assert (interval.value, interval.low, interval.high) == pytest.approx(risk, abs=1e-12)


def patients() -> list[Row]:
    return [
        (i * i % 5, "mf"[i * i % 7 % 2], i * i * i % 11 * 10 % 70, "pqrs"[i * i % 13 % 4])
        for i in range(1, 201)
    ]


@pytest.mark.parametrize(
    ("known", "sensitive", "k", "l", "entropy", "t"),
    [
        ((0,), 2, 40, 7, 6, 0.030833333333333338),
        ((0,), 3, 40, 4, 3, 0.015000000000000013),
        ((0, 1), 2, 12, 6, 5, 0.05277777777777777),
        ((0, 1), 3, 12, 4, 3, 0.07166666666666666),
    ],
)
def test_k_l_and_t_are_pycanons(
    known: tuple[int, ...], sensitive: int, k: int, l: int, entropy: int, t: float
) -> None:
    (table,), numbers = coded(patients())
    measures = diversity(table, known, sensitive, numbers[sensitive])
    assert (measures.k, measures.l, floor(measures.entropy_l)) == (k, l, entropy)
    assert measures.t == pytest.approx(t, abs=1e-12)

"""k, l and t beside their definitions."""

from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.release_risks import diversity
from veilmix.errors import ParameterError

NUMBERS = np.array([30.0, 10.0, 20.0, 40.0])


@given(st.lists(st.tuples(*(st.integers(0, 3) for _ in range(3))), min_size=1, max_size=30))
@settings(max_examples=80, deadline=None)
def test_k_l_and_t_are_those_of_the_definitions(rows: list[tuple[int, int, int]]) -> None:
    table = np.array(rows)
    classes: dict[tuple[int, int], list[int]] = {}
    for a, b, s in rows:
        classes.setdefault((a, b), []).append(s)
    occurring = sorted({s for *_, s in rows})
    ordered = sorted(occurring, key=lambda s: NUMBERS[s])

    def law(values: list[int], order: list[int]) -> np.ndarray:
        return np.array([values.count(value) / len(values) for value in order])

    everybody = [s for *_, s in rows]
    entropies = [-sum(p * log(p) for p in law(v, occurring) if p) for v in classes.values()]
    apart = [abs(law(v, occurring) - law(everybody, occurring)).sum() / 2 for v in classes.values()]
    steps = [
        abs((law(v, ordered) - law(everybody, ordered)).cumsum()).sum() / max(1, len(ordered) - 1)
        for v in classes.values()
    ]
    measures, order = diversity(table, (0, 1), 2), diversity(table, (0, 1), 2, NUMBERS)
    assert measures.k == min(map(len, classes.values()))
    assert measures.l == min(len(set(v)) for v in classes.values())
    assert measures.entropy_l == pytest.approx(exp(min(entropies)))
    assert measures.t == pytest.approx(max(apart), abs=1e-12)
    assert order.t == pytest.approx(max(steps), abs=1e-12)
    assert measures.classes == len(classes)


def test_without_anything_known_all_are_one_class() -> None:
    measures = diversity(np.array([[0], [1], [1]]), (), 0)
    assert (measures.k, measures.l, measures.t) == (3, 2, 0)


def test_nobody_is_refused() -> None:
    with pytest.raises(ParameterError, match="no rows"):
        diversity(np.zeros((0, 2), int), (0,), 1)

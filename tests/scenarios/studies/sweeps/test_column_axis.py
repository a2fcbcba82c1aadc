"""Sets of columns as an axis: the bound that is promised, against k and the columns."""

import pytest
import veilmix
from veilmix.errors import ScenarioError

FIXED = {"policy.kind": ["fixed"], "policy.k": [2, 5]}
SETS = ("A", "A+B", "A+B+Rh")


@pytest.mark.slow
def test_the_promise_is_measured_for_each_set_and_k() -> None:
    grid = {**FIXED, "policy.keep": SETS}
    swept = veilmix.sweep("blood-type", grid, 1, seed=7, mode="ideal", executor="thread")
    assert {key: set(values) for key, values in swept.axes.items()} == {
        "policy.keep": set(SETS),
        "policy.k": {2, 5},
        "policy.kind": {"fixed"},
    }
    promised = {
        (row["policy.k"], row["policy.keep"]): row["promised exposure"] for row in swept.frames.runs
    }
    assert len(promised) == 6
    for k in (2, 5):
        of_sets = [promised[k, columns] for columns in SETS]
        assert of_sets == sorted(of_sets)
    assert all(promised[2, columns] <= promised[5, columns] for columns in SETS)
    one = veilmix.change(
        veilmix.load("blood-type"), {"policy.kind": "fixed", "policy.k": 5, "policy.keep": "A+B"}
    )
    outcome = veilmix.run(one, swept.lines[0].seed, "ideal", worst_case_nodes=0)
    assert outcome.released_columns == ("A", "B")


def test_a_set_is_changed_by_one_text_or_a_list() -> None:
    scenario = veilmix.load("blood-type")
    for value in ("A+Rh", ["A", "Rh"]):
        changed = veilmix.change(scenario, {"policy.kind": "fixed", "policy.keep": value})
        assert changed.policy.keep == ("A", "Rh")


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("A+", "found 'A\\+'; names of features joined by '\\+'"),
        (3, "found 3; names of features joined by '\\+'"),
        ("A+C", "C"),
    ],
)
def test_a_value_that_is_no_set_is_one_error(value: str | int, why: str) -> None:
    with pytest.raises(ScenarioError, match=why):
        veilmix.sweep("blood-type", {**FIXED, "policy.keep": [value]}, 1, mode="ideal")

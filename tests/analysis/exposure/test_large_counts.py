"""Counts up to 2^62 and beyond: an answer, or one error that says the limit and why.

What counts people allows 3,000,000,000 of them together; nothing ends in an OverflowError, in a
bare ValueError, or in a number that went round.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from veilmix.analysis import composition, estimation, exposure
from veilmix.analysis.composition.check_margins import check_margins
from veilmix.analysis.composition.margins_bound import margins_bound
from veilmix.analysis.contingency import frechet_class, solve
from veilmix.analysis.contingency.integer_program import FrechetProgram
from veilmix.analysis.validation import MAX_PEOPLE
from veilmix.errors import ParameterError, VerificationError

Columns = Sequence[Sequence[int]]
LARGE = some.one_of(
    some.integers(1, 9),
    some.integers(1, 1 << 62),
    some.sampled_from([2**31, MAX_PEOPLE - 1, MAX_PEOPLE, 2**52, 2**61, 2**62, 2**63, 2**64]),
)
COUNTED: dict[str, Callable[[Columns, int], Any]] = {
    **{
        f"best_bound {rule}": lambda columns, k, rule=rule: composition.best_bound(columns, k, rule)
        for rule in composition.RULES
    },
    "theorem2": lambda columns, _: composition.theorem2(columns, [0.1, 0.1], 0),
    "theorem3": lambda columns, _: composition.theorem3(columns, [0.1, 0.1], 0.5),
    "refined": lambda columns, _: composition.refined(columns, [0.1, 0.1], 0.5),
    "fewest_exposed": composition.fewest_exposed,
    "lower_bound": composition.lower_bound,
    "margins_bound": margins_bound,
    "worst_case": lambda columns, k: composition.worst_case(columns, k, 0.05),
    "users_below": lambda columns, k: exposure.users_below(columns[0], k),
    "exposure": lambda columns, k: exposure.exposure(columns[0], k),
    "exposure_curve": lambda columns, _: exposure.exposure_curve(columns[0]),
    "exposure_interval": lambda columns, k: estimation.exposure_interval(columns[0], k, 0.1),
}  # name -> a call with columns of one total, and k


def answered(call: Callable[[], Any], people: int, k: int) -> Any:
    """The answer; None where there is one clear error, which is then looked at."""
    said = ""
    try:
        return call()
    except ParameterError as refused:
        said = str(refused)
    assert people > MAX_PEOPLE or k > people, said
    if people > MAX_PEOPLE:
        assert f"at most {MAX_PEOPLE:,} are accepted, so that" in said
    return None


@pytest.mark.parametrize("name", COUNTED)
@settings(max_examples=25, deadline=None)
@given(data=some.data())
def test_every_count_has_an_answer_or_one_error(name: str, data: some.DataObject) -> None:
    first = data.draw(some.lists(LARGE, min_size=2, max_size=3))
    total = sum(first)
    part = data.draw(some.integers(1, total - 1))
    k = data.draw(some.one_of(some.integers(2, 50), some.integers(1, max(total, 1))))
    columns = [first, [part, total - part]]
    answer = answered(lambda: COUNTED[name](columns, k), total, k)
    people = getattr(
        answer, "people", answer if name in ("users_below", "fewest_exposed") else None
    )
    if isinstance(people, int):
        assert 0 <= people <= total


@pytest.mark.parametrize("total", [MAX_PEOPLE, MAX_PEOPLE + 1, 2**62, 2**63, 2**70])
@pytest.mark.parametrize("name", COUNTED)
def test_the_limit_is_where_it_is_said(name: str, total: int) -> None:
    half = total // 2
    columns = [[half, total - half], [total - 1, 1]]
    answer = answered(lambda: COUNTED[name](columns, 10), total, 10)
    assert (answer is None) == (total > MAX_PEOPLE)


@pytest.mark.parametrize("people", [2**30, 2**61, 2**62])
def test_known_pairs_of_large_tables(people: int) -> None:
    known = {(0, 1): np.array([[people, 1], [2, 3]])}
    marginals = [[people + 1, 5], [people + 2, 4]]
    bound = partial(composition.worst_case, marginals, 5, 0.05, known_joints=known)
    answer = answered(bound, people + 6, 5)
    assert (answer is None) == (people > MAX_PEOPLE)
    assert answer is None or answer.people <= people + 6


@pytest.mark.parametrize("nodes", [2**31 - 1, 2**31, 2**62, 2**70])
def test_nodes_of_a_search_tree_may_be_more_than_a_solver_counts(nodes: int) -> None:
    tables = frechet_class([[90, 40, 12, 3], [70, 50, 25], [80, 44, 21]], 9)
    solution = solve(FrechetProgram(tables, 9), [], 145, whole_numbers=True, nodes=nodes)
    assert solution.status == 0


@pytest.mark.parametrize("nodes", [0, -1, 2.5, "many", 10**400])
def test_nodes_that_are_none_are_refused(nodes: Any) -> None:
    with pytest.raises(ParameterError, match=r"^nodes: found"):
        composition.worst_case([[5, 5], [5, 5]], 3, nodes=nodes)


@settings(max_examples=60, deadline=None)
@given(some.lists(LARGE, min_size=2, max_size=3), some.integers(1, 1 << 64))
def test_a_check_of_prices_knows_no_limit(first: list[int], k: int) -> None:
    """It adds up in Python's whole numbers: it refuses what is not proved, and nothing else."""
    empty = b'{"prices":[],"blocks":[]}'
    with pytest.raises(VerificationError, match="one price for each value"):
        check_margins([first, [sum(first)]], k, 0, empty)

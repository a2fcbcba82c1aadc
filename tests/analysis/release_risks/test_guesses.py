"""Linkability and inference beside a straightforward count, and what must hold of any release."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.release_risks import LEFT_OUT, Inference, Linkability, Rate, ask
from veilmix.errors import ParameterError

D = 4
NUMBERS = [np.array([0.0, 1.0, 5.0, np.nan]), None, np.array([2.0, np.nan, 3.0, 4.0]), None]
QUESTIONS = [Linkability((0, 1), (2, 3)), Inference(3, (0, 1, 2)), Inference(0, (1, 3))]


@st.composite
def tables(draw: st.DrawFn, least: int = 1) -> np.ndarray:
    n = draw(st.integers(least, 12))
    cells = draw(st.lists(st.integers(0, 3), min_size=n * D, max_size=n * D))
    return np.array(cells).reshape(n, D)


def apart(row: np.ndarray, other: np.ndarray, columns: Sequence[int], spans: list[float]) -> float:
    total = 0.0
    for j in columns:
        numbers = NUMBERS[j]
        value, two = (np.nan, np.nan) if numbers is None else (numbers[row[j]], numbers[other[j]])
        if numbers is None:
            total += row[j] != other[j]
        elif np.isnan(value) or np.isnan(two):
            total += np.isnan(value) != np.isnan(two)
        else:
            total += abs(value - two) / spans[j]
    return total


def nearest(
    row: np.ndarray, held: list[np.ndarray], columns: Sequence[int], spans: list[float]
) -> set[int]:
    far = [apart(row, other, columns, spans) for other in held]
    return {i for i, distance in enumerate(far) if distance <= min(far) + 1e-9}


def straight(release: np.ndarray, people: np.ndarray, *, own: bool) -> list[float]:
    """Expected successes of the three questions, one person after the other."""
    both = np.concatenate((release, people))
    spans = []
    for j, numbers in enumerate(NUMBERS):
        known = np.array([0.0]) if numbers is None else numbers[both[:, j]]
        known = known[~np.isnan(known)]
        spans.append(float(np.ptp(known)) if len(known) else 0.0)
    spans = [span or 1.0 for span in spans]
    successes = [0.0] * 3
    for i, row in enumerate(people):
        held = [other for at, other in enumerate(release) if not (own and at == i)]
        first, second = (nearest(row, held, columns, spans) for columns in ((0, 1), (2, 3)))
        successes[0] += len(first & second) / len(first) / len(second)
        for place, (sought, known) in enumerate(((3, (0, 1, 2)), (0, (1, 3))), 1):
            near = nearest(row, held, known, spans)
            successes[place] += sum(held[at][sought] == row[sought] for at in near) / len(near)
    return successes


@given(tables(), tables())
@settings(max_examples=30, deadline=None)
def test_a_straightforward_count_gives_the_same(release: np.ndarray, people: np.ndarray) -> None:
    asked = ask(QUESTIONS, release, people, people[::-1], NUMBERS)
    assert [answer.attack.right for answer in asked] == pytest.approx(
        straight(release, people, own=False)
    )
    assert [answer.control.right for answer in asked if answer.control] == pytest.approx(
        straight(release, people, own=False)
    )


@given(tables(2))
@settings(max_examples=30, deadline=None)
def test_the_same_people_left_out_in_turn(table: np.ndarray) -> None:
    asked = ask(QUESTIONS, table, table, LEFT_OUT, NUMBERS)
    assert [answer.attack.right for answer in asked] == pytest.approx(
        straight(table, table, own=False)
    )
    assert [answer.control.right for answer in asked if answer.control] == pytest.approx(
        straight(table, table, own=True)
    )


def test_guessing_takes_a_value_as_often_as_it_occurs() -> None:
    table = np.array([[0, 0], [0, 0], [0, 0], [1, 1]])
    link, infer = ask([Linkability((0,), (1,)), Inference(1, (0,))], table, table)
    assert (link.baseline.share, infer.baseline.share) == (1 / 4, 10 / 16)
    assert (link.attack.right, infer.attack.right) == (3 * 1 / 3 + 1, 4)
    assert infer.control is None


def test_a_sample_says_so_in_its_interval() -> None:
    rng = np.random.default_rng(5)
    table = rng.integers(0, 9, (400, 6))
    question = [Inference(0, (1, 2, 3, 4, 5))]
    (whole,) = ask(question, table, table, LEFT_OUT)
    (some,) = ask(question, table, table, LEFT_OUT, max_comparisons=400 * 6 * 50)
    assert whole.control is not None
    assert some.control is not None
    assert whole.control.error_tries is None
    assert 40 < (some.control.error_tries or 0) < 100
    interval = some.control.interval()
    assert interval.low < whole.control.share < interval.high
    assert interval.high - interval.low > 2 * (
        whole.control.interval().high - whole.control.interval().low
    )
    assert some.attack == whole.attack  # over cells: exact


@pytest.mark.parametrize(
    ("release", "people", "control"),
    [
        (np.zeros((0, 2), int), np.zeros((3, 2), int), None),
        (np.zeros((3, 2), int), np.zeros((3, 3), int), None),
        (np.zeros((3, 2), int), np.zeros((4, 2), int), LEFT_OUT),
    ],
)
def test_what_does_not_fit_is_refused(
    release: np.ndarray, people: np.ndarray, control: object
) -> None:
    with pytest.raises(ParameterError):
        ask([Inference(0, (1,))], release, people, control)  # type: ignore[arg-type]


def test_a_rate_is_wilsons() -> None:
    interval = Rate(10, 500).wilson()  # as Anonymeter 1.1.0 has it
    assert interval == pytest.approx((0.023659683421545074, 0.012760499825334266), abs=1e-12)
    assert Rate(0, 0).interval().high == 1.0
    with pytest.raises(ParameterError):
        Rate(3, 2)

"""Labels are dealt to groups as counting every way to deal them says."""

from collections import defaultdict
from itertools import product
from math import log, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.analysis.trust.dealt_labels import MOST_PEOPLE, Group, deal_labels
from veilmix.errors import ParameterError

RATES = st.floats(min_value=0.1, max_value=0.9)


def group(people: int, rate: float) -> Group:
    """So many people, each of whom has label 0 with this probability, or else label 1."""
    return people, {0: {0: rate}, 1: {1: 1 - rate}}


def every_way(groups: list[tuple[int, float]], total: int) -> tuple[list[dict[int, float]], float]:
    """Of each group, how probable each number of people with label 0 is; and of the total."""
    joint: dict[tuple[int, ...], float] = defaultdict(float)
    rates = [rate for people, rate in groups for _ in range(people)]
    ends = [sum(people for people, _ in groups[: i + 1]) for i in range(len(groups))]
    for labels in product((0, 1), repeat=len(rates)):
        if labels.count(0) == total:
            starts = [0, *ends[:-1]]
            counted = tuple(labels[a:b].count(0) for a, b in zip(starts, ends, strict=True))
            joint[counted] += prod(
                rate if not label else 1 - rate for label, rate in zip(labels, rates, strict=True)
            )
    whole = sum(joint.values())
    laws: list[dict[int, float]] = [defaultdict(float) for _ in groups]
    for numbers, chance in joint.items():
        for law, number in zip(laws, numbers, strict=True):
            law[number] += chance / whole
    return laws, whole


@given(st.lists(st.tuples(st.integers(1, 3), RATES), min_size=2, max_size=3), st.data())
def test_two_labels_are_dealt_as_every_way_says(
    groups: list[tuple[int, float]], data: st.DataObject
) -> None:
    everybody = sum(people for people, _ in groups)
    total = data.draw(st.integers(1, everybody - 1))
    dealt = deal_labels([group(*each) for each in groups], {0: total, 1: everybody - total})
    assert dealt is not None
    laws, whole = every_way(groups, total)
    assert dealt[1] == pytest.approx(log(whole))
    for numbers, law in zip(dealt[0], laws, strict=True):
        told = {labels[0]: chance for chance, labels in numbers}
        assert told == pytest.approx(law)


def test_one_group_takes_what_is_left() -> None:
    numbers, chance = deal_labels([(2, {0: {0: 1.0}}), group(3, 0.5)], {0: 3, 1: 2}) or ([], 0.0)
    assert numbers == [((1.0, {0: 2}),), ((1.0, {0: 1, 1: 2}),)]
    assert chance == pytest.approx(log(3 / 8))


def test_what_agrees_with_nothing_is_refused() -> None:
    with pytest.raises(ParameterError, match="no table is consistent"):
        deal_labels([(2, {0: {0: 1.0}})], {0: 1})
    with pytest.raises(ParameterError, match="no table is consistent"):
        deal_labels([group(2, 0.5)], {2: 2})


def test_too_many_people_or_labels_are_left() -> None:
    many = MOST_PEOPLE + 1
    assert deal_labels([group(many, 0.5), group(1, 0.5)], {0: 1, 1: many}) is None
    three = {label: {label: 1 / 3} for label in range(3)}
    assert deal_labels([(2, three), (1, three)], {0: 1, 1: 1, 2: 1}) is None

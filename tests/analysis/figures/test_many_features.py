"""Epsilon divided over ten questions, or one question a person: errors, crossings and the page."""

import re
from math import inf, sqrt

import make_many_features as TOOL
import pytest
from generated import block
from veilmix.analysis.figures.many_features import (
    FEATURES,
    BudgetPoint,
    error_of,
    local_crossing,
    question,
)
from veilmix.analysis.randomizers import GRR


def test_errors_are_those_of_the_formulas() -> None:
    """Of 10 people one answers each of ten questions: noise, and the choice of that person."""
    assert error_of("split", 1.0, 10) == pytest.approx(sqrt(GRR(2, 0.1).noise() / 10))
    assert error_of("sample", 1.0, 10) == pytest.approx(sqrt(GRR(2, 1.0).noise() + 0.25))


def test_the_local_lines_cross_where_their_errors_are_equal() -> None:
    crossing = local_crossing(1000)
    split, sample = (error_of(way, crossing, 1000) for way in ("split", "sample"))
    assert split == pytest.approx(sample, rel=1e-3)
    assert error_of("split", crossing / 2, 1000) > error_of("sample", crossing / 2, 1000)


def test_a_way_is_better_only_where_the_bounds_decide_it() -> None:
    near = (BudgetPoint(1, 0.1, 0.2, 1.0), BudgetPoint(2, 0.4, 0.8, 0.25))
    far = (BudgetPoint(1, 0.1, 0.2, 4.0), BudgetPoint(2, 0.4, 0.8, 1.0))
    assert TOOL.error_at(near, 0.2, end="low") == pytest.approx(0.5)
    assert TOOL.error_at(near, 0.2, end="high") == pytest.approx(1.0)
    assert TOOL.error_at(near, 0.9, end="high") == TOOL.error_at(near, 0.09, end="low") == inf
    assert TOOL.verdict(near, far, 0.3) == "split"
    assert TOOL.verdict(far, near, 0.3) == "sample"
    assert TOOL.verdict(near, near, 0.3) == "undecided"


@pytest.mark.long
def test_the_page_says_what_the_code_says() -> None:
    """If this fails, write the page again: python tools/make_many_features.py."""
    section = block(TOOL.PAGE.read_text("utf-8"), "many features")
    noise = question(1.0 / FEATURES).noise() / (FEATURES * question(1.0).noise())
    assert f"(the noise alone: {noise:.1f} times)" in section
    assert f"cross at a local epsilon of {local_crossing(1000):.1f} nats" in section
    assert TOOL.row("ten", TOOL.ten_values, 100) in section.splitlines()
    assert re.search(r"\| two, 10 \|.* / \*\*108\*\* \|", section)

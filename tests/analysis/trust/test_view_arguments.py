"""Rows handed in with a view: refused cell by cell, and looked at once where all are fine."""

from collections import ChainMap
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from veilmix.analysis.trust import checked_rows
from veilmix.analysis.trust.view_arguments import as_truth
from veilmix.errors import ParameterError

FINE: list[Any] = [
    {},
    {0: {}, 1: {1: "b"}},
    {0: {0: "a", 1: "b"}, 7: {1: "b"}},
    {np.int64(3): {np.int64(1): "b"}},
    MappingProxyType({0: ChainMap({0: "a"})}),
]
WRONG: dict[str, tuple[Any, str]] = {
    "no rows": (7, "truth: found 7"),
    "a person that is no number": ({"x": {0: "a"}}, "truth: a person"),
    "a person that is a truth value": ({True: {0: "a"}}, "truth: a person"),
    "a person below 0": ({-1: {0: "a"}}, "truth: a person"),
    "a row that is none": ({0: "ab"}, r"truth\[0\]: found 'ab'"),
    "a value that is no text": ({0: {0: "a"}, 1: {0: 5}}, r"truth\[1\]: found"),
    "a column that is no number": ({0: {"a": "a"}}, r"truth\[0\]: a column"),
    "a column below 0": ({0: {-1: "a"}}, r"truth\[0\]: a column"),
    "a column too many": ({0: {2: "a"}}, r"truth\[0\]: found column 2; there are 2 columns"),
}


@pytest.mark.parametrize("rows", FINE)
def test_rows_are_taken_as_they_are(rows: Any) -> None:
    assert as_truth(rows, 2) is rows
    checked = checked_rows(rows, 2)
    assert checked == dict(rows)
    assert as_truth(checked, 2) is checked
    assert as_truth(None, 2) is checked_rows(None, 2) is None


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_row_is_named(name: str) -> None:
    rows, message = WRONG[name]
    for look in (as_truth, checked_rows):
        with pytest.raises(ParameterError, match=message):
            look(rows, 2)


def test_rows_checked_for_more_columns_are_looked_at_again() -> None:
    checked = checked_rows({0: {2: "a"}}, 3)
    with pytest.raises(ParameterError, match="there are 2"):
        as_truth(checked, 2)

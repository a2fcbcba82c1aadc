"""Long lists of cases: `make test` tries a fixed sample of them, `make long` the others.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(cases: Iterable[Any], *kept: int) -> list[Any]:
    """Return the cases of a test as parameters, of which all but these places are marked `long`.

    cases: values, or tuples of values. kept: places in the list, from 0; the sample is the same in
    every run.
    """
    listed = [case if isinstance(case, tuple) else (case,) for case in cases]
    missing = [place for place in kept if place >= len(listed)]
    assert not missing, f"no case at {missing}: the list has {len(listed)}"
    return [
        pytest.param(*case, marks=() if place in kept else pytest.mark.long)
        for place, case in enumerate(listed)
    ]

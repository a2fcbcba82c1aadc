"""Suppression: a third choice beside coarser and dropped, and rows that come in suppressed."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import veilmix
from veilmix.errors import DataError
from veilmix.own_data.read_table import Reading, read
from veilmix.own_data.sensitive_targets import Targets

K = 3
ASKED = {"quasi": "age,zip", "sensitive": "diagnosis"}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(2)
    lines = [
        f"{30 + int(rng.normal(0, 4))},0101{rng.integers(4)},{'abc'[rng.integers(3)]}"
        for _ in range(200)
    ]
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text("\n".join(["age,zip,diagnosis", *lines]) + "\n")
    return path


@pytest.mark.parametrize("more", [{}, {"targets": {"diagnosis": Targets(l=2)}}])
def test_rows_may_go_up_to_a_limit(table: Path, more: dict[str, Any]) -> None:
    advised = veilmix.advise(table, K, 0.0, suppress=0.15, **ASKED, **more)
    strict = veilmix.advise(table, K, 0.0, **ASKED, **more)
    assert 0 < advised.suppressed == advised.missed <= 30
    assert advised.best.loss < strict.best.loss
    said = advised.coarse()
    assert {len(column) for column in said.values()} == {200 - advised.suppressed}
    known = [name for name in ("age", "zip") if name in said]
    classes = list(zip(*(said[name] for name in known), strict=True))
    assert min(Counter(classes).values()) >= K
    if more:
        held: dict[Any, set[str]] = {row: set() for row in classes}
        for row, value in zip(classes, said["diagnosis"], strict=True):
            held[row].add(value)
        assert min(map(len, held.values())) >= 2
    assert strict.suppressed == 0


def test_limits_that_cannot_be_are_refused(table: Path) -> None:
    for more, match in (
        ({"suppress": 1.5}, "suppress: found 1.5"),
        ({"suppress": 0.1, "targets": {"diagnosis": Targets(t=0.3)}}, "suppressed rows change"),
    ):
        with pytest.raises(DataError, match=match):
            veilmix.advise(table, K, 0.0, **ASKED, **more)  # type: ignore[arg-type]


def test_rows_that_come_in_suppressed_are_no_crowd(tmp_path: Path) -> None:
    """As ARX writes them: * in every quasi-identifier, the sensitive column as it was."""
    path = tmp_path / "arx.csv"
    lines = [f"{20 + i % 5},0101{i % 2},flu" for i in range(40)]
    lines += ["*,*,flu"] * 12 + ["*,01011,flu"] * 3
    path.write_text("\n".join(["age,zip,diagnosis", *lines]) + "\n")
    score = veilmix.score(path, 4, **ASKED)  # type: ignore[arg-type]
    assert score.n == 43
    assert score.quasi is not None
    assert score.quasi.crowds.smallest == 3
    table = read(path, Reading())
    assert "12 suppressed (* in every quasi-identifier), 43 released" in table.note
    path.write_text("\n".join(["age,zip", *["*,*"] * 9]) + "\n")
    with pytest.raises(DataError, match="no person is left"):
        veilmix.score(path, 4, quasi="age,zip")

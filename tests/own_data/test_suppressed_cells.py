"""Single cells as a choice beside coarser and dropped: what is written is what was promised."""

import csv
from collections import Counter
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import veilmix
from veilmix.analysis.suppression.cheapest_cells import suppress_cheapest
from veilmix.errors import DataError, ParameterError
from veilmix.own_data.advise import Advised, advise
from veilmix.own_data.attacker_columns import Roles
from veilmix.own_data.read_table import Reading, read
from veilmix.own_data.sensitive_targets import Targets

K = 4
ASKED = {"quasi": "age,zip,sex", "sensitive": "diagnosis"}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(4)
    lines = [
        f"{35 + int(rng.normal(0, 9))},0101{rng.integers(4)},{'fm'[rng.integers(2)]},"
        f"{'abc'[rng.integers(3)]}"
        for _ in range(300)
    ]
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text("\n".join(["age,zip,sex,diagnosis", *lines]) + "\n")
    return path


def test_the_release_has_the_k_and_the_cells_that_were_said(table: Path, tmp_path: Path) -> None:
    """Counted in what is written, and by a score of it; other columns stay whole."""
    advised = veilmix.advise(table, K, 0.0, suppress_cells=0.06, **ASKED)
    cells = advised.cells
    assert cells is not None
    said = advised.coarse()
    known = [name for name in ("age", "zip", "sex") if name in said]
    rows = list(zip(*(said[name] for name in known), strict=True))
    assert min(Counter(rows).values()) >= K
    stars = sum(row.count("*") for row in rows)
    assert 0 < stars == cells.suppressed <= cells.limit == int(0.06 * 300 * len(known))
    assert cells.total == 300 * len(known)
    assert "*" not in said["diagnosis"]
    assert len(said["diagnosis"]) == 300
    assert advised.exposed[0] == 0
    path = tmp_path / "release.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([list(said), *zip(*said.values(), strict=True)])
    score = veilmix.score(path, K, 0.0, quasi=",".join(known), sensitive="diagnosis")
    assert score.quasi is not None
    assert score.quasi.crowds.smallest >= K
    for missing in ("category", "wildcard"):
        reading = {"missing": missing, "missing_text": ("*",), "columns": ",".join(known)}
        wild = veilmix.score(path, K, 0.0, **reading)  # type: ignore[arg-type]
        assert wild.joint.crowds.smallest >= K


def test_cells_lose_less_than_nothing_gone_and_the_bound_holds(table: Path) -> None:
    """No choice of levels has a release, by its own search, that loses less than the bound."""
    strict = veilmix.advise(table, K, 0.0, columns="age,zip,sex")
    advised = veilmix.advise(table, K, 0.0, columns="age,zip,sex", suppress_cells=0.06)
    assert advised.cells is not None
    assert advised.best.loss < strict.best.loss
    assert advised.advice.bound <= advised.best.loss
    least = min(
        _loss(advised, levels)
        for levels in product(*(range(len(column.ladder.levels)) for column in advised.columns))
    )
    assert advised.advice.bound <= least + 1e-12
    assert advised.best.loss <= least + 1e-12
    assert advised.cells.lower <= advised.cells.loss
    assert advised.best.loss == pytest.approx(
        _base(advised, advised.best.levels) + advised.cells.loss
    )


def _base(advised: Advised, levels: tuple[int, ...]) -> float:
    whole = sum(column.ladder.weight for column in advised.columns)
    return sum(
        column.ladder.weight / whole * column.ladder.levels[level].loss
        for column, level in zip(advised.columns, levels, strict=True)
    )


def _loss(advised: Advised, levels: tuple[int, ...]) -> float:
    """The loss of a release with these levels and suppressed cells; 1 if it is over the limit."""
    whole = sum(column.ladder.weight for column in advised.columns)
    codes, prices = [], []
    for j, (column, level) in enumerate(zip(advised.columns, levels, strict=True)):
        if level < len(column.ladder.levels) - 1:
            rung = column.ladder.levels[level]
            codes.append(rung.codes[advised.table.codes[:, j]])
            prices.append(column.ladder.weight / whole * (1 - rung.loss) / 300)
    if not codes:
        return _base(advised, levels)
    found = suppress_cheapest(np.stack(codes, axis=1), K, prices, nodes=0)
    assert found is not None
    over = found.cells > int(0.06 * 300 * len(codes))
    return 1.0 if over else _base(advised, levels) + found.cost


def test_no_more_cells_go_than_may(table: Path) -> None:
    """At every limit up to that of the best choice without one."""
    free = veilmix.advise(table, K, 0.0, columns="age,zip,sex", suppress_cells=1.0)
    assert free.cells is not None
    losses = []
    for cells in range(0, free.cells.suppressed + 3, 3):
        advised = veilmix.advise(table, K, 0.0, columns="age,zip,sex", suppress_cells=cells / 900)
        assert advised.cells is not None
        assert advised.cells.suppressed <= advised.cells.limit <= cells
        losses.append(advised.best.loss)
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] == free.best.loss < losses[0]


def test_a_kept_column_stays_visible(table: Path) -> None:
    """Every class then agrees in it."""
    advised = veilmix.advise(
        table, K, 0.0, columns="age,zip,sex", suppress_cells=0.2, keep=("sex",)
    )
    said = advised.coarse()
    assert set(said["sex"]) == {"f", "m"}
    assert min(Counter(zip(*said.values(), strict=True)).values()) >= K


def test_a_table_that_no_cells_can_help_is_refused(table: Path) -> None:
    """More than all people in a class, or too few of them with a value that is kept."""
    with pytest.raises(ParameterError, match="300 of 300 people are below k = 301"):
        veilmix.advise(table, 301, 0.0, columns="zip,sex", suppress_cells=1.0)
    with pytest.raises(ParameterError, match="keep fewer columns"):
        veilmix.advise(
            table, 150, 0.0, columns="zip,sex,diagnosis", suppress_cells=1.0, keep=("diagnosis",)
        )


def test_where_nobody_is_below_k_no_cell_goes(table: Path) -> None:
    """The coarser columns suffice."""
    advised = veilmix.advise(table, K, 0.0, columns="zip,sex", suppress_cells=0.05)
    assert advised.cells is not None
    assert (advised.cells.suppressed, advised.cells.rows, advised.best.loss) == (0, 0, 0)
    assert advised.advice.exact


def test_of_rows_and_cells_the_one_that_loses_less_is_advised(table: Path) -> None:
    """Both limits may be given."""
    columns = {"columns": "age,zip,sex"}
    rows = veilmix.advise(table, K, 0.0, suppress=0.05, **columns)  # type: ignore[arg-type]
    cells = veilmix.advise(table, K, 0.0, suppress_cells=0.05, **columns)  # type: ignore[arg-type]
    both = veilmix.advise(table, K, 0.0, suppress=0.05, suppress_cells=0.05, **columns)  # type: ignore[arg-type]
    assert both.best.loss == min(rows.best.loss, cells.best.loss)


def test_what_cells_cannot_reach_is_refused(table: Path) -> None:
    """One error each."""
    for more, match in (
        ({"suppress_cells": 1.5}, "suppress_cells: found 1.5"),
        ({"suppress_cells": 0.1, "by": "promise"}, "by truth is accepted"),
        ({"suppress": 0.1, "targets": {"diagnosis": Targets(t=0.2)}}, "suppress_cells"),
    ):
        with pytest.raises(DataError, match=match):
            veilmix.advise(table, K, 0.0, **more)  # type: ignore[arg-type]


def test_the_search_of_more_choices_than_are_counted_has_a_bound_too(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is below that of counting all, and its release is of k as well."""
    options = {"columns": "age,zip,sex", "suppress_cells": 0.06}
    counted = veilmix.advise(table, K, 0.0, **options)  # type: ignore[arg-type]
    monkeypatch.setattr("veilmix.own_data.suppressed_cells.COUNTED", 0)
    searched = veilmix.advise(table, K, 0.0, **options)  # type: ignore[arg-type]
    assert searched.advice.bound <= counted.best.loss + 1e-12
    assert min(Counter(zip(*searched.coarse().values(), strict=True)).values()) >= K


def test_asked_levels_have_their_own_cells(table: Path) -> None:
    """Every choice of the picture may be taken; it is released with the loss that it shows."""
    options = {"columns": "age,zip,sex", "suppress_cells": 0.3}
    found = read(table, Reading(columns="age,zip,sex"), "(missing)")
    roles = Roles(suppress_cells=0.3)
    advised = advise(found, K, 0.0, roles=roles)
    assert len(advised.choices) > 1
    names = [column.ladder.column for column in advised.columns]
    for choice, _ in advised.choices:
        asked = dict(zip(names, choice.levels, strict=True))
        taken = advise(found, K, 0.0, roles=roles, requested_levels=asked)
        assert taken.best == choice
        assert taken.cells is not None
        assert taken.best.loss == pytest.approx(_base(taken, choice.levels) + taken.cells.loss)
        assert taken.advice.bound <= taken.best.loss + 1e-12
        assert min(Counter(zip(*taken.coarse().values(), strict=True)).values()) >= K
    assert veilmix.advise(table, K, 0.0, **options).best == advised.best  # type: ignore[arg-type]


def test_asked_levels_that_need_more_cells_than_may_go_are_refused(table: Path) -> None:
    found = read(table, Reading(columns="age,zip,sex"), "(missing)")
    asked = {"age": 0, "zip": 0, "sex": 0}
    with pytest.raises(DataError, match=r"cells have to be suppressed .* at most 9 of 900 may"):
        advise(found, K, 0.0, roles=Roles(suppress_cells=0.01), requested_levels=asked)
    kept = Roles(suppress_cells=1.0, keep=("sex",))
    many = read(table, Reading(columns="zip,sex"), "(missing)")
    with pytest.raises(ParameterError, match="keep fewer columns"):
        advise(many, 170, 0.0, roles=kept, requested_levels={"zip": 0})

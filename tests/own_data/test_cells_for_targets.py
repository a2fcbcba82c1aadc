"""Single cells for targets of sensitive columns, and for persons with several rows."""

import csv
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import product
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import veilmix
from veilmix.analysis.exposure.cells import cells_of
from veilmix.analysis.suppression.target_cells import suppress_for_targets
from veilmix.errors import DataError, ParameterError
from veilmix.own_data.advise import Advised, advise
from veilmix.own_data.advised_table import released_rows
from veilmix.own_data.attacker_columns import Roles, divided
from veilmix.own_data.judges import Truth
from veilmix.own_data.read_table import Reading, read
from veilmix.own_data.sensitive_targets import MissedTargets, Targets
from veilmix.own_data.suppressed_cells import class_targets

K = 3
SHARE = 0.4
KNOWN = ("age", "zip", "sex")
ROLES = {"quasi": ",".join(KNOWN), "sensitive": "diagnosis,days"}
WANTED = {
    "l": {"diagnosis": Targets(l=3)},
    "entropy-l": {"diagnosis": Targets(entropy_l=2.2)},
    "t of categories": {"diagnosis": Targets(t=0.4)},
    "t of numbers": {"days": Targets(t=0.25)},
    "two columns": {"diagnosis": Targets(l=2, t=0.5), "days": Targets(l=2)},
}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """People 160 with a row each, or 70 with 160 rows."""
    rng = np.random.default_rng(11)
    lines = [
        f"P{int(rng.integers(70)):03},{20 + 10 * int(rng.integers(4))},0101{rng.integers(3)},"
        f"{'fm'[rng.integers(2)]},{'aaabbcd'[rng.integers(7)]},{rng.integers(1, 6)}"
        for _ in range(160)
    ]
    path = tmp_path_factory.mktemp("t") / "t.csv"
    path.write_text("\n".join(["patient,age,zip,sex,diagnosis,days", *lines]) + "\n")
    return path


def reading(persons: bool) -> dict[str, Any]:
    person = {"person": "patient"} if persons else {"each_row": True, "identifier": "patient"}
    return {**ROLES, **person}


def classes_in(
    rows: list[dict[str, str]], known: list[str], owner: list[int]
) -> list[tuple[int, list[dict[str, str]], list[int]]]:
    """The people of each released row, and its rows."""
    classes: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        classes[tuple(row[name] for name in known)].append(at)
    found = []
    for members in classes.values():
        owners = [owner[at] for at in members]
        found.append((len(set(owners)), [rows[at] for at in members], owners))
    return found


def check(advised: Advised, wanted: dict[str, Targets]) -> None:
    """Count the release as it would be written, in plain words."""
    columns = advised.coarse()
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    persons = advised.table.persons
    owner = list(range(len(rows))) if persons is None else persons.tolist()
    known = [name for name in KNOWN if name in columns]
    for people, members, owners in classes_in(rows, known, owner):
        assert people >= K
        for name, target in wanted.items():
            pairs = {(row[name], person) for row, person in zip(members, owners, strict=True)}
            counts = Counter(value for value, _ in pairs)
            if max(counts.values()) == people:
                counts = Counter({"common": len(pairs)})
            assert target.l is None or len(counts) >= target.l
            shares = [count / len(pairs) for count in counts.values()]
            entropy = -sum(share * log(share) for share in shares)
            assert target.entropy_l is None or exp(entropy) >= target.entropy_l - 1e-9
    assert advised.missed == 0
    assert advised.reached
    assert advised.cells is not None
    stars = sum(row[name] == "*" for row in rows for name in known)
    assert stars == advised.cells.suppressed <= advised.cells.limit
    assert advised.cells.lower <= advised.cells.loss + 1e-12
    assert advised.advice.bound <= advised.best.loss


@pytest.mark.parametrize("persons", [False, True])
@pytest.mark.parametrize("name", WANTED)
def test_every_released_class_meets_the_targets(
    table: Path,
    tmp_path: Path,
    name: str,
    persons: bool,
) -> None:
    """Counted in what is written, and by a score of it."""
    wanted, options = WANTED[name], reading(persons)
    advised = veilmix.advise(table, K, suppress_cells=SHARE, targets=wanted, **options)
    check(advised, wanted)
    assert advised.cells is not None
    assert advised.cells.suppressed > 0
    columns = advised.coarse()
    path = tmp_path / "release.csv"
    owner = read(table, Reading(**options)).persons
    people = np.arange(160) if owner is None else owner
    with path.open("w", newline="") as file:
        rows = zip(people.tolist(), *columns.values(), strict=True)
        csv.writer(file).writerows([["patient", *columns], *rows])
    known = ",".join(column for column in KNOWN if column in columns)
    score = veilmix.score(path, K, 0.0, **{**options, "quasi": known})
    assert score.quasi is not None
    assert score.quasi.crowds.smallest >= K
    written = read(path, Reading(**{**options, "quasi": known}), "(missing)")
    classes = cells_of(
        written.codes, [written.columns.index(column) for column in known.split(",")]
    )
    assert MissedTargets(written, wanted, K, "(missing)").people(classes) == 0


@pytest.mark.parametrize("name", ["l", "t of categories", "entropy-l"])
@pytest.mark.parametrize("persons", [False, True])
def test_no_choice_of_levels_loses_less_than_the_bound(
    table: Path,
    name: str,
    persons: bool,
) -> None:
    """Of all levels, each with its own cells."""
    said = Reading(**reading(persons))
    people = read(table, said, "(missing)")
    roles = Roles("quasi", targets=WANTED[name], suppress_cells=SHARE)
    advised = advise(people, K, roles=roles)
    whole = sum(column.ladder.weight for column in advised.columns)
    searched, _ = divided(people, roles)
    truth = Truth(people, searched, advised.columns, K, roles, "(missing)")
    targets, rows = class_targets(truth), len(people.codes)
    least = 1.0
    for levels in product(*(range(len(column.ladder.levels)) for column in advised.columns)):
        base, codes, prices = 0.0, [], []
        for j, (column, level) in enumerate(zip(advised.columns, levels, strict=True)):
            rung, weight = column.ladder.levels[level], column.ladder.weight / whole
            base += weight * rung.loss
            if level < len(column.ladder.levels) - 1:
                codes.append(rung.codes[advised.table.codes[:, j]])
                prices.append(weight * (1 - rung.loss) / rows)
        if not codes:
            continue
        found = suppress_for_targets(np.stack(codes, axis=1), targets, prices, nodes=0)
        if found is not None and found.cells <= int(SHARE * rows * len(codes)):
            least = min(least, base + found.cost)
    assert advised.advice.bound <= least + 1e-12
    assert advised.best.loss <= least + 1e-12


def test_asked_levels_meet_the_targets_too(table: Path) -> None:
    people = read(table, Reading(**reading(persons=True)), "(missing)")
    roles = Roles("quasi", targets=WANTED["l"], suppress_cells=1.0)
    advised = advise(people, K, roles=roles)
    for choice, _ in advised.choices:
        asked = {
            column.ladder.column: level
            for column, level in zip(advised.columns, choice.levels, strict=True)
        }
        taken = advise(people, K, roles=roles, requested_levels=asked)
        assert taken.best == choice
        check(taken, WANTED["l"])


def test_a_release_that_misses_is_not_written(table: Path) -> None:
    """Whatever the search says: the rows are counted again as they are written."""
    for persons, wanted, match in (
        (True, {}, "fewer than k = 5 people"),
        (False, {"diagnosis": Targets(l=1)}, "fewer than k = 5 people"),
        (False, WANTED["l"], "miss l = 3 of diagnosis"),
        (False, WANTED["t of numbers"], "miss t = 0.25 of days"),
        (False, WANTED["entropy-l"], "miss entropy-l = 2.2 of diagnosis"),
    ):
        advised: Advised = veilmix.advise(
            table,
            5 if "k = 5" in match else 1,
            suppress_cells=SHARE,
            targets=wanted,
            **reading(persons),
        )
        assert advised.cells is not None
        assert advised.cells.suppressed > 0
        assert len(released_rows(advised)[1]) == 160
        none = replace(advised.cells, mask=np.zeros_like(advised.cells.mask))
        with pytest.raises(DataError, match=match):
            released_rows(replace(advised, cells=none))


@pytest.mark.parametrize(
    ("cells", "match"),
    [(0.5, "6 of 60 people miss k = 4 or a target"), (None, "kept columns miss the target")],
)
def test_kept_columns_that_miss_a_target_are_refused(
    tmp_path: Path, cells: float | None, match: str
) -> None:
    """Those with the kept value m all have one diagnosis."""
    lines = [
        f"{i % 7},{'f' if i % 10 else 'm'},{'abc'[i % 3] if i % 10 else 'a'}" for i in range(60)
    ]
    (tmp_path / "t.csv").write_text("\n".join(["age,sex,diagnosis", *lines]) + "\n")
    with pytest.raises(ParameterError, match=match):
        veilmix.advise(
            tmp_path / "t.csv",
            *(4, 0.01),
            suppress_cells=cells,
            targets={"diagnosis": Targets(l=2)},
            keep=("sex",),
            known="quasi",
            quasi="age,sex",
            sensitive="diagnosis",
        )

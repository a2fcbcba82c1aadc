"""Advice on tables: ladders of what could be said, and the scenario that asks it."""

import csv
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import veilmix
from veilmix.analysis.advice.information_kept import prediction, two_way_distance
from veilmix.errors import DataError
from veilmix.scenarios.populations.people import Table
from veilmix.scenarios.populations.roles import Role
from veilmix.scenarios.tables.advise import advise
from veilmix.scenarios.tables.ladders import column, widths
from veilmix.scenarios.tables.patients import COLUMNS, patients
from veilmix.scenarios.tables.reading import Reading, read

GONE = "(missing)"


@pytest.fixture(scope="module")
def messy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three thousand patients who do not exist."""
    path = tmp_path_factory.mktemp("messy") / "patients.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(COLUMNS)
        writer.writerows(patients(3000, seed=2))
    return path


def table(**columns: list[str]) -> Table:
    values = tuple(tuple(sorted(set(texts))) for texts in columns.values())
    codes = [
        [known.index(text) for text in texts]
        for known, texts in zip(values, columns.values(), strict=True)
    ]
    return Table("t", tuple(columns), np.array(codes, np.int32).T, values, "")


def names(of: Table, k: int = 5) -> list[str]:
    return [level.name for level in column(of, 0, k, GONE).ladder.levels]


LADDERS = {
    "ages": (
        {"age": [str(i % 90) for i in range(900)]},
        ["as it is", "intervals of 5 from 5 to 85, and beyond", "dropped"],
    ),
    "dates": (
        {"d": [f"20{10 + i % 15}-0{1 + i % 9}-1{i % 7}" for i in range(500)]},
        ["as it is", "of a date the month", "of a date the year", "of a date the decade"],
    ),
    "codes": (
        {"zip": [f"0{i % 3}{i % 5}{i % 4}" for i in range(400)]},
        ["as it is", "the first 3 signs", "the first 2 signs"],
    ),
    "spellings": ({"sex": ["m", "M", "f", "F"] * 9}, ["spellings that differ in case are one"]),
    "unknown": (
        {"n": [*map(str, range(50)), "-1", "?"]},
        ["?, -1 as (missing)", "?, -1 as (missing); intervals of 5 from 5 to 45, and beyond"],
    ),
    "rare": (
        {"job": ["a"] * 500 + ["b"] * 400 + ["c"] * 80 + ["d"] * 17 + ["e"] * 3},
        ["as it is", "values of fewer than 20 people are (other)"],
    ),
}


@pytest.mark.parametrize("name", LADDERS)
def test_ladders(name: str) -> None:
    columns, expected = LADDERS[name]
    found = names(table(**columns))
    assert all(one in found for one in expected), found
    assert found[-1] == "dropped"


def test_widths_are_multiples_of_each_other() -> None:
    for numbers in ([0, 99], [0.5, 80.5], [0, 5_000], [1e-3, 5e-3]):
        found = widths(numbers)
        assert all(b / a == pytest.approx(round(b / a)) for a, b in pairwise(found))


def test_patients_are_the_same_for_a_seed() -> None:
    first = list(patients(50, 1))
    assert first == list(patients(50, 1)) != list(patients(50, 2))
    assert len({row[0] for row in first}) == 50


def test_on_messy_patients_it_finds_decades_and_folded_sex(messy: Path) -> None:
    of = read(messy, Reading(columns="patient,name,age,sex,insurance"), GONE)
    assert [one.column for one in of.judged if one.role is Role.IDENTIFIER] == ["patient", "name"]
    found = advise(of, 5, 0.02, missing=GONE)
    says = dict(zip(of.columns, found.says(found.best), strict=True))
    assert says["sex"] == "spellings that differ in case are one"
    assert "intervals of 10" in says["age"]
    assert "-1 as (missing)" in says["age"]
    assert found.found.exact
    assert found.best.people <= found.most < found.before
    finer = dict(zip(of.columns, found.finer, strict=True))
    assert finer["sex"] is None
    assert finer["age"] is not None
    assert finer["age"] > found.best.people


@pytest.mark.slow
def test_what_is_written_runs_and_keeps_its_promise(messy: Path, typed, tmp_path: Path) -> None:
    arguments = ("--columns", "patient,age,sex,zip", "--max-exposure", "0.02", "--predict", "zip")
    said = typed("advise", str(messy), *arguments, "--write", "a.toml", "--figure", "a.svg")
    assert said.code == 0
    assert "left out  patient: a direct identifier" in said.out
    assert "searched exactly: no choice loses less" in said.out
    assert "prediction of zip" in said.out
    outcome = veilmix.run(tmp_path / "a.toml", mode="ideal")
    plain = json.loads(typed("advise", str(messy), *arguments, "--format", "json").out)
    (advised,) = (one for one in plain["choices"] if one["advised"])
    assert outcome.exposure.true == advised["people_below_k"] / 3000
    assert outcome.failed == ()
    assert (tmp_path / "a.svg").read_text().startswith("<?xml")
    again = typed("advise", str(messy), *arguments, "--write", "a.toml")
    assert (again.code, "is there already" in again.err) == (2, True)


def test_a_hierarchy_is_a_ladder(tmp_path: Path) -> None:
    of = table(job=["cook", "baker", "judge", "clerk"] * 25, sex=["f", "m"] * 50)
    (tmp_path / "job.csv").write_text("cook;food;*\nbaker;food;*\njudge;law;*\nclerk;law;*\n")
    found = advise(of, 30, 0.0, hierarchies={"job": tmp_path / "job.csv"})
    assert found.says(found.best)[0] == "level 1 of the hierarchy job.csv"
    with pytest.raises(DataError, match=r"no column is called 'jop'.*did you mean `job`"):
        advise(of, 5, 0.1, predict="jop")


def test_two_way_tables() -> None:
    """Half of the people in each of two cells; merged, they are spread over four."""
    fine, one = np.array([0, 1] * 50), np.zeros(100, int)
    assert two_way_distance([fine, fine], [fine, fine]) == 0
    assert two_way_distance([fine, fine], [one, fine]) == pytest.approx(0.5)
    assert two_way_distance([fine], [one]) == 0


def test_prediction() -> None:
    label = np.array([0, 1, 2, 0] * 100)
    found = prediction(label, [label], [np.zeros(400, int)])
    assert (found.fine, found.none, found.coarse) == (1.0, 0.5, 0.5)


MISTAKES = {
    "a weight": (("--weight", "age=-1"), "a number above 0 is accepted"),
    "no weight": (("--weight", "age"), "COLUMN=... is accepted"),
    "a column": (("--predict", "ags"), "did you mean `age`"),
    "a picture": (("--figure", "x.gif"), "x.gif: found .gif"),
    "too few": (("--k", "4000"), "no choice is safe"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_lines(name: str, messy: Path, typed) -> None:
    arguments, message = MISTAKES[name]
    said = typed("advise", str(messy), "--columns", "age,sex", *arguments)
    assert (said.code, message in said.err) == (2, True), said.err

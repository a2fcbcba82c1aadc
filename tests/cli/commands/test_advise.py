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
from veilmix.own_data.advise import advise
from veilmix.own_data.coarsening_ladders import column, widths
from veilmix.own_data.read_table import Reading, read
from veilmix.own_data.sample_patients import COLUMNS, patients
from veilmix.scenarios.populations.people import SourceTable
from veilmix.scenarios.populations.roles import ColumnRole

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


def table(**columns: list[str]) -> SourceTable:
    values = tuple(tuple(sorted(set(texts))) for texts in columns.values())
    codes = [
        [known.index(text) for text in texts]
        for known, texts in zip(values, columns.values(), strict=True)
    ]
    return SourceTable("t", tuple(columns), np.array(codes, np.int32).T, values, "")


def names(of: SourceTable, k: int = 5) -> list[str]:
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
    "dates, month first": (
        {"d": [f"0{1 + i % 9}/1{i % 7}/20{10 + i % 15}" for i in range(500)]},
        ["as it is", "of a date the month", "of a date the year", "of a date the decade"],
    ),
    "dates without signs": (
        {"d": [f"20{10 + i % 15}0{1 + i % 9}1{i % 7}" for i in range(500)]},
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
def test_a_ladder_has_the_expected_levels_and_ends_with_dropped(name: str) -> None:
    columns, expected = LADDERS[name]
    ladder = names(table(**columns))
    assert all(level in ladder for level in expected), ladder
    assert ladder[-1] == "dropped"


def test_months_are_months_wherever_they_stand() -> None:
    """Of 03/17/2015 the month is 3; where days and months cannot be told apart, years are left."""
    days = [f"0{1 + i % 9}/1{i % 7}/20{10 + i % 15}" for i in range(500)]
    of = table(d=days)
    (month,) = (j for j, name in enumerate(names(of)) if name == "of a date the month")
    codes = column(of, 0, 5, GONE).ladder.levels[month].codes
    place = dict(zip(of.values[0], codes.tolist(), strict=True))
    assert len({place[day] for day in days if day.startswith("03/") and day.endswith("2015")}) == 1
    assert len(set(codes.tolist())) == len({day[:3] + day[-4:] for day in days})
    doubtful = table(d=[f"0{1 + i % 9}/0{1 + i % 8}/20{10 + i % 15}" for i in range(500)])
    assert "of a date the month" not in names(doubtful)
    assert "of a date the year" in names(doubtful)


def test_widths_are_multiples_of_each_other() -> None:
    for numbers in ([0, 99], [0.5, 80.5], [0, 5_000], [1e-3, 5e-3]):
        sizes = widths(numbers)
        assert all(b / a == pytest.approx(round(b / a)) for a, b in pairwise(sizes))


def test_patients_are_the_same_for_a_seed() -> None:
    first = list(patients(50, 1))
    assert first == list(patients(50, 1)) != list(patients(50, 2))
    assert len({row[0] for row in first}) == 50


def test_on_messy_patients_it_finds_decades_and_folded_sex(messy: Path) -> None:
    of = read(messy, Reading(columns="patient,name,age,sex,insurance"), GONE)
    assert [
        judgement.column for judgement in of.judged if judgement.role is ColumnRole.IDENTIFIER
    ] == [
        "patient",
        "name",
    ]
    advice = advise(of, 5, 0.02, missing=GONE)
    levels = dict(zip(of.columns, advice.level_names(advice.best), strict=True))
    assert levels["sex"] == "spellings that differ in case are one"
    assert "intervals of 10" in levels["age"]
    assert "-1 as (missing)" in levels["age"]
    assert advice.advice.exact
    assert advice.best.people <= advice.people_limit < advice.exposed_before
    finer = dict(zip(of.columns, advice.finer, strict=True))
    assert finer["sex"] is None
    assert finer["age"] is not None
    assert finer["age"] > advice.best.people


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
    (advised,) = (choice for choice in plain["choices"] if choice["advised"])
    assert outcome.exposure.true == advised["people_below_k"] / 3000
    assert outcome.failed == ()
    assert (tmp_path / "a.svg").read_text().startswith("<?xml")
    again = typed("advise", str(messy), *arguments, "--write", "a.toml")
    assert (again.code, "is there already" in again.err) == (2, True)


def test_a_hierarchy_is_a_ladder(tmp_path: Path) -> None:
    of = table(job=["cook", "baker", "judge", "clerk"] * 25, sex=["f", "m"] * 50)
    (tmp_path / "job.csv").write_text("cook;food;*\nbaker;food;*\njudge;law;*\nclerk;law;*\n")
    advice = advise(of, 30, 0.0, hierarchies={"job": tmp_path / "job.csv"})
    assert advice.level_names(advice.best)[0] == "level 1 of the hierarchy job.csv"
    with pytest.raises(DataError, match=r"no column is called 'jop'.*did you mean `job`"):
        advise(of, 5, 0.1, predict="jop")


def test_the_distance_of_two_way_tables_is_that_of_their_cells() -> None:
    """Half of the people in each of two cells; merged, they are spread over four."""
    fine, coarse = np.array([0, 1] * 50), np.zeros(100, int)
    assert two_way_distance([fine, fine], [fine, fine]) == 0
    assert two_way_distance([fine, fine], [coarse, fine]) == pytest.approx(0.5)
    assert two_way_distance([fine], [coarse]) == 0


def test_accuracies_of_prediction_are_with_fine_coarse_and_no_columns() -> None:
    label = np.array([0, 1, 2, 0] * 100)
    accuracies = prediction(label, [label], [np.zeros(400, int)])
    assert (accuracies.fine, accuracies.none, accuracies.coarse) == (1.0, 0.5, 0.5)


MISTAKES = {
    "an importance": (("--importance", "age=-1"), "a number above 0 is accepted"),
    "no importance": (("--importance", "age"), "COLUMN=... is accepted"),
    "no such weight": (("--weight", "aeg"), "no column is called 'aeg'"),
    "two weights": (("--weight", "age", "--weight", "sex"), "one column of sampling weights"),
    "a weight that is none": (("--weight", "sex"), "a sampling weight above 0 in each row"),
    "a column": (("--predict", "ags"), "did you mean `age`"),
    "a picture": (("--figure", "x.gif"), "x.gif: found .gif"),
    "too few": (("--k", "4000"), "no choice is safe"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_lines(name: str, messy: Path, typed) -> None:
    arguments, message = MISTAKES[name]
    said = typed("advise", str(messy), "--columns", "age,sex", *arguments)
    assert (said.code, message in said.err) == (2, True), said.err


def test_advice_by_what_is_promised(typed, messy: Path, tmp_path: Path) -> None:
    """The promise reaches the target, which costs more; the scenario lets the curator decide."""
    options = (str(messy), "--columns", "age,sex,zip", "--max-exposure", "0.05")
    plain = {
        by: json.loads(typed("advise", *options, "--by", by, "--format", "json").out)
        for by in ("truth", "promise")
    }
    chosen = {
        by: next(choice for choice in record["choices"] if choice["advised"])
        for by, record in plain.items()
    }
    assert [record["by"] for record in plain.values()] == ["truth", "promise"]
    assert chosen["promise"]["promised"] <= 150 < chosen["truth"]["promised"]
    assert chosen["promise"]["loss"] > chosen["truth"]["loss"]
    said = typed("advise", *options, "--by", "promise", "--write", "p.toml")
    assert "what is promised has to reach the target" in said.out
    assert "; coverage bound)" in said.out
    assert "one step finer would" in said.out
    text = (tmp_path / "p.toml").read_text()
    assert "The counts of single columns prove it" in text
    assert "fixed" not in text
    outcome = veilmix.run(tmp_path / "p.toml", mode="ideal")
    # A run proves by prices what advice proves by coverage: never more.
    assert outcome.exposure.promised <= chosen["promise"]["promised"] / 3000
    assert outcome.failed == ()


def test_a_search_that_is_stopped_says_how_far_it_came(typed, messy: Path) -> None:
    said = typed("advise", str(messy), "--columns", "age,zip,weight,diagnosis", "--steps", "0")
    assert said.code == 0
    assert "stopped: no choice loses less than" in said.out
    plain = typed("advise", str(messy), "--steps", "0", "--format", "json")
    assert json.loads(plain.out)["exact"] is False


def test_what_has_more_weight_stays_finer(typed, messy: Path) -> None:
    options = (str(messy), "--columns", "age,zip,diagnosis", "--format", "json")
    records = [
        json.loads(typed("advise", *options, *more).out)
        for more in ((), ("--importance", "age=50"))
    ]
    levels = [
        next(choice for choice in each["choices"] if choice["advised"])["levels"]
        for each in records
    ]
    assert levels[1][0] < levels[0][0]


def test_a_hierarchy_is_handed_in(typed, messy: Path, tmp_path: Path) -> None:
    with messy.open() as file:
        zips = sorted({row["zip"] for row in csv.DictReader(file, delimiter=";")} - {""})
    (tmp_path / "zip.csv").write_text("".join(f"{z};{z[:2]}***;*\n" for z in zips))
    options = ("--columns", "age,zip", "--hierarchy", "zip=zip.csv", "--max-exposure", "0")
    said = typed("advise", str(messy), *options, "--format", "json")
    (ladder,) = (record for record in json.loads(said.out)["columns"] if record["column"] == "zip")
    assert ladder["levels"][1] == "level 1 of the hierarchy zip.csv"
    none = typed("advise", str(messy), *options[:2], "--hierarchy", "age=zip.csv")
    assert (none.code, "zip.csv: has no line for" in none.err) == (2, True)


def test_choices_for_programs_are_numbers(typed, messy: Path) -> None:
    """One line a choice, unrounded, with what it says of every column; no cell is a formula."""
    options = (str(messy), "--columns", "age,sex,zip")
    lines = typed("advise", *options, "--format", "csv").out.splitlines()
    rows = list(csv.DictReader(lines))
    record = json.loads(typed("advise", *options, "--format", "json").out)["choices"]
    assert len(rows) == len(record) > 1
    for row, choice in zip(rows, record, strict=True):
        assert float(row["loss"]) == choice["loss"]
        assert int(row["people_below_k"]) == choice["people_below_k"]
        assert (row["advised"] == "True") == choice["advised"]
        says = [row[name].removeprefix("'") for name in ("age", "sex", "zip")]  # -1 as a text
        assert says == choice["says"]


def test_a_step_that_misses_the_target_by_little_is_told_apart(typed, tmp_path: Path) -> None:
    """11 of 1,000 where 10 may be: 1.1 %, and 1.04 % where that is what it takes."""
    from veilmix.cli.text.advice import _precise_share

    shares = {0.0104: "1.04 %", 0.010001: "1.0001 %", 0.011: "1.1 %", 0.01: "1.0 %"}
    assert {share: _precise_share(share, 0.01) for share in shares} == shares

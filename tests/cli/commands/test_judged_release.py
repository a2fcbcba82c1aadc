"""A release of others beside its original: values, crowds, copies; at the command line too."""

import csv
import json
import random
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from veilmix.own_data.judged_release import judge_release
from veilmix.own_data.read_table import Reading
from veilmix.own_data.released_values import ValueTexts, fit_column, interval_of

ADULT = Path(__file__).parents[4] / "shared" / "data" / "adult" / "adult.data"
ILLNESSES = ("flu", "gout", "cold")
AGES = ("19", "20", "29", "29.5", "30", "65")


def fits(original: tuple[str, ...], released: str, **more) -> set[str] | None:
    """The original values that a released value stands for; None: every one."""
    ones = np.ones(len(original), np.int64)
    texts = ValueTexts((released,), np.ones(1, np.int64))
    column = fit_column("c", ValueTexts(original, ones), texts, **more).column
    if column.layer[0] == -2:
        return None
    return {
        text
        for code, text in enumerate(original)
        if any(layer[code] == 0 for layer in column.layers)
    }


@pytest.mark.parametrize(
    ("released", "stands_for"),
    [
        ("20 to 29", {"20", "29"}),
        ("20 to below 30", {"20", "29", "29.5"}),
        ("below 20", {"19"}),
        ("30 or more", {"30", "65"}),
        ("20-29", {"20", "29"}),
        ("[20, 30[", {"20", "29", "29.5"}),
        ("[20, 30)", {"20", "29", "29.5"}),
        ("]20, 30]", {"29", "29.5", "30"}),
        ("[20-30]", {"20", "29", "29.5", "30"}),
        ("<20", {"19"}),
        ("<=20", {"19", "20"}),
        (">30", {"65"}),
        (">=30", {"30", "65"}),
        ("30+", {"30", "65"}),
        ("30.0", {"30"}),
        ("2*", {"20", "29", "29.5"}),
        ("{19, 65}", {"19", "65"}),
        ("*", None),
        ("", None),
        ("77", set()),
        ("unlikely", set()),
    ],
)
def test_a_released_value_stands_for(released: str, stands_for: set[str] | None) -> None:
    assert fits(AGES, released) == stands_for


def test_dates_spellings_and_hierarchies() -> None:
    dates = ("2019-05-17", "17.6.2019", "2020-05-01", "x")
    assert fits(dates, "2019-05") == {"2019-05-17"}
    assert fits(dates, "2019") == {"2019-05-17", "17.6.2019"}
    assert fits(dates, "2020s") == {"2020-05-01"}
    assert fits(("M", "m", "f"), "m") == {"M", "m"}
    levels = {"a": ("a", "vowel", "*"), "b": ("b", "consonant", "*"), "e": ("e", "vowel", "*")}
    assert fits(("a", "b", "e"), "vowel", hierarchy=levels) == {"a", "e"}
    assert fits(("", "?", "5", "-1"), "(missing)") == {"", "?"}
    assert fits(("-3", "5"), "'-5 to -1") == {"-3"}  # quoted for spreadsheets


def test_other_is_the_rest_and_blanks_are_counted() -> None:
    ones = np.ones(3, np.int64)
    found = fit_column(
        "c", ValueTexts(("a", "b", "c"), ones), ValueTexts(("a", "(other)"), ones[:2])
    )
    assert found.column.finest.tolist() == [0, 1, 1]
    original = ValueTexts(("a", ""), np.array([5, 2]))
    same = fit_column("c", original, ValueTexts(("a", ""), np.array([5, 2])))
    assert same.column.layer.tolist() == [0, 0]  # as many empty cells as before: a value
    more = fit_column("c", original, ValueTexts(("a", ""), np.array([4, 3])))
    assert more.column.layer.tolist() == [0, -2]  # one more: some were blanked


def test_an_interval_is_read() -> None:
    assert interval_of("-20 to -1") == (-20, -1, True, True)
    assert interval_of("]1.5;2]") == (1.5, 2, False, True)
    assert interval_of("10117") is None


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """300 people; the age of the last one is hers alone."""
    draw = random.Random(3)
    rows = [
        (
            f"P{i:03}",
            str(draw.randrange(20, 60)),
            draw.choice("mf"),
            draw.choice(["flu", "gout", "cold"]),
        )
        for i in range(299)
    ]
    return _write(
        tmp_path / "people.csv",
        [("patient", "age", "sex", "illness"), *rows, ("P999", "93", "f", "lupus")],
    )


def _write(path: Path, rows: list[tuple[str, ...]]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return path


ROLES = ("--quasi", "age,sex", "--sensitive", "illness")


def test_a_coarser_table_has_the_crowds_of_its_own_score(typed, people: Path) -> None:
    options = (*ROLES, "--coarsen", "age.bins.edges=[30,40,50]", "--table", "out.csv", "--anyway")
    scored = json.loads(typed("score", "people.csv", *options, "--k", "40", "--format", "json").out)
    quasi = scored["quasi"]
    said = typed(
        "score",
        "--release",
        "out.csv",
        "--of",
        "people.csv",
        *ROLES,
        "--k",
        "40",
        "--format",
        "json",
    )
    judged = json.loads(said.out)
    links = judged["links"]
    assert (judged["release_smallest"], judged["release_below_k"]) == (
        quasi["smallest_crowd"],
        quasi["people_below_k"],
    )
    assert (links["fewest"], links["below_k"]) == (quasi["smallest_crowd"], quasi["people_below_k"])
    assert (links["people"], links["fitted"], links["rows_fitted"]) == (300, 300, 300)
    assert judged["columns"][0]["distance"] == judged["two_way"] == 0
    assert links["marketer"] == pytest.approx(quasi["values"] / 300)
    assert judged["sensitive"][0]["k"] == quasi["smallest_crowd"]
    assert judged["nearest"] is None
    assert "coarser" in judged["limits"][0]


def test_a_synthetic_table_with_one_copied_person_is_caught(
    typed, people: Path, tmp_path: Path
) -> None:
    draw = random.Random(8)
    made = [(str(draw.randrange(20, 60)), draw.choice("mf"), "flu") for _ in range(200)]
    _write(tmp_path / "syn.csv", [("age", "sex", "illness"), *made, ("93", "f", "lupus")])
    said = typed("score", "syn.csv", "--of", "people.csv", *ROLES)
    assert said.code == 0
    copies = judge_release(
        tmp_path / "syn.csv", people, Reading(quasi="age,sex", sensitive="illness")
    ).copies
    assert copies.of_unique >= copies.people > 0
    without = _write(tmp_path / "syn2.csv", [("age", "sex", "illness"), *made])
    reading = Reading(quasi="age,sex", sensitive="illness")
    before = judge_release(without, people, reading).copies
    assert (copies.of_unique - before.of_unique, copies.people - before.people) == (1, 1)
    assert f"{copies.of_unique} rows copy the row of somebody" in said.out
    assert "no --control" in said.out


def test_a_control_is_the_measure_of_copying(typed, people: Path, tmp_path: Path) -> None:
    lines = people.read_text().splitlines()
    (tmp_path / "a.csv").write_text("\n".join(lines[:151]) + "\n")
    (tmp_path / "c.csv").write_text("\n".join([lines[0], *lines[151:]]) + "\n")
    said = typed(
        "score", "a.csv", "--of", "a.csv", "--control", "c.csv", *ROLES, "--format", "json"
    )
    judged = json.loads(said.out)
    assert judged["copies"]["rows"] == 150
    assert judged["nearest"]["zero"] == 1
    assert judged["nearest"]["nearer"]["low"] > 0.5
    assert judged["identifiers"] == ["patient"]
    assert judged["copies"]["control_share"] < judged["copies"]["people_share"]
    inference = next(q for q in judged["questions"] if q["sought"] == ["illness"])
    assert inference["attack"]["share"] > inference["control"]["share"]


def test_suppressed_rows_are_apart_and_blanks_match(typed, tmp_path: Path) -> None:
    _write(
        tmp_path / "a.csv", [("age", "sex"), *[("30", "m")] * 3, *[("40", "f")] * 3, ("50", "f")]
    )
    rows = [("30", "m")] * 3 + [("40", "f")] * 2 + [("*", "f"), ("*", "*")]
    _write(tmp_path / "b.csv", [("age", "sex"), *rows])
    judged = json.loads(
        typed("score", "b.csv", "--of", "a.csv", "--each-row", "--format", "json").out
    )
    assert (judged["rows"], judged["suppressed"]) == (6, 1)
    assert judged["links"]["fewest"] == 1  # of 50, f: the row with a starred age
    assert judged["links"]["fitted"] == 7
    assert judged["links"]["pairs"] == 0  # that row fits the three of 40, f as well


def test_columns_that_are_not_judged_are_told_apart(typed, tmp_path: Path) -> None:
    """Names in the same case come first; text and weights are no identifiers."""
    _write(
        tmp_path / "a.csv",
        [
            ("patient", "age", "sex", "illness", "fnlwgt", "note"),
            *[
                (f"P{i}", f"{20 + i % 3}", "mf"[i % 2], "flu", f"{i + 50}.5", "x")
                for i in range(30)
            ],
        ],
    )
    rows = [(f"{20 + i % 3}", "7", "mf"[i % 2], f"{i}.5", "x", "P1", "gout") for i in range(30)]
    header = ("age", "Age", "sex", "fnlwgt", "note", "patient", "illness")
    _write(tmp_path / "b.csv", [header, *rows])
    options = ("--quasi", "age,sex", "--sensitive", "illness", "--text", "note")
    options = ("b.csv", "--of", "a.csv", *options, "--identifier", "patient")
    text = " ".join(typed("score", *options).out.split())
    judged = json.loads(typed("score", *options, "--format", "json").out)
    assert judged["links"]["fitted"] == 30  # by `age`, not by `Age`
    assert judged["added"] == ["Age"]
    assert (judged["identifiers"], judged["free_text"]) == (["patient"], ["note"])
    assert judged["not_judged"] == ["fnlwgt"]
    assert "free text is released, in which names may stand: note" in text
    assert "released, and not judged: fnlwgt" in text
    assert "cells stand for no value of the original ('gout')" in text
    assert "no person fits their rows" not in text  # illness is not a known column
    some = ("b.csv", "--of", "a.csv", "--columns", "age,sex", "--format", "json")
    assert set(json.loads(typed("score", *some).out)["not_judged"]) == {*header[3:]}


def test_csv_has_a_number_a_line(typed, people: Path) -> None:
    lines = list(
        csv.DictReader(
            StringIO(typed("score", "people.csv", "--of", "people.csv", "--format", "csv").out)
        )
    )
    counted = {(line["subject"], line["measure"]): line["value"] for line in lines}
    assert counted["people", "fitted"] == "300"
    assert counted["age", "bits"] == counted["age", "original_bits"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((), "Missing argument 'DATA'"),
        (("--release", "people.csv"), "--release has a use only with --of FILE"),
        (("--of", "people.csv"), "--of FILE has a use only with --release FILE"),
        (("people.csv", "--control", "people.csv"), "--control has a use only with --of"),
        (("people.csv", "--release", "people.csv", "--of", "people.csv"), "only one is judged"),
        (("people.csv", "--of", "people.csv", "--save", "x.json"), "--save has no use with --of"),
        (("people.csv", "--of", "people.csv", "--weight", "age"), "--weight has no use with --of"),
        (("x.csv", "--of", "people.csv"), "x.csv: no column is called as one of people.csv"),
        (
            ("people.csv", "--of", "people.csv", "--hierarchy", "a=h.csv"),
            "--hierarchy a: no column in both files",
        ),
        (
            ("people.csv", "--of", "people.csv", "--control", "half.csv"),
            "half.csv: has no column sex",
        ),
        (("stars.csv", "--of", "people.csv"), "stars.csv: all 2 rows are suppressed"),
    ],
)
def test_a_release_of_other_columns_is_one_clear_error(
    typed, people: Path, tmp_path: Path, arguments, error: str
) -> None:
    (tmp_path / "x.csv").write_text("height,weight\n1,2\n3,4\n")
    (tmp_path / "half.csv").write_text("age,illness\n1,2\n3,4\n")
    (tmp_path / "stars.csv").write_text("age,sex,illness\n*,*,*\n*,*,*\n")
    (tmp_path / "h.csv").write_text("30,x\n")
    said = typed("score", *arguments)
    assert said.code == 2
    assert error in " ".join(said.err.split())
    assert not said.out


def _stays(path: Path, patients: range) -> list[tuple[str, ...]]:
    """Made-up stays in hospital: one to three of each patient. The last patient is 97."""
    rows = []
    for n in patients:
        age = "97" if n == patients[-1] else str(30 + n % 4 * 10)
        wards = [("surgery", "ear")[(n // 2 + at) % 2] for at in range(1 + n % 3)]
        rows += [(f"P{n:03}", age, "fm"[n % 2], ward) for ward in wards]
    _write(path, [("patient", "age", "sex", "ward"), *rows])
    return rows


def test_stays_are_judged_by_patient(typed, tmp_path: Path) -> None:
    rows = _stays(tmp_path / "stays.csv", range(60))
    _stays(tmp_path / "other.csv", range(100, 160))
    _write(tmp_path / "b.csv", [("age", "sex", "ward"), *sorted(row[1:] for row in rows)])
    options = ("--of", "stays.csv", "--person", "patient", "--sensitive", "ward")
    said = typed("score", "--release", "b.csv", *options, "--control", "other.csv")
    assert said.code == 0, said.err
    text = " ".join(said.out.split())
    assert f"of stays.csv (60 people in {len(rows)} rows)" in text
    assert "fewest persons behind rows that fit one of these people 1" in text
    said = typed(
        "score", "--release", "b.csv", *options, "--control", "other.csv", "--format", "json"
    )
    record = json.loads(said.out)
    persons = {}
    for patient, age, sex, _ in rows:
        persons.setdefault((age, sex), set()).add(patient)
    links = record["links"]
    assert (links["people"], links["fitted"]) == (60, 60)
    assert links["fewest"] == min(map(len, persons.values())) == 1
    assert links["single"] == links["pairs"] == 1  # the patient of 97, in three rows
    assert links["below_k"] == sum(len(found) for found in persons.values() if len(found) < 5)
    assert record["person_rows"] == len(rows)


def test_a_control_of_stays_needs_the_column_of_patients(typed, tmp_path: Path) -> None:
    rows = _stays(tmp_path / "stays.csv", range(60))
    _write(tmp_path / "b.csv", [("age", "sex", "ward"), *(row[1:] for row in rows)])
    said = typed(
        *("score", "--release", "b.csv", "--of", "stays.csv", "--person", "patient"),
        *("--control", "b.csv"),
    )
    assert (said.code, said.out) == (2, "")
    assert "b.csv: no column is called 'patient' (--person)" in said.err
    assert "--one-row first" in said.err


def test_adult_with_ages_in_decades(tmp_path: Path) -> None:
    if not ADULT.exists():
        pytest.skip(f"no real table at {ADULT}")
    rows = [line.split(", ") for line in ADULT.read_text().splitlines() if line.strip()]
    picked = [(row[0], row[8], row[9]) for row in rows]
    coarse = [(f"{row[0][0]}0-{row[0][0]}9", row[1], row[2]) for row in picked]
    original = _write(tmp_path / "a.csv", [("age", "race", "sex"), *picked])
    release = _write(tmp_path / "b.csv", [("age", "race", "sex"), *coarse])
    judged = judge_release(release, original, Reading(each_row=True), k=10)
    counts = {row: coarse.count(row) for row in set(coarse)}
    small = [count for count in counts.values() if count < 10]
    assert (judged.release_smallest, judged.links.fewest) == (min(counts.values()),) * 2
    assert judged.links.below_k == judged.release_below_k == sum(small)
    assert judged.links.marketer == pytest.approx(len(counts) / len(rows))

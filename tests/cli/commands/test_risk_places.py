"""Where the risk is: values, minimal uniques and next steps, printed by `score` and `advise`."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest

ROWS = [("east", "f")] * 5 + [("east", "m")] * 5 + [("west", "")] * 2 + [("west", "m")] * 4


@pytest.fixture
def wards(tmp_path: Path) -> str:
    lines = [("ward", "sex"), *ROWS]
    (tmp_path / "w.csv").write_text("\n".join(map(",".join, lines)) + "\n")
    return "w.csv"


def test_a_score_names_the_values_and_the_next_steps(typed, wards: str) -> None:
    said = typed("score", wards)
    assert said.code == 0
    assert "where the risk is: 6 of 16 people are below k = 5 in ward, sex" in said.out
    assert "2 of the 6 have an empty cell, as have 2 of all 16" in said.out
    assert "sex: merge (empty) with 'm'" in said.out
    assert "leave out 6 rows in crowds smaller than k" in said.out


def test_programs_have_every_value_and_step(typed, wards: str) -> None:
    places = json.loads(typed("score", wards, "--format", "json").out)["places"]
    west = next(value for value in places["values"] if value["value"] == "west")
    assert (west["people"], west["below_k"], west["excess"]) == (6, 6, 6 - 6 * 6 / 16)
    assert (west["merge_with"], west["taken_out"]) == ("east", 4)
    assert places["uniques"]["complete"] is True
    steps = {(step["change"], step["column"]): step["below_k"] for step in places["steps"]}
    assert steps["dropped", "sex"] == 0
    assert steps["dropped", "ward"] == 2
    assert steps["left out", ""] == 0
    lines = list(csv.DictReader(StringIO(typed("score", wards, "--format", "csv").out)))
    counted = {(line["subject"], line["measure"]): line["value"] for line in lines}
    assert counted["ward=west", "value_people_below"] == "6"
    assert counted["drop ward", "step_people_below"] == "2"


def test_quasi_identifiers_are_counted_alone(typed, wards: str) -> None:
    said = typed("score", wards, "--quasi", "ward", "--sensitive", "sex")
    assert "where the risk is: 0 of 16 people are below k = 5 in ward" in said.out
    assert "next steps" not in said.out


def test_the_size_of_combinations_is_a_choice(typed, wards: str) -> None:
    said = typed("score", wards, "--unique-size", "1")
    assert "not counted: combinations of more than 1 column" in said.out
    assert "combinations of more" not in typed("score", wards).out


def test_dis_is_printed_for_a_sample(typed, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("ward\na\na\nb\n")
    said = typed("score", "t.csv", "--population-factor", "10")
    assert "1 unique people is right with chance 0.05263" in said.out  # 0.1 / (0.1 + 2 * 0.9)
    assert "DIS" not in typed("score", "t.csv").out


def test_wildcards_have_no_section(typed, wards: str) -> None:
    said = typed("score", wards, "--missing", "wildcard")
    assert (said.code, "where the risk is" in said.out) == (0, False)


def test_persons_are_counted_and_not_rows(typed, tmp_path: Path) -> None:
    rows = [
        f"P{who:02},{'fm'[who % 2]},w{(who * visit) % 3}" for who in range(12) for visit in range(3)
    ]
    (tmp_path / "v.csv").write_text("\n".join(["patient_id,sex,ward", *rows]) + "\n")
    said = typed("score", "v.csv", "--person", "patient_id", "--k", "5", "--format", "json")
    places = json.loads(said.out)["places"]
    small = {}
    for line in rows:
        who, *row = line.split(",")
        small.setdefault(tuple(row), set()).add(who)
    assert places["people"] == 12
    assert places["below_k"] == len(set().union(*(who for who in small.values() if len(who) < 5)))
    w1 = next(value for value in places["values"] if value["value"] == "w1")
    assert w1["people"] == len(
        {who for row, people in small.items() if row[1] == "w1" for who in people}
    )


def test_advice_that_leaves_people_below_k_says_who_they_are(typed, wards: str) -> None:
    said = typed("advise", wards, "--max-exposure", "0.2")
    assert "where the risk is: 2 of 16 people" in said.out
    places = json.loads(typed("advise", wards, "--max-exposure", "0.2", "--format", "json").out)[
        "places"
    ]
    assert places["below_k"] == 2
    assert "where the risk is" not in typed("advise", wards, "--max-exposure", "0").out


def test_merges_that_were_not_counted_are_named(typed, tmp_path: Path) -> None:
    lines = [f"P{n // 2},{20 + n},{'fm'[n % 2]}" for n in range(40)]
    (tmp_path / "ages.csv").write_text("\n".join(["patient,age,sex", *lines]) + "\n")
    options = ("--quasi", "age,sex", "--k", "3")
    one = typed("score", "ages.csv", "--each-row", "--identifier", "patient", *options).out
    one, neighbours = " ".join(one.split()), "merges of numbers that are no neighbours: age"
    assert neighbours in one
    assert "no merge that was tried helps" in one
    assert "no merge with" not in one
    persons = " ".join(typed("score", "ages.csv", "--person", "patient", *options).out.split())
    assert "merges beyond the first 3 of a column, as persons have several rows" in persons

"""Persons at the command line: two answers, a question only at a terminal, tables without order."""

import csv
import json
from collections import defaultdict
from pathlib import Path

import pytest
from veilmix.cli import own_table

ROWS = [
    (f"P{who:03}", "fm"[who % 2], f"w{(who + visit * who) % 4}")
    for who in range(40)
    for visit in range(6)
]


@pytest.fixture
def visits(tmp_path: Path) -> str:
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(map(",".join, [("patient_id", "sex", "ward"), *ROWS])) + "\n")
    return path.name


def crowds() -> dict[tuple[str, str], set[str]]:
    there: dict[tuple[str, str], set[str]] = defaultdict(set)
    for who, sex, ward in ROWS:
        there[sex, ward].add(who)
    return there


@pytest.mark.parametrize("command", ["score", "advise", "worst", "counts"])
def test_both_answers_are_named(typed, visits: str, command: str) -> None:
    said = typed(command, visits, *(["sex"] if command == "counts" else []))
    assert said.code == 2
    assert "240 rows, but 40 different values of the identifier 'patient_id'" in said.err
    assert "--person patient_id" in said.err
    assert "--each-row" in said.err
    assert not said.out


@pytest.mark.parametrize("command", ["check", "run"])
def test_a_scenario_stops_too(typed, visits: str, tmp_path: Path, command: str) -> None:
    head = f'[scenario]\nname = "s"\nseed = 1\n[population]\nsource = "{visits}"\n'
    (tmp_path / "s.toml").write_text(f"{head}[policy]\nk = 2\n")
    said = typed(command, "s.toml")
    assert (said.code, "s.toml:5: population.source" in said.err) == (2, True)
    assert 'person = "patient_id", or each_row = true' in said.err


def test_a_score_counts_persons_everywhere(typed, visits: str, tmp_path: Path) -> None:
    options = ("--person", "patient_id", "--k", "12", "--save", "s.json", "--sensitive", "ward")
    said = typed("score", visits, *options)
    assert said.code == 0
    assert "40 people in 240 rows, 2 columns" in said.out
    assert "a person is each value of patient_id: 40 people in 240 rows" in said.out
    assert "not asked: their attacks are on single rows" in said.out
    saved = json.loads((tmp_path / "s.json").read_text())
    assert (saved["users"], saved["rows"], saved["questions"]) == (40, 240, [])
    small = set().union(*(who for who in crowds().values() if len(who) < 12))
    assert saved["joint"]["people_below_k"] == saved["bounds"]["truth"] == len(small) > 0
    assert saved["bounds"]["persons"] >= len(small)
    assert saved["sensitive"][0]["k"] == 20
    assert typed("report", "s.json", "--out", "s.html").code == 0
    page = (tmp_path / "s.html").read_text()
    assert "Each value of patient_id: 40 people in 240 rows." in page
    assert "as exposed as its worst row" in page
    tidy = typed("score", visits, *options[:4], "--format", "csv").out
    assert f"all columns,truth,12,{len(small)}" in tidy


def test_tables_tell_no_persons_apart(typed, visits: str, tmp_path: Path) -> None:
    said = typed(
        *(
            "score",
            visits,
            "--person",
            "patient_id",
            "--table",
            "t.csv",
            "--counts",
            "c.csv",
            "--anyway",
        )
    )
    assert "in an order that tells no persons apart" in said.err
    with (tmp_path / "t.csv").open() as file:
        written = [tuple(row) for row in csv.reader(file)][1:]
    assert written == sorted((sex, ward) for _, sex, ward in ROWS)
    with (tmp_path / "c.csv").open() as file:
        counts = {(sex, ward): int(people) for sex, ward, people in list(csv.reader(file))[1:]}
    assert counts == {cell: len(who) for cell, who in crowds().items()}


def test_advice_is_about_persons(typed, visits: str, tmp_path: Path) -> None:
    said = typed("advise", visits, "--person", "patient_id", "--k", "12", "--format", "json")
    advised = json.loads(said.out)
    small = set().union(*(who for who in crowds().values() if len(who) < 12))
    assert (advised["users"], advised["rows"]) == (40, 240)
    assert advised["people_below_k_as_it_is"] == len(small)
    proven = typed("advise", visits, "--person", "patient_id", "--k", "12", "--by", "promise")
    assert proven.code == 0
    refused = typed("advise", visits, "--person", "patient_id", "--write", "s.toml")
    assert (refused.code, "take one row of each" in refused.err) == (2, True)
    assert not (tmp_path / "s.toml").exists()
    rule = ("--person", "patient_id", "--one-row", "first", "--write", "s.toml", "--k", "2")
    assert typed("advise", visits, *rule).code == 0
    assert 'one_row = "first"' in (tmp_path / "s.toml").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--one-row", "any", "--person", "patient_id"),
            'one_row = "any" (--one-row); first, last,',
        ),
        (("--missing", "wildcard", "--person", "patient_id"), "category is accepted then"),
        (("--ledger", "l.json", "--person", "patient_id"), "score without --ledger"),
        (("--person", "patient_id", "--worst-case", "5"), "take one row of each person"),
    ],
)
def test_what_persons_cannot_have_is_refused(
    typed, visits: str, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    said = typed("score", visits, *options)
    assert (said.code, message in said.err) == (2, True)
    assert said.out == ""


def test_a_question_is_asked_at_a_terminal_alone(
    typed, visits: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def answer(shown: str, **_: object) -> str:
        asked.append(shown)
        return ["value", "row"][len(asked) - 1]

    monkeypatch.setattr(own_table, "at_terminal", lambda: True)
    monkeypatch.setattr("click.prompt", answer)
    assert "40 people in 240 rows" in typed("score", visits).out
    assert "240 people, 2 columns" in typed("score", visits).out
    assert typed("score", visits, "--each-row").code == 0
    assert len(asked) == 2

"""Persons at the command line: two answers, a question only at a terminal, tables without order."""

import csv
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from veilmix.cli import table_options as own_table

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
    assert "each value of patient_id: 40 people in 240 rows" in page
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
    several = ("--person", "patient_id", "--k", "2", "--max-exposure", "0.5", "--write", "p.toml")
    assert typed("advise", visits, *several).code == 0
    assert "rows = 4\n" in (tmp_path / "p.toml").read_text()
    ran = typed("run", "p.toml", "--mode", "ideal", "--no-save")
    assert (ran.code, "40 persons, 4 ballots of each" in ran.out) == (0, True)
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


def _scenario(visits: str, *lines: str) -> None:
    text = f'[scenario]\nname = "v"\nseed = 1\n[population]\nsource = "{visits}"\n'
    text += 'person = "patient_id"\n' + "".join(f"{line}\n" for line in lines)
    Path("v.toml").write_text(text + "[policy]\nk = 5\nmax_exposure = 0.8\n")


def test_a_session_of_patients_with_six_visits_each(typed: Any, visits: str) -> None:
    """40 patients, 240 rows: check, run, verify, leak, show and report, as commands."""
    _scenario(visits)
    assert "say rows = 4 in [population]" in typed("check", "v.toml").err
    _scenario(visits, "rows = 6")
    said = typed("check", "v.toml")
    assert said.code == 0
    said_words = " ".join(said.out.split())
    assert "people 40," in said_words
    assert "up to 4 of a person; each person submits 6 ballots to a question" in said_words
    assert "a malicious person can fill a crowd of k = 5 alone, by 6 equal ballots" in said_words
    assert "fewer ballots do: rows = 4 costs 66.7 % of these messages" in said_words
    assert "in one envelope of 12 onions" in said_words
    ran = typed("run", "v.toml")
    assert ran.code == 0
    assert "40 persons, 6 ballots of each to a question" in ran.out
    assert "not searched where persons have several rows" in ran.out
    table = {tuple(line.split()[:3]) for line in ran.out.splitlines()}
    for (sex, ward), people in crowds().items():
        assert (sex, ward, str(len(people))) in table
    with Path("runs/v-0001/release.csv").open(newline="") as lines:
        rows = list(csv.reader(lines))
    assert rows[1:] == [[*cell, str(len(people))] for cell, people in sorted(crowds().items())]
    verified = typed("verify", "runs/v-0001")
    assert "none failed" in verified.out
    leak = typed("leak", "runs/v-0001")
    assert "all tables of persons with up to so many different rows were equally likely" in (
        " ".join(leak.out.split())
    )
    seen = typed("show", "runs/v-0001", "--as", "curator")
    assert "reads    round 1: sex: f: 20, m: 20; 200 dummies" in seen.out
    assert "at least" in seen.out
    report = typed("report", "runs/v-0001")
    assert report.code == 0
    page = Path("runs/v-0001/report.html").read_text("utf-8")
    assert "a person is as exposed as its worst row" in page
    assert "counted in one round and not in the other" not in page


def test_more_rows_than_a_session_takes_are_not_written(
    typed: Any, visits: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("veilmix.own_data.scenario_file.MAX_ROWS", 3)
    said = typed("advise", visits, "--person", "patient_id", "--k", "2", "--write", "s.toml")
    assert (said.code, "a person has 4 different rows as advised" in said.err) == (2, True)
    assert not (tmp_path / "s.toml").exists()


@pytest.mark.parametrize(
    "command",
    [
        ("compare", "v.toml"),
        ("attack", "v.toml"),
        ("theatre", "v.toml"),
        ("run", "v.toml", "--ledger", "l.sqlite"),
        ("leak", "runs/v-0001", "--prior", "marginals"),
        ("leak", "runs/v-0001", "--cheating"),
        ("show", "runs/v-0001", "--as", "curator", "--why", "user-1"),
        ("leak", "runs/v-0001", "--search"),
    ],
)
def test_commands_that_know_one_row_a_person_refuse(
    typed: Any, visits: str, command: tuple[str, ...]
) -> None:
    _scenario(visits, "rows = 4")
    if command[0] in ("leak", "show"):
        typed("run", "v.toml", "--quiet", "--mode", "real")
    said = typed(*command)
    assert said.code == 2
    assert "population.rows = 4" in said.err
    assert "persons with one row each" in " ".join(said.err.split())

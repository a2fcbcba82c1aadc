"""`veilmix score`: what it prints, in each format, what missing means, and what it refuses."""

import csv
import io
import json
import sys
from pathlib import Path

import pytest
from veilmix.installation import missing

SMALL = "sex,city\nf,Oslo\nf,Oslo\nm,\nm,?\nm,Rome\nm,Rome\n"


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "small.csv"
    path.write_text(SMALL, "utf-8")
    return str(path)


def test_the_page_says_what_missing_means_and_what_to_drop(typed, data: str) -> None:
    said = typed("score", data, "--k", "2", "--max-exposure", "0", "--missing-text", "?")
    assert said.code == 0
    lines = [" ".join(line.split()) for line in said.out.splitlines()]
    assert lines[0].startswith("small.csv 6 people, 2 columns; at most 0.0 % (0) may be in")
    assert lines[1] == 'missing cells (empty, "?") are a value of their own'
    assert lines[2] == "2 of 12 cells"
    assert "city 3 2 2 0 6" in lines  # values, missing, smallest crowd, below 2, below 5
    assert "in this table 0 0.0 %" in lines
    assert "sex x city 0.0 % safe 66.7 % unsafe" in lines
    assert any(line.startswith("by the table itself: keep sex, city (0.0 %") for line in lines)
    assert "drop city (66.7 % with it)" in lines
    assert said.err == ""


def test_an_estimate_stands_beside_the_proved_numbers_and_says_when_it_misleads(
    typed, data: str
) -> None:
    """In text, JSON and CSV; where missing cells match anything there is none."""
    said = typed("score", data, "--k", "2", "--missing-text", "?")
    lines = [" ".join(line.split()) for line in said.out.splitlines()]
    row = "if the columns had nothing to do with each other: estimate, mean (95 % of permutations)"
    at = [place for place, line in enumerate(lines) if line.startswith(row)]
    assert len(at) == 1
    assert lines[at[0] - 1].startswith("in this table")
    assert lines[at[0] + 1].startswith("prices of values")
    words = " ".join(said.out.split())
    assert "permutes each column 200 times (seed 0) and promises nothing" in words
    assert "It misleads where columns depend on each other" in words
    record = json.loads(typed("score", data, "--k", "2", "--format", "json").out)
    estimate = record["unrelated"]
    assert (estimate["permutations"], estimate["seed"]) == (200, 0)
    assert 0 <= estimate["low"] <= estimate["mean"] <= estimate["high"] <= 6
    assert "unrelated" not in record["bounds"]
    rows = csv.DictReader(io.StringIO(typed("score", data, "--k", "2", "--format", "csv").out))
    measures = {row["measure"]: float(row["value"]) for row in rows if row["k"] == "2"}
    assert [measures[f"unrelated_{end}"] for end in ("mean", "low", "high")] == [
        estimate[end] for end in ("mean", "low", "high")
    ]
    wild = typed("score", data, "--missing", "wildcard").out
    assert "not estimated, missing cells match anything" in wild
    assert "nothing to do with each other" not in typed("score", data, "--columns", "sex").out


def test_missing_as_a_wildcard_is_said_at_the_head(typed, data: str) -> None:
    said = typed("score", data, "--missing", "wildcard", "--missing-text", "?", "--format", "json")
    record = json.loads(said.out)
    assert record["missing"] == {"meaning": "wildcard", "texts": ["", "?"], "cells": 2}
    # Each m goes with both missing cities: crowds of 4; each f with the other only.
    assert record["joint"]["curve"] == {"k_from": [1, 3, 5], "people": [0, 2, 6]}
    page = typed("score", data, "--missing", "wildcard").out
    assert "missing cells (empty) match anything" in page
    assert "not transitive" in page


def test_an_unstated_spelling_of_missing_is_pointed_out(typed, data: str) -> None:
    said = typed("score", data)
    assert "'?' in 1 cells is read as a value like any other" in said.err
    assert '--missing-text "?"' in said.err
    assert "1 of 12 cells" in said.out


def test_json_has_the_whole_curve_every_set_and_every_bound(typed, data: str) -> None:
    record = json.loads(
        typed("score", data, "--k", "3", "--worst-case", "5", "--format", "json").out
    )
    assert (record["users"], record["k"], record["max_exposure"]) == (6, 3, 0.01)
    assert [column["name"] for column in record["columns"]] == ["sex", "city"]
    assert record["joint"]["people_below_k"] == 6
    assert record["bounds"] | {"worst": 6} == record["bounds"]
    bounds = {"lower", "truth", "worst", "margins", "coverage", "refined", "printed"}
    assert set(record["bounds"]) == bounds
    assert record["bounds"]["worst"] <= record["bounds"]["margins"] <= record["bounds"]["coverage"]
    assert record["risk"]["prosecutor"]["largest"] == 1
    assert [subset["columns"] for subset in record["sets"]["sets"]] == [
        ["sex"],
        ["city"],
        ["sex", "city"],
    ]
    assert record["sets"]["every"] is True
    assert record["sets"]["promised_by"] == "coverage"


def test_csv_is_one_number_a_line(typed, data: str) -> None:
    rows = list(csv.DictReader(io.StringIO(typed("score", data, "--format", "csv").out)))
    assert list(rows[0]) == ["subject", "measure", "k", "value"]
    values = {(row["subject"], row["measure"], row["k"]): row["value"] for row in rows}
    assert values["sex", "smallest_crowd", ""] == "2"
    assert values["all columns", "people_below", "2"] == "2"
    assert values["sex x city", "set_truth", "5"] == "6"
    assert len(values) == len(rows)


def test_chosen_columns_and_a_population(typed, data: str) -> None:
    arguments = ("score", data, "--columns", "sex", "--population-factor", "10")
    record = json.loads(typed(*arguments, "--format", "json").out)
    assert [column["name"] for column in record["columns"]] == ["sex"]
    assert record["risk"]["prosecutor"]["largest"] == 0.5
    assert record["risk"]["journalist"]["largest"] == 0.05


@pytest.mark.slow
@pytest.mark.parametrize("name", ["curves.svg", "curves.png"])
def test_a_figure_of_a_score_is_written(typed, data: str, name: str) -> None:
    said = typed("score", data, "--figure", name)
    assert said.code == 0
    assert Path(name).stat().st_size > 5000
    assert f"drawn     {name}" in said.err


def test_parquet_is_read_as_csv_is(typed, data: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    copy = f"COPY (SELECT * FROM read_csv('{data}', all_varchar = true)) TO 'small.parquet'"
    duckdb.sql(copy)
    parquet, text = (
        json.loads(typed("score", name, "--format", "json").out) for name in ("small.parquet", data)
    )
    assert parquet.pop("data") == "small.parquet"
    assert text.pop("data") == "small.csv"
    assert parquet.pop("read") == "read from small.parquet (Parquet)"
    assert text.pop("read") == "read from small.csv (comma, UTF-8, header in line 1)"
    assert parquet.pop("sha256") != text.pop("sha256")
    assert parquet["release"].pop("command")[2] == "small.parquet"
    assert text["release"].pop("command")[2] == "small.csv"
    assert parquet == text


def test_parquet_names_what_to_install(typed, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("p.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "duckdb", None)
    said = typed("score", "p.parquet")
    assert (said.code, missing("data", "p.parquet: reading Parquet") in said.err) == (2, True)


def test_a_figure_names_what_to_install(typed, data: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    said = typed("score", data, "--figure", "x.png")
    assert (said.code, missing("report", "drawing") in said.err) == (2, True)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "d.csv: the file is empty"),
        (b"a,b\n", "d.csv: a header, but no people"),
        (b"a,b\n1,2\n", "d.csv: the table has only one person"),
        (b"a,a\n1,2\n1,2\n", "d.csv:1: two columns are called 'a'"),
        (b"a,b\n1,2\n1\n", "d.csv:3: 1 cells found, the header has 2 columns"),
        (b"a,b\n1,2\n1,\xff\0\n", "d.csv: not a text file"),
    ],
)
def test_tables_that_cannot_be_scored(typed, content: bytes, said: str) -> None:
    Path("d.csv").write_bytes(content)
    reply = typed("score", "d.csv")
    assert (reply.code, reply.out) == (2, "")
    assert said in reply.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--k", "0"), "0 is not in the range x>=1"),
        (("--max-exposure", "1.5"), "1.5 is not in the range 0<=x<=1"),
        (("--max-exposure", "nan"), "'--max-exposure': found nan"),
        (("--columns", "sex,citty"), "no column is called 'citty'; it has sex, city (did you mean"),
        (("--columns", "sex,sex"), "each column once"),
        (("--figure", "x.gif"), "x.gif: found .gif"),
        (("--missing", "drop"), "'drop' is not one of"),
        (("--population-factor", "0.5"), "0.5 is not in the range x>=1"),
    ],
)
def test_wrong_arguments_of_score_end_with_code_2(
    typed, data: str, arguments: tuple[str, ...], said: str
) -> None:
    reply = typed("score", data, *arguments)
    assert (reply.code, reply.out) == (2, "")
    assert said in reply.err


def test_a_file_that_is_not_there(typed, data: str) -> None:
    reply = typed("score", "smal.csv")
    assert reply.code == 2
    assert "smal.csv: there is no such file (did you mean `small.csv`?)" in reply.err


def test_a_wide_table_says_what_was_searched(typed) -> None:
    rows = [",".join(str((i * (j + 3)) % (2 + j % 3)) for j in range(14)) for i in range(60)]
    Path("w.csv").write_text("\n".join([",".join("abcdefghijklmn"), *rows]), "utf-8")
    said = typed("score", "w.csv", "--max-exposure", "0.2")
    assert said.code == 0
    assert "of 1.64e+04 sets counted" in said.out


@pytest.mark.parametrize("k", [2**31, 2**62, 2**64 + 1])
@pytest.mark.parametrize("command", ["score", "advise"])
def test_crowds_beyond_every_number_of_people(typed, tmp_path: Path, command: str, k: int) -> None:
    """An answer or one clear line, and no internal error."""
    path = tmp_path / "few.csv"
    path.write_text("a,b\n1,2\n1,2\n3,4\n")
    said = typed(command, str(path), "--k", str(k))
    assert said.code == {"score": 0, "advise": 2}[command]
    assert "veilmix-bug" not in said.err
    assert {"score": "keep nothing", "advise": "no choice is safe"}[command] in said.out + said.err

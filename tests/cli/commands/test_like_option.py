"""`veilmix advise NEXT --like ADVICE`: next month's file with the same levels, judged again."""

import csv
import json
import random
from collections import Counter
from pathlib import Path

import pytest

REGIONS = ("north", "south", "east", "west")


def month(path: Path, *, first: int, people: int, further: tuple[str, ...] = ()) -> str:
    draw = random.Random(first)
    rows = [
        f"P{first + i:05},{draw.randrange(20, 80)},{draw.choice('mf')},{draw.choice(REGIONS)}"
        for i in range(people)
    ]
    path.write_text("\n".join(["patient,age,sex,region", *rows, *further]) + "\n")
    return path.name


@pytest.fixture
def advice(typed, tmp_path: Path) -> str:
    """Advice on January, as JSON."""
    month(tmp_path / "jan.csv", first=0, people=600)
    said = typed("advise", "jan.csv", "--k", "8", "--max-exposure", "0.02", "--format", "json")
    (tmp_path / "jan.json").write_text(said.out)
    return "jan.json"


def rows_of(file: Path) -> list[list[str]]:
    """The rows of a table without its header."""
    return list(csv.reader(file.read_text().splitlines()))[1:]


def features(text: str) -> dict[str, object]:
    return {column["column"]: column["feature"] for column in json.loads(text)["columns"]}


def test_the_same_levels_are_judged_again(typed, tmp_path: Path, advice: str) -> None:
    month(tmp_path / "feb.csv", first=300, people=900)
    said = typed("advise", "feb.csv", "--like", advice, "--format", "json", "--table", "out.csv")
    assert said.code == 0, said.err
    record = json.loads(said.out)
    assert (record["k"], record["max_exposure"], record["like"]) == (8, 0.02, "jan.json")
    assert features(said.out) == features((tmp_path / "jan.json").read_text())
    rows = rows_of(tmp_path / "out.csv")
    small = sum(people for people in Counter(map(tuple, rows)).values() if people < 8)
    assert next(c for c in record["choices"])["people_below_k"] == small
    assert "as in" not in said.err
    shown = typed("advise", "feb.csv", "--like", advice)
    assert "the choice of jan.json: nothing was searched" in shown.out


def test_a_scenario_is_advice_as_well(typed, tmp_path: Path, advice: str) -> None:
    written = ("--k", "8", "--max-exposure", "0.02", "--write", "jan.toml")
    assert typed("advise", "jan.csv", *written).code == 0
    month(tmp_path / "feb.csv", first=300, people=900)
    by_json = typed("advise", "feb.csv", "--like", advice, "--format", "json")
    by_toml = typed("advise", "feb.csv", "--like", "jan.toml", "--format", "json")
    choices = [json.loads(said.out)["choices"][0] for said in (by_json, by_toml)]
    assert choices[0]["people_below_k"] == choices[1]["people_below_k"]
    assert features(by_json.out) == {k: v or {} for k, v in features(by_toml.out).items()}


def test_new_values_and_columns_are_named(typed, tmp_path: Path, advice: str) -> None:
    further = ("P90000,unknown age,m,north", "P90001,30,m,abroad")
    month(tmp_path / "feb.csv", first=300, people=900, further=further)
    said = typed("advise", "feb.csv", "--like", advice)
    told = " ".join(said.err.split())
    assert "column 'age': its rule does not cover 'unknown age': as they are" in told
    assert "column 'region': 'abroad': not released before" in told
    lines = (tmp_path / "feb.csv").read_text().splitlines()
    wider = [lines[0] + ",ward", *(line + ",w" for line in lines[1:])]
    (tmp_path / "wide.csv").write_text("\n".join(wider) + "\n")
    told = " ".join(typed("advise", "wide.csv", "--like", advice).err.split())
    assert "not in jan.json, and not released: ward" in told


def test_a_missed_target_is_said_and_writes_nothing(typed, tmp_path: Path, advice: str) -> None:
    month(tmp_path / "few.csv", first=0, people=60)
    said = typed("advise", "few.csv", "--like", advice, "--table", "out.csv")
    assert said.code == 2
    assert "the target is missed" in said.out
    assert "next steps, each alone" in said.out
    assert "out.csv: not written: the target is missed" in said.err
    assert not (tmp_path / "out.csv").exists()
    assert typed("advise", "few.csv", "--like", advice).code == 0
    without = ("--suppress", "1", "--table", "out.csv")
    assert typed("advise", "few.csv", "--like", advice, *without).code == 0  # no row is left
    assert rows_of(tmp_path / "out.csv") == []
    month(tmp_path / "some.csv", first=0, people=400)
    kept = typed("advise", "some.csv", "--like", advice, *without)
    assert kept.code == 0, kept.err
    rows = rows_of(tmp_path / "out.csv")
    assert 0 < len(rows) < 400
    assert all(people >= 8 for people in Counter(map(tuple, rows)).values())


def test_rare_values_are_merged_as_before(typed, tmp_path: Path) -> None:
    def wards(name: str, counts: dict[str, int]) -> None:
        rows = [ward for ward, people in counts.items() for _ in range(people)]
        (tmp_path / name).write_text("\n".join(["ward", *rows]) + "\n")

    wards("jan.csv", {"a": 40, "b": 40, "c": 2, "d": 4})
    options = ("--k", "5", "--max-exposure", "0", "--format", "json")
    said = typed("advise", "jan.csv", *options)
    assert "merge_below" in said.out
    (tmp_path / "jan.json").write_text(said.out)
    wards("feb.csv", {"a": 40, "b": 3, "c": 30, "e": 6})  # c is frequent now, b rare, e new
    again = json.loads(typed("advise", "feb.csv", "--like", "jan.json", "--format", "json").out)
    assert again["columns"][0]["values"] == ["(other)", "a", "b"]
    assert again["people_missing_a_target"] == 3


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("--like", "jan.json", "--steps", "5"), "--steps has no use with --like"),
        (("--like", "text.json"), "text.json: no advice"),
        (("--like", "text.toml"), "text.toml: no advice"),
        (
            ("--like", "jan.json", "--columns", "age,sex"),
            "no column 'region', which jan.json releases",
        ),
        (("--like", "jan.json", "--identifier", "sex"), "'sex' is left out as a direct identifier"),
    ],
)
def test_a_wrong_like_file_is_one_clear_error(
    typed, tmp_path: Path, advice: str, arguments, error: str
) -> None:
    (tmp_path / "text.json").write_text('{"columns": 5}')
    (tmp_path / "text.toml").write_text('[policy]\nk = "five"\n')
    said = typed("advise", "jan.csv", *arguments)
    assert said.code == 2
    assert error in " ".join(said.err.split())
    assert not said.out

"""`advise --levels` describes another choice, and `--save` keeps the score of its table."""

import csv
import json
from pathlib import Path

import pytest
from veilmix.cli.app import start

ROLES = ("--quasi", "age,zip", "--sensitive", "ill", "--k", "3", "--suppress", "0.5")


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A table of 40 people."""
    path = tmp_path / "people.csv"
    rows = [
        f"{20 + i % 37},{'1011' if i % 3 else '1022'}{i % 2},{'flu' if i % 5 else ''}"
        for i in range(40)
    ]
    path.write_text("\n".join(["age,zip,ill", *rows]) + "\n")
    return path


def test_the_score_of_the_written_table_is_saved(people: Path) -> None:
    table, saved, again = (people.with_name(name) for name in ("r.csv", "r.json", "again.json"))
    levels = ("--levels", "age=2", "--levels", "zip=1")
    assert (
        start(["advise", str(people), *ROLES, *levels, "--table", str(table), "--save", str(saved)])
        == 0
    )
    missing = (
        "--missing-text",
        "(missing)",
        "--k",
        "3",
        "--quasi",
        "age,zip",
        "--sensitive",
        "ill",
    )
    assert start(["score", str(table), *missing, "--save", str(again)]) == 0
    ours, theirs = (json.loads(path.read_text()) for path in (saved, again))
    for key in ("users", "joint", "quasi", "risk", "sensitive", "bounds"):
        assert ours[key] == theirs[key], key
    shares = [
        [asked["attack"]["share"] for asked in score["questions"]] for score in (ours, theirs)
    ]
    assert shares[0] == pytest.approx(shares[1])
    with table.open() as file:
        rows = list(csv.reader(file))
    assert len(rows) - 1 == ours["users"]
    assert ours["coarser"] == [
        "age: intervals of 10 from 30 to 50, and beyond",
        "zip: the first 4 signs",
    ]


@pytest.mark.parametrize(
    ("levels", "said"),
    [
        (("age=9", "zip=0"), "--levels age: found 9; a level of each searched column"),
        (("age=1",), "--levels zip: found None"),
        (("age=1", "zip=0", "ill=0"), "--levels ill: it is not searched"),
        (("age=0.5", "zip=0"), "--levels age=0.5: a level from 0 up is accepted"),
        (("age=0", "zip=0"), "people miss the target with these levels; at most 20 may"),
    ],
)
def test_levels_that_cannot_be_had_are_refused(
    people: Path, capsys: pytest.CaptureFixture[str], levels: tuple[str, ...], said: str
) -> None:
    asked = [part for level in levels for part in ("--levels", level)]
    table = people.with_name("r.csv")
    assert start(["advise", str(people), *ROLES, *asked, "--table", str(table)]) == 2
    assert said in capsys.readouterr().err
    assert not table.exists()

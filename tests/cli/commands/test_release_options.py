"""Tables that are written: not where they miss their target, and as they are advised."""

import csv
import json
from collections import Counter
from pathlib import Path

import numpy as np


def test_a_release_that_misses_its_target_is_not_written(typed, tmp_path: Path) -> None:
    lines = [f"{i % 30},{'fm'[i % 2]}" for i in range(100)]
    (tmp_path / "t.csv").write_text("\n".join(["age,sex", *lines]) + "\n")
    said = typed("score", "t.csv", "--k", "5", "--table", "o.csv", "--save", "s.json")
    assert said.code == 2
    assert "o.csv: not written: 100 people are below k = 5 in all columns" in said.err
    assert not list(tmp_path.glob("[os].*"))
    assert typed("score", "t.csv", "--k", "5", "--table", "o.csv", "--anyway").code == 0
    assert typed("advise", "t.csv", "--k", "5", "--table", "a.csv").code == 0
    with (tmp_path / "a.csv").open() as file:
        rows = Counter(map(tuple, list(csv.reader(file))[1:]))
    assert sum(rows.values()) == 100
    assert sum(many for many in rows.values() if many < 5) <= 1
    left = typed("advise", "t.csv", "--k", "4", "--suppress", "0.4", "--table", "b.csv")
    assert "rows left out" in left.out
    assert typed("score", "b.csv", "--k", "4", "--max-exposure", "0", "--table", "c.csv").code == 0
    assert typed("advise", "t.csv", "--table", "a.doc").code == 2


def test_cells_are_suppressed_as_it_is_said(typed, tmp_path: Path) -> None:
    """In text, JSON and the table; a scenario of it cannot be."""
    rng = np.random.default_rng(4)
    lines = [f"{35 + int(rng.normal(0, 9))},0101{rng.integers(4)}" for _ in range(300)]
    (tmp_path / "t.csv").write_text("\n".join(["age,zip", *lines]) + "\n")
    options = ("advise", "t.csv", "--k", "4", "--suppress-cells", "0.06")
    said = typed(*options, "--table", "b.csv")
    words = " ".join(said.out.split())
    record = json.loads(typed(*options, "--format", "json").out)
    stars = (tmp_path / "b.csv").read_text().count("*")
    assert record["cells_suppressed"] == stars > 0
    assert f"cells suppressed {stars:,} of " in words
    assert "in a smaller crowd 0.0 % (0);" in words
    assert "the target is missed" not in words
    assert record["people_missing_a_target"] == 0
    assert "one by one, before cells are suppressed" in words
    assert "each column before cells are suppressed" in words
    assert "no choice of levels and cells loses less than" in words
    assert record["cells_lost_at_least"] <= record["cells_lost"]
    assert typed("score", "b.csv", "--k", "4", "--max-exposure", "0", "--table", "c.csv").code == 0
    refused = typed(*options, "--write", "b.toml")
    assert refused.code == 2
    assert "single cells are suppressed" in refused.err
    assert not (tmp_path / "b.toml").exists()


def test_cells_for_persons_and_targets_are_written_and_scored(typed, tmp_path: Path) -> None:
    """Persons and targets together; the saved score counts persons, and nobody is below k."""
    rng = np.random.default_rng(11)
    lines = [
        f"P{rng.integers(70)},{20 + 10 * int(rng.integers(4))},0101{rng.integers(3)},"
        f"{'fm'[rng.integers(2)]},{'aaabbcd'[rng.integers(7)]}"
        for _ in range(160)
    ]
    table = tmp_path / "t.csv"
    table.write_text("\n".join(["patient,age,zip,sex,diagnosis", *lines]) + "\n")
    options = ("--quasi", "age,zip,sex", "--sensitive", "diagnosis", "--person", "patient")
    asked = ("--k", "3", "--l", "diagnosis=2", "--suppress-cells", "0.4", "--max-exposure", "0.5")
    files = ("--table", str(tmp_path / "o.csv"), "--save", str(tmp_path / "s.json"))
    said = typed("advise", str(table), *options, *asked, *files)
    assert said.code == 0, said.err
    words = " ".join(said.out.split())
    assert "once cells are suppressed, nobody may be in a crowd smaller than k = 3" in words
    assert "in a class that misses k or a target 0.0 % (0)" in words
    score = json.loads((tmp_path / "s.json").read_text())
    assert score["max_exposure"] == 0
    assert score["quasi"]["people_below_k"] == 0
    assert score["sensitive"][0]["diversity"] >= 2
    assert score["users"] < score["rows"] == 160
    assert score["release"]["cells"]["cells"] == (tmp_path / "o.csv").read_text().count("*") > 0

"""Tables that are written: not where they miss their target, and as they are advised."""

import csv
from collections import Counter
from pathlib import Path


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

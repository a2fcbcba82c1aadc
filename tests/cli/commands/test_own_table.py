"""A table of one's own at the command line: read as it is written, no direct identifier asked."""

import csv
import io
from pathlib import Path

import pytest
from veilmix.scenarios.serialization.csv_text import csv_text, safe
from veilmix.scenarios.wording import escaped, visible

NAMES = ("patient", "case", "name", "contact")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A hundred people: four columns say who they are."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    rows = [
        (f"P{i:04}", 40_000 + i, f"{letters[i % 26]}. {i % 40}", f"p{i}@example.org", "fm"[i % 2])
        for i in range(100)
    ]
    path = tmp_path / "patients.csv"
    lines = [";".join((*NAMES, "sex")), *(";".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_check_score_and_run_name_direct_identifiers(typed, table: Path, tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(
        '[scenario]\nname = "s"\nseed = 1\n[population]\nsource = "patients.csv"\n'
        "[policy]\nk = 2\nmax_exposure = 0.5\n"
    )
    for command in ("check", "run"):
        said = typed(command, str(file))
        assert said.code == 0
        for name in NAMES:
            assert f"column '{name}' is not asked about" in said.out + said.err, command
    scored = typed("score", "patients.csv")
    assert scored.out.count("direct identifier: left out") == 4
    assert "1 column; at most" in scored.out
    assert "read from patients.csv (semicolon, UTF-8, header in line 1)" in scored.out


def test_the_user_overrules(typed, table: Path) -> None:
    said = typed("score", str(table), "--quasi", "case", "--identifier", "sex", "--format", "json")
    assert '"column": "sex", "role": "identifier"' in said.out
    assert '"column": "case", "role": "quasi"' in said.out
    assert "no column is called 'a'" in typed("score", str(table), "--quasi", "a").err
    both = typed("score", str(table), "--quasi", "sex", "--other", "sex")
    assert (both.code, "sex is quasi too; a column is one thing" in both.err) == (2, True)
    comma = typed("score", str(table), "--separator", ",")
    assert (comma.code, "its lines fit ';' (semicolon): say that" in comma.err) == (2, True)


EXECUTED = ["=1+1", "+49 30 1", "-x", "@SUM(A1)", "\t=1", "--5", "-1,5"]
HARMLESS = ["-1", "+1.5", "-1e3", "a=b", "", "1-2", "-5%", 7, -1.5, None]


def test_no_cell_is_a_formula() -> None:
    assert [safe(cell) for cell in EXECUTED] == [f"'{cell}" for cell in EXECUTED]
    assert [safe(cell) for cell in HARMLESS] == HARMLESS
    (row,) = csv.reader(io.StringIO(csv_text([EXECUTED])))
    assert not any(cell.startswith(("=", "+", "-", "@", "\t")) for cell in row)


def test_what_a_screen_would_obey_is_shown_escaped(typed, tmp_path: Path) -> None:
    assert escaped("a\u202eb\x1b[2J é") == r"a\u202eb\x1b[2J é"
    assert visible("<p>\u2066x\n\x00\t") == "<p>\\u2066x\n\\x00\t"
    assert visible("é🙂\u200d") == "é🙂\u200d"
    (tmp_path / "t.csv").write_text("a\u202eb,c\nx\u2066y,1\nz,2\n", "utf-8")
    said = typed("score", "t.csv", "--k", "1")
    assert r"a\u202eb" in said.out
    assert "\u202e" not in said.out


def test_a_cell_that_no_value_can_be_says_what_to_do(typed, tmp_path: Path) -> None:
    """A line break in one column, a cell that never ends, a packed file."""
    lines = [f"{i % 2},{i % 3},fine" for i in range(20)]
    (tmp_path / "notes.csv").write_text("\n".join(["a,b,note", *lines, '1,2,"x\ny"']) + "\n")
    whole = typed("score", "notes.csv")
    assert whole.code == 2
    assert "notes.csv:23: column 'note': 'x\\ny' holds a line break" in whole.err
    assert "choose columns without this one" in whole.err
    assert typed("score", "notes.csv", "--columns", "a,b").code == 0
    (tmp_path / "long.csv").write_text("a,b\n1," + "x" * 1_000_000 + "\n1,2\n")
    assert "shorten the cell, or close the quotation mark" in typed("score", "long.csv").err
    (tmp_path / "notes.csv.gz").write_bytes(b"\x1f\x8b")
    assert "files are accepted; unpack it first" in typed("score", "notes.csv.gz").err

"""A table of one's own at the command line: read as it is written, no direct identifier asked."""

import csv
import io
from pathlib import Path

import pytest
from veilmix.presentation.wording import escaped, visible
from veilmix.scenarios.serialization.csv_text import csv_text, safe

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


RULES = {
    "a name with a space": ("home town.prefix=2", "home town: the first 2 signs"),
    "a name with letters of Europe": ("größe.bins.width=10", "größe: intervals of 10"),
    "a name in quotes": ('"home town".prefix=1', "home town: the first sign"),
}


@pytest.fixture
def named(tmp_path: Path) -> Path:
    lines = [f"P{i:03};{'Oslo' if i % 2 else 'Rome'};{150 + i % 40}" for i in range(80)]
    path = tmp_path / "named.csv"
    path.write_text("\n".join(["patient;home town;größe", *lines]) + "\n", "utf-8")
    return path


@pytest.mark.parametrize("name", RULES)
def test_columns_are_coarsened_by_the_name_they_have(typed, named: Path, name: str) -> None:
    rule, done = RULES[name]
    said = typed("score", str(named), "--coarsen", rule, "--format", "json")
    assert (said.code, f'"{done}"' in said.out) == (0, True), said.err


HINTS = {
    "an identifier": (("--coarsen", "patient.prefix=1"), "if it is none, say --quasi patient"),
    "no column": (("--coarsen", "home.prefix=1"), "no column 'home'"),
    "no rule": (("--coarsen", "größe"), "COLUMN.RULE=VALUE is accepted"),
}


@pytest.mark.parametrize("name", HINTS)
def test_rules_that_cannot_be_say_what_can(typed, named: Path, name: str) -> None:
    arguments, message = HINTS[name]
    said = typed("score", str(named), *arguments)
    assert (said.code, message in said.err, said.err.count("\n")) == (2, True, 1), said.err


def test_doubts_of_what_is_said(typed, named: Path) -> None:
    """Line 1 is what the user says; that it does not look so is said too."""
    without = typed("score", str(named), "--no-header")
    assert without.code == 0
    assert "looks like names of columns: --header" in without.err
    assert "81 people" in without.out
    named.write_text("".join(f"{20 + i % 9};{i % 4}\n" for i in range(40)))
    first = typed("score", str(named), "--header")
    assert "looks like a person: --no-header" in first.err
    assert "looks like" not in typed("score", str(named)).err
    folder = typed("score", str(named.parent))
    assert (folder.code, "is a folder; name a file inside it" in folder.err) == (2, True)


def test_a_number_apart_from_all_others_is_named(typed, tmp_path: Path) -> None:
    """-1 among ages is most likely nobody's age; of values such as -1 to 1 nothing is said."""
    rows = [f"{-1 if i % 30 == 0 else 20 + i % 50},{i % 3 - 1}" for i in range(90)]
    (tmp_path / "ages.csv").write_text("\n".join(["age,trend", *rows]) + "\n")
    said = typed("score", "ages.csv")
    assert "column 'age': '-1' in 3 cells" in " ".join(said.err.split())
    assert "'trend'" not in said.err
    assert "'-1'" not in typed("score", "ages.csv", "--missing-text", "-1").err


def test_score_can_advise(typed, table: Path) -> None:
    """The same advice as by itself, below the score."""
    options = (str(table), "--columns", "sex,case", "--quasi", "case", "--k", "4")
    both, alone = typed("score", *options, "--advise"), typed("advise", *options)
    assert (both.code, alone.code) == (0, 0)
    head, _, advice = both.out.partition("\nwhat to do\n\n")
    assert head.startswith("patients.csv  100 people, 2 columns")

    def steady(text: str) -> list[str]:
        return [line for line in text.splitlines() if "searched exactly" not in line]

    assert steady(advice) == steady(alone.out)
    for form in ("json", "csv"):
        said = typed("score", *options, "--advise", "--format", form)
        assert (said.code, f"veilmix advise --format {form}" in said.err) == (2, True)


def test_tables_are_written_beside_a_score(typed, table: Path, tmp_path: Path) -> None:
    """Without identifiers, coarsened; Excel finds the mark where it is asked for."""
    options = (str(table), "--quasi", "case", "--coarsen", "case.bins.width=50")
    said = typed("score", *options, "--anyway", "--table", "t.csv", "--counts", "c.csv", "--bom")
    assert (said.code, "everybody's rows, 2 columns" in said.err) == (0, True)
    for name, first in (("t.csv", "case,sex"), ("c.csv", "case,sex,people")):
        content = (tmp_path / name).read_bytes()
        assert content.startswith(b"\xef\xbb\xbf")
        rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
        assert ",".join(rows[0]) == first
        assert {row[0] for row in rows[1:]} == {"40000 to 40049", "40050 to 40099"}
    assert sum(int(row[2]) for row in rows[1:]) == 100
    assert typed("score", *options, "--anyway", "--table", "t.csv").code == 0
    assert not (tmp_path / "t.csv").read_bytes().startswith(b"\xef")
    wrong = typed("score", *options, "--counts", "c.doc")
    assert (wrong.code, ".csv, .xlsx, .parquet files are written" in wrong.err) == (2, True)


@pytest.mark.parametrize("number", ["nan", "inf"])
@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("score", "--max-exposure"),
        ("score", "--population-factor"),
        ("advise", "--suppress-cells"),
    ],
)
def test_an_option_of_a_number_refuses_no_number(typed, tmp_path, command, option, number) -> None:
    (tmp_path / "t.csv").write_text("a,b\n" + "1,2\n" * 9)
    said = typed(command, "t.csv", option, number)
    assert (said.code, said.out) == (2, "")
    assert f"Invalid value for '{option}'" in said.err

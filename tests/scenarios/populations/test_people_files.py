"""People from CSV and Parquet files: what is read, what is said about it, what is refused."""

import builtins
import csv
import re
from pathlib import Path
from typing import Any

import pytest
from veilmix.errors import DataError
from veilmix.installation import missing
from veilmix.own_data import export
from veilmix.scenarios.populations import Population, files, population
from veilmix.scenarios.schema.model import FeatureSection, PopulationSection
from veilmix.scenarios.serialization import content

SMALL = "name,city,wage\nann,Oslo,1\nbob,Rome,2\ncyd,Oslo,1\n"


def read(
    tmp_path: Path,
    content: str | bytes,
    *features: FeatureSection,
    name: str = "p.csv",
    **more: object,
) -> Population:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return population(PopulationSection(source=name, **more), features, base=tmp_path)  # type: ignore[arg-type]


def table(of: Population) -> list[tuple[str, ...]]:
    return [of.row(i) for i in range(of.n)]


def test_all_columns_in_the_order_of_the_file(tmp_path: Path) -> None:
    of = read(tmp_path, SMALL)
    assert of.schema.names == ("name", "city", "wage")
    assert table(of) == [("ann", "Oslo", "1"), ("bob", "Rome", "2"), ("cyd", "Oslo", "1")]
    assert of.values[1] == of.schema.features[1].values == ("Oslo", "Rome")
    assert of.warnings == ()
    assert of.note == "read from p.csv (comma, UTF-8, header in line 1)"


def test_a_mapping_takes_only_its_columns_and_features_may_add_others(tmp_path: Path) -> None:
    columns = {"income": "wage"}
    assert table(read(tmp_path, SMALL, columns=columns)) == [("1",), ("2",), ("1",)]
    both = read(
        tmp_path, SMALL, FeatureSection(name="city"), FeatureSection(name="income"), columns=columns
    )
    assert both.schema.names == ("city", "income")
    assert both.row(1) == ("Rome", "2")
    with pytest.raises(DataError, match=r"no column is called 'wage'"):
        read(tmp_path, SMALL, FeatureSection(name="wage"), columns=columns)


def test_quotes_marks_and_line_ends(tmp_path: Path) -> None:
    content = b'\xef\xbb\xbfa,b\r\n"x, y","say ""z"""\r\nq,"r"\r\n'
    of = read(tmp_path, content)
    assert of.schema.names == ("a", "b")
    assert table(of) == [("x, y", 'say "z"'), ("q", "r")]


def test_spaces_are_removed_and_that_is_said(tmp_path: Path) -> None:
    of = read(tmp_path, "a , b\n x,y\nx ,y\nx, y\n")
    assert of.schema.names == ("a", "b")
    assert table(of) == [("x", "y")] * 3
    assert of.warnings[:2] == (
        "column 'a': spaces around 2 cells removed",
        "column 'b': spaces around 1 cells removed",
    )


def test_an_empty_cell_is_a_value_of_its_own(tmp_path: Path) -> None:
    content = "a,b\nx,\n?,y\n ,y\n"
    assert table(read(tmp_path, content)) == [("x", "(missing)"), ("?", "y"), ("(missing)", "y")]
    assert table(read(tmp_path, content, missing="?")) == [("x", "?"), ("?", "y"), ("?", "y")]


def test_rows_with_an_empty_cell_can_be_dropped_and_that_is_said(tmp_path: Path) -> None:
    content = "a,b\nx,\nu,y\n ,y\nv,y\n"
    of = read(tmp_path, content, missing="drop-row")
    assert table(of) == [("u", "y"), ("v", "y")]
    assert of.values == (("u", "v"), ("y",))
    assert "2 of 4 rows dropped: a cell of a column in use was empty" in of.warnings
    only = read(tmp_path, content, FeatureSection(name="a"), missing="drop-row")
    assert table(only) == [("x",), ("u",), ("v",)]


def test_one_person_and_one_value_are_allowed_and_said(tmp_path: Path) -> None:
    of = read(tmp_path, "a,b\nx,y\n")
    assert of.n == 1
    assert of.warnings == (
        "column 'a' has one value only ('x')",
        "column 'b' has one value only ('y')",
    )


def test_empty_lines_are_skipped_and_counted(tmp_path: Path) -> None:
    of = read(tmp_path, "a,b\nx,y\n\nu,v\n\n")
    assert of.n == 2
    assert of.warnings == ("2 empty lines skipped",)


def test_a_sample_of_a_file(tmp_path: Path) -> None:
    people = "".join(f"p{i}\n" for i in range(100))
    path = tmp_path / "p.csv"
    path.write_text("id\n" + people)
    section = PopulationSection(source="p.csv", users=10, roles={"id": "quasi"})
    of = population(section, (), 4, tmp_path)
    assert of.n == len(set(table(of))) == 10
    assert table(of) == table(population(section, (), 4, tmp_path))


LONG = "é" * 600
REFUSED: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "p.csv: the file is empty; a header and one line for each person are needed"),
    "only a header": (
        "a,b\n",
        "p.csv: a header, but no people; one line for each person is needed",
    ),
    "ragged": (
        "a,b\nx,y\nx,y,z\n",
        (
            "p.csv:3: 3 cells found, the header has 2 columns; a comma inside a value needs "
            "quotation marks around the value; --last-row 2 leaves this line and all below out"
        ),
    ),
    "header twice": (
        "a,b, a\n1,2,3\n",
        (
            "p.csv:1: two columns are called 'a' (columns 1 and 3); give each a name of its own; "
            "--header-row N (in a scenario: header_row = N) names the line of the header"
        ),
    ),
    "header without a name": (
        "a,,b\n1,2,3\n",
        (
            "p.csv:1: column 2 has no name, and values (line 2: '2'): write a name into the file; "
            "--header-row N (in a scenario: header_row = N) names the line of the header; if no "
            "line names the columns, say --no-header (in a scenario: header = false)"
        ),
    ),
    "an old workbook": (
        b"\xd0\xcf\x11\xe0...",
        "p.csv: holds an old Excel workbook, or one with a password; give it the ending .xls",
    ),
    "no text": (
        b"a,b\nx,\xff\x00\n",
        "p.csv: not a text file: it holds the byte 0x00; save the table as CSV",
    ),
    "open quotes": (
        'a,b\nx,"y\nz,z\n',
        (
            "p.csv:3: not CSV: unexpected end of data; a quotation mark inside a quoted value is "
            "written twice"
        ),
    ),
    "text after quotes": (
        'a,b\nx,"y"z\n',
        (
            "p.csv:2: not CSV: ',' expected after '\"'; a quotation mark inside a quoted value is "
            "written twice"
        ),
    ),
    "line break in a value": (
        'a,b\nx,y\n\nx,"y\nz"\n',
        (
            "p.csv:5: column 'b': 'y\\nz' holds a line break or another control character; choose "
            "columns without this one, or take that out of the cell"
        ),
    ),
    "long value": (
        f"a,b\nx,y\nx,{LONG}\n",
        "p.csv:3: column 'b': a value of 1,200 bytes of UTF-8; at most 1,024 are accepted",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_used_says_where_and_why(name: str, tmp_path: Path) -> None:
    content, message = REFUSED[name]
    with pytest.raises(DataError) as refused:
        read(tmp_path, content)
    assert str(refused.value) == f"{tmp_path}/{message}"


def test_dropping_everybody_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"every one of its 2 rows has an empty cell"):
        read(tmp_path, "a,b\nx,\n,y\n", missing="drop-row")


@pytest.mark.slow
def test_more_values_or_columns_than_the_wire_carries(tmp_path: Path) -> None:
    many = "id\n" + "".join(f"{i}\n" for i in range(65_536))
    with pytest.raises(DataError, match=r"65,536 different values; .* say open = true"):
        read(tmp_path, many, roles={"id": "quasi"})
    asked = FeatureSection(name="id", open=True)
    assert read(tmp_path, many, asked, roles={"id": "other"}).n == 65_536
    wide = ",".join(f"c{i}" for i in range(256))
    with pytest.raises(DataError, match=r"256 columns; 1 to 255 are accepted"):
        read(tmp_path, f"{wide}\n{wide.upper()}\n")


def test_files_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def said(source: str) -> str:
        with pytest.raises(DataError) as refused:
            population(PopulationSection(source=source), (), base=tmp_path)
        return str(refused.value).removeprefix(f"{tmp_path}/")

    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "people.csv").write_text(SMALL)
    assert said("peopel.csv") == "peopel.csv: there is no such file (did you mean `people.csv`?)"
    assert said("nowhere/p.csv") == "nowhere/p.csv: there is no such file"
    assert said("folder.csv") == "folder.csv: is a folder; name a file inside it"
    assert said("p.doc") == f"p.doc: {', '.join(files.READERS)} files are accepted"
    assert said("a\0b.csv") == "a\0b.csv: cannot be read: no file can have this name"
    assert "too long" in said("x" * 300 + ".csv")
    monkeypatch.setattr(content, "MAX_BYTES", 20)
    assert (
        said("people.csv") == "people.csv: 48 bytes; at most 20 are accepted: take a sample first"
    )


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    assert read(tmp_path, SMALL).n == 3
    assert read(tmp_path, SMALL + "dan,Rome,3\n").n == 4


def parquet(path: Path, content: str) -> None:
    import duckdb

    source = path.with_suffix(".source.csv")
    source.write_text(content)
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT * FROM read_csv('{source}')) TO '{path}' (FORMAT parquet)"
        )


@pytest.mark.slow
def test_parquet_is_read_as_text(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    parquet(path, 'city,"a ""b""",wage\nOslo,1,1.5\nRome,,2.0\n')
    of = population(PopulationSection(source="p.parquet"), (), base=tmp_path)
    assert of.schema.names == ("city", 'a "b"', "wage")
    assert table(of) == [("Oslo", "1", "1.5"), ("Rome", "(missing)", "2.0")]
    only = population(
        PopulationSection(source="p.parquet"), [FeatureSection(name="wage")], base=tmp_path
    )
    assert table(only) == [("1.5",), ("2.0",)]


def test_what_is_not_parquet_says_so(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"p\.parquet: not a readable Parquet file: "):
        read(tmp_path, "PAR1 or not", name="p.parquet")


def test_missing_duckdb_is_named_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: object) -> object:
        if name == "duckdb":
            raise ImportError(name)
        return real(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(DataError, match=re.escape(missing("data", "reading Parquet"))):
        read(tmp_path, "", name="p.parquet")


@pytest.mark.slow
def test_a_large_file_is_read_row_by_row(tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(f"c{j}" for j in range(42))
        row = [[f"v{(i * (j + 3)) % (j + 2)}" for j in range(42)] for i in range(1000)]
        for _ in range(50):
            writer.writerows(row)
    of = population(PopulationSection(source="large.csv"), (), base=tmp_path)
    assert of.codes.shape == (50_000, 42)


class Watched:
    """A connection that notes, at each query, whether duckdb would draw a progress bar."""

    def __init__(self, connection: Any, bars: list[bool]) -> None:
        self._connection, self._bars = connection, bars

    def __enter__(self) -> "Watched":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def execute(self, query: str, *given: Any) -> Any:
        if not query.startswith("SET"):
            asked = self._connection.execute("SELECT current_setting('enable_progress_bar')")
            self._bars.append(asked.fetchone()[0])
        return self._connection.execute(query, *given)


def test_duckdb_draws_no_progress_bar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would in a notebook, where it takes the bar to be wanted."""
    import duckdb

    bars: list[bool] = []
    real = duckdb.connect

    def connect() -> Watched:
        connection = real()
        connection.execute("SET enable_progress_bar = true")
        return Watched(connection, bars)

    monkeypatch.setattr(duckdb, "connect", connect)
    export.write(tmp_path / "t.parquet", ("a", "b"), [("x", "y")] * 3)
    of = population(PopulationSection(source="t.parquet"), (), base=tmp_path)
    assert table(of) == [("x", "y")] * 3
    assert len(bars) >= 2
    assert not any(bars)

"""How files are written is found out and said; what is said wrongly is one clear error."""

import csv
import io
import unicodedata
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from veilmix.errors import DataError
from veilmix.own_data import read_table as reading
from veilmix.scenarios.populations import population
from veilmix.scenarios.populations.header_line import names_columns
from veilmix.scenarios.schema.model import PopulationSection

ROWS = [["Ort", "Größe"], ["Köln", "1,5"], ["Nîmes", "2,25"], ["Köln", "1,5"]]


def written(separator: str, encoding: str, before: str = "") -> bytes:
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\r\n").writerows(ROWS)
    return (before + out.getvalue()).encode(encoding)


def read(path: Path, content: bytes, name: str = "p.csv", **said: Any) -> Any:
    (path / name).write_bytes(content)
    return population(PopulationSection(source=name, **said), (), base=path)


WAYS = [
    (",", "utf-8", "comma, UTF-8"),
    (";", "utf-8-sig", "semicolon, UTF-8 with a mark"),
    ("\t", "utf-16", "tab, UTF-16"),
    ("|", "utf-16-le", "bar, UTF-16"),
    (";", "latin-1", "semicolon, Latin-1"),
    ("\t", "utf-16-be", "tab, UTF-16"),
]


@pytest.mark.parametrize(("separator", "encoding", "says"), WAYS)
def test_separator_and_encoding_are_found_out(
    tmp_path: Path, separator: str, encoding: str, says: str
) -> None:
    of = read(tmp_path, written(separator, encoding))
    assert of.schema.names == ("Ort", "Größe")
    assert [of.row(i) for i in range(3)] == [("Köln", "1.5"), ("Nîmes", "2.25"), ("Köln", "1.5")]
    assert of.note == f"read from p.csv ({says}, header in line 1, decimal comma in Größe)"


def test_windows_has_letters_that_latin_1_lacks(tmp_path: Path) -> None:
    of = read(tmp_path, "a;b\n€;x\n“q”;y\n".encode("cp1252"))
    assert of.values[0] == ("“q”", "€")
    assert "cp1252" in of.note


def test_a_line_that_names_the_separator_is_no_header(tmp_path: Path) -> None:
    of = read(tmp_path, written("|", "utf-8", "sep=|\r\n"))
    assert of.schema.names == ("Ort", "Größe")
    assert "bar, UTF-8, header in line 2" in of.note


def test_a_tsv_and_one_column(tmp_path: Path) -> None:
    assert read(tmp_path, written("\t", "utf-8"), "p.tsv").schema.names == ("Ort", "Größe")
    assert read(tmp_path, b"blood type\nA\nB\n").values == (("A", "B"),)


HEADERS: dict[str, tuple[list[list[str]], bool]] = {
    "names above numbers": ([["id", "age"], ["1", "20"], ["2", "30"]], True),
    "numbers from the first line": ([["x", "39"], ["y", "50"], ["x", "38"]], False),
    "years above numbers, and names": ([["who", "2019"], ["ann", "4"], ["bob", "5"]], False),
    "texts that come again": ([["f", "Oslo"], ["m", "Rome"], ["f", "Oslo"], ["f", "Oslo"]], False),
    "texts that do not": ([["sex", "city"], ["m", "Rome"], ["f", "Oslo"], ["f", "Oslo"]], True),
    "one line": ([["1", "2"]], True),
    "missing numbers": ([["a", "b"], ["?", "x"], ["3", "y"]], True),
}


@pytest.mark.parametrize("name", HEADERS)
def test_what_is_a_header(name: str) -> None:
    rows, named = HEADERS[name]
    assert names_columns(rows) is named


def test_without_a_header_columns_have_numbers_and_nobody_is_lost(tmp_path: Path) -> None:
    of = read(tmp_path, b"39, Private\n50, Private\n39, State\n")
    assert (of.n, of.schema.names) == (3, ("c1", "c2"))
    assert "no header: columns are c1, c2, ..." in of.note
    assert read(tmp_path, b"2019,2020\n1,2\n3,4\n", header=True).n == 2
    assert read(tmp_path, b"a,b\nx,y\n", header=False).n == 2


WRONG: dict[str, tuple[bytes, dict[str, Any], str]] = {
    "separator": (b"a;b\n1;2\n", {"separator": ","}, "its lines fit ';' (semicolon): say that"),
    "no separator": (
        b"a;b\n1;2\n",
        {"separator": ";;"},
        "a single character, or the word tab or space",
    ),
    "encoding": (b"a\n\xff\n", {"encoding": "utf-8"}, "p.csv:2: not UTF-8: byte 0xff at offset 2"),
    "UTF-16": (b"a,b\n1,2\n3\n", {"encoding": "utf-16"}, "not UTF-16"),
    "no encoding": (b"a\n1\n", {"encoding": "utf-9"}, "no encoding is called 'utf-9'"),
    "a mark": (b"\xef\xbb\xbfa\n1\n", {"encoding": "latin-1"}, "begins with the mark of UTF-8"),
    "another mark": (
        "a;b\n1;2\n".encode("utf-16"),
        {"encoding": "latin-1"},
        "begins with the mark of UTF-16, so it is not latin-1; leave it out",
    ),
    "no Latin-1": (
        "a;b\né;2\n".encode(),
        {"encoding": "latin-1"},
        "is UTF-8 throughout, so it is not latin-1; leave the encoding out",
    ),
    "no comma": (
        b"a;b\n1.5;x\n2;y\n",
        {"decimal": ","},
        "p.csv: column 'a': '1.5' and similar numbers have a decimal point",
    ),
    "a sheet": (b"a\n1\n", {"sheet": "x"}, "sheet = 'x', but a .csv file has no sheet"),
    "a workbook": (b"PK\x03\x04...", {}, "holds an Excel workbook (.xlsx)"),
    "ragged": (b"a;b\n1;2\n1;2;3\n", {}, "a semicolon inside a value needs quotation marks"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_said_wrongly_is_one_error(name: str, tmp_path: Path) -> None:
    content, said, message = WRONG[name]
    with pytest.raises(DataError) as refused:
        read(tmp_path, content, **said)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_comma_may_part_thousands(tmp_path: Path) -> None:
    content = b'a;b\n1,234;"x"\n5,678;"y"\n'
    doubtful = read(tmp_path, content)
    assert doubtful.values[0] == ("1,234", "5,678")
    assert 'say --decimal , (in a scenario: decimal = ",")' in doubtful.warnings[0]
    assert read(tmp_path, content, decimal=",").values[0] == ("1.234", "5.678")
    assert read(tmp_path, b"a;b\n1.234,5;x\n7;y\n").values[0] == ("1234.5", "7")
    assert read(tmp_path, b"a;b\n1.234;x\n5.678;y\n", decimal=",").values[0] == ("1234", "5678")
    pointed = read(tmp_path, b"a;b\n1,5;x\n7;y\n", decimal=".")
    assert pointed.values[0] == ("1,5", "7")
    assert "'1,5' and similar numbers are read as text" in pointed.warnings[0]


def test_texts_that_mean_missing(tmp_path: Path) -> None:
    of = read(tmp_path, b"a,b\n?,x\n-1,x\n,x\n4,y\n", missing_texts=("?", "-1"))
    assert of.values[0] == ("(missing)", "4")
    dropped = read(tmp_path, b"a,b\n?,x\n4,y\n", missing_texts=("?",), missing="drop-row")
    assert dropped.n == 1


def test_an_excel_sheet_is_read_as_a_table(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    from datetime import datetime

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "notes"
    people = book.create_sheet("people")
    for row in ([], ["born", "age", "ok"], [datetime(1990, 5, 1), 31.0, True], [None, 2.5, "x"]):  # noqa: DTZ001
        people.append(row)
    book.save(tmp_path / "p.xlsx")
    of = population(PopulationSection(source="p.xlsx", sheet="people"), (), base=tmp_path)
    assert of.schema.names == ("born", "age", "ok")
    assert of.row(0) == ("1990-05-01", "31", "TRUE")
    assert of.row(1) == ("(missing)", "2.5", "x")
    assert of.note == "read from p.xlsx (Excel, sheet 'people' of 2, header in row 2)"
    for sheet_name, message in (
        ("peple", r"did you mean `people`"),
        (None, "'notes' is empty.*another: people"),
    ):
        with pytest.raises(DataError, match=message):
            population(PopulationSection(source="p.xlsx", sheet=sheet_name), (), base=tmp_path)
    (tmp_path / "q.xlsx").write_bytes(b"a,b\n")
    with pytest.raises(DataError, match="not a readable Excel workbook"):
        population(PopulationSection(source="q.xlsx"), (), base=tmp_path)


def test_a_formula_that_nobody_has_calculated_is_no_missing_cell(tmp_path: Path) -> None:
    """A library writes formulas without their values; a column that is not read may have them."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["n", "sum"], [1, "=A2+1"], [2, None]):
        book.active.append(row)
    book.create_sheet("more")
    book.save(tmp_path / "p.xlsx")
    with pytest.raises(DataError, match="row 2: column 'sum': a formula without a stored result"):
        population(PopulationSection(source="p.xlsx"), (), base=tmp_path)
    of = population(PopulationSection(source="p.xlsx", columns={"n": "n"}), (), base=tmp_path)
    assert of.values == (("1", "2"),)
    assert of.note.endswith("'Sheet' of 2, header in row 1; --sheet reads another: more)")


def test_a_formula_with_its_value_is_that_value(tmp_path: Path) -> None:
    """Also where the value is an empty text, and where cells lie over the pieces that are read.

    The size that the file says of itself is of the empty sheet that it was made from: all is read.
    """
    pytest.importorskip("openpyxl")
    rows = "".join(
        f'<row r="{i}"><c r="A{i}"><v>{i % 5}</v></c>'
        f'<c r="B{i}"><f>A{i}+1</f><v>{i % 5 + 1}</v></c>'
        f'<c r="C{i}" t="str"><f>""</f><v></v></c></row>'
        for i in range(2, 9000)
    )
    head = "".join(f'<c r="{a}1" t="inlineStr"><is><t>{a}</t></is></c>' for a in "ABC")
    made = workbook(tmp_path, f'<row r="1">{head}</row>{rows}')
    assert population(PopulationSection(source=made), (), base=tmp_path).n == 8998
    broken = rows.replace("<f>A8000+1</f><v>1</v>", "<f>A8000+1</f>")
    assert broken != rows
    made = workbook(tmp_path, f'<row r="1">{head}</row>{broken}')
    with pytest.raises(DataError, match="row 8000: column 'B': a formula"):
        population(PopulationSection(source=made), (), base=tmp_path)


def workbook(folder: Path, rows: str) -> str:
    """A workbook whose only sheet has these rows of XML; returns its name."""
    import openpyxl

    plain = folder / "plain.xlsx"
    openpyxl.Workbook().save(plain)
    with ZipFile(plain) as old, ZipFile(folder / "made.xlsx", "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name.startswith("xl/worksheets/"):
                text = text.replace(
                    b"<sheetData></sheetData>", f"<sheetData>{rows}</sheetData>".encode()
                )
                assert rows.encode() in text
            new.writestr(name, text)
    return "made.xlsx"


CELL = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=8)


@given(
    st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=3, max_size=8),
    st.sampled_from([",", ";", "\t", "|"]),
)
def test_whatever_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], separator: str
) -> None:
    """Cells of any letters, quoted by the csv module, come back composed, with any separator."""
    path = tmp_path_factory.mktemp("any")
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows([["a", "b", "c"], *rows])
    of = read(path, out.getvalue().encode(), separator=separator, header=True, decimal=".")
    composed = [[unicodedata.normalize("NFC", cell) for cell in row] for row in rows]
    assert [list(of.row(i)) for i in range(of.n)] == composed


def test_a_long_file_says_how_far_it_is(tmp_path: Path) -> None:
    path, told = tmp_path / "long.csv", list[str]()
    path.write_text("sex,age\n" + "f,1\nm,2\n" * 150_000)
    table = reading.read(path, reading.Reading(), progress=told.append)
    assert len(table.codes) == 300_000
    assert told == [f"reading {path}", f"reading {path}: 262,144 rows"]
    assert reading.read(path, reading.Reading()).codes is table.codes  # and is kept

"""Files as pandas, R, Excel and offices write them by default: found out, said, and never misread.

Texts stand here letter by letter as the call beside them writes them; workbooks are made.
"""

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from veilmix.errors import DataError
from veilmix.own_data.read_table import Reading, read
from veilmix.scenarios.populations.file_options import options_of
from veilmix.scenarios.populations.files import source_of


@dataclass(frozen=True)
class Case:
    """A file, and how it has to be read. says: the form, or an error if there are no columns."""

    text: str
    says: str
    columns: tuple[str, ...] = ()
    people: int = 0
    options: dict[str, Any] = field(default_factory=dict)
    warns: str = ""


AGE = ("age", "sex")
CASES = {
    # pandas writes by frame.to_csv("p.csv")
    "pandas, an index": Case(
        ",age,sex\n0,31,f\n1,38,m\n2,42,f\n",
        "comma, UTF-8, header in line 1, row numbers in column 1 left out",
        AGE,
        3,
    ),
    "pandas, an index, read without a header": Case(
        ",age,sex\n0,31,f\n1,38,m\n2,42,f\n",
        "comma, UTF-8, no header: columns are c1, c2, ...",
        ("c1", "c2", "c3"),
        4,
        {"header": False},
        "it looks like names of columns: --header",
    ),
    # pandas writes by frame[frame.age > 30].to_csv("p.csv"), an index with names or gaps
    "pandas, names of rows": Case(
        ",age,sex\na,31,f\nb,38,m\nc,42,f\n",
        "header in line 1, column 1 has no name and is called 'row_name'",
        ("row_name", *AGE),
        3,
    ),
    "pandas, a filtered index": Case(
        ",age,sex\n0,31,f\n3,38,m\n7,42,f\n",
        "column 1 has no name and is called 'row_name'",
        ("row_name", *AGE),
        3,
    ),
    # pandas writes by series.to_csv("p.csv") of a series without a name
    "pandas, a series": Case(
        ",0\n0,31\n1,38\n2,42\n", "row numbers in column 1 left out", ("0",), 3
    ),
    # pandas writes by frame.groupby("sex").agg(["mean", "std"]).reset_index().to_csv(index=False)
    "pandas, two levels of names": Case(
        "sex,bmi,bmi\n,mean,std\nf,23.1,1.2\nm,25.0,2.1\nd,24.0,2.0\n",
        "header in line 1, joined with line 2",
        ("sex", "bmi mean", "bmi std"),
        3,
    ),
    # pandas writes by frame.groupby("sex").agg({"age": ["mean", "std"]}).to_csv("p.csv")
    "pandas, an index with its name below": Case(
        ",age,age\n,mean,std\nsex,,\nf,36.5,7.7\nm,33.5,6.3\nd,33.0,6.4\n",
        "header in line 1, joined with line 2, column 1 has its name in line 3",
        ("sex", "age mean", "age std"),
        3,
    ),
    # R writes by write.csv(d, "p.csv")
    "R write.csv": Case(
        '"","age","sex"\n"1",31,"f"\n"2",38,"m"\n"3",NA,"f"\n',
        "comma, UTF-8, header in line 1, row numbers in column 1 left out",
        AGE,
        3,
    ),
    # R writes by write.csv2(d, "p.csv")
    "R write.csv2": Case(
        '"";"age";"sex"\n"1";31,5;"f"\n"2";38,25;"m"\n"3";42;"f"\n',
        "semicolon, UTF-8, header in line 1, row numbers in column 1 left out, decimal comma in "
        "age",
        AGE,
        3,
    ),
    # R writes by write.table(d, "p.txt"), whose header is one name short
    "R write.table": Case(
        '"age" "sex"\n"1" 31 "f"\n"2" 38 "m"\n"3" 42 "f"\n',
        "space, UTF-8, header in line 1, its line lacks the name of column 1, "
        "row numbers in column 1 left out",
        AGE,
        3,
    ),
    # R writes by write.table(mtcars[1:3, c("cyl", "gear")], "p.txt")
    "R write.table, names of rows": Case(
        '"cyl" "gear"\n"Mazda RX4" 6 4\n"Mazda RX4 Wag" 6 4\n"Datsun 710" 4 4\n',
        "its line lacks the name of column 1, column 1 has no name and is called 'row_name'",
        ("row_name", "cyl", "gear"),
        3,
    ),
    # R writes by write.table(d, "p.txt", row.names = FALSE)
    "R write.table without names of rows": Case(
        '"age" "sex"\n31 "f"\n38 "m"\n42 "f"\n', "space, UTF-8, header in line 1", AGE, 3
    ),
    # R writes by write.table(d, "p.csv", quote = FALSE, sep = ";")
    "R write.table without quotes": Case(
        "age;sex\n1;31;f\n2;38;m\n3;42;f\n", "row numbers in column 1 left out", AGE, 3
    ),
    "R write.table without quotes, names of rows": Case(
        "age;sex\nAnn;31;f\nBo;38;m\nCe;42;f\n",
        "p.csv: each line has one cell more than the header in line 1 (2 names): if column 1 holds "
        "names of rows, say --header-row 1 (in a scenario: header_row = 1); else a separator",
    ),
    "R write.table without quotes, as the user says": Case(
        "age;sex\nAnn;31;f\nBo;38;m\nCe;42;f\n",
        "column 1 has no name and is called 'row_name'",
        ("row_name", *AGE),
        3,
        {"header_row": 1},
    ),
    # R reads by read.table(file, header = TRUE, sep = ","), which leaves out lines with #
    "comments above": Case(
        "# Stage, sex, age\n# Source: A, B and C (1976)\nstage,sex,age\nI,f,31\nII,m,38\n",
        "comma, UTF-8, header in line 3, lines 1 to 2 above it left out",
        ("stage", "sex", "age"),
        2,
    ),
    "a header that begins with a number sign": Case(
        "#id,age\n7,34\n9,35\n", "header in line 1)", ("#id", "age"), 2
    ),
    "words with spaces are one column": Case(
        "first name\nAnn Lee\nBo Ray\nCe Orr\n",
        "comma, UTF-8, header in line 1",
        ("first name",),
        3,
    ),
    "a title": Case(
        "Stand: 2024\n\nid;alter\n1;34\n2;35\n3;36\n",
        "semicolon, UTF-8, header in line 3, line 1 above it left out",
        ("id", "alter"),
        3,
    ),
    "a title with a comma": Case(
        "Patienten, Stand 2024\nid;alter\n1;34\n2;35\n3;36\n",
        "semicolon, UTF-8, header in line 2, line 1 above it left out",
        ("id", "alter"),
        3,
    ),
    "titles with separators": Case(
        "Abteilung:;Kardiologie;;\nStand:;2024;;\n;;;\nname;alter;ort;x\nA;34;K;1\nB;35;K;2\n",
        "semicolon, UTF-8, header in line 4, lines 1 to 2 above it left out",
        ("name", "alter", "ort", "x"),
        2,
    ),
    "a title above texts": Case(
        "Patientenliste\n\nname;ort\nAnn;Köln\nBo;Bonn\nCe;Köln\n",
        "header in line 3, line 1 above it left out",
        ("name", "ort"),
        3,
    ),
    "a title above what may be names": Case(
        "Liste;;\nname;ort;land\nAnn;Köln;D\n",
        "p.csv: line 1 ('Liste') does not look like a part of the table that begins in line 2, and "
        "it is unclear where the header is: say --header-row 2",
    ),
    "a title above what may be names, as the user says": Case(
        "Liste;;\nname;ort;land\nAnn;Köln;D\nBo;Köln;D\n",
        "header in line 2, line 1 above it left out",
        ("name", "ort", "land"),
        2,
        {"header_row": 2},
    ),
    "a title above years": Case(
        "Liste;;\nname;2019;2020\nAnn;4;5\nBo;5;6\n", "it is unclear where the header is"
    ),
    "several choices in a cell": Case(
        "symptoms\na;b\nc;d\na;d\n",
        "comma, UTF-8, header in line 1",
        ("symptoms",),
        3,
        {},
        "3 lines have 2 cells parted by ';' (semicolon): if line 2 names columns, say "
        "--header-row 2",
    ),
    "a second header": Case(
        "id;alter;gewicht\n;Jahre;kg\n1;34;80\n2;35;70\n3;36;60\n",
        "header in line 1, line 2 (Jahre, kg) left out as a second header",
        ("id", "alter", "gewicht"),
        3,
    ),
    "a second header, as the user says": Case(
        "name;alter\n;Jahre\nA;34\nB;35\nC;36\n",
        "header in line 1)",
        ("name", "alter"),
        4,
        {"header_row": 1},
    ),
    "a text above numbers": Case(
        "name;alter\nA;refused\nB;35\nC;36\n",
        "header in line 1)",
        ("name", "alter"),
        3,
        {},
        "line 2: 'refused' stands in column 'alter' above numbers only and is read as a person's",
    ),
    "groups of columns": Case(
        "Patient;;Labor;\nID;Alter;Hb;Leuko\n1;34;1;2\n2;35;3;4\n3;36;5;6\n",
        "header in lines 1 and 2, joined",
        ("Patient ID", "Patient Alter", "Labor Hb", "Labor Leuko"),
        3,
    ),
    "groups beside a name": Case(
        "ID;Labor;\n;Hb;Leuko\n1;34;1\n2;35;3\n3;36;5\n",
        "header in lines 1 and 2, joined",
        ("ID", "Labor Hb", "Labor Leuko"),
        3,
    ),
    "separators at the end": Case(
        "a;b;\n1;x;\n3;y;\n", "column 3, empty and without a name, left out", ("a", "b"), 2
    ),
    "separators at the end of the people's lines": Case(
        "a;b\n1;x;\n3;y;\n4;x;\n", "column 3, empty and without a name, left out", ("a", "b"), 3
    ),
    "separators at the end of the header": Case(
        "a;b;\n1;x\n3;y\n", "column 3, empty and without a name, left out", ("a", "b"), 2
    ),
    "empty columns and lines": Case(
        "a;b;;;\n1;x;;;\n3;y;;;\n;;;;\n;;;;\n",
        "3 columns, empty and without names, left out",
        ("a", "b"),
        2,
        {},
        "2 empty lines skipped",
    ),
    "an empty column between": Case(
        "a,,c\n1,,3\n4,,6\n", "column 2, empty and without a name, left out", ("a", "c"), 2
    ),
    "a value below no name": Case(
        "a,b,\n" + "1,x,\n" * 300 + "2,y,z\n",
        "p.csv:302: a cell beyond the 2 columns of the header: 'z'; write a name into the header",
    ),
    "a total": Case(
        "name;n;m\nA;1;2\nB;3;4\nSumme;4;6\n",
        "line 4 (Summe) left out as a total",
        ("name", "n", "m"),
        2,
    ),
    "a total with empty cells": Case(
        "ort;n;m\nK;1;2\nK;3;4\nGesamt;;7\n",
        "line 4 (Gesamt) left out as a total",
        ("ort", "n", "m"),
        2,
    ),
    "a total below numbers": Case(
        "id;n;m\n1;1;2\n2;3;4\nTotal général:;9;9\n",
        "line 4 (Total général:) left out as a total",
        ("id", "n", "m"),
        2,
    ),
    "a word that may be a total": Case(
        "op;n;m\npartial;1;2\ntotal;3;4\ntotal;9;9\n",
        "header in line 1)",
        ("op", "n", "m"),
        3,
        {},
        "the last line 4 begins with 'total' and is read as a person's; if it is a total, say "
        "--last-row 3",
    ),
    "a word that may be a total, as the user says": Case(
        "op;n;m\npartial;1;2\ntotal;3;4\ntotal;9;9\n",
        "lines below line 3 left out",
        ("op", "n", "m"),
        2,
        {"last_row": 3},
    ),
    "a total and notes": Case(
        "name;n;m\nA;1;2\nB;3;4\nInsgesamt;4;6\n\nQuelle: Klinik Nord\n* geschätzt\n",
        "line 4 (Insgesamt) left out as a total, line 6 (Quelle: Klinik Nord) left out as a note, "
        "line 7 (* geschätzt) left out as a note",
        ("name", "n", "m"),
        2,
    ),
    "titles, row numbers, a total and a note": Case(
        "Klinik Nord\nStand: 2024\n\n;sex;age\n1;f;31\n2;m;38\n3;f;42\nSumme;;111\n\nQuelle: KIS\n",
        "semicolon, UTF-8, header in line 4, lines 1 to 2 above it left out, row numbers in column "
        "1 left out, line 8 (Summe) left out as a total, line 10 (Quelle: KIS) left out as a note",
        ("sex", "age"),
        3,
    ),
    "a note with a comma": Case(
        "name,n,m\nA,1,2\nB,3,4\nSource: register, own count\n",
        "line 4 (Source: register) left out as a note",
        ("name", "n", "m"),
        2,
    ),
    "a row that is suppressed": Case(
        "age,sex\n31,f\n38,m\n*,\n", "header in line 1)", ("age", "sex"), 3
    ),
    "a file that is cut off": Case(
        "name,n,m\nA,1,2\nB,3,4\nC\n",
        "p.csv:4: 1 cells found, the header has 3 columns; a comma inside a value needs quotation "
        "marks around the value; --last-row 3 leaves this line and all below out",
    ),
    "days as numbers": Case(
        "id,Aufnahmedatum\n7,43831\n9,43900\n8,44000\n",
        "header in line 1)",
        ("id", "Aufnahmedatum"),
        3,
        {},
        "numbers such as 43831 look like Excel's count of days (2020-01-01)",
    ),
    "a header that is not there": Case(
        "a,b\n1,2\n3,4\n",
        "p.csv: header_row = 9: that line is empty, or none of the first 3",
        (),
        0,
        {"header_row": 9},
    ),
    "two answers": Case(
        "a,b\n1,2\n3,4\n",
        "header_row = 1, but you also said that no line names the columns",
        (),
        0,
        {"header_row": 1, "header": False},
    ),
}


def check(path: Path, case: Case) -> None:
    options = Reading(each_row=True, **case.options)
    if not case.columns:
        with pytest.raises(DataError) as refused:
            read(path, options)
        assert case.says in str(refused.value)
        assert "\n" not in str(refused.value)
        return
    assert source_of(path, options_of(options.section(path))).columns == case.columns
    table = read(path, options)
    assert len(table.codes) == case.people
    assert case.says in table.note
    assert case.warns in " ".join(table.warnings)
    if not case.warns:
        said = [line for line in table.warnings if "empty lines" not in line]
        assert said == []


@pytest.mark.parametrize("name", CASES)
def test_a_text_by_default_is_read_and_described(name: str, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(CASES[name].text, encoding="utf-8")
    check(path, CASES[name])


def test_lines_left_out_do_not_move_the_places_of_errors(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("Stand: 2024\n\nid;text\n1;x\n2;" + "y" * 1200 + "\nSumme;\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"p\.csv:5: column 'text': a value of 1,200 bytes"):
        read(path, Reading(each_row=True))


def test_a_long_table_loses_its_last_line_only(tmp_path: Path) -> None:
    """The end is judged where lines are read piece by piece."""
    for people in (1023, 1024, 1056, 2060):
        path, out = tmp_path / f"p{people}.csv", io.StringIO()
        rows = (["a" if i % 2 else "b", i % 7, i % 3] for i in range(people))
        csv.writer(out).writerows([["name", "n", "m"], *rows, ["Total", "", 9], [], ["Source: x"]])
        path.write_text(out.getvalue(), encoding="utf-8")
        table = read(path, Reading(each_row=True))
        assert len(table.codes) == people
        assert f"line {people + 2} (Total) left out as a total" in table.note


def test_however_many_empty_lines_a_spreadsheet_writes(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("name;n;m\n" + "a;1;2\nb;2;3\n" * 200 + ";;\n" * 3_000, encoding="utf-8")
    table = read(path, Reading(each_row=True))
    assert len(table.codes) == 400
    assert table.warnings == ("3,000 empty lines skipped",)
    path.write_text("name;n;m\n" + ";;\n" * 300 + "a;1;2\n" * 200, encoding="utf-8")
    assert len(read(path, Reading(each_row=True)).codes) == 500  # who answered nothing is a person


Cells = list[list[Any]]
PEOPLE: Cells = [["f", 31], ["m", 38], ["f", 42]]


def sheet_of(rows: Cells, *merged: str) -> Callable[[Path], None]:
    """Return what writes a workbook with these rows and merged cells."""

    def write(path: Path) -> None:
        import openpyxl

        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        for cells in merged:
            book.active.merge_cells(cells)
        book.save(path)

    return write


SHEETS = {
    # pandas writes by frame.to_excel("p.xlsx")
    "pandas": (
        sheet_of([[None, "sex", "age"], *([i, *row] for i, row in enumerate(PEOPLE))]),
        Case("", "'Sheet', header in row 1, row numbers in column 1 left out", ("sex", "age"), 3),
    ),
    # pandas writes by frame.to_excel("p.xlsx", startrow=3, startcol=2)
    "pandas, elsewhere in the sheet": (
        sheet_of(
            [
                *([], [], []),
                *([None, None, *row] for row in [[None, "sex"], [0, "f"], [1, "m"]]),
            ]
        ),
        Case("", "header in row 4, row numbers in column 3 left out", ("sex",), 2),
    ),
    # pandas writes by frame.groupby("sex").agg({"age": ["mean", "std"]}).to_excel("p.xlsx")
    "pandas, two levels of names": (
        sheet_of(
            [[None, "age"], [None, "mean", "std"], ["sex"], ["f", 36.5, 7.7], ["m", 33.5, 6.3]],
            "B1:C1",
        ),
        Case(
            "",
            "header in rows 1 and 2, joined, column 1 has its name in row 3",
            ("sex", "age mean", "age std"),
            2,
        ),
    ),
    "a merged title, notes and a total": (
        sheet_of(
            [["Patientenliste"], [], ["sex", "age"], *PEOPLE, ["Summe", 111], [], ["Quelle: KIS"]],
            "A1:B1",
        ),
        Case(
            "",
            "header in row 3, row 1 above it left out, row 7 (Summe) left out as a total, row 9 "
            "(Quelle: KIS) left out as a note",
            ("sex", "age"),
            3,
        ),
    ),
    "merged names": (
        sheet_of(
            [
                ["ID", "Labor", None, "Ort"],
                [None, "Hb", "Leuko", None],
                *([i, i, 2, "K"] for i in (5, 6, 9)),
            ],
            *("A1:A2", "B1:C1", "D1:D2"),
        ),
        Case("", "header in rows 1 and 2, joined", ("ID", "Labor Hb", "Labor Leuko", "Ort"), 3),
    ),
    "merged people": (
        sheet_of(
            [["ward", "age"], ["east", 31], [None, 38], ["west", 42], [None, 31]],
            *("A2:A3", "A4:A5"),
        ),
        Case("", "header in row 1, merged cells filled down in ward", ("ward", "age"), 4),
    ),
    "dates": (
        sheet_of([["born", "age"], [date(1990, 5, 1), 31], [date(1982, 1, 31), 38]]),
        Case("", "header in row 1", ("born", "age"), 2),
    ),
    "dates as numbers": (
        sheet_of([["born", "age"], [32994, 31], [29982, 38]]),
        Case("", "header in row 1", ("born", "age"), 2, {}, "such as 29982 look like Excel's"),
    ),
    "a cell beside the table": (
        sheet_of([["sex", "age"], *PEOPLE[:2], ["f", 42, None, "!"]]),
        Case("", "p.xlsx: row 4: a cell beyond the 2 columns of the header"),
    ),
    "a row that the user says": (
        sheet_of([["old", "names"], ["sex", "age"], *PEOPLE]),
        Case("", "header in row 2, row 1 above it left out", ("sex", "age"), 3, {"header_row": 2}),
    ),
}


@pytest.mark.parametrize("name", SHEETS)
def test_a_workbook_by_default_is_read_and_described(name: str, tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    write, case = SHEETS[name]
    write(tmp_path / "p.xlsx")
    check(tmp_path / "p.xlsx", case)
    if name == "merged people":
        table = read(tmp_path / "p.xlsx", Reading(each_row=True))
        assert [table.values[0][code] for code in table.codes[:, 0]] == [
            *["east"] * 2,
            *["west"] * 2,
        ]


PARTS = ("title", "blank", "numbers", "units", "trailing", "total", "note")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_whatever_stands_around_the_people(separator: str, tmp_path: Path) -> None:
    """Every choice of titles, row numbers, units, empty columns, totals and notes together."""
    for number in range(1 << len(PARTS)):
        parts = {part for place, part in enumerate(PARTS) if number >> place & 1}
        rows = [["sex", "age", "ward"]]
        rows += [["", "years", ""]] * ("units" in parts)
        rows += [["fm"[i % 2], str(30 + i % 7), "nes"[i % 3]] for i in range(9)]
        if "numbers" in parts:
            first = 2 if "units" in parts else 1
            counted = ("" if i < first else str(i - first) for i in range(len(rows)))
            rows = [[n, *row] for n, row in zip(counted, rows, strict=True)]
        width = len(rows[0])
        rows += [["Summe", "999", *[""] * (width - 2)]] * ("total" in parts)
        lines = [*[""] * ("trailing" in parts)]
        lines = [separator.join([*row, *lines]) for row in rows]
        above = ["Klinik Nord", "Stand: 1. 1. 2024"] * ("title" in parts)
        above += [""] * ("blank" in parts and "title" in parts)
        below = ["", "Quelle: KIS"] * ("note" in parts)
        path = tmp_path / "p.csv"
        path.write_text("\n".join([*above, *lines, *below]) + "\n", encoding="utf-8")
        source = source_of(path)
        assert source.columns == ("sex", "age", "ward"), parts
        table = read(path, Reading(each_row=True))
        assert len(table.codes) == 9, parts
        assert [line for line in table.warnings if "empty lines" not in line] == [], parts
        assert ("above it left out" in table.note) == ("title" in parts), parts
        assert ("row numbers in column 1" in table.note) == ("numbers" in parts), parts
        assert ("as a second header" in table.note) == ("units" in parts), parts
        assert ("left out as a total" in table.note) == ("total" in parts), parts
        assert ("left out as a note" in table.note) == ("note" in parts), parts

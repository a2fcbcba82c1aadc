"""Files of SPSS, Stata, SAS, old Excel and OpenDocument are read as their programs write them."""

import base64
import sys
import tomllib
import zlib
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from veilmix.errors import DataError
from veilmix.own_data.read_table import Reading, read
from veilmix.scenarios.populations import population
from veilmix.scenarios.populations import unpacked_size as packed
from veilmix.scenarios.schema.model import PopulationSection

WRITTEN = tomllib.loads(Path(__file__).with_name("written_files.toml").read_text("utf-8"))
LIBRARIES = {"xls": "python_calamine", "ods": "python_calamine"}
DATES = ("", "1970-12-24", "1982-01-31", "1990-05-01")
AGES, CITIES, PAIN = ("31", "38", "42", "50.5"), ("", "Bonn", "Köln"), ("", "3", "none", "worst")
WARDS = ("7 (3)", "east (1)", "east (2)")  # two codes share a label, and a label is a number
PLAIN = (("1", "2", "9"), AGES, CITIES, DATES, ("", "0", "10", "3"), ("1", "2", "3"))
LABELS = "labels in place of codes in sex, pain, ward"
READ: dict[str, tuple[str, tuple[tuple[str, ...], ...]]] = {
    "sav": (
        f"SPSS, {LABELS}, declared missing values left out in sex",
        (("", "female", "male"), AGES, CITIES, DATES, PAIN, WARDS),
    ),
    "zsav": (
        f"SPSS, compressed, {LABELS}",
        (("female", "male", "no answer"), AGES, CITIES, DATES, PAIN, WARDS),
    ),
    "dta": (
        f"Stata, {LABELS}",
        (("female", "male", "no answer"), AGES, CITIES, DATES, PAIN, WARDS),
    ),
    "xpt": ("SAS transport", PLAIN),
    "xls": (
        (
            "Excel 97, sheet 'people' of 2, header in row 3, row 1 above it left out, merged cells "
            "filled down in ward, row 7 (Total) left out as a total; --sheet reads another: notes"
        ),
        (("east", "west"), (*AGES[:1], "38.5", "42"), DATES[:1] + DATES[2:], ("", "FALSE", "TRUE")),
    ),
}


def written(folder: Path, ending: str) -> Path:
    path = folder / f"people.{ending}"
    text = WRITTEN[ending]["bytes"].replace("\n", "")
    path.write_bytes(zlib.decompress(base64.b85decode(text)))
    return path


def needed(ending: str) -> None:
    pytest.importorskip(LIBRARIES.get(ending, "pyreadstat"))


@pytest.mark.parametrize("ending", READ)
def test_the_file_of_a_program(ending: str, tmp_path: Path) -> None:
    needed(ending)
    says, values = READ[ending]
    table = read(written(tmp_path, ending), Reading(each_row=True))
    assert table.note == f"read from people.{ending} ({says})"
    assert table.values == values
    assert table.warnings == ()
    assert len(table.codes) == (3 if ending == "xls" else 5)


def test_a_scenario_reads_one(tmp_path: Path) -> None:
    needed("sav")
    written(tmp_path, "sav")
    of = population(
        PopulationSection(source="people.sav", columns={"sex": "sex"}), (), base=tmp_path
    )
    assert [of.row(i) for i in range(of.n)] == [
        ("male",), ("female",), ("male",), ("(missing)",), ("female",),
    ]  # fmt: skip


CONTENT = """<?xml version="1.0" encoding="UTF-8"?>{before}
<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" office:version="1.2"><office:body>
<office:spreadsheet><table:table table:name="people">{rows}</table:table></office:spreadsheet>
</office:body></office:document-content>"""


def cell(value: Any, more: str = "") -> str:
    if value is None:
        return f"<table:table-cell{more}/>"
    kind, key = ("float", "value") if isinstance(value, int) else ("string", "string-value")
    if more == "date":
        kind, key, more = "date", "date-value", ""
    return (
        f'<table:table-cell office:value-type="{kind}" office:{key}="{value}"{more}>'
        f"<text:p>{value}</text:p></table:table-cell>"
    )


def opendocument(folder: Path, rows: list[str], before: str = "", manifest: str = "") -> Path:
    """Write a spreadsheet as LibreOffice does: its parts, the type first and not compressed."""
    path = folder / "people.ods"
    text = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    with ZipFile(path, "w", ZIP_DEFLATED) as file:
        file.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        file.writestr("META-INF/manifest.xml", f"<manifest>{manifest}</manifest>")
        file.writestr("content.xml", CONTENT.format(before=before, rows=text))
    return path


TWO = ' table:number-rows-spanned="2"'
ROWS = [
    cell("ward") + cell("age") + cell("born"),
    cell("east", TWO) + cell(31) + cell("1990-05-01", "date"),
    "<table:covered-table-cell/>" + cell(38) + cell("1982-01-31", "date"),
    cell("west") + cell(42) + cell(None),
]


def test_an_opendocument_spreadsheet_is_read_as_a_table(tmp_path: Path) -> None:
    needed("ods")
    table = read(opendocument(tmp_path, ROWS), Reading(each_row=True))
    assert table.note == (
        "read from people.ods (OpenDocument, sheet 'people', header in row 1, merged cells filled "
        "down in ward)"
    )
    assert table.values == (("east", "west"), ("31", "38", "42"), ("", "1982-01-31", "1990-05-01"))
    assert table.codes[:, 0].tolist() == [0, 0, 1]


def test_what_would_fill_the_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed("ods")
    many = ' table:number-columns-repeated="16000"'
    rows = [*ROWS, *[cell("x", many)] * 4_000]
    with pytest.raises(DataError, match="at most 50,000,000 cells are accepted"):
        read(opendocument(tmp_path, rows), Reading(each_row=True))
    entity = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]>'
    with pytest.raises(DataError, match="defines entities, which no spreadsheet program writes"):
        read(opendocument(tmp_path, ROWS, entity), Reading(each_row=True))
    path = opendocument(tmp_path, [*ROWS, cell("north")])  # not the bytes of another test
    monkeypatch.setattr(packed, "MAX_BYTES", 1_000)
    with pytest.raises(DataError, match=r"bytes when unpacked; at most 1,000 are accepted"):
        read(path, Reading(each_row=True))


LOCKED = b"\x1c\x00\x00\x00\x00\x00\x00\x00ENCRYPTEDSAV"
DAMAGED: dict[str, tuple[str, bytes, str]] = {
    "an empty file": ("sav", b"", "p.sav: not a readable file of SPSS, or damaged: "),
    "half a file": ("dta", b"half", "p.dta: not a readable file of Stata, or damaged: "),
    "no file of SAS": ("sas7bdat", b"a,b\n1,2\n", "p.sas7bdat: not a readable file of SAS, or"),
    "a locked file": ("sav", LOCKED, "p.sav: is encrypted with a password; save it without"),
    "a text": ("xls", b"a\tb\n", "p.xls: not a readable spreadsheet (Excel 97): it is a text; re"),
    "a page": ("xls", b"<html>", "p.xls: not a readable spreadsheet (Excel 97): it is a page of H"),
    "an empty workbook": ("ods", b"", "p.ods: not a readable spreadsheet (OpenDocument): "),
    "half a workbook": ("xls", b"half", "p.xls: not a readable spreadsheet (Excel 97): "),
    "a locked workbook": (
        "xlsx",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "p.xlsx: is encrypted with a password, or an old workbook; save it without a password",
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_or_locked_file_is_one_error(name: str, tmp_path: Path) -> None:
    ending, content, message = DAMAGED[name]
    needed(ending)
    pytest.importorskip("openpyxl")
    if content == b"half":
        content = written(tmp_path, ending).read_bytes()[:300]
    path = tmp_path / f"p.{ending}"
    path.write_bytes(content)
    with pytest.raises(DataError) as refused:
        read(path, Reading(each_row=True))
    assert str(refused.value).startswith(f"{tmp_path}/{message}")
    assert "\n" not in str(refused.value)


def test_a_locked_opendocument_spreadsheet(tmp_path: Path) -> None:
    needed("ods")
    path = opendocument(tmp_path, ROWS, manifest="<encryption-data/>")
    with pytest.raises(DataError, match="encrypted with a password"):
        read(path, Reading(each_row=True))


@pytest.mark.parametrize("ending", ["sav", "xls"])
def test_a_missing_library_is_named_with_its_command(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = LIBRARIES.get(ending, "pyreadstat")
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(DataError, match=rf"{ending}: reading .* needs .*; to install that: "):
        read(written(tmp_path, ending), Reading(each_row=True))


@pytest.mark.parametrize(
    ("ending", "options", "message"),
    [
        ("sav", {"header_row": 2}, "header_row = 2, but a .sav file has no header_row"),
        ("xls", {"separator": ";"}, "separator = ';', but a .xls file has no separator"),
        ("dta", {"sheet": "x"}, "sheet = 'x', but a .dta file has no sheet"),
        ("xls", {"sheet": "peple"}, "no sheet is called 'peple'; it has people, notes"),
    ],
)
def test_options_that_a_file_does_not_have(
    ending: str, options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    needed(ending)
    with pytest.raises(DataError) as refused:
        read(written(tmp_path, ending), Reading(**options))
    assert message in str(refused.value)

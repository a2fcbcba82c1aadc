"""No warning or log of a library reaches a user in its own words. Warnings are errors here."""

import logging
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path

import pytest
from veilmix.analysis import drawing
from veilmix.errors import DataError
from veilmix.library_warnings import collected, mute
from veilmix.scenarios.populations import excel
from veilmix.scenarios.populations.footer import Skipped
from veilmix.scenarios.serialization.content import content_of

STYLES = "xl/styles.xml"
NONE = b'<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>'


def workbook(path: Path, part: str, change: bytes | tuple[bytes, bytes]) -> None:
    """Write a workbook, a part of which is another: all of it, or the first of two texts."""
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["day"])
    book.active.append([43_000])
    book.active["A2"].number_format = "yyyy-mm-dd"
    book.save(path)
    with zipfile.ZipFile(path) as whole:
        parts = {name: whole.read(name) for name in whole.namelist()}
    parts[part] = change if isinstance(change, bytes) else parts[part].replace(*change, 1)
    with zipfile.ZipFile(path, "w") as changed:
        for name, data in parts.items():
            changed.writestr(name, data)


def test_a_workbook_without_styles_is_read_without_a_word(tmp_path: Path) -> None:
    book = tmp_path / "t.xlsx"
    workbook(book, STYLES, NONE)
    content = content_of(book)
    assert excel.READER.header(content) == ("day",)
    assert list(excel.READER.rows(content, ["day"], Skipped())) == [["43000"]]


@pytest.mark.parametrize(
    ("part", "change", "says"),
    [
        (
            "xl/worksheets/sheet1.xml",
            (b"43000", b"-1e9"),
            r"sheet 'Sheet', row 2: Cell A2 has the format of a date, but its number is no date",
        ),
        (
            "xl/worksheets/sheet1.xml",
            (b"43000", b"9" * 5_000),
            r"sheet 'Sheet', row 2 or later: ",
        ),
        (
            "xl/worksheets/sheet1.xml",
            (b'<row r="2"', b'<row r="99999999999"'),
            r"row 1048577: a sheet has at most 1,048,576 rows and 16,384 columns",
        ),
    ],
)
@pytest.mark.slow
def test_what_openpyxl_would_warn_of_or_fail_on_is_a_refusal(
    tmp_path: Path, part: str, change: tuple[bytes, bytes], says: str
) -> None:
    book = tmp_path / "t.xlsx"
    workbook(book, part, change)
    with pytest.raises(DataError, match=rf"t\.xlsx: not a readable Excel workbook: .*{says}"):
        list(excel.READER.rows(content_of(book), ["day"], Skipped()))


@pytest.mark.slow
def test_letters_that_a_figure_has_no_sign_for_are_drawn_without_a_word() -> None:
    figure, (ax,) = drawing.new(2, 2)
    ax.set_title("東京")
    assert drawing.rendered(figure, ".png").startswith(b"\x89PNG")
    assert drawing.rendered(figure, ".svg").startswith(b"<?xml")


def test_warnings_are_kept_and_the_users_filters_stay() -> None:
    before = list(warnings.filters)
    with collected() as texts:
        warnings.warn("first", UserWarning, stacklevel=1)
        warnings.warn("first", DeprecationWarning, stacklevel=1)
    assert texts == ["first", "first"]
    assert warnings.filters == before


def test_a_muted_log_is_heard_by_who_asks_for_it(caplog: pytest.LogCaptureFixture) -> None:
    mute("veilmix-test")
    mute("veilmix-test")
    logger = logging.getLogger("veilmix-test")
    assert len(logger.handlers) == 1
    logger.warning("asked for")
    assert "asked for" in caplog.text


@pytest.mark.slow
def test_a_command_prints_no_warning_and_no_log() -> None:
    script = (
        "import sys, logging, warnings, veilmix.cli.app as app\n"
        "def code(given):\n"
        "    warnings.warn('of a library')\n"
        "    logging.getLogger('library').warning('of a library')\n"
        "    return 0\n"
        "app._code = code\n"
        "sys.exit(app.start())\n"
    )
    for asked in ("error", "default"):
        done = subprocess.run(
            [sys.executable, "-W", asked, "-c", script], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

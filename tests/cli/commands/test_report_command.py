"""`veilmix report`: where the page goes, and what is said of it."""

import re
from pathlib import Path

import pytest


@pytest.mark.slow
def test_the_page_is_written_into_the_run(typed, folder: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "runs" / "mine"
    shutil.copytree(folder, copy)
    said = typed("report", "mine", "--worst-case", "0")
    assert said.code == 0
    assert re.fullmatch(r"wrote runs/mine/report\.html \(\d+ kB\)\n", said.out)
    text = (copy / "report.html").read_text("utf-8")
    assert text.startswith("<!doctype html>")
    assert typed("verify", "mine").code == 0  # a run with its report is still that run
    again = typed("report", str(copy), "--worst-case", "0", "--out", "-")
    assert again.out == text
    other = typed("report", str(copy), "--worst-case", "0", "--out", "here.html")
    assert other.out.startswith("wrote here.html")
    assert Path("here.html").read_text("utf-8") == text


@pytest.mark.slow
def test_what_cannot_be_reported_on(typed, folder: Path) -> None:
    missing = typed("report", "nothing")
    assert missing.code == 2
    assert "no such run" in missing.err
    Path("notes.txt").write_text("hello", "utf-8")
    assert typed("report", "notes.txt").code == 2
    said = typed("report", str(folder), "--out", "no/such/folder.html")
    assert said.code == 2
    assert "cannot be written" in said.err


@pytest.mark.slow
def test_cards_are_written_and_never_over_a_file(typed) -> None:
    said = typed("new", "classroom", "--cards")
    assert said.code == 0
    assert said.out.startswith("wrote classroom-cards.html")
    text = Path("classroom-cards.html").read_text("utf-8")
    assert "default-src &#39;none&#39;" in text
    assert "<script" not in text
    assert typed("new", "classroom", "--cards").code == 2
    assert typed("new", "classroom", "--cards", "--force").code == 0
    assert typed("new", "classroom", "-", "--cards").out == text
    assert typed("new", "census", "--cards").code == 2

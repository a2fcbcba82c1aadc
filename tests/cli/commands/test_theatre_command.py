"""`veilmix theatre`: where the page goes, what it is of, and what cannot be shown."""

import stat
import sys
from pathlib import Path

import pytest
from veilmix.scenarios.lab.validation.gallery import source

PAGE = "<!doctype html>"


def test_a_run_that_was_kept(typed, folder: Path) -> None:
    said = typed("theatre", str(folder))
    assert said.code == 0, said.err
    page = Path("theatre-blood-type-0007.html")
    assert said.out.startswith(f"saved {page} (")
    assert "with all that 30 people said" in said.out
    assert page.read_text("utf-8").startswith(PAGE)
    if sys.platform != "win32":
        assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert [path.name for path in Path().iterdir()] == [page.name]


def test_a_scenario_is_played_and_nothing_else_is_kept(typed) -> None:
    assert typed("theatre", "classroom", "--seed", "8", "--out", "a.html").code == 0
    first = Path("a.html").read_text("utf-8")
    assert '"seed":8' in first
    assert typed("theatre", "classroom", "--seed", "8", "--out", "a.html").code == 0
    assert Path("a.html").read_text("utf-8") == first
    Path("mine.toml").write_text(source("classroom").replace("= 3 ", "= 5 ", 1), "utf-8")
    assert typed("theatre", "mine.toml").code == 0
    assert Path("theatre-classroom-0005.html").is_file()
    assert not Path("runs").exists()


def test_nothing_but_a_page_is_written_over(typed) -> None:
    Path("notes.html").write_text("my notes", "utf-8")
    said = typed("theatre", "classroom", "--out", "notes.html")
    assert said.code == 2
    assert "another kind" in said.err
    assert Path("notes.html").read_text("utf-8") == "my notes"
    said = typed("theatre", "classroom", "--out", "no/such/folder.html")
    assert said.code == 2
    assert "cannot be written" in said.err
    assert [path.name for path in Path().iterdir()] == ["notes.html"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("clasroom",), "did you mean"),
        (("clasroom",), "no such run"),
        (("census",), "at most 5,000"),
        (("classroom", "--live", "--out", "x.html"), "--live writes no page"),
        (("clasroom", "--live"), "did you mean"),
        (("classroom", "--seconds", "0"), "--seconds"),
    ],
)
def test_what_cannot_be_shown_says_why(
    typed, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], why: str
) -> None:
    monkeypatch.setattr("veilmix.scenarios.lab.play.run.run", None)  # nothing is played for it
    said = typed("theatre", *arguments)
    assert said.code == 2
    assert why in said.err
    assert list(Path().iterdir()) == []


def test_a_run_cannot_be_played_again(typed, folder: Path) -> None:
    for option in (("--live",), ("--seed", "4")):
        said = typed("theatre", str(folder), *option)
        assert said.code == 2
        assert "has been played" in said.err


def test_an_ideal_run_has_nothing_to_show(typed) -> None:
    assert typed("run", "classroom", "--mode", "ideal", "--quiet").code == 0
    said = typed("theatre", "classroom-0003")
    assert said.code == 2
    assert "--mode real" in said.err

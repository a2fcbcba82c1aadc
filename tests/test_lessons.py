"""Every lesson runs as a plain script, says what it teaches, and is a well-formed notebook.

What a lesson's answer claims it asserts itself, so a script that ends well has told the truth.
"""

import ast
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# Runs a lesson as its script does, and prints what its cells show.
RENDER = """
import runpy, sys
outputs, _ = runpy.run_path(sys.argv[1])["app"].run()
print(*(getattr(output, "text", "") for output in outputs), sep="\\n")
"""
STATED = {  # lesson -> results that its answer states, each worked out by the cell above
    "lesson_2_a_crowd_buys_columns": (
        r"Of 3 steps to four times as many people, \d released",
        r"In none of 8 runs were more people exposed",
    ),
    "lesson_6_find_me": (r"prosecutor [\d.]+ % at most, [\d.]+ % on average; journalist",),
}
LESSONS = sorted((ROOT / "notebooks").glob("lesson_*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_is_a_script_that_ends_well(lesson: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RENDER, str(lesson)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []
    shown = unescape(done.stdout)
    assert "Answer" in shown
    assert not re.search(r"\b[A-Z]\w+\(\w+=", shown)  # an object, as Python writes it
    for sentence in STATED.get(lesson.stem, ()):
        assert re.search(sentence, " ".join(re.sub(r"<[^>]+>", " ", shown).split())), sentence


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_has_a_plan_a_guess_and_then_an_answer(lesson: Path) -> None:
    text = lesson.read_text("utf-8")
    places = [text.index(part) for part in ("plan, 20 in all", "**Guess first:**", '"Answer":')]
    assert places == sorted(places)
    assert "assert " in text[places[1] :]


def cells(lesson: Path) -> list[tuple[set[str], str]]:
    """The cells of a lesson: what each needs, and its text."""
    tree = ast.parse(lesson.read_text("utf-8"))
    made = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [({arg.arg for arg in node.args.args}, ast.unparse(node)) for node in made]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_nothing_is_shown_before_a_guess_is_made(lesson: Path) -> None:
    """Every cell after the guess that shows anything needs what only a guess gives."""
    blocks = cells(lesson)
    asked = next(at for at, (_, text) in enumerate(blocks) if "**Guess first:**" in text)
    gate = blocks[asked + 1][1]
    assert "mo.stop(not guessed" in gate
    assert "guess.value is not None" in gate
    for needs, text in blocks[asked + 2 :]:
        assert needs & {"guessed", "truth"} or "mo" not in needs, text
    assert "form(" in blocks[asked][1] or "radio(" in blocks[asked][1]  # None until one has guessed


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_the_guess_and_the_class_are_drawn_beside_the_truth(lesson: Path) -> None:
    needs, text = cells(lesson)[-1]
    assert {"truth", "guess", "group", "guesses"} <= needs
    assert "guess.value" in text
    assert "group.value" in text


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_no_table_scrolls_or_is_cut(lesson: Path) -> None:
    assert "mo.ui.table" not in lesson.read_text("utf-8")  # plain tables wrap their words


def test_there_are_seven() -> None:
    assert [path.stem.split("_")[1] for path in LESSONS] == list("1234567")
    guide = (ROOT / "docs" / "teaching.md").read_text("utf-8")
    assert all(path.name in guide for path in LESSONS)


@pytest.mark.place
@pytest.mark.slow
def test_marimo_finds_nothing_wrong() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "marimo", "check", "--strict", *map(str, LESSONS)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr

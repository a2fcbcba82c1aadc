"""Every lesson runs as a plain script, says what it teaches, and is a well-formed notebook.

What a lesson states is worked out by its cells: after the guess no number is typed into a sentence,
and the rendered sentences agree with the rendered tables (tests/kits/lesson_results.py).
"""

import ast
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest
from lesson_results import STATED
from sample_kit import sampled

ROOT = Path(__file__).parent.parent
# Runs a lesson as its script does, and prints what its cells show.
RENDER = """
import runpy, sys
outputs, _ = runpy.run_path(sys.argv[1])["app"].run()
print(*(getattr(output, "text", "") for output in outputs), sep="\\n")
"""
NUMBER = re.compile(
    r"\d|\b(two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundred|thousand|million|half|"
    r"tenth|twice|always|never)\b",
    re.IGNORECASE,
)
# Numbers that are no result, as they stand in a sentence after the guess: names, and what is asked.
NAMES = (
    *("Theorem 3", "Theorem 4", "section 6.2", "1/c", "a lie in ten"),
    "four times as many people",
    "four times the people",
)
LESSONS = sorted((ROOT / "notebooks").glob("lesson_*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("lesson", sampled(LESSONS, 0, 7), ids=lambda path: path.stem)
def test_a_lesson_is_a_script_that_ends_well(lesson: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", RENDER, str(lesson)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []
    shown = unescape(done.stdout)
    assert "Answer" in shown
    assert not re.search(r"\b[A-Z]\w+\(\w+=", shown)  # an object, as Python writes it
    STATED[lesson.stem](" ".join(re.sub(r"<[^>]+>", " ", shown).split()))


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_has_a_plan_a_guess_and_then_an_answer(lesson: Path) -> None:
    text = lesson.read_text("utf-8")
    places = [text.index(part) for part in ("plan, 20 in all", "**Guess first:**", '"Answer":')]
    assert places == sorted(places)


def typed(node: ast.expr) -> str:
    """The text of an expression without what is filled in."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(typed(part) for part in parts)
        case ast.BinOp(left=left, right=right):
            return typed(left) + typed(right)
    return ""


def typed_numbers(source: str) -> list[str]:
    """Numbers that are typed into the Markdown of a cell; code, formulas and names are none."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "mo.md":
            text = " ".join(typed(node.args[0]).split())
            plain = re.sub(r"`[^`]*`|\$+[^$]*\$+", "", text)
            for name in NAMES:
                plain = plain.replace(name, "")
            found += [match[0] for match in NUMBER.finditer(plain)]
    return found


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_no_result_is_typed_into_a_sentence(lesson: Path) -> None:
    """What comes after the guess is worked out: also which of the offered answers is right."""
    blocks = [text for _, text in cells(lesson)]
    asked = next(at for at, text in enumerate(blocks) if "**Guess first:**" in text)
    for text in blocks[asked + 1 :]:
        assert typed_numbers(text) == []
        assert not re.search(r"truth = (answers\.index\(['\"]|\d+$)", text, re.MULTILINE)


def test_a_typed_number_is_noticed() -> None:
    assert typed_numbers("mo.md(f'Of {n} steps 9 grew, by Theorem 3')") == ["9"]
    assert typed_numbers("mo.md('it holds twice')") == ["twice"]
    assert typed_numbers("mo.md(f'{9} of {n:.3g} at $t_1$, `k = 5`')") == []


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


def test_there_are_eight_lessons_and_the_guide_names_each() -> None:
    assert [path.stem.split("_")[1] for path in LESSONS] == list("12345678")
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

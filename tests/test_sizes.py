"""Hold the actors to forty lines and eight ways: each reads as one paragraph of the paper.

The actors are the coroutines of roles/, each a step of a party. Their helpers there may have fifty
lines. Length is judged by reading everywhere else. The linter counts the ways through a function
(C901 in pyproject.toml).
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ACTORS = ROOT / "roles"
LONGEST = 50  # lines of a function
LONGEST_ACTOR = 39  # lines of a coroutine of a party
WAYS = 8  # ways through it
PAPER = (
    "analyst.py",
    "curator.py",
    "keyholder.py",
    "peer.py",
    "reader.py",
    "shuffler.py",
    "user.py",
)


def long_functions(source: str, longest: int = LONGEST, *, actors: bool = False) -> dict[str, int]:
    """Return the functions, or only the coroutines, that are too long, with their lines."""
    kinds = (ast.AsyncFunctionDef,) if actors else (ast.FunctionDef, ast.AsyncFunctionDef)
    return {
        node.name: lines
        for node in ast.walk(ast.parse(source))
        if isinstance(node, kinds) and (lines := (node.end_lineno or 0) - node.lineno + 1) > longest
    }


def complex_functions(path: Path) -> str:
    """Return the findings of the linter about functions with more than WAYS ways."""
    limit = f"lint.mccabe.max-complexity={WAYS}"
    options = ("--select", "C901", "--config", limit, "--output-format", "concise", "--no-cache")
    checked = subprocess.run(
        [sys.executable, "-m", "ruff", "check", *options, str(path)],
        capture_output=True,
        check=False,
        text=True,
    )
    return "" if checked.returncode == 0 else checked.stdout + checked.stderr


def test_functions_of_actors_are_short() -> None:
    files = sorted(ACTORS.rglob("*.py"))
    assert files
    long = {path.name: long_functions(path.read_text("utf-8")) for path in files}
    assert {name: functions for name, functions in long.items() if functions} == {}


def test_actors_are_shorter() -> None:
    files = sorted(ACTORS.glob("*.py"))
    assert {"user.py", "shuffler.py", "curator.py"} <= {path.name for path in files}
    long = {
        path.name: long_functions(path.read_text("utf-8"), LONGEST_ACTOR, actors=True)
        for path in files
    }
    assert {name: functions for name, functions in long.items() if functions} == {}


def test_actors_have_few_ways() -> None:
    assert complex_functions(ACTORS) == ""


@pytest.mark.parametrize("name", PAPER)
def test_an_actor_cites_the_sentence_that_it_carries_out(name: str) -> None:
    assert "aper 000, " in (ACTORS / name).read_text("utf-8")


def test_a_long_function_is_found() -> None:
    body = "    pass\n" * LONGEST
    assert long_functions(f"def short():\n{body[9:]}") == {}
    assert long_functions(f"async def long():\n{body}") == {"long": LONGEST + 1}
    assert long_functions(f"def helper():\n{body}", LONGEST_ACTOR, actors=True) == {}


def test_a_function_with_many_ways_is_found(tmp_path: Path) -> None:
    source = "def f(a):\n" + "".join(f"    if a == {i}:\n        return {i}\n" for i in range(WAYS))
    (tmp_path / "ways.py").write_text(source, "utf-8")
    assert "`f` is too complex" in complex_functions(tmp_path / "ways.py")

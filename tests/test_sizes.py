"""A function is at most fifty lines long; a file at most 350, or the table says why not.

A file of tests is one subject's as its source is, and has a case for each way it goes: 450.

How many ways a function has through it is ruff's to count (C901 in pyproject.toml).
"""

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LONGEST = 50  # lines of a function
LARGEST = 350  # lines of a file
LARGEST_TEST = 450
# file: why it has more lines
LARGE: Mapping[str, str] = {
    "cli/commands/run.py": "every option of `veilmix run`, and what is done with it",
    "machines/host.py": "one class, a place of a session, as it is heard and goes on",
    "machines/processes.py": "the life of a process: made, led, told the time, ended",
    "protocol/board.py": "one class, the rules of the board, post by post",
    "protocol/messages.py": "what every message holds, one class after the other",
    "roles/network.py": "the network in memory and a party's place in it, which make each other",
    "scenarios/schema/model.py": "every key of a scenario file, and what it means, table by table",
    "tests/kits/independent_wire.py": "a reader of every message, which shares nothing",
    "tests/kits/session_model.py": "one model of a session, move by move",
    "tests/protocol/test_board.py": "one session on a board, every post that does not fit it",
    "tests/test_imports.py": "the table of every room, what it may import",
    "tools/check_session.py": "a reader of saved sessions in one file, which shares nothing",
    "tools/make_vectors.py": "one script, which writes every published vector of crypto/",
    "tools/weakenings.py": "every rule by which a guard is weakened, one after the other",
}


def sources() -> list[Path]:
    """Give every Python file, by its path below the root."""
    paths = (path.relative_to(ROOT) for path in ROOT.rglob("*.py"))
    return sorted(
        path
        for path in paths
        if path.parts[0] != "build" and not any(part.startswith(".") for part in path.parts)
    )


SOURCES = sources()


def long_functions(source: str) -> dict[str, int]:
    """Give the functions that are too long, with their lines."""
    return {
        node.name: lines
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or 0) - node.lineno + 1) > LONGEST
    }


def largest(path: Path) -> int:
    """Give the lines that a file may have without a reason."""
    return LARGEST_TEST if path.parts[0] == "tests" else LARGEST


def test_files_and_functions_are_short() -> None:
    """A file that is too long is split by subject."""
    long: dict[Path, object] = {}
    for path in SOURCES:
        source = (ROOT / path).read_text("utf-8")
        lines = source.count("\n")
        if functions := long_functions(source):
            long[path] = functions
        if lines > largest(path) and path.as_posix() not in LARGE:
            long[path] = lines
    assert long == {}


def test_a_long_function_is_found() -> None:
    body = "    pass\n" * LONGEST
    assert long_functions(f"def short():\n{body[9:]}") == {}
    assert long_functions(f"async def long():\n{body}") == {"long": LONGEST + 1}


@pytest.mark.place
def test_the_table_of_reasons_has_nothing_that_needs_none() -> None:
    for name in LARGE:
        assert (ROOT / name).read_text("utf-8").count("\n") > largest(Path(name)), name

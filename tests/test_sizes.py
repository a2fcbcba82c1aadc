"""Hold the functions of actors to fifty lines: each reads as one paragraph of the paper.

Length is judged by reading everywhere else. The linter counts the ways through a function (C901 in
pyproject.toml).
"""

import ast
from pathlib import Path

ACTORS = Path(__file__).parent.parent / "roles"
LONGEST = 50  # lines of a function


def long_functions(source: str) -> dict[str, int]:
    """Return the functions that are too long, with their lines."""
    return {
        node.name: lines
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := (node.end_lineno or 0) - node.lineno + 1) > LONGEST
    }


def test_functions_of_actors_are_short() -> None:
    files = sorted(ACTORS.rglob("*.py"))
    assert files
    long = {path.name: long_functions(path.read_text("utf-8")) for path in files}
    assert {name: functions for name, functions in long.items() if functions} == {}


def test_a_long_function_is_found() -> None:
    body = "    pass\n" * LONGEST
    assert long_functions(f"def short():\n{body[9:]}") == {}
    assert long_functions(f"async def long():\n{body}") == {"long": LONGEST + 1}

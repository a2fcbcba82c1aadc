"""What tests of independent readers share: which modules a reader imports, how long its code is.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

import ast
from pathlib import Path
from types import ModuleType


def imported_by(module: ModuleType) -> set[str]:
    """The names of the modules, and of what is taken from them, that a module's source imports."""
    tree = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))
    return {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in [getattr(node, "module", None), *(alias.name for alias in node.names)]
        if name
    }


def code_lines(module: ModuleType) -> int:
    """Return the number of lines of a module's code, without docstrings, comments, blank lines."""
    tree = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(
            node
        ):
            del node.body[0]
    return sum(bool(line) for line in ast.unparse(tree).splitlines())

"""Run notebooks cell by cell in this process, as Jupyter would, and print what each has shown.

    python tools/run_notebooks.py [NOTEBOOK.ipynb ...]   those of docs/notebooks by default

Every notebook has a name space of its own. The first cell that fails is printed with its notebook
and number, and ends the program with status 1. `my-attack` is the first, because veilmix reads the
installed packages once.
"""

import ast
import json
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import veilmix

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "notebooks"
FIRST = "my-attack"


def notebooks() -> list[Path]:
    """Return the notebooks of the documentation in the order in which they run."""
    return sorted(FOLDER.glob("*.ipynb"), key=lambda path: (path.stem != FIRST, path.name))


def cells(path: Path) -> list[dict[str, Any]]:
    """Return the cells of a notebook."""
    return list(json.loads(path.read_text("utf-8"))["cells"])


def code(path: Path) -> list[str]:
    """Return the text of each cell of code."""
    return ["".join(cell["source"]) for cell in cells(path) if cell["cell_type"] == "code"]


def cell_value(text: str, names: dict[str, Any], name: str) -> Any:
    """Run a cell and return the value of its last expression; None if it ends otherwise."""
    tree = ast.parse(text)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), names)  # noqa: S102 - cells of this checkout
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), name, "eval"), names)  # noqa: S307 - as above


def results(path: Path) -> Iterator[Any]:
    """Yield the value that each cell of code shows."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, text in enumerate(code(path), 1):
        yield cell_value(text, names, f"{path.name}, cell {number}")


def main(paths: Sequence[str]) -> int:
    """Run the notebooks; the status is 1 if a cell fails."""
    for path in [Path(name) for name in paths] or notebooks():
        print(f"== {path.name}", flush=True)
        try:
            for value in results(path):
                if isinstance(value, veilmix.Frame):
                    print(*value, sep="\n", flush=True)
                elif value is not None:
                    print(value, flush=True)
        except Exception:
            traceback.print_exc()
            print(f"{path.name}: a cell failed", file=sys.stderr)
            return 1
        print(f"== {path.name}: done", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""A folder of published vectors: written, or compared with what its script makes."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def write_or_check(
    arguments: Sequence[str], vectors: Mapping[str, Any], folder: Path, script: str
) -> int:
    """Write a folder anew; with the argument `--check`, compare it instead.

    Args:
        arguments: of the command line.
        vectors: file name -> content; a file of another name is removed.
        folder: where they are.
        script: the script that makes them, for what is printed.

    Returns:
        the exit code: 1 if a file that is checked is missing, different or left over.
    """
    texts = {name: json.dumps(vector, indent=1) + "\n" for name, vector in vectors.items()}
    written = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.json")}
    if list(arguments) == ["--check"]:
        names = sorted(written.keys() | texts.keys())
        wrong = [name for name in names if written.get(name) != texts.get(name)]
        for name in wrong:
            print(f"{name}: not what tools/{script} makes", file=sys.stderr)
        return 1 if wrong else 0
    folder.mkdir(parents=True, exist_ok=True)
    for stale in written.keys() - texts.keys():
        (folder / stale).unlink()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    print(f"{len(texts)} vectors in {folder.relative_to(ROOT)}")
    return 0

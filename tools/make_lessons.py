"""Write the tables of lessons: `python tools/make_lessons.py [N ..]`, all without N.

The numbers of lesson N come from `tools/lesson_N_table.py`, which runs veilmix. Seeds stand in the
table, so the same version writes the same bytes; tests/lessons/test_tables.py computes samples
anew.
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

HERE = Path(__file__).resolve().parent
TABLES = HERE.parent / "lessons" / "tables"


def maker(number: int) -> Any:
    """Return the module that computes the numbers of a lesson."""
    return import_module(f"lesson_{number}_table")


def written(number: int) -> bytes:
    """Return the table of a lesson as the bytes of its file."""
    return msgspec.json.format(msgspec.json.encode(maker(number).table()), indent=1) + b"\n"


def numbers() -> list[int]:
    """Return the lessons that have a table to write."""
    return sorted(int(path.stem.split("_")[1]) for path in HERE.glob("lesson_*_table.py"))


if __name__ == "__main__":
    for lesson in [int(text) for text in sys.argv[1:]] or numbers():
        path = TABLES / f"lesson_{lesson}.json"
        path.write_bytes(written(lesson))
        print(f"wrote {path.name}")

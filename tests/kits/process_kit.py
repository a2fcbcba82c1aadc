"""What tests ask of the process they run in: who was started, and what is open.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

from pathlib import Path


def children() -> set[int]:
    """Give the processes that this one has started, tests before this one included."""
    lists = Path("/proc/self/task").glob("*/children")
    return {int(child) for file in lists for child in file.read_text().split()}


def descriptors() -> int:
    """Count the files and pipes that are open."""
    return sum(1 for _ in Path("/proc/self/fd").iterdir())

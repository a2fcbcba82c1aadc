"""Whole commands on one's own table: `python benchmarks/own_table.py [--wide]`.

`veilmix score` and `veilmix advise` with their defaults, from typing them to their last line: of
30,000 x 12 (the patients of `veilmix new --table`), and with --wide of 200,000 x 42 too. Beside
each stands what it may take. Seconds are the best of several, by the wall and of the processor, of
the command and what it started.
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import perf_counter

import numpy as np
from score import MANY, WIDE, drawn

VEILMIX = (sys.executable, "-m", "veilmix")


def wide(path: Path) -> None:
    """Write 200,000 people with 42 columns of uneven values."""
    table = drawn(np.random.default_rng(1), MANY, WIDE * 3)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"c{j}" for j in range(table.shape[1])])
        writer.writerows(table.tolist())


def took(command: list[str], folder: Path) -> tuple[float, float]:
    """Seconds of a whole command: by the wall, and of the processor."""
    before, start = getrusage(RUSAGE_CHILDREN), perf_counter()
    subprocess.run([*VEILMIX, *command], cwd=folder, check=True, capture_output=True)
    wall, after = perf_counter() - start, getrusage(RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def line(command: list[str], shape: str, limit: float, times: int, folder: Path) -> None:
    """Time a command and print it beside its limit."""
    runs = [took(command, folder) for _ in range(times)]
    wall, processor = (min(times) for times in zip(*runs, strict=True))
    print(
        f"{' '.join(command):24} {shape:14} {wall:6.2f} s ({processor:.2f} s of the processor)   "
        f"limit {limit:3.0f} s   {wall / limit:4.0%}",
        flush=True,
    )


def main() -> None:
    """Print all."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        took(["new", "--table", "patients.csv"], folder)
        line(["score", "patients.csv"], "30,000 x 12", 1, 5, folder)
        line(["advise", "patients.csv"], "30,000 x 12", 30, 2, folder)
        if "--wide" in sys.argv:
            wide(folder / "wide.csv")
            line(["score", "wide.csv"], "200,000 x 42", 5, 3, folder)
            line(["advise", "wide.csv"], "200,000 x 42", 180, 1, folder)


if __name__ == "__main__":
    main()

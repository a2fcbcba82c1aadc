"""Whole commands on one's own table: `python benchmarks/own_table.py` and options.

The options are --wide, --persons and --long.

`veilmix score` and `veilmix advise` with their defaults, from typing them to their last line: of
30,000 x 12 (the patients of `veilmix new --table`), with --wide of 200,000 x 42 too, with --persons
of 200,000 x 30 in turns with each row a person and with 60,000 persons, and with
--long the score of 10,000,000 x 10, CSV and Parquet. Beside each stands what it may take, and the
most memory that any command so far has held. Seconds are of several runs, by the wall the shortest
and the longest, and of the processor the least, of the command and what it started. Python keeps
what it compiles, as it does for whoever types the command twice.
"""

import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import perf_counter

import numpy as np
from score import MANY, WIDE, drawn

LONG, VALUES = 10_000_000, (2, 5, 9, 16, 7, 40, 3, 90, 12, 6)
CHUNK = 100_000  # rows that are written at once
PERSONS, ROUNDS = 60_000, 3
VEILMIX = (sys.executable, "-m", "veilmix")


def wide(path: Path, columns: int = 42) -> None:
    """Write 200,000 rows of uneven values, and the person of each row as a last column."""
    rng = np.random.default_rng(1)
    table = drawn(rng, MANY, (WIDE * 3)[:columns])
    person = 1_000_000 + rng.permutation(np.arange(MANY) % PERSONS)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"c{j}" for j in range(table.shape[1])), "patient_id"])
        writer.writerows(np.column_stack((table, person)).tolist())


def long(path: Path) -> None:
    """Write 10,000,000 people with 10 columns of uneven values, as CSV and as Parquet."""
    import duckdb

    rng = np.random.default_rng(1)
    laws = [rng.dirichlet(np.full(many, 0.6)) for many in VALUES]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"c{j}" for j in range(len(VALUES))])
        for _ in range(0, LONG, CHUNK):
            drawn = (rng.choice(len(law), CHUNK, p=law).tolist() for law in laws)
            writer.writerows(zip(*drawn, strict=True))
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT * FROM read_csv('{path}')) TO '{path.with_suffix('.parquet')}' "
            "(FORMAT parquet)"
        )


def took(command: list[str], folder: Path) -> tuple[float, float]:
    """Seconds of a whole command: by the wall, and of the processor."""
    before, start = getrusage(RUSAGE_CHILDREN), perf_counter()
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    kept["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
    subprocess.run([*VEILMIX, *command], cwd=folder, check=True, capture_output=True, env=kept)
    wall, after = perf_counter() - start, getrusage(RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def line(command: list[str], shape: str, limit: float, times: int, folder: Path) -> None:
    """Time a command and print it beside its limit."""
    runs = [took(command, folder) for _ in range(times)]
    walls, processor = zip(*runs, strict=True)
    print(
        f"{' '.join(command):28} {shape:13} {min(walls):6.2f} to {max(walls):.2f} s "
        f"({min(processor):.2f} s of the processor)   limit {limit:3.0f} s   "
        f"{min(walls) / limit:4.0%} to {max(walls) / limit:.0%}   "
        f"at most {getrusage(RUSAGE_CHILDREN).ru_maxrss / 1e6:.2f} GB",
        flush=True,
    )


def persons(folder: Path) -> None:
    """Time score and advice by persons and by rows in turns, and print the ratio of each round."""
    wide(folder / "visits.csv", 30)
    for command, limit in (("score", 5), ("advise", 60)):
        ways = {"rows": "--each-row", "persons": "--person=patient_id"}
        walls: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(ROUNDS):
            for way, option in ways.items():
                walls[way].append(took([command, "visits.csv", option], folder)[0])
        ratios = [many / one for one, many in zip(walls["rows"], walls["persons"], strict=True)]
        print(
            f"{command:28} 200,000 x 30   rows {min(walls['rows']):.2f} s, {PERSONS:,} persons "
            f"{min(walls['persons']):.2f} s   limit {limit} s   persons / rows "
            f"{min(ratios):.2f} to {max(ratios):.2f} (limit 2)",
            flush=True,
        )


def main() -> None:
    """Print all."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        took(["new", "--table", "patients.csv"], folder)
        took(["advise", "patients.csv", "--columns", "age,sex"], folder)  # compiles
        took(["score", "patients.csv", "--columns", "age,sex"], folder)
        line(["score", "patients.csv"], "30,000 x 12", 1, 5, folder)
        line(["advise", "patients.csv"], "30,000 x 12", 30, 2, folder)
        if "--wide" in sys.argv:
            wide(folder / "wide.csv")
            line(["score", "wide.csv", "--each-row"], "200,000 x 42", 5, 3, folder)
            line(["advise", "wide.csv", "--each-row"], "200,000 x 42", 180, 1, folder)
        if "--persons" in sys.argv:
            persons(folder)
        if "--long" in sys.argv:
            long(folder / "long.csv")
            for name in ("long.csv", "long.parquet"):
                line(["score", name], "10,000,000 x 10", 180, 1, folder)


if __name__ == "__main__":
    main()

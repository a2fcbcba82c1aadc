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
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from harness import Turns, peak, run, timed, veilmix
from score import MANY, WIDE, drawn

LONG, VALUES = 10_000_000, (2, 5, 9, 16, 7, 40, 3, 90, 12, 6)
CHUNK = 100_000  # rows that are written at once
PERSONS, ROUNDS = 60_000, 3


def write_wide(path: Path, columns: int = 42) -> None:
    """Write 200,000 rows of uneven values, and the person of each row as a last column."""
    rng = np.random.default_rng(1)
    table = drawn(rng, MANY, (WIDE * 3)[:columns])
    person = 1_000_000 + rng.permutation(np.arange(MANY) % PERSONS)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*(f"c{j}" for j in range(table.shape[1])), "patient_id"])
        writer.writerows(np.column_stack((table, person)).tolist())


def write_long(path: Path) -> None:
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


def line(command: list[str], shape: str, limit: float, times: int, folder: Path) -> None:
    """Time a command and print it beside its limit."""
    runs = [timed(veilmix, *command, folder=folder)[0] for _ in range(times)]
    walls, processor = zip(*runs, strict=True)
    print(
        f"{' '.join(command):28} {shape:13} {min(walls):6.2f} to {max(walls):.2f} s "
        f"({min(processor):.2f} s of the processor)   limit {limit:3.0f} s   "
        f"{min(walls) / limit:4.0%} to {max(walls) / limit:.0%}   "
        f"at most {peak(children=True) / 1e9:.2f} GB",
        flush=True,
    )


def compare_persons(folder: Path) -> None:
    """Time score and advice by persons and by rows in turns, and print the ratio of each round."""
    write_wide(folder / "visits.csv", 30)
    for command, limit in (("score", 5), ("advise", 60)):
        ways = {"rows": "--each-row", "persons": "--person=patient_id"}
        typed = partial(veilmix, command, "visits.csv", folder=folder)
        turns = Turns(ROUNDS, {way: partial(typed, option) for way, option in ways.items()})
        rows, many = turns.least("rows").wall, turns.least("persons").wall
        print(
            f"{command:28} 200,000 x 30   rows {rows:.2f} s, {PERSONS:,} persons {many:.2f} s   "
            f"limit {limit} s   persons / rows {turns.ratio('persons', 'rows')} (limit 2)",
            flush=True,
        )


def main(*, wide: bool = False, persons: bool = False, long: bool = False) -> None:
    """Print all."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        veilmix("new", "--table", "patients.csv", folder=folder)
        veilmix("advise", "patients.csv", "--columns", "age,sex", folder=folder)  # compiles
        veilmix("score", "patients.csv", "--columns", "age,sex", folder=folder)
        line(["score", "patients.csv"], "30,000 x 12", 1, 5, folder)
        line(["advise", "patients.csv"], "30,000 x 12", 30, 2, folder)
        if wide:
            write_wide(folder / "wide.csv")
            line(["score", "wide.csv", "--each-row"], "200,000 x 42", 5, 3, folder)
            line(["advise", "wide.csv", "--each-row"], "200,000 x 42", 180, 1, folder)
        if persons:
            compare_persons(folder)
        if long:
            write_long(folder / "long.csv")
            for name in ("long.csv", "long.parquet"):
                line(["score", name], "10,000,000 x 10", 180, 1, folder)


if __name__ == "__main__":
    run(main)

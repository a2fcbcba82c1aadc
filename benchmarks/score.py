"""Scoring tables: `python benchmarks/score.py [path to UCI Adult's adult.data]`.

1. Exposure and smallest crowd of every set of columns of tables of 32,561 rows, beside
   `numpy.unique` for each set, which is measured on a sample of the sets and scaled.
2. Crowds with wildcards beside the same crowds as a category.
3. A file of 200,000 rows and 42 columns, from opening it to its score.

Without the path, tables of the same shape are drawn. Times are the best of several.
"""

import csv
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
from harness import best, run, timed
from veilmix.analysis.exposure.cells import joint_counts
from veilmix.analysis.exposure.column_sets import SetExposures, exposures_of_all_sets
from veilmix.analysis.exposure.wildcards import Wildcards
from veilmix.analysis.scoring.table_score import score_table
from veilmix.scenarios.populations import files
from veilmix.scenarios.schema.model import PopulationSection

ADULT = (73, 9, 21_648, 16, 16, 7, 15, 6, 5, 2, 119, 92, 94, 42, 2)  # values of its columns
WIDE = (2, 2, 3, 5, 9, 16, 40, 100, 2, 7, 300, 4, 6, 8)
PEOPLE, MANY, SAMPLE = 32_561, 200_000, 60


def drawn(rng: np.random.Generator, n: int, values: tuple[int, ...]) -> np.ndarray:
    """Independent columns with uneven shares."""
    columns = [rng.choice(v, size=n, p=rng.dirichlet(np.full(v, 0.5))) for v in values]
    return np.stack(columns, axis=1)


def adult(path: Path) -> np.ndarray:
    """The codes of the file's 15 columns."""
    with path.open(encoding="utf-8") as file:
        rows = [row for row in csv.reader(file, skipinitialspace=True) if len(row) == len(ADULT)]
    columns = (np.unique(column, return_inverse=True)[1] for column in zip(*rows, strict=True))
    return np.stack(list(columns), axis=1)


def plain(table: np.ndarray, number: int, k: int) -> tuple[int, int]:
    """People below k and the smallest crowd of one set, the straightforward way."""
    counts = np.unique(table[:, SetExposures.members(number)], axis=0, return_counts=True)[1]
    return int(counts[counts < k].sum()), int(counts.min())


def sets(name: str, table: np.ndarray, k: int = 5) -> None:
    """Every set of columns, beside the straightforward way."""
    d = table.shape[1]
    chosen = np.random.default_rng(1).choice(np.arange(1, 2**d), SAMPLE, replace=False).tolist()
    exposures = exposures_of_all_sets(table, k)
    took, direct = timed(lambda: [plain(table, number, k) for number in chosen])
    scaled = took.wall / SAMPLE * (2**d - 1)
    assert direct == [(exposures.people[s], exposures.anonymity[s]) for s in chosen]
    seconds = best(3, lambda: exposures_of_all_sets(table, k))
    print(
        f"{name:28} {2**d - 1:7,} sets {seconds:7.2f} s   numpy.unique {scaled:8.1f} s"
        f"   ratio {scaled / seconds:6.0f}"
    )


def wildcards(rng: np.random.Generator, missing: float) -> None:
    """The joint crowds of 10 columns with some cells missing, both meanings."""
    table = drawn(rng, PEOPLE, WIDE[:10]) + 1
    table[rng.random(table.shape) < missing] = 0
    every, lacking = range(table.shape[1]), [0] * table.shape[1]
    category = best(3, lambda: joint_counts(table, every))
    wild = best(3, lambda: Wildcards.from_table(table, lacking).crowds(every))
    print(
        f"{PEOPLE:,} x 10, {missing:5.1%} missing    wildcard {wild:6.2f} s   "
        f"category {category:6.3f} s   ratio {wild / category:6.0f}"
    )


def whole(rng: np.random.Generator) -> None:
    """Write, read and score a large file."""
    table = drawn(rng, MANY, WIDE * 3)
    names = [f"c{j}" for j in range(table.shape[1])]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(names)
            writer.writerows(table.tolist())
        chosen = [(name, name) for name in names]
        section = PopulationSection(source=str(path), missing="")
        reading, read = timed(lambda: files.source_of(path).table(chosen, section))
        opened = perf_counter()
        stages: list[tuple[str, float]] = []
        score_table(
            read.codes, names, progress=lambda stage: stages.append((stage, perf_counter()))
        )
        ended = perf_counter()
    whole = reading.wall + ended - opened
    print(f"{MANY:,} x {len(names)}: {whole:.1f} s, of which reading {reading.wall:.1f} s")
    ends = [at for _, at in stages[1:]] + [ended]
    for (stage, began), end in zip(stages, ends, strict=True):
        print(f"    {stage:50} {end - began:6.2f} s")


def main(path: Path | None = None) -> None:
    """Print all three."""
    rng = np.random.default_rng(1)
    table, name = (adult(path), "Adult") if path else (drawn(rng, PEOPLE, ADULT), "drawn like it")
    # Without fnlwgt (column 2): a weight, different for most people.
    kept = [j for j in range(len(ADULT)) if j != 2]
    sets(f"{name}, {PEOPLE:,} x 10", table[:, kept[:10]])
    sets(f"{name}, {PEOPLE:,} x 14", table[:, kept])
    print()
    for missing in (0.001, 0.01, 0.05):
        wildcards(rng, missing)
    print()
    whole(rng)


if __name__ == "__main__":
    run(main)

"""Exact worst cases and certified bounds on the census table, with times: the long proofs.

    python benchmarks/worst_case.py PATH/adult4_contingency.csv [--nodes NODES]

Prints what each rule says from singles, pairs and triples, and how long the exact proof takes.
"""

import csv
from itertools import combinations
from pathlib import Path

import numpy as np
from harness import run, timed
from veilmix.analysis.composition.exact_worst_case import worst_case
from veilmix.analysis.composition.group_counts import GroupCounts
from veilmix.analysis.composition.known_groups import GroupKnowledge
from veilmix.analysis.contingency import certified_people, frechet_class, relaxed_weights
from veilmix.analysis.contingency.integer_program import FrechetProgram, relax


def read(path: Path) -> np.ndarray:
    """The contingency table of a CSV of value columns and a count."""
    with path.open(newline="") as stream:
        rows = list(csv.reader(stream))[1:]
    columns = len(rows[0]) - 1
    names = [sorted({row[j] for row in rows}) for j in range(columns)]
    table = np.zeros([len(each) for each in names], dtype=int)
    for row in rows:
        table[tuple(names[j].index(row[j]) for j in range(columns))] = int(row[-1])
    return table


def margins(table: np.ndarray, size: int) -> dict[tuple[int, ...], np.ndarray]:
    """The joint counts of all groups of `size` columns."""
    axes = set(range(table.ndim))
    return {
        group: table.sum(axis=tuple(axes - set(group)))
        for group in combinations(range(table.ndim), size)
    }


def with_names(group: tuple[int, ...], counts: np.ndarray) -> GroupCounts:
    """The counts of a group with every value named: nobody is under `other`."""
    named_values = tuple(tuple(range(values)) for values in counts.shape)
    return GroupCounts(group, named_values, np.pad(counts, [(0, 1)] * len(group)))


def report(table: np.ndarray, size: int, k: int, nodes: int) -> None:
    """One line: truth, both bounds, the exact worst case, and the seconds each took."""
    known, marginals = margins(table, size), [*margins(table, 1).values()]
    groups = {} if size == 1 else {group: with_names(group, known[group]) for group in known}
    knowledge, columns = GroupKnowledge(k, tuple(marginals), groups), range(table.ndim)
    tables = frechet_class(marginals, k, known)
    grouping, grouped = timed(knowledge.by_parts, columns)

    def certified_bound() -> int:
        cuts, _ = relax(FrechetProgram(tables, k), knowledge.n)
        return certified_people(tables, k, relaxed_weights(tables, k, cuts))

    certifying, certified = timed(certified_bound)
    exact = worst_case(marginals, k, nodes=nodes, known_joints=known if size > 1 else None)
    worst = f"{exact.people}" if exact.proven else f"{exact.people}..{exact.upper}"
    truth = int(table[table < k].sum())
    print(
        f"{table.ndim:7} {size:5} {k:5} {truth:6} {grouped.people:8} {certified:9} "
        f"{worst:>11} {grouping.wall:8.2f} {certifying.wall:9.2f} {exact.seconds:8.2f}",
        flush=True,
    )


def main(file: Path, *, nodes: int = 1_000) -> None:
    """Runs all lines. nodes: of every search tree."""
    table = read(file)
    print("columns known     k  truth  grouped certified       exact  s group s certify  s exact")
    report(table.sum(axis=3), 1, 10, nodes)
    for size in (1, 2, 3):
        for k in (1000, 200, 50, 10):
            report(table, size, k, nodes)


if __name__ == "__main__":
    run(main)

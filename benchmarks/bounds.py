"""What bounds, choices and column sets cost: ours against the definition, and growth with size.

Run with `python benchmarks/bounds.py`. Every line is a
ratio of two times taken side by side (or of a time and its limit) and the seconds behind it.
"""

import itertools
from collections.abc import Callable
from functools import partial
from math import prod

import numpy as np
from harness import best, run
from veilmix.analysis.composition import best_bound
from veilmix.analysis.exposure import joint_counts, users_below
from veilmix.analysis.exposure.column_sets import exposures_of_all_sets
from veilmix.analysis.exposure.counts import Integers
from veilmix.analysis.suppression import choose_columns

# UCI Adult (Kohavi 1996, CC BY 4.0): sex, income, race, workclass of 32,561 people
CENSUS = [
    [10771, 21790],
    [24720, 7841],
    [311, 1039, 3124, 271, 27816],
    [1836, 960, 2093, 22696, 2541, 1298, 1116, 7, 14],
]
PEOPLE = 1_000_000


def seconds(times: int, call: Callable[..., object], *arguments: object) -> float:
    """The best of `times` runs."""
    return best(times, partial(call, *arguments))


def column(rng: np.random.Generator, exponent: float, values: int = 50) -> Integers:
    """A million people with `values` distinct counts that fall like rank ** -exponent."""
    shares = np.arange(1, values + 1) ** -exponent * rng.uniform(0.7, 1.3, values)
    counts = np.maximum(1, (shares / shares.sum() * PEOPLE / 1.01).astype(np.int64))
    counts = np.unique(counts)
    while counts.size < values:
        counts = np.unique(np.append(counts, rng.integers(1, 1000, values - counts.size)))
    counts[-1] += PEOPLE - counts.sum()
    return counts


def brute_force(marginals: list[list[int]], k: int, rule: str) -> int:
    """The least value of the formula over all thresholds, straight from its statement."""
    coverage = int(rule == "coverage")
    least = n = sum(marginals[0])
    for thresholds in itertools.product(*(sorted(set(counts)) for counts in marginals)):
        pairs = list(zip(marginals, thresholds, strict=True))
        rare = [sum(c for c in counts if c < t) for counts, t in pairs]
        common = [sum(c >= t for c in counts) for counts, t in pairs]
        people, cells, heavy = sum(rare), prod(common), 0
        if coverage:
            heavy = max(
                sum(c >= t and c - (people - r) > (k - 1) * (cells // m) for c in counts)
                for (counts, t), r, m in zip(pairs, rare, common, strict=True)
            )
            heavy = max(heavy, n - people > (k - 1) * cells)
        least = min(least, people + (k - coverage) * (cells - heavy * coverage))
    return least


def line(name: str, ratio: float, detail: str) -> None:
    """One measured ratio."""
    print(f"{name:<58}{ratio:>9.3f}   {detail}", flush=True)


def bounds() -> None:
    """`best_bound`: against the definition, against its limits, and with twice the columns."""
    for rule in ("refined", "coverage"):
        ours = seconds(20, best_bound, CENSUS, 10, rule)
        plain = seconds(3, brute_force, CENSUS, 10, rule)
        assert best_bound(CENSUS, 10, rule).people == brute_force(CENSUS, 10, rule)
        line(
            f"{rule}, census: ours / all thresholds", ours / plain, f"{ours:.5f} s / {plain:.4f} s"
        )
        line(f"{rule}, census: ours / 5 ms", ours / 0.005, f"{ours:.5f} s")
        for exponent in (2.0, 4.0, 6.0):
            rng = np.random.default_rng(1)
            many = [column(rng, exponent) for _ in range(20)]
            twenty = seconds(3, best_bound, many, 10, rule)
            ten = seconds(3, best_bound, many[:10], 10, rule)
            name = f"{rule}, 50 counts each, exponent {exponent:.0f}"
            line(f"{name}: 20 / 10 columns", twenty / ten, f"{twenty:.4f} s / {ten:.4f} s")
            line(f"{name}: 20 columns / 1 s", twenty, f"{best_bound(many, 10, rule).people:,}")


def choices() -> None:
    """`choose_columns` of 20 columns with 50 distinct counts each, against 10 seconds."""
    rng = np.random.default_rng(2)
    tables = {e: [column(rng, e) for _ in range(20)] for e in (2.0, 4.0, 6.0)}
    tables[0.0] = [column(rng, rng.uniform(0.5, 6)) for _ in range(20)]
    for exponent, many in tables.items():
        for name, weights in (("equal weights", None), ("random weights", rng.random(20).tolist())):
            spent = seconds(1, choose_columns, many, 5, 0.3, weights)
            kept = len(choose_columns(many, 5, 0.3, weights).kept)
            kind = f"exponent {exponent:.0f}" if exponent else "mixed exponents"
            line(
                f"choose_columns, {kind}, {name} / 10 s", spent / 10, f"{spent:.2f} s, {kept} kept"
            )


def column_sets() -> None:
    """Exposure and k of all column sets of a table of 32,561 people, and one joint of a million."""
    rng = np.random.default_rng(3)
    domains = [20000, 119, 94, 92, 73, 42, 16, 16, 15, 9, 7, 6, 5, 2]
    shapes = [rng.zipf(1.6, 32561) % domain for domain in domains]
    table = np.column_stack(shapes)
    for width, limit in ((10, 1.0), (14, 10.0)):
        part = table[:, -width:]
        ours = seconds(2, exposures_of_all_sets, part, 10)
        name = f"all {2**width - 1:,} sets of {width} columns"
        line(f"{name} / {limit:.0f} s", ours / limit, f"{ours:.2f} s")
        if width == 10:
            each = seconds(1, one_at_a_time, part)
            line(f"{name}: ours / one set at a time", ours / each, f"{each:.2f} s")
    million = rng.integers(0, 10, (PEOPLE, 8))
    spent = seconds(3, joint_counts, million, range(8))
    line("joint_counts of 1,000,000 x 8 / 1 s", spent, f"{spent:.3f} s")


def one_at_a_time(table: Integers) -> None:
    """The same exposures, each set counted from the rows."""
    for size in range(1, table.shape[1] + 1):
        for columns in itertools.combinations(range(table.shape[1]), size):
            users_below(joint_counts(table, columns), 10)


def main() -> None:
    """Print all."""
    bounds()
    choices()
    column_sets()


if __name__ == "__main__":
    run(main)

"""What secret sharing could buy: blind crowd sizes, and a noisy count of exposed people.

Run with `python benchmarks/crowd_sizes.py`. Sensitivities by trying every small table; then, for
the shipped tables, what a curator could promise and what it would learn if it were told

    marginals     the counts of single columns (the program `exposure` today)
    crowd sizes   of every set of columns how many crowds there are of each size, and not whose
    noisy count   of every set how many people are in crowds below k, plus discrete Laplace noise

Decision 66 has what it printed. Bits: log2 of the labelled tables possible before, less after.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import ceil, exp, lgamma, log, log2
from typing import Any

import numpy as np
from harness import run
from veilmix.analysis.composition import best_bound
from veilmix.analysis.exposure import joint_counts, users_below
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.programs.registry import samples

LN2 = log(2)
MISSED = 0.025  # probability with which any promise from noisy counts may fail
RUNS = 2_000
TABLES = "titanic", "admissions", "census"


def small_tables(people: int, cells: int) -> Iterator[tuple[int, ...]]:
    """Every way to put people into cells."""
    if cells == 1:
        yield (people,)
        return
    for first in range(people + 1):
        for rest in small_tables(people - first, cells - 1):
            yield first, *rest


def exposed(counts: tuple[int, ...], k: int) -> int:
    """People in cells of fewer than k."""
    return sum(count for count in counts if count < k)


def sensitivities(k: int, people: int, cells: int) -> tuple[int, int, int]:
    """The most that one person changes exposed people, replaced and removed, and crowd sizes."""
    replaced = removed = sizes = 0
    for table in small_tables(people, cells):
        before, held = exposed(table, k), Counter(table)
        for at in (at for at, count in enumerate(table) if count):
            without = list(table)
            without[at] -= 1
            removed = max(removed, abs(exposed(tuple(without), k) - before))
            for to in range(cells):
                moved = list(without)
                moved[to] += 1
                replaced = max(replaced, abs(exposed(tuple(moved), k) - before))
                after = Counter(moved)
                change = sum(abs(held[size] - after[size]) for size in held | after if size)
                sizes = max(sizes, change)
    return replaced, removed, sizes


def log_multinomial(counts: Any) -> float:
    """The logarithm of the number of labelled tables with these counts."""
    return lgamma(sum(counts) + 1) - sum(lgamma(count + 1) for count in counts)


def bits_of_sizes(counts: Any, cells: int) -> float:
    """Bits that crowd sizes tell: as counts would, less which crowd has which row."""
    held = Counter(int(count) for count in counts if count)
    named = lgamma(cells + 1) - lgamma(cells - sum(held.values()) + 1)
    named -= sum(lgamma(many + 1) for many in held.values())
    return sum(counts) * log2(cells) - (log_multinomial(counts) + named) / LN2


@dataclass(frozen=True)
class Choice:
    """A set of columns, what is true of it, and what single columns prove of it.

    Attributes:
        columns: by number.
        exposed: people.
        proved: at most so many.
    """

    columns: tuple[int, ...]
    exposed: int
    proved: int


def choices(codes: Any, sizes: Any, k: int) -> list[Choice]:
    """Every set of columns."""
    marginals = [np.bincount(codes[:, j], minlength=size) for j, size in enumerate(sizes)]
    measured = []
    for many in range(1, len(sizes) + 1):
        for columns in combinations(range(len(sizes)), many):
            people = int(users_below(joint_counts(codes, columns), k))
            bound = best_bound([marginals[j] for j in columns], k)
            measured.append(Choice(columns, people, ceil(bound.value * len(codes) - 1e-6)))
    return measured


def noise_margin(scale: float, missed: float) -> int:
    """What discrete Laplace noise of exp(-|x| / scale) exceeds with this probability at most."""
    q, margin = exp(-1 / scale), 0
    while q ** (margin + 1) / (1 + q) > missed:  # P(X > margin)
        margin += 1
    return margin


def laplace(rng: np.random.Generator, scale: float, shape: Any) -> Any:
    """Discrete Laplace noise: the difference of two geometric numbers."""
    p = 1 - exp(-1 / scale)
    return rng.geometric(p, shape) - rng.geometric(p, shape)


def told(name: str) -> None:
    """Print what each way releases of one table, and what the curator learns."""
    scenario = load(name)
    k, target = scenario.policy.k, scenario.policy.max_exposure
    people = samples(scenario, 7).people
    codes, sizes = np.asarray(people.codes), [len(texts) for texts in people.values]
    n, sets = len(codes), choices(codes, sizes, k)
    limit = int(target * n)
    print(f"\n{name}: {n:,} people, {len(sets)} sets of columns, k = {k}, at most {limit} exposed")

    def width(chosen: Choice | None) -> int:
        return len(chosen.columns) if chosen else 0

    def best(able: list[Choice]) -> Choice | None:
        return max(able, key=lambda choice: (len(choice.columns), -choice.exposed), default=None)

    def say(what: str, chosen: Choice | None, promised: float, bits: float) -> None:
        names = ", ".join(people.schema.names[j] for j in chosen.columns) if chosen else "nothing"
        true = chosen.exposed if chosen else 0
        print(f"  {what:34} {names:38} true {true:4} promised {promised:6.0f} bits {bits:5.2f}")

    marginals = [np.bincount(codes[:, j], minlength=size) for j, size in enumerate(sizes)]
    alone = sum(
        n * log2(size) - log_multinomial(m) / LN2 for size, m in zip(sizes, marginals, strict=True)
    )
    chosen = best([choice for choice in sets if choice.proved <= limit])
    say("marginals", chosen, chosen.proved if chosen else 0, alone / n)
    chosen = best([choice for choice in sets if choice.exposed <= limit])
    everything = tuple(range(len(sizes)))
    full = joint_counts(codes, everything)
    say(
        "crowd sizes",
        chosen,
        chosen.exposed if chosen else 0,
        bits_of_sizes(full, int(np.prod(sizes))) / n,
    )
    counts = n * log2(float(np.prod(sizes))) - log_multinomial(full) / LN2
    print(f"  (bits of the whole joint table: {counts / n:.2f})")
    noisy(sets, k, limit, width(chosen))
    singles = int((full == 1).sum())
    small = int(((full > 0) & (full < k)).sum())
    print(
        f"  whoever counts tags sees {small} crowds smaller than k, {singles} of them of one person"
    )


def noisy(sets: list[Choice], k: int, limit: int, most: int) -> None:
    """Print what noisy counts would release, in the mean of many draws."""
    rng = np.random.default_rng(66)
    whole = [choice for choice in sets if len(choice.columns) == max(len(s.columns) for s in sets)]
    for epsilon in (0.5, 1.0, 2.0):
        for asked, what in ((whole, "all columns alone"), (sets, "every set, budget shared")):
            scale = len(asked) * k / epsilon
            margin = noise_margin(scale, MISSED / len(asked))
            true = np.array([choice.exposed for choice in asked])
            promised = true + laplace(rng, scale, (RUNS, len(asked))) + margin
            widths = np.where(promised <= limit, [len(choice.columns) for choice in asked], 0)
            chosen = widths.argmax(axis=1)
            kept = widths.max(axis=1)
            broken = (kept > 0) & (true[chosen] > promised[np.arange(RUNS), chosen])
            false = 100 * broken.mean()
            print(
                f"  noisy count, epsilon {epsilon:3}: {what:25} margin {margin:5} people; columns "
                f"in the mean {kept.mean():.2f} of {most}; false promises {false:.1f} %"
            )


def main() -> None:
    """Print everything."""
    print("most that one person changes: replaced, removed, and crowd sizes (sum of changes)")
    for k in range(1, 6):
        columns = [
            sensitivities(k, people, cells) for people in range(1, 10) for cells in (2, 3, 4)
        ]
        print(f"  k = {k}:", *(max(column) for column in zip(*columns, strict=True)))
    for table in TABLES:
        told(table)


if __name__ == "__main__":
    run(main)

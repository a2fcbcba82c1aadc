"""Leakage of a decision in bits: `benchmarks/decisions.py [PEOPLE SIZES K]`.

    python benchmarks/decisions.py             the cases of docs/adr/0095
    python benchmarks/decisions.py 8 2,2 2     8 people, two columns of 2 values, k = 2

Prior: all labelled tables are equally likely, so a decision of probability p has a leakage of
-log2(p) bits. The script enumerates the counts of all columns, weighted by their tables, and
applies the announced rule to each: figures are exact. Three readings: the whole certificate, the
certificate without thresholds and prices, and the columns alone (with suppressed values). Columns:
mean over all tables; mean and maximum over 200 tables of random shares (Dirichlet
with parameters 1). Unit: bits a person.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import factorial, log2, prod

import numpy as np
import veilmix
from harness import run
from veilmix.protocol.board.strategies import Call, RoundResult
from veilmix.protocol.wire.messages import Decision, DecisionCertificate
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.scenarios.programs.registry import strategy

MAX_EXPOSURE = 0.3
TABLES = 200  # of random shares
CASES = ((6, (2, 2), 2), (6, (2, 2), 3), (12, (2, 2), 3), (10, (2, 3), 2))
RULES = ("margins", "coverage", "local-suppression")
BARE = DecisionCertificate("", 1, 1, 0)

Margins = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Told:
    """What a decision says, in three readings.

    Attributes:
        whole: all of it.
        bare: without thresholds and prices.
        kept: the columns, and the values left blank.
    """

    whole: Decision
    bare: Decision
    kept: Decision


READINGS: tuple[Callable[[Told], Decision], ...] = (
    lambda told: told.whole,
    lambda told: told.bare,
    lambda told: told.kept,
)


def counts(people: int, values: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways in which so many people can have the values of a column."""
    if values == 1:
        yield (people,)
        return
    for first in range(people + 1):
        yield from ((first, *rest) for rest in counts(people - first, values - 1))


def share(people: int, column: Sequence[int]) -> float:
    """The share of labelled columns with these counts."""
    ways = factorial(people) // prod(map(factorial, column))
    return float(ways / len(column) ** people)


def decisions(people: int, sizes: Sequence[int], k: int, rule: str) -> dict[Margins, Told]:
    """What the announced rule decides, of all counts."""
    kind = f'kind = "{rule}"\ndelta = 0.05' if rule == "local-suppression" else f'rule = "{rule}"'
    features = "".join(
        f'[[feature]]\nname = "c{j}"\nlevels = {size}\n' for j, size in enumerate(sizes)
    )
    scenario = veilmix.loads(
        f'[scenario]\nname = "told"\n[population]\nsource = "builtin:even"\nusers = {people}\n'
        f"{features}[policy]\nk = {k}\nmax_exposure = {MAX_EXPOSURE}\n{kind}\n"
    )
    curating = strategy(scenario, None)
    schema = Schema(
        tuple(Feature(f"c{j}", tuple(map(str, range(size)))) for j, size in enumerate(sizes))
    )
    call = Call(1, Role.CURATOR, tuple((j,) for j in range(len(sizes))))
    made = {}
    for margins in product(*(list(counts(people, size)) for size in sizes)):
        tallies = tuple(
            {(str(value),): n for value, n in enumerate(column) if n} for column in margins
        )
        whole = curating.decide(schema, [RoundResult(call, tallies)])
        bare = replace(whole.certificate, thresholds=(), pivot=None, proof=b"")
        made[margins] = Told(
            whole, replace(whole, certificate=bare), replace(whole, certificate=BARE)
        )
    return made


def bits(people: int, sizes: Sequence[int], made: dict[Margins, Told]) -> tuple[str, ...]:
    """Compute the leakage of each reading, over all tables and over tables of random shares."""
    rng = np.random.default_rng(0)
    drawn = [
        tuple(
            tuple(
                np.bincount(
                    rng.choice(size, people, p=rng.dirichlet(np.ones(size))), minlength=size
                )
                .astype(int)
                .tolist()
            )
            for size in sizes
        )
        for _ in range(TABLES)
    ]
    lines = []
    for reading in READINGS:
        chance = Counter[str]()
        for margins, told in made.items():
            weight = prod(share(people, column) for column in margins)
            chance[repr(reading(told))] += weight
        mean = -sum(p * log2(p) for p in chance.values() if p) / people
        random = [-log2(chance[repr(reading(made[margins]))]) / people for margins in drawn]
        lines.append(f"{mean:6.3f}   {sum(random) / TABLES:6.3f} {max(random):6.3f}")
    return tuple(lines)


def main(people: int = 0, sizes: str = "", k: int = 0) -> None:
    """Print a line for every case, rule and reading."""
    cases = [(people, tuple(map(int, sizes.split(","))), k)] if people else CASES
    print("bits a person: all tables, mean; tables of random shares, mean and most")
    for people, sizes, k in cases:
        for rule in RULES:
            made = decisions(people, sizes, k, rule)
            what = f"{people} people, {' x '.join(map(str, sizes))}, k = {k}, {rule}"
            for name, line in zip(
                ("certificate", "no thresholds", "columns alone"),
                bits(people, sizes, made),
                strict=True,
            ):
                print(f"{what:<44} {name:<14} {line}", flush=True)


if __name__ == "__main__":
    run(main)

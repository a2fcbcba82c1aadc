"""When the estimate of unrelated columns misleads: `python benchmarks/unrelated_columns.py`.

Draws tables of 400 people and three columns (4, 4 and 3 values), k = 5. The second and third column
repeat the first one with a chance, and are drawn by themselves otherwise. Prints for every chance
how many tables have their exposure within the range of 200 permutations, below it and above it.
Then prints what the estimate adds to the score of the shipped tables, measured in turn.
"""

import numpy as np
from harness import Turns, run
from veilmix.analysis.exposure import joint_counts, users_below
from veilmix.analysis.exposure.unrelated_columns import unrelated_exposure
from veilmix.analysis.scoring import score_table
from veilmix.scenarios.populations.tables import TABLES as SHIPPED
from veilmix.scenarios.populations.tables import shipped

PEOPLE, VALUES, K, TABLES, SEED = 400, (4, 4, 3), 5, 600, 1
CHANCES = (0.0, 0.3, 0.6, 0.9)
TURNS = 5


def drawn(rng: np.random.Generator, chance: float) -> np.ndarray:
    """Columns that repeat the first one with a chance."""
    shares = [rng.dirichlet(np.ones(values)) for values in VALUES]
    first = rng.choice(VALUES[0], PEOPLE, p=shares[0])
    columns = [first]
    for values, share in zip(VALUES[1:], shares[1:], strict=True):
        own = rng.choice(values, PEOPLE, p=share)
        columns.append(np.where(rng.random(PEOPLE) < chance, first % values, own))
    return np.stack(columns, axis=1)


def coverage(chance: float) -> tuple[int, int, int]:
    """Tables whose exposure is within the range, below it, above it."""
    rng, places = np.random.default_rng(SEED), [0, 0, 0]
    for _ in range(TABLES):
        table = drawn(rng, chance)
        truth = users_below(joint_counts(table, range(len(VALUES))), K)
        marginals = [joint_counts(table, [j]) for j in range(len(VALUES))]
        estimate = unrelated_exposure(marginals, K)
        assert estimate is not None
        places[1 if truth < estimate.low else 2 if truth > estimate.high else 0] += 1
    return places[0], places[1], places[2]


def cost(name: str) -> None:
    """Seconds of the score of a shipped table, and of the estimate in it, in turn."""
    table = shipped(name)
    marginals = [joint_counts(table.codes, [j]) for j in range(len(table.columns))]
    turns = Turns[object](
        TURNS,
        {
            "score": lambda: score_table(table.codes, table.columns),
            "estimate": lambda: unrelated_exposure(marginals, K),
        },
    )
    whole, part = (turns.least(each).wall for each in ("score", "estimate"))
    print(f"{name:14} score {whole:6.3f} s, of which {part:6.3f} s   {turns.results['estimate']}")


def main() -> None:
    """Print both."""
    for chance in CHANCES:
        within, below, above = coverage(chance)
        print(f"columns agree with chance {chance}: within {within}, below {below}, above {above}")
    for name in SHIPPED:
        cost(name)


if __name__ == "__main__":
    run(main)

"""The ideal road at scale: `python benchmarks/ideal.py [people]`.

Two rounds over generated people with 8 features, without a message: prints the seconds and peak
memory for one million people (or as many as asked), and the ratio to a tenth of them: an
implementation that is linear in people prints about 10.
"""

import resource
import sys
import time

from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import loads
from veilmix.scenarios.schema.model import Scenario

FEATURES = 8
LEVELS = (2, 2, 3, 4, 5, 6, 8, 12)


def scenario(people: int) -> Scenario:
    """Zipf-distributed people with 8 features."""
    features = "".join(
        f'[[feature]]\nname = "f{i}"\nlevels = {levels}\n' for i, levels in enumerate(LEVELS)
    )
    return loads(
        '[scenario]\nname = "million"\nseed = 1\n[population]\nsource = "builtin:zipf"\n'
        f"users = {people}\n{features}[policy]\nk = 10\nmax_exposure = 0.01\n"
    )


def seconds(people: int) -> float:
    """Seconds for both rounds, the decision and the scores, people included."""
    chosen = scenario(people)
    started = time.perf_counter()
    outcome = run(chosen, mode="ideal", worst_case_nodes=0)
    took = time.perf_counter() - started
    assert outcome.released
    kept = len(outcome.kept)
    print(f"  {people:>9,} people: {took:.2f} s, released {kept} of {FEATURES} columns")
    return took


def main(people: int) -> None:
    """Measure and print."""
    print(f"two rounds of {FEATURES} features, ideal mode")
    tenth = min(seconds(people // 10) for _ in range(3))
    whole = min(seconds(people) for _ in range(2))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  {people:,} people / {people // 10:,} people: {whole / tenth:.1f}")
    print(f"  peak memory of the process: {peak:.0f} MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)

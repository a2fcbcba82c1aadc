"""The ideal road at scale: `python benchmarks/ideal.py [people]`.

Two rounds over generated people with 8 features, without a message: prints the seconds and peak
memory for one million people (or as many as asked), and the ratio to a tenth of them: an
implementation that is linear in people prints about 10.
"""

from harness import peak, run, timed
from sessions import generated
from veilmix.scenarios.lab.play.run import run as play
from veilmix.scenarios.lab.validation.load import loads

LEVELS = (2, 2, 3, 4, 5, 6, 8, 12)
FEATURES = len(LEVELS)


def seconds(people: int) -> float:
    """Seconds for both rounds, the decision and the scores, people included."""
    chosen = loads(generated(people, LEVELS, "k = 10\nmax_exposure = 0.01\n"))
    took, outcome = timed(play, chosen, mode="ideal", worst_case_nodes=0)
    assert outcome.released
    kept = len(outcome.released_columns)
    print(f"  {people:>9,} people: {took.wall:.2f} s, released {kept} of {FEATURES} columns")
    return took.wall


def main(people: int = 1_000_000) -> None:
    """Measure and print."""
    print(f"two rounds of {FEATURES} features, ideal mode")
    tenth = min(seconds(people // 10) for _ in range(3))
    whole = min(seconds(people) for _ in range(2))
    print(f"  {people:,} people / {people // 10:,} people: {whole / tenth:.1f}")
    print(f"  peak memory of the process: {peak() / 2**20:.0f} MB")


if __name__ == "__main__":
    run(main)

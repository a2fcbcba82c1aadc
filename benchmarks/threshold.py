"""Rows that k people open against their floor: `python benchmarks/threshold.py [people] [whole]`.

A run of the scenario threshold-census with everything recorded (`whole`: without prefixes), and
beside it the floor: the same number of multiplications on the curve, of hashes to it and of sealed
boxes, bare, in loops over libsodium's bindings on the same threads. For n people, L levels, G
different texts that people seal and O that open, each with k commitments:

    multiplications       n (L blinded, L evaluated, L mixed, 2 proved, 2 L mixed, 3 checked,
                          L unblinded)
    ... of the generator  n (1 proved + 1 checked) + k (G + O)
    hashes to the curve   n L
    boxes                 of every layer, sealed and opened (floor.py)

Prints wall and CPU seconds, and their ratios.
"""

from collections.abc import Callable

from floor import floor, in_threads, operations
from harness import CORES, run, timed
from veilmix.crypto.ristretto import UNIFORM, base_times, element, scalar, times
from veilmix.protocol.ideal import PeopleTable, count_cells
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.protocol.rounds.opened_prefixes import crowds
from veilmix.roles.network.instruments import TranscriptRecorder
from veilmix.roles.session import play
from veilmix.scenarios.lab.play.real import cast_of
from veilmix.scenarios.lab.play.session_plan import SessionPlan
from veilmix.scenarios.lab.validation.load import change, load
from veilmix.scenarios.populations.samples import Samples
from veilmix.scenarios.programs.registry import samples
from veilmix.scenarios.schema.model import Scenario

SEED = 7  # of the people, where not all are asked


def multiplications(scenario: Scenario, crowd: Samples) -> tuple[int, int, int]:
    """Multiplications, those of the generator, and hashes to the curve, in an honest session."""
    people, k = crowd.people, scenario.policy.k
    columns = len(people.values)
    levels = columns if scenario.policy.prefixes else 1
    rows = count_cells(PeopleTable(people.values, people.codes), range(columns))
    ends = range(1, columns + 1) if scenario.policy.prefixes else (columns,)
    texts = [many for prefix, many in crowds(rows).items() if len(prefix) in ends]
    opened = sum(many >= k for many in texts)
    bases = 2 * people.n + k * (len(texts) + opened)
    return people.n * (6 * levels + 5), bases, people.n * levels


def bare(counts: tuple[int, int, int], threads: int) -> None:
    """Multiply and hash so often, on so many threads."""
    factor = scalar(bytes(range(UNIFORM)))
    point = base_times(factor)
    work: tuple[tuple[Callable[[], bytes], int], ...] = (
        (lambda: times(factor, point), counts[0]),
        (lambda: base_times(factor), counts[1]),
        (lambda: element(bytes(UNIFORM)), counts[2]),
    )

    def loop() -> None:
        for operation, many in work:
            for _ in range(many // threads):
                operation()

    in_threads(loop, threads)


def main(people: int = 32_561, rows: str = "prefixes") -> None:
    """Measure and print. rows: `prefixes` or `whole`."""
    prefixes = rows != "whole"
    scenario = change(load("threshold-census"), {"policy.prefixes": prefixes})
    if people < 32_561:
        scenario = change(scenario, {"population.users": people})
    crowd = samples(scenario, SEED)
    cast, recorder = (
        cast_of(SessionPlan.from_scenario(scenario, crowd, {}), None),
        TranscriptRecorder(Transcript.sized(crowd.people.n)),
    )
    whole, board = timed(play, cast, [recorder])
    counts, layers = multiplications(scenario, crowd), operations(board, crowd.people.n)
    curve, _ = timed(bare, counts, CORES)
    boxes, _ = timed(floor, layers, CORES)
    print(f"{crowd.people.n:,} people, {'prefixes' if prefixes else 'whole rows'}; {CORES} threads")
    print(f"  {counts[0]:,} multiplications, {counts[1]:,} of the generator, {counts[2]:,} hashes")
    for name, took in (("run", whole), ("curve", curve), ("boxes", boxes)):
        print(f"  {name:6} {took}")
    wall, cpu = (a / (b + c) for a, b, c in zip(whole, curve, boxes, strict=True))
    print(f"  run / floor: {wall:.2f} wall, {cpu:.2f} CPU")


if __name__ == "__main__":
    run(main)

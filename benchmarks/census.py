"""A real run against its floor: `python benchmarks/census.py [people] [repeats]`.

Both rounds of the census scenario (32,561 people, 4 features, one shuffler) with real onions,
system randomness, everything recorded; beside it the floor (floor.py) on the same threads in the
same process, and the same run without a recorder. Prints wall time and CPU time as ratios, the best
of the repeats, and the most memory that the process and its copies
(roles/compute/forked_workers.py) held at once: their proportional set sizes, of which a page that
several share is counted once, sampled every second.
"""

import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from floor import floor, operations
from veilmix.crypto.entropy import SystemEntropy
from veilmix.protocol.board.board import Board
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.roles.cast import Cast
from veilmix.roles.network.instruments import TranscriptRecorder
from veilmix.roles.session import play
from veilmix.scenarios.lab.play.announcement import announced_policy, announced_rules
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.populations import population
from veilmix.scenarios.programs.curated.rules import decision_rule


def cpu_seconds() -> float:
    """CPU seconds of this process and of its copies that have ended."""
    return sum(os.times()[:4])


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU seconds of one call."""
    wall, cpu = time.perf_counter(), cpu_seconds()
    work()
    return time.perf_counter() - wall, cpu_seconds() - cpu


class Peak(threading.Thread):
    """Samples how much memory this process and its children hold together."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.bytes = 0
        self.every = (
            1.0  # seconds; to look costs some ten milliseconds, and more where more is held
        )

    def run(self) -> None:
        """Sample until the program ends."""
        while True:
            self.bytes = max(self.bytes, sum(map(held, [os.getpid(), *children()])))
            time.sleep(self.every)


def children() -> list[int]:
    """The numbers of this process's children."""
    processes: list[int] = []
    for task in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):  # the thread has ended
            processes += map(int, task.read_text().split())
    return processes


def held(process: int) -> int:
    """Bytes of memory a process holds, shared pages in parts; 0 if it has ended."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return 1024 * next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def main(people: int, repeats: int) -> None:
    """Measure and print."""
    scenario = load("census")
    crowd = population(scenario.population, scenario.feature)
    people = min(people, crowd.n)
    threads = os.cpu_count() or 1
    cast = Cast(
        "benchmark",
        crowd.schema,
        announced_policy(scenario),
        announced_rules(scenario),
        "sealedbox",
        1,
        people,
        crowd.row,
        decision_rule(scenario.policy),
        SystemEntropy(),
    )
    boards: list[Board] = []
    peak = Peak()
    peak.start()
    best: dict[str, tuple[float, float]] = {}

    def keep(name: str, figures: tuple[float, float]) -> None:
        best[name] = min(best.get(name, figures), figures)

    for _ in range(repeats):
        recorder = TranscriptRecorder(Transcript.sized(people))
        keep("run", timed(lambda recorder=recorder: boards.append(play(cast, [recorder]))))  # type: ignore[misc]
        layers = operations(boards[-1], people)
        keep("floor", timed(lambda layers=layers: floor(layers, threads)))  # type: ignore[misc]
        keep("not recorded", timed(lambda: play(cast)))
    print(f"{people:,} people, {sum(n for n, _ in layers):,} layers, {threads} threads")
    for name, (wall, cpu) in best.items():
        print(f"  {name:14} {wall:7.2f} s wall  {cpu:7.2f} s CPU")
    for name, base in (("run", "floor"), ("run", "not recorded")):
        wall, cpu = (a / b for a, b in zip(best[name], best[base], strict=True))
        print(f"  {name} / {base}: {wall:.2f} wall, {cpu:.2f} CPU")
    print(f"  peak memory, copies included: {peak.bytes / 1e6:.0f} MB")


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 32_561,
        int(sys.argv[2]) if len(sys.argv) > 2 else 1,
    )

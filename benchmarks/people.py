"""What more people cost: `python benchmarks/people.py [PEOPLE ...] [--draw FILE]`.

`veilmix run` as it is shipped, for 10,000, 100,000 and 1,000,000 generated people with 4 features,
two rounds and two shufflers: real onions, system randomness, recorded (above 100,000 as a summary),
scored and saved. Before and after each run a share of its floor (floor.py) is timed, the same seals
and opens by libsodium in a bare loop on as many threads, and counted as the whole.

Printed are wall and CPU seconds, run / floor, the most memory that all its processes held at once
(proportional set sizes, of which a page that several share is counted once, sampled), the most that
lay on disk without a name, and cost at 10n / cost at n. --draw draws the last. VEILMIX_ENGINE is
the environment's: `libsodium` to run without the extra `fast`.
"""

import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from census import held, timed
from floor import floor, operations
from scale import cast_of
from veilmix.roles.session import play

SIZES = (10_000, 100_000, 1_000_000)
FEW = 50  # people of the session that tells how large layers are
SHARE = 50_000  # people of a floor that is timed, where the run has more
EVERY = 2.0  # seconds between two looks
SCENARIO = """[scenario]
name = "people"
[population]
source = "builtin:zipf"
users = {people}
[[feature]]
name = "a"
levels = 3
[[feature]]
name = "b"
levels = 4
[[feature]]
name = "c"
levels = 5
[[feature]]
name = "d"
levels = 6
[mix]
shufflers = 2
[policy]
k = 5
max_exposure = 0.05
"""


@dataclass(frozen=True)
class Cost:
    """What a run took.

    Attributes:
        people: so many.
        wall, cpu: seconds of the whole command.
        floor_wall, floor_cpu: seconds of its floor.
        memory, disk: bytes at most.
    """

    people: int
    wall: float
    cpu: float
    floor_wall: float
    floor_cpu: float
    memory: int
    disk: int

    def line(self) -> str:
        """All of it."""
        wall, cpu = self.wall / self.floor_wall, self.cpu / self.floor_cpu
        return (
            f"{self.people:9,} people  {self.wall:7.1f} s wall {self.cpu:7.1f} s CPU"
            f"   run / floor {wall:.2f} wall {cpu:.2f} CPU"
            f"   memory {self.memory / 1e6:5.0f} MB   disk {self.disk / 1e6:5.0f} MB"
        )


def family(process: int) -> list[int]:
    """A process and all that it has started."""
    processes = [process]
    for each in processes:
        with suppress(OSError):
            for task in Path(f"/proc/{each}/task").glob("*/children"):
                processes += map(int, task.read_text().split())
    return processes


def nameless(process: int) -> int:
    """Bytes of files without a name that a process has open."""
    size = 0
    with suppress(OSError):
        for file in Path(f"/proc/{process}/fd").iterdir():
            with suppress(OSError):
                if str(file.readlink()).endswith("(deleted)"):
                    size += file.stat().st_size
    return size


def floor_of(people: int, threads: int) -> tuple[float, float]:
    """Wall and CPU seconds of a run's floor: of a share of it where the run is large."""
    some = min(people, SHARE)
    sizes = operations(play(cast_of(FEW, 4, 2)), some)
    wall, cpu = timed(lambda: floor(sizes, threads))
    return wall * people / some, cpu * people / some


def cost(people: int) -> Cost:
    """Run it once, between two floors."""
    threads = os.cpu_count() or 1
    before = floor_of(people, threads)
    with tempfile.TemporaryDirectory() as place:
        Path(place, "people.toml").write_text(SCENARIO.format(people=people))
        memory = disk = 0
        cpu, wall = os.times(), time.perf_counter()
        command = [sys.executable, "-m", "veilmix", "run", "people.toml"]
        with subprocess.Popen(command, cwd=place, stdout=subprocess.DEVNULL) as running:
            while running.poll() is None:
                memory = max(memory, sum(map(held, family(running.pid))))
                disk = max(disk, nameless(running.pid))
                with suppress(subprocess.TimeoutExpired):
                    running.wait(EVERY if people > SHARE else 0.2)
        if running.returncode:
            sys.exit(f"the run has ended with {running.returncode}")
        took = time.perf_counter() - wall
        spent = sum(os.times()[2:4]) - sum(cpu[2:4])
    after = floor_of(people, threads)
    base = [(a + b) / 2 for a, b in zip(before, after, strict=True)]
    return Cost(people, took, spent, base[0], base[1], memory, disk)


def draw(costs: list[Cost], file: str) -> None:
    """Draw cost a person over people, by the side of the floor."""
    from matplotlib.figure import Figure
    from veilmix.analysis.drawing import house_style

    with house_style():
        figure = Figure(figsize=(6.4, 3.6), layout="constrained")
        axes = figure.subplots()
        people = [measured.people for measured in costs]
        for name, values, marker in (
            ("veilmix run", [measured.cpu / measured.people * 1e3 for measured in costs], "o-"),
            (
                "floor: bare libsodium",
                [measured.floor_cpu / measured.people * 1e3 for measured in costs],
                "s--",
            ),
        ):
            axes.plot(people, values, marker, label=name)
        axes.set_xscale("log")
        axes.set_ylim(0)
        axes.set_xlabel("people")
        axes.set_ylabel("CPU milliseconds a person")
        axes.legend()
        figure.savefig(file, dpi=120)


def main(*given: str) -> None:
    """Measure and print."""
    arguments = list(given)
    file = None
    if "--draw" in arguments:
        at = arguments.index("--draw")
        file = arguments[at + 1]
        del arguments[at : at + 2]
    costs: list[Cost] = []
    for people in [int(argument) for argument in arguments] or SIZES:
        costs.append(cost(people))
        print(costs[-1].line(), flush=True)
    for small, large in pairwise(costs):
        more = large.people / small.people
        print(
            f"cost at {large.people:,} / cost at {small.people:,}: "
            f"{large.cpu / small.cpu:.2f} CPU, {large.wall / small.wall:.2f} wall, "
            f"for {more:g} times the people"
        )
    if file:
        draw(costs, file)


if __name__ == "__main__":
    main(*sys.argv[1:])

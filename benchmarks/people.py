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

import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import mean

from census import FEW
from floor import floor, operations
from harness import CORES, VEILMIX, Took, cpu_seconds, family, held, run, timed
from scale import scale_cast
from sessions import generated
from veilmix.roles.session import play

SIZES = (10_000, 100_000, 1_000_000)
SHARE = 50_000  # people of a floor that is timed, where the run has more
EVERY = 2.0  # seconds between two looks
MIX, POLICY = "[mix]\nshufflers = 2\n", "k = 5\nmax_exposure = 0.05\n"


def scenario(people: int) -> str:
    """The file of a scenario with 4 features and two shufflers."""
    return generated(people, (3, 4, 5, 6), POLICY, MIX)


@dataclass(frozen=True)
class Cost:
    """What a run took.

    Attributes:
        people: so many.
        took, floor: the whole command, and its floor.
        memory, disk: bytes at most.
    """

    people: int
    took: Took
    floor: Took
    memory: int
    disk: int

    def line(self) -> str:
        """All of it."""
        wall, cpu = (ours / bare for ours, bare in zip(self.took, self.floor, strict=True))
        return (
            f"{self.people:9,} people  {self.took}   run / floor {wall:.2f} wall {cpu:.2f} CPU"
            f"   memory {self.memory / 1e6:5.0f} MB   disk {self.disk / 1e6:5.0f} MB"
        )


def nameless(process: int) -> int:
    """Bytes of files without a name that a process has open."""
    size = 0
    with suppress(OSError):
        for file in Path(f"/proc/{process}/fd").iterdir():
            with suppress(OSError):
                if str(file.readlink()).endswith("(deleted)"):
                    size += file.stat().st_size
    return size


def floor_of(people: int) -> Took:
    """Time a run's floor: a share of it where the run is large."""
    some = min(people, SHARE)
    sizes = operations(play(scale_cast(FEW, 4, 2)), some)
    return timed(floor, sizes, CORES)[0].scaled(people / some)


def cost(people: int) -> Cost:
    """Run it once, between two floors."""
    before = floor_of(people)
    with tempfile.TemporaryDirectory() as place:
        Path(place, "people.toml").write_text(scenario(people))
        memory = disk = 0
        cpu, wall = cpu_seconds(), time.perf_counter()
        command = [*VEILMIX, "run", "people.toml"]
        with subprocess.Popen(command, cwd=place, stdout=subprocess.DEVNULL) as running:
            while running.poll() is None:
                memory = max(memory, sum(map(held, family(running.pid))))
                disk = max(disk, nameless(running.pid))
                with suppress(subprocess.TimeoutExpired):
                    running.wait(EVERY if people > SHARE else 0.2)
        if running.returncode:
            sys.exit(f"the run has ended with {running.returncode}")
        took = Took(time.perf_counter() - wall, cpu_seconds() - cpu)
    bare = Took(*map(mean, zip(before, floor_of(people), strict=True)))
    return Cost(people, took, bare, memory, disk)


def draw_costs(costs: list[Cost], file: str) -> None:
    """Draw cost a person over people, by the side of the floor."""
    from matplotlib.figure import Figure
    from veilmix.analysis.drawing import house_style

    with house_style():
        figure = Figure(figsize=(6.4, 3.6), layout="constrained")
        axes = figure.subplots()
        people = [measured.people for measured in costs]
        for name, values, marker in (
            (
                "veilmix run",
                [measured.took.cpu / measured.people * 1e3 for measured in costs],
                "o-",
            ),
            (
                "floor: bare libsodium",
                [measured.floor.cpu / measured.people * 1e3 for measured in costs],
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


def main(*people: int, draw: str = "") -> None:
    """Measure and print."""
    costs: list[Cost] = []
    for size in people or SIZES:
        costs.append(cost(size))
        print(costs[-1].line(), flush=True)
    for small, large in pairwise(costs):
        more = large.people / small.people
        print(
            f"cost at {large.people:,} / cost at {small.people:,}: "
            f"{large.took.cpu / small.took.cpu:.2f} CPU, "
            f"{large.took.wall / small.took.wall:.2f} wall, "
            f"for {more:g} times the people"
        )
    if draw:
        draw_costs(costs, draw)


if __name__ == "__main__":
    run(main)

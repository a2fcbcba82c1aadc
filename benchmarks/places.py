"""Each place of a session of many people: `python benchmarks/places.py [PEOPLE ...]`.

`veilmix run --processes` as it is shipped, for 1,000, 3,000, 10,000, 30,000 and 100,000 generated
people with 4 features, two rounds and two shufflers: every party in a process of its own, over TLS
on this computer; system randomness, registered people, recorded, scored and saved. Linux.

Printed are, by place: CPU seconds (user and system, of the process and of its copies), and the most
memory that its own process held (VmHWM of /proc; it contains what it shares with the others since
they were copied), with what it held when it was copied. `run` is the process that started them,
which records and scores. From one size to the next: the exponent of each, log cost / log people,
which is 1 where cost is proportional to people. Beside them what `veilmix check --people` predicts.

CPU seconds do not count waiting, so they can be compared where other work runs beside; wall time
cannot. The load of the machine at the end of each run is printed.
"""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any

from harness import VEILMIX, peak, peak_of, run, timed
from people import scenario as scenario_text

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)
TICK = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100  # a second
RUN = "run"
WEIGHED = "--weighed"  # what this file is called with to be the measured command


@dataclass(frozen=True)
class PlaceCost:
    """What a place took.

    Attributes:
        cpu: seconds, of its process and its copies.
        held: bytes at most, of its own process.
        shared: bytes that it held when it was copied.
    """

    cpu: float
    held: int
    shared: int


@dataclass(frozen=True)
class SessionCost:
    """What a session took.

    Attributes:
        people: so many.
        wall: seconds of the whole command.
        places: by name.
        predicted: CPU seconds of all, and bytes of the largest shuffler.
    """

    people: int
    wall: float
    places: dict[str, PlaceCost]
    predicted: tuple[float, float]

    @property
    def cpu(self) -> float:
        """CPU seconds of all places."""
        return sum(place.cpu for place in self.places.values())


def processor(pid: int) -> float:
    """CPU seconds of a process and of those that it has waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICK


def weighed(file: str, *command: str) -> None:
    """Be `veilmix`, and write down what each place has taken before it is let go."""
    from veilmix.cli import main
    from veilmix.machines import processes

    costs: dict[str, dict[str, Any]] = {}

    class Weighed(processes._Stage):
        """A stage that weighs each place when it starts, and before it ends."""

        def start(self, name: str) -> None:
            super().start(name)
            costs[name] = {"shared": peak_of(self._processes[name].pid)}

        def kill(self, name: str) -> None:
            pid = self._processes[name].pid
            costs[name] |= {"cpu": processor(pid), "held": peak_of(pid)}
            super().kill(name)

    processes._Stage = Weighed  # type: ignore[misc]
    sys.argv = ["veilmix", *command]
    code: Any = 0
    try:
        code = main()
    except SystemExit as ended:
        code = ended.code
    own = {"cpu": sum(os.times()[:2]), "held": peak(), "shared": 0}
    Path(file).write_text(json.dumps({**costs, RUN: own}), "utf-8")
    sys.exit(code)


def predicted(scenario: Path, people: int) -> tuple[float, float]:
    """CPU seconds of all parties, and bytes of the largest shuffler, as `veilmix check` says."""
    asked = ["check", scenario.name, "--people", str(people), "--format", "json"]
    said = subprocess.run(
        [*VEILMIX, *asked], cwd=scenario.parent, stdout=subprocess.PIPE, check=True
    )
    costs = json.loads(said.stdout)
    seconds = sum(costs[f"{part}_seconds"] for part in ("sealing", "opening", "handling"))
    return seconds, costs["party_memory"]


def cost(people: int) -> SessionCost:
    """Run it once."""
    with tempfile.TemporaryDirectory() as place:
        scenario, file = Path(place, "people.toml"), Path(place, "costs.json")
        scenario.write_text(scenario_text(people), "utf-8")
        command = ["run", scenario.name, "--processes", "--quiet", "--out", "out"]
        took, _ = timed(
            subprocess.run,
            [sys.executable, str(Path(__file__).resolve()), WEIGHED, str(file), *command],
            cwd=place,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        places = {name: PlaceCost(**it) for name, it in json.loads(file.read_text("utf-8")).items()}
        return SessionCost(people, took.wall, places, predicted(scenario, people))


def table(cost: SessionCost) -> str:
    """A session in lines, a place each."""
    lines = [f"{cost.people:,} people: {cost.wall:.1f} s wall, {cost.cpu:.1f} s CPU"]
    lines += [
        f"  {name:12} {place.cpu:8.1f} s CPU  {place.held / 1e6:7.1f} MB, of which it held "
        f"{place.shared / 1e6:.1f} MB when it was copied"
        for name, place in cost.places.items()
    ]
    seconds, held = cost.predicted
    largest = max(place.held for name, place in cost.places.items() if "shuffler" in name)
    lines.append(
        f"  predicted    {seconds:8.1f} s CPU in all (measured / predicted "
        f"{cost.cpu / seconds:.2f}); {held / 1e6:.1f} MB in a shuffler ({largest / held:.2f})"
    )
    lines.append(f"  load of the machine at the end: {os.getloadavg()[0]:.1f}")
    return "\n".join(lines)


def slopes(small: SessionCost, large: SessionCost) -> str:
    """The exponent of each place from one size to the next: 1 is proportional to people."""
    more = log(large.people / small.people)
    lines = [f"{small.people:,} to {large.people:,} people: exponent of CPU, of memory"]
    for name, place in large.places.items():
        before = small.places[name]
        cpu = log(place.cpu / before.cpu) / more if before.cpu else float("nan")
        own, own_before = place.held - place.shared, before.held - before.shared
        held = log(own / own_before) / more if own_before > 0 < own else float("nan")
        bytes_each = (own - own_before) / (large.people - small.people)
        lines.append(f"  {name:12} {cpu:5.2f}  {held:5.2f}  {bytes_each:8,.0f} bytes a person more")
    lines.append(f"  {'all':12} {log(large.cpu / small.cpu) / more:5.2f}")
    return "\n".join(lines)


def main(*sizes: int) -> None:
    """Print a table for each size, and the exponents from one to the next."""
    before: SessionCost | None = None
    for people in sizes or SIZES:
        now = cost(people)
        print(table(now), flush=True)
        if before is not None:
            print(slopes(before, now), flush=True)
        before = now


if __name__ == "__main__":
    if sys.argv[1:2] == [WEIGHED]:
        weighed(*sys.argv[2:])
    else:
        run(main)

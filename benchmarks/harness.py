"""What benchmarks share: their command line, clocks, turns, ratios, and what processes held.

Two things are compared in one run, in turn, first one and then the other first: figures that are
taken at different times mislead, as a machine is faster for a while, or something else runs. A
ratio is the geometric mean of the ratios of the turns, with its 95 % interval (Student's t of their
logarithms). One turn has no interval.
"""

import argparse
import inspect
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from math import exp, inf, log, sqrt
from pathlib import Path
from statistics import mean, stdev
from types import NoneType
from typing import Any, Generic, NamedTuple, TypeVar, get_args, get_type_hints

R = TypeVar("R")
RSS_UNIT = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in bytes
VEILMIX = (sys.executable, "-m", "veilmix")
CORES = os.cpu_count() or 1


def run(main: Callable[..., int | None]) -> None:
    """Call a benchmark with the arguments of the command line, as its parameters name them.

    A keyword is an option: `--long`, `--keep FOLDER`. The machine is named on stderr, and the exit
    code is what the benchmark returns.
    """
    parser = argparse.ArgumentParser(
        description=inspect.getmodule(main).__doc__,  # type: ignore[union-attr]
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    types, parameters = get_type_hints(main), inspect.signature(main).parameters
    for name, parameter in parameters.items():
        kind = next((kind for kind in get_args(types[name]) if kind is not NoneType), types[name])
        more: dict[str, Any] = {"type": kind, "default": parameter.default}
        flag = name
        if parameter.kind is parameter.VAR_POSITIONAL:
            more = {"type": kind, "nargs": "*"}
        elif parameter.kind is parameter.KEYWORD_ONLY:
            flag = f"--{name.replace('_', '-')}"
            more = {"action": "store_true"} if kind is bool else more
        elif parameter.default is not parameter.empty:
            more["nargs"] = "?"
        parser.add_argument(flag, **more)
    given = vars(parser.parse_args())
    print(machine(), file=sys.stderr, flush=True)
    ordered, options = list[Any](), dict[str, Any]()
    for name, parameter in parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY:
            options[name] = given[name]
        else:
            many = parameter.kind is parameter.VAR_POSITIONAL
            ordered += given[name] if many else [given[name]]
    sys.exit(main(*ordered, **options))


def machine() -> str:
    """Return the machine in a line: processor, cores, load, Python."""
    name = platform.processor() or platform.machine()
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        name = next((line.partition(": ")[2] for line in lines if "model name" in line), name)
    load = f"load {os.getloadavg()[0]:.1f}, " if hasattr(os, "getloadavg") else ""
    return f"{name}, {CORES} cores, {load}Python {platform.python_version()}"


class Took(NamedTuple):
    """Seconds of a piece of work.

    Attributes:
        wall: by the wall.
        cpu: of the processor, of this process and of children that it has waited for.
    """

    wall: float
    cpu: float

    def scaled(self, factor: float) -> "Took":
        """Return so many times as much."""
        return Took(self.wall * factor, self.cpu * factor)

    def __str__(self) -> str:
        return f"{self.wall:7.2f} s wall  {self.cpu:7.2f} s CPU"


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of children that it has waited for."""
    return sum(os.times()[:4])


def timed(call: Callable[..., R], *arguments: Any, **options: Any) -> tuple[Took, R]:
    """Call, and return the seconds and the result."""
    wall, cpu = time.perf_counter(), cpu_seconds()
    result = call(*arguments, **options)
    return Took(time.perf_counter() - wall, cpu_seconds() - cpu), result


def best(
    times: int, call: Callable[[], object], clock: Callable[[], float] = time.perf_counter
) -> float:
    """Return the least seconds of several calls."""
    least = inf
    for _ in range(times):
        start = clock()
        call()
        least = min(least, clock() - start)
    return least


class Ratio(NamedTuple):
    """A ratio of paired figures, with its 95 % interval.

    Attributes:
        mean: the geometric mean of the ratios.
        low: the lower end of the interval; nan: of one pair.
        high: the upper end; nan: of one pair.
    """

    mean: float
    low: float
    high: float

    @classmethod
    def paired(cls, figures: Sequence[float], base: Sequence[float]) -> "Ratio":
        """Compute it from figures that were taken in turn."""
        from scipy.stats import t

        logs = [log(a / b) for a, b in zip(figures, base, strict=True)]
        half = float("nan")
        if len(logs) > 1:
            half = float(t.ppf(0.975, len(logs) - 1)) * stdev(logs) / sqrt(len(logs))
        return cls(*map(exp, (mean(logs), mean(logs) - half, mean(logs) + half)))

    def __str__(self) -> str:
        interval = f" ({self.low:.3f} to {self.high:.3f})" if self.low == self.low else ""
        return f"{self.mean:.3f}{interval}"


class Turns(Generic[R]):
    """Calls that were timed in turn, in reversed order every other time.

    Attributes:
        runs: by name of a call, what it took in each turn.
        results: by name, its result in the last turn.
    """

    def __init__(
        self,
        times: int,
        calls: Mapping[str, Callable[[], R]],
        elsewhere: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """elsewhere: the CPU seconds that workers of a cluster have taken so far."""
        self.runs: dict[str, list[Took]] = {name: [] for name in calls}
        self.results: dict[str, R] = {}
        for turn in range(times):
            for name in list(calls)[:: -1 if turn % 2 else 1]:
                before = elsewhere()
                took, self.results[name] = timed(calls[name])
                self.runs[name].append(Took(took.wall, took.cpu + elsewhere() - before))

    def least(self, name: str) -> Took:
        """Return the least seconds of a call, by the wall and of the processor."""
        return Took(*map(min, zip(*self.runs[name], strict=True)))

    def ratio(self, name: str, base: str, clock: str = "wall") -> Ratio:
        """Return how many times as long one call took as another. clock: `wall` or `cpu`."""
        figures = ([getattr(took, clock) for took in self.runs[each]] for each in (name, base))
        return Ratio.paired(*figures)

    def show(self) -> None:
        """Print the least seconds of each call, and the ratios of all to the first."""
        base, *others = self.runs
        for name in self.runs:
            print(f"  {name:14}{self.least(name)}")
        for name in others:
            print(f"  {self.ratios(name, base)}", flush=True)

    def ratios(self, name: str, base: str) -> str:
        """Return both ratios in a line."""
        return (
            f"{name} / {base}: {self.ratio(name, base)} wall, {self.ratio(name, base, 'cpu')} CPU"
        )


def veilmix(*arguments: str, folder: Path) -> None:
    """Run a command in a process of its own, which keeps what it compiles in that folder."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
    command = [*VEILMIX, *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, env=environment)


def peak(children: bool = False) -> int:  # noqa: FBT001
    """Return the most bytes that this process has held, or any child that it has waited for."""
    who = resource.RUSAGE_CHILDREN if children else resource.RUSAGE_SELF
    return resource.getrusage(who).ru_maxrss * RSS_UNIT


def peak_of(process: int) -> int:
    """Return the most bytes that another process has held so far. Linux."""
    return 1024 * _field(Path(f"/proc/{process}/status"), "VmHWM")


def held(process: int) -> int:
    """Return the bytes that a process holds, shared pages in parts; 0 if it has ended. Linux."""
    try:
        return 1024 * _field(Path(f"/proc/{process}/smaps_rollup"), "Pss:")
    except OSError:
        return 0


def _field(file: Path, name: str) -> int:
    lines = file.read_text("utf-8").splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith(name)), 0)


def family(process: int) -> list[int]:
    """Return a process and all that it has started. Linux."""
    processes = [process]
    for each in processes:
        with suppress(OSError):  # it has ended
            for task in Path(f"/proc/{each}/task").glob("*/children"):
                processes += map(int, task.read_text().split())
    return processes

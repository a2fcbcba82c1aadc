"""Two checkouts side by side: `python benchmarks/pairs.py THEN [--turns N] NAME[,ARGUMENT...] ...`.

THEN is another checkout with an environment of its own (`make dev` in it). Each benchmark is run in
that one and in this one in turn, first one and then the other first, as single figures taken at
different times mislead: a machine is faster for a while, or something else runs. Printed are the
least seconds of each side, by the wall and of the processor, and now / then. What both print
themselves is kept with `--keep FOLDER`, a file each. A benchmark that fails ends it.
"""

import argparse
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

HERE = Path(__file__).resolve().parent.parent
SIDES = ("then", "now")


class Took(NamedTuple):
    """What one run took.

    Attributes:
        wall: seconds by the wall.
        processor: seconds of all its processes together.
        output: what it printed.
    """

    wall: float
    processor: float
    output: str


def took(checkout: Path, name: str, arguments: Sequence[str]) -> Took:
    """Run a benchmark of a checkout in its environment, with compiled modules kept."""
    programs = checkout / ".venv" / "bin"
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    command = [str(programs / "python"), str(Path("benchmarks") / f"{name}.py"), *arguments]
    path = f"{programs}{os.pathsep}{kept.get('PATH', '')}"
    before, start = _processor(), perf_counter()
    try:
        done = subprocess.run(
            command,
            cwd=checkout,
            env={**kept, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        sys.exit(f"{programs / 'python'}: not there; `make dev` in {checkout} makes it")
    wall = perf_counter() - start
    if done.returncode:
        sys.exit(f"{checkout}: {' '.join(command[1:])} failed:\n{done.stderr[-2000:]}")
    return Took(wall, _processor() - before, done.stdout)


def _processor() -> float:
    """Seconds of the processor that children have taken so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compared(then: Path, benchmark: str, turns: int, keep: Path | None) -> str:
    """Run a benchmark of both checkouts in turn; gives its line."""
    name, *arguments = benchmark.split(",")
    runs: dict[str, list[Took]] = {side: [] for side in SIDES}
    for turn in range(turns):
        for side in SIDES if turn % 2 == 0 else SIDES[::-1]:
            runs[side].append(took(then if side == "then" else HERE, name, arguments))
    if keep is not None:
        for side, done in runs.items():
            text = "\n".join(run.output for run in done)
            (keep / f"{name}-{side}.txt").write_text(text, "utf-8")
    wall, processor = (
        [min(run[place] for run in runs[side]) for side in SIDES] for place in (0, 1)
    )
    return (
        f"{name:18} {wall[0]:8.2f} {wall[1]:8.2f} {wall[1] / wall[0]:7.2f}   "
        f"{processor[0]:8.2f} {processor[1]:8.2f} {processor[1] / processor[0]:7.2f}"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("then", type=Path, help="another checkout")
    parser.add_argument("benchmarks", nargs="+", metavar="NAME[,ARGUMENT...]")
    parser.add_argument("--turns", type=int, default=3, help="of each pair (3)")
    parser.add_argument("--keep", type=Path, help="the folder for what they print")
    asked = parser.parse_args(arguments)
    if asked.keep is not None:
        asked.keep.mkdir(parents=True, exist_ok=True)
    print(f"least of {asked.turns}, seconds    by the wall               of the processor")
    print("benchmark              then      now now/then       then      now now/then", flush=True)
    for benchmark in asked.benchmarks:
        print(compared(asked.then.resolve(), benchmark, asked.turns, asked.keep), flush=True)


if __name__ == "__main__":
    main()

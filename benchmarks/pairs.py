"""Two checkouts side by side: `python benchmarks/pairs.py THEN [--turns N] NAME[,ARGUMENT...] ...`.

THEN is another checkout with an environment of its own (`make dev` in it). Each benchmark is run in
that one and in this one in turn (harness.py). Printed are the least seconds of each side, by the
wall and of the processor, and now / then. What both printed themselves in the last turn is kept
with `--keep FOLDER`, a file each. A benchmark that fails ends it.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from harness import Turns, run

HERE = Path(__file__).resolve().parent.parent


def printed(checkout: Path, name: str, arguments: Sequence[str]) -> str:
    """Run a benchmark of a checkout in its environment, with compiled modules kept."""
    programs = checkout / ".venv" / "bin"
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    kept["PATH"] = f"{programs}{os.pathsep}{kept.get('PATH', '')}"
    command = [str(programs / "python"), str(Path("benchmarks") / f"{name}.py"), *arguments]
    try:
        done = subprocess.run(
            command, cwd=checkout, env=kept, capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        sys.exit(f"{programs / 'python'}: not there; `make dev` in {checkout} makes it")
    if done.returncode:
        sys.exit(f"{checkout}: {' '.join(command[1:])} failed:\n{done.stderr[-2000:]}")
    return done.stdout


def main(then: Path, *benchmarks: str, turns: int = 3, keep: Path | None = None) -> None:
    """Measure and print."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    for benchmark in benchmarks:
        name, *arguments = benchmark.split(",")
        sides = {"then": then.resolve(), "now": HERE}
        taken = Turns(
            turns, {side: partial(printed, at, name, arguments) for side, at in sides.items()}
        )
        print(f"{name}, least of {turns}")
        taken.show()
        for side, text in taken.results.items() if keep is not None else ():
            (keep / f"{name}-{side}.txt").write_text(text, "utf-8")


if __name__ == "__main__":
    run(main)

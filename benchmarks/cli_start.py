"""How long `veilmix --help` takes, beside an interpreter that does nothing.

    python benchmarks/cli_start.py

Both are started in turn, several times, and the best of each is taken. `--help` has 0.2 s; the exit
code is 1 if it takes longer.
"""

import subprocess
import sys
from collections.abc import Sequence
from functools import partial

from harness import VEILMIX, Turns, run

ROUNDS = 15
LIMIT = 0.2  # seconds
NOTHING = [sys.executable, "-c", "pass"]
COMMANDS = (["--help"], ["--version"], ["run", "--help"], ["new"])


def main() -> int:
    """Print a line per command; give 1 if the first screen takes longer than its limit."""
    seconds = {}
    for command in COMMANDS:
        calls = {
            "nothing": partial(started, NOTHING),
            "ours": partial(started, [*VEILMIX, *command]),
        }
        turns = Turns(ROUNDS, calls)
        ours, nothing = turns.least("ours").wall, turns.least("nothing").wall
        seconds[command[0]] = ours
        what = " ".join(command)
        print(f"veilmix {what:<12} {ours * 1000:5.0f} ms   {ours / nothing:5.2f} x python -c pass")
    return int(seconds["--help"] > LIMIT)


def started(line: Sequence[str]) -> None:
    """Wait until a process has ended."""
    subprocess.run(line, stdout=subprocess.DEVNULL, check=True)


if __name__ == "__main__":
    run(main)

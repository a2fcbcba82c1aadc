"""How long `veilmix --help` takes, beside an interpreter that does nothing.

    python benchmarks/cli_start.py

Both are started in turn, several times, and the best of each is taken. `--help` has 0.2 s; the exit
code is 1 if it takes longer.
"""

import subprocess
import sys
from time import perf_counter

ROUNDS = 15
LIMIT = 0.2  # seconds
NOTHING = [sys.executable, "-c", "pass"]
COMMANDS = (["--help"], ["--version"], ["run", "--help"], ["new"])


def main() -> int:
    """Print a line per command; give 1 if the first screen takes longer than its limit."""
    seconds = {}
    for command in COMMANDS:
        line = [sys.executable, "-m", "veilmix", *command]
        nothing = ours = float("inf")
        for _ in range(ROUNDS):
            nothing = min(nothing, timed(NOTHING))
            ours = min(ours, timed(line))
        seconds[command[0]] = ours
        what = " ".join(command)
        print(f"veilmix {what:<12} {ours * 1000:5.0f} ms   {ours / nothing:5.2f} x python -c pass")
    return int(seconds["--help"] > LIMIT)


def timed(line: list[str]) -> float:
    """Seconds until a process has ended."""
    begun = perf_counter()
    subprocess.run(line, stdout=subprocess.DEVNULL, check=True)
    return perf_counter() - begun


if __name__ == "__main__":
    sys.exit(main())

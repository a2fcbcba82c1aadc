"""Peak memory of a run with a verified mix: `python benchmarks/verified_memory.py [PEOPLE ...]`.

For each number of people `veilmix run` plays two rounds with three questions and two shufflers, in
a process of its own. Printed is its processor time, the most that it held, and the bytes for each
ciphertext of round 1 more than at the size before. All parties are in the process: each list of the
board stands there once. Linux or macOS.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from harness import RSS_UNIT, VEILMIX, run

QUESTIONS = 3
SCENARIO = """\
[scenario]
name = "memory"
seed = 1
[population]
source = "builtin:blood-type"
users = {people}
[mix]
kind = "verified"
shufflers = 2
[policy]
k = 5
max_exposure = 0.2
"""
SIZES = (300, 1_000, 3_000)


def measured(people: int) -> tuple[int, float]:
    """Return the most memory that a run held, in bytes, and its processor time, in seconds."""
    with TemporaryDirectory() as folder:
        Path(folder, "memory.toml").write_text(SCENARIO.format(people=people), "utf-8")
        line = [*VEILMIX, "run", "memory.toml", "--quiet"]
        started = subprocess.Popen(line, cwd=folder, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode:
        sys.exit(f"veilmix run ended with {started.returncode}")
    return used.ru_maxrss * RSS_UNIT, used.ru_utime + used.ru_stime


def main(*sizes: int) -> None:
    """Print a line for each size."""
    print("people  ciphertexts of round 1   processor       peak   bytes for each ciphertext more")
    before = 0, 0
    for people in sizes or SIZES:
        ciphertexts, (held, seconds) = people * QUESTIONS, measured(people)
        line = f"{people:6,} {ciphertexts:23,} {seconds:9.0f} s {held / 1e6:7.0f} MB"
        more = ciphertexts - before[0]
        print(f"{line} {(held - before[1]) / more:32,.0f}" if before[0] and more else line)
        before = ciphertexts, held


if __name__ == "__main__":
    run(main)

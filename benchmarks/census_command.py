"""What a user waits for: `python benchmarks/census_command.py [repeats = 2]`.

`veilmix run census` as it is shipped, from typing it to its last line: 32,561 people, two
shufflers, everything recorded, scored, explained and saved. In each repeat, in turn: that command;
the same with registered people, and with tokens; and the floor (floor.py), a bare loop of the
command's own seals and opens on as many threads. The best of the repeats counts: by the wall, and
of the processor. Before all of it the command is played once by few people, who compile it, as
installing it or typing it once does.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from census import timed
from floor import floor, operations
from guards import census
from own_table import took
from veilmix.roles.session import play
from veilmix.scenarios.validation.load import load, source

PEOPLE = 32_561
FEW = 50  # people of the session that tells how large layers are
GUARDS = {
    "run": "",
    "registered": "\n[defence]\nregistered = true\n",
    "tokens": "\n[defence]\nregistered = true\ntokens = true\n",
}
AGAINST = (("run", "floor"), ("registered", "run"), ("tokens", "registered"), ("tokens", "run"))


def layers() -> list[tuple[int, int]]:
    """How many layers of which sizes the command seals."""
    board = play(replace(census(FEW), shufflers=load("census").mix.shufflers))
    return operations(board, PEOPLE)


def main(repeats: int) -> None:
    """Measure and print."""
    sizes, threads = layers(), os.cpu_count() or 1
    best = dict[str, tuple[float, float]]()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name, guards in GUARDS.items():
            (folder / f"{name}.toml").write_text(source("census") + guards)
        works: dict[str, Callable[[], tuple[float, float]]] = {
            "floor": lambda: timed(lambda: floor(sizes, threads))
        }
        for name in GUARDS:
            works[name] = lambda name=name: took(["run", f"{name}.toml"], folder)  # type: ignore[misc]
        few = source("census").replace('"builtin:census"', f'"builtin:census"\nusers = {FEW}')
        (folder / "few.toml").write_text(few.partition("[expect]")[0] + GUARDS["tokens"])
        took(["run", "few.toml"], folder)
        for _ in range(repeats):
            for name, work in works.items():
                figures = work()
                best[name] = min(best.get(name, figures), figures)
    print(f"{PEOPLE:,} people, {sum(n for n, _ in sizes):,} layers, {threads} cores")
    for name, (wall, cpu) in best.items():
        print(f"  {name:12}{wall:7.2f} s wall  {cpu:7.2f} s CPU")
    for name, base in AGAINST:
        wall, cpu = (a / b for a, b in zip(best[name], best[base], strict=True))
        print(f"  {name} / {base}: {wall:.2f} wall, {cpu:.2f} CPU")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)

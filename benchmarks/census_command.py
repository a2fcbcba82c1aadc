"""What a user waits for: `python benchmarks/census_command.py [repeats = 2]`.

`veilmix run census` as it is shipped, from typing it to its last line: 32,561 people, two
shufflers, everything recorded, scored, explained and saved. In each repeat, in turn: the floor
(floor.py), a bare loop of the command's own seals and opens on as many threads; that command; the
floor again; the command without registered people, and with tokens. The floor is that of the
command without these guards; `default` is held against it: at most 1.2 times, with `make fast`. A
processor that has rested is faster for a while, by 6 % where this was written, so the command is
held against the mean of the floors around it. The best of the repeats counts: by the wall, and of
the processor. Before all of it the command is played once by few people, who compile it, as
installing it or typing it once does.
"""

import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from census import timed
from floor import floor, operations
from guards import census
from own_table import took
from veilmix.roles.session import play
from veilmix.scenarios.lab.validation.gallery import source
from veilmix.scenarios.lab.validation.load import load

PEOPLE = 32_561
FEW = 50  # people of the session that tells how large layers are
GUARDS = {
    "default": "",
    "run": "\n[defence]\nregistered = false\n",
    "tokens": "\n[defence]\nregistered = true\ntokens = true\n",
}  # `default` has registered people, and `run` neither guard
AGAINST = (("default", "run"), ("tokens", "default"), ("tokens", "run"))
Took = tuple[float, float]  # seconds by the wall, and of the processor


def layers() -> list[tuple[int, int]]:
    """How many layers of which sizes the command seals."""
    board = play(replace(census(FEW), shufflers=load("census").mix.shufflers))
    return operations(board, PEOPLE)


def main(repeats: int) -> None:
    """Measure and print."""
    sizes, threads = layers(), os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name, guards in GUARDS.items():
            (folder / f"{name}.toml").write_text(source("census") + guards)
        few = source("census").replace('"builtin:census"', f'"builtin:census"\nusers = {FEW}')
        (folder / "few.toml").write_text(few.partition("[expect]")[0] + GUARDS["tokens"])
        took(["run", "few.toml"], folder)
        floors, runs = list[Took](), list[dict[str, Took]]()
        for _ in range(repeats):
            before = timed(lambda: floor(sizes, threads))
            default = took(["run", "default.toml"], folder)
            floors.append(mean(before, timed(lambda: floor(sizes, threads))))
            others = {
                name: took(["run", f"{name}.toml"], folder) for name in GUARDS if GUARDS[name]
            }
            runs.append({"default": default, **others})
    print(f"{PEOPLE:,} people, {sum(n for n, _ in sizes):,} layers, {threads} cores")
    for bare, each in zip(floors, runs, strict=True):
        for name, (wall, cpu) in {"floor": bare, **each}.items():
            print(f"  {name:12}{wall:7.2f} s wall  {cpu:7.2f} s CPU")
    for name in GUARDS:
        pairs = zip(floors, runs, strict=True)
        told(f"{name} / floor", [ratio(each[name], bare) for bare, each in pairs])
    for name, base in AGAINST:
        told(f"{name} / {base}", [ratio(each[name], each[base]) for each in runs])


def mean(before: Took, after: Took) -> Took:
    """Half of both."""
    return (before[0] + after[0]) / 2, (before[1] + after[1]) / 2


def ratio(work: Took, base: Took) -> Took:
    """How many times as long one took."""
    return work[0] / base[0], work[1] / base[1]


def told(what: str, ratios: list[Took]) -> None:
    """Print the best of the repeats, and the worst."""
    for at, kind in enumerate(("wall", "CPU")):
        best, worst = (choose(each[at] for each in ratios) for choose in (min, max))
        print(f"  {what}: {best:.2f} (to {worst:.2f}) {kind}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)

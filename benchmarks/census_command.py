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

import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import mean

from census import FEW
from floor import floor, operations
from harness import CORES, Ratio, Took, run, timed, veilmix
from sessions import census
from veilmix.roles.session import play
from veilmix.scenarios.lab.validation.gallery import source
from veilmix.scenarios.lab.validation.load import load

PEOPLE = 32_561
GUARDS = {
    "default": "",
    "run": "\n[defence]\nregistered = false\n",
    "tokens": "\n[defence]\nregistered = true\ntokens = true\n",
}  # `default` has registered people, and `run` neither guard
AGAINST = (("default", "run"), ("tokens", "default"), ("tokens", "run"))


def layers() -> list[tuple[int, int]]:
    """How many layers of which sizes the command seals."""
    board = play(replace(census(FEW), shufflers=load("census").mix.shufflers))
    return operations(board, PEOPLE)


def main(repeats: int = 2) -> None:
    """Measure and print."""
    sizes, runs = layers(), list[dict[str, Took]]()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for name, guards in GUARDS.items():
            (folder / f"{name}.toml").write_text(source("census") + guards)
        few = source("census").replace('"builtin:census"', f'"builtin:census"\nusers = {FEW}')
        (folder / "few.toml").write_text(few.partition("[expect]")[0] + GUARDS["tokens"])
        command = partial(veilmix, "run", folder=folder)
        command("few.toml")
        for _ in range(repeats):
            before, _ = timed(floor, sizes, CORES)
            default, _ = timed(command, "default.toml")
            after, _ = timed(floor, sizes, CORES)
            bare = Took(*map(mean, zip(before, after, strict=True)))
            others = {name: timed(command, f"{name}.toml")[0] for name in GUARDS if GUARDS[name]}
            runs.append({"floor": bare, "default": default, **others})
    print(f"{PEOPLE:,} people, {sum(n for n, _ in sizes):,} layers, {CORES} cores")
    for each in runs:
        for name, took in each.items():
            print(f"  {name:12}{took}")
    for name, base in (*((name, "floor") for name in GUARDS), *AGAINST):
        for clock in ("wall", "cpu"):
            own, other = ([getattr(each[side], clock) for each in runs] for side in (name, base))
            least = min(a / b for a, b in zip(own, other, strict=True))
            print(f"  {name} / {base}: {least:.2f} at least, {Ratio.paired(own, other)} {clock}")


if __name__ == "__main__":
    run(main)

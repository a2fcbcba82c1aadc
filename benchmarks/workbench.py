"""What a user of `veilmix open` waits for, step by step: `python benchmarks/workbench.py`.

30,000 patients x 12 (`veilmix new --table`), with the roles that are guessed (8 columns known) and
with those of a steward (3 known). Of each act stand the seconds until the page shows the first
answer of each step, and until nothing is left to do: the search goes on after its first look, and
the result is worked out while the choices are read. Seconds are real ones, of one run, with the
state encoded for the browser, and without the browser's own time; the second number is processor
time, which other programs of the machine do not lengthen. The released rows and the measures are
the first answer of the result; the score and the files follow. The first act has the time in which
Python imports what the steps need. Every step's limit is 1 s, after the first act.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import msgspec
import trio
from harness import Took, run
from veilmix.cli import main
from veilmix.cli.commands.open import words
from veilmix.workbench.desk import Desk
from veilmix.workbench.files import OwnFiles
from veilmix.workbench.options import STEPS

ENDS = (*STEPS, "all")
ROLES = {
    **dict.fromkeys(("sex", "age", "zip"), "quasi"),
    "diagnosis": "sensitive",
    **dict.fromkeys(("admitted", "ward", "insurance", "weight", "smoker", "allergy"), "other"),
}


async def waited(desk: Desk, act: Callable[[], None]) -> dict[str, Took]:
    """Do an act; return the seconds until each step is shown, and until the work is done.

    Seconds are real ones, and of the processor.
    """
    start, processor = perf_counter(), process_time()
    shown = dict[str, Took]()

    def since() -> Took:
        return Took(perf_counter() - start, process_time() - processor)

    act()
    while True:
        state: Any = msgspec.json.decode(msgspec.json.encode(desk.state()))
        for step in STEPS:
            done = state[step]["status"] in ("ready", "blocked", "error")
            if done or (state[step].get("after") and not state[step]["stale"]):
                shown.setdefault(step, since())
            elif not state[step]["stale"]:
                shown.pop(step, None)
        if state["work"] is None and all(state[step]["status"] != "working" for step in STEPS):
            return {**shown, "all": since()}
        await desk.news(desk.version)


def line(act: str, seconds: dict[str, Took]) -> None:
    """Print the seconds of an act, real ones and of the processor."""
    ends = (seconds.get(name, Took(0.0, 0.0)) for name in ENDS)
    print(act.ljust(34), *(f"{real:7.2f} {processor:4.2f}" for real, processor in ends))


async def session(path: Path, folder: Path) -> None:
    """Go through the steps as a steward does."""
    desk = Desk(words(), OwnFiles(folder), print, "en")

    def change(**wanted: Any) -> Callable[[], None]:
        return lambda: desk.change(desk.revision, wanted)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(desk.work)
        acts: list[tuple[str, Callable[[], None]]] = [
            ("the first file, roles guessed", lambda: desk.open(path, str(path))),
            ("the file again", lambda: desk.open(path, str(path))),
            ("guessed roles: k = 11", change(k=11)),
            ("-1 is missing", change(missing_text=["-1"])),
            ("one role", change(roles={"weight": "other"})),
            ("a steward's roles", change(roles=ROLES)),
            ("at most 2 % of the rows out", change(suppress=0.02)),
            ("l = 3", change(l={"diagnosis": 3})),
            ("back to no l", change(l={})),
        ]
        for act, do in acts:
            line(act, await waited(desk, do))
        points = desk.state()["choices"]["points"]
        other = next(point for point in points if not point["chosen"] and not point["over"])
        line("another point", await waited(desk, change(levels=other["levels"])))
        line("back to the advised point", await waited(desk, change(levels=None)))
        nursery.cancel_scope.cancel()


def measure() -> None:
    """Make the table, and go through the steps."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table = folder / "patients.csv"
        main(["new", "--table", str(table)])
        print("seconds until".ljust(34), *(step.rjust(12) for step in ENDS))
        trio.run(session, table, folder)


if __name__ == "__main__":
    run(measure)

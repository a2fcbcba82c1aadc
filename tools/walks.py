"""Follow a scenario, and a session that is scored, through the rooms of a run; count the stays.

    python tools/walks.py [SCENARIO] [--list] [--deep N]

`veilmix run SCENARIO` is played (default: titanic) with a profiler. An entry is the first call of a
function of the package in which a parameter is the object itself, `self` included; an object that
only holds it as an attribute does not count. A room is the folder of the function, at most N deep
(default: 2). A stay is a longest sequence of entries in one room, by time; a return is a stay in a
room of an earlier stay. There are two walks, both from the first entry of a scenario in the
command, so without its loading:

    scenario    a `Scenario`
    session     the `Session` that is scored, and the `Outcome` that scoring makes of it

`--list` prints the functions of each stay.
"""

import argparse
import io
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from inspect import CO_VARARGS, CO_VARKEYWORDS
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType

import veilmix
from veilmix import Outcome
from veilmix.cli import main as command
from veilmix.scenarios.programs.interface import Session
from veilmix.scenarios.schema.model import Scenario

ROOT = os.path.realpath(Path(str(veilmix.__file__)).parent) + os.sep
WALKS: Mapping[str, tuple[type, ...]] = {"scenario": (Scenario,), "session": (Session, Outcome)}
COMMAND = "cli/commands/"
Stay = tuple[str, list[str]]  # a room, and the functions entered there


@dataclass(slots=True)
class Watcher:
    """A profiler that keeps the entries of each walk.

    Attributes:
        entries: walk -> "file: function", in the order of the first calls.
        parameters: code -> the names of its parameters; () outside the package.
    """

    entries: dict[str, dict[str, None]] = field(
        default_factory=lambda: {walk: {} for walk in WALKS}
    )
    parameters: dict[CodeType, tuple[str, ...]] = field(default_factory=dict)

    def __call__(self, frame: FrameType, event: str, _argument: object) -> None:
        """Look at the parameters of a call."""
        if event != "call":
            return
        code = frame.f_code
        names = self.parameters.get(code)
        if names is None:
            names = self.parameters[code] = parameters(code)
        if names:
            arguments = [frame.f_locals.get(name) for name in names]
            for walk, types in WALKS.items():
                if any(is_handed(argument, types) for argument in arguments):
                    path = os.path.realpath(code.co_filename)[len(ROOT) :].replace(os.sep, "/")
                    self.entries[walk].setdefault(f"{path}: {code.co_qualname}")


def parameters(code: CodeType) -> tuple[str, ...]:
    """Return the names of the parameters of a function; () outside the package.

    A generated method, such as a record's `__init__`, is outside: its file is no path.
    """
    path = Path(code.co_filename)
    if not (path.is_absolute() and os.path.realpath(path).startswith(ROOT)):
        return ()
    stars = bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + stars]


def is_handed(argument: object, types: tuple[type, ...]) -> bool:
    """Whether an argument, or one of a function's further arguments, is of these types."""
    if isinstance(argument, tuple):
        return any(isinstance(each, types) for each in argument)
    return isinstance(argument, types)


def stays(entries: Iterable[str], deep: int) -> list[Stay]:
    """Return the stays of a walk."""

    def room(entry: str) -> str:
        return "/".join(entry.partition(":")[0].split("/")[:-1][:deep]) or "(root)"

    return [(name, list(functions)) for name, functions in groupby(entries, room)]


def returns(walk: list[Stay]) -> int:
    """Return the number of stays in a room of an earlier stay."""
    return len(walk) - len({room for room, _ in walk})


def watch(scenario: str) -> dict[str, list[str]]:
    """Run a scenario by the command; return the entries of each walk, without the loading."""
    watcher = Watcher()
    with TemporaryDirectory() as folder, redirect_stdout(io.StringIO()):
        threading.setprofile(watcher)
        sys.setprofile(watcher)
        try:
            command(["run", scenario, "--out", str(Path(folder) / "run")])
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    entries = {walk: list(found) for walk, found in watcher.entries.items()}
    start = next(at for at, entry in enumerate(entries["scenario"]) if entry.startswith(COMMAND))
    entries["scenario"] = entries["scenario"][start:]
    return entries


def report(entries: Mapping[str, list[str]], deep: int, *, every: bool) -> Iterator[str]:
    """Yield a line per walk; with `every` the functions of each of its stays, too."""
    for name, found in entries.items():
        walk = stays(found, deep)
        rooms = len({room for room, _ in walk})
        yield f"{name}: {len(walk)} stays in {rooms} rooms, {returns(walk)} returns"
        if every:
            for room, functions in walk:
                yield f"    {room}"
                yield from (f"        {function}" for function in functions)


def main(arguments: list[str] | None = None) -> int:
    """Print the walks of a run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("scenario", nargs="?", default="titanic")
    parser.add_argument("--list", action="store_true", help="the functions of each stay")
    parser.add_argument("--deep", type=int, default=2, help="folders of a room's path, at most")
    asked = parser.parse_args(arguments)
    for line in report(watch(asked.scenario), asked.deep, every=asked.list):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())

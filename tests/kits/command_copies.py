"""A line for every command, played in copies of one process that has imported the libraries.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml). A copy can close its
streams, or change what the system gives, and no other copy notices.
"""

import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

# command -> its arguments, and its exit code; RUN is a run folder
LINES = {
    "new": ("", 0),
    "check": ("blood-type", 0),
    "run": ("blood-type --mode ideal --worst-case 0 --no-save", 0),
    "show": ("RUN --as curator", 0),
    "theatre": ("RUN --out page.html", 0),
    "leak": ("RUN", 0),
    "sweep": ("blood-type --set policy.k=2 --mode ideal --executor thread --no-figure --out s", 0),
    "attack": ("blood-type --seed 7 --attacks drop --defences receipts --repeats 1 --no-save", 0),
    "compare": ("blood-type --programs trusted --no-save", 0),
    "verify": ("RUN --no-replay", 0),
    "keys": ("ada", 0),
    "serve": ("board none.toml --key none.key.toml", 2),
    "answer": ("hall none.toml --key none.key.toml --from t.csv", 2),
    "poll": ("--demo --people 5 --wait 1 --port 0 --no-save", 3),
    "lesson": ("", 0),
    "status": ("https://127.0.0.1:1", 2),
    "observe": ("none.toml --save posts", 2),
    "score": ("t.csv --k 2", 0),
    "advise": ("t.csv --k 2 --steps 9", 0),
    "counts": ("t.csv a,b --k 2", 0),
    "open": ("--replay none.toml", 2),
    "worst": ("t.csv --k 2 --nodes 1 --rounds 1", 0),
    "report": ("RUN --out page.html", 0),
    "reproduce": ("", 0),
    "doctor": ("", 0),
}
ROWS = "a,b\n" + "x,y\nz,w\n" * 5  # of t.csv
# What is typed once before there are copies: it imports most libraries.
FIRST = ("run blood-type --mode ideal --worst-case 0 --no-save", "score t.csv --k 2")
# `before` is run in each copy. Streams are paths, or closed (-). File 9 takes the exit code.
PLAY = """
import os, sys
from veilmix.cli import main
before, first = sys.argv[1], sys.argv[2:]
kept = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
for line in first:
    main(line.split())
os.dup2(kept, 1)
for number, line in enumerate(sys.stdin.read().splitlines()):
    out, err, *command = line.split()
    if (child := os.fork()) == 0:
        os.mkdir(f"{number}")
        os.chdir(f"{number}")
        os.symlink("../t.csv", "t.csv")
        os.dup2(os.open("code", os.O_WRONLY | os.O_CREAT), 9)
        for descriptor, path in ((1, out), (2, err)):
            if path == "-":
                os.close(descriptor)
            else:
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), descriptor)
        if out == "-":
            sys.stdout = None
        if err == "-":
            sys.stderr = None
        exec(before)
        sys.argv = ["veilmix", *command]
        os.write(9, f"{main()}".encode())
        os._exit(0)
    os.waitpid(child, 0)
"""


@dataclass(frozen=True)
class Played:
    """A line that was played, and what it left.

    Attributes:
        line: the command and its arguments.
        folder: in which it ran: with the files `out` and `err`, if streams were so named.
    """

    line: str
    folder: Path

    @property
    def code(self) -> int | None:
        """The exit code; None if the copy ended without one."""
        text = (self.folder / "code").read_text()
        return int(text) if text else None

    @property
    def err(self) -> str:
        """The text of standard error."""
        return (self.folder / "err").read_text()


def play(
    lines: Iterable[str], place: Path, streams: str = "out err", before: str = ""
) -> list[Played]:
    """Play lines in folders of their own. before: Python code that each copy runs first."""
    (place / "t.csv").write_text(ROWS, "utf-8")
    listed = list(lines)
    done = subprocess.run(
        [sys.executable, "-c", PLAY, before, *FIRST],
        input="".join(f"{streams} {line}\n" for line in listed),
        cwd=place, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == ""
    return [Played(line, place / str(number)) for number, line in enumerate(listed)]


def every_command(run: Path) -> dict[str, int]:
    """A line for every command, with its exit code. run: a run folder."""
    return {
        f"{name} {words.replace('RUN', str(run))}": code for name, (words, code) in LINES.items()
    }

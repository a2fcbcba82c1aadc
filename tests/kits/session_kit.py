"""Sessions whose places are processes that a test starts as a user does, over TLS on the loopback.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

import json
import math
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import Any

from veilmix.scenarios.records.identity_files import create, read_identity
from veilmix.scenarios.records.people_keys import create_people

PARTIES = ("board", "shuffler-1", "shuffler-2", "curator", "analyst")

HEAD = """title = "canteen"
[[feature]]
name = "meal"
values = ["meat", "fish", "plants"]
[[feature]]
name = "day"
values = ["Monday", "Friday"]
[policy]
k = 3
max_exposure = 0.05
"""
ROWS = [("meat", "Monday"), ("plants", "Friday")] * 10
RELEASED = "meal,count\nmeat,10\nplants,10\n"

# What a place runs, where something of it is not as it should be: `before` is done first.
CHANGED = """
import sys
exec(sys.argv.pop(1))
from veilmix.cli import main
sys.exit(main())
"""
CLOCK = "import time; real = time.time; time.time = lambda: real() + {}"  # ahead, in seconds


# Systems give connections ports from 32,768 on. What listens later, or again, must not be among
# them, or any connection on the machine may have its port by then. Each worker has a range.
LOWEST_PORT, PORTS = 12_000, 2_000


def _candidates() -> Iterator[int]:
    """The ports of this worker again and again, from any of them on."""
    worker = int(re.sub(r"\D", "", os.environ.get("PYTEST_XDIST_WORKER", "")) or 0)
    lowest, start = LOWEST_PORT + PORTS * (worker % 10), os.getpid() % PORTS
    return (lowest + at % PORTS for at in count(start))


CANDIDATES = _candidates()


def free_ports(many: int) -> list[int]:
    """Ports that nobody uses, and that the system gives to nobody who does not ask for them."""
    return list(islice(filter(_free, CANDIDATES), many))


def _free(port: int) -> bool:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


@dataclass
class Hall:
    """People who answer from one place: users from first to last, with their rows."""

    first: int
    rows: Sequence[Sequence[str]]
    listens: bool = False

    @property
    def last(self) -> int:
        """The number of its last person."""
        return self.first + len(self.rows) - 1


@dataclass
class Session:
    """A session in a folder: its file, its identities, and the processes that play it.

    started: starts a process (conftest.py). patience: how slow the machine is. more: text of the
    session file, before its places. head: what is asked.
    """

    folder: Path
    started: Callable[..., Any]
    patience: float
    deadline: float = 4
    more: str = ""
    head: str = HEAD
    halls: Mapping[str, Hall] = field(default_factory=lambda: {"hall": Hall(1, ROWS)})
    processes: dict[str, subprocess.Popen[str]] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        listening = [*PARTIES, *(name for name, hall in self.halls.items() if hall.listens)]
        self.ports.update(zip(listening, free_ports(len(listening)), strict=True))
        for name in (*PARTIES, *self.halls):
            secret, _ = create(self.folder, name)
            if "registered = true" in self.more and name in self.halls:
                create_people(self.folder, read_identity(secret), len(self.halls[name].rows))
        mix = "" if "[mix]" in self.more else "[mix]\nmin_batch = 10\n"
        text = f"{self.head}{mix}{self.more}".replace(
            "[mix]\n", f"[mix]\ndeadline = {self.seconds}\n"
        )
        for name in (*PARTIES, *self.halls):
            text += f'\n[place.{name}]\nidentity = "{name}.pub.toml"\n'
            if name in self.ports:
                text += f'address = "127.0.0.1:{self.ports[name]}"\n'
            if name in self.halls:
                text += f"users = [{self.halls[name].first}, {self.halls[name].last}]\n"
            if (self.folder / f"{name}.people.toml").exists():
                text += f'people = "{name}.people.toml"\n'
        self.path.write_text(text)
        columns = re.findall(r'^name = "(.*)"', self.head, re.MULTILINE)
        for name, hall in self.halls.items():
            rows = [",".join(row) for row in [columns, *hall.rows]]
            (self.folder / f"{name}.csv").write_text("\n".join(rows) + "\n")

    @property
    def seconds(self) -> int:
        """The deadline, on this machine."""
        return math.ceil(self.deadline * self.patience)

    @property
    def path(self) -> Path:
        """The session file."""
        return self.folder / "session.toml"

    @property
    def url(self) -> str:
        """Of the board."""
        return f"https://127.0.0.1:{self.ports['board']}"

    def typed(self, place: str, *options: str) -> list[str]:
        """What somebody types to be a place, after `veilmix`."""
        key = ("--key", f"{place}.key.toml", "--log", "json")
        if place in self.halls:
            return ["answer", place, self.path.name, *key, "--from", f"{place}.csv", *options]
        linger = ("--linger", "3") if place == "board" else ()
        return ["serve", place, self.path.name, *key, *linger, *options]

    def start(self, place: str, *options: str, before: str = "", limit: int = 0) -> None:
        """Start a place. before: what its process does first. limit: bytes of a file it writes.

        What it says goes to PLACE.out and PLACE.log, after what is there.
        """
        how = ("-c", CHANGED, before) if before else ("-m", "veilmix")
        runs = [sys.executable, *how]
        if limit:
            runs = ["bash", "-c", f'ulimit -f {limit // 1024}; exec "$@"', "bash", *runs]
        with (
            (self.folder / f"{place}.out").open("a") as out,
            (self.folder / f"{place}.log").open("a") as log,
        ):
            self.processes[place] = self.started(
                *runs, *self.typed(place, *options), cwd=self.folder, stdout=out, stderr=log
            )

    def start_all(
        self, *options: str, before: Mapping[str, str] | None = None, pause: float = 0
    ) -> None:
        """Start all places, the curator when all others have been ready for some seconds."""
        first = [*self.halls, *(name for name in PARTIES if name != "curator")]
        done = before or {}
        for name in first:
            self.start(name, *options, before=done.get(name, ""))
        for name in first:
            self.heard(name, "ready")
        time.sleep(pause)
        self.start("curator", *options, before=done.get("curator", ""))

    def log(self, place: str) -> list[dict[str, Any]]:
        """What a place has told so far, line by line."""
        text = (self.folder / f"{place}.log").read_text()
        lines = [line for line in text.splitlines(keepends=True) if line.endswith("\n")]
        return [json.loads(line) for line in lines if line.startswith("{")]

    def heard(self, place: str, event: str, detail: str = "", seconds: float = 60) -> None:
        """Wait until a place tells of something."""
        until = time.monotonic() + seconds * self.patience
        while not any(
            entry["event"] == event and detail in entry["detail"] for entry in self.log(place)
        ):
            assert time.monotonic() < until, self.said(place)
            if self.processes[place].poll() is not None and time.monotonic() < until - 1:
                until = time.monotonic() + 1
            time.sleep(0.05)

    def ended(self, place: str, seconds: float = 120) -> int:
        """Wait until a place has ended; gives its exit code."""
        return self.processes[place].wait(seconds * self.patience)

    def kill(self, place: str) -> None:
        """End a place at once."""
        self.processes[place].kill()
        self.processes[place].wait()

    def out(self, place: str) -> str:
        """What a place has printed."""
        return (self.folder / f"{place}.out").read_text()

    def said(self, place: str) -> str:
        """What a place has told, as it stands."""
        return (self.folder / f"{place}.log").read_text()

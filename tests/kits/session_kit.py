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
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from typing import Any

from veilmix.scenarios.deployment.people_keys import create_people
from veilmix.scenarios.records.identity_files import create, read_identity

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
LONG = 3_600  # seconds: the deadline of a collection, which comes when all places are idle
KITS = str(Path(__file__).parent)
DRIVEN = f"import sys; sys.path.append({KITS!r}); import driven_place\n"
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
    return list(islice(filter(port_is_free, CANDIDATES), many))


def port_is_free(port: int) -> bool:
    """Whether nobody listens at a port."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True


def left(folder: Path, places: Collection[str], ahead: float) -> float:
    """Seconds to the next deadline of these places, if all are idle and it is to come; else 0."""
    files = {name: folder / f"{name}.stands" for name in (*places, "board")}
    if not all(file.exists() for file in files.values()):
        return 0.0
    stands = {name: json.loads(file.read_text()) for name, file in files.items()}
    entries = stands.pop("board")["entries"]
    on_the_way = any(
        many != stands[to]["received"].get(name, 0)
        for name, stand in stands.items()
        for to, many in stand["sent"].items()
        if to in stands
    )
    behind = any(stand["entries"] != entries for stand in stands.values())
    due = min((stand["due"] for stand in stands.values()), default=math.inf)
    now = time.time() + ahead
    if on_the_way or behind or due == math.inf or due <= now:  # what is due is about to happen
        return 0.0
    return float(due - now + 0.01)


def let_pass(folder: Path, ahead: float, seconds: float) -> float:
    """Let the clocks of all places go on; returns by how much they are ahead. Takes a moment."""
    time.sleep(0.05)
    (folder / "ahead.new").write_text(str(ahead + seconds))
    (folder / "ahead.new").replace(folder / "ahead")
    return ahead + seconds


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

    Time is the test's (driven_place.py): while it waits for a place, and all places are idle, the
    next deadline comes. So no answer is late because the machine is slow.

    started: starts a process (conftest.py). more: text of the session file, before its places.
    head: what is asked. ahead: seconds that the test has let pass.
    """

    folder: Path
    started: Callable[..., Any]
    more: str = ""
    head: str = HEAD
    halls: Mapping[str, Hall] = field(default_factory=lambda: {"hall": Hall(1, ROWS)})
    processes: dict[str, subprocess.Popen[str]] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)
    ahead: float = 0.0

    def __post_init__(self) -> None:
        listening = [*PARTIES, *(name for name, hall in self.halls.items() if hall.listens)]
        self.ports.update(zip(listening, free_ports(len(listening)), strict=True))
        for name in (*PARTIES, *self.halls):
            secret, _ = create(self.folder, name)
            if "registered = true" in self.more and name in self.halls:
                create_people(self.folder, read_identity(secret), len(self.halls[name].rows))
        mix = "" if "[mix]" in self.more else "[mix]\nmin_batch = 10\n"
        text = f"{self.head}{mix}{self.more}".replace("[mix]\n", f"[mix]\ndeadline = {LONG}\n")
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
        """Start a place. before: what its process does first. limit: bytes of a file it writes,
        until somebody raises it.

        What it says goes to PLACE.out and PLACE.log, after what is there.
        """
        runs = [sys.executable, "-c", CHANGED, DRIVEN + before]
        for stale in (f"{place}.stands", "over"):
            (self.folder / stale).unlink(missing_ok=True)
        if limit:
            runs = ["bash", "-c", f'ulimit -S -f {limit // 1024}; exec "$@"', "bash", *runs]
        with (
            (self.folder / f"{place}.out").open("a") as out,
            (self.folder / f"{place}.log").open("a") as log,
        ):
            self.processes[place] = self.started(
                *runs, *self.typed(place, *options), cwd=self.folder, stdout=out, stderr=log
            )

    def start_all(
        self,
        *options: str,
        before: Mapping[str, str] | None = None,
        pause: float = 0,
        own: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        """Start all places, the curator when all others have been ready for a time of theirs.

        own: options of one place.
        """
        first = [*self.halls, *(name for name in PARTIES if name != "curator")]
        done, more = before or {}, own or {}
        for name in first:
            self.start(name, *options, *more.get(name, ()), before=done.get(name, ""))
        for name in first:
            self.heard(name, "ready")
        self.pass_time(pause)
        self.start("curator", *options, *more.get("curator", ()), before=done.get("curator", ""))

    def log(self, place: str) -> list[dict[str, Any]]:
        """What a place has told so far, line by line."""
        text = (self.folder / f"{place}.log").read_text()
        lines = [line for line in text.splitlines(keepends=True) if line.endswith("\n")]
        return [json.loads(line) for line in lines if line.startswith("{")]

    def heard(
        self, place: str, event: str, detail: str = "", times: int = 1, still: bool = False
    ) -> None:
        """Wait until a place tells of something, or has told of it so often. still: as of until."""
        while True:
            over = self.processes[place].poll() is not None
            told = [e for e in self.log(place) if e["event"] == event and detail in e["detail"]]
            if len(told) >= times:
                return
            assert not over, self.said(place)
            self._drive(still)

    def ended(self, place: str, still: bool = False) -> int:
        """Wait until a place has ended; gives its exit code. still: as of until.

        The board ends when all others have read it, but for those with `--patience`.
        """
        if place == "board":
            self.until(lambda: all(map(self._has_read, self.processes)))
            (self.folder / "over").touch()
        self.until(lambda: self.processes[place].poll() is not None, still)
        return int(self.processes[place].returncode)

    def _has_read(self, place: str) -> bool:
        process = self.processes[place]
        if place == "board" or process.poll() is not None or "--patience" in process.args:
            return True
        if not (self.folder / f"{place}.log").exists():  # a terminal: it ends by itself
            return False
        last = [told for told in self.log(place) if told["event"] == "entry"][-1:]
        return [(told["detail"], told["phase"]) for told in last] == [("board: head", "over")]

    def until(self, condition: Callable[[], bool], still: bool = False) -> None:
        """Wait until something is so. still: no deadline comes meanwhile."""
        while not condition():
            self._drive(still)

    def pass_time(self, seconds: float) -> None:
        """Let the clocks of all places go on by so many seconds at once."""
        self.ahead = let_pass(self.folder, self.ahead, seconds)

    def _drive(self, still: bool = False) -> None:
        """Wait a moment; if all places are idle and time is not still, let a deadline come."""
        alive = {name for name, it in self.processes.items() if it.poll() is None}
        begun = not still and set(self.processes) >= {*PARTIES, *self.halls}
        self.pass_time(left(self.folder, alive - {"board"}, self.ahead) if begun else 0)

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

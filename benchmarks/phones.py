"""A class of phones: `python benchmarks/phones.py [PHONES ...]`, by default 30 and 200.

For each number `veilmix poll --demo --no-save` runs as it is shipped, and other processes play the
phones: each loads the page with its files, joins, waits for news, seals, hands in, and waits for
the results. Phones of one process read the board together; each receives all posts itself.

Printed, for each number of phones, in seconds of wall time: from the first request to the last
file of a page (slowest phone); from the last join to the question on the slowest phone; from the
last answer of round 1 to the results on the slowest phone; processor time of the poll; the most
memory that it held. Nobody thinks, so all phones load, join and answer at once: no class is so
quick, and the phones use the same cores. Each phone has an address of its own, 127.0.x.y. Linux.
"""

import gzip
import http.client
import json
import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock, Thread
from urllib.parse import urljoin, urlsplit

from harness import VEILMIX, peak_of, run
from veilmix.crypto.entropy import OSEntropy
from veilmix.poll.questions import DEMO, read_questions
from veilmix.protocol.board.board import Board
from veilmix.protocol.rounds.ballots import Phrasebook, submit_all
from veilmix.protocol.rounds.round_context import open_round
from veilmix.protocol.wire.frames import frame_envelopes

SIZES = (30, 200)
PROCESSES = 4  # that play phones
IMPORTED = re.compile(rb"""(?:from|import) ?"(./[a-z0-9_./-]+)"|(?:src|href)="(/[a-z0-9_./-]+)\"""")
ADDRESS = re.compile(r"^open (http://\S+)", re.MULTILINE)


@dataclass
class SharedBoard:
    """A board that the phones of one process read together.

    Attributes:
        board: as far as it was read.
        lock: of the phone that reads or seals.
    """

    board: Board = field(default_factory=Board)
    lock: Lock = field(default_factory=Lock)

    def read(self, first: int, posts: list[list[str]]) -> None:
        """Put the posts from number `first` on that are new on the board."""
        with self.lock:
            for author, data in posts[len(self.board.entries) - first :]:
                self.board.post(author, bytes.fromhex(data))

    def sealed(self, row: list[str]) -> tuple[int, bytes] | None:
        """Seal a row for the round that is open; None: no round is."""
        with self.lock:
            board = self.board
            if not board.calls or board.due is not None or board.announcement is None:
                return None
            plan = open_round(board.announcement, board.session, board.calls[-1])
            (made,) = submit_all(Phrasebook(plan), [tuple(row)], [OSEntropy()])
            number = plan.call.round
            (frame,) = frame_envelopes(plan.session, number, [made.envelope], board.witness)
            return number, frame


@dataclass
class Phone:
    """A phone.

    Attributes:
        address: of the session.
        own: its own network address.
        row: its answers.
        shared: the board of its process.
        secret: by which the poll knows it.
        times: moments of the clock that all processes share, by name, in seconds.
    """

    address: str
    own: str
    row: list[str]
    shared: SharedBoard
    secret: str = field(default_factory=lambda: secrets.token_hex(16))
    times: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        place = urlsplit(self.address)
        self.base, self.origin = place.path, f"http://{place.netloc}"
        self.line = http.client.HTTPConnection(place.netloc, source_address=(self.own, 0))

    def ask(self, path: str, body: bytes | None = None, **headers: str) -> bytes:
        """Ask for a path of the server."""
        given = {"accept-encoding": "gzip"} | ({"origin": self.origin} if body else {})
        self.line.request("POST" if body else "GET", path, body, given | headers)
        answer = self.line.getresponse()
        data = answer.read()
        if answer.status >= 400:
            print(f"{path}: {answer.status} {data!r}", file=sys.stderr, flush=True)
            os._exit(1)  # from a thread: a phone that is refused makes the measurement void
        return gzip.decompress(data) if answer.headers["content-encoding"] == "gzip" else data

    def load(self) -> None:
        """Load the page, and all files that it and its modules name."""
        self.times["opens"] = time.monotonic()
        due, seen = [self.base], {self.base}
        while due:
            path = due.pop()
            for own, whole in IMPORTED.findall(self.ask(path)):
                name = urljoin(path, (whole or own).decode())
                if name not in seen:
                    seen.add(name)
                    due.append(name)
        self.ask("/sentences/en.json")
        self.times["loaded"] = time.monotonic()

    def live(self) -> None:
        """Load, join, answer each round, until the end."""
        self.load()
        name = json.dumps({"phone": self.secret, "name": f"pupil {self.secret[:6]}"})
        self.times["joins"] = time.monotonic()
        self.ask(f"{self.base}/join", name.encode())
        done, version, number = set[int](), 0, 0
        while True:
            news = json.loads(self.ask(f"{self.base}/news/{version}/{number}"))
            self.shared.read(number, news["posts"])
            version, number = news["version"], number + len(news["posts"])
            if news["ended"]:
                self.times["results"] = time.monotonic()
                return
            made = self.shared.sealed(self.row) if news["collecting"] else None
            if made is None or made[0] in done:
                continue
            done.add(made[0])
            self.times.setdefault("question", time.monotonic())
            self.ask(f"{self.base}/answer", made[1], **{"x-phone": self.secret})
            self.times.setdefault("answered", time.monotonic())


def play(address: str, process: int, phones: int) -> None:
    """Play phones in one of the processes, and print the times of each as JSON."""
    questions = read_questions(DEMO).feature
    shared = SharedBoard()
    rows = ([each.values[i % len(each.values)] for each in questions] for i in range(phones))
    playing = [
        Phone(address, f"127.0.{process + 1}.{i + 1}", row, shared) for i, row in enumerate(rows)
    ]
    threads = [Thread(target=phone.live) for phone in playing]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps([phone.times for phone in playing]))


def shares(phones: int) -> Iterator[tuple[int, int]]:
    """Give the processes with the number of phones that each plays."""
    for process in range(PROCESSES):
        if many := len(range(process, phones, PROCESSES)):
            yield process, many


def measured(phones: int) -> str:
    """Hold a class of so many phones, and return its line."""
    options = ["--demo", "--no-save", "--port", "0", "--people", str(phones)]
    command = [*VEILMIX, "poll", *options]
    poll = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert poll.stdout is not None
    lines = iter(poll.stdout.readline, "")
    address = next(found[1] for line in lines if (found := ADDRESS.match(line)))
    Thread(target=lambda: list(lines)).start()
    players = [
        subprocess.Popen(
            [sys.executable, __file__, "--play", address, str(process), str(many)],
            stdout=subprocess.PIPE,
        )
        for process, many in shares(phones)
    ]
    times, most = list[dict[str, float]](), 0
    while any(player.poll() is None for player in players):
        with suppress(OSError):  # it is gone
            most = max(most, peak_of(poll.pid))
        time.sleep(0.05)
    for player in players:
        assert player.stdout is not None
        if player.returncode:
            poll.terminate()
            sys.exit(f"{phones} phones: one was refused")
        times += json.loads(player.stdout.read())
    used = os.times().children_user
    poll.wait()
    used = os.times().children_user - used
    loaded = max(each["loaded"] - each["opens"] for each in times)
    joined = max(each["joins"] for each in times)
    answered = max(each["answered"] for each in times)
    question = max(each["question"] for each in times) - joined
    results = max(each["results"] for each in times) - answered
    return (
        f"{phones:6} {loaded:9.2f} s {question:9.2f} s {results:9.2f} s {used:9.1f} s"
        f" {most / 1e6:6.0f} MB"
    )


def main(*phones: int) -> None:
    """Measure, and print a line for each number of phones."""
    print("phones    page loaded   question    results   processor   memory")
    for many in phones or SIZES:
        print(measured(many), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--play"]:
        play(sys.argv[2], *map(int, sys.argv[3:]))
    else:
        run(main)

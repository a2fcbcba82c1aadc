"""A server of `veilmix open` in a thread, and a client of it that is no browser.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import trio
from veilmix.cli.commands.open import words
from veilmix.workbench.choices import UserChoices
from veilmix.workbench.desk import Desk
from veilmix.workbench.files import OwnFiles
from veilmix.workbench.server import Workbench, hold_workbench

STEPS = ("file", "persons", "columns", "goal", "choices", "result")
State = dict[str, Any]


class Asker:
    """A client of the page's server.

    Attributes:
        bench: the server.
    """

    def __init__(self, bench: Workbench) -> None:
        self.bench = bench
        self.origin = bench.address.rsplit("/", 2)[0]

    def ask(
        self, method: str, what: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, bytes]:
        """Send a request, a POST as the page itself does; return status and body."""
        sent = ({"origin": self.origin} if method == "POST" else {}) | headers
        request = Request(self.bench.address + what, data=body, headers=sent, method=method)
        try:
            with urlopen(request) as answer:
                return answer.status, answer.read()
        except HTTPError as no:
            with no:
                return no.code, no.read()

    def post(self, what: str, /, **fields: object) -> tuple[int, State]:
        """Post fields as JSON; return status and the answer."""
        status, body = self.ask("POST", what, json.dumps(fields).encode())
        return status, json.loads(body or b"{}")

    def state(self) -> State:
        """Return the state as it is now."""
        return self._read("news/0")

    def change(self, **wanted: object) -> State:
        """Change choices, wait for the work, and return the state."""
        status, answer = self.post("change", revision=self.state()["revision"], set=wanted)
        assert status == 200, answer
        return self.settled()

    def settled(self, holds: Callable[[State], bool] | None = None) -> State:
        """Wait until no work is left, or something holds; return the state."""
        state = self.state()
        while not (holds or is_settled)(state):
            state = self._read(f"news/{state['version']}")
        return state

    def _read(self, what: str) -> State:
        status, body = self.ask("GET", what)
        assert status == 200
        read: State = json.loads(body)
        return read


def is_settled(state: State) -> bool:
    """Whether no work goes on, and none is waiting."""
    parts = [*(state[step] for step in STEPS), *state["further"].values()]
    return state["work"] is None and all(part["status"] != "working" for part in parts)


@contextmanager
def workbench(
    folder: Path,
    data: Path | None = None,
    choices: UserChoices | None = None,
    language: str | None = "en",
) -> Iterator[Asker]:
    """Serve a page from a thread. folder: for files that are handed over. data: the open file."""
    opened: Queue[Any] = Queue()
    faults: list[str] = []

    def make() -> Desk:
        desk = Desk(words(), OwnFiles(folder), faults.append, language)
        if data is not None:
            desk.open(data, str(data), choices)
        return desk

    async def main() -> None:
        with trio.CancelScope() as scope:
            opened.put((trio.lowlevel.current_trio_token(), scope))
            await hold_workbench(make, 0, opened.put, faults.append)

    thread = Thread(target=partial(trio.run, main))
    thread.start()
    token, scope = opened.get()
    try:
        yield Asker(opened.get())
    finally:
        with suppress(trio.RunFinishedError):  # it may have ended by itself
            trio.from_thread.run_sync(scope.cancel, trio_token=token)
        thread.join()
    assert faults == []

"""What each place of a test's session does first, so that its time is the test's.

Imported in the process of a place, in the session's folder (`Session.start`). The place writes
where it stands to PLACE.stands whenever it has nothing left to do, and the board how many entries
it has. Its clock is ahead by what the file `ahead` says. A board leaves when the file `over` is
there, not after some seconds.
"""

import json
import time
from pathlib import Path
from types import SimpleNamespace

import trio
from veilmix.machines import clocks, gauge, service
from veilmix.machines.host import Host, IdleState
from veilmix.protocol.board.board import Board, Entry
from veilmix.protocol.board.phases import BOARD

AHEAD, OVER = Path("ahead"), Path("over")
PAUSE = 0.05  # seconds between two looks at these files

_time, _begun, _told = time.time, Host.__init__, gauge.Gauge.entry
_steady = clocks.steady_time


def driven_time() -> float:
    """Seconds of the machine's clock, and those that the test has let pass."""
    return _time() + _let_pass()


def driven_steady_time() -> float:
    """Seconds of the clock that is never set, and those that the test has let pass."""
    return _steady() + _let_pass()


def _let_pass() -> float:
    return float(AHEAD.read_text()) if AHEAD.exists() else 0.0


def _idle(name: str, stands: IdleState) -> None:
    due, sent = driven_time() + stands.deadline - stands.time, dict(stands.sent_counts)
    _write(name, entries=stands.entries, due=due, sent=sent, received=dict(stands.received))


def _write(name: str, **told: object) -> None:
    new = Path(f"{name}.stands.new")
    new.write_text(json.dumps(told))
    new.replace(f"{name}.stands")


def _begin(self: Host, *given: object, **more: object) -> None:
    _begun(self, *given, **more)  # type: ignore[arg-type]
    self._idle = lambda stands: _idle(self.name, stands)


def _entry(self: gauge.Gauge, entry: Entry, board: Board) -> None:
    _told(self, entry, board)
    if self.name == BOARD:
        _write(BOARD, entries=len(board.entries))


async def _wait(self: clocks.RealTime, news: trio.Event, deadline: float) -> None:
    while not news.is_set() and self.now() < deadline:
        with trio.move_on_after(PAUSE):
            await news.wait()


async def _until_over(_: float) -> None:
    while not OVER.exists():  # noqa: ASYNC110, ASYNC240 - another process makes it
        await trio.sleep(PAUSE)


time.time, clocks.steady_time = driven_time, driven_steady_time
gauge.Gauge.entry = _entry  # type: ignore[method-assign]
Host.__init__ = _begin  # type: ignore[method-assign]
clocks.RealTime.wait = _wait  # type: ignore[method-assign]
service.trio = SimpleNamespace(**{**vars(trio), "sleep": _until_over})  # type: ignore[attr-defined]

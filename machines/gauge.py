"""The status of a process of a session (a place): as JSON, and in numbers for Prometheus.

GET /status          the status of this process; no key, no value, and only names of the
                     session's processes
GET /metrics         the status in numbers
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import msgspec

from ..protocol.board.board import Board, Entry
from ..protocol.board.phases import Phase
from ..protocol.knowledge.transcript import Refusal
from ..roles.network.instruments import Instrument
from .http import HttpResponse, Request
from .trouble import Troubles

Log = Callable[..., None]
JSON = (("content-type", "application/json"),)


class PlaceStatus(msgspec.Struct, frozen=True):
    """The status of a place (a process of a session), as GET /status returns it.

    Attributes:
        place: the name of the place.
        session: the digest of the session, hexadecimal; zeros before it is announced.
        phase: the phase of the board as the place sees it.
        round: the number of the last call (query); 0 before the first.
        entries: the number of posts that the place has seen.
        posts: the number of posts seen, by kind, and of messages sent.
        refused: the number of messages that were refused, by reason.
        batch: the number of messages in the batch that is being processed.
        seconds: the seconds since the place began.
        silent: the seconds since the last post of the board arrived.
        unreached: by name of another place, why it is not reached now; always empty for the
            board, which waits for other places to connect.
        turned_away: connections that were refused before a message arrived, by reason.
    """

    place: str
    session: str
    phase: str
    round: int
    entries: int
    posts: Mapping[str, int]
    refused: Mapping[str, int]
    batch: int
    seconds: float
    silent: float
    unreached: Mapping[str, str]
    turned_away: Mapping[str, int]


@dataclass(slots=True)
class Gauge(Instrument):
    """The counters of the actions of a place (a process); each is logged without personal data.

    Attributes:
        name: the name of the place.
        log: called with each event, as a word and named facts.
        troubles: the reasons why the place does not reach other places.
        began: the time of the start, in seconds of the machine's clock.
        messages: the number of posts that came, by kind, and of messages sent.
        refused_by: the number of messages that parties refused, by reason.
        batch: the number of messages in the batch that is being processed.
        changed: the time of the last post, in seconds of the machine's clock.
    """

    name: str
    log: Log
    troubles: Troubles
    began: float = field(default_factory=time.monotonic)
    messages: Counter[str] = field(default_factory=Counter)
    refused_by: Counter[str] = field(default_factory=Counter)
    batch: int = 0
    changed: float = field(default_factory=time.monotonic)

    def entry(self, entry: Entry, board: Board) -> None:
        """Count and log an entry of the board."""
        self.changed = time.monotonic()
        kind = entry.message.kind.name.lower()
        self.messages[f"post {kind}"] += 1
        self.log(
            *("entry", f"{entry.author}: {kind}"), round=entry.message.round, phase=board.phase
        )

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:  # noqa: ARG002
        """Count a message that this place (process) sends."""
        self.messages["sent"] += 1

    def refused(self, refusal: Refusal) -> None:
        """Count and log messages that a party of this process refused."""
        self.refused_by[refusal.reason.value] += refusal.count
        self.log("refused", refusal.reason.value, many=refusal.count)

    def stage(self, name: str, completed: int, total: int) -> None:  # noqa: ARG002
        """Keep `total`, the number of messages in the batch that is being processed."""
        self.batch = total

    def status(self, board: Board) -> PlaceStatus:
        """Return the status of this process: its counters, and the phase and size of the board."""
        return PlaceStatus(
            place=self.name,
            session=board.session.hex(),
            phase=board.phase.value,
            round=board.calls[-1].round if board.calls else 0,
            entries=len(board.entries),
            posts=dict(self.messages),
            refused=dict(self.refused_by),
            batch=self.batch,
            seconds=round(time.monotonic() - self.began, 1),
            silent=round(time.monotonic() - self.changed, 1),
            unreached=self.troubles.text(),
            turned_away=dict(self.troubles.turned_away),
        )

    def metrics(self, board: Board) -> bytes:
        """Return the status of this process in Prometheus' text format (version 0.0.4)."""
        now = self.status(board)
        lines = [
            *_lines("messages_total", "counter", "kind", now.posts),
            *_lines("refused_total", "counter", "reason", now.refused),
            *_lines("turned_away_total", "counter", "reason", now.turned_away),
            *_lines("unreached", "gauge", "reason", self.troubles.by_kind()),
            *_lines("phase", "gauge", "phase", {p.value: int(p is board.phase) for p in Phase}),
        ]
        for name in ("round", "entries", "batch", "seconds", "silent"):
            lines += _lines(name, "gauge", "place", {self.name: getattr(now, name)})
        return "\n".join([*lines, ""]).encode()


def _lines(name: str, kind: str, label: str, numbers: Mapping[str, float]) -> list[str]:
    """Return the lines of a metric in Prometheus' text format.

    name, kind, label: of the metric, its type, and its label. numbers: by value of the
    label.
    """
    rows = [f'veilmix_{name}{{{label}="{value}"}} {number}' for value, number in numbers.items()]
    return [f"# TYPE veilmix_{name} {kind}", *rows]


def answer_status(
    gauge: Gauge, board: Callable[[], Board], request: Request
) -> HttpResponse | None:
    """Return the response to a request for the status of a place; None for other requests."""
    if (request.method, request.path) == ("GET", "/status"):
        return HttpResponse(
            200, json.dumps(msgspec.to_builtins(gauge.status(board()))).encode(), JSON
        )
    if (request.method, request.path) == ("GET", "/metrics"):
        return HttpResponse(200, gauge.metrics(board()))
    return None

"""Phones without a browser: the same requests, sealed by veilmix itself.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

import dataclasses
import json
import secrets
import socket
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from threading import Thread
from typing import Any
from unittest.mock import patch
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from msgspec.structs import replace
from session_kit import KITS
from veilmix.cli.text.qr import qr_svg
from veilmix.crypto.entropy import OSEntropy
from veilmix.crypto.signing import Signer
from veilmix.poll import mixers
from veilmix.poll import remote_shufflers as elsewhere
from veilmix.poll import session as poll_session
from veilmix.poll.class_settings import ClassTerms
from veilmix.poll.classroom import MOST_PHONES
from veilmix.poll.questions_file import QuestionsFile
from veilmix.poll.seeds import question
from veilmix.poll.session import PhoneSession
from veilmix.poll.session_result import FinishedSession
from veilmix.poll.simulated_people import locked_answers
from veilmix.protocol.board.board import Board
from veilmix.protocol.rounds.ballots import Phrasebook, submit_all
from veilmix.protocol.rounds.round_context import Round, open_round
from veilmix.protocol.wire.frames import frame_envelopes
from veilmix.scenarios.schema.model import Scenario

LONG = 86_400  # seconds: what waits for so long is ended by a test, not by time
# What a process of a poll does first, before session_kit.CHANGED has it typed (unhurried_poll.py).
LEISURE = f"import sys; sys.path.append({KITS!r}); import unhurried_poll\n"
PATIENCE = (
    (poll_session, "GRACE"),
    (poll_session, "RETURN_SECONDS"),
    (elsewhere, "MAX_ABSENCE"),
    (mixers, "SILENCE"),
)


def unhurried(scenario: Scenario, **mix: int) -> Scenario:
    """Give a scenario whose rounds end when all have answered, or when a test closes them."""
    return replace(scenario, mix=replace(scenario.mix, deadline=LONG, **mix))


@dataclass
class Client:
    """A phone. row: what it answers; rounds: in which it answers at all."""

    address: str
    name: str
    row: Sequence[str] = ()
    rounds: Sequence[int] = range(1, 256)
    secret: str = field(default_factory=lambda: secrets.token_hex(16))
    board: Board = field(default_factory=Board)
    facts: dict[str, Any] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    signer: Signer | None = None  # where people are registered: a verified mix

    def ask(
        self, path: str, body: bytes | None = None, method: str | None = None, **headers: str
    ) -> tuple[int, bytes]:
        """Ask for something below the session's address."""
        base = self.address.rpartition("/")[0]
        given = {"origin": base} if body is not None else {}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        request = Request(self.address + path, data=body, headers=given, method=method)
        try:
            with urlopen(request) as answer:
                return answer.status, answer.read()
        except HTTPError as no:
            return no.code, no.read()

    def join(self) -> tuple[int, bytes]:
        """Say a name."""
        key = {"key": self.signer.public.hex()} if self.signer else {}
        return self.ask(
            "/join", json.dumps({"phone": self.secret, "name": self.name, **key}).encode()
        )

    def news(self) -> dict[str, Any]:
        """Wait for news, and read all posts as a party does."""
        have = len(self.board.entries)
        status, said = self.ask(f"/news/{self.facts.get('version', 0)}/{have}")
        assert status == 200, said
        self.facts = json.loads(said)
        for author, data in self.facts["posts"]:
            self.board.post(author, bytes.fromhex(data))
        return self.facts

    def plan(self) -> Round:
        """The round that was called last."""
        told, call = self.board.announcement, self.board.calls[-1]
        assert told is not None
        return dataclasses.replace(
            open_round(told, self.board.session, call), witness=self.board.witness
        )

    def sealed(self) -> bytes:
        """What the phone hands in now."""
        plan = self.plan()
        if self.signer is not None:
            index = self.registered.index(self.signer.public)
            return locked_answers(plan, self.board, index, self.row, self.signer)
        if plan.shape is not None:
            return self.sealed_by_seed(plan)
        (made,) = submit_all(Phrasebook(plan), [tuple(self.row)], [OSEntropy()])
        number = plan.call.round
        return frame_envelopes(plan.session, number, [made.envelope], plan.witness)[0]

    @property
    def registered(self) -> tuple[bytes, ...]:
        """The keys of all who may answer."""
        assert self.board.registry is not None
        return self.board.registry.keys

    @property
    def able(self) -> bool:
        """Whether the board shows all that the phone seals with."""
        plan = self.plan()
        return not plan.verified or (not plan.reuses_ballots and self.board.verified.has_keys(plan))

    def sealed_by_seed(self, plan: Round) -> bytes:
        """Ask `randomness`, and give what the phone hands in where only k people open a row."""
        number = plan.call.round
        while number not in self.board.mints:
            self.news()
        asked = question(plan, self.row, OSEntropy())
        status, said = self.seed(asked.data)
        assert status == 200, said
        return asked.sealed(said, self.board.mints[number])

    def seed(self, data: bytes) -> tuple[int, bytes]:
        """Ask the desk for something that `randomness` answers."""
        return self.ask("/seed", data, x_phone=self.secret)

    def hand_in(self, data: bytes) -> tuple[int, bytes]:
        """Hand something in."""
        return self.ask("/answer", data, x_phone=self.secret)

    def asked(self, number: int) -> None:
        """Follow the board until a round is called."""
        while not (self.board.calls and self.board.calls[-1].round >= number):
            self.news()
        while self.board.due is not None:
            self.news()

    def live(self) -> None:
        """Join, answer each round, to the end."""
        self.join()
        done: set[int] = set()
        while not self.news()["ended"]:
            called = self.board.calls[-1].round if self.board.calls else 0
            if called in done or self.board.due is not None or not self.facts["collecting"]:
                continue
            if not called or not self.able:
                continue
            done.add(called)
            if called in self.rounds:
                status, said = self.hand_in(self.sealed())
                if status != 204:
                    self.refused.append(said.decode())

    def again(self, attempt: int) -> tuple[int, bytes]:
        """Wait until the session is repeated, and come back."""
        while self.facts.get("attempt") != attempt:
            status, said = self.ask(f"/news/{self.facts.get('version', 0)}/0")
            assert status == 200, said
            self.facts = json.loads(said)
        self.board, self.facts = Board(), {}
        return self.join()

    def counted(self) -> list[bool]:
        """By round, whether everybody who was let in was counted, as every phone is shown it."""
        return [
            set(tally.totals) == {account.people}
            for number, tally in enumerate(self.board.tallies, start=1)
            if (account := self.board.account(number, 1)) is not None
        ]


@dataclass
class Class:
    """A session that is held in a thread. `with` ends what nobody waits for, and waits for that.

    Time ends nothing by itself: neither the wait for people, nor a round, nor the grace in which
    slow phones read the last posts, nor the trust in a shuffler that is silent or away.
    """

    scenario: Any
    people: int
    wait: float = LONG
    others: bool = False
    simulated: int = 0
    host: str = "127.0.0.1"
    said: list[str] = field(default_factory=list)
    held: FinishedSession | None = None
    address: str = ""
    session: PhoneSession | None = None
    stopped: bool = False
    lines: Callable[[], str | None] | None = None  # what whoever runs it says
    slips: tuple[str, ...] = ()
    language: str | None = None
    finished: list[FinishedSession] = field(default_factory=list)
    file: QuestionsFile | None = None  # that the teacher may change

    def __enter__(self) -> "Class":
        from threading import Event

        opened = Event()
        self._patches = ExitStack()
        for module, name in PATIENCE:
            self._patches.enter_context(patch.object(module, name, LONG))

        def tell(address: str) -> None:
            self.address = address
            opened.set()

        def hold() -> None:
            terms = ClassTerms(
                *(self.host, 0, self.people, self.wait),
                has_run_folder=not self.others and self.scenario.mix.kind == "onion",
                has_remote_shufflers=self.others,
                simulated=self.simulated,
                most_of_one=MOST_PHONES,  # all phones of a test are on this computer
                slips=self.slips,
                language=self.language,
            )
            told = self.said.append, self.file, qr_svg
            self.session = PhoneSession(self.scenario, terms, *told)
            try:
                self.held = self.session.hold(tell, self.lines, self.finished.append)
            except KeyboardInterrupt:
                self.stopped = True

        self._thread = Thread(target=hold, daemon=True)
        self._thread.start()
        while not opened.wait(0.1):
            assert self._thread.is_alive(), self.said
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self._patches.close()

    def close_round(self) -> None:
        """Let the deadline of the round come now."""
        assert self.session is not None
        self.session._clock.skip_to(self.session.room.closes + 1)

    def play(self, clients: Sequence[Client], *, closes: int, after: int) -> None:
        """Have phones live to the end, where one round closes after so many of them answered."""
        assert self.session is not None
        room = self.session.room
        rest = Thread(target=together, args=(clients,))
        rest.start()
        while room.round != closes or room.answered < after:
            rest.join(0.05)
            assert rest.is_alive()
        self.close_round()
        rest.join()

    def skip(self, seconds: float) -> None:
        """Let so many seconds pass now."""
        assert self.session is not None
        clock = self.session._clock
        clock.skip_to(clock.current_time() + seconds)
        place = urlsplit(self.address)
        with suppress(OSError):  # a loop that sleeps looks at its clock when somebody comes
            socket.create_connection((place.hostname, place.port)).close()

    def wait_no_longer(self) -> None:
        """Let the wait for people, or for phones that read slowly, be over now."""
        self.skip(LONG + 1)

    def end(self) -> None:
        """Let everything that waits for time have its time, until the session is over."""
        while self._thread.is_alive():
            room = self.session.room if self.session else None
            if room is not None and room.started and not room.ended:
                self.close_round()
            elif room is not None:
                self.wait_no_longer()
            self._thread.join(0.2)

    def says(self, line: str) -> None:
        """Wait until whoever runs it is told a line."""
        while line not in self.said:
            self._thread.join(0.05)
            assert self._thread.is_alive(), self.said

    def join(self) -> None:
        """Wait until it has ended by itself."""
        self._thread.join()

    def done(self) -> FinishedSession:
        """What it left."""
        assert self.held is not None
        return self.held


def together(clients: Sequence[Client], act: Callable[[Client], object] = Client.live) -> None:
    """Have many phones do something at once, and wait for all of them."""
    threads = [Thread(target=act, args=(client,), daemon=True) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

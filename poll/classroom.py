"""Who is here and who has answered: what the class's computer knows of phones but sealed bytes.

A phone is known by a secret of 16 bytes that it has drawn itself; so whatever it says again, after
a reload or a lost connection, is the same phone's. It has a number on the wire, `user-1`, `user-2`,
.., from its first letter on: those who only looked have none.
"""

import hashlib
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import trio

from ..protocol import parties
from ..protocol.board import Board, Entry
from ..protocol.frames import envelope_in
from ..protocol.messages import Kind
from ..protocol.phases import Phase
from ..protocol.schema import is_line
from ..protocol.session import Round
from ..roles.instruments import Instrument
from .noise import NoisyResult

MOST_PHONES = 1_000
MOST_OF_ONE = 40  # people from one address: a class behind one router, and not several
LONGEST_NAME = 40  # bytes of UTF-8
HUSH = 0.25  # seconds within which changes are told together
Deliver = Callable[[str, bytes], Awaitable[None]]


class Unwelcome(Exception):
    """What a phone asked for is not done: its text says why. status: of HTTP."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


@dataclass(slots=True)
class Phone:
    """A phone that has joined.

    Attributes:
        name: what its person is called in this class.
        index: its number on the wire, from 0; None before its first letter.
        sent: by round, the hash of the message that was taken.
        simulated: whether it is no phone, but stands for one (simulated.py).
        device: where it joined from (gate.py); empty where it did not come over the network.
    """

    name: str
    index: int | None = None
    sent: dict[int, bytes] = field(default_factory=dict)
    simulated: bool = False
    device: str = ""


class Classroom(Instrument):
    """Phones, the board as they are shown it, and what may be handed in now.

    It is an instrument of the session: it sees posts when they are made. deadline: of a round, in
    seconds. most_of_one: people who may join from one device; it may be raised at any time.
    """

    def __init__(self, deadline: float, most_of_one: int = MOST_OF_ONE) -> None:
        self.most_of_one = most_of_one
        self.turned_away: Counter[str] = Counter()  # attempts beyond that, by device
        self.phones: dict[str, Phone] = {}
        self.board: Board | None = None
        self.posts: list[tuple[str, bytes]] = []
        self.letters: dict[tuple[int, int], bytes] = {}  # (round, index) -> the whole message
        self.closes = 0.0  # when the collection of the last round ends
        self.started = False
        self.told: NoisyResult | None = None  # what noise leaves of the answers, when it is over
        self.ended = ""  # why nothing more will come; "" while something may
        self.version = 1  # a phone that has seen nothing yet says 0, and is answered at once
        self._deadline = deadline
        self._changed = trio.Event()
        self._numbers = 0

    # What the session tells.

    def posted(self, time: float, entry: Entry) -> None:
        """Show a post to phones; a call opens a collection."""
        self.posts.append((entry.author, entry.data))
        if entry.message.kind is Kind.CALL:
            self.closes = time + self._deadline
        self.change()

    def change(self) -> None:
        """Wake all who wait for news."""
        self.version += 1
        self._changed.set()
        self._changed = trio.Event()

    async def news(self, version: int, patience: float) -> None:
        """Wait for something newer than a version, or so many seconds."""
        if version == self.version:
            with trio.move_on_after(patience):
                await self._changed.wait()
                await trio.sleep(HUSH)

    # What phones do.

    @property
    def round(self) -> int:
        """The round that was called last; 0 before the first."""
        return self.board.calls[-1].round if self.board and self.board.calls else 0

    @property
    def collecting(self) -> bool:
        """Whether answers of the last round may still be handed in."""
        board = self.board
        return (
            board is not None
            and board.phase is Phase.COLLECTING
            and trio.current_time() < self.closes
        )

    @property
    def simulated(self) -> tuple[int, ...]:
        """The numbers on the wire, from 0, of those who are no phones, and have answered."""
        indices = (phone.index for phone in self.phones.values() if phone.simulated)
        return tuple(sorted(index for index in indices if index is not None))

    @property
    def numbered(self) -> int:
        """How many have a number on the wire."""
        return self._numbers

    @property
    def answered(self) -> int:
        """How many have answered in the last round."""
        return sum(self.round in phone.sent for phone in self.phones.values())

    @property
    def complete(self) -> bool:
        """Whether everybody who can still answer in this round has."""
        due = [phone for phone in self.phones.values() if self.round == 1 or 1 in phone.sent]
        return self.collecting and bool(due) and all(self.round in phone.sent for phone in due)

    @property
    def asking_closes(self) -> float:
        """When the time for asking ends: half of a collection is for it (roles/randomness.py)."""
        return self.closes - self._deadline / 2

    @property
    def devices(self) -> Counter[str]:
        """How many people have joined from each device; those who are no phones have none."""
        return Counter(phone.device for phone in self.phones.values() if phone.device)

    def join(self, secret: str, name: str, device: str = "") -> Phone:
        """Let a phone in; the same one again is the same. Unwelcome, in words, if it cannot be.

        device: where it joins from. A computer that joins as many people could surround somebody
        in the class: so only so many come from one.
        """
        name = " ".join(name.split())
        known = self.phones.get(secret)
        if known is not None:
            return known
        if self.ended or self.round > 1 or (self.round == 1 and not self.collecting):
            raise Unwelcome(409, "This session is closed to new people: it has begun without you.")
        if not name or not is_line(name) or len(name.encode()) > LONGEST_NAME:
            raise Unwelcome(
                400, f"A name is one line of at most {LONGEST_NAME} bytes; choose another."
            )
        if any(phone.name.casefold() == name.casefold() for phone in self.phones.values()):
            raise Unwelcome(409, f"Somebody here is called {name} already; choose another name.")
        if len(self.phones) >= MOST_PHONES:
            raise Unwelcome(503, f"{MOST_PHONES} phones are here already; there is no room.")
        if device and self.devices[device] >= self.most_of_one:
            self.turned_away[device] += 1
            raise Unwelcome(
                409,
                f"{self.most_of_one} people have joined from your network address already. Whoever "
                "runs this can let in more.",
            )
        self.phones[secret] = phone = Phone(name, device=device)
        self.change()
        return phone

    def known(self, secret: str) -> Phone:
        """The phone with a secret; Unwelcome if none has it."""
        phone = self.phones.get(secret)
        if phone is None:
            raise Unwelcome(403, "This phone has not joined; open the address on the wall again.")
        return phone

    def number(self, phone: Phone) -> int:
        """Its number on the wire, from 0, from its first letter on."""
        if phone.index is None:
            phone.index, self._numbers = self._numbers, self._numbers + 1
        return phone.index

    async def answer(self, plan: Round, secret: str, data: bytes, deliver: Deliver) -> bool:
        """Hand in a phone's sealed answers of a round; False if they were handed in before.

        Only their frame and size are looked at. Unwelcome if they are not for this round, now.
        """
        phone = self.known(secret)
        number, digest = plan.call.round, hashlib.sha256(data).digest()
        if number in phone.sent:
            return False  # whatever it says now: one person, one answer
        if not self.collecting or number != self.round:
            raise Unwelcome(409, "Too late: this round has closed, and your answer is not in it.")
        if number > 1 and 1 not in phone.sent:
            raise Unwelcome(409, "This round is for those who answered in the first.")
        envelope = envelope_in(data, plan.session, number, plan.witness)
        if envelope is None or (plan.envelope and len(envelope) != plan.envelope):
            raise Unwelcome(400, "These are no sealed answers of this round.")
        index = self.number(phone)
        phone.sent[number] = digest
        self.letters[number, index] = envelope
        await deliver(parties.user(index), data)
        self.change()
        return True

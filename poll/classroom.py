"""The state of a class session: its phones, submissions and posts; of answers only sealed bytes.

A phone is known by a random secret of 16 bytes that it has drawn itself. So after a
reload or a lost connection its requests still belong to the same phone. A phone gets
its number as a user of the protocol (`user-1`, `user-2`, ..) when it first sends an
answer or query. In a verified mix each phone also brings a signing key. Its number is
the position of the key in the registry, the sorted list of all keys.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import trio

from ..errors import Refused
from ..languages.language import Language
from ..protocol.board.board import Board, Entry
from ..protocol.board.phases import Phase
from ..protocol.rounds.registered_users import check_senders
from ..protocol.rounds.round_context import Round
from ..protocol.wire import parties
from ..protocol.wire.frames import decode_message, envelope_in
from ..protocol.wire.lines import is_line
from ..protocol.wire.messages import Kind, Registry, Submission
from ..roles.network.instruments import Instrument
from .noise import NoisyResult
from .refusal import Unwelcome
from .singles import Singles
from .slips import Slips

MOST_PHONES = 1_000
# most people that may join from one network address: a class may share the address of a router, but
# several classes may not
MOST_OF_ONE = 40
LONGEST_NAME = 40  # bytes of a person's name in UTF-8
# the reason of an abort for too few people, as the board has it in English; phones translate it
TOO_FEW = re.compile(r"(\d+) people took part; the smallest batch that hides is (\d+)")
HUSH = 0.25  # seconds within which changes are sent to phones together
Deliver = Callable[[str, bytes], Awaitable[None]]


@dataclass(slots=True)
class Phone:
    """A phone that has joined, and stands for a participant.

    Attributes:
        name: the name of the phone's person in this class.
        index: the person's number as a user of the protocol, from 0; None before the first
            message.
        message_hashes: by round, the hash of the message that was accepted.
        simulated: whether it stands for a simulated person (simulated_people.py).
        device: the network address from which it joined (machines/gate.py); empty if it did
            not come over the network.
        key: the phone's public signing key; empty if the class has no registry (list of
            such keys).
    """

    name: str
    index: int | None = None
    message_hashes: dict[int, bytes] = field(default_factory=dict)
    simulated: bool = False
    device: str = ""
    key: bytes = b""


class Classroom(Instrument):
    """The state of a class session: phones, the board as they see it, and the open collection.

    It is an observer (instrument) of the session: it receives each post when it is made.
    deadline: time limit of a round, in seconds. most_of_one: people that may join from a
    network address; the teacher may raise it. spare: seconds by which a round may be
    extended. slips: paper slips with codes, each of which admits a phone; None: phones need
    no code. registered: whether each phone brings a signing key, for the registry (the list
    of all keys).

    Attributes:
        attempt: the number of the session, from 1. From 2 on, the session is repeated with
            the people of earlier attempts.
    """

    def __init__(
        self,
        deadline: float,
        most_of_one: int = MOST_OF_ONE,
        spare: float = 0.0,
        slips: Slips | None = None,
        *,
        registered: bool = False,
    ) -> None:
        """Start without phones, before the first attempt.

        deadline: time limit of a round, in seconds. most_of_one: people that may join from a
        network address. spare: seconds by which a round may be extended. slips: paper slips with
        codes, each of which admits a phone; None: no code is needed. registered: whether phones
        bring signing keys.
        """
        self.most_of_one = most_of_one
        self.registered = registered
        self.slips = slips
        # by network address, the number of people refused because too many had joined from this
        # address
        self.turned_away: Counter[str] = Counter()
        self.phones: dict[str, Phone] = {}
        self.version = 1  # a new phone asks with version 0, so it is answered at once
        self.attempt = 0
        self._deadline = deadline
        self._spare = spare
        self._changed = trio.Event()
        self._earlier: dict[str, Phone] = {}
        self.begin_again()

    def begin_again(self) -> None:
        """Clear the session for the next attempt; phones of earlier attempts may come back."""
        for secret, phone in self.phones.items():
            if not phone.simulated:
                self._earlier[secret] = Phone(phone.name, device=phone.device)
        self.attempt += 1
        self.phones = {}
        # signing keys of the people that may answer; None before it is made
        self.registry: Registry | None = None
        self.board: Board | None = None
        self.posts: list[tuple[str, bytes]] = []
        # by round and user number, a user's encrypted ballots
        self.letters: dict[tuple[int, int], bytes] = {}
        self.closes = 0.0  # time at which the collection of the last round ends
        self.latest = 0.0  # latest possible end of the collection, with all extensions
        self.stopped = False  # whether the teacher has stopped the session early
        self.started = False
        self.settled = False  # whether the questions cannot change any more
        self.noisy_result: NoisyResult | None = None  # estimates from noisy answers, at the end
        # counts of each question alone, if the joint table is not published
        self.singles: Singles | None = None
        self.ended = ""  # the reason why the session ended; "" while it runs
        # key of the sentence that says why the session cannot be repeated; "" if it can
        self.final = "teacher-not-now"
        # the reason of the end that phones show; None: the board states the reason
        self._end: Unwelcome | None = None
        self._numbers = 0
        self.change()

    # Methods below: events of the session.

    def posted(self, time: float, entry: Entry) -> None:
        """Show a post to phones; a call (the query of a round) opens a collection of answers.

        time: when the post was made, in seconds of trio's clock.
        """
        self.posts.append((entry.author, entry.data))
        if entry.message.kind is Kind.CALL:
            self.closes = time + self._deadline
            self.latest = self.closes + self._spare
        self.change()

    def change(self) -> None:
        """Wake all tasks that wait for a change of the class session."""
        self.version += 1
        self._changed.set()
        self._changed = trio.Event()

    async def news(self, version: int, patience: float) -> None:
        """Wait until the session has changed since a version, or for `patience` seconds.

        version: the number of changes that the caller knows.
        """
        if version == self.version:
            with trio.move_on_after(patience):
                await self._changed.wait()
                await trio.sleep(HUSH)

    # Methods below: actions of the teacher.

    def extend(self, seconds: float) -> bool:
        """Extend the open round; return whether it became longer.

        seconds: the wanted extension; all extensions together have a limit.
        """
        new_end = min(self.latest, self.closes + seconds)
        longer = new_end > self.closes
        self.closes = new_end
        self.change()
        return longer

    def set_times(self, deadline: float, spare: float) -> None:
        """Set the length of a round and of all its extensions, in seconds; inform phones."""
        self._deadline, self._spare = deadline, spare
        self.change()

    def let_in(self, limit: int) -> None:
        """Set the number of people that may join from one network address.

        Clears the counts of people that were refused because of the old limit.
        """
        self.most_of_one = limit
        self.turned_away.clear()

    def stop(self) -> None:
        """End the session for the teacher, and inform phones."""
        self.stopped = True
        self.end(Unwelcome(409, "stopped-by-teacher"))

    def end(self, why: Unwelcome) -> None:
        """End the session by a decision of this computer; phones show the reason.

        The board has no post about such an end. why: the reason.
        """
        self._end, self.ended = why, str(why)
        self.change()

    @property
    def repeatable(self) -> bool:
        """Whether the session is over and may be repeated."""
        return bool(self.ended) and not self.final

    @property
    def returning(self) -> int:
        """The number of people of earlier attempts that may come back."""
        return len(self._earlier)

    def ended_in(self, language: Language) -> str:
        """Return the reason why the session ended, in the given language.

        A reason that the board states stays in the board's words, except that too few people
        took part.
        """
        if self._end:
            return self._end.say(language)
        match = TOO_FEW.fullmatch(self.ended)
        if match is None:
            return self.ended
        return language.say("few-took-part", n=int(match[1]), least=int(match[2]))

    # Methods below: requests of phones.

    @property
    def deadline(self) -> float:
        """The length of a round without an extension, in seconds."""
        return self._deadline

    @property
    def round(self) -> int:
        """The number of the last round that was called; 0 before the first."""
        return self.board.calls[-1].round if self.board and self.board.calls else 0

    @property
    def collecting(self) -> bool:
        """Whether answers of the last round may still be handed in."""
        board = self.board
        return (
            board is not None
            and board.phase is Phase.COLLECTING
            and trio.current_time() < self.closes
            and self.asks
        )

    @property
    def asks(self) -> bool:
        """Whether people answer in the last round.

        They do not if the announcement has them answer once, because a later round reuses their
        ballots.
        """
        announcement = self.board.announcement if self.board else None
        return announcement is None or not announcement.once or self.round == 1

    @property
    def simulated(self) -> tuple[int, ...]:
        """The user numbers, from 0, of simulated people that have answered."""
        indices = (phone.index for phone in self.phones.values() if phone.simulated)
        return tuple(sorted(index for index in indices if index is not None))

    @property
    def handed_in(self) -> Counter[int]:
        """The number of submissions, by round."""
        return Counter(number for phone in self.phones.values() for number in phone.message_hashes)

    @property
    def numbered(self) -> int:
        """The number of phones that have a user number in the protocol."""
        return self._numbers

    @property
    def answered(self) -> int:
        """The number of phones that have answered in the last round."""
        return sum(self.round in phone.message_hashes for phone in self.phones.values())

    @property
    def seconds_left(self) -> float:
        """The seconds until the round closes; 0 if no round is open."""
        return max(0.0, self.closes - trio.current_time()) if self.collecting else 0.0

    @property
    def due(self) -> list[Phone]:
        """The phones that can answer in this round: all in round 1, later its respondents.

        Respondents are the phones that answered in round 1.
        """
        return [
            phone for phone in self.phones.values() if self.round == 1 or 1 in phone.message_hashes
        ]

    @property
    def complete(self) -> bool:
        """Whether all people that can still answer in this round have done so."""
        due = self.due
        return (
            self.collecting
            and bool(due)
            and all(self.round in phone.message_hashes for phone in due)
        )

    @property
    def asking_closes(self) -> float:
        """The time at which phones' queries to the party `randomness` end, on trio's clock.

        Phones need its outputs for their ballots, so half of the longest collection remains for
        the ballots.
        """
        return self.latest - (self._deadline + self._spare) / 2

    @property
    def devices(self) -> Counter[str]:
        """The number of people that joined from each network address; not simulated people."""
        return Counter(phone.device for phone in self.phones.values() if phone.device)

    def join(
        self, secret: str, name: str, device: str = "", slip: str = "", key: bytes = b""
    ) -> Phone:
        """Let a phone join and return it; a known secret returns the same phone.

        secret: random text that the phone keeps, by which it is known. name: of the phone's
        person. device: the network address from which the phone joins. The number of people
        from an address is limited, because a computer that joins as many people could surround
        a user: all other answers would be known to it. slip: the code on a paper slip, if slips
        admit phones; it is used up only if the phone is let in. key: the phone's signing key,
        if the class has a registry (list of keys); until the list is made, a known phone may
        bring a new key. Unwelcome if the phone cannot join.
        """
        phone = self.phones.get(secret)
        if phone is not None:
            self._renew(phone, key)
            return phone
        name = " ".join(name.split())
        if self.registry is not None:
            raise Unwelcome(409, "join-begun")
        if self.ended or self.round > 1 or (self.round == 1 and not self.collecting):
            raise Unwelcome(409, "join-begun")
        if self.attempt > 1:
            return self._come_back(secret, key)
        place = self.slips.place_of(slip) if self.slips else None
        self._check_name(name)
        self._check_key(key)
        if device and self.devices[device] >= self.most_of_one:
            self.turned_away[device] += 1
            raise Unwelcome(409, "join-address", n=self.most_of_one)
        if self.slips is not None and place is not None:
            self.slips.use(place)
        return self._let_in(secret, Phone(name, device=device, key=key))

    def _come_back(self, secret: str, key: bytes) -> Phone:
        """Let a phone of an earlier attempt join again under its name; else Unwelcome.

        secret: the random text by which the phone is known. key: its public signing key, if the
        class has a registry (list of keys).
        """
        earlier = self._earlier.get(secret)
        if earlier is None:
            raise Unwelcome(409, "join-begun")
        self._check_key(key)
        return self._let_in(secret, Phone(earlier.name, device=earlier.device, key=key))

    def simulate(self, secret: str, name: str, key: bytes = b"") -> None:
        """Add a simulated person, without an admission code and a network address.

        secret: the text under which the person is kept, as the secret of a phone. key: the
        person's public signing key, if the class has a registry (list of keys).
        """
        self._check_name(name)
        self._let_in(secret, Phone(name, simulated=True, key=key))

    def enroll(self) -> Registry:
        """Return the new registry, the sorted signing keys of all phones; no phone joins later.

        Each phone gets the position of its key as its user number.
        """
        phones = sorted(self.phones.values(), key=lambda phone: phone.key)
        for index, phone in enumerate(phones):
            phone.index = index
        self._numbers = len(phones)
        self.registry = Registry(tuple(phone.key for phone in phones))
        return self.registry

    def _renew(self, phone: Phone, key: bytes) -> None:
        """Replace the signing key of a known phone, which lost its key with a closed tab.

        Unwelcome if the registry (list of keys) is made already, because it has the lost key.
        """
        if not self.registered or key == phone.key or phone.message_hashes:
            return
        # the registry lists the lost key, so the phone can sign no more answers
        if self.registry is not None:
            raise Unwelcome(409, "join-key-gone")
        self._check_key(key)
        phone.key = key

    def _check_key(self, key: bytes) -> None:
        """Raise Unwelcome if another phone already has this signing key."""
        if self.registered and any(phone.key == key for phone in self.phones.values()):
            raise Unwelcome(409, "join-key")

    def _check_name(self, name: str) -> None:
        """Raise Unwelcome if a name is invalid or taken, or the class is full."""
        if not name or not is_line(name) or len(name.encode()) > LONGEST_NAME:
            raise Unwelcome(400, "join-name", most=LONGEST_NAME)
        if any(phone.name.casefold() == name.casefold() for phone in self.phones.values()):
            raise Unwelcome(409, "join-name-taken", name=name)
        if len(self.phones) >= MOST_PHONES:
            raise Unwelcome(503, "join-full", most=MOST_PHONES)

    def _let_in(self, secret: str, phone: Phone) -> Phone:
        """Add a phone under its secret, and return it."""
        self.phones[secret] = phone
        self.change()
        return phone

    def phone_with(self, secret: str) -> Phone:
        """Return the phone with a secret; Unwelcome if no phone has it."""
        phone = self.phones.get(secret)
        if phone is None:
            raise Unwelcome(403, "not-joined")
        return phone

    def number(self, phone: Phone) -> int:
        """Return the phone's user number in the protocol, from 0; the first call assigns it."""
        if phone.index is None:
            phone.index, self._numbers = self._numbers, self._numbers + 1
        return phone.index

    async def answer(self, plan: Round, secret: str, data: bytes, deliver: Deliver) -> bool:
        """Pass a phone's sealed answers on; return False if they were passed on before.

        Only the frame, size and signature of the answers are checked. plan: the open round. secret:
        the random text by which the phone is known. data: the message with the sealed answers.
        deliver: called with the user's name and the message. Unwelcome if the answers do not belong
        to the open round.
        """
        phone = self.phone_with(secret)
        number, digest = plan.call.round, hashlib.sha256(data).digest()
        if number in phone.message_hashes:
            return False  # a second answer is ignored, because each person has one
        if not self.collecting or number != self.round:
            raise Unwelcome(409, "answer-late")
        if number > 1 and 1 not in phone.message_hashes:
            raise Unwelcome(409, "answer-not-in-first")
        if plan.verified:
            envelope = self._signed(plan, phone, data)
        else:
            envelope = envelope_in(data, plan.session, number, plan.witness)
        if envelope is None or (plan.envelope and len(envelope) != plan.envelope):
            raise Unwelcome(400, "answer-not-sealed")
        index = self.number(phone)
        phone.message_hashes[number] = digest
        self.letters[number, index] = envelope
        await deliver(parties.user(index), data)
        self.change()
        return True

    def _signed(self, plan: Round, phone: Phone, data: bytes) -> bytes | None:
        """Return the encrypted ballots of a message if the phone has signed them; else None.

        plan: the open round of a verified mix. data: the bytes of the message.
        """
        try:
            message = decode_message(data)
        except Refused:
            return None
        body, registry = message.body, self.registry
        place = message.session == plan.session and message.round == plan.call.round
        if not isinstance(body, Submission) or not place or body.witness != plan.witness:
            return None
        assert registry is not None  # noqa: S101 - a verified mix is announced with one
        (wrong,) = check_senders(plan, registry, [(parties.user(self.number(phone)), body)])
        return None if wrong else body.envelope

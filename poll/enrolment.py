"""What a computer that would mix says before a session, and what it is given when one begins.

    POST /CODE/mix   an `Offer`, as JSON
                     204  not yet: say it again; who does not is no longer counted on
                     200  `Papers`, as JSON: the session begins
                     409  why not, in a sentence

Both go over plain HTTP, as all that phones ask for. Nothing in them is secret. Whoever changed them
on the way would stand between the parties, with keys of its own: the words of the keys that a
shuffler shows and phones show would differ. That is what they are compared for.
"""

from typing import Annotated

from msgspec import Meta, Struct

from ..crypto.identity import PublicIdentity
from ..errors import DataError, ParameterError
from ..machines.directory import EVERYBODY, Directory, Place
from ..protocol import parties
from ..protocol.messages import Roster
from ..protocol.phases import BOARD
from ..strict_text import Unreadable, from_json
from .questions import QuestionsTable

LARGEST = 1 << 14  # bytes of an offer; one of ours has some 1,500
HALL = "people"  # the place that speaks for all phones
DESK = (BOARD, parties.CURATOR, parties.ANALYST)  # who are with the class's computer
Hex = Annotated[str, Meta(pattern="^(?:[0-9a-f]{2})*$", max_length=256)]
Port = Annotated[int, Meta(ge=1, le=65_535)]


class IdentityRecord(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A public identity (crypto/identity.py).

    Attributes:
        name: what its holder calls itself.
        key: its Ed25519 key, hexadecimal.
        certificate: PEM.
        binding: its signature of name and certificate, hexadecimal.
    """

    name: Annotated[str, Meta(max_length=64)]
    key: Hex
    certificate: Annotated[str, Meta(max_length=8_192)]
    binding: Hex

    @classmethod
    def of(cls, identity: PublicIdentity) -> "IdentityRecord":
        """Write an identity."""
        return cls(
            name=identity.name,
            key=identity.key.hex(),
            certificate=identity.certificate,
            binding=identity.binding.hex(),
        )

    @property
    def identity(self) -> PublicIdentity:
        """Read it; ParameterError unless its holder has signed it."""
        if not self.certificate:
            raise ParameterError(f"{self.name}: a certificate is missing")
        return PublicIdentity(
            self.name, bytes.fromhex(self.key), self.certificate, bytes.fromhex(self.binding)
        )


class Offer(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a computer says that would mix.

    Attributes:
        party: which shuffler it would be.
        who: its identity.
        port: where it listens, at the address that it asks from.
    """

    party: Annotated[str, Meta(pattern="^shuffler-[1-9][0-9]?$")]
    who: IdentityRecord
    port: Port

    @classmethod
    def read(cls, data: bytes) -> "Offer":
        """Read what was sent; DataError, in a sentence, if it is none."""
        try:
            offer = from_json(data[: LARGEST + 1], cls)
            _ = offer.who.identity
        except ParameterError as wrong:
            raise DataError(f"this identity is not accepted: {wrong}") from None
        except Unreadable as wrong:
            raise DataError(f"no offer to mix: {wrong.why}") from None
        return offer


class Seat(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where a party is, and who it is.

    Attributes:
        who: its identity.
        host, port: where it listens; port 0: nowhere.
    """

    who: IdentityRecord
    host: str
    port: Annotated[int, Meta(ge=0, le=65_535)]

    def place(self, name: str) -> Place:
        """Give it as a place of a directory."""
        users = EVERYBODY if name == HALL else range(0)
        return Place(name, self.who.identity.certificate, self.host, self.port, users)


class Papers(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What whoever mixes is given when a session begins: all that its parties agree on.

    Attributes:
        questions: the file of questions.
        opening: what tells this session from all others, hexadecimal.
        signers: the keys that board, curator and analyst sign by, hexadecimal, in this order, and
            behind them that of `randomness`, where there is one.
        desk: where these three are.
        hall: who speaks for phones; it only talks.
        shufflers: in the order of their hops.
    """

    questions: QuestionsTable
    opening: Hex
    signers: Annotated[tuple[Hex, ...], Meta(min_length=3, max_length=4)]
    desk: Seat
    hall: Seat
    shufflers: tuple[Seat, ...]

    @property
    def directory(self) -> Directory:
        """All places; ParameterError if an identity among them is none."""
        places = dict.fromkeys(DESK, self.desk)
        places |= {parties.shuffler(hop): seat for hop, seat in enumerate(self.shufflers, start=1)}
        places[HALL] = self.hall
        return Directory({name: seat.place(name) for name, seat in places.items()})

    @property
    def roster(self) -> Roster:
        """Who signs what; ParameterError if that cannot be."""
        hops = tuple(bytes.fromhex(seat.who.key) for seat in self.shufflers)
        board, curator, analyst, *more = map(bytes.fromhex, self.signers)
        return Roster(bytes.fromhex(self.opening), board, curator, analyst, hops, *more)

"""The offer of a computer to run a shuffler, and the session data that it receives at the start.

    POST /CODE/mix   a `MixOffer`, as JSON
                     204  not yet: repeat it; an offer that is not repeated lapses
                     200  `Papers`, as JSON: the session begins
                     409  why not, in a sentence

Both go over plain HTTP, as all requests of phones. They contain no secret. An attacker that changed
them on the way would stand between the parties, with keys of its own: the words of the keys that a
shuffler shows and phones show would differ. This is why the class compares them.
"""

from typing import Annotated

from msgspec import Meta, Struct

from ..crypto.identity import PublicIdentity
from ..errors import DataError, ParameterError
from ..machines.directory import ALL_USERS, Directory, SessionPlace
from ..protocol.board.phases import BOARD
from ..protocol.wire import parties
from ..protocol.wire.messages import Roster
from ..strict_text import Unreadable, from_json
from .questions import QuestionsTable

LARGEST = 1 << 14  # largest number of bytes of an offer; usual offers have some 1,500
HALL = "people"  # name of the client that speaks for all phones
DESK = (BOARD, parties.CURATOR, parties.ANALYST)  # the parties on the class's computer
Hex = Annotated[str, Meta(pattern="^(?:[0-9a-f]{2})*$", max_length=256)]
Port = Annotated[int, Meta(ge=1, le=65_535)]


class IdentityRecord(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A public identity (crypto/identity.py) in the form of JSON.

    Attributes:
        name: the name that the holder has chosen.
        key: the holder's Ed25519 key, hexadecimal.
        certificate: the holder's TLS certificate, PEM.
        binding: the holder's signature of name and certificate, hexadecimal.
    """

    name: Annotated[str, Meta(max_length=64)]
    key: Hex
    certificate: Annotated[str, Meta(max_length=8_192)]
    binding: Hex

    @classmethod
    def from_identity(cls, identity: PublicIdentity) -> "IdentityRecord":
        """Return the record of an identity."""
        return cls(
            name=identity.name,
            key=identity.key.hex(),
            certificate=identity.certificate,
            binding=identity.binding.hex(),
        )

    @property
    def identity(self) -> PublicIdentity:
        """The identity; ParameterError unless its holder has signed it."""
        if not self.certificate:
            raise ParameterError(f"{self.name}: a certificate is missing")
        return PublicIdentity(
            self.name, bytes.fromhex(self.key), self.certificate, bytes.fromhex(self.binding)
        )


class MixOffer(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An offer of a computer to run a shuffler.

    Attributes:
        party: the shuffler that it would be.
        who: the public identity.
        port: the port at which it listens, at the address of its request.
    """

    party: Annotated[str, Meta(pattern="^shuffler-[1-9][0-9]?$")]
    who: IdentityRecord
    port: Port

    @classmethod
    def read(cls, data: bytes) -> "MixOffer":
        """Return the offer in a request; DataError, in a sentence, if the data are no offer."""
        try:
            offer = from_json(data[: LARGEST + 1], cls)
            _ = offer.who.identity
        except ParameterError as wrong:
            raise DataError(f"this identity is not accepted: {wrong}") from None
        except Unreadable as wrong:
            raise DataError(f"no offer to mix: {wrong.why}") from None
        return offer


class PartySeat(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The address and the identity of a party.

    Attributes:
        who: the public identity.
        host, port: the address at which it listens; port 0: it does not listen.
    """

    who: IdentityRecord
    host: str
    port: Annotated[int, Meta(ge=0, le=65_535)]

    def place(self, name: str) -> SessionPlace:
        """Return the party's address in the form of a directory entry. name: the party."""
        users = ALL_USERS if name == HALL else range(0)
        return SessionPlace(name, self.who.identity.certificate, self.host, self.port, users)


class Papers(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The data on which a session's parties agree, as every shuffler receives them at the start.

    Attributes:
        questions: the file of questions.
        opening: random bytes that distinguish this session from all other sessions, hexadecimal.
        signers: the keys that board, curator and analyst sign by, hexadecimal, in this order,
            followed by the key of `randomness`, if the session has that party.
        desk: the address and identity of these three parties.
        hall: the client that speaks for phones; it does not listen.
        shufflers: in the order of their hops.
    """

    questions: QuestionsTable
    opening: Hex
    signers: Annotated[tuple[Hex, ...], Meta(min_length=3, max_length=4)]
    desk: PartySeat
    hall: PartySeat
    shufflers: tuple[PartySeat, ...]

    @property
    def directory(self) -> Directory:
        """The directory of all places; ParameterError if an identity among them is invalid."""
        places = dict.fromkeys(DESK, self.desk)
        places |= {parties.shuffler(hop): seat for hop, seat in enumerate(self.shufflers, start=1)}
        places[HALL] = self.hall
        return Directory({name: seat.place(name) for name, seat in places.items()})

    @property
    def roster(self) -> Roster:
        """The signing keys by party; ParameterError if they are invalid."""
        hops = tuple(bytes.fromhex(seat.who.key) for seat in self.shufflers)
        board, curator, analyst, *more = map(bytes.fromhex, self.signers)
        return Roster(bytes.fromhex(self.opening), board, curator, analyst, hops, *more)

"""The request of another computer to run a shuffler for a class, and the data that it receives.

    POST /CODE/mix   a `MixOffer`, as JSON: the computer offers to run one of the shufflers
                     204  the session has not begun: repeat the offer, or it lapses
                     200  `Papers`, as JSON: the addresses and keys of the session, which begins
                     409  the offer is refused; the body is the reason in a sentence

Offers and papers go over plain HTTP, as all requests of phones. They contain no secret. An attacker
could change them on the way, and stand between the parties with keys of its own. The key that a
shuffler shows as words would then differ from the words that phones show: so the class compares
them.
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

# largest number of bytes of an offer to run a shuffler; usual offers have some 1,500
LARGEST = 1 << 14
HALL = "people"  # name of the client that speaks for all phones
# the parties on the class's computer, which serves them all at one address
DESK = (BOARD, parties.CURATOR, parties.ANALYST)
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
        """Return a public identity as a record for JSON."""
        return cls(
            name=identity.name,
            key=identity.key.hex(),
            certificate=identity.certificate,
            binding=identity.binding.hex(),
        )

    @property
    def identity(self) -> PublicIdentity:
        """The identity in this record; ParameterError unless its holder's signature is valid."""
        if not self.certificate:
            raise ParameterError(f"{self.name}: a certificate is missing")
        return PublicIdentity(
            self.name, bytes.fromhex(self.key), self.certificate, bytes.fromhex(self.binding)
        )


class MixOffer(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An offer of a computer to run a shuffler in a class session.

    Attributes:
        party: the name of the shuffler, such as `shuffler-1`.
        who: the public identity of the computer.
        port: the port at which the computer listens, at the address from which the offer comes.
    """

    party: Annotated[str, Meta(pattern="^shuffler-[1-9][0-9]?$")]
    who: IdentityRecord
    port: Port

    @classmethod
    def read(cls, data: bytes) -> "MixOffer":
        """Return the offer to run a shuffler that a request holds.

        Raises:
            DataError: the data are not a valid offer, or its identity is not signed by its holder.
        """
        try:
            offer = from_json(data[: LARGEST + 1], cls)
            _ = offer.who.identity
        except ParameterError as wrong:
            raise DataError(f"this identity is not accepted: {wrong}") from None
        except Unreadable as wrong:
            raise DataError(f"not a valid offer to run a shuffler: {wrong.why}") from None
        return offer


class PartySeat(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The address and the identity of a party.

    Attributes:
        who: the public identity of the party.
        host, port: the address at which the party listens; port 0: the party does not listen.
    """

    who: IdentityRecord
    host: str
    port: Annotated[int, Meta(ge=0, le=65_535)]

    def place(self, name: str) -> SessionPlace:
        """Return the party's address and certificate as an entry of the session's directory.

        name: the name of the party.
        """
        users = ALL_USERS if name == HALL else range(0)
        return SessionPlace(name, self.who.identity.certificate, self.host, self.port, users)


class Papers(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The data on which a session's parties agree, sent to every remote shuffler at the start.

    Attributes:
        questions: the file of questions.
        opening: random bytes that distinguish this session from all other sessions, hexadecimal.
        signers: the public signing keys of board, curator and analyst, hexadecimal, in this order,
            followed by the key of the party `randomness`, if the session has that party.
        desk: the address and identity of board, curator and analyst, all on the class's computer.
        hall: the identity of the client that speaks for all phones; it does not listen.
        shufflers: the addresses and identities of the shufflers, in the order of their hops.
    """

    questions: QuestionsTable
    opening: Hex
    signers: Annotated[tuple[Hex, ...], Meta(min_length=3, max_length=4)]
    desk: PartySeat
    hall: PartySeat
    shufflers: tuple[PartySeat, ...]

    @property
    def directory(self) -> Directory:
        """The address and certificate of each party; ParameterError if an identity is invalid."""
        places = dict.fromkeys(DESK, self.desk)
        places |= {parties.shuffler(hop): seat for hop, seat in enumerate(self.shufflers, start=1)}
        places[HALL] = self.hall
        return Directory({name: seat.place(name) for name, seat in places.items()})

    @property
    def roster(self) -> Roster:
        """The public signing key of each party; ParameterError if the keys are invalid."""
        hops = tuple(bytes.fromhex(seat.who.key) for seat in self.shufflers)
        board, curator, analyst, *more = map(bytes.fromhex, self.signers)
        return Roster(bytes.fromhex(self.opening), board, curator, analyst, hops, *more)

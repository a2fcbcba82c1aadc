r"""A session without a central party: the agreement of peers, and the steps of its rounds.

All terms are agreed beforehand, out of band, without an announcement. Each peer posts a fresh key.
From then on all peers derive the same name of the session:

    session = SHA-256("veilmix peers 1\0" || agreement || number and key of every peer, ascending)

Every layer is bound to this name, so messages of a peer with other terms do not count. The rounds
and queries are as in the program `two-round`. A round has steps 0 to L + 5, where L is the
length of a path (the peers that open an onion in turn). In each step every peer posts one message:

    0         share    its share of the key to which all ballots of the round are sealed
    1 .. L    relay    in step 1 its own onions, then the layers that it opened, sorted per receiver
    L + 1     agreed   the digest of all relays: none of its onions is missing
    L + 2     found    the sealed ballots at the end of their paths
    L + 3     agreed   the digest of all found ballots: none of its ballots is missing
    L + 4     shown    the secret of its share: with all of them every ballot opens
    L + 5     agreed   the digest of the result: the decision, or the release

In steps 2 to L + 3 a peer may post an accusation instead. No secret is revealed before step L + 4,
so the part of an onion in an accusation stays sealed. A step that is not complete at its deadline
ends the session, and so does every error that the board shows.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from ...crypto.joint_key import OVERHEAD
from ...crypto.keys import PublicKey, SuiteCode
from ...crypto.layer import layer_size
from ...crypto.suites import Suite, suite_by_code
from ...errors import ParameterError, Reason, Refused
from ..rounds.round_context import domain_of, layer_context, padded_size
from ..wire.announcement import AnnouncedPolicy, Rules
from ..wire.messages import Call, Kind
from ..wire.schema import Schema
from ..wire.wire import Reader, Writer, decode

LABEL = b"veilmix peers 1\0"
MAX_PATH = 16
MAX_COVER = 255
ROUTE = 2  # bytes of a layer that hold the number of the next peer
PATH_END = 0  # in place of the next peer's number, in the last layer of an onion


@dataclass(frozen=True, slots=True)
class Agreement:
    """The terms on which all peers agree out of band before a session begins.

    Attributes:
        title: the title of the session.
        schema: the columns, in order.
        policy: the limits of a release, and the decision rule.
        rules: the rules of messages.
        suite: the cipher suite of all keys.
        path: the number of peers that every onion passes, 1 to 16.
        cover: the number of onions without an answer that each peer adds in round 1. Round 2 has as
            many onions as round 1, so that its single answer has an anonymity set, too.
    """

    title: str
    schema: Schema
    policy: AnnouncedPolicy
    rules: Rules
    suite: SuiteCode
    path: int
    cover: int

    def __post_init__(self) -> None:
        """Check the ranges; ParameterError names the field and the accepted values."""
        if not 1 <= self.path <= MAX_PATH:
            raise ParameterError(f"path: found {self.path}; 1 to {MAX_PATH} peers are accepted")
        if not 0 <= self.cover <= MAX_COVER:
            raise ParameterError(
                f"cover: found {self.cover} blank onions a peer; 0 to {MAX_COVER} are accepted"
            )
        if self.suite is not SuiteCode.SEALEDBOX:
            raise ParameterError(
                f"suite: found {self.suite.name.lower()}; sealedbox is accepted, whose layers can "
                "be sealed again to prove an accusation"
            )

    @property
    def onions(self) -> int:
        """The number of onions that each peer sends in each round."""
        return len(self.schema.features) + self.cover

    def encode(self) -> bytes:
        """Return the canonical encoding: equal agreements have equal bytes."""
        out = Writer().text(self.title)
        for part in (self.schema, self.policy, self.rules):
            part.write(out)
        return out.u8(self.suite).u8(self.path).u8(self.cover).finish()

    @classmethod
    def decode(cls, data: bytes) -> "Agreement":
        """Read an agreement from its bytes. Refused if they are not a canonical encoding."""
        return decode(data, _read)

    def session(self, keys: Mapping[int, PublicKey]) -> bytes:
        """Return the name of the session: a hash of the agreement with the keys of all peers."""
        out = Writer().blob(self.encode())
        for number in sorted(keys):
            out.u16(number).blob(keys[number].encode())
        return hashlib.sha256(LABEL + out.finish()).digest()


def _read(data: Reader) -> Agreement:
    """Read the fields of an agreement in order; Refused if the suite is unknown."""
    terms = (data.text(), Schema.read(data), AnnouncedPolicy.read(data), Rules.read(data))
    suite, path, cover = data.u8(), data.u8(), data.u8()
    if suite not in set(SuiteCode):
        raise Refused(Reason.MALFORMED)
    return Agreement(*terms, SuiteCode(suite), path, cover)


@dataclass(frozen=True)
class PeerRound:
    """The properties of a peer round that every peer can derive.

    Attributes:
        session: the digest of the agreement and all keys, 32 bytes.
        call: the query of the round.
        agreement: the agreed terms.
        keys: the public keys of all peers that take part, by number.
        suite: the cipher suite of all keys.
        ballot: bytes of a padded ballot.
        domains: per column, the test whether a value may be submitted.
        joint: the joint key to which ballots are sealed; empty before step 1.
    """

    session: bytes
    call: Call
    agreement: Agreement
    keys: Mapping[int, PublicKey]
    suite: Suite
    ballot: int
    domains: tuple[Callable[[str], bool], ...]
    joint: bytes = b""

    @property
    def path(self) -> int:
        """The number of peers that every onion passes."""
        return self.agreement.path

    @property
    def blanks(self) -> int:
        """The number of onions without an answer that each peer sends."""
        return self.agreement.onions - len(self.call.asks)

    @cached_property
    def contexts(self) -> tuple[bytes, ...]:
        """By step of a path, the bytes that bind a layer to this step; item 0 is empty."""
        steps = range(1, self.path + 1)
        return (b"", *(layer_context(self.session, self.call, step) for step in steps))

    @cached_property
    def ballots(self) -> bytes:
        """The bytes that bind the sealed ballots inside the last layers to this round."""
        return layer_context(self.session, self.call, self.path + 1)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The bytes of a layer that arrives in a step, at the index of the step.

        Items 0 and L + 1, where L is the length of a path, are the bytes of a sealed ballot.
        """
        sizes = [self.ballot + OVERHEAD]
        for _ in range(self.path):
            sizes.append(layer_size(self.suite, ROUTE + sizes[-1]))
        return (sizes[0], *reversed(sizes))


def share_context(session: bytes, number: int, peer: int) -> bytes:
    """Return the context (bytes) to which a peer's share of a round's joint key is bound.

    session: the name of the session. number: the round. peer: the peer's number.
    """
    return session + bytes([number]) + peer.to_bytes(ROUTE, "big")


def open_peer_round(
    agreement: Agreement, session: bytes, keys: Mapping[int, PublicKey], call: Call
) -> PeerRound:
    """Peer: return the round of a call (query), derived from the agreement and all keys."""
    domains = tuple(
        domain_of(call, column, feature) for column, feature in enumerate(agreement.schema.features)
    )
    ballot = padded_size(agreement.schema, call)
    scheme = suite_by_code(agreement.suite)
    return PeerRound(session, call, agreement, keys, scheme, ballot, domains)


def last_step(agreement: Agreement) -> int:
    """Return the number of the last step of a round."""
    return agreement.path + 5


def due(agreement: Agreement, step: int) -> Kind:
    """Return the kind of message that every peer must post in a step of a round."""
    if step == 0:
        return Kind.SHARE
    if step <= agreement.path:
        return Kind.RELAY
    special = {agreement.path + 2: Kind.FOUND, agreement.path + 4: Kind.SHOWN}
    return special.get(step, Kind.AGREED)


def accusable(agreement: Agreement, step: int) -> bool:
    """Whether a peer may post an accusation in a step: after step 1, before secrets are revealed.

    An accusation shows a layer; a revealed secret would open the ballot in it.
    """
    return 1 < step <= agreement.path + 3

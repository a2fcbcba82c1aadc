r"""Two-party additive secret sharing: sums of people's answers that neither party can open.

A person's answers to queries with V_1, ..., V_d values are one vector x of M = V_1 + ... + V_d
zeros and ones. Each query has a block of V_j entries, with a single one at the answer. The vector
is split in two shares, each sealed to one aggregator:

    share 1 = r, uniform in {0, ..., 2^32 - 1}^M        share 2 = x - r  mod 2^32

    offset  size  field of a share, before it is sealed
    0       4 M   u32 for each value of each feature, in the order of the schema

    session of shares = SHA-256("veilmix sharing 1\0" || digest of the announcement || encoded key
    of aggregator 1 || encoded key of aggregator 2)
    context of a share = SHA-256("veilmix share 1\0" || session of shares || aggregator (1 or 2) ||
    user index (u32))

User indices begin with 0. A share travels in a `submission` of round 1. Aggregators refuse a share
of another size (wrong-size), a share that does not open (does-not-open) and a second share of a
person (duplicate). A person with only one valid share is not counted.

Each aggregator adds up its opened shares; the curator adds the two sums mod 2^32 and has the
counts. A share alone is uniform for every x. Both shares of a person give the person's row: the two
aggregators together link all people. No party checks that x is a vector of zeros and ones. So a
malicious person can shift the counts by any amount, as long as the totals stay possible. An
impossible total burns (aborts) the round.
"""

import hashlib
import struct
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from ...crypto.entropy import Entropy
from ...crypto.keys import PublicKey, SecretKey
from ...crypto.layer import layer_size, open_layer, seal_layer
from ...crypto.suites import Suite, suite_by_code
from ...errors import IllegalMove, ParameterError, Reason, Refused, RoundBurned
from ..wire.announcement import Announcement
from ..wire.messages import Counts
from ..wire.schema import Schema

LABEL = b"veilmix sharing 1\0"
CONTEXT_LABEL = b"veilmix share 1\0"
WORD = 4  # bytes of one entry of a vector (one number for each value of each feature)
MODULUS = 1 << 32
AGGREGATORS = (1, 2)
AGGREGATOR_1, AGGREGATOR_2 = "aggregator-1", "aggregator-2"

Vector = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ShareSession:
    """The public properties of a session of secret sharing, which every party can derive.

    Attributes:
        session: the digest of the announcement and the two aggregators' keys.
        suite: the cipher suite of all keys.
        keys: the public keys of the two aggregators.
        schema: the columns, in order.
        places: per feature, the index of each value in a person's vector.
        min_batch: the smallest number of people in a sum that may be revealed.
    """

    session: bytes
    suite: Suite
    keys: tuple[PublicKey, PublicKey]
    schema: Schema
    places: tuple[Mapping[str, int], ...]
    min_batch: int

    @property
    def length(self) -> int:
        """The length of a person's vector: the number of values of all features together."""
        return sum(len(place) for place in self.places)

    @property
    def size(self) -> int:
        """The size in bytes of a sealed share, which a person sends to one aggregator.

        All shares are equally long, because each has a number for every possible value.
        """
        return layer_size(self.suite, WORD * self.length)

    def context(self, aggregator: int, user: int) -> bytes:
        """Return the 32 bytes that bind a sealed share to session, aggregator and person."""
        place = self.session + bytes([aggregator]) + user.to_bytes(4, "big")
        return hashlib.sha256(CONTEXT_LABEL + place).digest()


@dataclass(frozen=True, slots=True)
class SealedShares:
    """A person's two shares, sealed to aggregator 1 and to aggregator 2.

    The shares are vectors that add up to the person's row, mod 2^32.
    """

    layers: tuple[bytes, bytes]


def open_sharing(announcement: Announcement, keys: tuple[PublicKey, PublicKey]) -> ShareSession:
    """Any party: return the session of secret sharing between two aggregators.

    ParameterError if a feature has an open domain. keys: the public keys of aggregators 1 and 2.
    """
    for feature in announcement.schema.features:
        if feature.values is None:
            raise ParameterError(
                f"feature {feature.name!r}: its domain is open; a share has one number for each "
                "value, so only public domains can be counted by secret sharing"
            )
    if keys[0] == keys[1]:
        raise ParameterError("the aggregators have the same key; each needs its own")
    named = LABEL + announcement.digest() + keys[0].encode() + keys[1].encode()
    starts = accumulate((len(f.values or ()) for f in announcement.schema.features), initial=0)
    places = tuple(
        {value: start + at for at, value in enumerate(feature.values or ())}
        for feature, start in zip(announcement.schema.features, starts, strict=False)
    )
    suite = suite_by_code(announcement.suite, lesson=announcement.rules.lesson)
    return ShareSession(
        hashlib.sha256(named).digest(),
        suite,
        keys,
        announcement.schema,
        places,
        announcement.rules.min_batch,
    )


def one_hot(plan: ShareSession, row: Sequence[str]) -> Vector:
    """User: return a row as a vector that is 1 at the value of each feature, and 0 elsewhere.

    ParameterError if the row has another number of values, or a value outside its domain.
    """
    if len(row) != len(plan.places):
        raise ParameterError(f"row: found {len(row)} values; {len(plan.places)} are accepted")
    vector = [0] * plan.length
    for feature, place, value in zip(plan.schema.features, plan.places, row, strict=True):
        if value not in place:
            raise ParameterError(
                f"feature {feature.name!r}: the value {value!r} is not in its domain"
            )
        vector[place[value]] = 1
    return tuple(vector)


def split(vector: Sequence[int], entropy: Entropy) -> tuple[Vector, Vector]:
    """User: return two shares, vectors that sum to the given vector mod 2^32.

    Each share alone is uniformly distributed.
    """
    mask = _numbers(entropy.random(WORD * len(vector)), len(vector))
    return mask, tuple((x - r) % MODULUS for x, r in zip(vector, mask, strict=True))


def seal_shares(
    plan: ShareSession, user: int, shares: tuple[Vector, Vector], entropy: Entropy
) -> SealedShares:
    """User: encrypt the first share to aggregator 1 and the second share to aggregator 2.

    user: the person's index, from 0.
    """
    first, second = (
        seal_layer(plan.suite, key, _bytes(share), plan.context(number, user), entropy)
        for number, key, share in zip(AGGREGATORS, plan.keys, shares, strict=True)
    )
    return SealedShares((first, second))


def share(plan: ShareSession, user: int, row: Sequence[str], entropy: Entropy) -> SealedShares:
    """User: turn a row into two sealed shares, for aggregators 1 and 2.

    user: the person's index, from 0.
    """
    return seal_shares(plan, user, split(one_hot(plan, row), entropy), entropy)


def _numbers(data: bytes, length: int) -> Vector:
    """Decode a vector from u32 numbers, big-endian."""
    return struct.unpack(f">{length}I", data)


def _bytes(vector: Sequence[int]) -> bytes:
    """Encode a vector as u32 numbers, big-endian."""
    return struct.pack(f">{len(vector)}I", *vector)


@dataclass(slots=True)
class ShareAccumulator:
    """The state of an aggregator: its opened shares, and the number of refused messages.

    Attributes:
        plan: the public properties of the session.
        aggregator: the number of the aggregator, 1 or 2.
        secret: the private key of the aggregator.
        shares: the opened share of each person, by index.
        refused: the number of refused messages, by reason.
        has_revealed: whether the sum has been revealed, which happens once.
    """

    plan: ShareSession
    aggregator: int
    secret: SecretKey
    shares: dict[int, Vector] = field(default_factory=dict)
    refused: Counter[Reason] = field(default_factory=Counter)
    has_revealed: bool = False

    def add_share(self, user: int, layer: bytes) -> None:
        """Aggregator: open a person's share and keep it; an invalid share is refused and counted.

        layer: the sealed share.
        """
        if user in self.shares:
            self.refused[Reason.DUPLICATE] += 1
            return
        try:
            self.shares[user] = open_share(self.plan, self.aggregator, user, self.secret, layer)
        except Refused as refusal:
            self.refused[refusal.reason] += 1

    def subtotal(self, users: Iterable[int]) -> Vector:
        """Aggregator: return the sum of these people's shares, mod 2^32.

        RoundBurned if fewer people than the smallest batch have a share. IllegalMove at a second
        call, because two sums that differ by a person reveal that person's row.
        """
        if self.has_revealed:
            raise IllegalMove(f"aggregator {self.aggregator}: its sum was already revealed")
        chosen = [self.shares[user] for user in self.shares.keys() & set(users)]
        if len(chosen) < self.plan.min_batch:
            raise RoundBurned(
                f"{len(chosen)} people's shares arrived at both aggregators; the smallest batch "
                f"that hides is {self.plan.min_batch}"
            )
        self.has_revealed = True
        return tuple(sum(column) % MODULUS for column in zip(*chosen, strict=True))


def open_share(
    plan: ShareSession, aggregator: int, user: int, secret: SecretKey, layer: bytes
) -> Vector:
    """Aggregator: decrypt a person's share. Refused if its size is wrong or it does not open.

    aggregator: the number of the aggregator, 1 or 2. user: the person's index, from 0. layer: the
    sealed share.
    """
    if len(layer) != plan.size:
        raise Refused(Reason.WRONG_SIZE)
    plain = open_layer(secret, layer, plan.context(aggregator, user))
    return _numbers(plain, plan.length)


def agreed(first: ShareAccumulator, second: ShareAccumulator) -> list[int]:
    """Aggregators: return the indices of people with a share at both aggregators, ascending.

    Other people are not counted, because a single share of a person is random noise.
    """
    return sorted(first.shares.keys() & second.shares.keys())


def add(first: Vector, second: Vector) -> Vector:
    """Return the sum of two vectors mod 2^32.

    The curator adds the two aggregators' sums. Colluding aggregators can add the two shares of a
    person, and so learn the person's row (`row_of`).
    """
    return tuple((a + b) % MODULUS for a, b in zip(first, second, strict=True))


def count(plan: ShareSession, total: Vector, people: int) -> tuple[Counts, ...]:
    """Curator: return the counts of every feature from the total of all shares.

    RoundBurned unless every count is at most the number of people, and the counts of each feature
    sum to this number. A malicious person can still move people from value to value within these
    limits.
    """
    ends = accumulate((len(place) for place in plan.places), initial=0)
    counts: list[Counts] = []
    for feature, place, (start, end) in zip(
        plan.schema.features, plan.places, pairwise(ends), strict=True
    ):
        block = total[start:end]
        if max(block) > people or sum(block) != people:
            raise RoundBurned(
                f"the counts of {feature.name!r} cannot be those of {people} people: somebody's "
                "shares do not add up to an answer, and nobody can tell whose"
            )
        counts.append({(value,): block[at - start] for value, at in place.items() if total[at]})
    return tuple(counts)


def row_of(plan: ShareSession, first: Vector, second: Vector) -> tuple[str, ...] | None:
    """Both aggregators in collusion: return a person's row from its two shares.

    None if the shares do not add up to a vector with a single 1 for each feature.
    """
    vector = add(first, second)
    row: list[str] = []
    for place in plan.places:
        values = [value for value, at in place.items() if vector[at]]
        if len(values) != 1 or vector[place[values[0]]] != 1:
            return None
        row.append(values[0])
    return tuple(row)

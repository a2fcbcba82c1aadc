r"""Messages that open if k people have sent the same texts: STAR, nested, with every share checked.

A person turns each of its texts (a row, or longer and longer prefixes of a row) into a seed with
the oblivious pseudorandom function of a party that does not see the text (voprf.py). A level of its
message is

    commitments   k elements            \  the body: equal for all with this seed and text
    sealed text   text || seed, sealed  /
    share         x || f(x)                x at random: the person's own
    inside        the next level, sealed   (not in the last)

f is the polynomial of the seed (verifiable_sharing.py). Text and inside are sealed with
ChaCha20-Poly1305 under SHA-256(label || f(0)) and SHA-256(label || f(0) || x): each key seals one
plaintext, so the nonce is 0. The reader groups messages by their bodies. k shares of one body give
f(0), the text, the seed, and with it f and the body again: a share that is not on f is junk and is
refused, and only that person is lost. If the first k shares do not fit, each is checked against the
commitments, so junk can cost the reader time and never keeps a group closed that k right shares can
open. Bodies of deeper levels lie inside those of the level before, each under a key of its own:
their frequencies stay hidden until the level before is open.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import NamedTuple

from nacl.bindings import (
    crypto_aead_chacha20poly1305_ietf_decrypt as _unseal,
)
from nacl.bindings import (
    crypto_aead_chacha20poly1305_ietf_encrypt as _seal,
)
from nacl.exceptions import CryptoError

from ..errors import ParameterError, Reason, Refused
from .entropy import Entropy
from .ristretto import ELEMENT, ORDER, SCALAR, UNIFORM
from .verifiable_sharing import (
    SHARE,
    SharePoint,
    check_needed,
    commitments,
    decode_share,
    is_right,
    opens,
    polynomial,
    secret_of,
    share_at,
)

SEED = 32  # bytes of the oblivious function's output from which a level is made
TAG = 16  # bytes of the authentication tag that sealing adds to a text

_TEXT = b"veilmix threshold text 1\0"
_INSIDE = b"veilmix threshold inside 1\0"
_ONCE = bytes(12)  # the nonce 0: each key seals a single plaintext


@dataclass(frozen=True, slots=True)
class TextLevel:
    """One text of a person, with the output of the oblivious pseudorandom function for it.

    A level of a message holds one text; levels are nested.

    Attributes:
        seed: the first 32 bytes of the output; with it, the text's group can be opened.
        text: the text to be sealed, padded to its width.
    """

    seed: bytes = field(repr=False)
    text: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Shape:
    """The parameters that all messages of a round share.

    Attributes:
        needed: k, 1 to 255: the least number of people with one text that opens it.
        widths: bytes of the text of each level, the outermost first; at least one level.
    """

    needed: int
    widths: tuple[int, ...]

    def __post_init__(self) -> None:
        """Check that k is from 1 to 255 and that there is at least one level."""
        check_needed(self.needed)
        if not self.widths or min(self.widths) < 0:
            raise ParameterError(
                f"widths: found {self.widths}; needs at least one width, each of 0 bytes or more"
            )

    def body(self, level: int) -> int:
        """Return the number of bytes of a level's body: commitments and sealed text."""
        return self.needed * ELEMENT + self.widths[level] + SEED + TAG

    def size(self, level: int = 0) -> int:
        """Return the number of bytes of a message from a level on; level 0 is the whole message."""
        inside = TAG + self.size(level + 1) if level + 1 < len(self.widths) else 0
        return self.body(level) + SHARE + inside


class _LevelBody(NamedTuple):
    """The polynomial and the body of a level, the same for all people with its seed and text.

    Attributes:
        coefficients: of the polynomial f, which shares the key of the level.
        body: commitments to the coefficients, and the sealed text.
    """

    coefficients: tuple[int, ...]
    body: bytes


class Sealer:
    """A maker of messages of one shape, which computes the common parts of equal texts once."""

    def __init__(self, shape: Shape) -> None:
        """Begin with an empty cache of level bodies."""
        self.shape = shape
        self._level_bodies: dict[TextLevel, _LevelBody] = {}

    def seal(self, levels: Sequence[TextLevel], entropy: Entropy) -> bytes:
        """Return the message of a person with these texts, of the shape's size.

        Raises:
            ParameterError: not as many texts as levels, or of other widths.
        """
        if tuple(len(level.text) for level in levels) != self.shape.widths:
            raise ParameterError(
                f"levels: found texts of other lengths; accepted: {self.shape.widths} bytes"
            )
        drawn = entropy.random(UNIFORM * len(levels))
        message = b""
        for at, level in reversed(list(enumerate(levels))):
            place = drawn[at * UNIFORM : (at + 1) * UNIFORM]
            x = int.from_bytes(place, "little") % (ORDER - 1) + 1
            level_body = self._level_body(level)
            share = share_at(level_body.coefficients, x)
            key = _key(_INSIDE, level_body.coefficients[0], x)
            inside = _seal(message, None, _ONCE, key) if message else b""
            message = level_body.body + share.encode() + inside
        return message

    def _level_body(self, level: TextLevel) -> _LevelBody:
        """Return the polynomial and the body of a level, from the cache if it was made before."""
        body = self._level_bodies.get(level)
        if body is None:
            body = self._level_bodies[level] = _make(level, self.shape.needed)
        return body

    def __repr__(self) -> str:
        return f"Sealer({self.shape})"


def _make(level: TextLevel, needed: int) -> _LevelBody:
    """Return the polynomial and the body of a level.

    ParameterError for a seed of another length.
    """
    if len(level.seed) != SEED:
        raise ParameterError(f"seed: found {len(level.seed)} bytes; {SEED} are accepted")
    coefficients = polynomial(level.seed, needed)
    sealed = _seal(level.text + level.seed, None, _ONCE, _key(_TEXT, coefficients[0]))
    return _LevelBody(coefficients, commitments(coefficients) + sealed)


@dataclass(slots=True)
class OpenedMessages:
    """The reader's result for the messages of one round.

    A message holds nested texts (levels); a text opens if k people sent the same text.

    Attributes:
        texts: per message the texts of the opened levels; () if the first did not open.
        refused: messages that are junk from a level on, by their index: (level, reason). Levels
            opened before that level count.
        closed: for each group with too few people to open, the texts of the levels around it and
            the
            number of its messages; the reader sees no more of these groups.
        rest: per message the first level that is not open, in the reader's form; empty if all
            levels are open.
    """

    texts: list[tuple[bytes, ...]]
    refused: dict[int, tuple[int, Reason]] = field(default_factory=dict)
    closed: list[tuple[tuple[bytes, ...], int]] = field(default_factory=list)
    rest: list[bytes] = field(default_factory=list)


class _Member(NamedTuple):
    """One message of a group (messages with one text) at a level of nesting.

    Attributes:
        number: index of the message in the round.
        share: the person's point of the secret-sharing polynomial.
        inside: the sealed next level.
    """

    number: int
    share: SharePoint
    inside: bytes


def try_level(
    shape: Shape, at: int, level: TextLevel, messages: Sequence[bytes]
) -> dict[int, bytes]:
    """Return the messages of a known seed and text at a level, with their next levels.

    messages: from that level on. The result maps the index of a message to its next level; that is
    empty in the last level, and if it does not open: the text of this level is shown by the body
    alone.
    """
    level_body, end = _make(level, shape.needed), shape.body(at)
    last, insides = at + 1 == len(shape.widths), dict[int, bytes]()
    for index, data in enumerate(messages):
        if data[:end] != level_body.body:
            continue
        insides[index] = b""
        with suppress(CryptoError, Refused):
            share = decode_share(data[end : end + SHARE])
            key = _key(_INSIDE, level_body.coefficients[0], share.x)
            if not last:
                insides[index] = _unseal(data[end + SHARE :], None, _ONCE, key)
    return insides


def spoiled(shape: Shape, message: bytes) -> bytes:
    """Return a sabotaged message: its first share does not fit the polynomial of its group."""
    end = shape.body(0)
    share = decode_share(message[end : end + SHARE])
    junk = SharePoint(share.x, (share.y + 1) % ORDER)
    return message[:end] + junk.encode() + message[end + SHARE :]


def open_groups(shape: Shape, messages: Sequence[bytes]) -> OpenedMessages:
    """Open every group with k or more people, level by level, as the reader does."""
    opened = OpenedMessages([()] * len(messages), rest=list(messages))
    waiting: list[tuple[tuple[bytes, ...], list[tuple[int, bytes]]]]
    waiting = [((), list(enumerate(messages)))]
    for level in range(len(shape.widths)):
        following = []
        for around, parts in waiting:
            for body, members in _grouped(shape, level, parts, opened):
                text = _open(shape, level, body, members, opened)
                if text is None:
                    alive = sum(1 for member in members if member.number not in opened.refused)
                    opened.closed += [(around, alive)] if alive else []
                    continue
                inner = list(_inside(shape, level, members, text, opened))
                if len(inner) < shape.needed:  # too few messages are left without the junk shares
                    opened.closed += [(around, len(inner))] if inner else []
                    continue
                for index, part in inner:
                    opened.texts[index] = (*around, text.text)
                    opened.rest[index] = part
                following.append(((*around, text.text), inner))
        waiting = following
    return opened


def _grouped(
    shape: Shape, level: int, parts: Iterable[tuple[int, bytes]], opened: OpenedMessages
) -> Iterable[tuple[bytes, list[_Member]]]:
    """Return messages grouped by their bodies.

    Malformed messages and repeated shares are refused.
    """
    groups: dict[bytes, dict[int, _Member]] = {}
    end = shape.body(level)
    for index, data in parts:
        if index in opened.refused:
            continue
        try:
            if len(data) != shape.size(level):
                raise Refused(Reason.MALFORMED)  # noqa: TRY301 - all refusals are handled below
            share = decode_share(data[end : end + SHARE])
        except Refused as refusal:
            opened.refused[index] = level, refusal.reason
            continue
        group = groups.setdefault(data[:end], {})
        if share.x in group and group[share.x].share == share:
            opened.refused[index] = level, Reason.DUPLICATE
            continue
        group[_free(group, share)] = _Member(index, share, data[end + SHARE :])
    return [(body, list(group.values())) for body, group in groups.items()]


def _free(group: dict[int, _Member], share: SharePoint) -> int:
    """Return a key for a share in its group: its x, or a negative number if x is taken."""
    return share.x if share.x not in group else -len(group)


def _open(
    shape: Shape, level: int, body: bytes, members: list[_Member], opened: OpenedMessages
) -> TextLevel | None:
    """Return the text and seed of a group; None if it stays closed. Junk shares are refused."""
    needed = shape.needed
    if len(members) < needed:
        return None
    committed = body[: needed * ELEMENT]
    points = {member.share.x: member.share for member in members}
    first = list(points.values())[:needed]
    try:
        if len(first) < needed or not opens(secret := secret_of(first), committed):
            right = _right(members, committed, level, opened)
            if len(right) < needed:
                return None
            secret = secret_of(right[:needed])
        return _text(shape, body, secret)
    except Refused as refusal:
        for member in members:
            opened.refused.setdefault(member.number, (level, refusal.reason))
        return None


def _right(
    members: Sequence[_Member], committed: bytes, level: int, opened: OpenedMessages
) -> list[SharePoint]:
    """Return the shares on the committed polynomial; messages with another share are refused."""
    right: list[SharePoint] = []
    for member in members:
        if is_right(member.share, committed):
            right.append(member.share)
        else:
            opened.refused[member.number] = level, Reason.DOES_NOT_OPEN
    return right


def _text(shape: Shape, body: bytes, secret: int) -> TextLevel:
    """Return the text and seed in a body, from f(0); Refused unless they give exactly this body."""
    try:
        plain = _unseal(body[shape.needed * ELEMENT :], None, _ONCE, _key(_TEXT, secret))
    except CryptoError:
        raise Refused(Reason.DOES_NOT_OPEN) from None
    candidate = TextLevel(plain[-SEED:], plain[:-SEED])
    if _make(candidate, shape.needed).body != body:
        raise Refused(Reason.DOES_NOT_OPEN, "a body that does not follow from its text and seed")
    return candidate


def _inside(
    shape: Shape, level: int, members: Iterable[_Member], secret: TextLevel, opened: OpenedMessages
) -> Iterable[tuple[int, bytes]]:
    """Yield (index, next level) of the group's members with a right share."""
    coefficients = polynomial(secret.seed, shape.needed)
    last = level + 1 == len(shape.widths)
    for member in members:
        if member.number in opened.refused:
            continue
        if share_at(coefficients, member.share.x) != member.share:
            opened.refused[member.number] = level, Reason.DOES_NOT_OPEN
            continue
        key = _key(_INSIDE, coefficients[0], member.share.x)
        try:
            yield member.number, b"" if last else _unseal(member.inside, None, _ONCE, key)
        except CryptoError:
            opened.refused[member.number] = level + 1, Reason.DOES_NOT_OPEN
            yield member.number, b""


def _key(label: bytes, *scalars: int) -> bytes:
    """Return the symmetric key of a text or a next level: a hash of a label and scalars."""
    return sha256(
        label + b"".join(scalar.to_bytes(SCALAR, "little") for scalar in scalars)
    ).digest()

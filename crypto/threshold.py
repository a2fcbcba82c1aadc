r"""Messages that open if k people have sent the same texts: STAR, nested, with every share checked.

A person turns each of its texts (a row, or longer and longer prefixes of a row) into a seed with
the oblivious function of a party that does not see it (voprf.py). A level of its message is

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

SEED = 32  # bytes of the function's output that a level is made from
TAG = 16  # bytes that a sealed text is longer than the text

_TEXT = b"veilmix threshold text 1\0"
_INSIDE = b"veilmix threshold inside 1\0"
_ONCE = bytes(12)  # the nonce


@dataclass(frozen=True, slots=True)
class TextLevel:
    """One text of a person, and the function's output for it.

    Attributes:
        seed: the first 32 bytes of the output; with it, the text's group can be opened.
        text: the sealed text, padded to its width.
    """

    seed: bytes = field(repr=False)
    text: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Shape:
    """Common parameters: the number of people that opens a group, and the bytes of each text.

    Attributes:
        needed: k, 1 to 255.
        widths: bytes of the text of each level, the outermost first; at least one level.
    """

    needed: int
    widths: tuple[int, ...]

    def __post_init__(self) -> None:
        check_needed(self.needed)
        if not self.widths or min(self.widths) < 0:
            raise ParameterError(f"widths: found {self.widths}; one or more, each 0 or more")

    def body(self, level: int) -> int:
        """Return the bytes of the body of a level."""
        return self.needed * ELEMENT + self.widths[level] + SEED + TAG

    def size(self, level: int = 0) -> int:
        """Return the bytes of a message from a level on."""
        inside = TAG + self.size(level + 1) if level + 1 < len(self.widths) else 0
        return self.body(level) + SHARE + inside


class _LevelBody(NamedTuple):
    """The coefficients and the body of a level, the same for all with its seed and text."""

    coefficients: tuple[int, ...]
    body: bytes


class Sealer:
    """Maker of messages of one shape; the common parts of equal texts are made once."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self._level_bodies: dict[TextLevel, _LevelBody] = {}

    def seal(self, levels: Sequence[TextLevel], entropy: Entropy) -> bytes:
        """Person: make the message for these texts, of the shape's size.

        Raises:
            ParameterError: not as many texts as levels, or of other widths.
        """
        if tuple(len(level.text) for level in levels) != self.shape.widths:
            raise ParameterError(f"levels: texts of {self.shape.widths} bytes are accepted")
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
        body = self._level_bodies.get(level)
        if body is None:
            body = self._level_bodies[level] = _make(level, self.shape.needed)
        return body

    def __repr__(self) -> str:
        return f"Sealer({self.shape})"


def _make(level: TextLevel, needed: int) -> _LevelBody:
    if len(level.seed) != SEED:
        raise ParameterError(f"seed: found {len(level.seed)} bytes; {SEED} are accepted")
    coefficients = polynomial(level.seed, needed)
    sealed = _seal(level.text + level.seed, None, _ONCE, _key(_TEXT, coefficients[0]))
    return _LevelBody(coefficients, commitments(coefficients) + sealed)


@dataclass(slots=True)
class OpenedMessages:
    """The reader's result for the messages of one round.

    Attributes:
        texts: per message the texts of the opened levels; () if the first did not open.
        refused: messages that are junk from a level on, by their index: (level, reason). Levels
            opened before that level count.
        closed: per level, the sizes of the groups with too few people, each with the texts around
            it: the part that the reader sees of unreadable groups.
        rest: per message the first level that is not open, in the reader's form; empty if all
            levels are open.
    """

    texts: list[tuple[bytes, ...]]
    refused: dict[int, tuple[int, Reason]] = field(default_factory=dict)
    closed: list[tuple[tuple[bytes, ...], int]] = field(default_factory=list)
    rest: list[bytes] = field(default_factory=list)


class _Member(NamedTuple):
    """One message at a level: its number in the round, its share and its sealed next level."""

    number: int
    share: SharePoint
    inside: bytes


def try_level(
    shape: Shape, at: int, level: TextLevel, messages: Sequence[bytes]
) -> dict[int, bytes]:
    """Find the messages of a seed at a level, and the inside of each.

    messages: from that level on. Returns the inside by index; empty in the last level, and if it
    does not open: the text of this level is shown by the body alone.
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
    """Sender of junk: make a message with a first share of no use to its group."""
    end = shape.body(0)
    share = decode_share(message[end : end + SHARE])
    junk = SharePoint(share.x, (share.y + 1) % ORDER)
    return message[:end] + junk.encode() + message[end + SHARE :]


def open_groups(shape: Shape, messages: Sequence[bytes]) -> OpenedMessages:
    """Reader: open every group with k or more people, level by level."""
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
                if len(inner) < shape.needed:  # k people with the seed sent other shares
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
    """Group messages by their bodies; malformed messages and repeated shares are refused."""
    groups: dict[bytes, dict[int, _Member]] = {}
    end = shape.body(level)
    for index, data in parts:
        if index in opened.refused:
            continue
        try:
            if len(data) != shape.size(level):
                raise Refused(Reason.MALFORMED)  # noqa: TRY301 - one way out
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
    """Return a place for a share: its x, or if another y is there, a negative number."""
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
    """Return the shares on the committed polynomial; the rest are refused."""
    right: list[SharePoint] = []
    for member in members:
        if is_right(member.share, committed):
            right.append(member.share)
        else:
            opened.refused[member.number] = level, Reason.DOES_NOT_OPEN
    return right


def _text(shape: Shape, body: bytes, secret: int) -> TextLevel:
    """Return the text and seed in a body; Refused unless they give just this body."""
    try:
        plain = _unseal(body[shape.needed * ELEMENT :], None, _ONCE, _key(_TEXT, secret))
    except CryptoError:
        raise Refused(Reason.DOES_NOT_OPEN) from None
    candidate = TextLevel(plain[-SEED:], plain[:-SEED])
    if _make(candidate, shape.needed).body != body:
        raise Refused(Reason.DOES_NOT_OPEN, "not made from what it holds")
    return candidate


def _inside(
    shape: Shape, level: int, members: Iterable[_Member], secret: TextLevel, opened: OpenedMessages
) -> Iterable[tuple[int, bytes]]:
    """Return the next levels of a group's members with a right share."""
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
    return sha256(
        label + b"".join(scalar.to_bytes(SCALAR, "little") for scalar in scalars)
    ).digest()

r"""Messages that open if k people have sent the same texts: STAR, nested, with every share checked.

A person's message holds one or more texts: its row, or longer and longer prefixes of its row. The
texts are nested: each is a level of the message, and the first text is the outermost level. The
person turns each text into a seed with the oblivious pseudorandom function of a party that does not
see the text (voprf.py). A level is

    commitments   k elements            \  the body: equal for all with this seed and text
    sealed text   text || seed, sealed  /
    share         x || f(x)                x at random: the person's own
    inside        the next level, sealed   (not in the last)

f is a polynomial that follows from the seed (verifiable_sharing.py). Text and inside are encrypted
with ChaCha20-Poly1305. Their keys are SHA-256(label || f(0)) and SHA-256(label || f(0) || x). Each
key encrypts one plaintext, so the nonce is 0.

The reader groups messages by their bodies, so a group holds the messages with one text. k shares of
a group give f(0), which decrypts the text and the seed. The seed gives f and the body again. A
share that is not on f is junk: only the message with this share is refused. If the first k
shares do not fit the commitments, each share is checked alone. So junk costs the reader time, but k
right shares always open their group. The bodies of a deeper level are encrypted inside the level
around it, each under a key of its own. So the number of equal deeper bodies stays hidden until that
level is open.
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

# bytes of a seed, the beginning of the oblivious function's output; a text's polynomial follows
# from it
SEED = 32
TAG = 16  # bytes of the authentication tag that encryption adds to a text

_TEXT = b"veilmix threshold text 1\0"
_INSIDE = b"veilmix threshold inside 1\0"
_ONCE = bytes(12)  # the nonce 0: each key seals a single plaintext


@dataclass(frozen=True, slots=True)
class TextLevel:
    """One text of a person's message, with the seed of its encryption.

    A message nests its texts; each text is a level of nesting. The seed is an output of the
    oblivious pseudorandom function for the text.

    Attributes:
        seed: the first 32 bytes of the function's output. A holder of the seed can decrypt this
            text in all messages that contain it.
        text: the text, padded to the width of its level.
    """

    seed: bytes = field(repr=False)
    text: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Shape:
    """The parameters that all messages of a round share.

    A message nests one or more texts; each text is a level of nesting, and level 0 is the
    outermost.

    Attributes:
        needed: k, 1 to 255: the least number of people with the same text for which it opens.
        widths: bytes of the text of each level, the outermost first; at least one level.
    """

    needed: int
    widths: tuple[int, ...]

    def __post_init__(self) -> None:
        """Check that k is from 1 to 255, and that a message has at least one text."""
        check_needed(self.needed)
        if not self.widths or min(self.widths) < 0:
            raise ParameterError(
                f"widths: found {self.widths}; needs at least one width, each of 0 bytes or more"
            )

    def body(self, level: int) -> int:
        """Return the number of bytes of a level's body: its commitments and its encrypted text.

        level: index of a text in a message with nested texts; 0 is the outermost.
        """
        return self.needed * ELEMENT + self.widths[level] + SEED + TAG

    def size(self, level: int = 0) -> int:
        """Return the number of bytes of a level with all levels inside it.

        level: index of a text in a message with nested texts; 0, the outermost, gives the whole
        message.
        """
        inside = TAG + self.size(level + 1) if level + 1 < len(self.widths) else 0
        return self.body(level) + SHARE + inside


class _LevelBody(NamedTuple):
    """The part of a message for one text that is equal for all people with this text and seed.

    Attributes:
        coefficients: the coefficients of the polynomial f that shares the key of the text.
        body: commitments to the coefficients, and the encrypted text.
    """

    coefficients: tuple[int, ...]
    body: bytes


class Sealer:
    """A maker of messages for one round, which computes the common parts of equal texts only once.

    shape: the parameters that all messages of the round share.
    """

    def __init__(self, shape: Shape) -> None:
        """Begin with an empty cache of the parts that people with equal texts share."""
        self.shape = shape
        self._level_bodies: dict[TextLevel, _LevelBody] = {}

    def seal(self, levels: Sequence[TextLevel], entropy: Entropy) -> bytes:
        """Return a person's message, which nests encrypted texts; its size is that of the shape.

        levels: the texts with their seeds, the outermost first. entropy: gives the random share of
        each text.

        Raises:
            ParameterError: not as many texts as the shape has levels, or texts of other widths.
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
        """Return the polynomial and the body for a text, from the cache if they were made before.

        The body, commitments and encrypted text, is equal for all people with this text and seed.
        """
        body = self._level_bodies.get(level)
        if body is None:
            body = self._level_bodies[level] = _make(level, self.shape.needed)
        return body

    def __repr__(self) -> str:
        return f"Sealer({self.shape})"


def _make(level: TextLevel, needed: int) -> _LevelBody:
    """Return the polynomial and the body for a text: the commitments and the encrypted text.

    level: the text with its seed. needed: k, the number of shares that open the text.
    ParameterError for a seed of another length.
    """
    if len(level.seed) != SEED:
        raise ParameterError(f"seed: found {len(level.seed)} bytes; {SEED} are accepted")
    coefficients = polynomial(level.seed, needed)
    sealed = _seal(level.text + level.seed, None, _ONCE, _key(_TEXT, coefficients[0]))
    return _LevelBody(coefficients, commitments(coefficients) + sealed)


@dataclass(slots=True)
class OpenedMessages:
    """The analyst's result for the messages of one round.

    A message holds nested texts (levels); a text opens if k people sent the same text. A group is
    all messages with the same text, and the same texts around it.

    Attributes:
        texts: for each message the texts of the opened levels; () if no level opened.
        refused: index of a junk message -> (the level at which it is junk, the reason). Texts that
            opened before that level count.
        closed: for each group with too few people to open, the opened texts around it and the
            number of its messages; the reader sees no more of these groups.
        rest: for each message its first level that is not open, as the reader sees it; empty if all
            levels are open.
    """

    texts: list[tuple[bytes, ...]]
    refused: dict[int, tuple[int, Reason]] = field(default_factory=dict)
    closed: list[tuple[tuple[bytes, ...], int]] = field(default_factory=list)
    rest: list[bytes] = field(default_factory=list)


class _Member(NamedTuple):
    """One message in a group: the messages that have the same text at a level of nesting.

    Attributes:
        number: index of the message in the round.
        share: the person's point of the secret-sharing polynomial.
        inside: the encrypted next level: the text nested in this one, with its share.
    """

    number: int
    share: SharePoint
    inside: bytes


def try_level(
    shape: Shape, at: int, level: TextLevel, messages: Sequence[bytes]
) -> dict[int, bytes]:
    """Return the messages that contain a guessed text, each with the part nested in that text.

    A holder of the oblivious function's key guesses a text and computes its seed. No shares of
    other people are needed: the encrypted text, equal for all senders, is computed and compared.

    Args:
        shape: the parameters that all messages of the round share.
        at: index of the text in a message with nested texts; 0 is the outermost.
        level: the guessed text, with its seed.
        messages: the messages from this level on: texts around it are already decrypted.

    Returns:
        Index of each message with the text -> its decrypted next level. That is empty if there is
            no next level, or if it does not decrypt: the text itself is confirmed in any case.
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
    """Return a sabotaged message: its outermost share is not on the polynomial of its text."""
    end = shape.body(0)
    share = decode_share(message[end : end + SHARE])
    junk = SharePoint(share.x, (share.y + 1) % ORDER)
    return message[:end] + junk.encode() + message[end + SHARE :]


def open_groups(shape: Shape, messages: Sequence[bytes]) -> OpenedMessages:
    """Open the messages of a round as the reader does: each text that k or more people have sent.

    Texts are nested. First the outermost text of each message is opened, with all messages that
    have the same text. Then the next text is opened, among messages whose outer texts are equal.

    shape: the parameters that all messages of the round share.
    """
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
                # Messages whose share is not on the polynomial are left out. Fewer than k are left,
                # so the text counts as closed.
                if len(inner) < shape.needed:
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
    """Return the messages grouped by their bodies, so that a group has the same encrypted text.

    Malformed messages, and messages with the share of an earlier message, are refused in `opened`.

    Args:
        shape: the parameters that all messages of the round share.
        level: index of the nested text that is to be opened; 0 is the outermost.
        parts: index of each message, and its bytes from this level on.
        opened: the reader's result, in which refusals are recorded.
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
    """Return a dictionary key for a share in its group: its x, or an unused negative number.

    The negative number lets two shares with the same x and different y both stay in the group,
    because either may be the right share.
    """
    return share.x if share.x not in group else -len(group)


def _open(
    shape: Shape, level: int, body: bytes, members: list[_Member], opened: OpenedMessages
) -> TextLevel | None:
    """Return the text and seed of messages with one encrypted text; None if they stay closed.

    They stay closed if fewer than k members have a right share: a point of the polynomial that
    shares the key. Messages with other shares are refused in `opened`. level: index of the nested
    text, 0 the outermost. body: the commitments and encrypted text that all members have.
    """
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
    """Return the shares that are points of the committed polynomial.

    members: the messages of a group. committed: commitments to the coefficients. Messages with
    another share are refused in `opened`, as junk at this level of nesting.
    """
    right: list[SharePoint] = []
    for member in members:
        if is_right(member.share, committed):
            right.append(member.share)
        else:
            opened.refused[member.number] = level, Reason.DOES_NOT_OPEN
    return right


def _text(shape: Shape, body: bytes, secret: int) -> TextLevel:
    """Return the decrypted text and seed of a group of messages.

    body: commitments to the polynomial f, and the encrypted text. secret: f(0), from which the key
    of the text follows. Refused if the text does not decrypt, or if text and seed do not give this
    body again.
    """
    try:
        plain = _unseal(body[shape.needed * ELEMENT :], None, _ONCE, _key(_TEXT, secret))
    except CryptoError:
        raise Refused(Reason.DOES_NOT_OPEN) from None
    candidate = TextLevel(plain[-SEED:], plain[:-SEED])
    if _make(candidate, shape.needed).body != body:
        raise Refused(Reason.DOES_NOT_OPEN, "text and seed do not give this body")
    return candidate


def _inside(
    shape: Shape, level: int, members: Iterable[_Member], secret: TextLevel, opened: OpenedMessages
) -> Iterable[tuple[int, bytes]]:
    """Yield (index, next level) for the messages of an opened group with right shares.

    The next level is the text nested in the opened text, still encrypted, with its share; b"" if
    there is no next level or it does not decrypt.

    Args:
        shape: the parameters that all messages of the round share.
        level: index of the opened text among the nested texts; 0 is the outermost.
        members: the messages of the group.
        secret: the opened text, with its seed.
        opened: the reader's result, in which refusals are recorded.
    """
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
    """Return the symmetric key of an encrypted text, or of the part nested in it: a SHA-256 hash.

    label: which of the two is encrypted. scalars: the shared secret f(0); for a nested part also x,
    the argument of the sender's share.
    """
    return sha256(
        label + b"".join(scalar.to_bytes(SCALAR, "little") for scalar in scalars)
    ).digest()

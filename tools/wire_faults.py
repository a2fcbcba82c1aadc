"""Wire vectors that are refused: a positive message, with the bytes at one place replaced."""

import struct
from collections.abc import Iterator

from field_faults import field_faults, framed, pieces
from row_examples import NAMES
from veilmix.protocol.wire.announcement import Rules
from veilmix.protocol.wire.frames import HEADER
from veilmix.protocol.wire.signed_posts import witness_of
from wire_examples import (
    AUDITED,
    BODIES,
    CHALLENGED,
    COARSER,
    FLAWED,
    HEAD,
    ROSTER,
    SIGNER,
    TOKENED,
    VERIFIED,
    Named,
    announcement,
    encoded,
    negative,
    pair,
)

HALF, ONE = bytes.fromhex("3fe0000000000000"), bytes.fromhex("3ff0000000000000")
Patch = tuple[int, bytes, bytes]  # offset, what stands there, what is put there instead


def frames() -> Named:
    """What is wrong with a frame, whatever is in it; and each kind one byte short and one long."""
    data = encoded("consent")
    wrong = {
        "empty": b"",
        "header-cut": data[: HEADER - 1],
        "magic": b"vn" + data[2:],
        "version": patched(data, (2, b"\1", b"\3")),
        "seal-missing": patched(data, (2, b"\1", b"\2")),
        "seal-not-told-of": patched(encoded("closed-sealed"), (2, b"\2", b"\1")),
        "seal-with-half-a-head": replaced(
            encoded("closed-sealed"), size(witness_of(HEAD)), size(witness_of(HEAD)[:40])
        ),
        "kind-0": patched(data, (3, b"\3", b"\0")),
        "kind-15": patched(data, (3, b"\3", b"\x0f")),
    }
    for name in BODIES:
        if name.endswith(NAMES):
            continue
        wrong |= {f"{name}-truncated": encoded(name)[:-1], f"{name}-extended": encoded(name) + b"!"}
    for name, bad in wrong.items():
        title = f"not a message: {name}"
        yield f"frame-{name}", negative(title, "message", {"data": bad.hex()}, "malformed")


def patched(data: bytes, *patches: Patch) -> bytes:
    """Replace bytes at offsets of the original; what is replaced must be there."""
    for at, old, new in sorted(patches, reverse=True):
        if data[at : at + len(old)] != old:
            raise ValueError(f"found {data[at : at + len(old)]!r} at {at}, expected {old!r}")
        data = data[:at] + new + data[at + len(old) :]
    return data


def replaced(data: bytes, old: bytes, new: bytes) -> bytes:
    """Replace bytes that occur once."""
    if data.count(old) != 1:
        raise ValueError(f"{old!r} occurs {data.count(old)} times, expected once")
    return data.replace(old, new)


def faults() -> Named:
    """One field wrong at a time, in a message of each kind that has fields."""
    for of, name, data in (*announcement_faults(), *body_faults(), *field_faults()):
        title = f"a {of} with one fault: {name}"
        yield f"fault-{of}-{name}", negative(title, "message", {"data": data.hex()}, "malformed")


def text(value: bytes) -> bytes:
    """Write text."""
    return len(value).to_bytes(2, "big") + value


def size(data: bytes) -> bytes:
    """Write the length of a blob."""
    return len(data).to_bytes(4, "big")


def announcement_faults() -> Iterator[tuple[str, str, bytes]]:
    """Announcements with faults that do not follow from their row."""
    first, last = pair("shuffler-1").public.encode(), pair("analyst").public.encode()
    whole = announcement().encode()
    policy = (5).to_bytes(4, "big") + bytes.fromhex("3fb999999999999a")
    changes = {
        "title-not-utf8": (b"Blood donors", b"Blood donor\xff"),
        "value-too-long": (text(b"+") + text(b"-"), text(b"+") + text(b"minus")),
        "exposure-negative-zero": (policy, policy[:4] + b"\x80" + bytes(7)),
        "exposure-not-a-number": (policy, policy[:4] + bytes.fromhex("7ff8000000000000")),
        "delta-in-a-fixed-setting": (text(b"fixed") + bytes(8), text(b"fixed") + HALF),
        "no-delta-in-a-statistical-setting": (text(b"fixed"), text(b"statistical")),
        "delta-1": (text(b"fixed") + bytes(8), text(b"statistical") + ONE),
        "one-key-twice": (last, first),
        "two-suites": (last, b"\2" + last[1:]),
        "key-of-low-order": (last, b"\1" + bytes(32)),
        "left-over-byte": (whole, whole + b"\0"),
    }
    for name, (old, new) in changes.items():
        inside = replaced(whole, old, new)
        frame = encoded("announcement")[:HEADER]
        yield "announcement", name, frame + size(inside) + inside
    yield from flaw_faults(frame)


def flaw_faults(frame: bytes) -> Iterator[tuple[str, str, bytes]]:
    """Announcements with design errors, or a registry, that the constructors would not make."""
    flawed, plain = announcement(rules=FLAWED).encode(), announcement().encode()
    lesson = b"\1\1\1\1\0\0\2"
    tokened = announcement(rules=TOKENED, registry=bytes(range(32))).encode()
    tokens, root = b"\1\1\1\0\1\0\0", size(bytes(32)) + bytes(range(32))
    challenged = announcement(rules=CHALLENGED, registry=bytes(range(32))).encode()
    challenge, audit = b"\1\1\1\0\2\0\0", b"\1\1\1\0\4\0\0"
    audited = announcement(rules=AUDITED, registry=bytes(range(32))).encode()
    verified = announcement(rules=VERIFIED, registry=bytes(range(32))).encode()
    proved = b"\1\1\1\0\x08\0\0"
    named = text(b"two-round"), text(b"two-round-once")
    other_people = text(b"fixed") + bytes(8), text(b"statistical") + HALF
    coarser = announcement(schema=COARSER).encode()
    several = announcement(rules=Rules(rows=6), registry=bytes(range(32))).encode()
    rows = b"\1\1\1\0\x10\0\6\0\0"
    alone = announcement(1, rules=TOKENED, registry=bytes(range(32))).encode()
    changes = {
        "flaw-without-lesson": (flawed, lesson, b"\1\1\1\0\0\0\2"),
        "tokens-without-salt": (tokened, tokens, b"\1\0\1\0\1\0\0"),
        "tokens-in-a-lesson": (
            tokened,
            tokens,
            b"\1\1\1\1\1\0\1" + text(b"unbound"),
        ),
        "tokens-without-registry": (tokened, root, size(b"")),
        "verified-with-tokens": (tokened, tokens, b"\1\1\1\0\x09\0\0"),
        "verified-without-order": (verified, proved, b"\1\1\0\0\x08\0\0"),
        "verified-without-registry": (verified, root, size(b"")),
        "submitted-once-to-onions": (plain, *named),
        "submitted-once-by-others": (
            verified.replace(*named),
            *other_people,
        ),
        "value-in-two-groups": (coarser, text(b"rome"), text(b"oslo")),
        "fractional-edge": (coarser, struct.pack(">d", 65.0), struct.pack(">d", 65.5)),
        "rows-without-salt": (several, rows, b"\1\0" + rows[2:]),
        "rows-without-order": (several, rows, b"\1\1\0" + rows[3:]),
        "rows-with-an-audit": (several, rows, rows[:4] + b"\x14" + rows[5:]),
        "rows-of-a-verified-mix": (several, rows, rows[:4] + b"\x18" + rows[5:]),
        "rows-of-another-program": (several, text(b"two-round"), text(b"randomized")),
        "rows-of-other-people": (several, *other_people),
        "audit-of-one-shuffler": (alone, tokens, audit),
        "audit-without-salt": (audited, audit, b"\1\0\1\0\4\0\0"),
        "audit-without-padding": (audited, audit, b"\0\1\1\0\4\0\0"),
        "audit-without-order": (audited, audit, b"\1\1\0\0\4\0\0"),
        "audit-without-registry": (audited, root, size(b"")),
        "challenge-without-salt": (challenged, challenge, b"\1\0\1\0\2\0\0"),
        "challenge-without-padding": (challenged, challenge, b"\0\1\1\0\2\0\0"),
        "challenge-without-order": (challenged, challenge, b"\1\1\0\0\2\0\0"),
        "challenge-in-a-lesson": (
            challenged,
            challenge,
            b"\1\1\1\1\2\0\1" + text(b"unbound"),
        ),
        "challenge-without-registry": (challenged, root, size(b"")),
    }
    for name, (whole, old, new) in changes.items():
        inside = replaced(whole, old, new)
        yield "announcement", name, frame + size(inside) + inside


def body_faults() -> Iterator[tuple[str, str, bytes]]:
    """Faults that do not follow from the row of a kind (field_faults.py)."""
    yield from call_faults()
    yield from count_faults()
    yield from decision_faults()
    yield from board_faults()
    yield from verified_faults()


def call_faults() -> Iterator[tuple[str, str, bytes]]:
    """What is wrong with a key, and with the rules of a call."""
    key = encoded("key")
    yield "key", "unknown-suite", patched(key, (HEADER + 4, b"\1", b"\4"))
    yield "key", "low-order", key[: HEADER + 5] + bytes(32)
    masked, blanked = encoded("call-masked"), encoded("call-blanked")
    two, ulm = text(b"0") + text(b"A"), b"\1\0\0\1" + text(b"Ulm")
    yield "call", "mask-of-nothing", replaced(masked, b"\0\2" + two, b"\0\0")
    yield "call", "mask-descending", replaced(masked, two, text(b"A") + text(b"0"))
    yield "call", "mask-of-no-value", replaced(masked, text(b"Ulm"), text(b" other"))
    yield "call", "mask-of-a-column-not-asked", replaced(masked, ulm, b"\3" + ulm[1:])
    yield "call", "two-masks-of-a-column", replaced(masked, ulm, b"\0" + ulm[1:])
    yield "call", "rule-2", replaced(masked, ulm, b"\1\2" + ulm[2:])
    yield "call", "both-kinds", replaced(masked, ulm, b"\1\1" + ulm[2:] + bytes(4))
    yield "call", "cover-cut", blanked[:-2]


def count_faults() -> Iterator[tuple[str, str, bytes]]:
    """What is wrong with a batch, and with what was counted and refused."""
    batch, mixed, tally = encoded("batch"), encoded("mixed"), encoded("tally")
    refused = bytes.fromhex("0002 01 00000001 03 00000102")
    plus, minus = b"\0\1\0\1+\0\0\0\x09", b"\0\1\0\1-\0\0\0\x02"
    spelt = b"\0\0\0\3" + bytes(4) + b"".join(b"\0\0\0\3" + w for w in (b"one", b"two", b"six"))
    yield "batch", "one-width-spelt-out", batch[:HEADER] + spelt
    yield "batch", "width-of-nothing", batch[:HEADER] + bytes(4) + b"\0\0\0\3"
    yield "batch", "too-many", patched(batch, (HEADER, b"\0\0\0\3", b"\x08\0\0\1"))
    for of, data in (("mixed", mixed), ("tally", tally)):
        yield of, "reason-unknown", replaced(data, refused, refused[:7] + b"\x08" + refused[8:])
        yield (
            of,
            "reasons-descending",
            replaced(data, refused, refused[:2] + refused[7:] + refused[2:7]),
        )
        yield of, "reason-twice", replaced(data, refused, refused[:7] + b"\1" + refused[8:])
        yield of, "reason-never", replaced(data, refused, refused[:8] + bytes(4))
    yield "tally", "cells-descending", replaced(tally, plus + minus, minus + plus)
    yield "tally", "cell-twice", replaced(tally, minus, plus[:5] + minus[5:])
    yield "tally", "cell-of-nobody", replaced(tally, minus, minus[:5] + bytes(4))
    yield "tally", "value-not-utf8", replaced(tally, minus, minus[:4] + b"\xff" + minus[5:])
    yield "tally", "other-total", patched(tally, (HEADER + 2, b"\0\0\0\x0b", b"\0\0\0\x0c"))
    yield "tally", "counts-of-fewer", patched(tally, (HEADER, b"\0\1", b"\0\2\0\0\0\0"))


def decision_faults() -> Iterator[tuple[str, str, bytes]]:
    """What is wrong with a certificate, and with the rules of a decision."""
    decision, opened = encoded("decision"), encoded("certificate")
    slack, proof = b"\0\1\x3f\xd0" + bytes(6), b"\0\0\0\5\0\0\0\x0b\0\0\0\2"
    yield "decision", "more-than-all", replaced(decision, proof, proof[:11] + b"\x0c")
    yield "decision", "slack-infinite", replaced(decision, slack, b"\0\1\x7f\xf0" + bytes(6))
    ruled, said = text(b"AB") + text(b"B"), encoded("committed-with-a-cover")
    yield "committed", "blanks-descending", replaced(said, ruled, text(b"B") + text(b"AB"))
    yield "certificate", "more-than-all", replaced(opened, proof, proof[:11] + b"\x0c")


def board_faults() -> Iterator[tuple[str, str, bytes]]:
    """What is wrong with a text, with identities, and with the proof of an opened layer."""
    yield "burned", "not-utf8", encoded("burned")[:-1] + b"\xff"
    twice = replaced(encoded("roster"), ROSTER.analyst, ROSTER.board)
    yield "roster", "one-identity-twice", twice
    more = replaced(encoded("roster-with-randomness"), SIGNER.public, ROSTER.board)
    yield "roster", "randomness-is-the-board", more
    taken, keys = encoded("accepted"), encoded("opened")
    yield "accepted", "more-than-there-are", patched(taken, (HEADER, b"\0\0\0\2", b"\xff" * 4))
    yield "opened", "more-than-there-are", patched(keys, (HEADER + 1, b"\0\0\0\2", b"\xff" * 4))


def verified_faults() -> Iterator[tuple[str, str, bytes]]:
    """What is wrong with posts of a verified mix."""
    handed, nothing = encoded("handed"), encoded("handed-smallest")
    yield "handed", "of-no-bytes", replaced(handed, b"\0\0\0\7", b"\0\0\0\0")
    yield "handed", "size-of-nothing", nothing[:-1] + b"\1"
    yield "handed", "more-than-there-are", patched(handed, (HEADER, b"\0\0\0\2", b"\xff" * 4))
    _, shuffled = BODIES["shuffled"]
    fields = pieces(type(shuffled), shuffled)
    *_, last = shuffled.proofs
    one = b"\0\1" + size(last) + last
    yield (
        "shuffled",
        "a-proof-for-two",
        framed("shuffled", b"".join((fields | {"proofs": one}).values())),
    )

"""Write the vectors in tests/protocol/vectors: one JSON file each, one fault in each negative one.

    python tools/make_wire_vectors.py            write them
    python tools/make_wire_vectors.py --check    exit 1 if a file is missing, different or left over
    python tools/make_wire_vectors.py --example  print the message that docs/wire.md explains

A file holds `title`, `kind`, `input` and `expect`: either `result` or `refused` with a reason.
Bytes are in hexadecimal. Everything is made from a fixed seed. A faulty message is the positive one
of its kind with the bytes at one place replaced.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.joint_key import joint, make_share, open_jointly, total
from veilmix.crypto.keys import KeyPair, PublicKey
from veilmix.crypto.layer import seal_layer
from veilmix.crypto.padding import pad
from veilmix.crypto.ristretto import base_times
from veilmix.crypto.signing import Signer
from veilmix.crypto.suites import suite
from veilmix.errors import Reason
from veilmix.protocol.announcement import Announcement, Flaw, Policy, Program, Rules, Setting
from veilmix.protocol.audit_messages import Coin, Link, Opened, Toss, Traced
from veilmix.protocol.ballots import Ballot, receipt, submit
from veilmix.protocol.board import Board, replay
from veilmix.protocol.frames import HEADER, Message, Seal
from veilmix.protocol.hiding import BLANK, OTHER, Hiding, Mask, Redact
from veilmix.protocol.messages import (
    Accepted,
    Alarm,
    Ask,
    Batch,
    Body,
    Burned,
    Call,
    Cause,
    Certificate,
    Closed,
    Consent,
    Counts,
    Decision,
    Envelope,
    Grant,
    Head,
    Heard,
    Issued,
    Key,
    Kind,
    Mint,
    Mixed,
    Receipts,
    Registry,
    Roll,
    Roster,
    Submission,
    Tally,
)
from veilmix.protocol.mixing import batch_digest
from veilmix.protocol.parties import Role
from veilmix.protocol.peer_messages import Accusation, Agreed, Found, Relay, Share, Shown
from veilmix.protocol.peers.accounting import result_digest
from veilmix.protocol.peers.agreement import Agreement, open_peer_round, share_context
from veilmix.protocol.peers.onions import make_onion
from veilmix.protocol.receipts import root_of, show
from veilmix.protocol.registry import submission
from veilmix.protocol.schema import Feature, Schema
from veilmix.protocol.session import Round, layer_context, open_round
from veilmix.protocol.signed_posts import Fork, sealed_post, sign_head, witness_of
from veilmix.protocol.wire import Writer

SEED = 2024
ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "protocol" / "vectors"

SCHEMA = Schema(
    (
        Feature("blood type", ("A", "B", "AB", "0"), 16),
        Feature("city", None, 10),
        Feature("Rh", ("+", "-"), 4),
    )
)
ROW = ("AB", "Zürich", "-")
SINGLES = Call(1, Role.CURATOR, ((0,), (1,), (2,)))
JOINT = Call(2, Role.ANALYST, ((0, 2),))
MASKED = Call(2, Role.CURATOR, ((0, 1), (0, 2)), (Mask(0, ("0", "A")), Mask(1, ("Ulm",))))
BLANKED = Call(2, Role.ANALYST, ((0, 2),), (Redact(0, ("AB", "B"), 1 << 28), Redact(2, ("-",), 0)))
REFUSED = {Reason.WRONG_SIZE: 1, Reason.DUPLICATE: 258}

HALF, ONE = bytes.fromhex("3fe0000000000000"), bytes.fromhex("3ff0000000000000")

Vector = dict[str, Any]
Named = Iterator[tuple[str, Vector]]
Patch = tuple[int, bytes, bytes]  # offset, what stands there, what is put there instead


def main(arguments: list[str]) -> int:
    """Write, check or show, as the docstring of this file says."""
    if arguments == ["--example"]:
        print(example())
        return 0
    texts = {name: json.dumps(v, indent=1) + "\n" for name, v in build().items()}
    if arguments == ["--check"]:
        return check(texts)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for stale in {p.name for p in FOLDER.glob("*.json")} - texts.keys():
        (FOLDER / stale).unlink()
    for name, text in texts.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    print(f"{len(texts)} vectors in {FOLDER.relative_to(ROOT)}")
    return 0


def check(texts: dict[str, str]) -> int:
    """Compare the files with what they should be."""
    written = {p.name: p.read_text(encoding="utf-8") for p in FOLDER.glob("*.json")}
    wrong = sorted(n for n in written.keys() | texts.keys() if written.get(n) != texts.get(n))
    for name in wrong:
        print(f"{name}: not what tools/make_wire_vectors.py makes", file=sys.stderr)
    return 1 if wrong else 0


def build() -> dict[str, Vector]:
    """Make every vector: file name -> content."""
    parts = (
        messages(),
        frames(),
        faults(),
        sessions(),
        envelopes(),
        ballots(),
        guards(),
        boards(),
        signed_boards(),
        peers(),
    )
    return {f"{name}.json": vector for part in parts for name, vector in part}


def positive(title: str, kind: str, inputs: Vector, result: Vector) -> Vector:
    """Make the content of a file that is accepted."""
    return {"title": title, "kind": kind, "input": inputs, "expect": {"result": result}}


def negative(title: str, kind: str, inputs: Vector, reason: str) -> Vector:
    """Make the content of a file that is refused."""
    return {"title": title, "kind": kind, "input": inputs, "expect": {"refused": reason}}


def pair(party: str) -> KeyPair:
    """Give a party's key pair."""
    return suite().keypair(SeededEntropy(SEED).fork(party))


def announcement(shufflers: int = 2, **changes: Any) -> Announcement:
    """Make the session that all vectors belong to."""
    fields: dict[str, Any] = {
        "title": "Blood donors",
        "nonce": bytes(range(16)),
        "schema": SCHEMA,
        "policy": Policy(5, 0.1),
        "rules": Rules(),
        "shufflers": tuple(pair(f"shuffler-{hop + 1}").public for hop in range(shufflers)),
        "curator": pair("curator").public,
        "analyst": pair("analyst").public,
    }
    return Announcement(**fields | changes)


SESSION = announcement().digest()
SIGNER = Signer(SeededEntropy(SEED).fork("signer"))
WHO = {
    name: Signer(SeededEntropy(SEED).fork(f"identity of {name}"))
    for name in ("board", "curator", "analyst", "shuffler-1")
}
ROSTER = Roster(
    bytes(range(16)),
    *(identity.public for identity in list(WHO.values())[:3]),
    (WHO["shuffler-1"].public,),
)
HEAD = sign_head(ROSTER, 1, bytes(range(32)), WHO["board"])
SEALED = Seal(witness_of(HEAD), SIGNER.sign(b"what a seal is of"))
GUARDED = Rules(receipts=True)
TOKENED = Rules(tokens=True)
CHALLENGED = Rules(challenge=True)
AUDITED = Rules(audit=True)
PROVED = b"\2" * 32, bytes(range(96))
SIGNED = bytes(range(32)), SIGNER.sign(b"an envelope")
ELEMENTS = tuple(base_times(bytes((number,)) + bytes(31)) for number in (1, 2, 3))
FLAWED = Rules(lesson=True, flaws=(Flaw.UNBOUND, Flaw.ONE_KEY))
STATISTICAL = Policy(5, 0.1, "coverage", True, Setting.STATISTICAL, 0.05)
COUNTS: tuple[Counts, ...] = ({("+",): 9, ("-",): 2},)
PROOF = Certificate("coverage", 5, 11, 2, (4.0, 2.5), 1, 0.25)
BODIES: dict[str, tuple[int, Body]] = {
    "key": (0, Key(pair("shuffler-1").public)),
    "announcement": (0, announcement()),
    "announcement-statistical": (0, announcement(policy=STATISTICAL)),
    "announcement-randomized": (0, announcement(program=Program.RANDOMIZED)),
    "announcement-registered": (0, announcement(registry=bytes(range(32)), rules=GUARDED)),
    "announcement-with-tokens": (0, announcement(registry=bytes(range(32)), rules=TOKENED)),
    "announcement-with-a-challenge": (
        0,
        announcement(registry=bytes(range(32)), rules=CHALLENGED),
    ),
    "announcement-with-audits": (
        0,
        announcement(registry=bytes(range(32)), rules=AUDITED),
    ),
    "announcement-flawed": (0, announcement(rules=FLAWED)),
    "consent": (0, Consent(SESSION)),
    "call": (1, SINGLES),
    "call-joint": (2, JOINT),
    "call-masked": (2, MASKED),
    "call-blanked": (2, BLANKED),
    "submission": (1, Submission(b"an envelope")),
    "submission-signed": (1, Submission(b"an envelope", SIGNER.sign(b"something else"))),
    "submission-with-a-head": (1, Submission(b"an envelope", witness=witness_of(HEAD))),
    "batch": (1, Batch((b"one", b"two", b"six"))),
    "batch-empty": (1, Batch(())),
    "batch-of-lengths": (1, Batch((b"", b"one", b"three"))),
    "mixed": (1, Mixed(1, 43, 302, 129, REFUSED, batch_digest([b"one"]))),
    "tally": (1, Tally((11,), REFUSED, COUNTS)),
    "tally-withheld": (1, Tally((11, 11, 10), {})),
    "decision": (1, Decision((0, 2), PROOF)),
    "decision-blanked": (1, Decision((0, 2), PROOF, BLANKED.hidden)),
    "decision-with-a-proof": (
        1,
        Decision((2,), Certificate("margins", 5, 11, 2, proof=b'{"weights": [1, -1]}')),
    ),
    "decision-none": (1, Decision((), Certificate("fixed", 5, 11, 0))),
    "burned": (1, Burned("2 people took part")),
    "closed": (2, Closed()),
    "registry": (0, Registry((SIGNER.public, bytes(32)))),
    "roster": (0, ROSTER),
    "head": (1, HEAD),
    "closed-sealed": (2, Closed()),
    "closed-sealed-before-a-head": (2, Closed()),
    "registry-empty": (0, Registry(())),
    "receipts": (1, show([bytes([i]) * 32 for i in (3, 1, 2)])),
    "alarm": (2, Alarm(1, Cause.MISSING, bytes(range(32)))),
    "alarm-without-evidence": (2, Alarm(1, Cause.BALANCE)),
    "relay": (1, Relay(2, ((3, (b"one", b"two")), (258, (b"six",))), REFUSED)),
    "relay-of-nothing": (1, Relay(1, (), {})),
    "found": (2, Found(5, (b"one", b"two"), REFUSED)),
    "found-nothing": (2, Found(5, (), {})),
    "agreed": (1, Agreed(6, bytes(range(32)))),
    "accusation": (1, Accusation(3, 258, b"what it held", bytes(range(32)))),
    "share": (1, Share(bytes(range(32)), bytes(range(64)))),
    "shown": (1, Shown(7, bytes(range(32)))),
    "mint": (1, Mint(ELEMENTS[0])),
    "ask": (1, Ask(ELEMENTS, SIGNER.sign(b"something else"))),
    "grant": (1, Grant(ELEMENTS[:2], bytes(range(32)))),
    "issued": (1, Issued(258)),
    "roll": (1, Roll((0, 3, 258))),
    "roll-of-nobody": (1, Roll(())),
    "accepted": (1, Accepted(tuple(Envelope(i, *SIGNED) for i in (0, 258)))),
    "accepted-nobody": (1, Accepted(())),
    "coin": (1, Coin(bytes(range(32)))),
    "toss": (1, Toss(bytes(range(32)))),
    "traced": (1, Traced(1, (b"\2" * 32, b"\1" * 32))),
    "opened": (1, Opened(2, (Link(0, b"a layer", b"\1" * 32), Link(258, b"", *PROVED)))),
    "opened-nothing": (1, Opened(1, ())),
    "heard": (1, Heard(tuple(bytes([i]) * 32 for i in (1, 2, 3)))),
    "heard-nothing": (1, Heard(())),
    "alarm-changed": (2, Alarm(1, Cause.CHANGED, b"what proves it")),
}


SEALS = {"closed-sealed": SEALED, "closed-sealed-before-a-head": Seal(b"", SEALED.signature)}


def encoded(name: str) -> bytes:
    """Give the positive message of that name as bytes."""
    number, body = BODIES[name]
    before = name.startswith(("key", "announcement", "registry", "roster"))
    return Message(bytes(32) if before else SESSION, number, body, SEALS.get(name)).encode()


def messages() -> Named:
    """One message of each kind, and more where a kind has several forms."""
    for name in BODIES:
        data = encoded(name)
        result = shown(Message(data[4:36], data[36], BODIES[name][1], SEALS.get(name)))
        yield f"message-{name}", positive(f"a {name}", "message", {"data": data.hex()}, result)


def shown(message: Message) -> Vector:  # noqa: C901 - a case a message
    """Say in JSON what a message says."""
    body: Vector
    match message.body:
        case Key(key):
            body = {"key": key.encode().hex()}
        case Announcement() as told:
            body = shown_announcement(told)
        case Consent(session):
            body = {"session": session.hex()}
        case Call(number, reader, asks, hidden):
            body = {"round": number, "reader": reader.value, "asks": [list(ask) for ask in asks]}
            body |= {"hidden": [shown_hiding(rule) for rule in hidden]}
        case Submission(envelope, signature, witness):
            body = {"envelope": envelope.hex(), "signature": signature.hex()}
            body |= {"witness": witness.hex()}
        case Batch(layers):
            body = {"layers": [layer.hex() for layer in layers]}
        case Mixed(hop, people, received, forwarded, refused, digest):
            body = {"hop": hop, "people": people, "received": received, "forwarded": forwarded}
            body |= {"refused": in_order(refused), "digest": digest.hex()}
        case Tally(totals, refused, counts):
            body = {"totals": list(totals), "refused": in_order(refused), "counts": None}
            if counts is not None:
                body["counts"] = [[[list(c), count[c]] for c in sorted(count)] for count in counts]
        case Decision(kept, proof, hidden):
            body = {"kept": list(kept), "rule": proof.rule, "k": proof.k, "n": proof.n}
            body |= {"people": proof.people, "thresholds": list(proof.thresholds)}
            body |= {"pivot": proof.pivot, "slack": proof.slack, "proof": proof.proof.hex()}
            body |= {"hidden": [shown_hiding(rule) for rule in hidden]}
        case Burned(why):
            body = {"why": why}
        case Closed():
            body = {}
        case Registry(keys):
            body = {"keys": [key.hex() for key in keys]}
        case Receipts(root, hashes):
            body = {"root": root.hex(), "hashes": [digest.hex() for digest in hashes]}
        case Alarm(number, cause, evidence):
            body = {"round": number, "cause": cause.value, "evidence": evidence.hex()}
        case Relay(step, bags, refused):
            said = [[to, [layer.hex() for layer in layers]] for to, layers in bags]
            body = {"step": step, "bags": said, "refused": in_order(refused)}
        case Found(step, sealed, refused):
            body = {"step": step, "sealed": [ballot.hex() for ballot in sealed]}
            body |= {"refused": in_order(refused)}
        case Agreed(step, digest):
            body = {"step": step, "digest": digest.hex()}
        case Accusation(step, against, inside, draw):
            body = {"step": step, "against": against, "inside": inside.hex(), "draw": draw.hex()}
        case Share(public, proof):
            body = {"public": public.hex(), "proof": proof.hex()}
        case Shown(step, secret):
            body = {"step": step, "secret": secret.hex()}
        case Roster(opening, board, curator, analyst, shufflers):
            body = {"opening": opening.hex(), "board": board.hex(), "curator": curator.hex()}
            body |= {"analyst": analyst.hex(), "shufflers": [key.hex() for key in shufflers]}
        case Head(place, state, signature):
            body = {"place": place, "state": state.hex(), "signature": signature.hex()}
        case Mint(key):
            body = {"key": key.hex()}
        case Ask(elements, signature):
            body = {
                "elements": [element.hex() for element in elements],
                "signature": signature.hex(),
            }
        case Grant(elements, check):
            body = {"elements": [element.hex() for element in elements], "check": check.hex()}
        case Issued(people):
            body = {"people": people}
        case Roll(people):
            body = {"people": list(people)}
        case Accepted(people):
            each = [
                [person.person, person.digest.hex(), person.signature.hex()] for person in people
            ]
            body = {"people": each}
        case Coin(digest):
            body = {"digest": digest.hex()}
        case Toss(value):
            body = {"value": value.hex()}
        case Traced(hop, hashes):
            body = {"hop": hop, "hashes": [digest.hex() for digest in hashes]}
        case Opened(hop, links):
            each = [[x.place, x.layer.hex(), x.key.hex(), x.proof.hex()] for x in links]
            body = {"hop": hop, "links": each}
        case Heard(hashes):
            body = {"hashes": [digest.hex() for digest in hashes]}
    said = {"kind": message.kind.name.lower(), "session": message.session.hex()}
    said |= {"round": message.round, "body": body, "seal": None}
    if message.seal is not None:
        sealed = message.seal
        said["seal"] = {"witness": sealed.witness.hex(), "signature": sealed.signature.hex()}
    return said


def shown_hiding(rule: Hiding) -> Vector:
    """Say in JSON what people do to the values of a column."""
    match rule:
        case Mask(column, said):
            return {"column": column, "mask": list(said)}
        case Redact(column, values, cover):
            return {"column": column, "redact": list(values), "cover": cover}


def in_order(refused: Any) -> dict[str, int]:
    """Name the refusals, in the order of the codes."""
    return {reason.value: refused[reason] for reason in Reason if reason in refused}


def shown_announcement(told: Announcement) -> Vector:
    """Say in JSON what an announcement says."""
    return {
        "title": told.title,
        "program": told.program.value,
        "nonce": told.nonce.hex(),
        "features": [
            {"name": f.name, "width": f.width, "values": f.values and list(f.values)}
            for f in told.schema.features
        ],
        "k": told.policy.k,
        "max_exposure": told.policy.max_exposure,
        "rule": told.policy.rule,
        "publish_marginals": told.policy.publish_marginals,
        "setting": told.policy.setting.value,
        "delta": told.policy.delta,
        **{name: getattr(told.rules, name) for name in ("deadline", "min_batch", "min_dropout")},
        **{name: getattr(told.rules, name) for name in ("padded", "salted", "ordered", "lesson")},
        "receipts": told.rules.receipts,
        "tokens": told.rules.tokens,
        "challenge": told.rules.challenge,
        "audit": told.rules.audit,
        "flaws": [flaw.value for flaw in told.rules.flaws],
        "shufflers": [key.encode().hex() for key in told.shufflers],
        "curator": told.curator.encode().hex(),
        "analyst": told.analyst.encode().hex(),
        "registry": told.registry.hex(),
    }


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
    for of, name, data in (*announcement_faults(), *body_faults(), *signed_kinds_faults()):
        title = f"a {of} with one fault: {name}"
        yield f"fault-{of}-{name}", negative(title, "message", {"data": data.hex()}, "malformed")


def text(value: bytes) -> bytes:
    """Write text."""
    return len(value).to_bytes(2, "big") + value


def size(data: bytes) -> bytes:
    """Write the length of a blob."""
    return len(data).to_bytes(4, "big")


def announcement_faults() -> Iterator[tuple[str, str, bytes]]:
    """Announcements that the constructors would not make."""
    first, last = pair("shuffler-1").public.encode(), pair("analyst").public.encode()
    whole = announcement().encode()
    numbers = (60).to_bytes(4, "big") + (2).to_bytes(4, "big") + (10).to_bytes(4, "big")
    policy = (5).to_bytes(4, "big") + bytes.fromhex("3fb999999999999a")
    city = text(b"city") + b"\0\x0a\0"
    no_shuffler = b"\0\0" + size(last) + pair("curator").public.encode()
    both = b"".join(size(first) + pair(f"shuffler-{hop}").public.encode() for hop in (1, 2))
    changes = {
        "program": (text(b"two-round"), text(b"two-rounds")),
        "title-not-utf8": (b"Blood donors", b"Blood donor\xff"),
        "no-feature": (whole[2 + 12 + 11 + 16 : whole.index(policy)], b"\0\0"),
        "feature-twice": (text(b"Rh"), text(b"city")),
        "feature-without-name": (text(b"city"), text(b"")),
        "feature-with-a-space": (text(b"city"), text(b"city ")),
        "feature-with-a-newline": (text(b"city"), text(b"ci\nty")),
        "no-width": (city, text(b"city") + b"\0\0\0"),
        "width-too-large": (city, text(b"city") + b"\x04\x01\0"),
        "flag-2": (city, text(b"city") + b"\0\x0a\2"),
        "no-value": (b"\0\4\1\0\2" + text(b"+") + text(b"-"), b"\0\4\1\0\0"),
        "value-twice": (text(b"+") + text(b"-"), text(b"+") + text(b"+")),
        "value-too-long": (text(b"+") + text(b"-"), text(b"+") + text(b"minus")),
        "k-0": (policy, bytes(4) + policy[4:]),
        "k-too-large": (policy, b"\x80\0\0\0" + policy[4:]),
        "exposure-above-1": (policy, policy[:4] + bytes.fromhex("3ff0000000000001")),
        "exposure-negative-zero": (policy, policy[:4] + b"\x80" + bytes(7)),
        "exposure-not-a-number": (policy, policy[:4] + bytes.fromhex("7ff8000000000000")),
        "setting": (text(b"fixed"), text(b"vague")),
        "delta-in-a-fixed-setting": (text(b"fixed") + bytes(8), text(b"fixed") + HALF),
        "no-delta-in-a-statistical-setting": (text(b"fixed"), text(b"statistical")),
        "delta-1": (text(b"fixed") + bytes(8), text(b"statistical") + ONE),
        "no-deadline": (numbers, bytes(4) + numbers[4:]),
        "no-min-batch": (numbers, numbers[:4] + bytes(4) + numbers[8:]),
        "no-min-dropout": (numbers, numbers[:8] + bytes(4)),
        "no-shuffler": (b"\0\2" + both + no_shuffler[2:], no_shuffler),
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
    flawed, guarded = announcement(rules=FLAWED).encode(), announcement(rules=GUARDED).encode()
    listed = text(b"unbound") + text(b"one-key")
    lesson, receipts = b"\1\1\1\1\0\0\0\2", b"\1\1\1\0\1\0\0\0"
    tokened = announcement(rules=TOKENED, registry=bytes(range(32))).encode()
    tokens, root = b"\1\1\1\0\0\1\0\0", size(bytes(32)) + bytes(range(32))
    challenged = announcement(rules=CHALLENGED, registry=bytes(range(32))).encode()
    challenge, audit = b"\1\1\1\0\0\2\0\0", b"\1\1\1\0\0\4\0\0"
    audited = announcement(rules=AUDITED, registry=bytes(range(32))).encode()
    alone = announcement(1, rules=TOKENED, registry=bytes(range(32))).encode()
    changes = {
        "flaw-unknown": (flawed, text(b"unbound"), text(b"unbounD")),
        "flaws-in-another-order": (flawed, listed, text(b"one-key") + text(b"unbound")),
        "flaw-twice": (flawed, text(b"one-key"), text(b"unbound")),
        "flaw-without-lesson": (flawed, lesson, b"\1\1\1\0\0\0\0\2"),
        "receipts-without-salt": (guarded, receipts, b"\1\0\1\0\1\0\0\0"),
        "tokens-without-salt": (tokened, tokens, b"\1\0\1\0\0\1\0\0"),
        "tokens-in-a-lesson": (
            tokened,
            tokens,
            b"\1\1\1\1\0\1\0\1" + text(b"unbound"),
        ),
        "tokens-without-registry": (tokened, root, size(b"")),
        "guards-unknown": (tokened, tokens, b"\1\1\1\0\0\x08\0\0"),
        "audit-of-one-shuffler": (alone, tokens, audit),
        "audit-without-salt": (audited, audit, b"\1\0\1\0\0\4\0\0"),
        "audit-without-padding": (audited, audit, b"\0\1\1\0\0\4\0\0"),
        "audit-without-order": (audited, audit, b"\1\1\0\0\0\4\0\0"),
        "audit-without-registry": (audited, root, size(b"")),
        "challenge-without-salt": (challenged, challenge, b"\1\0\1\0\0\2\0\0"),
        "challenge-without-padding": (challenged, challenge, b"\0\1\1\0\0\2\0\0"),
        "challenge-without-order": (challenged, challenge, b"\1\1\0\0\0\2\0\0"),
        "challenge-in-a-lesson": (
            challenged,
            challenge,
            b"\1\1\1\1\0\2\0\1" + text(b"unbound"),
        ),
        "challenge-without-registry": (challenged, root, size(b"")),
        "registry-cut": (guarded, guarded[-40:], guarded[-40:-4] + size(bytes(31)) + bytes(31)),
    }
    for name, (whole, old, new) in changes.items():
        inside = replaced(whole, old, new)
        yield "announcement", name, frame + size(inside) + inside


def body_faults() -> Iterator[tuple[str, str, bytes]]:
    """Bodies of the other kinds, with one field wrong."""
    call, batch, tally = encoded("call"), encoded("batch"), encoded("tally")
    mixed, decision, key = encoded("mixed"), encoded("decision"), encoded("key")
    refused = bytes.fromhex("0002 01 00000001 03 00000102")
    plus, minus = b"\0\1\0\1+\0\0\0\x09", b"\0\1\0\1-\0\0\0\x02"
    slack, end = b"\0\1\x3f\xd0" + bytes(6), len(decision)
    pivot = (end - 19, b"\0\1\1", b"\0\2\1\2")
    yield "key", "unknown-suite", patched(key, (HEADER + 4, b"\1", b"\4"))
    yield "key", "low-order", key[: HEADER + 5] + bytes(32)
    yield "call", "round-0", patched(call, (HEADER, b"\1", b"\0"))
    yield "call", "reader-2", patched(call, (HEADER + 1, b"\0", b"\2"))
    yield "call", "nothing-asked", call[: HEADER + 2] + b"\0\0"
    yield "call", "no-column", call[: HEADER + 2] + b"\0\1\0\0"
    yield "call", "descending-columns", replaced(encoded("call-joint"), b"\2\0\2", b"\2\2\0")
    yield "call", "column-twice", replaced(encoded("call-joint"), b"\2\0\2", b"\2\2\2")
    yield "call", "asked-twice", replaced(call, b"\0\1\2", b"\0\1\1")
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
    yield "tally", "flag-2", replaced(tally, refused + b"\1", refused + b"\2")
    yield "tally", "cells-descending", replaced(tally, plus + minus, minus + plus)
    yield "tally", "cell-twice", replaced(tally, minus, plus[:5] + minus[5:])
    yield "tally", "cell-of-nobody", replaced(tally, minus, minus[:5] + bytes(4))
    yield "tally", "value-not-utf8", replaced(tally, minus, minus[:4] + b"\xff" + minus[5:])
    yield "tally", "other-total", patched(tally, (HEADER + 2, b"\0\0\0\x0b", b"\0\0\0\x0c"))
    yield "tally", "counts-of-fewer", patched(tally, (HEADER, b"\0\1", b"\0\2\0\0\0\0"))
    yield "decision", "columns-descending", patched(decision, (HEADER, b"\0\2\0\2", b"\0\2\2\0"))
    proof = b"\0\0\0\5\0\0\0\x0b\0\0\0\2"
    yield "decision", "more-than-all", replaced(decision, proof, proof[:11] + b"\x0c")
    yield "decision", "two-pivots", patched(decision, pivot)
    yield "decision", "two-slacks", replaced(decision, slack, b"\0\2" + 2 * slack[2:])
    yield "decision", "slack-infinite", replaced(decision, slack, b"\0\1\x7f\xf0" + bytes(6))
    shown, alarm, registry = encoded("receipts"), encoded("alarm"), encoded("registry")
    ones, twos = b"\1" * 32, b"\2" * 32
    yield "receipts", "descending", replaced(shown, ones + twos, twos + ones)
    yield "receipts", "one-twice", replaced(shown, ones + twos, ones + ones)
    yield "receipts", "of-31-bytes", shown[: HEADER + 32] + b"\0\0\0\1\0\0\0\x1f" + bytes(31)
    yield "registry", "one-twice", replaced(registry, SIGNER.public + bytes(32), bytes(64))
    yield "registry", "of-31-bytes", registry[:HEADER] + b"\0\0\0\1\0\0\0\x1f" + bytes(31)
    yield "alarm", "unknown-cause", replaced(alarm, text(b"missing"), text(b"nothing"))
    yield "burned", "not-utf8", encoded("burned")[:-1] + b"\xff"
    ask, grant, element = encoded("ask"), encoded("grant"), ELEMENTS[0]
    yield "ask", "of-one-element", replaced(ask, b"\0\3" + b"".join(ELEMENTS), b"\0\1" + element)
    yield "ask", "of-too-many", replaced(ask, b"\0\3" + element, b"\4\2" + 1023 * element)
    roll = encoded("roll")
    yield "roll", "descending", replaced(roll, b"\0\0\0\3\0\0\1\2", b"\0\0\1\2\0\0\0\3")
    yield "roll", "one-twice", replaced(roll, b"\0\0\1\2", b"\0\0\0\3")
    yield "grant", "of-nothing", replaced(grant, b"\0\2" + b"".join(ELEMENTS[:2]), b"\0\0")
    yield "grant", "of-too-many", replaced(grant, b"\0\2" + element, b"\4\1" + 1024 * element)
    yield from peer_faults()


def signed_kinds_faults() -> Iterator[tuple[str, str, bytes]]:
    """What is wrong with who signs, and with a head that is repeated."""
    roster, sent = encoded("roster"), encoded("submission-with-a-head")
    twice = replaced(roster, ROSTER.analyst, ROSTER.board)
    yield "roster", "one-identity-twice", twice
    cut = replaced(sent, size(witness_of(HEAD)), size(witness_of(HEAD)[:-1]))
    yield "submission", "head-cut", cut
    taken, came = encoded("accepted"), encoded("heard")
    later, first = b"\0\0\1\2" + SIGNED[0], bytes(4) + SIGNED[0]
    yield "accepted", "person-twice", replaced(taken, later, first)
    yield "accepted", "more-than-there-are", patched(taken, (HEADER, b"\0\0\0\2", b"\xff" * 4))
    batch, keys = encoded("traced"), encoded("opened")
    yield "traced", "hash-twice", replaced(batch, b"\2" * 32, b"\1" * 32)
    yield "opened", "place-twice", replaced(keys, b"\0\0\1\2\0\0\0\0", bytes(8))
    yield "opened", "flag-2", replaced(keys, b"\1" * 32 + b"\0", b"\1" * 32 + b"\2")
    yield "opened", "more-than-there-are", patched(keys, (HEADER + 1, b"\0\0\0\2", b"\xff" * 4))
    yield "heard", "marks-descending", replaced(came, b"\1" * 32, b"\2" * 32)


def peer_faults() -> Iterator[tuple[str, str, bytes]]:
    """What is wrong with posts of peers."""
    relay, found, said = encoded("relay"), encoded("found"), encoded("accusation")
    nothing, few = encoded("relay-of-nothing"), b"\0\0\0\2\0\0\0\3onetwo"
    yield "relay", "step-0", patched(relay, (HEADER, b"\2", b"\0"))
    yield "relay", "for-nobody", replaced(relay, b"\0\3" + few, b"\0\0" + few)
    yield "relay", "receiver-twice", replaced(relay, b"\1\2\0\0\0\1", b"\0\3\0\0\0\1")
    yield "relay", "receivers-descending", replaced(relay, b"\0\3" + few, b"\1\3" + few)
    yield "relay", "layers-descending", replaced(relay, b"onetwo", b"twoone")
    yield "relay", "layer-twice", replaced(relay, b"onetwo", b"oneone")
    empty = b"\0\1\0\3" + bytes(8)
    yield "relay", "bag-of-nothing", nothing[: HEADER + 1] + empty + nothing[-2:]
    yield "found", "step-0", patched(found, (HEADER, b"\5", b"\0"))
    yield "found", "ballots-descending", replaced(found, b"onetwo", b"twoone")
    yield "found", "ballot-twice", replaced(found, b"onetwo", b"oneone")
    yield "agreed", "step-0", patched(encoded("agreed"), (HEADER, b"\6", b"\0"))
    yield "accusation", "step-0", patched(said, (HEADER, b"\3", b"\0"))
    yield "shown", "step-0", patched(encoded("shown"), (HEADER, b"\7", b"\0"))
    yield "accusation", "against-nobody", patched(said, (HEADER + 1, b"\1\2", b"\0\0"))


def sessions() -> Named:
    """Digests, contexts and batch digests: they are computed and cannot be refused."""
    told = announcement()
    inputs: Vector = {"announcement": told.encode().hex()}
    yield "session", positive("a session's digest", "session", inputs, {"digest": SESSION.hex()})
    for name, call in {"singles": SINGLES, "joint": JOINT}.items():
        data = Message(SESSION, call.round, call).encode()
        for hop in (1, 2, 3):
            inputs = {"session": SESSION.hex(), "call": data.hex(), "hop": hop}
            result = {"context": layer_context(SESSION, call, hop).hex()}
            title = f"the context of hop {hop} in round {call.round}"
            yield f"context-{name}-{hop}", positive(title, "context", inputs, result)
    for name, layers in {"empty": [], "of-lengths": [b"", b"a", b"\0\0\0\1a"]}.items():
        inputs = {"layers": [layer.hex() for layer in layers]}
        result = {"digest": batch_digest(layers).hex()}
        yield f"batch-digest-{name}", positive(f"a batch: {name}", "batch", inputs, result)


def peers() -> Named:
    """Sessions of peers: their name, the layers of an onion, and what peers agree on."""
    terms = Agreement("Blood donors", SCHEMA, Policy(5, 0.1), Rules(), suite().code, 2, 1)
    numbers = (1, 2, 5, 258)
    keys = {number: pair(f"peer-{number}").public for number in numbers}
    shown_keys = [[number, key.encode().hex()] for number, key in keys.items()]
    session: Vector = {"agreement": terms.encode().hex(), "keys": shown_keys}
    name = terms.session(keys)
    yield "peers", positive("peers", "peers", session, {"session": name.hex()})
    call = Message(name, 1, SINGLES).encode()
    shares = {
        number: make_share(
            SeededEntropy(SEED).fork(f"share {number}"), share_context(name, 1, number)
        )
        for number in numbers
    }
    for number, share in shares.items():
        inputs = {"session": name.hex(), "round": 1, "peer": number}
        inputs |= {"public": share.public.hex(), "proof": share.proof.hex()}
        shown = {"secret": share.secret.hex()}
        yield (
            f"peer-share-{number}",
            positive(f"a share of peer {number}", "peer-share", inputs | shown, {}),
        )
    stranger = inputs | {"peer": 1} | shown
    yield "peer-share-of-another", negative("another's share", "peer-share", stranger, "malformed")
    plan = open_peer_round(terms, name, keys, SINGLES)
    plan = replace(plan, joint=joint([key.public for key in shares.values()]))
    for what, answer in {"answer": Ballot(2, ("-",)), "blank": None}.items():
        onion = make_onion(plan, 1, answer, SeededEntropy(SEED).fork(what))
        for step, peer in enumerate(onion.path, start=1):
            inputs = session | {"call": call.hex(), "step": step, "secret": secret(f"peer-{peer}")}
            inputs |= {"layer": onion.layers[step - 1].hex(), "draw": onion.draws[step - 1].hex()}
            inputs |= {"peer": peer}
            held = onion.inside[step - 1]
            then, inside = int.from_bytes(held[:2], "big"), held[2:].hex()
            result = {"next": then, "inside": inside}
            title = f"what a peer opens in step {step}: {what}"
            yield f"peer-layer-{what}-{step}", positive(title, "peer-layer", inputs, result)
        inputs = session | {"call": call.hex(), "sealed": onion.sealed.hex()}
        inputs |= {"secrets": [key.secret.hex() for key in shares.values()]}
        plain = open_jointly(
            total([key.secret for key in shares.values()]), plan.joint, onion.sealed, plan.ballots
        )
        result = {"plain": plain.hex(), "blank": what == "blank"}
        yield f"peer-ballot-{what}", positive(f"a ballot: {what}", "peer-ballot", inputs, result)
        few = inputs | {"secrets": inputs["secrets"][1:]}
        title = f"a ballot without one secret: {what}"
        yield f"peer-ballot-{what}-less", negative(title, "peer-ballot", few, "does-not-open")
    counted = Message(name, 2, Tally((11,), {}, COUNTS))
    digest = result_digest(open_peer_round(terms, name, keys, JOINT), COUNTS, None)
    inputs = {"data": counted.encode().hex()}
    yield "peers-agree", positive("a release agreed on", "agree", inputs, {"digest": digest.hex()})


def playing(told: Announcement, call: Call) -> tuple[Round, Vector]:
    """Open a round, and say in JSON which one it is."""
    session = told.digest()
    plan = open_round(told, session, call)
    data = Message(session, call.round, call).encode()
    return plan, {"announcement": told.encode().hex(), "call": data.hex()}


def secret(party: str) -> str:
    """Give a party's secret key, which is shown because it is nobody's."""
    return SeededEntropy(SEED).fork(party).random(32).hex()


def envelopes() -> Named:
    """Submissions as the first shuffler opens them."""
    for shufflers in (1, 2):
        plan, inputs = playing(announcement(shufflers), SINGLES)
        sealed = submit(plan, ROW, SeededEntropy(SEED).fork("row"))
        inputs |= {"secret": secret("shuffler-1"), "envelope": sealed.envelope.hex()}
        onions = sorted(layers[0] for layers in sealed.onions)
        result = {"onions": [onion.hex() for onion in onions]}
        title = f"an envelope for {shufflers} shufflers"
        yield f"envelope-{shufflers}", positive(title, "envelope", inputs, result)
    loose = announcement(rules=Rules(padded=False, lesson=True))
    unpadded, told = playing(loose, SINGLES)
    short = [layers[0] for layers in submit(unpadded, ROW, SeededEntropy(SEED)).onions]
    bundle, onion = Writer().items(onions).done(), onions[0]
    wrong: dict[str, tuple[Round, Vector, bytes, str]] = {
        "slot-missing": (plan, inputs, Writer().items(onions[1:]).done(), "wrong-size"),
        "slot-extra": (plan, inputs, Writer().items([*onions, onion]).done(), "wrong-size"),
        "slot-doubled": (plan, inputs, Writer().items([onion, *onions[:2]]).done(), "malformed"),
        "slots-descending": (plan, inputs, Writer().items(onions[::-1]).done(), "malformed"),
        "other-split": (plan, inputs, other_split(bundle), "malformed"),
        "unpadded-slot-missing": (unpadded, told, Writer().items(short[1:]).done(), "malformed"),
    }
    for name, (where, what, inside, reason) in wrong.items():
        bad = seal(where, 1, inside)
        vector = what | {"secret": secret("shuffler-1"), "envelope": bad.hex()}
        yield f"envelope-{name}", negative(f"an envelope: {name}", "envelope", vector, reason)
    yield from unopened("envelope", inputs, sealed.envelope)


def other_split(bundle: bytes) -> bytes:
    """Say another number and width of items over the same bytes."""
    count, width = int.from_bytes(bundle[:4], "big"), int.from_bytes(bundle[4:8], "big")
    return width.to_bytes(4, "big") + count.to_bytes(4, "big") + bundle[8:]


def unopened(name: str, inputs: Vector, layer: bytes) -> Named:
    """A layer with one bit turned over, and a layer for another round, session and hop."""
    field = "envelope" if name == "envelope" else "layer"
    changed = inputs | {field: (layer[:-1] + bytes([layer[-1] ^ 1])).hex()}
    yield f"{name}-changed", negative(f"{name}: changed", name, changed, "does-not-open")
    for what, elsewhere in {
        "another-round": playing(announcement(), Call(3, SINGLES.reader, SINGLES.asks)),
        "another-question": playing(announcement(), Call(1, Role.ANALYST, SINGLES.asks)),
        "another-session": playing(announcement(nonce=bytes(16)), SINGLES),
    }.items():
        title = f"{name}: sealed for {what.replace('-', ' ')}"
        yield f"{name}-{what}", negative(title, name, inputs | elsewhere[1], "does-not-open")


def seal(plan: Round, hop: int, inside: bytes) -> bytes:
    """Seal bytes for one hop of a round."""
    public: PublicKey = plan.hops[hop - 1].public
    return seal_layer(suite(), public, inside, plan.hops[hop - 1].context, SeededEntropy(SEED))


def ballots() -> Named:
    """The innermost layers, as the reader opens them."""
    plan, inputs = playing(announcement(), SINGLES)
    inputs |= {"secret": secret("curator")}
    salt = bytes(range(16))
    good = b"\1" + salt + text("Zürich".encode())
    layer = seal(plan, 3, pad(good, plan.ballot))
    result = {"ask": 1, "salt": salt.hex(), "values": ["Zürich"]}
    yield "ballot", positive("a ballot", "ballot", inputs | {"layer": layer.hex()}, result)
    wrong = {
        "question-unknown": (b"\3" + good[1:], "malformed"),
        "value-missing": (good[:17], "malformed"),
        "value-cut": (good[:-1], "malformed"),
        "left-over-byte": (good + b"\0" + b"!", "malformed"),
        "not-utf8": (good[:-1] + b"\xff", "malformed"),
        "empty-value": (b"\1" + salt + b"\0\0", "outside-domain"),
        "too-long-for-the-domain": (b"\1" + salt + b"\0\x0b" + b"x" * 11, "outside-domain"),
        "control-character": (b"\1" + salt + text(b"a\x1b[2J"), "outside-domain"),
        "surrounding-space": (b"\1" + salt + text(b" Ulm"), "outside-domain"),
        "not-in-the-domain": (b"\0" + salt + b"\0\1C", "outside-domain"),
    }
    for name, (inside, reason) in wrong.items():
        vector = inputs | {"layer": seal(plan, 3, pad(inside, plan.ballot)).hex()}
        yield f"ballot-{name}", negative(f"a ballot: {name}", "ballot", vector, reason)
    longer = inputs | {"layer": seal(plan, 3, pad(good, plan.ballot + 1)).hex()}
    yield "ballot-too-long", negative("a ballot: one byte too long", "ballot", longer, "wrong-size")
    unpadded = good.ljust(plan.ballot, b"\0")
    vector = inputs | {"layer": seal(plan, 3, unpadded).hex()}
    yield "ballot-no-padding", negative("a ballot: no padding", "ballot", vector, "malformed")
    yield from hidden_ballots(salt)
    yield from unopened("ballot", inputs | {"layer": layer.hex()}, layer)


def hidden_ballots(salt: bytes) -> Named:
    """Ballots in which values are hidden, or ought to be."""
    for name, call, values, reason in (
        ("masked", MASKED, ("A", OTHER), ""),
        ("masked-value-named", MASKED, ("B", OTHER), "outside-domain"),
        ("masked-value-blank", MASKED, ("A", BLANK), "outside-domain"),
        ("blanked", BLANKED, (BLANK, "+"), ""),
        ("blanked-value-named", BLANKED, ("AB", "+"), "outside-domain"),
        ("blanked-value-other", BLANKED, (OTHER, "+"), "outside-domain"),
    ):
        masks = call is MASKED
        program = Program.HIERARCHICAL if masks else Program.LOCAL_SUPPRESSION
        plan, inputs = playing(announcement(program=program), call)
        inside = b"\0" + salt + b"".join(text(value.encode()) for value in values)
        layer = seal(plan, 3, pad(inside, plan.ballot))
        inputs |= {"secret": secret("curator" if masks else "analyst"), "layer": layer.hex()}
        result = {"ask": 0, "salt": salt.hex(), "values": list(values)}
        title = f"a ballot: {name}"
        vector = negative(title, "ballot", inputs, reason)
        yield f"ballot-{name}", vector if reason else positive(title, "ballot", inputs, result)


def guards() -> Named:
    """Receipts, their roots, and signatures."""
    plan, _ = playing(announcement(rules=GUARDED, registry=bytes(32)), SINGLES)
    plain = pad(b"\1" + bytes(range(16)) + text(b"Ulm"), plan.ballot)
    inputs: Vector = {"session": plan.session.hex(), "round": 1, "plaintext": plain.hex()}
    result = {"receipt": receipt(plan, plain).hex()}
    yield "receipt", positive("the receipt of a ballot", "receipt", inputs, result)
    for many in (0, 1, 5):
        entries = [bytes([i]) * 32 for i in range(many)]
        inputs = {"entries": [entry.hex() for entry in entries]}
        expected = {"root": root_of(entries).hex()}
        yield f"root-{many}", positive(f"the root of {many} receipts", "root", inputs, expected)
    sent = submission(plan, b"an envelope", SIGNER)
    data = Message(plan.session, 1, sent).encode()
    key = SIGNER.public.hex()
    right = {"data": data.hex(), "key": key}
    yield "signed", positive("a signed submission", "signed", right, {})
    wrong = {
        "in-another-round": patched(data, (36, b"\1", b"\2")),
        "in-another-session": data[:4] + bytes(32) + data[36:],
        "of-another-envelope": replaced(data, b"an envelope", b"An envelope"),
        "by-nobody": data[:-72] + size(b"") + size(b""),
        "with-another-head": data[:-4] + size(witness_of(HEAD)) + witness_of(HEAD),
    }
    for name, bad in wrong.items():
        vector: Vector = {"data": bad.hex(), "key": key}
        title = f"a signature: {name}"
        yield f"signed-{name}", negative(title, "signed", vector, "unregistered")


def boards() -> Named:
    """A whole board, its head, and the digest of its run."""
    told = announcement(1)
    session = told.digest()
    mixed = Mixed(1, 3, 4, 9, {Reason.LATE: 1}, batch_digest([b"one", b"two"]))
    said: list[tuple[str, int, Body]] = [
        ("analyst", 0, Key(told.analyst)),
        ("shuffler-1", 0, Key(told.shufflers[0])),
        ("curator", 0, told),
        ("shuffler-1", 0, Consent(session)),
        ("analyst", 0, Consent(session)),
        ("curator", 1, SINGLES),
        ("shuffler-1", 1, mixed),
        ("curator", 1, Tally((3, 3, 3), {})),
        ("curator", 1, Decision((), Certificate("fixed", 5, 3, 3))),
        ("curator", 1, Closed()),
    ]
    posts = [
        (author, Message(session if at > 2 else bytes(32), number, body).encode())
        for at, (author, number, body) in enumerate(said)
    ]
    board = replay(posts)
    inputs = {"posts": [[author, data.hex()] for author, data in posts]}
    result = {"head": board.head.hex(), "digest": board.digest().hex()}
    yield "board", positive("a board from beginning to end", "board", inputs, result)


def signed_boards() -> Named:
    """A whole board whose posts and heads are signed, one fault in each other; and a fork."""
    posts = signed_posts()
    board = replay(posts)
    inputs = shown_posts(posts)
    result = {"head": board.head.hex(), "digest": board.digest().hex()}
    yield "board-signed", positive("a board that is signed", "board", inputs, result)
    for name, (bad, reason) in signed_faults(posts).items():
        title = f"a signed board: {name}"
        yield f"board-signed-{name}", negative(title, "board", shown_posts(bad), reason)
    first, other = (sign_head(ROSTER, 2, bytes([i]) * 32, WHO["board"]) for i in (1, 2))
    key = WHO["board"].public.hex()
    right = {"board": key, "fork": Fork(ROSTER.opening, first, other).encode().hex()}
    yield "fork", positive("a board that has shown two things", "fork", right, {})
    elsewhere = sign_head(ROSTER, 1, bytes([2]) * 32, WHO["board"])
    stranger = sign_head(ROSTER, 2, bytes([2]) * 32, SIGNER)
    for name, head in {
        "of-one-thing": first,
        "of-two-places": elsewhere,
        "by-another": stranger,
    }.items():
        proof = Fork(ROSTER.opening, first, head).encode().hex()
        yield (
            f"fork-{name}",
            negative(f"no fork: {name}", "fork", {"board": key, "fork": proof}, "unregistered"),
        )


def shown_posts(posts: list[tuple[str, bytes]]) -> Vector:
    """Say in JSON what is on a board."""
    return {"posts": [[author, data.hex()] for author, data in posts]}


def signed_posts() -> list[tuple[str, bytes]]:
    """A short session in which nothing is called but once, and burned."""
    told = announcement(1)
    session, board = told.digest(), Board()
    said: list[tuple[str, int, Body]] = [
        ("curator", 0, ROSTER),
        ("analyst", 0, Key(told.analyst)),
        ("shuffler-1", 0, Key(told.shufflers[0])),
        ("curator", 0, told),
        ("shuffler-1", 0, Consent(session)),
        ("analyst", 0, Consent(session)),
        ("curator", 1, SINGLES),
        ("user-1", 1, Alarm(1, Cause.BALANCE)),
        ("shuffler-1", 1, Burned("nobody came")),
        ("curator", 1, Closed()),
    ]
    for author, number, body in said:
        message = Message(board.session, number, body)
        sealed = sealed_post(message, ROSTER, author, WHO.get(author, SIGNER), board.witness)
        board.post(author, message.encode() if author == "user-1" else sealed)
        if board.due is not None:
            head = sign_head(ROSTER, board.due, board.state, WHO["board"])
            board.post("board", Message(board.session, number, head).encode())
    return [(entry.author, entry.data) for entry in board.entries]


def signed_faults(
    posts: list[tuple[str, bytes]],
) -> dict[str, tuple[list[tuple[str, bytes]], str]]:
    """What is wrong with a signed board: its posts up to the wrong one, and the reason."""
    board = replay(posts)
    burned = next(at for at, (_, data) in enumerate(posts) if data[3] == Kind.BURNED)
    called = next(at for at, (_, data) in enumerate(posts) if data[3] == Kind.HEAD)
    message, witness = board.entries[burned].message, witness_of(board.heads[1])
    signer, other = WHO["shuffler-1"], replace(ROSTER, opening=bytes(16))
    elsewhere = witness_of(sign_head(ROSTER, 1, bytes(32), WHO["board"]))

    def burning(data: bytes) -> list[tuple[str, bytes]]:
        return [*posts[:burned], ("shuffler-1", data)]

    def heading(head: Head) -> list[tuple[str, bytes]]:
        data = Message(board.session, 1, head).encode()
        return [*posts[:called], ("board", data)]

    plain = replace(message, seal=None)
    return {
        "post-without-seal": (burning(plain.encode()), "unregistered"),
        "post-by-another": (
            burning(sealed_post(plain, ROSTER, "shuffler-1", SIGNER, witness)),
            "unregistered",
        ),
        "post-of-another-author": (
            burning(sealed_post(plain, ROSTER, "analyst", signer, witness)),
            "unregistered",
        ),
        "post-of-another-opening": (
            burning(sealed_post(plain, other, "shuffler-1", signer, witness)),
            "unregistered",
        ),
        "post-that-cites-another-board": (
            burning(sealed_post(plain, ROSTER, "shuffler-1", signer, elsewhere)),
            "unexpected",
        ),
        "post-that-cites-nothing": (
            burning(sealed_post(plain, ROSTER, "shuffler-1", signer, b"")),
            "unexpected",
        ),
        "post-before-the-head": (
            [
                *posts[:called],
                ("shuffler-1", sealed_post(plain, ROSTER, "shuffler-1", signer, b"")),
            ],
            "unexpected",
        ),
        "head-of-something-else": (
            heading(sign_head(ROSTER, 1, bytes(32), WHO["board"])),
            "unexpected",
        ),
        "head-of-another-place": (
            heading(sign_head(ROSTER, 2, board.heads[1].state, WHO["board"])),
            "unexpected",
        ),
        "head-by-another": (
            heading(sign_head(ROSTER, 1, board.heads[1].state, SIGNER)),
            "unregistered",
        ),
    }


def example() -> str:
    """Print the fields of one message, each with its offset."""
    data = encoded("call")
    fields = {
        "magic, version": 3,
        "kind: call": 1,
        "session digest": 32,
        "round": 1,
        "round called": 1,
        "reader: curator": 1,
        "column sets": 2,
        "one column: 0": 3,
        "one column: 1": 3,
        "one column: 2": 3,
        "no rule": 2,
    }
    lines, at = [f"tests/protocol/vectors/message-call.json; {len(data)} bytes"], 0
    for name, size in fields.items():
        lines.append(f"{at:02} {name:<18} {data[at : at + size].hex()}")
        at += size
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""A message of every kind, and the session they all belong to: what wire vectors are made from."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.keys import KeyPair
from veilmix.crypto.ristretto import base_times
from veilmix.crypto.signing import Signer
from veilmix.crypto.suites import suite
from veilmix.errors import Reason
from veilmix.protocol.rounds.mixing import batch_digest
from veilmix.protocol.rounds.round_context import Round, open_round
from veilmix.protocol.wire.announcement import (
    AnnouncedPolicy,
    Announcement,
    Flaw,
    Program,
    Rules,
    Setting,
)
from veilmix.protocol.wire.audit_messages import Coin, Link, Opened, Toss, Traced
from veilmix.protocol.wire.frames import Message, Seal
from veilmix.protocol.wire.hiding_rules import Mask, Redact
from veilmix.protocol.wire.messages import (
    Accepted,
    Alarm,
    BallotMarks,
    Batch,
    Body,
    Burned,
    Call,
    Cause,
    Certificate,
    Closed,
    CommittedDecision,
    Consent,
    Counts,
    Decision,
    Envelope,
    Key,
    Mixed,
    OpenedCertificate,
    Registry,
    Roster,
    Submission,
    Tally,
)
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.peer_messages import (
    Accusation,
    Agreed,
    FoundBallots,
    Relay,
    Share,
    ShareSecret,
)
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.protocol.wire.signed_posts import sign_head, witness_of
from veilmix.protocol.wire.token_messages import (
    Ask,
    Evaluated,
    Grant,
    Issued,
    Mint,
    PublicGrant,
    Query,
    Roll,
)
from veilmix.protocol.wire.verified_messages import (
    BallotKeys,
    CheckedBallots,
    HandedBallot,
    HandedBallots,
    OpeningShares,
    ShuffledLists,
)

SEED = 2024
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
Vector = dict[str, Any]
Named = Iterator[tuple[str, Vector]]


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
        "policy": AnnouncedPolicy(5, 0.1),
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
TOKENED = Rules(tokens=True)
CHALLENGED = Rules(challenge=True)
AUDITED = Rules(audit=True)
VERIFIED = Rules(verified=True)
PROVED = b"\2" * 32, bytes(range(96))
SIGNED = bytes(range(32)), SIGNER.sign(b"an envelope")
ELEMENTS = tuple(base_times(bytes((number,)) + bytes(31)) for number in (1, 2, 3))
FLAWED = Rules(lesson=True, flaws=(Flaw.UNBOUND, Flaw.ONE_KEY))
STATISTICAL = AnnouncedPolicy(5, 0.1, "coverage", True, Setting.STATISTICAL, 0.05)
COUNTS: tuple[Counts, ...] = ({("+",): 9, ("-",): 2},)
PROOF = Certificate("coverage", 5, 11, 2, (4.0, 2.5), 1, 0.25)
COMMITTED = CommittedDecision((0, 2), 11, None, (), bytes(range(32)), b"for the analyst")
GRANT = Grant(ELEMENTS[:2], ELEMENTS[:3], bytes(range(32)))
BODIES: dict[str, tuple[int, Body]] = {
    "key": (0, Key(pair("shuffler-1").public)),
    "announcement": (0, announcement()),
    "announcement-statistical": (0, announcement(policy=STATISTICAL)),
    "announcement-randomized": (0, announcement(program=Program.RANDOMIZED)),
    "announcement-of-chosen-groups": (
        0,
        announcement(
            program=Program.HIERARCHICAL, policy=AnnouncedPolicy(5, 0.1, "hierarchical ask=best")
        ),
    ),
    "announcement-threshold": (0, announcement(program=Program.THRESHOLD)),
    "announcement-registered": (0, announcement(registry=bytes(range(32)))),
    "announcement-with-tokens": (0, announcement(registry=bytes(range(32)), rules=TOKENED)),
    "announcement-with-a-challenge": (
        0,
        announcement(registry=bytes(range(32)), rules=CHALLENGED),
    ),
    "announcement-verified": (0, announcement(registry=bytes(range(32)), rules=VERIFIED)),
    "announcement-submitted-once": (
        0,
        announcement(registry=bytes(range(32)), rules=VERIFIED, program=Program.TWO_ROUND_ONCE),
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
    "committed": (1, COMMITTED),
    "committed-with-a-cover": (1, replace(COMMITTED, delta=0.25, hidden=BLANKED.hidden)),
    "certificate": (2, OpenedCertificate(bytes(range(32)), PROOF)),
    "burned": (1, Burned("2 people took part")),
    "closed": (2, Closed()),
    "registry": (0, Registry((SIGNER.public, bytes(32)))),
    "roster": (0, ROSTER),
    "roster-with-randomness": (0, replace(ROSTER, randomness=SIGNER.public)),
    "head": (1, HEAD),
    "closed-sealed": (2, Closed()),
    "closed-sealed-before-a-head": (2, Closed()),
    "registry-empty": (0, Registry(())),
    "alarm": (2, Alarm(1, Cause.SPLIT, bytes(range(97)))),
    "alarm-without-evidence": (2, Alarm(1, Cause.BALANCE)),
    "relay": (1, Relay(2, ((3, (b"one", b"two")), (258, (b"six",))), REFUSED)),
    "relay-of-nothing": (1, Relay(1, (), {})),
    "found": (2, FoundBallots(5, (b"one", b"two"), REFUSED)),
    "found-nothing": (2, FoundBallots(5, (), {})),
    "agreed": (1, Agreed(6, bytes(range(32)))),
    "accusation": (1, Accusation(3, 258, b"what it held", bytes(range(32)))),
    "share": (1, Share(bytes(range(32)), bytes(range(64)))),
    "shown": (1, ShareSecret(7, bytes(range(32)))),
    "mint": (1, Mint(ELEMENTS[0])),
    "ask": (1, Ask(ELEMENTS, SIGNER.sign(b"something else"))),
    "grant": (1, GRANT),
    "granted": (1, PublicGrant(258, GRANT)),
    "query": (1, Query(ELEMENTS)),
    "evaluated": (1, Evaluated(ELEMENTS, bytes(range(64)))),
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
    "heard": (1, BallotMarks(tuple(bytes([i]) * 32 for i in (1, 2, 3)))),
    "heard-nothing": (1, BallotMarks(())),
    "keys": (1, BallotKeys((bytes(range(96)), b"\1" * 96))),
    "handed": (1, HandedBallots(tuple(HandedBallot(i, b"ballots", SIGNED[1]) for i in (0, 258)))),
    "handed-nothing": (1, HandedBallots(())),
    "checked": (1, CheckedBallots(bytes(range(32)))),
    "shuffled": (1, ShuffledLists(2, (b"rows", b"other rows"), (b"a proof", b"another"))),
    "shared": (1, OpeningShares((b"shares", b"other shares"))),
    "alarm-changed": (2, Alarm(1, Cause.CHANGED, b"what proves it")),
}
SEALS = {"closed-sealed": SEALED, "closed-sealed-before-a-head": Seal(b"", SEALED.signature)}


def encoded(name: str) -> bytes:
    """Give the positive message of that name as bytes."""
    number, body = BODIES[name]
    before = name.startswith(("key", "announcement", "registry", "roster"))
    return Message(bytes(32) if before else SESSION, number, body, SEALS.get(name)).encode()


def playing(told: Announcement, call: Call) -> tuple[Round, Vector]:
    """Open a round, and say in JSON which one it is."""
    session = told.digest()
    plan = open_round(told, session, call)
    data = Message(session, call.round, call).encode()
    return plan, {"announcement": told.encode().hex(), "call": data.hex()}

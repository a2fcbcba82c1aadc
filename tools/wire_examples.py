"""The session of the wire vectors, and an example of each kind of message (row_examples.py)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from row_examples import examples_of
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.keys import KeyPair
from veilmix.crypto.signing import Signer
from veilmix.crypto.suites import suite
from veilmix.errors import Reason
from veilmix.protocol.rounds.round_context import Round, open_round
from veilmix.protocol.wire.announcement import (
    AnnouncedPolicy,
    Announcement,
    Flaw,
    Program,
    Rules,
    Setting,
)
from veilmix.protocol.wire.bodies import KINDS, TABLE
from veilmix.protocol.wire.coarsening import Bins, Date, Fold, Merge, Part, Prefix, Unit
from veilmix.protocol.wire.frames import Message, Seal
from veilmix.protocol.wire.hiding_rules import Mask, Redact
from veilmix.protocol.wire.messages import (
    Batch,
    Body,
    Call,
    Closed,
    CommittedDecision,
    Counts,
    Decision,
    DecisionCertificate,
    Key,
    OpenedCertificate,
    Registry,
    Roster,
    Tally,
)
from veilmix.protocol.wire.parties import Role
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.protocol.wire.signed_posts import sign_head, witness_of

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
COARSER = Schema(
    (
        Feature(
            *("city", None, 10),
            (
                Fold((Part.CASE, Part.SPACES)),
                Merge((("north", ("oslo", "bergen")), ("south", ("rome",)))),
                Date(Unit.DECADE),
                Prefix(4, ("(missing)",)),
                Bins((18.0, 65.0), whole=True),
            ),
        ),
        Feature("age", ("below 18", "18 or more"), 10, (Bins((18.0,), whole=True),)),
    )
)
FLAWED = Rules(lesson=True, flaws=(Flaw.UNBOUND, Flaw.ONE_KEY))
STATISTICAL = AnnouncedPolicy(5, 0.1, "coverage", True, Setting.STATISTICAL, 0.05)
COUNTS: tuple[Counts, ...] = ({("+",): 9, ("-",): 2},)
PROOF = DecisionCertificate("coverage", 5, 11, 2, (4.0, 2.5), 1, 0.25)
COMMITTED = CommittedDecision((0, 2), 11, None, (), bytes(range(32)), b"for the analyst")
# Messages whose fields have to do with each other, that have several forms, or a seal. The other
# examples are made from the rows.
AGREEING: dict[str, tuple[int, Body]] = {
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
    "announcement-of-coarser-values": (0, announcement(schema=COARSER)),
    "announcement-of-several-rows": (0, announcement(rules=Rules(rows=6))),
    "call": (1, SINGLES),
    "call-joint": (2, JOINT),
    "call-masked": (2, MASKED),
    "call-blanked": (2, BLANKED),
    "batch": (1, Batch((b"one", b"two", b"six"))),
    "batch-of-lengths": (1, Batch((b"", b"one", b"three"))),
    "tally": (1, Tally((11,), REFUSED, COUNTS)),
    "tally-withheld": (1, Tally((11, 11, 10), {})),
    "decision": (1, Decision((0, 2), PROOF)),
    "decision-blanked": (1, Decision((0, 2), PROOF, BLANKED.hidden)),
    "committed-with-a-cover": (1, replace(COMMITTED, delta=0.25, hidden=BLANKED.hidden)),
    "certificate": (2, OpenedCertificate(bytes(range(32)), PROOF)),
    "roster": (0, ROSTER),
    "roster-with-randomness": (0, replace(ROSTER, randomness=SIGNER.public)),
    "closed-sealed": (2, Closed()),
    "closed-sealed-before-a-head": (2, Closed()),
}


def bodies() -> dict[str, tuple[int, Body]]:
    """Return the round and body of all examples, by name: that of a kind is the one in between."""
    named = dict(AGREEING)
    for row in TABLE.values():
        name, made = KINDS[row.body].name.lower(), dict(examples_of(row.body))
        number = 0 if row.body in UNANNOUNCED else 1
        plain = "middle" if "middle" in made else next(iter(made))
        if name not in named:
            named[name] = number, made.pop(plain)
        named |= {f"{name}-{level}": (number, body) for level, body in made.items()}
    return named


UNANNOUNCED = (Key, Announcement, Registry, Roster)  # they are sent before there is a session
BODIES = bodies()
SEALS = {"closed-sealed": SEALED, "closed-sealed-before-a-head": Seal(b"", SEALED.signature)}


def encoded(name: str) -> bytes:
    """Give the positive message of that name as bytes."""
    number, body = BODIES[name]
    session = bytes(32) if isinstance(body, UNANNOUNCED) else SESSION
    return Message(session, number, body, SEALS.get(name)).encode()


def playing(told: Announcement, call: Call) -> tuple[Round, Vector]:
    """Open a round, and say in JSON which one it is."""
    session = told.digest()
    plan = open_round(told, session, call)
    data = Message(session, call.round, call).encode()
    return plan, {"announcement": told.encode().hex(), "call": data.hex()}

"""Wire vectors of decisions that are committed to: what opens them, and one fault in each other."""

from dataclasses import replace

from veilmix.crypto.entropy import SeededEntropy
from veilmix.protocol.wire.commitment import commit
from veilmix.protocol.wire.frames import Message
from veilmix.protocol.wire.messages import CommittedDecision, Decision, OpenedCertificate
from wire_examples import (
    BLANKED,
    PROOF,
    SEED,
    SESSION,
    Named,
    Vector,
    announcement,
    negative,
    positive,
)
from wire_in_json import shown_body


def commitments() -> Named:
    """What the analyst, and later everybody, opens and compares."""
    told, kept = announcement(), (0, 2)
    entropy = SeededEntropy(SEED).fork("commitment")
    said, opened = commit(told, SESSION, Decision(kept, PROOF), entropy)
    other, _ = commit(told, SESSION, Decision(kept, PROOF, BLANKED.hidden), entropy)
    right = posted(said, opened)
    yield "committed", positive("a commitment that opens", "committed", right, shown_body(opened))
    flipped = said.sealed[:-1] + bytes([said.sealed[-1] ^ 1])
    again = replace(opened, certificate=replace(PROOF, people=3))
    wrong: dict[str, tuple[Vector, str]] = {
        "other-columns": (posted(replace(said, kept=(0, 1)), opened), "unexpected"),
        "other-rules": (posted(replace(other, digest=said.digest), opened), "does-not-open"),
        "another-digest": (posted(replace(said, digest=bytes(32)), opened), "does-not-open"),
        "sealed-changed": (posted(replace(said, sealed=flipped), opened), "does-not-open"),
        "another-certificate": (posted(said, again), "unexpected"),
        "another-blind": (posted(said, replace(opened, blind=bytes(32))), "unexpected"),
    }
    for name, (inputs, reason) in wrong.items():
        title = f"a commitment: {name}"
        yield f"committed-{name}", negative(title, "committed", inputs, reason)


def posted(said: CommittedDecision, opened: OpenedCertificate) -> Vector:
    """Say in JSON what is posted, and who reads it."""
    return {
        "decision": Message(SESSION, 1, said).encode().hex(),
        "opening": Message(SESSION, 2, opened).encode().hex(),
        "secret": SeededEntropy(SEED).fork("analyst").random(32).hex(),
    }

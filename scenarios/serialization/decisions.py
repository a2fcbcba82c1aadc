"""A decision's rules and proof as result.json writes them, and read back."""

import json
from collections.abc import Sequence
from typing import Any

from ...protocol.hiding import Hiding, Redact


def plain_proof(proof: bytes) -> dict[str, Any]:
    """What proves a certificate beside its thresholds; nothing where there is nothing."""
    return {"proof": json.loads(proof)} if proof else {}


def proof_bytes(proof: Any) -> bytes:
    """The same as a certificate holds it: JSON without spaces."""
    return json.dumps(proof, separators=(",", ":")).encode() if proof is not None else b""


def plain_blanks(hidden: Sequence[Hiding], names: Sequence[str]) -> dict[str, Any]:
    """The values that a decision has people leave blank; nothing where there are none."""
    rules = [
        {
            "feature": names[rule.column],
            "values": list(rule.values),
            "cover": rule.cover,
            "rate": rule.rate,
        }
        for rule in hidden
        if isinstance(rule, Redact)
    ]
    return {"blank": rules} if rules else {}


def read_blanks(rules: Sequence[Any], names: Sequence[str]) -> tuple[Redact, ...]:
    """The same, as a decision holds them."""
    return tuple(
        Redact(names.index(rule["feature"]), tuple(rule["values"]), rule["cover"]) for rule in rules
    )

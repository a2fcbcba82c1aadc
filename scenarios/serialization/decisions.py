"""A decision's rules and proof, read back from result.json."""

import json
from collections.abc import Sequence
from typing import Any

from ...protocol.hiding import Redact


def proof_bytes(proof: Any) -> bytes:
    """What proves a certificate, as it holds it: JSON without spaces."""
    return json.dumps(proof, separators=(",", ":")).encode() if proof is not None else b""


def read_blanks(rules: Sequence[Any], names: Sequence[str]) -> tuple[Redact, ...]:
    """The values that people leave blank, as a decision holds them."""
    return tuple(
        Redact(names.index(rule["feature"]), tuple(rule["values"]), rule["cover"]) for rule in rules
    )

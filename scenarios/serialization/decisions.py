"""A decision's rules and proof, read back from result.json."""

import json
from collections.abc import Sequence
from typing import Any, Protocol

from ...protocol.wire.hiding_rules import Redact


class Blank(Protocol):
    """A column with values for which people leave a blank, as a result file has it."""

    @property
    def feature(self) -> str:
        """Its name."""
        ...

    @property
    def values(self) -> tuple[str, ...]:
        """The values for which a blank is left."""
        ...

    @property
    def cover(self) -> int:
        """The number of 2^64 coins with which a user of another value leaves a blank too."""
        ...


def proof_bytes(proof: Any) -> bytes:
    """Return the proof of a certificate, as a certificate holds it: JSON without spaces."""
    return json.dumps(proof, separators=(",", ":")).encode() if proof is not None else b""


def read_blanks(rules: Sequence[Blank], names: Sequence[str]) -> tuple[Redact, ...]:
    """The values that people leave blank, as a decision holds them."""
    return tuple(Redact(names.index(rule.feature), rule.values, rule.cover) for rule in rules)

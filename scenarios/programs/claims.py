"""Comparing what a run claims with what follows from its record."""

from math import isclose
from typing import Any, TypeVar

from ...errors import VerificationError
from .evidence import Evidence, NoGround
from .findings import Findings

F = TypeVar("F", bound=Findings)
CLOSE = 1e-9  # last digits may depend on the machine


def same(where: str, found: Any, claimed: Any, *, close: float = CLOSE) -> None:
    """VerificationError unless two pieces of plain data agree, numbers up to their last digits."""
    if isinstance(found, dict) and isinstance(claimed, dict) and found.keys() == claimed.keys():
        for key, value in found.items():
            same(f"{where}: {key}", value, claimed[key], close=close)
    elif isinstance(found, list) and isinstance(claimed, list) and len(found) == len(claimed):
        for number, (one, other) in enumerate(zip(found, claimed, strict=True), start=1):
            same(f"{where}, number {number}", one, other, close=close)
    elif isinstance(found, float) and isinstance(claimed, float | int):
        if not isclose(found, claimed, rel_tol=close, abs_tol=CLOSE):
            raise VerificationError(f"{where}: {claimed:g} is claimed, {found:g} was found")
    elif found != claimed:
        raise VerificationError(f"{where}: {claimed!r} is claimed, {found!r} was found")


def claimed(evidence: Evidence, kind: type[F]) -> F:
    """What result.json says that a program of this kind found; NoGround if it says nothing."""
    said = evidence.result.findings
    if not isinstance(said, kind):
        raise NoGround("no reports were counted")
    return said

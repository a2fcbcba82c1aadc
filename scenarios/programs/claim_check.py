"""Comparison of claims in a record (result.json) with recomputed values."""

from math import isclose
from typing import Any, TypeVar

from ...errors import VerificationError
from .evidence import NoGround, ProgramEvidence
from .findings import Findings

F = TypeVar("F", bound=Findings)
# relative tolerance of checks, because the last digits of floats may depend on the machine
CLOSE = 1e-9


def require_close(where: str, actual: Any, claimed: Any, *, close: float = CLOSE) -> None:
    """Raise VerificationError unless a computed and a claimed figure agree.

    where: the name of the figure, for messages. close: the relative tolerance of floats; all other
    values must be equal. Lists and dicts are compared element by element. actual: the computed
    figure. claimed: the figure in the record.
    """
    if isinstance(actual, dict) and isinstance(claimed, dict) and actual.keys() == claimed.keys():
        for key, value in actual.items():
            require_close(f"{where}: {key}", value, claimed[key], close=close)
    elif isinstance(actual, list) and isinstance(claimed, list) and len(actual) == len(claimed):
        for number, (mine, claim) in enumerate(zip(actual, claimed, strict=True), start=1):
            require_close(f"{where}, number {number}", mine, claim, close=close)
    elif isinstance(actual, float) and isinstance(claimed, float | int):
        if not isclose(actual, claimed, rel_tol=close, abs_tol=CLOSE):
            raise VerificationError(f"{where}: {claimed:g} is claimed, {actual:g} was found")
    elif actual != claimed:
        raise VerificationError(f"{where}: {claimed!r} is claimed, {actual!r} was found")


def claimed(evidence: ProgramEvidence, kind: type[F]) -> F:
    """Return the release program's findings in result.json, of the record type `kind`.

    Raises NoGround (the claim cannot be checked) if result.json has no such findings.
    """
    findings = evidence.result.findings
    if not isinstance(findings, kind):
        raise NoGround("no reports were counted")
    return findings

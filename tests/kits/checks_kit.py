"""Checks of a run that a test requires."""

from collections.abc import Sequence

from veilmix.errors import VerificationError
from veilmix.scenarios.records.verification.checks import CheckResult


def require(checks: Sequence[CheckResult]) -> None:
    """Raise VerificationError if a check failed, naming each that did."""
    failed = [f"{check.name}: {check.detail}" for check in checks if check.ok is False]
    if failed:
        raise VerificationError("\n".join(failed))

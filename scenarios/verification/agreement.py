"""Two things that must be the same: what follows from a record, and what is claimed."""

from ...errors import VerificationError


def same(what: str, actual: object, claimed: object) -> None:
    """Raise VerificationError unless what was found is what was claimed."""
    if actual != claimed:
        raise VerificationError(
            f"{what}: {shortened(claimed)} is claimed, {shortened(actual)} was found"
        )


def shortened(value: object) -> str:
    """A value as it stands in an error."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."

"""Comparison of computed values with the values that a record claims."""

from math import isclose

from ....errors import VerificationError

CLOSE = 1e-9  # relative tolerance, because adding in another order changes the last of 16 digits


def require_equal(subject: str, actual: object, claimed: object) -> None:
    """Raise VerificationError unless the computed value `actual` equals the claimed value.

    subject: the name of the value in the message.
    """
    if actual != claimed:
        raise VerificationError(
            f"{subject}: {shortened(claimed)} is claimed, {shortened(actual)} was found"
        )


def require_close(subject: str, actual: object, claimed: object) -> None:
    """Raise VerificationError unless computed and claimed data are equal, floats up to `CLOSE`.

    subject: the name of the data in the message. The tolerance is needed because another processor
    may add the same numbers in another order.
    """
    match actual, claimed:
        case dict(), dict():
            for key in sorted(actual.keys() | claimed.keys()):
                require_close(f"{subject}: {key}", actual.get(key), claimed.get(key))
        case list(), list() if len(actual) == len(claimed):
            for place, (mine, claimed_item) in enumerate(zip(actual, claimed, strict=True)):
                require_close(f"{subject}[{place}]", mine, claimed_item)
        case float(), float() if isclose(actual, claimed, rel_tol=CLOSE, abs_tol=CLOSE):
            pass
        case _:
            require_equal(subject, actual, claimed)


def shortened(value: object) -> str:
    """Return a value as text for an error message, cut to 60 characters."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."

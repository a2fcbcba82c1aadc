"""Two things that must be the same: what follows from a record, and what is claimed."""

from math import isclose

from ...errors import VerificationError

CLOSE = 1e-9  # a sum of the same numbers in another order differs in the last of sixteen digits


def same(what: str, actual: object, claimed: object) -> None:
    """Raise VerificationError unless what was found is what was claimed."""
    if actual != claimed:
        raise VerificationError(
            f"{what}: {shortened(claimed)} is claimed, {shortened(actual)} was found"
        )


def alike(what: str, actual: object, claimed: object) -> None:
    """Raise VerificationError unless plain data are the same, decimal numbers up to `CLOSE`.

    Another processor adds the same numbers in another order.
    """
    match actual, claimed:
        case dict(), dict():
            for key in sorted(actual.keys() | claimed.keys()):
                alike(f"{what}: {key}", actual.get(key), claimed.get(key))
        case list(), list() if len(actual) == len(claimed):
            for place, (mine, theirs) in enumerate(zip(actual, claimed, strict=True)):
                alike(f"{what}[{place}]", mine, theirs)
        case float(), float() if isclose(actual, claimed, rel_tol=CLOSE, abs_tol=CLOSE):
            pass
        case _:
            same(what, actual, claimed)


def shortened(value: object) -> str:
    """A value as it stands in an error."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."

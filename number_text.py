"""The formats of numbers and lists in every text for people: shares, sizes, intervals, plurals."""

from collections.abc import Iterable, Sequence
from math import isclose

SIZES = ("bytes", "kB", "MB", "GB", "TB", "PB", "EB", "ZB")  # units, each 1,000 times the last
ROUNDING = 1e-12  # an estimate's error below this is floating-point rounding alone


def percent(share: float) -> str:
    """Return a share (0 to 1) as a percentage, exact at the ends.

    It is "0.0 %" only if the share is 0, and "100.0 %" only if the share is 1.
    """
    digits = 1
    while share not in (0, 1) and digits < 6 and round(100 * share, digits) in (0, 100):
        digits += 1
    return f"{100 * share:.{digits}f} %"


def size(count: float) -> str:
    """Return a number of bytes as text with up to three digits and a unit."""
    for unit in SIZES:
        if count < 999.5:
            whole = unit == "bytes" or count >= 99.5
            return f"{count:.0f} {unit}" if whole else f"{count:.3g} {unit}"
        count /= 1000
    return f"{1000 * count:,.0f} {SIZES[-1]}"


def joined(names: Iterable[str]) -> str:
    """Return names joined as `a, b and c`."""
    *first_names, last = list(names) or ["nothing"]
    return f"{', '.join(first_names)} and {last}" if first_names else last


def plural(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun, in the plural unless the number is 1.

    plural: the plural of the noun; None: the noun with an s.
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def people(number: int) -> str:
    """Write a number of people."""
    return plural(number, "person", "people")


def first_few(names: Sequence[str], limit: int = 6, rest: str = "more") -> str:
    """Return the first `limit` names joined by commas, and the number of further names.

    rest: the word after that number, such as "more".
    """
    more = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {more} {rest}" if more > 0 else "")


def seeds(first: int, runs: int) -> str:
    """Return the seeds of consecutive runs as text: `seed 7`, `seeds 7 to 11`."""
    return f"seed {first}" if runs == 1 else f"seeds {first} to {first + runs - 1}"


def interval(mean: float, low: float, high: float, unit: str) -> str:
    """Return a mean with its confidence interval as text, such as `12 +- 3`.

    Both ends, low and high, are given if they differ in their distance from the mean. unit: of
    the mean; if it begins with "share", the mean is written as a percentage.
    """
    share = unit.startswith("share")
    if low == high:
        return percent(mean) if share else f"{mean:,.4g}"
    scale, sign = (100, " %") if share else (1, "")
    middle, lower_part, upper_part = scale * mean, scale * (mean - low), scale * (high - mean)
    if isclose(lower_part, upper_part, rel_tol=1e-6):
        return f"{middle:,.4g} +- {upper_part:.2g}{sign}"
    return f"{middle:,.4g}{sign} ({scale * low:.3g} to {scale * high:.3g})"


def give_or_take(error: float | None, digits: int) -> str:
    """Return the error of an estimate as text, such as ` +- 0.5`.

    Empty if the error is None, or so small that it is only floating-point rounding. digits:
    significant digits.
    """
    return f" +- {error:.{digits}g}" if error and error > ROUNDING else ""


def sentence(clause: str) -> str:
    """Return a clause as a sentence: with a capital letter and a full stop."""
    return f"{clause[:1].upper()}{clause[1:]}."

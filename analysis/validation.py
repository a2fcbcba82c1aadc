"""Checks of the arguments of all packages of `analysis`, in one place.

Counts are exact integers, probabilities are floats that sum to 1. Any other value is refused with a
`ParameterError` that names the argument, the found value and the accepted values.
"""

from collections.abc import Collection, Sequence
from fractions import Fraction
from math import isinf, isnan, nan
from numbers import Rational, Real
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ParameterError

Counts = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MAX_PEOPLE = 3_000_000_000  # limit of the people, so that the product of two counts fits 63 bits
# limit of the reports, so that their counts, with rounding, stay within float64
MOST_REPORTS = 10**10
# Largest accepted distance of a sum of probabilities from 1. A vector of 10^6 float64 shares that
# were each rounded once sums to 1 within about 1e-10.
SUM_TOLERANCE = 1e-9
MOST_BITS = 1023  # most bits of an accepted whole number, because float64 holds no larger number
# Types that Python or NumPy treat as numbers, and which are refused: bools, and durations, which
# are NumPy integers.
NO_NUMBERS = (bool, np.bool_, np.timedelta64)


def as_counts(counts: npt.ArrayLike, name: str = "counts", *, people: int = 1) -> Counts:
    """Return checked counts of people as a 1-D int64 array, zeros included.

    Args:
        counts: whole numbers of at least 0, at most `MAX_PEOPLE` together.
        name: name of the argument, for messages.
        people: smallest accepted total; with 0 the array may be empty.

    Raises:
        ParameterError: the counts are invalid.
    """
    return as_count_table(counts, name, 1, people=people)


def as_count_table(counts: npt.ArrayLike, name: str, dimensions: int, *, people: int = 1) -> Counts:
    """Return checked counts of people as an int64 array of `dimensions` dimensions.

    Args:
        counts: whole numbers of at least 0, at most `MAX_PEOPLE` together.
        name: name of the argument, for messages.
        dimensions: the accepted number of dimensions.
        people: smallest accepted total; with 0 the array may be empty.

    Raises:
        ParameterError: the counts are invalid.
    """
    array = as_array(counts, name, "whole numbers of people")
    if array.ndim != dimensions:
        raise ParameterError(f"{name}: found {array.ndim} dimensions; needs {dimensions}")
    if not array.size:
        if people:
            raise ParameterError(f"{name}: shape {array.shape}; needs {dimensions} non-empty axes")
        return np.empty(array.shape, np.int64)
    if array.dtype.kind == "O" and all(isinstance(entry, int) for entry in array.flat):
        if min(array.flat) < 0:
            raise ParameterError(f"{name}: holds a number below 0; a count is 0 or more")
        raise _too_many(name, "more than 1.8e+19")  # NumPy keeps integers above 64 bits as objects
    if array.dtype.kind == "f" and _mixed(counts):
        raise _too_many(name, "more than 9.2e+18")
    if array.dtype.kind not in "iu":
        raise ParameterError(f"{name}: holds {array.dtype} values; needs whole numbers of people")
    if array.min() < 0:
        raise ParameterError(f"{name}: holds {array.min()}; a count is 0 or more")
    total = float(array.sum(dtype=np.float64))
    if total > MAX_PEOPLE:
        raise _too_many(name, f"{total:.4g}")
    if total < people:
        raise ParameterError(f"{name}: found no people; needs at least one person")
    return array.astype(np.int64)


def _mixed(counts: npt.ArrayLike) -> bool:
    """Whether counts are whole numbers of 0 or more that NumPy converted to floats.

    NumPy converts them if they fit neither into signed nor into unsigned 64-bit integers.
    """
    entries = np.array(counts, dtype=object).flat
    return all(isinstance(entry, int) and entry >= 0 for entry in entries)


def _too_many(name: str, people: str) -> ParameterError:
    """Return the error for counts of `people` people, more than `MAX_PEOPLE`."""
    return ParameterError(
        f"{name}: counts {people} people; at most {MAX_PEOPLE:,} are accepted, so that a "
        "product of two counts is exact in 64 bits"
    )


def as_marginals(marginals: Sequence[npt.ArrayLike]) -> list[Counts]:
    """Return one checked count array per column; all must count the same people, at least one."""
    marginals = sequence(marginals, "marginals", "the counts of each column")
    if len(marginals) == 0:
        raise ParameterError("marginals: found no column; needs the counts of at least one")
    columns = [as_counts(counts, f"marginals[{j}]") for j, counts in enumerate(marginals)]
    first = int(columns[0].sum())
    for j, column in enumerate(columns):
        n = int(column.sum())
        if n != first:
            raise ParameterError(
                f"marginals[{j}]: counts {n:,} people and marginals[0] {first:,}; columns of one "
                "table count the same people"
            )
    return columns


def as_probabilities(p: npt.ArrayLike, name: str = "p") -> Floats:
    """Return a 1-D float64 array of probabilities; ParameterError unless they sum to 1.

    The sum may miss 1 by `SUM_TOLERANCE`, for rounding.
    """
    array = as_floats(p, name)
    if array.ndim != 1 or array.size == 0:
        raise ParameterError(f"{name}: shape {array.shape}; needs one non-empty axis")
    total = float(array.sum())
    if not array.min() >= 0 or not abs(total - 1) <= SUM_TOLERANCE:
        raise ParameterError(
            f"{name}: minimum {array.min():g}, sum {total:.12g}; needs probabilities that sum to 1"
        )
    return array


def whole(value: Any, name: str, minimum: int | None = None) -> int:
    """Return `value` as a Python integer; ParameterError unless it is whole and at least `minimum`.

    True and False are refused, as are integers that a float cannot hold.
    """
    if isinstance(value, NO_NUMBERS) or not isinstance(value, int | np.integer):
        raise ParameterError(f"{name}: found {brief(value)}; needs a whole number")
    if int(value).bit_length() > MOST_BITS:
        raise ParameterError(
            f"{name}: found a number of {int(value).bit_length():,} bits; needs a whole number of "
            f"at most {MOST_BITS:,}, which is what a float holds"
        )
    if minimum is not None and value < minimum:
        raise ParameterError(f"{name}: found {value}; needs a whole number >= {minimum}")
    return int(value)


def number(value: Any, name: str, needs: str = "a number") -> float:
    """Return a real number as a float; bools and nan are refused, infinities are accepted.

    Args:
        value: the value to check.
        name: name of the argument, for messages.
        needs: accepted values, for messages.
    """
    refused = isinstance(value, NO_NUMBERS) or not isinstance(value, Real)
    try:
        converted = nan if refused else float(value)
    except OverflowError:
        converted = nan
    if isnan(converted):
        raise ParameterError(f"{name}: found {brief(value)}; needs {needs}")
    return converted


def crowd(n: Any, max_people: int = MOST_REPORTS) -> int:
    """Return the number of people that report, checked: 1 to `max_people`, else ParameterError."""
    people = whole(n, "n", 1)
    if people > max_people:
        raise ParameterError(f"n: found {brief(people)}; needs at most {max_people:,} people")
    return people


def open_unit(value: Any, name: str) -> float:
    """Return a number strictly between 0 and 1 as a float; ParameterError for any other value."""
    needs = "a number strictly between 0 and 1"
    unit = number(value, name, needs)
    if not 0 < unit < 1:
        raise ParameterError(f"{name}: found {value!r}; needs {needs}")
    return unit


def as_array(values: Any, name: str, needs: str = "numbers") -> npt.NDArray[Any]:
    """Return values as a NumPy array; ParameterError if rows have different lengths.

    name: name of the argument, for messages. needs: the accepted values in words, for messages.
    """
    try:
        return np.asarray(values)
    except (ValueError, TypeError, OverflowError) as error:
        raise ParameterError(f"{name}: {error}; needs {needs}") from None


def as_floats(values: Any, name: str, needs: str = "numbers") -> Floats:
    """Return an array of real numbers, of any shape, as float64; texts and bools are refused.

    name: name of the argument, for messages. needs: the accepted values in words, for messages.
    """
    array = as_array(values, name, needs)
    if array.dtype.kind == "O":  # fractions are numbers too
        entries = [number(entry, name, needs) for entry in array.ravel()]
        array = np.array(entries, np.float64).reshape(array.shape)
    if array.dtype.kind not in "iuf":
        raise ParameterError(f"{name}: holds {array.dtype} values; needs {needs}")
    return array.astype(np.float64, copy=False)


def one_of(value: Any, name: str, accepted: Sequence[str]) -> None:
    """Raise ParameterError unless the value is one of the accepted texts."""
    if not isinstance(value, str) or value not in accepted:
        raise ParameterError(f"{name}: found {brief(value)}; needs {_alternatives(accepted)}")


def fraction(value: Any, name: str, needs: str = "a number") -> Fraction:
    """Return a finite real number as an exact fraction; ParameterError for any other value.

    name: name of the argument, for messages. needs: the accepted values in words, for messages.
    """
    if isinstance(value, Rational) and not isinstance(value, NO_NUMBERS):
        return Fraction(value)
    parsed = number(value, name, needs)
    if isinf(parsed):
        raise ParameterError(f"{name}: found {value!r}; needs {needs}")
    return Fraction(parsed)


def sequence(values: Any, name: str, needs: str = "a sequence") -> list[Any]:
    """Return the entries of a list, a tuple or an array; texts and numbers are refused.

    name: name of the argument, for messages. needs: the accepted argument in words, for messages.
    """
    if isinstance(values, str | bytes) or not isinstance(values, Collection | np.ndarray):
        raise ParameterError(f"{name}: found {brief(values)}; needs {needs}")
    if isinstance(values, np.ndarray) and values.ndim == 0:
        raise ParameterError(f"{name}: found one number; needs {needs}")
    return list(values)


def as_rng(rng: Any) -> np.random.Generator:
    """Return a NumPy generator: the argument, or a new generator from a seed; None: random seed."""
    needs = "needs a numpy.random.Generator or a seed >= 0"
    # a duration, which NumPy would take as an integer seed
    if getattr(getattr(rng, "dtype", None), "kind", "") == "m":
        raise ParameterError(f"rng: found {brief(rng)}; {needs}")
    try:
        # Rows of an np.matrix are matrices again, in which NumPy looks for a seed without end.
        return np.random.default_rng(np.asarray(rng) if isinstance(rng, np.matrix) else rng)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"rng: found {brief(rng)}; {needs}") from error


def _alternatives(accepted: Sequence[str]) -> str:
    """Return the accepted texts quoted and joined by commas and "or", for a message."""
    quoted = [repr(str(name)) for name in accepted]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def brief(value: Any) -> str:
    """Return the repr of a value, at most 60 characters, for a message; else its type's name."""
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"

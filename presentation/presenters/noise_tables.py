"""Tables and sentences on estimates from noisy reports, for terminal and page."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...scenarios.schema.mechanisms import mechanisms
from ..text_blocks import Grid, PageNumbers

if TYPE_CHECKING:
    from ...scenarios.programs.randomized.numeric_estimates import MeasuredFeature
    from ...scenarios.programs.randomized.open_domain_values import FoundFeature
    from ...scenarios.programs.randomized.score import Randomized
    from ...scenarios.programs.randomized.share_estimates import Estimated


def signed(share: float) -> str:
    """Return an estimated share as a percentage; it may be below 0 % or above 100 %."""
    return f"{100 * share:.1f} %"


def found_promise(feature: "FoundFeature") -> str:
    """Return a sentence on the values that a search may miss, or may find in error."""
    false = f"at most {feature.false_at_most:.2g} values are expected that nobody has"
    if feature.least_share is None:
        return f"no value is certain to be found, however many have it; {false}"
    return (
        f"a value of {100 * feature.least_share:.3g} % of people or more is missed with "
        f"probability 5 % at most; {false}"
    )


def error_meaning(mechanism: str) -> str:
    """Return a sentence on standard errors: of noise alone, or also of sampling people."""
    if mechanisms()[mechanism].sampled:
        return "error: standard error, of the noise and of who took part"
    return "error: standard error, of the noise given who took part"


Line = tuple[str, Sequence[float]]  # a row of a table: its name, and its numbers


def _grid(
    name: str,
    columns: Mapping[str, str],
    tables: Sequence[tuple[str, Sequence[Line]]],
    number_text: Callable[[float], str],
    max_rows: int | None,
) -> Grid:
    """Return a table of estimates, each feature named once, with the numbers for a CSV file.

    Args:
        name: the name of the CSV file.
        columns: name of each column in the CSV file -> its heading in the table.
        tables: each feature with its rows.
        number_text: formats a number.
        max_rows: largest number of printed rows of a feature; None: all rows.
    """
    rows, empty = [], ("nothing", *[""] * (len(columns) - 1))
    for feature, lines in tables:
        texts = [(value, *map(number_text, numbers)) for value, numbers in lines[:max_rows]]
        rows += [(feature * (not place), *row) for place, row in enumerate(texts or [empty])]
    plain: list[tuple[str | float, ...]] = [
        (feature, value, *numbers) for feature, lines in tables for value, numbers in lines
    ]
    numbers = PageNumbers(name, ("feature", *columns), plain)
    right = tuple(range(2, len(columns) + 1))
    return Grid(("feature", *columns.values()), rows, right, numbers=numbers)


LIMITS = {"low_95": "95 % from", "high_95": "to"}
ERRORS = {"standard_error": "error", **LIMITS, "truth": "truth"}


def number_grid(features: "Sequence[MeasuredFeature]", max_rows: int | None = None) -> Grid:
    """Return the table of estimated numbers, such as means: estimate, error, limits and truth.

    max_rows: largest number of printed rows of a feature; None: all rows.
    """
    columns = {"number": "number", "estimate": "estimate", **ERRORS}
    tables = [
        (
            feature.feature,
            [
                (number.name + " (biased)" * number.biased, _figures(number, number.estimate))
                for number in feature.measures
            ],
        )
        for feature in features
    ]
    return _grid("numbers", columns, tables, "{:,.4g}".format, max_rows)


def found_grid(features: "Sequence[FoundFeature]", max_rows: int | None = None) -> Grid:
    """Return the table of values that a search for frequent values found, with their shares.

    Each row has an estimate, its error, limits and the truth. max_rows: largest number of printed
    rows of a feature; None: all rows.
    """
    columns = {"value": "found", "unbiased": "estimate", **ERRORS}
    tables = [
        (
            feature.feature,
            [(value.value, _figures(value, value.unbiased)) for value in feature.found],
        )
        for feature in features
    ]
    return _grid("found", columns, tables, signed, max_rows)


def _figures(estimates: object, estimate: float) -> tuple[float, ...]:
    """Return the numbers of a table row: an estimate, its standard error, limits and truth.

    estimates: an object with the error, the limits and the truth. estimate: the estimate.
    """
    return estimate, *(getattr(estimates, key) for key in ERRORS)


def estimated(local: "Randomized") -> "list[Estimated]":
    """Return the estimated shares of each feature, then of all features jointly if known."""
    return [*local.features, *([local.joint] if local.joint else [])]


def share_columns(feature: "Estimated") -> "dict[str, Sequence[float]]":
    """Return the estimated shares of a feature's values, by name of the column in a CSV file.

    Also their standard errors, limits, the nearest distribution, and the truth if it is known.
    """
    columns: dict[str, Sequence[float]] = {
        "unbiased": feature.shares,
        "standard_error": feature.errors,
        "low_95": feature.low,
        "high_95": feature.high,
        "projected": feature.projected,
    }
    return {**columns, "truth": feature.truth} if feature.truth else columns


def share_grid(estimates: "Sequence[Estimated]", max_rows: int | None = None) -> Grid:
    """Return the table of estimated shares of values, with limits, the nearest shares, and truth.

    An estimate can lie below 0 or above 1; the nearest shares do not, and they sum to 1. max_rows:
    the largest number of printed values of a feature, by falling estimate; None: all values.
    """
    names = [name for name in share_columns(estimates[0]) if name != "standard_error"]
    tables = []
    for feature in estimates:
        columns = share_columns(feature)
        figures = zip(*(columns[name] for name in names), strict=True)
        lines = list(zip(feature.values, figures, strict=True))
        if max_rows is not None and len(lines) > max_rows:
            lines.sort(key=lambda line: -line[1][0])
        tables.append((feature.feature, lines))
    headings = {"value": "value", "unbiased": "estimate", **LIMITS, "projected": "projected"}
    headings |= {name: name for name in names[4:]}
    return _grid("estimates", headings, tables, signed, max_rows)

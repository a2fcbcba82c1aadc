"""Rows and sentences on estimates from randomized reports, for terminal and page."""

from typing import TYPE_CHECKING

from ...scenarios.schema.mechanisms import mechanisms

if TYPE_CHECKING:
    from ...scenarios.programs.randomized.numeric_estimates import MeasuredFeature
    from ...scenarios.programs.randomized.open_domain_values import FoundFeature


def signed(share: float) -> str:
    """Return a share that may be below 0 or above 1 as text."""
    return f"{100 * share:.1f} %"


def found_rows(feature: "FoundFeature") -> list[tuple[str, ...]]:
    """Return a row for each found value; a placeholder row if there are no values."""
    rows = [
        (value.value, *map(signed, (value.unbiased, value.low_95, value.high_95, value.truth)))
        for value in feature.found
    ]
    return rows or [("nothing", "", "", "", "")]


def found_promise(feature: "FoundFeature") -> str:
    """Return a sentence on missed values and on false values."""
    false = f"at most {feature.false_at_most:.2g} values are expected that nobody has"
    if feature.least_share is None:
        return f"no value is certain to be found, however many have it; {false}"
    return (
        f"a value of {100 * feature.least_share:.3g} % of people or more is missed with "
        f"probability 5 % at most; {false}"
    )


def measures_rows(feature: "MeasuredFeature") -> list[tuple[str, ...]]:
    """Return a row for each number: estimate, error, limits and truth."""
    return [
        (
            f"{number.name}{' (biased)' if number.biased else ''}",
            *(
                f"{value:,.4g}"
                for value in (
                    *(number.estimate, number.standard_error),
                    *(number.low_95, number.high_95, number.truth),
                )
            ),
        )
        for number in feature.measures
    ]


def error_meaning(mechanism: str) -> str:
    """Return a sentence on the meaning of standard errors of a mechanism."""
    if mechanisms()[mechanism].sampled:
        return "error: standard error, of the noise and of who took part"
    return "error: standard error, of the noise given who took part"

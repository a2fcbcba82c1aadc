"""The presenter of a decision on the release: its rule, and the sets of columns considered.

It also names the weaker privacy thresholds at which a suppressed column would be released.
"""

from collections.abc import Iterable, Iterator
from math import ceil

from ...number_text import percent
from ...scenarios.programs.dropped_columns import UnreleasedColumn
from ...scenarios.programs.topology import topology_of
from ...scenarios.schema.model import Scenario
from .registry import presenter_of

# headings of a table of column sets; `by` is the rule that proves the bound. A column with the
# decision follows.
SET_HEADINGS = ("columns", "certified bound", "by")


def set_cells(columns: Iterable[str], bound: str, rule: str) -> tuple[str, str, str]:
    """Return a column set, its certified bound, and the rule that proves it, as table cells."""
    return " x ".join(columns), bound, rule


def set_decision(*, released: bool, safe: bool, chosen: bool = False) -> str:
    """Return the decision on a column set, in a word or two.

    released: whether the set is in the release. chosen: whether it was to be released, although the
    round may have been aborted. safe: whether its certified bound is within the policy's limit.
    """
    if released or chosen:
        return "released" if released else "chosen"
    return "safe" if safe else "too exposed"


def decision_rule(scenario: Scenario) -> str:
    """Return a clause on a release: the party that decides, and the limit of exposure."""
    policy, population = scenario.policy, scenario.population
    exposed, confidence = "people can be in a crowd smaller than", ""
    if population.rows is not None:
        exposed = "persons can have a row that fewer persons have than"
    if population.setting != "fixed":
        confidence = f" (bound for other people, with confidence {1 - policy.delta:g})"
    reader = topology_of(scenario).reader.removeprefix("the ")
    limit = f"at most {percent(policy.max_exposure)} of {exposed} k = {policy.k}{confidence}"
    return presenter_of(scenario).decision(scenario, reader, limit)


def unreleased(columns: Iterable[UnreleasedColumn]) -> Iterator[str]:
    """Yield a clause for each suppressed column: the exposure bound with the column, and a remedy.

    The remedy is a larger `max_exposure` or a smaller k, with which the column would be released.
    """
    for dropped in columns:
        bound = percent(dropped.promised)
        if dropped.forbidden:
            yield f"{dropped.column} is forbidden; with it the bound is {bound}"
            continue
        # k = 1 protects no person, so it is not recommended
        crowd = f", or k = {dropped.largest_k:,} or less," if (dropped.largest_k or 0) > 1 else ""
        yield (
            f"with {dropped.column} the bound is {bound}: "
            f"max_exposure = {_rounded_up(dropped.promised)}{crowd} would release it"
        )


def _rounded_up(share: float) -> str:
    """Return a share as text, rounded up to 0.01 %.

    It is a recommended limit on exposure: rounded down it would be too small to release the column.
    """
    return f"{ceil(share * 10_000 - 1e-9) / 10_000:g}"

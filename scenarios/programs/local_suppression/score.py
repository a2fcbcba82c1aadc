"""Benefit and cost of suppressed values: findings of the release program `local-suppression`.

The release is compared with two releases of whole columns (global suppression). The first has the
same limit on the exposure bound; the curator could have chosen it from the same counts. The second
has at most the same number of people truly exposed; only full knowledge of the table allows this
choice. A cell is the value of a person in a column, released and not blank.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import field

from ....protocol.wire.hiding_rules import BLANK, Redact
from ....protocol.wire.messages import Counts, Decision
from ....protocol.wire.schema import Schema
from ...schema.model import Policy
from ...serialization.record import Record
from ..findings import Findings
from .strategy import global_decision


class SuppressedColumn(Record, frozen=True):
    """A released column in which some values are left blank.

    Attributes:
        feature: the name of the feature.
        listed: people with a suppressed value; they leave a blank for it.
        cover: the probability with which any other person leaves a blank.
        expected: the expected number of blanks.
        blanks: people with a blank; None without a release.
        chance: probability that a blank hides a suppressed value: listed / blanks by the counts or,
            without a release, listed / expected.
        values: the values that are suppressed.
    """

    feature: str
    listed: int
    cover: float
    expected: float
    blanks: int | None
    chance: float
    values: tuple[str, ...] = ()


class Rival(Record, frozen=True):
    """A release of whole columns to the same people, for comparison: it leaves no value blank.

    Attributes:
        kept: names of the released columns.
        cells: released cells: people times released columns.
        exposed: share of people in a class smaller than k.
    """

    kept: tuple[str, ...]
    cells: int
    exposed: float = field(name="true_exposure")


class Blanks(Findings, frozen=True, tag="local-suppression"):
    """The findings of the release program `local-suppression`: suppressed values and cells.

    A cell is the value of a person in a column.

    Attributes:
        rules: for each column with blanks, the suppressed values and the numbers of blanks.
        cells: the number of cells released with their value, not blank.
        of: the number of all cells: people times features.
        promise: for comparison, a release of whole columns within the same max_exposure, chosen
            from the same counts.
        truth: for comparison, the most whole columns that expose no more people than this release.
    """

    rules: tuple[SuppressedColumn, ...]
    cells: int
    of: int
    promise: Rival = field(name="global_at_the_same_promise")
    truth: Rival = field(name="global_at_the_same_true_exposure")


def score(
    policy: Policy,
    schema: Schema,
    marginals: Sequence[Counts],
    decision: Decision,
    release: Counts | None,
    codes: Any,
) -> Blanks:
    """Return the suppressed values, the released cells, and two releases for comparison.

    marginals: counts of round 1. release: the released counts, or None. codes: the true rows of the
    respondents of the last round.
    """
    n, names = len(codes), schema.names
    rules = tuple(
        _rule(rule, names[rule.column], marginals[rule.column], decision, release)
        for rule in decision.hidden
        if isinstance(rule, Redact)
    )
    cells = sum(
        people * sum(value != BLANK for value in cell) for cell, people in (release or {}).items()
    )
    small = sum(people for people in (release or {}).values() if people < policy.k)
    whole = global_decision(policy, schema, marginals)
    return Blanks(
        rules,
        cells,
        n * len(names),
        _rival(names, whole.kept, codes, policy.k),
        _rival(names, _largest_set(codes, policy.k, small), codes, policy.k),
    )


def _rule(
    rule: Redact, name: str, tally: Counts, decision: Decision, release: Counts | None
) -> SuppressedColumn:
    """Return the record of a column with suppressed values: its blanks, expected and counted.

    rule: the suppression rule. tally: the counts of the column in round 1. name: the column.
    release: the released counts; None without a release.
    """
    listed = sum(tally.get((value,), 0) for value in rule.values)
    unlisted_people = sum(tally.values()) - listed
    place = decision.kept.index(rule.column)
    blanks = None
    if release:
        blanks = sum(people for cell, people in release.items() if cell[place] == BLANK)
    expected = listed + unlisted_people * rule.rate
    chance = listed / (blanks or expected)
    return SuppressedColumn(name, listed, rule.rate, expected, blanks, chance, rule.values)


def _largest_set(codes: Any, k: int, max_exposed: int) -> tuple[int, ...]:
    """Return the largest set of whole columns that truly exposes at most `max_exposed` people.

    It is computed from the rows themselves, which no curator knows. codes: the true rows of the
    respondents. k: the smallest safe class, in people.
    """
    from ....analysis.suppression.safe_sets import search_safe_sets

    return search_safe_sets(codes, k, max_exposed).largest if len(codes) else ()


def _rival(names: Sequence[str], released_columns: Sequence[int], codes: Any, k: int) -> Rival:
    """Return a release of whole columns, without blank values, with its true exposure.

    names: the names of all columns. released_columns: the columns of this release, by index. codes:
    the true rows of the respondents. k: the smallest safe class, in people.
    """
    from ....analysis.exposure import joint_counts, users_below

    exposed = 0.0
    if released_columns and len(codes):
        exposed = int(users_below(joint_counts(codes, list(released_columns)), k)) / len(codes)
    return Rival(
        tuple(names[j] for j in released_columns), len(codes) * len(released_columns), exposed
    )

"""What blanks hide and what they cost: a release of the program `local-suppression`, scored.

Compared with global suppression (whole columns) twice: at the same promise, as the curator could
have decided from the same counts; and at the same true exposure, as somebody could have decided who
sees everything. Cells are (person, column) pairs whose value is said by name.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import field

from ....protocol.hiding import BLANK, Redact
from ....protocol.messages import Counts, Decision
from ....protocol.schema import Schema
from ...schema.model import Policy
from ...serialization.record import Record
from ..findings import Findings
from .strategy import global_decision


class Rule(Record, frozen=True):
    """One column with blanks.

    Attributes:
        feature: its name.
        listed: people who have one of the values of the rule and leave a blank for it.
        cover: the probability with which anybody else does.
        expected: people who are expected to leave one.
        blanks: people who left one; None where nothing was released.
        chance: that a blank hides a listed value, 0 to 1, as far as the counts tell:
            listed / blanks, or, where nothing was released, listed / expected.
        values: those for which a blank is left.
    """

    feature: str
    listed: int
    cover: float
    expected: float
    blanks: int | None
    chance: float
    values: tuple[str, ...] = ()


class Rival(Record, frozen=True):
    """Global suppression on the same people: the columns it keeps, and the cells it shows.

    Attributes:
        kept: names of columns.
        cells: shown: people times columns kept.
        exposed: share of people in a crowd smaller than k.
    """

    kept: tuple[str, ...]
    cells: int
    exposed: float = field(name="true_exposure")


class Blanks(Findings, frozen=True, tag="local-suppression"):
    """The rules, and what is said.

    Attributes:
        rules: one for each column with blanks.
        cells: said by name.
        of: people times features.
        promise: global suppression at the same promise.
        truth: global suppression at the same true exposure.
    """

    rules: tuple[Rule, ...]
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
    """Score a decision and its release. codes: the people who answered at last, one row each."""
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
        _rival(names, _most_columns(codes, policy.k, small), codes, policy.k),
    )


def _rule(
    rule: Redact, name: str, tally: Counts, decision: Decision, release: Counts | None
) -> Rule:
    listed = sum(tally.get((value,), 0) for value in rule.values)
    others = sum(tally.values()) - listed
    place = decision.kept.index(rule.column)
    blanks = None
    if release:
        blanks = sum(people for cell, people in release.items() if cell[place] == BLANK)
    expected = listed + others * rule.rate
    chance = listed / (blanks or expected)
    return Rule(name, listed, rule.rate, expected, blanks, chance, rule.values)


def _most_columns(codes: Any, k: int, most: int) -> tuple[int, ...]:
    """The most columns that truly expose no more people: only who sees everything can know."""
    from ....analysis.suppression.safe_sets import search_safe_sets

    return search_safe_sets(codes, k, most).largest if len(codes) else ()


def _rival(names: Sequence[str], kept: Sequence[int], codes: Any, k: int) -> Rival:
    from ....analysis.exposure import joint_counts, users_below

    exposed = 0.0
    if kept and len(codes):
        exposed = int(users_below(joint_counts(codes, list(kept)), k)) / len(codes)
    return Rival(tuple(names[j] for j in kept), len(codes) * len(kept), exposed)

"""What blanks hide and what they cost: a release of the program `local-suppression`, scored.

Compared with global suppression (whole columns) twice: at the same promise, as the curator could
have decided from the same counts; and at the same true exposure, as somebody could have decided who
sees everything. Cells are (person, column) pairs whose value is said by name.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....protocol.hiding import BLANK, Redact
from ....protocol.messages import Counts, Decision
from ....protocol.schema import Schema
from ...schema.model import Policy
from .strategy import global_decision


@dataclass(frozen=True, slots=True)
class Rule:
    """One column with blanks.

    listed: people who have one of its values and leave a blank for it. cover: the probability with
    which anybody else does. blanks: people who left one. chance: that a blank hides a listed value,
    as far as the counts tell: listed / blanks, or, where nothing was released, listed / expected.
    """

    feature: str
    values: tuple[str, ...]
    listed: int
    cover: float
    expected: float
    blanks: int | None

    @property
    def chance(self) -> float:
        """The chance that a blank hides a listed value, 0 to 1."""
        return self.listed / (self.blanks or self.expected)


@dataclass(frozen=True, slots=True)
class Rival:
    """Global suppression on the same people: the columns it keeps, and the cells it shows."""

    kept: tuple[str, ...]
    cells: int
    exposed: float


@dataclass(frozen=True, slots=True)
class Blanks:
    """The rules, and what is said. cells: said by name; of: people times features.

    promise, truth: global suppression at the same promise, and at the same true exposure.
    """

    rules: tuple[Rule, ...]
    cells: int
    of: int
    promise: Rival
    truth: Rival

    def plain(self) -> dict[str, Any]:
        """As result.json writes it."""
        return {
            "rules": [
                {
                    "feature": one.feature,
                    "listed": one.listed,
                    "cover": one.cover,
                    "expected": one.expected,
                    "blanks": one.blanks,
                    "chance": one.chance,
                }
                for one in self.rules
            ],
            "cells": self.cells,
            "of": self.of,
            "global_at_the_same_promise": _plain(self.promise),
            "global_at_the_same_true_exposure": _plain(self.truth),
        }


def _plain(rival: Rival) -> dict[str, Any]:
    return {"kept": list(rival.kept), "cells": rival.cells, "true_exposure": rival.exposed}


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
    return Rule(name, rule.values, listed, rule.rate, listed + others * rule.rate, blanks)


def _most_columns(codes: Any, k: int, most: int) -> tuple[int, ...]:
    """The most columns that truly expose no more people: only who sees everything can know."""
    from ....analysis.suppression.safe_sets import search_safe_sets

    return search_safe_sets(codes, k, most).largest if len(codes) else ()


def _rival(names: Sequence[str], kept: Sequence[int], codes: Any, k: int) -> Rival:
    from ....analysis.exposure.cells import joint_counts
    from ....analysis.exposure.curves import users_below

    exposed = 0.0
    if kept and len(codes):
        exposed = int(users_below(joint_counts(codes, list(kept)), k)) / len(codes)
    return Rival(tuple(names[j] for j in kept), len(codes) * len(kept), exposed)

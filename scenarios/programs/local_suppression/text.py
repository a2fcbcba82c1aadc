"""Sentences on suppressed values: their number, their cost and their benefit."""

from collections.abc import Iterator, Sequence
from typing import Any


def blanks(outcome: Any) -> Iterator[str]:
    """Yield lines on the suppressed values and the number of blanks."""
    if outcome.findings is None:
        return
    k = outcome.scenario.policy.k
    for rule in outcome.findings.rules:
        values = ", ".join(map(str, rule.values))
        cover_note = "nobody else does"
        if rule.cover:
            cover_note = f"so does anybody else with probability {rule.cover:.3g}"
        yield f"{rule.feature}: who has {values} leaves it blank; {cover_note}"
        yield (
            f"  {rule.listed:,} people must, {rule.expected:,.1f} are expected"
            + ("" if rule.blanks is None else f", {rule.blanks:,} did")
            + f"; a blank hides one of these values with chance {rule.chance:.3g}"
            + _sure(outcome, covered=bool(rule.cover), k=k)
        )


def _sure(outcome: Any, *, covered: bool, k: int) -> str:
    if not covered:
        return ""
    delta = outcome.scenario.policy.delta
    return f" (at least k = {k} blanks, with confidence {1 - delta:g})"


def scores(outcome: Any) -> Iterator[tuple[str, str, str]]:
    """Yield score rows: released cells, compared with whole columns."""
    findings = outcome.findings
    if findings is None or not outcome.released:
        return
    yield "cells said by name", f"{findings.cells:,} of {findings.of:,}", "people times features"
    for label, rival in (
        ("... whole columns, same promise", findings.promise),
        ("... whole columns, same truth", findings.truth),
    ):
        column_list = _columns(rival.kept)
        yield label, f"{rival.cells:,} of {findings.of:,}", f"keeping {column_list}"


def _columns(names: Sequence[str]) -> str:
    return ", ".join(map(str, names)) or "nothing"


BLANKS = (
    "Values that fewer than {k} people have, and others if more can be said that way, are left "
    "blank by everybody who has one; where these are fewer than {k}, other people leave a blank "
    "too, at random."
)

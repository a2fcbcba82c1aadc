"""What the curator was given, round by round, in a program that asks more than once."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .layout import Grid, Page, clean, lay_out, say

if TYPE_CHECKING:
    from ...scenarios.programs.hierarchical.rounds import Asked
    from ...scenarios.scoring.outcome import Outcome

NAMED = 4  # groups of a round that are named one by one
NOTE = (
    "small crowds: people of one table, at most, whom fewer than k share their answer with; "
    "certain: people whom the curator knows to be in a cell of fewer than k, by all tables up to "
    "this round (a range where tables are too many to be listed); bits: what the counts tell of "
    "who has which row, all rounds up to this one together"
)


def tell(console: Page, outcome: "Outcome") -> None:
    """Print a line a round; nothing where the curator may ask only once."""
    if not outcome.rounds:
        return
    rows = [
        (
            one.round,
            _groups(one),
            _masks(one),
            f"{one.counts:,}",
            f"{one.exposed:,}",
            _certain(one),
            f"{one.bits_are.mark}{one.bits_per_person:.3f}",
        )
        for one in outcome.rounds
    ]
    headings = (
        *("round", "the curator asks for", "masked", "counts", "small crowds"),
        *("certain", "bits/person"),
    )
    lay_out(console, Grid(headings, rows, (3, 4, 5, 6)))
    say(console, NOTE, style="dim")
    say(console)


def _groups(one: "Asked") -> str:
    """The groups of a round: each by name, or how many of how many columns."""
    size = len(one.groups[0])
    if size == 1:
        return "every feature by itself"
    if len(one.groups) > NAMED:
        return f"{len(one.groups)} groups of {size}"
    return ", ".join(" x ".join(map(clean, group)) for group in one.groups)


def _certain(one: "Asked") -> str:
    """How many people are certain: the number, or at least and at most."""
    low, high = one.certain.low, one.certain.high
    return f"{low:,}" if one.certain.exact else f"{low:,} to {high:,}"


def _masks(one: "Asked") -> str:
    said = [f"{clean(name)}: {hidden}" for name, hidden in one.masked.items() if hidden]
    return ", ".join(said) or "-"


def blanks(outcome: "Outcome") -> Iterator[str]:
    """Say which values were left blank, and how many people did."""
    if outcome.blanks is None:
        return
    k = outcome.scenario.policy.k
    for rule in outcome.blanks.rules:
        values = ", ".join(map(clean, rule.values))
        others = "nobody else does"
        if rule.cover:
            others = f"so does anybody else with probability {rule.cover:.3g}"
        yield f"{clean(rule.feature)}: who has {values} leaves it blank; {others}"
        yield (
            f"  {rule.listed:,} people must, {rule.expected:,.1f} are expected"
            + ("" if rule.blanks is None else f", {rule.blanks:,} did")
            + f"; a blank hides one of these values with chance {rule.chance:.3g}"
            + _sure(outcome, covered=bool(rule.cover), k=k)
        )


def _sure(outcome: "Outcome", *, covered: bool, k: int) -> str:
    if not covered:
        return ""
    delta = outcome.scenario.policy.delta
    return f" (at least k = {k} blanks, with confidence {1 - delta:g})"


def scores(outcome: "Outcome") -> Iterator[tuple[str, str, str]]:
    """What blanks cost and save: cells, beside whole columns."""
    found = outcome.blanks
    if found is None or not outcome.released:
        return
    yield "cells said by name", f"{found.cells:,} of {found.of:,}", "people times features"
    for label, rival in (
        ("... whole columns, same promise", found.promise),
        ("... whole columns, same truth", found.truth),
    ):
        kept = _columns(rival.kept)
        yield label, f"{rival.cells:,} of {found.of:,}", f"keeping {kept}"


def _columns(names: Sequence[str]) -> str:
    return ", ".join(map(clean, names)) or "nothing"

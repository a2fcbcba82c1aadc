"""What is serious in a run, in the terminal: the alerts of its report, where the run is told.

`!!` is serious (people are, or may be, exposed to more than was promised), `!` a warning. What the
head of a run has said already is not said again.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .layout import Page, clean, say

if TYPE_CHECKING:
    from ...scenarios.pages.pieces import Alert
    from ...scenarios.scoring.outcome import Outcome

SAID = frozenset({"seeded", "textbook", "order", "guards", "padding", "burned"})  # by the head
MARKS = {"serious": ("!!", "bold red"), "warning": ("! ", "yellow")}


def raised(outcome: "Outcome") -> "tuple[Alert, ...]":
    """The alerts of a run that is not on disk yet, worst first; without notes."""
    from ...report.alerts import alerts
    from ...report.facts import Facts, learners
    from ...scenarios.records.result_file import Run
    from ...scenarios.records.traffic import traffic

    result, scenario = outcome.written(), outcome.scenario
    run = Run(Path(), scenario, result, outcome.transcript, outcome.sizes, None, {})
    sent = None if scenario.mix.pad else traffic(outcome.transcript)  # lengths tell only then
    found = alerts(Facts(run, None, None, sent, learners(run)))
    return tuple(one for one in found if one.level in MARKS and one.rule not in SAID)


def tell(console: Page, outcomes: "Sequence[Outcome]", *, only_serious: bool = False) -> None:
    """Print what a reader must not overlook, each once; of several runs in how many."""
    shown = [one for one in _counted(outcomes) if one[0].level == "serious" or not only_serious]
    if shown and not only_serious:
        say(console)
    for alert, times in shown:
        mark, style = MARKS[alert.level]
        often = f" (in {times} of {len(outcomes)} runs)" if len(outcomes) > 1 else ""
        say(console, f"{mark} {clean(f'{alert.title}{often}: {alert.text}')}", style=style)


def _counted(outcomes: "Sequence[Outcome]") -> "Iterator[tuple[Alert, int]]":
    """Each rule's first alert, and in how many runs the rule found something; worst first."""
    if len(outcomes) == 1:
        yield from ((one, 1) for one in raised(outcomes[0]))
        return
    first: dict[str, Alert] = {}
    times: dict[str, int] = {}
    for outcome in outcomes:
        found = {one.rule: one for one in reversed(raised(outcome))}
        for rule, one in found.items():
            first.setdefault(rule, one)
            times[rule] = times.get(rule, 0) + 1
    for one in sorted(first.values(), key=lambda one: list(MARKS).index(one.level)):
        yield one, times[one.rule]

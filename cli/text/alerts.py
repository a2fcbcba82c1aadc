"""The alerts below a run's report in the terminal.

An alert is a finding of a rule about the run. `!!` marks a serious alert (people are, or may be,
exposed to more than was promised), `!` a warning. Alerts that the beginning of the report has
printed are not repeated.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...presentation.text_blocks import Line

if TYPE_CHECKING:
    from ...presentation.blocks import Alert, Block
    from ...scenarios.lab.scoring.outcome import Outcome

HEAD_RULES = frozenset(
    {"seeded", "textbook", "order", "guards", "padding", "burned", "deviated"}
)  # names of the rules with alerts that the beginning of the report prints
MARKS = {"serious": ("!!", "bold red"), "warning": ("! ", "yellow")}


def raised(outcome: "Outcome") -> "tuple[Alert, ...]":
    """Return the alerts of a run that is not yet on disk, serious alerts first.

    Notes, and alerts that the beginning of the report prints, are left out.
    """
    from ...presentation.presenters.page_facts import PageFacts, learners
    from ...presentation.sections.alerts import alerts
    from ...scenarios.records.result_file import Run
    from ...scenarios.records.traffic import traffic

    result, scenario = outcome.written(), outcome.scenario
    run = Run(Path(), scenario, result, outcome.transcript, outcome.sizes, None, {})
    link_traffic = (
        None if scenario.mix.pad else traffic(outcome.transcript)
    )  # with padding all lengths are equal, and leak no information
    raised_here = alerts(PageFacts(run, None, None, link_traffic, learners(run)))
    return tuple(
        alert for alert in raised_here if alert.level in MARKS and alert.rule not in HEAD_RULES
    )


def alert_blocks(outcomes: "Sequence[Outcome]", *, only_serious: bool = False) -> Iterator["Block"]:
    """Yield a line for each alert of some runs; of several runs, with the number that have it.

    only_serious: leave out the warnings.
    """
    selected_alerts = [
        alert for alert in _counted(outcomes) if alert[0].level == "serious" or not only_serious
    ]
    if selected_alerts and not only_serious:
        yield Line()
    for alert, times in selected_alerts:
        mark, style = MARKS[alert.level]
        often = f" (in {times} of {len(outcomes)} runs)" if len(outcomes) > 1 else ""
        yield Line(f"{mark} {alert.title}{often}: {alert.text}", style)


def _counted(outcomes: "Sequence[Outcome]") -> "Iterator[tuple[Alert, int]]":
    """Yield one alert for each rule, and the number of runs in which this rule raised an alert.

    Serious alerts come first. The text is that of the first run with such an alert.
    """
    if len(outcomes) == 1:
        yield from ((alert, 1) for alert in raised(outcomes[0]))
        return
    first: dict[str, Alert] = {}
    times: dict[str, int] = {}
    for outcome in outcomes:
        by_rule = {alert.rule: alert for alert in reversed(raised(outcome))}
        for rule, alert in by_rule.items():
            first.setdefault(rule, alert)
            times[rule] = times.get(rule, 0) + 1
    for alert in sorted(first.values(), key=lambda alert: list(MARKS).index(alert.level)):
        yield alert, times[alert.rule]

"""The warnings about a run, worst first: a function for each check, and a table of all checks.

A check looks at the facts and yields alerts; it never counts what scenarios/ has not counted.
`serious`: people are, or may be, exposed to more than was promised. `warning`: the promise is
weaker than it seems. `note`: good to know.
"""

from collections.abc import Callable, Iterator

from ...number_text import people, percent, plural
from ..blocks import Alert, worst_first
from ..presenters.page_facts import PageFacts
from .exposure_alerts import (
    above_target,
    broken,
    excluded,
    exposed,
    homogeneous,
    named,
    rare_values,
    unanimous,
    vacuous,
)
from .guard_alerts import (
    achieved,
    alarms,
    charged,
    coalition,
    deviated,
    guards_off,
    kept_order,
    one_shuffler,
    seeded,
    textbook,
    uneven_sizes,
)

Check = Callable[[PageFacts], Iterator[Alert]]


def alerts(facts: PageFacts) -> tuple[Alert, ...]:
    """Run every check."""
    return worst_first([alert for check in CHECKS for alert in check(facts)])


def _burned(facts: PageFacts) -> Iterator[Alert]:
    """Warn of a round that was aborted."""
    if facts.result.burned:
        yield Alert(
            "warning",
            "burned",
            "A round was burned",
            f"Nothing of it is released: {facts.result.burned}.",
            "Do not ask the same people again without those who failed: the difference names them.",
        )


def _empty_release(facts: PageFacts) -> Iterator[Alert]:
    """Note that a policy decided and released no column."""
    decision = facts.result.decision
    if decision and not facts.result.release and not facts.result.burned:
        yield Alert(
            "note",
            "nothing",
            "Nothing was released",
            f"No column is safe enough for k = {facts.k} and at most "
            f"{percent(decision.max_exposure)} of people exposed.",
        )


def _refused(facts: PageFacts) -> Iterator[Alert]:
    """Note the messages that were refused, by reason."""
    refused = facts.result.refused
    if refused:
        reasons_text = ", ".join(f"{reason} {number:,}" for reason, number in refused.items())
        total = sum(refused.values())
        yield Alert(
            "note",
            "refused",
            f"{plural(total, 'message was', 'messages were')} refused",
            f"They were dropped and counted ({reasons_text}); the rest went on.",
            weight=total,
        )


def _absent(facts: PageFacts) -> Iterator[Alert]:
    """Warn if the rounds counted different numbers of the same people."""
    if facts.run.scenario.population.setting != "fixed" or not facts.crowds:
        return
    if facts.opens:
        return  # there is one round
    if missing := facts.first_counted - facts.released:
        yield Alert(
            "warning",
            "dropout",
            f"{people(abs(missing))} counted in one round and not in the other",
            "The difference of the two counts is about these few: the fewer, the more it tells.",
            "min_dropout in [defence] says from how many on a second round is released.",
        )


def _ideal(facts: PageFacts) -> Iterator[Alert]:
    """Note that a run had no messages."""
    if facts.result.mode == "ideal":
        yield Alert(
            "note",
            "ideal",
            "No message was sent",
            "An ideal run answers the same questions by itself: it has the release of a real one, "
            "and no traffic.",
        )


CHECKS: tuple[Check, ...] = (
    deviated,
    coalition,
    alarms,
    charged,
    broken,
    unanimous,
    rare_values,
    named,
    uneven_sizes,
    textbook,
    kept_order,
    guards_off,
    achieved,
    exposed,
    excluded,
    above_target,
    homogeneous,
    _burned,
    _absent,
    seeded,
    vacuous,
    _empty_release,
    _refused,
    one_shuffler,
    _ideal,
)

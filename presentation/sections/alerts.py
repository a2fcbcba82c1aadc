"""All checks of a run that raise alerts (warnings on its page), and the alerts in order.

A check is a function from the facts of a run to alerts. An alert has a level: `serious`: people
are, or may be, exposed to more than was promised. `warning`: the promised bound on exposure is
weaker than it seems. `note`: information without a risk.
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
    """Return the alerts of all checks about a run, the most serious first."""
    return worst_first([alert for check in CHECKS for alert in check(facts)])


def _burned(facts: PageFacts) -> Iterator[Alert]:
    """Warn of a round that was aborted, so that its counts are not released."""
    if facts.result.burned:
        yield Alert(
            "warning",
            "burned",
            "A round was burned",
            f"Nothing of it is released: {facts.result.burned}.",
            "Do not ask the same people again without those who failed: the difference names them.",
        )


def _empty_release(facts: PageFacts) -> Iterator[Alert]:
    """Note that the decision releases no column, because no column is safe enough."""
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
    """Note the messages that parties refused, with the number for each reason."""
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
    """Warn if round 1 and the release count different numbers of the same people (dropout).

    The difference of two counts discloses data about the few people that left.
    """
    if facts.run.scenario.population.setting != "fixed" or not facts.crowds:
        return
    if facts.opens:
        # a release program that opens only rows of k people has a single round, so there is no
        # difference of counts
        return
    if missing := facts.first_counted - facts.released:
        yield Alert(
            "warning",
            "dropout",
            f"{people(abs(missing))} counted in one round and not in the other",
            "The difference of the two counts is about these few: the fewer, the more it tells.",
            "min_dropout in [defence] says from how many on a second round is released.",
        )


def _ideal(facts: PageFacts) -> Iterator[Alert]:
    """Note that a run was ideal: computed without messages, so there is no traffic to show."""
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

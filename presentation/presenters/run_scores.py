"""The table of scores of a run: exposure, people linked by coalitions, outcomes of attacks."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ...number_text import sentence
from ...scenarios.lab.scoring.frames import score_rows
from ...scenarios.records.verification.deviations import NOT_BY_WATCHING, deviations
from ...scenarios.records.verification.submitted_once import price
from ...scenarios.records.verification.views import breaking
from ..text_blocks import Line, Score, folded, score_grid
from ..wording import CHECKED_ONCE, PROVED, audited
from . import (
    attacks,
    coalitions,
    exposure,
    ledger,
    peers,
    reidentification,
)

if TYPE_CHECKING:
    from ...scenarios.lab.scoring.outcome import Outcome
    from ..blocks import Block


def randomized(outcome: "Outcome") -> bool:
    """Whether the people of a run randomized their answers."""
    return outcome.curated is None


def scores(outcome: "Outcome", own_scores: Iterable[Score]) -> Iterator["Block"]:
    """Yield the table of scores of a run, and the lines below the table.

    own_scores: scores of the run's release program alone.
    """
    scenario, result = outcome.scenario, outcome.written()
    deviated = bool(deviations(scenario, outcome.attacks, outcome.alarms))
    linked = (
        peers.scores(outcome.peers)
        if outcome.peers
        else coalitions.scores(outcome, deviated=deviated)
    )
    yield score_grid(
        [
            *(() if randomized(outcome) else exposure.scores(scenario, result, outcome.exposure)),
            *own_scores,
            *reidentification.scores(outcome),
            *linked,
            *attacks.scores(outcome),
            *(
                (str(name), f"{value:g} {unit}", str(meaning))
                for name, value, unit, meaning in score_rows(result)
            ),
            *(ledger.scores(outcome.ledger) if outcome.ledger else ()),
        ]
    )
    yield Line()
    if deviated:
        yield from folded([Line(NOT_BY_WATCHING)])
    elif outcome.peers is None:
        yield Line(coalitions.smallest(breaking(outcome.coalitions)))
    if scenario.mix.kind == "verified" and outcome.mode == "real":
        yield from folded([Line(sentence(f"{PROVED}. {CHECKED_ONCE}"))])
        if price_text := price(scenario, result):
            yield from folded([Line(sentence(price_text))])
    transcript = outcome.transcript
    recorded = transcript is not None and not transcript.summary
    for line in audited(audit=scenario.defence.audit, recorded=recorded):
        yield from folded([Line(line, "dim")])

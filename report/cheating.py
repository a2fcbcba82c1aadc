"""The answer and the table on malicious coalitions, from the study saved with the run."""

from collections.abc import Iterator

from ..number_text import sentence
from ..presentation.blocks import Block, Line, VerdictAnswer
from ..presentation.presenters.cheating import (
    NOT_MEASURED,
    no_success,
    notes,
    played,
    successes_with_attacks,
    table,
    why_unmeasured,
)
from ..presentation.wording import OUTSIDE_CATALOGUE, WATCHING
from ..scenarios.programs.registry import unchecked_queries
from ..scenarios.records.verification.submitted_once import price
from ..scenarios.studies.cheating.cheating_result import NO_SUCCESS
from .facts import PageFacts

QUESTION = "And if parties cheat?"


def answer(facts: PageFacts) -> VerdictAnswer:
    """Return the answer about malicious coalitions: the smallest found to learn a row."""
    study, unchecked_notes = facts.cheating, map(sentence, unchecked_queries(facts.run.scenario))
    if why := why_unmeasured(facts.run.scenario):
        return VerdictAnswer(QUESTION, NOT_MEASURED, sentence(why))
    if study is None:
        return VerdictAnswer(
            QUESTION, NOT_MEASURED, " ".join((*unchecked_notes, sentence(WATCHING)))
        )
    limit = " ".join((*unchecked_notes, sentence(OUTSIDE_CATALOGUE), sentence(played(study))))
    if not study.smallest:
        none = sentence(no_success(len(study.attacks), study.min_runs))
        return VerdictAnswer(QUESTION, NO_SUCCESS, f"{none} {limit}")
    smallest_coalition = study.smallest[0]
    parties = len(smallest_coalition.parties) + smallest_coalition.friends
    short = "one is enough" if parties == 1 else f"{parties} or fewer are enough"
    successes = successes_with_attacks(study)
    return VerdictAnswer(QUESTION, short, f"Somebody's row is learnt by {successes}. {limit}")


def blocks(facts: PageFacts) -> Iterator[Block]:
    """Yield the table of malicious coalitions and its notes; without a study, the way to get it."""
    study = facts.cheating
    if study is None:
        yield Line(sentence(why_unmeasured(facts.run.scenario) or WATCHING))
        if price_text := price(facts.run.scenario, facts.run.result):
            yield Line(sentence(price_text))
        return
    yield table(study)
    for line in notes(study):
        yield Line(line)

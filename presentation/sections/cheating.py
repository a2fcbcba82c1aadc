"""The answer on a run's page about malicious coalitions, from the study saved with the run."""

from typing import TYPE_CHECKING

from ...number_text import sentence
from ...scenarios.programs.registry import unchecked_queries
from ...scenarios.studies.cheating.cheating_result import NO_SUCCESS
from ..blocks import VerdictAnswer
from ..presenters.cheating import (
    NOT_MEASURED,
    no_success,
    played,
    successes_with_attacks,
    why_unmeasured,
)
from ..wording import OUTSIDE_CATALOGUE, WATCHING

if TYPE_CHECKING:
    from ..presenters.page_facts import PageFacts

QUESTION = "And if parties cheat?"


def answer(facts: "PageFacts") -> VerdictAnswer:
    """Return the answer about malicious coalitions: the smallest coalition found to learn a row.

    If no study of attacks is saved with the run, the answer is that attacks were not measured.
    """
    study, unchecked_notes = facts.cheating, map(sentence, unchecked_queries(facts.run.scenario))
    if why := why_unmeasured(facts.run.scenario):
        return VerdictAnswer(QUESTION, NOT_MEASURED, sentence(why))
    if study is None:
        return VerdictAnswer(
            QUESTION, NOT_MEASURED, " ".join((*unchecked_notes, sentence(WATCHING)))
        )
    limit = " ".join((*unchecked_notes, sentence(OUTSIDE_CATALOGUE), sentence(played(study))))
    if not study.smallest:
        no_success_text = sentence(no_success(len(study.attacks), study.min_runs))
        return VerdictAnswer(QUESTION, NO_SUCCESS, f"{no_success_text} {limit}")
    smallest_coalition = study.smallest[0]
    parties = len(smallest_coalition.parties) + smallest_coalition.friends
    short = "one is enough" if parties == 1 else f"{parties} or fewer are enough"
    successes = successes_with_attacks(study)
    return VerdictAnswer(QUESTION, short, f"Somebody's row is learnt by {successes}. {limit}")

"""The answer and the table on malicious coalitions, from the study saved with the run."""

from collections.abc import Iterator

from ..presentation.pieces import Block, Marked, PageGrid, PageNumbers, Paragraph, VerdictAnswer
from ..presentation.wording import OUTSIDE_CATALOGUE, WATCHING, sentence
from ..scenarios.programs.registry import unchecked_queries
from ..scenarios.records.verification.submitted_once import price
from ..scenarios.studies.cheating.cheating_result import CheatingStudy, WorstAttack, telling
from ..scenarios.studies.cheating.cheating_text import (
    HEADINGS,
    NO_SUCCESS,
    NOT_MEASURED,
    no_success,
    notes,
    numbers,
    played,
    row,
    successes_with_attacks,
    why_unmeasured,
)
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
        yield Paragraph(sentence(why_unmeasured(facts.run.scenario) or WATCHING))
        if price_text := price(facts.run.scenario, facts.run.result):
            yield Paragraph(sentence(price_text))
        return
    yield _table(study)
    for line in notes(study):
        yield Paragraph(line)


def _table(study: CheatingStudy) -> PageGrid:
    rows: list[tuple[str | Marked, ...]] = [
        (*row(study, worst)[:-1], _noticed(study, worst)) for worst in telling(study.coalitions)
    ]
    all_of_them = numbers(study.attacks)
    page_numbers = PageNumbers(
        "cheating",
        all_of_them.headings,
        [
            tuple(cell if isinstance(cell, int | float) else str(cell) for cell in line)
            for line in all_of_them.rows
        ],
    )
    return PageGrid("If they cheat", HEADINGS, rows, (2, 3), page_numbers)


def _noticed(study: CheatingStudy, worst: WorstAttack) -> str | Marked:
    """Return the last cell: when the attack was noticed.

    A coalition that learned a row is marked bad, noticed or not; a row without success is not
    marked good, since a lack of success in some runs is no proof.
    """
    cell_text = row(study, worst)[-1]
    return cell_text if worst.worst is None and not worst.watching else Marked(cell_text, "bad")

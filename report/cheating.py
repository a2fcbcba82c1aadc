"""What coalitions learn that cheat: as it was measured beside the run, or how to measure it."""

from collections.abc import Iterator

from ..scenarios.pages.pieces import Answer, Block, Grid, Marked, Numbers, Words
from ..scenarios.studies.cheating_result import CheatingStudy, WorstAttack, telling
from ..scenarios.studies.cheating_text import (
    HEADINGS,
    NOT_MEASURED,
    NOTHING,
    notes,
    numbers,
    played,
    row,
    smallest_with_attacks,
    why_unmeasured,
)
from ..scenarios.wording import WATCHING, sentence
from .facts import Facts

QUESTION = "And if parties cheat?"


def answer(facts: Facts) -> Answer:
    """The smallest coalitions that learn somebody's row by breaking rules."""
    study = facts.cheating
    if why := why_unmeasured(facts.run.scenario):
        return Answer(QUESTION, NOT_MEASURED, sentence(why))
    if study is None:
        return Answer(QUESTION, NOT_MEASURED, sentence(WATCHING))
    if not study.smallest:
        return Answer(QUESTION, NOTHING, f"Nobody's row was read. {played(study)}.")
    least = study.smallest[0]
    parties = len(least.parties) + least.friends
    short = "one is enough" if parties == 1 else f"{parties} are enough"
    told = smallest_with_attacks(study)
    return Answer(QUESTION, short, f"Somebody's row is learnt by {told}. {played(study)}.")


def blocks(facts: Facts) -> Iterator[Block]:
    """The table of those that cheat, with its words; or one line that says how to get it."""
    study = facts.cheating
    if study is None:
        yield Words(sentence(why_unmeasured(facts.run.scenario) or WATCHING))
        return
    yield _table(study)
    for line in notes(study):
        yield Words(line)


def _table(study: CheatingStudy) -> Grid:
    rows: list[tuple[str | Marked, ...]] = [
        (*row(worst)[:-1], _marked(worst)) for worst in telling(study.coalitions)
    ]
    all_of_them = numbers(study.attacks)
    taken = Numbers(
        "cheating",
        all_of_them.headings,
        [
            tuple(cell if isinstance(cell, int | float) else str(cell) for cell in line)
            for line in all_of_them.rows
        ],
    )
    return Grid("If they cheat", HEADINGS, rows, (2, 3), taken)


def _marked(worst: WorstAttack) -> Marked:
    """When it was noticed; a row that is read is bad, whenever."""
    return Marked(row(worst)[-1], "good" if worst.worst is None and not worst.watching else "bad")

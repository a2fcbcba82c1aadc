"""What coalitions learn that cheat: as it was measured beside the run, or how to measure it."""

from collections.abc import Iterator

from ..scenarios.pages.pieces import Answer, Block, Grid, Marked, Numbers, Words
from ..scenarios.studies.cheating_file import unmeasured
from ..scenarios.studies.cheating_result import CheatingStudy, WorstAttack, telling
from ..scenarios.studies.cheating_text import (
    HEADINGS,
    NOT_MEASURED,
    NOTHING,
    ON_REPORTS,
    notes,
    numbers,
    played,
    row,
    smallest_with_attacks,
)
from ..scenarios.wording import WATCHING, sentence
from .facts import Facts

QUESTION = "And if parties cheat?"


def answer(facts: Facts) -> Answer:
    """The smallest coalitions that learn somebody's row by breaking rules."""
    found = facts.cheating
    if unmeasured(facts.run.scenario):
        return Answer(QUESTION, NOT_MEASURED, sentence(ON_REPORTS))
    if found is None:
        return Answer(QUESTION, NOT_MEASURED, sentence(WATCHING))
    if not found.smallest:
        return Answer(QUESTION, NOTHING, f"Nobody's row was read. {played(found)}.")
    least = found.smallest[0]
    parties = len(least.parties) + least.friends
    short = "one is enough" if parties == 1 else f"{parties} are enough"
    told = smallest_with_attacks(found)
    return Answer(QUESTION, short, f"Somebody's row is learnt by {told}. {played(found)}.")


def blocks(facts: Facts) -> Iterator[Block]:
    """The table of those that cheat, with its words; or one line that says how to get it."""
    found = facts.cheating
    if found is None:
        noisy = unmeasured(facts.run.scenario)
        yield Words(sentence(ON_REPORTS if noisy else WATCHING))
        return
    yield _table(found)
    for line in notes(found):
        yield Words(line)


def _table(found: CheatingStudy) -> Grid:
    rows: list[tuple[str | Marked, ...]] = [
        (*row(one)[:-1], _marked(one)) for one in telling(found.coalitions)
    ]
    all_of_them = numbers(found.attacks)
    taken = Numbers(
        "cheating",
        all_of_them.headings,
        [
            tuple(cell if isinstance(cell, int | float) else str(cell) for cell in line)
            for line in all_of_them.rows
        ],
    )
    return Grid("If they cheat", HEADINGS, rows, (2, 3), taken)


def _marked(one: WorstAttack) -> Marked:
    """When it was noticed; a row that is read is bad, whenever."""
    return Marked(row(one)[-1], "good" if one.worst is None and not one.watching else "bad")

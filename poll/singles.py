"""Counts of each question by itself, for a class with phones missing in an aborted second round.

Suppose that fewer than `min_dropout` people leave between the rounds. Then the counts of the
questions together are not published: subtracted from the counts of round 1 they would show the
answers of the missing people. Instead the counts of round 1 are published for each column that the
curator decided to be safe, each column by itself. These counts are a function of the table that
would have been published without dropouts, about the same people. So a reader learns no more than
was promised (docs/adr/0114).

They are published only if all parties are on this computer, no party cheats, and the first shuffler
forwarded no message of the second round. Otherwise a party could hold a table of the remaining
people, to subtract.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from ..languages.language import Language, english
from ..protocol.board.board import Board
from ..protocol.knowledge.transcript import Transcript
from ..protocol.wire import parties
from ..protocol.wire.announcement import Program
from ..scenarios.programs.registry import wire
from ..scenarios.schema.model import Scenario


class Singles(msgspec.Struct, frozen=True):
    """The counts of each question alone, published if the counts of all together are not.

    Attributes:
        people: the number of people counted in round 1.
        missing: the number of people that submitted in round 1 and not in round 2.
        counts: the number of people with each answer, by the text of the question.
    """

    people: int
    missing: int
    counts: dict[str, tuple[tuple[str, int], ...]]


def singles_of(
    scenario: Scenario, board: Board, transcript: Transcript, submission_counts: Mapping[int, int]
) -> Singles | None:
    """Return the published counts of each question by itself; None if no such counts are published.

    Args:
        scenario: the scenario of the session.
        board: the board of the session, which is over.
        transcript: the transcript of the session, with the curator's counts.
        submission_counts: the number of people that have submitted, by round.
    """
    decision = board.decision
    given_up = board.burned is not None and board.account(2, 1) is None and len(board.calls) == 2
    if wire(scenario) is not Program.TWO_ROUND or scenario.fault or board.alarms:
        return None
    if not given_up or decision is None or not decision.kept or any(decision.hidden):
        return None
    first = [
        read for read in transcript.reads if read.round == 1 and read.reader == parties.CURATOR
    ]
    if not first or submission_counts.get(2, 0) >= submission_counts.get(1, 0):
        return None
    counts = {
        scenario.feature[column].name: tuple(
            (cell[0], people) for cell, people in sorted(first[0].counts[column].items())
        )
        for column in decision.kept
    }
    people = min(sum(count for _, count in cells) for cells in counts.values())
    return Singles(people, submission_counts.get(1, 0) - submission_counts.get(2, 0), counts)


def counts_data(singles: Singles, language: Language | None = None) -> dict[str, Any]:
    """Return the counts of each question as tables and sentences for the wall, the projected page.

    language: language of the sentences; None: English.
    """
    language = language or english()
    headings = [language.say("table-answer"), language.say("table-people")]
    tables = [
        {
            "caption": question,
            "headings": headings,
            "rows": [[answer, str(people)] for answer, people in cells],
        }
        for question, cells in singles.counts.items()
    ]
    title = language.say("singles-title", n=singles.people)
    return {"what": "told", "title": title, "tables": tables, "notes": [why(singles, language)]}


def why(singles: Singles, language: Language | None = None) -> str:
    """Return the sentence why the counts of the questions together are not published.

    language: language of the sentence; None: English.
    """
    return (language or english()).say("singles-why", n=singles.missing)


def lines(singles: Singles) -> list[str]:
    """Return the counts of each question by itself as lines for the terminal."""
    return [
        *(
            f"{question}: {answer}  {people} of {singles.people} people"
            for question, cells in singles.counts.items()
            for answer, people in cells
        ),
        why(singles),
    ]

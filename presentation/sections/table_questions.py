"""The regulators' questions on the page of a scored table: singling out, linkability, inference.

The answers come from the JSON of a score. A score of an older version has no answers, so its page
has no such section.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...number_text import percent, plural
from ..blocks import SignedTable
from ..score_grids import addition_text, some_columns

if TYPE_CHECKING:
    from ...own_data.score_record import AskedQuestion, ScoredTable

MEANS = (
    "If the rows left as they are: singling out, by a statement on as many columns of a random "
    "person, that nobody else fulfils; linkability, of two files with these columns of the same "
    "people, by the nearest rows; inference of a column from all others, by the nearest row. "
    "Beside it the same of people who are not in the table (everybody left out in turn), and "
    "guessing without it; last what the table adds, with its 95 % interval (Giomi et al., 2023)."
)
TITLE = "4 Three questions of the Article 29 Working Party, Opinion 05/2014"
PLAIN = {
    "singling out": "Can a person be singled out?",
    "linkability": "Can records be linked?",
    "inference": "Can {sought} be inferred?",
}
PLAIN_HEADINGS = ("question", "attacker right", "if not in it", "guessing", "in plain words")
NOT_ASKED = (
    "Not measured: these attacks are on single rows, and persons have several rows here, or the "
    "score is of an older version."
)


def plain_table(score: "ScoredTable") -> SignedTable:
    """Return the table of the three regulators' questions for the sheet to sign.

    A row says whether a person can be singled out, linked or inferred. The row has the attacker's
    success rate, two baselines (people not in the table, guessing), and an explanation in plain
    words.
    """
    questions = score.questions
    rows = [
        (
            PLAIN[kind].format(sought=some_columns(worst.sought)[:40]),
            percent(worst.attack.share),
            "" if worst.control is None else percent(worst.control.share),
            percent(worst.baseline),
            _plain_words(worst),
        )
        for kind in PLAIN
        if (worst := _worst(score, [each for each in questions if each.question == kind]))
    ]
    note = () if rows else (NOT_ASKED,)
    return SignedTable("questions", TITLE, PLAIN_HEADINGS, rows, (1, 2, 3), note)


def _worst(score: "ScoredTable", questions: Sequence["AskedQuestion"]) -> "AskedQuestion | None":
    """Return the question to which the table adds most success; None if there is no question.

    If a question on inference is about a sensitive column, other questions on inference do not
    count.
    """
    sensitive = {column.column for column in score.sensitive}
    about = [each for each in questions if sensitive.intersection(each.sought)]
    if questions and questions[0].question == "inference":
        questions = about or questions
    return max(questions, key=lambda each: each.risk.share, default=None)


def _plain_words(question: "AskedQuestion") -> str:
    """Return a sentence on the attacker's success, with the share that the table adds."""
    adds = addition_text(question.risk)
    if question.question == "singling out":
        return (
            f"Of 1,000 descriptions by {plural(question.columns, 'column')}, "
            f"{1000 * question.attack.share:.2g} fit one row alone. The table adds {adds} to "
            "guessing."
        )
    if question.question == "linkability":
        known_names, sought = some_columns(question.known)[:40], some_columns(question.sought)[:40]
        return f"{known_names} is put back to {sought}. Being in the table adds {adds}."
    return f"The own row adds {adds} to what the others' rows tell."

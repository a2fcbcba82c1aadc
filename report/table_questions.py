"""The regulators' questions on the page of a table: singling out, linkability, inference; k, l, t.

The answers come from the JSON of a score; an older score has no answers, and its page no section.
"""

from collections.abc import Iterator
from typing import Any

from ..scenarios.pages.pieces import Block, PageGrid, Paragraph
from ..scenarios.wording import percent, plural

Score = dict[str, Any]
MEANS = (
    "If the rows left as they are: singling out, by a statement on as many columns of a random "
    "person, that nobody else fulfils; linkability, of two files with these columns of the same "
    "people, by the nearest rows; inference of a column from all others, by the nearest row. "
    "Beside it the same of people who are not in the table (everybody left out in turn), and "
    "guessing without it; last what the table adds, with its 95 % interval (Giomi et al., 2023)."
)
HEADINGS = ("question", "right", "if not in it", "guessing", "the table adds")
NAMED = 4  # columns that are listed


def blocks(score: Score) -> Iterator[Block]:
    """Yield the tables that stand under Identifiability."""
    if asked := score.get("questions"):
        yield Paragraph(MEANS)
        rows = [
            (
                in_words(question),
                percent(question["attack"]["share"]),
                "" if question["control"] is None else percent(question["control"]["share"]),
                percent(question["baseline"]),
                _added(question["risk"]),
            )
            for question in asked
        ]
        yield PageGrid("Three questions of regulators", HEADINGS, rows, (1, 2, 3))
    if sensitive := score.get("sensitive"):
        held = [
            (
                column["column"],
                f"{column['k']:,}",
                f"{column['diversity']:,}",
                f"{column['entropy_diversity']:.2f}",
                f"{column['closeness']:.3f}",
            )
            for column in sensitive
        ]
        headings = ("column", "k", "l", "l by entropy", "t")
        title = "Sensitive columns, among people who agree in all that may be known"
        yield PageGrid(title, headings, held, (1, 2, 3, 4))


def summary(score: Score) -> str:
    """Return a sentence for the first page: the column inferred best because of the table."""
    inferred = [
        question for question in score.get("questions", ()) if question["question"] == "inference"
    ]
    if not inferred:
        return ""
    worst = max(inferred, key=lambda question: float(question["risk"]["share"]))
    return (
        f" Where the others' rows do not give {worst['sought'][0]} away, the person's own row does "
        f"in {percent(worst['risk']['share'])} of cases (no other column more)."
    )


def in_words(question: dict[str, Any]) -> str:
    """Return a question in words."""
    if question["question"] == "singling out":
        return f"singling out by {plural(question['columns'], 'column')}"
    if question["question"] == "linkability":
        return f"linkability of {_listed(question['known'])} with {_listed(question['sought'])}"
    return f"inference of {_listed(question['sought'])}"


def _added(risk: dict[str, float]) -> str:
    return f"{percent(risk['share'])} ({percent(risk['low'])} to {percent(risk['high'])})"


def _listed(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= NAMED else f"{names[0]} and {len(names) - 1} more"

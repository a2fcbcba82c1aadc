"""The regulators' questions on the page of a table: singling out, linkability, inference; k, l, t.

The answers come from the JSON of a score; an older score has no answers, and its page no section.
"""

from collections.abc import Iterator
from typing import Any

from ..number_text import percent, plural
from ..presentation.blocks import Block, Grid, Line, SignedTable

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


def blocks(score: Score) -> Iterator[Block]:
    """Yield the tables that stand under Identifiability."""
    if questions := score.get("questions"):
        yield Line(MEANS)
        rows = [
            (
                in_words(question),
                percent(question["attack"]["share"]),
                "" if question["control"] is None else percent(question["control"]["share"]),
                percent(question["baseline"]),
                _added(question["risk"]),
            )
            for question in questions
        ]
        yield Grid(HEADINGS, rows, (1, 2, 3), "Three questions of regulators")
    if sensitive := score.get("sensitive"):
        diversity_rows = [
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
        yield Grid(headings, diversity_rows, (1, 2, 3, 4), title)


def plain_table(score: Score) -> SignedTable:
    """Return the three questions for the first page, in plain words with their baselines."""
    questions = list(score.get("questions", ()))
    rows: list[tuple[str, ...]] = [
        _plain_row(worst)
        for kind in PLAIN
        if (worst := _worst(score, [each for each in questions if each["question"] == kind]))
    ]
    note = () if rows else (NOT_ASKED,)
    return SignedTable("questions", TITLE, PLAIN_HEADINGS, rows, (1, 2, 3), note)


def _worst(score: Score, asked_questions: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the question to which the table adds most; of inference, about a sensitive column."""
    sensitive = {column["column"] for column in score.get("sensitive", ())}
    about = [each for each in asked_questions if set(each["sought"]) & sensitive]
    if asked_questions and asked_questions[0]["question"] == "inference":
        asked_questions = about or asked_questions
    return max(asked_questions, key=lambda each: float(each["risk"]["share"]), default=None)


def _plain_row(question: dict[str, Any]) -> tuple[str, ...]:
    control = question["control"]
    return (
        PLAIN[question["question"]].format(sought=_listed(question["sought"])[:40]),
        percent(question["attack"]["share"]),
        "" if control is None else percent(control["share"]),
        percent(question["baseline"]),
        _plain_words(question),
    )


def _plain_words(question: dict[str, Any]) -> str:
    added = _added(question["risk"])
    if question["question"] == "singling out":
        times = 1000 * question["attack"]["share"]
        return (
            f"Of 1,000 descriptions by {plural(question['columns'], 'column')}, {times:.2g} fit "
            f"one row alone. The table adds {added} to guessing."
        )
    if question["question"] == "linkability":
        known_names, sought = _listed(question["known"])[:40], _listed(question["sought"])[:40]
        return f"{known_names} is put back to {sought}. Being in the table adds {added}."
    return f"The own row adds {added} to what the others' rows tell."


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

"""Output tables and sentences about a user's own table that was scored, for terminal and page."""

from collections.abc import Sequence

from ..number_text import percent, plural
from ..own_data.score_record import AskedQuestion, AttackRate, SensitiveColumn
from .text_blocks import Grid

NAMED = 4  # longest list of columns that is printed in full
# name of the bound on exposure by `coverage`; tables on single sets of columns show it, too
COVERAGE = "coverage bound"
PERSON_BOUND = "at most, by the persons with each value of each column"
BOUNDS = {
    "lower": "in every table with these columns, at least",
    "truth": "in this table",
    "worst": "in the worst table with these columns (proven)",
    "worst_found": "in the worst table with these columns, found",
    "worst_at_most": "in the worst table with these columns, at most",
    "margins": "prices of values: what a run promises by default",
    "coverage": COVERAGE,
    "refined": "refined bound",
    "printed": "printed bound: smaller of Theorems 2 and 3 of paper 000",
    "persons": PERSON_BOUND,
}  # key of a bound on the exposure of all columns -> its name in output


def questions_grid(questions: Sequence[AskedQuestion], control: str = "if not in it") -> Grid:
    """Return the table of the regulators' three questions: singling out, linkability, inference.

    Each row has an attacker's success rate, and two baselines: the success against people outside
    the table, and the success of guessing. control: the heading of the first baseline.
    """
    rows = [
        (
            question_text(question),
            percent(question.attack.share),
            "" if question.control is None else percent(question.control.share),
            percent(question.baseline),
            addition_text(question.risk),
        )
        for question in questions
    ]
    headings = ("question", "right", control, "guessing", "the release adds (95 %)")
    return Grid(headings, rows, (1, 2, 3), "three questions of regulators")


def question_text(question: AskedQuestion) -> str:
    """Return a regulators' question with its columns in words, such as `inference of ward`."""
    if question.question == "singling out":
        return f"singling out by {plural(question.columns, 'column')}"
    if question.question == "linkability":
        return f"linkability of {some_columns(question.known)} with {some_columns(question.sought)}"
    return f"inference of {some_columns(question.sought)}"


def addition_text(risk: AttackRate) -> str:
    """Return the success that a release adds to guessing, as a share with its 95 % interval."""
    return f"{percent(risk.share)} ({percent(risk.low)} to {percent(risk.high)})"


def some_columns(names: Sequence[str]) -> str:
    """Return up to `NAMED` column names; of more, the first and the number of further columns."""
    return ", ".join(names) if len(names) <= NAMED else f"{names[0]} and {len(names) - 1} more"


def sensitive_grid(columns: Sequence[SensitiveColumn]) -> Grid:
    """Return the table of sensitive columns with their k-anonymity, l-diversity and t-closeness."""
    rows = [
        (
            column.column,
            f"{column.k:,}",
            f"{column.diversity:,}",
            f"{column.entropy_diversity:.2f}",
            f"{column.closeness:.3f}",
        )
        for column in columns
    ]
    headings = ("column", "k", "l", "l by entropy", "t")
    caption = "sensitive columns, among people who agree in all that may be known"
    return Grid(headings, rows, (1, 2, 3, 4), caption)

"""Tables and sentences on a scored table that its terminal output and its page share."""

from collections.abc import Sequence

from ..number_text import percent, plural
from ..own_data.score_record import AskedQuestion, AttackRate, SensitiveColumn
from .text_blocks import Grid

NAMED = 4  # columns that are listed
COVERAGE = "coverage bound"  # also of sets of columns; a run proves its release by prices
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
}  # name of a bound on the exposure of all columns -> its words


def questions_grid(questions: Sequence[AskedQuestion], control: str = "if not in it") -> Grid:
    """Return the table of the regulators' three questions, with their baselines.

    control: the people of the control.
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
    """Return a question in words, such as `inference of ward`."""
    if question.question == "singling out":
        return f"singling out by {plural(question.columns, 'column')}"
    if question.question == "linkability":
        return f"linkability of {some_columns(question.known)} with {some_columns(question.sought)}"
    return f"inference of {some_columns(question.sought)}"


def addition_text(risk: AttackRate) -> str:
    """Return the addition of a release to guessing, with its 95 % interval."""
    return f"{percent(risk.share)} ({percent(risk.low)} to {percent(risk.high)})"


def some_columns(names: Sequence[str]) -> str:
    """Return the names of a few columns; of more the first, and the number of further columns."""
    return ", ".join(names) if len(names) <= NAMED else f"{names[0]} and {len(names) - 1} more"


def sensitive_grid(columns: Sequence[SensitiveColumn]) -> Grid:
    """Return the table of k, l and t of sensitive columns."""
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

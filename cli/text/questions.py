"""The regulators' three questions of a score, and k, l and t: in words, as records, as numbers."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...analysis.release_risks import Attack
from ...own_data.score_record import AskedQuestion, AttackRate, SensitiveColumn
from ...own_data.table_score import sensitive_records
from .layout import Block, Grid, Line, percent

if TYPE_CHECKING:
    from ...analysis.scoring import TableScore

HEADINGS = ("question", "right", "if not in it", "guessing", "the release adds (95 %)")
TOO_MANY = 4  # columns that are named


def question_records(score: "TableScore") -> tuple[AskedQuestion, ...]:
    """The questions as records."""
    return tuple(
        AskedQuestion(
            question.question,
            size,
            _named(score, question.known_columns),
            _named(score, question.sought),
            AttackRate.from_rate(question.attack),
            None if question.control is None else AttackRate.from_rate(question.control),
            question.baseline.share,
            _risk(question),
        )
        for question, size in zip(score.questions.attacks, score.questions.sizes, strict=True)
    )


def sensitive(score: "TableScore") -> tuple[SensitiveColumn, ...]:
    """The sensitive columns as records."""
    return sensitive_records([part.name for part in score.columns], score.questions.diversity)


def question_blocks(score: "TableScore") -> Iterator[Block]:
    """Yield the questions."""
    yield Line("\nthree questions of regulators, if the rows of these columns left as they are")
    if score.rows > score.n:
        yield Line(" not asked: their attacks are on single rows, and persons have several here")
    rows = [
        (
            in_words(each),
            percent(each.attack.share),
            "" if each.control is None else percent(each.control.share),
            percent(each.baseline),
            f"{percent(each.risk.share)} ({percent(each.risk.low)} to {percent(each.risk.high)})",
        )
        for each in question_records(score)
    ]
    if rows:
        yield Grid(HEADINGS, rows, (1, 2, 3))
    if score.questions.diversity:
        yield Line("\nsensitive columns, among people who agree in all that may be known")
        sensitive_rows = [
            (column.column, f"{column.k:,}", f"{column.diversity:,}", *_decimals(column))
            for column in sensitive(score)
        ]
        headings = ("column", "k", "l", "l by entropy", "t")
        yield Grid(headings, sensitive_rows, (1, 2, 3, 4))


def tidy(score: "TableScore") -> Iterator[tuple[str, str, float]]:
    """Subject, measure and value of each."""
    for question in question_records(score):
        subject = in_words(question)
        yield subject, "right", question.attack.share
        if question.control is not None:
            yield subject, "right if not in it", question.control.share
        yield subject, "right by guessing", question.baseline
        yield subject, "risk", question.risk.share
    for column in sensitive(score):
        yield column.column, "l", column.diversity
        yield column.column, "l by entropy", column.entropy_diversity
        yield column.column, "t", column.closeness


def in_words(question: AskedQuestion) -> str:
    """Return a question in words, such as `inference of ward`."""
    if question.question == "singling out":
        return f"singling out by {question.columns} column{'s' if question.columns > 1 else ''}"
    if question.question == "linkability":
        return f"linkability of {_listed(question.known)} with {_listed(question.sought)}"
    return f"inference of {_listed(question.sought)}"


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) if len(names) <= TOO_MANY else f"{names[0]} and {len(names) - 1} more"


def _decimals(column: SensitiveColumn) -> tuple[str, str]:
    return f"{column.entropy_diversity:.2f}", f"{column.closeness:.3f}"


def _named(score: "TableScore", columns: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(score.columns[j].name for j in columns)


def _risk(question: Attack) -> AttackRate:
    interval = question.risk()
    return AttackRate(interval.value, interval.low, interval.high)

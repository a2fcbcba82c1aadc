"""The regulators' three questions of a score, and k, l and t: in words, as records, as numbers."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...analysis.release_risks import Attack
from ...own_data.score_record import AskedQuestion, AttackRate, SensitiveColumn
from ...own_data.table_score import sensitive_records
from ...presentation.score_grids import question_text, questions_grid, sensitive_grid
from .layout import Block, Line

if TYPE_CHECKING:
    from ...analysis.scoring import TableScore


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
    if questions := question_records(score):
        yield questions_grid(questions)
    if score.questions.diversity:
        yield Line("\nsensitive columns, among people who agree in all that may be known")
        yield sensitive_grid(sensitive(score))


def tidy(score: "TableScore") -> Iterator[tuple[str, str, float]]:
    """Subject, measure and value of each."""
    for question in question_records(score):
        subject = question_text(question)
        yield subject, "right", question.attack.share
        if question.control is not None:
            yield subject, "right if not in it", question.control.share
        yield subject, "right by guessing", question.baseline
        yield subject, "risk", question.risk.share
    for column in sensitive(score):
        yield column.column, "l", column.diversity
        yield column.column, "l by entropy", column.entropy_diversity
        yield column.column, "t", column.closeness


def _named(score: "TableScore", columns: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(score.columns[j].name for j in columns)


def _risk(question: Attack) -> AttackRate:
    interval = question.risk()
    return AttackRate(interval.value, interval.low, interval.high)

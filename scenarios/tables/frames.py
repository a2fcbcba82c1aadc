"""A score and advice as tables of plain columns (`Frame`), for whoever works in a notebook.

veilmix.score("patients.csv").frames.questions.to_pandas()
polars.DataFrame(veilmix.advise("patients.csv").frames.table.columns)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from ...analysis.composition import WorstCase
from ...analysis.scoring import TableScore
from ..scoring.frames import Cell, Frame, framed
from .advise import Advised

JOINT = "all columns"


@dataclass(frozen=True, slots=True)
class ScoreFrames:
    """The tables of a score.

    Attributes:
        columns: of each column, and of all together: crowds, and people below k.
        bounds: people below k, as the columns' counts alone bound them, and in truth.
        questions: singling out, linkability and inference.
        sensitive: k, l and t of each sensitive column.
        sets: the sets of columns that were counted.
    """

    columns: Frame
    bounds: Frame
    questions: Frame
    sensitive: Frame
    sets: Frame


@dataclass(frozen=True, slots=True)
class AdviceFrames:
    """The tables of advice.

    Attributes:
        columns: what to say of each column, and what it costs.
        choices: the choices that none beats, with what each says of each column.
        table: the people's rows as the advised choice says them.
    """

    columns: Frame
    choices: Frame
    table: Frame


class FramedScore(TableScore):
    """A score whose parts are tables too."""

    __slots__ = ()

    @property
    def frames(self) -> ScoreFrames:
        """The score as tables of plain columns."""
        return ScoreFrames(
            framed(COLUMNS, list(_columns(self))),
            framed(("bound", "people", "share"), list(_bounds(self))),
            framed(QUESTIONS, list(_questions(self))),
            framed(("column", "k", "l", "entropy_l", "t"), list(_sensitive(self))),
            framed(("columns", "people_below_k", "promised", "safe"), list(_sets(self))),
        )


class FramedAdvice(Advised):
    """Advice whose parts are tables too."""

    __slots__ = ()

    @property
    def frames(self) -> AdviceFrames:
        """The advice as tables of plain columns."""
        return _advice_frames(self)


def framed_advice(advised: Advised) -> FramedAdvice:
    """The same advice, with frames."""
    return FramedAdvice(**{field.name: getattr(advised, field.name) for field in fields(advised)})


def framed_score(score: TableScore) -> FramedScore:
    """The same score, with frames."""
    return FramedScore(**{field.name: getattr(score, field.name) for field in fields(score)})


COLUMNS = ("column", "values", "missing", "smallest_crowd", "people_below_k", "exposure")
QUESTIONS = (
    *("question", "columns", "known", "sought", "attack", "control", "baseline"),
    *("risk", "risk_low", "risk_high"),
)
Row = tuple[Cell, ...]


def _columns(score: TableScore) -> Iterator[Row]:
    for scored in (*score.columns, score.joint):
        below = scored.crowds.users_below(score.k)
        yield (
            scored.name,
            scored.values,
            scored.missing,
            scored.crowds.smallest,
            below,
            below / score.n,
        )


def _bounds(score: TableScore) -> Iterator[Row]:
    known = score.bounds
    people = {
        "lower": known.lower,
        "truth": score.joint.crowds.users_below(score.k),
        **_worst(known.worst),
        "margins": known.margins,
        "coverage": known.coverage,
        "refined": known.refined,
        "printed": known.printed,
    }
    yield from ((name, many, many / score.n) for name, many in people.items())


def _worst(worst: WorstCase | None) -> dict[str, int]:
    """The worst case, or its bounds where it is not proven."""
    if worst is None:
        return {}
    if worst.proven:
        return {"worst": worst.people}
    return {"worst_found": worst.people, "worst_at_most": worst.upper}


def _questions(score: TableScore) -> Iterator[Row]:
    for attack, size in zip(score.questions.attacks, score.questions.sizes, strict=True):
        risk = attack.risk()
        yield (
            *(attack.question, size, _named(score, attack.known), _named(score, attack.sought)),
            *(
                attack.attack.share,
                attack.control.share if attack.control else None,
                attack.baseline.share,
            ),
            *(risk.value, risk.low, risk.high),
        )


def _sensitive(score: TableScore) -> Iterator[Row]:
    for diversity in score.questions.diversity:
        yield (
            score.columns[diversity.column].name,
            diversity.k,
            diversity.l,
            diversity.entropy_l,
            diversity.t,
        )


def _sets(score: TableScore) -> Iterator[Row]:
    for columns in score.sets.sets:
        yield (
            _named(score, columns.columns),
            columns.truth,
            columns.promised,
            columns.truth <= score.most,
        )


def _named(score: TableScore, columns: Sequence[int]) -> str:
    return ", ".join(score.columns[j].name for j in columns)


def choices(advised: Advised) -> Frame:
    """The choices that none beats, with their costs and what each says of each column."""
    names = tuple(column.ladder.column for column in advised.columns)
    headings = ("advised", "loss", "people_below_k", "promised", "share_of_bits", "two_way")
    rows = [
        (
            *(
                choice == advised.best,
                choice.loss,
                choice.people,
                cost.promised,
                cost.share,
                cost.two_way,
            ),
            *advised.level_names(choice),
        )
        for choice, cost in advised.choices
    ]
    return framed((*headings, *names), rows)


def _advice_frames(advised: Advised) -> AdviceFrames:
    """The tables of advice."""
    names = tuple(column.ladder.column for column in advised.columns)
    cost, levels = advised.cost, advised.level_names(advised.best)
    steps = zip(names, levels, cost.kept, cost.whole, advised.finer, strict=True)
    return AdviceFrames(
        framed(
            ("column", "say", "bits_kept", "bits", "people_below_k_one_step_finer"), list(steps)
        ),
        choices(advised),
        Frame(advised.coarse()),
    )

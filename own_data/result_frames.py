"""Scores and advice as tables of plain columns (`Frame`), for work in a notebook.

>>> import veilmix
>>> table = {"age": [30, 30, 31, 31], "ward": ["east", "east", "west", "east"]}
>>> sum(veilmix.score(table, k=2).frames.sets["people_below_k"])
3
>>> veilmix.advise(table, k=2, max_exposure=0).frames.table.columns
{'age': ('30', '30', '31', '31')}
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Literal, Never

from ..analysis.composition import WorstCase
from ..analysis.frames import Cell, Frame, TypedFrame, typed_frame
from ..analysis.scoring import TableScore
from .advise import Advised

ColumnFrame = TypedFrame[
    Literal["values", "missing", "smallest_crowd", "people_below_k"],
    Literal["exposure"],
    Literal["column"],
]
BoundFrame = TypedFrame[Literal["people"], Literal["share"], Literal["bound"]]
QuestionFrame = TypedFrame[
    Literal["columns"],
    Literal["attack", "baseline", "risk", "risk_low", "risk_high"],
    Literal["question", "known", "sought"],
]
SensitiveFrame = TypedFrame[Literal["k", "l"], Literal["entropy_l", "t"], Literal["column"]]
SetFrame = TypedFrame[Literal["people_below_k", "promised"], Never, Literal["columns"]]
AdvisedFrame = TypedFrame[Never, Literal["bits_kept", "bits"], Literal["column", "say"]]
ChoiceFrame = TypedFrame[
    Literal["people_below_k", "promised"], Literal["loss", "share_of_bits"], Never
]


@dataclass(frozen=True, slots=True)
class ScoreFrames:
    """The parts of a score as tables for a notebook.

    Attributes:
        columns: for each column, and for all together: the smallest equivalence class, and
            people below k.
        bounds: people below k, and bounds on them from the columns' counts alone.
        questions: the attacks of singling out, linkability and inference.
        sensitive: k, l and t of each sensitive column.
        sets: people below k for each set of columns that was counted.
    """

    columns: ColumnFrame
    bounds: BoundFrame
    questions: QuestionFrame
    sensitive: SensitiveFrame
    sets: SetFrame


@dataclass(frozen=True, slots=True)
class AdviceFrames:
    """The parts of advice as tables for a notebook.

    Attributes:
        columns: the advised generalization level of each column, and its cost.
        choices: the advised choice of levels and its alternatives: choices for which no
            tried choice has both fewer people below k and less loss.
        table: the people's rows under the advised choice.
    """

    columns: AdvisedFrame
    choices: ChoiceFrame
    table: Frame


class FramedScore(TableScore):
    """A score of a table, with its parts as tables: the result of `veilmix.score`."""

    __slots__ = ()

    @property
    def frames(self) -> ScoreFrames:
        """The parts of the score as tables of plain columns."""
        return ScoreFrames(
            typed_frame(COLUMNS, [*_columns(self)]),
            typed_frame(
                BOUNDS, [(name, n, n / self.n) for name, n in exposure_bounds(self).items()]
            ),
            typed_frame(QUESTIONS, [*_questions(self)]),
            typed_frame(SENSITIVE, [*_sensitive(self)]),
            typed_frame(SETS, [*_sets(self)]),
        )


class FramedAdvice(Advised):
    """Advice on a table, with its parts as tables: the result of `veilmix.advise`."""

    __slots__ = ()

    @property
    def frames(self) -> AdviceFrames:
        """The parts of the advice as tables of plain columns."""
        return _advice_frames(self)


def framed_advice(advised: Advised) -> FramedAdvice:
    """Return advice with the property `frames` added."""
    return FramedAdvice(**{field.name: getattr(advised, field.name) for field in fields(advised)})


def framed_score(score: TableScore) -> FramedScore:
    """Return a score with the property `frames` added."""
    return FramedScore(**{field.name: getattr(score, field.name) for field in fields(score)})


COLUMNS = {
    "column": str,
    "values": int,
    "missing": int,
    "smallest_crowd": int,
    "people_below_k": int,
    "exposure": float,
}
BOUNDS = {"bound": str, "people": int, "share": float}
QUESTIONS = {
    "question": str,
    "columns": int,
    "known": str,
    "sought": str,
    "attack": float,
    "control": float,
    "baseline": float,
    "risk": float,
    "risk_low": float,
    "risk_high": float,
}
SENSITIVE = {"column": str, "k": int, "l": int, "entropy_l": float, "t": float}
SETS = {"columns": str, "people_below_k": int, "promised": int, "safe": bool}
ADVISED = {
    "column": str,
    "say": str,
    "bits_kept": float,
    "bits": float,
    "people_below_k_one_step_finer": int,
}
CHOICES = {
    "advised": bool,
    "loss": float,
    "people_below_k": int,
    "promised": int,
    "share_of_bits": float,
    "two_way": float,
}
Row = tuple[Cell, ...]


def _columns(score: TableScore) -> Iterator[Row]:
    """Yield a row for each column, and for all together: values, smallest class, people below k."""
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


def exposure_bounds(score: TableScore) -> dict[str, int]:
    """Return the people below k, and bounds on them from the columns' counts, by name.

    `truth` is counted in the table. `lower` is a lower bound. `worst` is the maximum over all
    tables with these counts, as far as it was searched. The other names are upper bounds, each
    of a rule: `printed` is the paper's, `margins` the default of a run, and `persons` is for
    persons with several rows.
    """
    bounds = score.bounds
    people = {
        "lower": bounds.lower,
        "truth": score.joint.crowds.users_below(score.k),
        **_worst(bounds.worst),
        "margins": bounds.margins,
        "coverage": bounds.coverage,
        "refined": bounds.refined,
        "printed": bounds.printed,
        "persons": bounds.persons,
    }
    return {name: n for name, n in people.items() if n is not None}


def _worst(worst: WorstCase | None) -> dict[str, int]:
    """Return the worst case (the most people below k over all tables with these column counts).

    If it is not proved, return the most that was found and an upper bound. Without a
    search, return an empty mapping.
    """
    if worst is None:
        return {}
    if worst.proven:
        return {"worst": worst.people}
    return {"worst_found": worst.people, "worst_at_most": worst.upper}


def _questions(score: TableScore) -> Iterator[Row]:
    """Yield a row for each attack: success rate, control, baseline and risk."""
    for attack, size in zip(score.questions.attacks, score.questions.sizes, strict=True):
        risk = attack.risk()
        yield (
            *(
                attack.question,
                size,
                _column_names(score, attack.known_columns),
                _column_names(score, attack.sought),
            ),
            *(
                attack.attack.share,
                attack.control.share if attack.control else None,
                attack.baseline.share,
            ),
            *(risk.value, risk.low, risk.high),
        )


def _sensitive(score: TableScore) -> Iterator[Row]:
    """Yield a row for each sensitive column: k, l, entropy-l and t."""
    for diversity in score.questions.diversity:
        yield (
            score.columns[diversity.column].name,
            diversity.k,
            diversity.l,
            diversity.entropy_l,
            diversity.t,
        )


def _sets(score: TableScore) -> Iterator[Row]:
    """Yield a row for each counted set of columns: people below k, and the proved bound on them."""
    for columns in score.sets.sets:
        yield (
            _column_names(score, columns.columns),
            columns.truth,
            columns.promised,
            columns.truth <= score.people_limit,
        )


def _column_names(score: TableScore, columns: Sequence[int]) -> str:
    """Return the names of columns with commas between them."""
    return ", ".join(score.columns[j].name for j in columns)


def choices(advised: Advised) -> ChoiceFrame:
    """Return a table of the advised choice of levels and its alternatives, with their costs.

    A choice is a generalization level for each column. The alternatives are tried choices
    for which no tried choice has both fewer people below k and less loss of information.
    """
    names = tuple(column.ladder.column for column in advised.columns)
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
    return typed_frame(CHOICES, rows, names)


def _advice_frames(advised: Advised) -> AdviceFrames:
    """Return advice as tables: the level of each column, the choices of levels, and the rows."""
    names = tuple(column.ladder.column for column in advised.columns)
    cost, levels = advised.cost, advised.level_names(advised.best)
    steps = zip(names, levels, cost.released_bits, cost.whole, advised.finer, strict=True)
    return AdviceFrames(
        typed_frame(ADVISED, [*steps]),
        choices(advised),
        Frame(advised.coarse()),
    )

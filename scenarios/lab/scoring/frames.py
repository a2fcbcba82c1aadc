"""The tables of a run: released rows, marginals, coalitions, attacks, epsilons, scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Never

from msgspec import UNSET

from ....analysis.frames import Cell, TypedFrame, column_cells, typed_frame

if TYPE_CHECKING:
    from ....analysis.trust import Received
    from ...programs.findings import StatedEpsilon
    from .result import Result

ReleaseFrame = TypedFrame[Literal["people"], Never, Never]
MarginalFrame = TypedFrame[Literal["people"], Never, Literal["feature", "value"]]
CoalitionFrame = TypedFrame[
    Literal["linked", "users", "cells_certain", "cells"],
    Literal["bits_per_person"],
    Literal["coalition", "bits_are", "method", "verdict"],
]
EpsilonFrame = TypedFrame[
    Never, Literal["nats", "at_least", "delta"], Literal["of", "adjacency", "reading"]
]
ScoreFrame = TypedFrame[Never, Literal["value"], Literal["score", "unit", "meaning"]]
AttackFrame = TypedFrame[Never, Literal["achieved", "of"], Literal["attack", "unit"]]


@dataclass(frozen=True, slots=True)
class Frames:
    """The tables of a run, as `outcome.frames` returns them.

    Attributes:
        release: number of people with each combination of the released values; no row without a
            release. A released column with the name `people` is called `people (2)` here.
        marginals: number of people with each value of each feature, as the curator read them.
        coalitions: the leakage to every coalition. `bits_are`: whether the number of bits is exact,
            a lower bound ("at least") or an upper bound ("at most").
        attacks: the success of each attack of the scenario, and the maximum of this success.
        epsilons: every epsilon, in nats, with its delta and adjacency (definition of neighbouring
            data sets); `relied_on`: people who are assumed to keep their reports secret. No row
            without noise.
        scores: the scores of installed packages (entry points `veilmix.scores`), with units.
    """

    release: ReleaseFrame
    marginals: MarginalFrame
    coalitions: CoalitionFrame
    attacks: AttackFrame
    epsilons: EpsilonFrame
    scores: ScoreFrame


def frames(result: Result, coalitions: Sequence[Received]) -> Frames:
    """Return the tables of a run.

    result: the record of the run. coalitions: the leakage to each coalition of the run.
    """
    released_columns = result.decision.kept if result.decision else ()
    names, counts = (
        (result.release.columns, result.release.counts)
        if result.release
        else (released_columns, ())
    )
    counted = [
        (name, value, people)
        for name, marginal in result.marginals.items()
        for value, people in marginal.items()
    ]
    effects = [(effect.attack, effect.value, effect.of, effect.unit) for effect in result.attacks]
    return Frames(
        _release(names, counts),
        typed_frame(MARGINALS, counted),
        typed_frame(COALITIONS, [*map(coalition_row, coalitions)]),
        typed_frame(ATTACKS, effects),
        typed_frame(EPSILONS, [*map(_epsilon, _stated(result))]),
        typed_frame(SCORES, score_rows(result)),
    )


def score_rows(result: Result) -> list[tuple[Cell, ...]]:
    """Return the scores that other packages add: rows of name, value, unit, meaning."""
    from .score_plugins import measure, own_scores

    rows = [(name, score, measure(name, score, result)) for name, score in own_scores().items()]
    return [(name, x, score.unit, score.meaning) for name, score, x in rows if x is not None]


def _release(names: Sequence[str], counts: Sequence[Sequence[Cell]]) -> ReleaseFrame:
    """Return the table of a release, with the number of people in the column `people`.

    A released column of that name is renamed. names: the released columns. counts: rows of values,
    with the number of people at the end.
    """
    rows = [(people, *values) for *values, people in counts]
    columns = column_cells(("people", *names), rows)
    people = columns.pop("people")
    return TypedFrame({**columns, "people": people}, {**dict.fromkeys(columns, str), "people": int})


MARGINALS = {"feature": str, "value": str, "people": int}
COALITIONS = {
    "coalition": str,
    "linked": int,
    "users": int,
    "cells_certain": int,
    "cells": int,
    "bits_per_person": float,
    "bits_are": str,
    "rows_guessed": float,
    "rows_guessed_before": float,
    "method": str,
    "verdict": str,
}
SCORES = {"score": str, "value": float, "unit": str, "meaning": str}
ATTACKS = {"attack": str, "achieved": float, "of": float, "unit": str}


def coalition_row(view: Received) -> tuple[Cell, ...]:
    """Return the leakage to a coalition as a row of the table `COALITIONS`."""
    return (
        *(" + ".join(view.parties), view.linked, view.users, view.cells_certain, view.cells),
        *(view.bits_per_person, view.bits_are.value, view.rows_guessed, view.rows_guessed_before),
        *(view.method.value, view.verdict),
    )


EPSILONS = {
    "of": str,
    "nats": float,
    "at_least": float,
    "delta": float,
    "adjacency": str,
    "reading": str,
    "relied_on": int,
}


def _stated(result: Result) -> tuple[StatedEpsilon, ...]:
    """Return every epsilon of a run, and the epsilons over all runs of a ledger."""
    stated = () if result.findings is UNSET else result.findings.epsilons
    return (*stated, *(() if result.ledger is UNSET else result.ledger.epsilons))


def _epsilon(stated: StatedEpsilon) -> tuple[Cell, ...]:
    """Return an epsilon, with its delta and adjacency, as a row of the table `EPSILONS`."""
    return (
        *(stated.of, stated.nats, stated.at_least, stated.delta, stated.adjacency, stated.reading),
        stated.relied_on,
    )

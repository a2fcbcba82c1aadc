"""The results of a comparison as rows of CSV, and as tables with plain values."""

from dataclasses import dataclass
from typing import Any, Literal

from ....analysis.frames import Cell, TypedFrame, typed_frame
from ..cheating.cheating_result import NO_SUCCESS, detection_text

PROGRAMS = {
    "program": str,
    "family": str,
    "most_trusted": str,
    "bits_per_person": float,
    "linked": int,
    "rows_guessed": float,
    "smallest_coalitions": str,
    "true_exposure": float,
    "promised_exposure": float,
    "epsilon": float,
    "columns": str,
    "cells": float,
    "entropy_bits": float,
    "entropy_of_all_bits": float,
    "pairs": int,
    "pairs_answered": int,
    "pair_error_mean": float,
    "pair_error_low_95": float,
    "pair_error_high_95": float,
    "pair_error_largest": float,
    "cpu_seconds": float,
    "cpu_low_95": float,
    "cpu_high_95": float,
    "measured_people": int,
    "bytes_per_person": float,
    "rounds": int,
    "burned": str,
    "note": str,
    "cheating_coalitions": str,
    "cheating_attack": str,
    "cheating_read": int,
    "cheating_runs": int,
    "cheating_low_95": float,
    "cheating_high_95": float,
    "cheating_noticed": str,
    "known_by_exclusion": int,
    "known_by_exclusion_reader": int,
    "epsilon_adjacency": str,
    "bytes_in_all_per_person": float,
    "proof_sketch_covers": str,
}
HEADINGS = tuple(PROGRAMS)
COALITIONS = {
    "program": str,
    "coalition": str,
    "linked": int,
    "cells_certain": int,
    "bits_per_person": float,
    "bits_are": str,
    "rows_guessed": float,
    "reports": bool,
    "verdict": str,
}
ProgramFrame = TypedFrame[
    Literal["linked", "pairs", "pairs_answered", "measured_people", "rounds"],
    Literal[
        "bits_per_person",
        "true_exposure",
        "cells",
        "entropy_bits",
        "entropy_of_all_bits",
        "pair_error_mean",
        "pair_error_largest",
        "cpu_seconds",
        "bytes_per_person",
    ],
    Literal["program", "family", "most_trusted", "smallest_coalitions", "columns", "note"],
]
CoalitionFrame = TypedFrame[
    Literal["linked", "cells_certain"],
    Literal["bits_per_person"],
    Literal["program", "coalition", "bits_are", "verdict"],
]


@dataclass(frozen=True, slots=True)
class ComparisonFrames:
    """The tables of a comparison.

    Attributes:
        programs: a row for each release program, as in comparison.csv.
        coalitions: the leakage to each coalition, by program; `rows_guessed` is a share of users.
    """

    programs: ProgramFrame
    coalitions: CoalitionFrame


def comparison_frames(comparison: Any) -> ComparisonFrames:
    """Return the tables of a comparison.

    comparison: a `Comparison`. The type is not named, because result.py imports this file.
    """
    coalitions = [
        (
            *(
                program.program,
                " + ".join(coalition.parties),
                coalition.linked,
                coalition.cells_certain,
            ),
            *(coalition.bits_per_person, coalition.bits_are.value, coalition.rows_guessed),
            *(coalition.reports, coalition.verdict),
        )
        for program in comparison.programs
        for coalition in program.trust.coalitions
    ]
    return ComparisonFrames(
        typed_frame(PROGRAMS, rows(comparison)), typed_frame(COALITIONS, coalitions)
    )


def rows(comparison: Any) -> list[tuple[Cell, ...]]:
    """Return the lines of comparison.csv, by release program; None for a missing figure."""
    return [_row(program) for program in comparison.programs]


def _row(program: Any) -> tuple[Cell, ...]:
    """Return the row of a program in comparison.csv, in the order of `PROGRAMS`."""
    trusted, worth, price = program.trust.largest_party_leakage, program.utility, program.cost
    low, high = worth.mean_limits or (None, None)
    cheap, dear = price.cpu_limits or (None, None)
    privacy = program.privacy
    return (
        program.program,
        program.family,
        trusted.parties[0],
        trusted.bits_per_person,
        trusted.linked,
        trusted.rows_guessed,
        " or ".join("+".join(parties) for parties in program.trust.smallest),
        privacy.true,
        privacy.promised,
        privacy.epsilon,
        " ".join(worth.columns),
        worth.cells,
        worth.entropy,
        worth.entropy_of_all,
        worth.pairs,
        worth.answered,
        worth.mean,
        low,
        high,
        worth.largest,
        price.cpu,
        cheap,
        dear,
        price.people,
        price.bytes,
        price.rounds,
        program.burned,
        program.note,
        *_cheating(program),
        privacy.excluded,
        privacy.reader_excluded,
        privacy.adjacency or None,
        price.total,
        program.trust.proof,
    )


def _cheating(program: Any) -> tuple[Cell, ...]:
    """Return a release program's smallest malicious coalitions, and their worst attack.

    The smallest coalitions are those known to learn a person's row.
    """
    study = program.trust.cheating
    if study is None:
        return ("not measured", *(None,) * 6)
    coalition_names = " or ".join(
        "+".join((*coalition.parties, *_people(coalition.friends))) for coalition in study.smallest
    )
    first = study.smallest[0] if study.smallest else None
    if first is None or first.watching or first.worst is None:
        return (coalition_names or NO_SUCCESS, "watching" if first else None, *(None,) * 5)
    worst = first.worst
    return (
        coalition_names,
        worst.attack,
        worst.read,
        worst.runs,
        worst.low,
        worst.high,
        detection_text(worst),
    )


def _people(friends: int) -> tuple[str, ...]:
    """Return the people in a coalition as a part of its name; () without people.

    friends: the number of people.
    """
    return (f"{friends} people",) if friends else ()

"""A figure of people in a release that an attacker identifies by known columns (census data).

It is not in paper 003, but applies the paper's attacker to a release without noise that shows all
columns. A point shows the people identified by each set of columns that the attacker may know; the
worst set of each size is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy.typing as npt

from .. import drawing
from ..reidentification.attacks.side_information import Identified, find_people
from ..shipped_tables import shipped_rows
from .parameters import Progress, people_codes, stage_of
from .registry import Check, Material, Numbers, Redrawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_COLUMNS = 12  # limit of the columns, so that there are at most 4,095 sets of known columns


def known_columns_figure(
    table: npt.ArrayLike | None = None,
    *,
    columns: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Redrawn:
    """Return the people that an attacker finds in a release by each set of known columns.

    The release shows all columns without names. The attacker knows some columns of all people, and
    names for each person the likeliest row.

    Args:
        table: n x d integer codes of at least 0, a row a person, n >= 2, d from 1 to 12. None: the
            shipped census.
        columns: names of the columns of the table; of the census: the columns of the release.
        progress: called with a description of each stage.

    Returns:
        The frame "release": for each set of known columns the expected number of people found, the
        number found for certain, the bits of a row about its owner, the Bayes error, and Fano's
        lower bound on that error. Checks only for the whole census.

    Raises:
        ParameterError: codes or names are out of range.

    Source:
        Not in paper 003: its attacker, applied to an exact release, with its (4) and (9).
    """
    whole_census = shipped_rows("census").columns
    codes, names = people_codes(table, columns, whole_census, MOST_COLUMNS)
    attacks: list[Identified] = []
    for size in range(1, len(names) + 1):
        stage_of(progress)(f"release: {size} known columns")
        attacks += [
            find_people(codes, known_columns)
            for known_columns in combinations(range(len(names)), size)
        ]
    rows = [
        (
            len(a.known_columns), " ".join(names[j] for j in a.known_columns),
            a.expected_matches, a.certain, a.bits, a.error,
            a.fano, a.people,
        )
        for a in attacks
    ]  # fmt: skip
    headings = ("columns", "known", "found", "certain", "bits", "error", "fano", "people")
    numbers = (Numbers("release", headings, rows),)
    checks = (_check(attacks),) if table is None and names == whole_census else ()
    source = "table" if table is not None else "census"
    return Redrawn("release", numbers, checks, lambda: draw(attacks, names, source))


def release(material: Material) -> Redrawn:
    """Redraw the figure: attack the shipped census table with every set of known columns."""
    return known_columns_figure(progress=material.progress)


def _check(attacks: Sequence[Identified]) -> Check:
    """Check that the Bayes error of each attack is at least Fano's lower bound."""
    is_satisfied = all(a.fano <= a.error for a in attacks)
    return Check(
        "release",
        "Bayes error >= Fano bound of the bits",
        "(9)",
        "always",
        str(is_satisfied),
        is_satisfied,
    )


@drawing.styled
def draw(attacks: Sequence[Identified], names: Sequence[str], source: str) -> Figure:
    """Draw the people identified by each set of known columns; name the worst set of each size.

    attacks: the result for each set. names: names of all columns. source: the data in words.
    """
    figure, (ax,) = drawing.new(7.2, 4.4)
    for a in attacks:
        ax.plot(len(a.known_columns), a.expected_matches, "o", ms=4, mfc="none", color=drawing.BLUE)
    for size in range(1, len(names) + 1):
        worst = max(
            (a for a in attacks if len(a.known_columns) == size), key=lambda a: a.expected_matches
        )
        ax.plot(size, worst.expected_matches, "o", ms=5, color=drawing.VERMILION)
        ax.annotate(
            "\n".join(names[j] for j in worst.known_columns),
            (size, worst.expected_matches), (4, 6),
            textcoords="offset points", fontsize=7, ha="left", va="bottom",
        )  # fmt: skip
    n = attacks[0].people
    ax.set(yscale="log", xlabel="columns that the attacker knows", ylabel="people found (expected)")
    ax.set_title(f"{source}, all columns released, {n:,} people")
    ax.set_xticks(range(1, len(names) + 1))
    ax.set_xlim(0.5, len(names) + 0.9)
    ax.set_ylim(top=ax.get_ylim()[1] * 4)
    return figure

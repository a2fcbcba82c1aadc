"""Write docs/results.md and its picture: sixteen public tables, each with its bounds.

    python tools/make_results.py               all tables, page and picture (minutes)
    python tools/make_results.py ovary census  prints the rows of these tables and writes no file

Of each table: the people whose combination of all columns is rarer than k, the worst case over all
tables with the same single columns, the bound that these columns certify, and a session of two
shufflers with the default program. Nothing is drawn at random but what a seed fixes, so the same
libraries give the same page. Ctrl-C before the last table leaves page and picture as they were.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import veilmix
from generated import DOCS, filled, save_picture, write_or_check, written_table
from veilmix.analysis import drawing
from veilmix.analysis.composition import best_bound, worst_case
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import loads
from veilmix.scenarios.populations.tables import TABLES, shipped
from veilmix.scenarios.records.verification.views import breaking

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAGE = DOCS / "results.md"
PICTURE = DOCS / "images" / "results.png"
K = 5  # people in the smallest crowd wanted
TARGET = 0.05  # share of people whom a release may expose, as certified
NODES = 20  # limit of every search tree
SEED = 7
SMALLEST = ["analyst + shuffler-1 + shuffler-2", "curator + shuffler-1 + shuffler-2"]
FREE = " Counts are facts, free to use."
COLOURS = 64  # of the palette
LEAST = 0.02  # percent: below it the axis is linear, so that 0 has a place
SCENARIO = f"""[scenario]
name = "{{name}}"
[population]
source = "builtin:{{name}}"
[mix]
shufflers = 2
[policy]
k = {K}
max_exposure = {TARGET}
"""
BOUNDS = ("table", "people", "columns", "cells", "truth", "worst case", "certified bound")
SESSIONS = ("table", "released", "truth", "certified bound", "bits to curator", "bits to analyst")


@dataclass(frozen=True, slots=True)
class Bounds:
    """The bounds of one table, all columns together; people.

    Attributes:
        name: of the table.
        people: in the table.
        columns: number of columns.
        cells: combinations of values, those of no person included.
        truth: people in a combination of fewer than K people, exact.
        found: people so exposed in the worst table that was found: at least so many.
        upper: no table with these columns exposes more.
        proved: whether `upper` has a proof in whole numbers that has been checked apart from its
            search: by cases, or the certificate.
        certified: bound of the default rule: at most so many.
    """

    name: str
    people: int
    columns: int
    cells: int
    truth: int
    found: int
    upper: int
    proved: bool
    certified: int

    def row(self) -> tuple[str, ...]:
        """The row of the page."""
        worst = (
            f"{self.found:,}" if self.found == self.upper else f"{self.found:,} to {self.upper:,}"
        )
        return (
            *(f"`{self.name}`", f"{self.people:,}", str(self.columns), str(self.cells)),
            *(f"{self.truth:,}", worst + ("" if self.proved else " \\*"), f"{self.certified:,}"),
        )


def bounds(name: str) -> Bounds:
    """Return the bounds of a shipped table."""
    table = shipped(name)
    counts = [
        np.bincount(column, minlength=len(values))
        for column, values in zip(table.codes.T, table.values, strict=True)
    ]
    crowds = np.unique(table.codes, axis=0, return_counts=True)[1]
    worst = worst_case(counts, K, nodes=NODES)
    worst.verify(counts)
    certificate = best_bound(counts, K, "margins")
    certificate.verify(counts)
    return Bounds(
        name=name,
        people=len(table.codes),
        columns=len(counts),
        cells=int(np.prod([len(values) for values in table.values])),
        truth=int(crowds[crowds < K].sum()),
        found=worst.people,
        upper=worst.upper,
        proved=worst.proof is not None or certificate.people <= worst.upper,
        certified=certificate.people,
    )


def session(name: str) -> Outcome:
    """Play the session of a shipped table without messages, which has the same release."""
    scenario = loads(SCENARIO.format(name=name))
    return veilmix.run(scenario, SEED, "ideal", worst_case_nodes=0)


def session_row(outcome: Outcome) -> tuple[str, ...]:
    """The row of a session on the page, which says once which coalitions are the smallest.

    Raises:
        ValueError: the session has other smallest coalitions.
    """
    if (smallest := [" + ".join(group) for group in breaking(outcome.coalitions)]) != SMALLEST:
        raise ValueError(f"found the smallest coalitions {smallest}; the page says {SMALLEST}")
    kept, sizes = outcome.released_columns, len(outcome.sizes)
    readers = [outcome.coalition(party) for party in ("curator", "analyst")]
    return (
        f"`{outcome.scenario.scenario.name}`",
        "all" if len(kept) == sizes else f"{len(kept)} of {sizes}: {', '.join(kept)}",
        f"{100 * outcome.exposure.true:.2f} %",
        f"{100 * outcome.exposure.promised:.2f} %",
        *(f"{view.bits_are.word}{view.bits_per_person:.2f}" for view in readers),
    )


def sources() -> str:
    """List the published source of each table, in Markdown; the page says once that it is free."""
    return "".join(
        f"* `{name}`: {shipped(name).note.removesuffix(FREE)}\n" for name in names_by_people()
    )


def names_by_people() -> list[str]:
    """Return the names of the tables, those of fewest people first."""
    return sorted(TABLES, key=lambda name: len(shipped(name).codes))


@drawing.styled
def figure(found: Sequence[Bounds]) -> "Figure":
    """Draw truth, worst case and certified bound of each table, as shares of its people."""
    picture, (ax,) = drawing.new(8, 0.32 * len(found) + 1.3)
    for place, one in enumerate(found):
        _draw(ax, place, one)
    ax.set_yticks(range(len(found)), [f"{one.name} ({one.people:,})" for one in found])
    ax.set_ylim(len(found) - 0.5, -0.5)
    ax.set_xscale("symlog", linthresh=LEAST, linscale=0.4)
    ax.set_xlim(-LEAST / 5, 115)
    marks = (0, 0.1, 1, 10, 100)
    ax.set_xticks(marks, [f"{mark:g} %" for mark in marks], minor=False)
    ax.minorticks_off()
    ax.set_xlabel(f"people in a combination of fewer than {K}, all columns together")
    ax.set_title("Sixteen public tables: exposure that the single columns allow")
    ax.legend(loc="upper left", frameon=True)
    return picture


def _draw(ax: "Axes", place: int, one: Bounds) -> None:
    """Draw the line of one table; the first has the legend."""
    truth, found, upper, certified = (
        100 * people / one.people for people in (one.truth, one.found, one.upper, one.certified)
    )
    ax.plot([truth, found], [place, place], color=drawing.GREY, lw=0.8, zorder=1)
    ax.plot(truth, place, "o", color=drawing.BLACK, ms=5, label=None if place else "truth (exact)")
    ax.plot(
        [found, upper], [place, place], "-", color=drawing.VERMILION, lw=5, solid_capstyle="butt",
        label=None if place else "worst case: found to proved",
    )  # fmt: skip
    ax.plot(found, place, "D", color=drawing.VERMILION, ms=4)
    ax.plot(
        certified, place, "|", color=drawing.BLUE, ms=13, mew=2,
        label=None if place else "certified bound (at most)",
    )  # fmt: skip


def page_text(page: str, found: Sequence[Bounds], sessions: Sequence[Outcome]) -> str:
    """Return the page with these results in place of its own."""
    parts = {
        "bounds": written_table(BOUNDS, [one.row() for one in found]),
        "sessions": written_table(SESSIONS, [session_row(one) for one in sessions]),
        "sources": sources(),
    }
    return filled(page, parts)


def main(names: Sequence[str]) -> None:
    """Compute all tables and write both files, or print the rows of the named tables."""
    unknown = [name for name in names if name not in TABLES]
    if unknown:
        sys.exit(f"{unknown[0]}: no such table; accepted: {', '.join(names_by_people())}")
    chosen = [name for name in names_by_people() if not names or name in names]
    found, sessions = list[Bounds](), list[Outcome]()
    for number, name in enumerate(chosen, 1):
        print(f"{number} of {len(chosen)}: {name}", file=sys.stderr, flush=True)
        found.append(bounds(name))
        sessions.append(session(name))
    if names:
        print(written_table(BOUNDS, [one.row() for one in found]))
        print(written_table(SESSIONS, [session_row(one) for one in sessions]))
        return
    page = page_text(PAGE.read_text("utf-8"), found, sessions)
    save_picture(figure(found), PICTURE, COLOURS)
    write_or_check([], {PAGE: page})


if __name__ == "__main__":
    main(sys.argv[1:])

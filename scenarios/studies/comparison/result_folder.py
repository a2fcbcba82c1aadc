"""A comparison on disk: a folder that is complete or does not exist.

    scenario.toml       the scenario as it was compared, with the seed
    comparison.json     `Comparison`, schema 1 (result.py)
    comparison.csv      a line for each release program
    frontier.png .svg   the trust-privacy-utility frontier, if matplotlib is installed
    frontier.csv        the numbers of the frontier
    versions.json       the versions of veilmix, Python and libraries

This module writes the folder; `read` of result.py reads comparison.json.
"""

from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path

from msgspec.structs import replace

from ....analysis import drawing
from ....analysis.figures import frontier as frontier_figure
from ....analysis.figures.frontier import FrontierPoint
from ....analysis.trust.side import Side
from ....errors import LocalError
from ...records.result_file import SCENARIO, VERSIONS
from ...records.run_folder import store, versions
from ...schema.dump import dump
from ...schema.model import Scenario
from ...serialization.csv_text import csv_text
from ...serialization.json_text import pretty
from ...serialization.record import plain
from .frames import HEADINGS, rows
from .result import COMPARISON, Comparison, read

__all__ = ["contents", "points", "read", "save"]


def points(comparison: Comparison) -> list[FrontierPoint]:
    """Return the figure's points (trust, privacy, utility), one for each release program.

    An aborted program has no point.
    """
    return [
        FrontierPoint(
            program.program,
            program.family,
            program.trust.largest_party_leakage.bits_per_person,
            program.privacy.true,
            program.privacy.promised,
            program.utility.mean,
            program.utility.mean_limits,
            program.utility.entropy / program.utility.entropy_of_all
            if program.utility.entropy_of_all
            else 0.0,
            program.privacy.epsilon is None,
            program.trust.largest_party_leakage.bits_are is Side.AT_LEAST,
        )
        for program in comparison.programs
        if program.burned is None
    ]


def save(comparison: Comparison, scenario: Scenario, parent: str | PathLike[str]) -> Path:
    """Write the folder `compare-<scenario>-<seed>` into `parent`; return the folder's path.

    Raises StorageError if it cannot be written.
    """
    parent = Path(parent)
    mark = "" if comparison.seed is None else f"-{comparison.seed:04d}"
    about = replace(scenario.scenario, seed=comparison.seed)
    scenario = replace(scenario, scenario=about)
    return store(contents(comparison, scenario), parent, f"compare-{comparison.scenario}{mark}")


def contents(comparison: Comparison, scenario: Scenario) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a comparison's folder as (name, bytes)."""
    yield SCENARIO, dump(scenario).encode()
    yield COMPARISON, pretty(plain(comparison)).encode()
    yield "comparison.csv", _csv(HEADINGS, rows(comparison))
    plotted = points(comparison)
    headings = ("number", "program", "family", "bits_per_person", "true_exposure", "promised")
    more = ("pair_error_mean", "low_95", "high_95", "entropy_kept_share", "on_frontier")
    best = {point.name for point in frontier_figure.frontier(plotted)}
    yield (
        "frontier.csv",
        _csv((*headings, *more), [_numbers(i, point, best) for i, point in enumerate(plotted, 1)]),
    )
    if plotted:
        yield from _pictures(comparison, plotted)
    yield VERSIONS, pretty(versions()).encode()


def _numbers(number: int, point: FrontierPoint, best: set[str]) -> tuple[object, ...]:
    """Return the row of a release program's point in frontier.csv.

    number: the number of the row, from 1. best: names of the programs on the frontier.
    """
    low, high = point.limits or ("", "")
    promised = "" if point.promised is None else point.promised
    return (
        number, point.name, point.family, point.bits, point.exposure, promised,
        point.error, low, high, point.entropy_share, point.name in best,
    )  # fmt: skip


def _pictures(
    comparison: Comparison, plotted: Sequence[FrontierPoint]
) -> Iterator[tuple[str, bytes]]:
    """Yield the figure's files as (name, bytes), if matplotlib is installed."""
    try:
        drawing.require()
    except LocalError:
        return
    people_text = (
        f"{comparison.users:,} people, {len(comparison.features)} features, k = {comparison.k}"
    )
    picture = frontier_figure.figure(plotted, f"{comparison.scenario}: {people_text}", comparison.k)
    for ending in drawing.FORMATS:
        yield f"frontier{ending}", drawing.rendered(picture, ending)


def _csv(headings: Sequence[str], lines: Sequence[Sequence[object]]) -> bytes:
    """Return a table as bytes of CSV."""
    return csv_text([headings, *lines]).encode()

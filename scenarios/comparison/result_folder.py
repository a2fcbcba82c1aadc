"""A comparison on disk: a folder that is whole or is not there.

scenario.toml       as it was compared, with the seed
comparison.json     `Comparison`, schema 1 (result.py)
comparison.csv      one line per program
frontier.png .svg   the trust-privacy-utility frontier, if matplotlib is there
frontier.csv        its numbers
versions.json       what it was made with
"""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from ...analysis import drawing
from ...analysis.figures import frontier as frontier_figure
from ...analysis.figures.frontier import Point
from ...analysis.trust.fiber import Side
from ...errors import LocalError
from ..records.result_file import SCENARIO, VERSIONS
from ..records.run_folder import store, versions
from ..schema.dump import dump
from ..schema.model import Scenario
from ..serialization.csv_text import csv_text
from ..serialization.json_text import pretty
from ..serialization.record import plain
from ..studies.cheating_text import seen
from .result import COMPARISON, Compared, Comparison, read

__all__ = ["HEADINGS", "contents", "points", "read", "rows", "save"]

HEADINGS = (
    "program",
    "family",
    "most_trusted",
    "bits_per_person",
    "linked",
    "rows_guessed",
    "smallest_coalitions",
    "true_exposure",
    "promised_exposure",
    "epsilon",
    "columns",
    "cells",
    "entropy_bits",
    "entropy_of_all_bits",
    "pairs",
    "pairs_answered",
    "pair_error_mean",
    "pair_error_low_95",
    "pair_error_high_95",
    "pair_error_largest",
    "cpu_seconds",
    "cpu_low_95",
    "cpu_high_95",
    "measured_people",
    "bytes_per_person",
    "rounds",
    "burned",
    "note",
    "cheating_coalitions",
    "cheating_attack",
    "cheating_read",
    "cheating_runs",
    "cheating_low_95",
    "cheating_high_95",
    "cheating_noticed",
)


def rows(found: Comparison) -> list[tuple[object, ...]]:
    """One line of the CSV per program; what there is not is empty."""
    return [_row(one) for one in found.programs]


def _row(one: Compared) -> tuple[object, ...]:
    trusted, worth, price = one.trust.most_trusted, one.utility, one.cost
    low, high = worth.mean_limits or ("", "")
    cheap, dear = price.cpu_limits or ("", "")
    promised = one.privacy.promised
    return (
        one.program,
        one.family,
        trusted.parties[0],
        trusted.bits_per_person,
        trusted.linked,
        "" if trusted.rows_guessed is None else trusted.rows_guessed,
        " or ".join("+".join(parties) for parties in one.trust.smallest),
        one.privacy.true,
        "" if promised is None else promised,
        "" if one.privacy.epsilon is None else one.privacy.epsilon,
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
        one.burned or "",
        one.note,
        *_cheating(one),
    )


def _cheating(one: Compared) -> tuple[object, ...]:
    """The smallest coalitions that learn a row by cheating, and the worst of the first of them."""
    found = one.trust.cheating
    if found is None:
        return ("not measured", *("",) * 6)
    named = " or ".join(
        "+".join((*some.parties, *_people(some.friends))) for some in found.smallest
    )
    first = found.smallest[0] if found.smallest else None
    if first is None or first.watching or first.worst is None:
        return (named or "no known attack", "watching" if first else "", *("",) * 5)
    worst = first.worst
    return named, worst.attack, worst.read, worst.runs, worst.low, worst.high, seen(worst)


def _people(friends: int) -> tuple[str, ...]:
    return (f"{friends} people",) if friends else ()


def points(found: Comparison) -> list[Point]:
    """The points of the frontier; a program that was burned has none."""
    return [
        Point(
            one.program,
            one.family,
            one.trust.most_trusted.bits_per_person,
            one.privacy.true,
            one.privacy.promised,
            one.utility.mean,
            one.utility.mean_limits,
            one.utility.entropy / one.utility.entropy_of_all if one.utility.entropy_of_all else 0.0,
            one.privacy.epsilon is None,
            one.trust.most_trusted.bits_are is Side.AT_LEAST,
        )
        for one in found.programs
        if one.burned is None
    ]


def save(found: Comparison, scenario: Scenario, parent: Path) -> Path:
    """Write the folder `compare-<scenario>-<seed>` into `parent`. Raises StorageError."""
    mark = "" if found.seed is None else f"-{found.seed:04d}"
    about = replace(scenario.scenario, seed=found.seed)
    scenario = replace(scenario, scenario=about)
    return store(contents(found, scenario), parent, f"compare-{found.scenario}{mark}")


def contents(found: Comparison, scenario: Scenario) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the folder, each with its bytes."""
    yield SCENARIO, dump(scenario).encode()
    yield COMPARISON, pretty(plain(found)).encode()
    yield "comparison.csv", _csv(HEADINGS, rows(found))
    drawn = points(found)
    headings = ("number", "program", "family", "bits_per_person", "true_exposure", "promised")
    more = ("pair_error_mean", "low_95", "high_95", "entropy_kept_share", "on_frontier")
    best = {one.name for one in frontier_figure.frontier(drawn)}
    yield (
        "frontier.csv",
        _csv((*headings, *more), [_numbers(i, one, best) for i, one in enumerate(drawn, 1)]),
    )
    if drawn:
        yield from _pictures(found, drawn)
    yield VERSIONS, pretty(versions()).encode()


def _numbers(number: int, one: Point, best: set[str]) -> tuple[object, ...]:
    low, high = one.limits or ("", "")
    promised = "" if one.promised is None else one.promised
    return (
        number, one.name, one.family, one.bits, one.exposure, promised,
        one.error, low, high, one.kept, one.name in best,
    )  # fmt: skip


def _pictures(found: Comparison, drawn: Sequence[Point]) -> Iterator[tuple[str, bytes]]:
    """The figure, where it can be drawn."""
    try:
        drawing.require()
    except LocalError:
        return
    many = f"{found.users:,} people, {len(found.features)} features, k = {found.k}"
    picture = frontier_figure.figure(drawn, f"{found.scenario}: {many}", found.k)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("frontier.png", "frontier.svg"):
            drawing.save(picture, Path(folder) / name)
            yield name, (Path(folder) / name).read_bytes()


def _csv(headings: Sequence[str], lines: Sequence[Sequence[object]]) -> bytes:
    return csv_text([headings, *lines]).encode()

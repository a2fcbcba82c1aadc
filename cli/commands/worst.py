"""`veilmix worst`: search the table with given column counts that exposes most people."""

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..exit_now import STOPPED
from ..options import FILE
from ..stages import stages
from ..table_options import counted_options, table_options
from ..text.layout import clean, format_option, page, say, show, write_csv, write_json

if TYPE_CHECKING:
    from ...analysis.composition import WorstCase
    from ...scenarios.populations.people import SourceTable


@click.command("worst")
@counted_options
@click.option(
    "--rounds",
    default=5_000,
    show_default=True,
    type=click.IntRange(0),
    help="Limit of the search for bad tables, in swaps of cells.",
)
@click.option(
    "--nodes",
    default=1_000,
    show_default=True,
    type=click.IntRange(1),
    help="Limit of nodes in every search tree of the proof that no table is worse.",
)
@click.option(
    "--seed",
    default=0,
    show_default=True,
    type=click.IntRange(0),
    help="Seed of the swaps.",
)
@click.option("--write", "file", type=FILE, help="Write the worst table found to a .csv file.")
@click.option(
    "--proof",
    "proof_file",
    type=FILE,
    help="Write the proof by cases that no table is worse to a .json file; tables of more than 64 "
    "cells have none.",
)
@table_options
@format_option
def command(
    data: Path,
    k: int,
    rounds: int,
    nodes: int,
    seed: int,
    file: Path | None,
    proof_file: Path | None,
    form: str,
    **reading: Any,
) -> None:
    """Search for the worst table with the columns of DATA: how many people could be exposed.

    An observer who knows only the counts of each column cannot exclude this table. The search finds
    and proves the maximum number of people below k over all tables with these counts, or gives a
    lower and an upper bound. It ends at the limits of rounds and nodes, never at a time limit.
    Ctrl-C ends it too, and prints the result so far.
    """
    from ...analysis.composition import worst_case
    from ...own_data.read_table import Reading, read
    from ..text import worst as text

    way = text.Way()
    with stages() as stage:
        table = read(data, Reading(**reading), progress=stage)
        counts = _counts(table)
        worst = worst_case(
            counts,
            k,
            rounds=rounds,
            nodes=nodes,
            seed=seed,
            keep=True,
            progress=lambda step: stage(way.step_line(step)),
        )
    if worst.table is not None:
        worst.verify(counts)
    if form == "json":
        limits = (rounds, nodes, seed)
        write_json(text.worst_record(worst, way, limits, data.name, table.columns))
    elif form == "csv":
        write_csv(text.tidy(way))
    else:
        show(page(), text.bracket_blocks(worst, way, data.name, table.columns))
    if file is not None and worst.table is not None:
        _write(worst, table, file)
        say(page(err=True), clean(f"wrote     {file}"))
    if proof_file is not None:
        say(page(err=True), clean(_write_proof(worst, proof_file)))
    if worst.stopped:
        # Ctrl-C has ended the search, so the exit code is that of Ctrl-C, although a result was
        # printed
        click.get_current_context().exit(STOPPED)


def _counts(table: "SourceTable") -> list[Any]:
    """Return the number of people with each value, for each column of a table.

    Raises DataError if a person has several rows.
    """
    import numpy as np

    from ...errors import DataError

    if table.persons is not None:
        raise DataError(
            f"{table.called}: {table.person}; the worst table is searched only if each person has "
            "one row: --one-row first keeps one row of each person"
        )

    columns = zip(table.codes.T, table.values, strict=True)
    return [np.bincount(codes, minlength=len(values)) for codes, values in columns]


def _write(worst: "WorstCase", table: "SourceTable", file: Path) -> None:
    """Write the worst table found as CSV, with the columns and values of the user's table."""
    from ...scenarios.serialization.atomic_file import write_whole

    stream = io.StringIO(newline="")
    worst.write_csv(stream, table.columns, table.values)
    write_whole(file, stream.getvalue(), force=True)


def _write_proof(worst: "WorstCase", file: Path) -> str:
    """Write the proof that no table exposes more people to a file; return a line to print.

    If no proof was found, no file is written, and the line says so.
    """
    from ...scenarios.serialization.atomic_file import write_whole

    if worst.proof is None:
        return f"no proof by cases was found: {file} is not written"
    write_whole(file, worst.proof.decode(), force=True)
    return f"wrote     {file}: no table exposes more than {worst.upper:,} people"

"""`veilmix leak --search`: search for attacks on a run's scenario, store and print the findings."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...presentation.text_blocks import folded
from .layout import clean, page, say, show, write_csv, write_json
from .pace import Pace

if TYPE_CHECKING:
    from ...scenarios.records.result_file import Run
    from ...scenarios.studies.search.search_result import SearchResult


def searched(run: "Run", form: str, *, pairs: bool, times: bool, strategies: int) -> None:
    """Play the attack strategies that a run's search still lacks, store the search, and print it.

    A strategy is a list of deviations of a coalition from the protocol. form: `table`, `json` or
    `csv`. pairs: also play pairs of deviations. times: whether views contain the times of posts.
    strategies: limit for each coalition; 0: all. Ctrl-C stores and prints the finished part.
    """
    from ...scenarios.schema.single_rows import require_single_rows
    from ...scenarios.studies.search.attack_search import SearchStopped, begin, search
    from ...scenarios.studies.search.search_file import SEARCH, grown, read, save, save_finds

    scenario, stopped = run.scenario, None
    require_single_rows(scenario, "leak --search")
    fresh = begin(scenario, pairs=pairs, times=times, strategies=strategies)
    begun = grown(fresh, read(run.folder))
    try:
        search_result = search(scenario, begun, progress=_progress(form))
    except SearchStopped as stop:
        search_result, stopped = stop.search_result, stop
    save(search_result, run.folder)
    save_finds(search_result, scenario, run.folder)
    _print(search_result, form, run.folder)
    if form == "table":
        say(page(), f"\nkept in {clean(str(run.folder / SEARCH))}", style="dim")
    if stopped:
        raise stopped


def _print(search_result: "SearchResult", form: str, folder: Path) -> None:
    """Print the result of the search as a table, JSON or CSV. folder: the run's folder."""
    from ...presentation.presenters.search import numbers, search_blocks

    if form == "json":
        write_json(search_result)
    elif form == "csv":
        write_csv(numbers(search_result))
    else:
        show(page(), folded(search_blocks(search_result, folder), "  "))


def _progress(form: str) -> Callable[[str, int, int], None]:
    """Return a function that prints how many strategies of a coalition have been played.

    On a terminal it overwrites one line, for form `table` only, so that other output stays clean.
    In a pipe or file it prints a line from time to time. form: `table`, `json` or `csv`.
    """
    terminal, pace = sys.stderr.isatty(), Pace()

    def tell_it(name: str, completed: int, due: int) -> None:
        """Print how many strategies of a coalition have been played.

        name: the coalition. completed: strategies played. due: strategies to play in all.
        """
        line = f"{name}: {completed:,} of {due:,} strategies"
        if not terminal:
            pace.print_due(line)
        elif form == "table":
            click.echo(line + ("\n" if completed == due else "\r"), nl=False, err=True)

    return tell_it

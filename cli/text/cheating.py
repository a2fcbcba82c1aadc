"""Knowledge of malicious coalitions of a run: measured, stored beside the run, and printed."""

from collections.abc import Iterator
from textwrap import fill
from typing import TYPE_CHECKING

from ...number_text import sentence
from ...presentation.wording import WATCHING
from .layout import Block, Line, clean, page, say, show, write_csv, write_json
from .pace import counter

if TYPE_CHECKING:
    from ...scenarios.records.result_file import Run
    from ...scenarios.studies.cheating.cheating_result import CheatingStudy

WIDTH = 98  # characters of a line of words


def load_study(run: "Run") -> "CheatingStudy | None":
    """Return the study that is stored beside a run, or None."""
    from ...scenarios.studies.cheating.cheating_file import CHEATING

    if not (run.folder / CHEATING).is_file():
        return None
    from ...scenarios.studies.cheating.cheating_file import read_study

    return read_study(run)


def stored_study_blocks(run: "Run", cheating: "CheatingStudy | None") -> Iterator[Block]:
    """Yield the study that is stored beside a run, or the reason or command if it is missing."""
    from ...presentation.presenters.cheating import why_unmeasured
    from ...scenarios.programs.registry import unchecked_queries
    from ...scenarios.records.verification.submitted_once import price

    for line in unchecked_queries(run.scenario):
        yield Line(fill(line, WIDTH), "bold")
    if cheating is not None:
        yield Line()
        yield Line("and if they cheat", "bold")
        yield from study_blocks(cheating)
        yield from _citations(run)
    elif why := why_unmeasured(run.scenario):
        yield Line(sentence(why), "dim")
        if price_text := price(run.scenario, run.result):
            yield Line(fill(sentence(price_text), WIDTH))
    else:
        yield Line(WATCHING, "dim")


def _citations(run: "Run") -> Iterator[Block]:
    """Yield the search that is kept beside a run, or that is recorded for its countermeasures."""
    from ...presentation.presenters.search import summary
    from ...scenarios.studies.search.search_file import read
    from ...scenarios.studies.search.search_table import recorded

    search_result = read(run.folder)
    if search_result is None and (record := recorded(run.scenario)):
        search_result = record.result
    if search_result is not None:
        yield Line(fill(sentence(summary(search_result)), WIDTH))


def measured(run: "Run", runs: int, form: str) -> None:
    """Play the missing runs of the study, store it beside the run, and print it."""
    from ...scenarios.schema.single_rows import require_single_rows
    from ...scenarios.studies.cheating.cheating_file import CHEATING, grown, read, save
    from ...scenarios.studies.cheating.coalition_study import SEED, CheatingStopped, begin, study

    scenario, seed = run.scenario, run.result.seed
    require_single_rows(scenario, "leak --cheating")
    begun = begin(scenario, SEED if seed is None else seed, runs)
    begun = grown(begun, read(run.folder, scenario))
    stopped = None

    def keep(cheating: "CheatingStudy") -> None:
        save(cheating, run.folder)

    try:
        cheating = study(scenario, begun, progress=counter(form, "runs"), keep=keep)
        save(cheating, run.folder)
    except CheatingStopped as stop:
        cheating, stopped = stop.study, stop
        save(cheating, run.folder)
    _print(cheating, form)
    if form == "table":
        say(page(), f"\nkept in {clean(str(run.folder / CHEATING))}", style="dim")
    if stopped:
        raise stopped


def _print(cheating: "CheatingStudy", form: str) -> None:
    from ...presentation.presenters.cheating import numbers
    from .leak_record import cheated

    if form == "json":
        write_json(cheated(cheating))
    elif form == "csv":
        write_csv(numbers(cheating.attacks))
    else:
        show(page(), study_blocks(cheating))


def study_blocks(cheating: "CheatingStudy") -> Iterator[Block]:
    """Yield a study: each coalition with its worst attack, and the limits of the figures."""
    from ...presentation.presenters.cheating import notes, successes, table

    yield table(cheating)
    yield Line(successes(cheating))
    for line in notes(cheating):
        yield Line(fill(line, WIDTH), "dim")

"""`veilmix leak --cheating`: the knowledge of malicious coalitions of a run, measured by attacks.

The command plays each known attack on the run's scenario. The result, a study, is stored in the run
folder and printed.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...presentation.text_blocks import folded, titled
from .layout import clean, page, say, show, write_csv, write_json
from .pace import counter

if TYPE_CHECKING:
    from ...presentation.blocks import Block
    from ...scenarios.records.result_file import Run
    from ...scenarios.studies.cheating.cheating_result import CheatingStudy


def load_study(run: "Run") -> "CheatingStudy | None":
    """Return the study of malicious coalitions that is stored in a run's folder, or None."""
    from ...scenarios.studies.cheating.cheating_file import CHEATING

    if not (run.folder / CHEATING).is_file():
        return None
    from ...scenarios.studies.cheating.cheating_file import read_study

    return read_study(run)


def stored_study_blocks(run: "Run", cheating: "CheatingStudy | None") -> Iterator["Block"]:
    """Yield the study of malicious coalitions as lines and tables to print.

    cheating: the study; if None, a line says why it is missing or which command makes it.
    """
    from ...presentation.presenters.cheating import run_blocks

    yield from titled(folded(run_blocks(run, cheating)))


def measured(run: "Run", runs: int, form: str) -> None:
    """Play the attacks that a run's study still lacks, store the study, and print it.

    The study measures the knowledge of malicious coalitions. runs: number of runs of each attack.
    form: `table`, `json` or `csv`. Ctrl-C stores and prints the finished part.
    """
    from ...scenarios.schema.single_rows import require_single_rows
    from ...scenarios.studies.cheating.cheating_file import CHEATING, grown, read, save
    from ...scenarios.studies.cheating.coalition_study import SEED, CheatingStopped, begin, study

    scenario, seed = run.scenario, run.result.seed
    require_single_rows(scenario, "leak --cheating")
    begun = begin(scenario, SEED if seed is None else seed, runs)
    begun = grown(begun, read(run.folder, scenario))
    stopped = None

    def keep(cheating: "CheatingStudy") -> None:
        """Store an unfinished study in the run folder, so that a later command continues it."""
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
    """Print a study of malicious coalitions as a table, JSON or CSV."""
    from ...presentation.presenters.cheating import numbers, study_blocks
    from .leak_record import cheated

    if form == "json":
        write_json(cheated(cheating))
    elif form == "csv":
        write_csv(numbers(cheating.attacks))
    else:
        show(page(), folded(study_blocks(cheating)))

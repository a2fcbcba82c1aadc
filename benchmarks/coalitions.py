"""Every coalition of 8 parties over 2,201 people: `python benchmarks/coalitions.py`.

The Titanic with six shufflers, the curator and the analyst: 255 coalitions, and the board alone.
What is timed is `veilmix leak` without starting Python: the views, the posteriors, the guesses;
beside it each coalition scored by itself, of which a sample is measured and scaled.
"""

import tempfile
from pathlib import Path
from time import perf_counter

from msgspec.structs import replace
from veilmix.analysis.trust import received
from veilmix.protocol.knowledge.view import ViewedRun
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.programs.coalitions import coalitions
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.views import board, learnt_in, recorded

SHUFFLERS = 6
SAMPLE = 16  # coalitions scored one by one


def main() -> None:
    """Play, save, read back, and score."""
    chosen = load("titanic")
    chosen = replace(chosen, mix=replace(chosen.mix, shufflers=SHUFFLERS))
    with tempfile.TemporaryDirectory() as parent:
        folder = save(run(chosen, seed=3, worst_case_nodes=0), Path(parent))
        started = perf_counter()
        record = read(folder)
        reading = perf_counter() - started
    started = perf_counter()
    views = learnt_in(record)
    together = perf_counter() - started

    seen = ViewedRun(recorded(record), board(record))
    sample = coalitions(record.scenario)[:: len(views) // SAMPLE]
    started = perf_counter()
    for members in sample:
        received(seen.view(members), record.sizes, seen.truth)
    alone = (perf_counter() - started) / len(sample) * len(views)
    linking = sum(view.linked > 0 for view in views)
    print(f"{len(views)} coalitions over {views[0].users:,} people, {linking} of them link people")
    print(f"  reading the run folder     {reading:6.2f} s")
    print(f"  scoring all of them        {together:6.2f} s")
    print(f"  one by one, {len(sample)} measured   {alone:6.2f} s  ratio {alone / together:.1f}")


if __name__ == "__main__":
    main()

"""Every coalition of 8 parties over 2,201 people: `python benchmarks/coalitions.py`.

The Titanic with six shufflers, the curator and the analyst: 255 coalitions, and the board alone.
What is timed is `veilmix leak` without starting Python: the views, the posteriors, the guesses;
beside it each coalition scored by itself, of which a sample is measured and scaled.
"""

import tempfile
from pathlib import Path

from harness import run as start
from harness import timed
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
        reading, record = timed(read, folder)
    together, views = timed(learnt_in, record)
    seen = ViewedRun(recorded(record), board(record))
    sample = coalitions(record.scenario)[:: len(views) // SAMPLE]
    few, _ = timed(lambda: [received(seen.view(one), record.sizes, seen.truth) for one in sample])
    alone = few.wall / len(sample) * len(views)
    linking = sum(view.linked > 0 for view in views)
    print(f"{len(views)} coalitions over {views[0].users:,} people, {linking} of them link people")
    print(f"  reading the run folder     {reading.wall:6.2f} s")
    print(f"  scoring all of them        {together.wall:6.2f} s")
    print(
        f"  one by one, {len(sample)} measured   {alone:6.2f} s  ratio {alone / together.wall:.1f}"
    )


if __name__ == "__main__":
    start(main)

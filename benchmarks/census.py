"""A real run against its floor: `python benchmarks/census.py [people] [repeats]`.

Both rounds of the census scenario (32,561 people, 4 features, one shuffler) with real onions,
system randomness, everything recorded; beside it the floor (floor.py) on the same threads in the
same process, and the same run without a recorder. Prints wall time and CPU time as ratios, the best
of the repeats, and the most memory that the process and its copies (roles/forked_workers.py) held
at once: their proportional set sizes, of which a page that several share is counted once, sampled
every second.
"""

import os
import threading
import time
from dataclasses import replace

from floor import floor, operations
from harness import CORES, Turns, family, held, run
from sessions import census
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.roles.network.instruments import TranscriptRecorder
from veilmix.roles.session import play

FEW = 50  # people of the session that tells how large layers are


class Peak(threading.Thread):
    """Samples how much memory this process and its children hold together."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.bytes = 0
        self.every = (
            1.0  # seconds; to look costs some ten milliseconds, and more where more is held
        )

    def run(self) -> None:
        """Sample until the program ends."""
        while True:
            self.bytes = max(self.bytes, sum(map(held, family(os.getpid()))))
            time.sleep(self.every)


def main(people: int = 32_561, repeats: int = 1) -> None:
    """Measure and print."""
    cast, peak = census(people), Peak()
    layers = operations(play(replace(cast, people=FEW)), cast.people)
    peak.start()
    turns = Turns(
        repeats,
        {
            "run": lambda: play(cast, [TranscriptRecorder(Transcript.sized(cast.people))]),
            "floor": lambda: floor(layers, CORES),
            "not recorded": lambda: play(cast),
        },
    )
    print(f"{cast.people:,} people, {sum(n for n, _ in layers):,} layers, {CORES} threads")
    for name in turns.runs:
        print(f"  {name:14} {turns.least(name)}")
    for base in ("floor", "not recorded"):
        print(f"  {turns.ratios('run', base)}")
    print(f"  peak memory, copies included: {peak.bytes / 1e6:.0f} MB")


if __name__ == "__main__":
    run(main)

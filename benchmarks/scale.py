"""The constants of docs/scale.md, and runs beside what they predict: `python benchmarks/scale.py`.

    python benchmarks/scale.py [PEOPLE ...]     runs beside the constants of analysis/scaling.py
    python benchmarks/scale.py --constants      the constants again, from small runs

Every run is a process of its own: both rounds of a session of generated people, 4 features and two
shufflers, with real onions, system randomness and a recorder. Just before and just after it the
same thread seals and opens some layers one by one, and what is predicted of the processor is
multiplied by how much longer these take than `MEASURED` says: what else the machine does slows
both alike. Layers are sealed by libsodium, also where there is a faster engine.

Printed are predicted and measured CPU seconds and memory, and predicted / measured. Memory is
sampled, that of copies of the process included. A session of 100,000 people takes some three
minutes of one core, one of a million half an hour.
"""

import json
import os
import subprocess
import sys
import time

import numpy as np
from census import Peak
from harness import cpu_seconds, run
from sessions import generated, plain_cast
from veilmix.analysis.scaling import (
    MEASURED,
    MICRO,
    SEPARATE_LIMIT,
    WHOLE,
    Cluster,
    RoundLoad,
    session_costs,
)
from veilmix.crypto.entropy import OSEntropy
from veilmix.crypto.layer import open_layer, seal_layer
from veilmix.crypto.suites import suite
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.protocol.rounds.round_context import open_round
from veilmix.roles.cast import Cast
from veilmix.roles.network.instruments import TranscriptRecorder
from veilmix.roles.session import play
from veilmix.scenarios.lab.validation.load import loads
from veilmix.scenarios.studies.costs.scale import round_loads
from veilmix.scenarios.studies.costs.traffic import TrafficTerms, traffic

FEATURES, SHUFFLERS = 4, 2
PREDICTED = (10_000, 100_000, 1_000_000)
BARE = 2_000  # layers sealed and opened before and after a run
INSIDE = 256  # bytes in each of them
TIMES = 9  # that a suite is timed; the least counts
SHAPES = {  # people, features, shufflers, whether recorded as a summary
    "apart": ((4_000, 1, 1, False), (4_000, 4, 2, False)),
    "whole": ((11_000, 1, 1, False), (11_000, 4, 2, False)),
    "summed": ((150_000, 1, 1, True), (150_000, 4, 2, True)),
}


def bare(name: str = "sealedbox", many: int = BARE) -> tuple[float, float]:
    """Seconds of this thread to seal one layer and to open it, now."""
    scheme, entropy, context = suite(name, lesson=True), OSEntropy(), bytes(32)
    pair, plain = scheme.keypair(entropy), bytes(INSIDE)
    start = time.thread_time()
    sealed = [seal_layer(scheme, pair.public, plain, context, entropy) for _ in range(many)]
    middle = time.thread_time()
    for layer in sealed:
        open_layer(pair.secret, layer, context)
    return (middle - start) / many, (time.thread_time() - middle) / many


def scale_cast(people: int, features: int, shufflers: int) -> Cast:
    """A session of generated people; what it takes to decide does not depend on how many."""
    levels = tuple(range(3, 3 + features))
    policy = 'k = 2\nmax_exposure = 1.0\nrule = "coverage"\n'
    return plain_cast(loads(generated(people, levels, policy)), 1, shufflers=shufflers)


class Run:
    """A session in a process of its own.

    people, features, shufflers: of the session. summary: how it is recorded.
    """

    def __init__(self, people: int, features: int, shufflers: int, *, summary: bool) -> None:
        self.people = people
        command = [sys.executable, __file__, "--once", json.dumps([people, features, shufflers])]
        environment = os.environ | {"VEILMIX_ENGINE": "libsodium"}
        command += ["--summary"] if summary else []
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=environment)
        measured = json.loads(done.stdout)
        self.rounds = [RoundLoad(*load[:2], tuple(load[2]), load[3]) for load in measured["rounds"]]
        self.cpu, self.memory = measured["cpu"], measured["memory"]
        seal, open_ = (MICRO * each for each in MEASURED.suites["sealedbox"])
        self.slower = (measured["seal"] + measured["open"]) / (seal + open_)

    @property
    def beside(self) -> float:
        """CPU seconds beside sealing and opening, as they are on the processor of `MEASURED`."""
        layers = sum(load.layers for load in self.rounds)
        return self.cpu / self.slower - MICRO * layers * sum(MEASURED.suites["sealedbox"])

    def line(self) -> str:
        """Predicted beside measured."""
        costs = session_costs(self.rounds, "sealedbox", MEASURED, Cluster())
        cpu, memory = costs.cpu * self.slower, costs.memory
        return (
            f"{self.people:9,} people   CPU {cpu:8.1f} : {self.cpu:8.1f} s, {cpu / self.cpu:.2f}"
            f"   memory {memory / 1e6:6.0f} : {self.memory / 1e6:6.0f} MB, "
            f"{memory / self.memory:.2f}   "
            f"layers took {self.slower:.2f} x their constants"
        )


def play_once(people: int, features: int, shufflers: int, *, summary: bool) -> None:
    """Play a session in this process; print its rounds, CPU seconds, memory, and bare layers."""
    cast = scale_cast(people, features, shufflers)
    before, peak = bare(), Peak()
    peak.every = max(1.0, people / 50_000)
    peak.start()
    start = cpu_seconds()
    board = play(cast, [TranscriptRecorder(Transcript(people, summary=summary))])
    spent, after = cpu_seconds() - start, bare()
    if board.announcement is None or board.burned:
        sys.exit(f"the session has burned: {board.burned}")
    announcement, calls = board.announcement, board.calls
    plans = [open_round(announcement, announcement.digest(), call) for call in calls]
    rounds = round_loads(plans, traffic(announcement, calls, TrafficTerms([people])))
    measured = {
        "rounds": [[load.people, load.onions, load.arriving, load.other_bytes] for load in rounds],
        "cpu": spent,
        "memory": peak.bytes,
        "seal": (before[0] + after[0]) / 2,
        "open": (before[1] + after[1]) / 2,
    }
    print(json.dumps(measured))


def print_constants() -> None:
    """Measure what `MEASURED` holds."""
    for name in MEASURED.suites:
        timed = [bare(name, 400) for _ in range(TIMES)]
        seal, open_ = (min(times) for times in zip(*timed, strict=True))
        print(f"{name:12} {seal / MICRO:6.1f} us to seal, {open_ / MICRO:6.1f} us to open")
    for name, shapes in SHAPES.items():
        runs = [Run(*shape[:3], summary=shape[3]) for shape in shapes]
        counts = [
            [sum(load.layers for load in run.rounds), sum(load.people for load in run.rounds)]
            for run in runs
        ]
        layer, envelope = np.linalg.solve(counts, [run.beside / MICRO for run in runs])
        largest = [[1, max(load.carried for load in run.rounds)] for run in runs]
        start, held = np.linalg.solve(largest, [run.memory for run in runs])
        print(
            f"{name:12} {layer:6.1f} us a layer, {envelope:6.1f} us an envelope, {held:.1f} bytes "
            f"held for each that is carried, beside {start / 1e6:.0f} MB",
            flush=True,
        )


def main(*people: int, constants: bool = False, once: str = "", summary: bool = False) -> None:
    """Print a line for each size. once: be the process of a run (JSON of its shape)."""
    if once:
        play_once(*json.loads(once), summary=summary)
        return
    if constants:
        print_constants()
        return
    print(f"constants of {MEASURED.processor}, {MEASURED.measured}; predicted : measured, ratio")
    print(f"each person a task up to {SEPARATE_LIMIT:,}, every message recorded up to {WHOLE:,}")
    for size in people or PREDICTED:
        print(Run(size, FEATURES, SHUFFLERS, summary=size > WHOLE).line(), flush=True)


if __name__ == "__main__":
    run(main)

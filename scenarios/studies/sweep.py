"""Playing a grid of scenarios: every point `repeats` times, by any `concurrent.futures` executor.

The seed of repetition i is numpy's SeedSequence(seed, spawn_key=(i,)), 63 bits of it: independent
from one repetition to the next, and THE SAME AT EVERY POINT, so that points differ by what was
swept and not by chance (common random numbers), and a grid that grows keeps the runs it has. Where
scenario.seed itself is swept its values are the seeds. Without a seed randomness is the system's.
"""

import hashlib
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from ...errors import LocalError, ParameterError, ScenarioError, StorageError
from ...protocol.parties import shuffler
from ..play.run import run
from ..populations.facts import Facts
from ..programs.interface import Mode
from ..schema.keys import place
from ..schema.model import MAX_SHUFFLERS, Expect, Scenario
from ..schema.problems import as_found
from ..validation.check import swept
from ..validation.load import BUILTIN, change, plain
from .sweep_file import Line, Value

SEED = "scenario.seed"
DIED = (
    "the process that played it ended at once: out of memory, killed, or it cannot be started "
    '(a program that sweeps needs `if __name__ == "__main__":`)'
)
HOPELESS = 5  # runs whose process died: something else is wrong
MARK = 16  # hexadecimal digits of a scenario's mark

Axes = Mapping[str, tuple[Value, ...]]
_Point = tuple[dict[str, Value], Scenario]


@dataclass(frozen=True, slots=True)
class Job:
    """One run that is to be played: a scenario at its point.

    Attributes:
        scenario: to be played.
        key: the values that are swept.
        number: of the run at its point, from 0.
        seed: None: the system's randomness.
        mode: `real` sends every message, `ideal` sends none.
        worst_case_seconds: that the search for the worst table may take.
        mark: of what is swept.
    """

    scenario: Scenario
    key: dict[str, Value]
    number: int
    seed: int | None
    mode: Mode
    worst_case_seconds: float
    mark: str

    def line(self, result: dict[str, object], error: str | None = None) -> Line:
        """What the file keeps of it."""
        from ... import __version__

        return Line(
            key=self.key,
            number=self.number,
            seed=self.seed,
            version=__version__,
            scenario=self.mark,
            result=result,
            error=error,
        )


def axes(scenario: Scenario, given: Axes) -> dict[str, tuple[Value, ...]]:
    """The axes of a sweep: those of the file, and those given, which replace the file's.

    Those with several values come first. ScenarioError with every mistake in those given.
    """
    wrong = list(swept(replace(scenario, sweep=dict(given)), Facts()))
    if wrong:
        told = (problem.message.removeprefix(f"{problem.path[1]}: ") for problem in wrong)
        raise ScenarioError(
            [f"--set {problem.path[1]}: {said}" for problem, said in zip(wrong, told, strict=True)]
        )
    merged = {key: tuple(dict.fromkeys(all_)) for key, all_ in {**scenario.sweep, **given}.items()}
    return dict(sorted(merged.items(), key=lambda axis: len(axis[1]) < 2))


def plan(
    scenario: Scenario,
    along: Axes,
    repeats: int = 1,
    seed: int | None = None,
    mode: Mode = "real",
    worst_case_seconds: float = 0.0,
) -> tuple[Job, ...]:
    """Everything a sweep has to play, each point judged. ScenarioError with every mistake."""
    if SEED in along and repeats > 1:
        raise ParameterError(
            f"--repeats: found {repeats}, and {SEED} is swept: each of its values is a repetition"
        )
    base = replace(scenario, sweep={}, expect=Expect())
    mark = mark_of(base, along, mode)
    seed = base.scenario.seed if seed is None else seed
    points, wrong = _points(base, along)
    if wrong:
        raise ScenarioError(wrong)
    return tuple(
        Job(at, key, i, _seed(key, seed, i), mode, worst_case_seconds, mark)
        for i in range(1, repeats + 1)
        for key, at in points
    )


def _points(
    base: Scenario, along: Axes
) -> tuple[list[tuple[dict[str, Value], Scenario]], list[str]]:
    points, wrong = [], dict[str, None]()
    for values in product(*along.values()):
        key = dict(zip(along, values, strict=True))
        try:
            points.append((key, change(_with_all(base, key), key)))
        except ScenarioError as bad:
            where = ", ".join(f"{name} = {as_found(value)}" for name, value in key.items())
            wrong.update(dict.fromkeys(f"where {where}: {line}" for line in bad.problems))
    return points, list(wrong)


def _with_all(base: Scenario, key: Mapping[str, Value]) -> Scenario:
    """The scenario without the named coalitions that have a shuffler more than there are here.

    All groups of the parties that are there are looked at in any case.
    """
    m = key.get("mix.shufflers")
    if not isinstance(m, int):
        return base
    here = {shuffler(hop) for hop in range(1, m + 1)}
    gone = {shuffler(hop) for hop in range(1, MAX_SHUFFLERS + 1)} - here
    met = tuple(
        coalition for coalition in base.coalition if not gone.intersection(coalition.parties)
    )
    return replace(base, coalition=met)


def _seed(key: Mapping[str, Value], seed: int | None, number: int) -> int | None:
    if SEED in key:
        return int(key[SEED])
    if seed is None:
        return None
    from numpy import uint64
    from numpy.random import SeedSequence

    state = SeedSequence(seed, spawn_key=(number - 1,)).generate_state(1, uint64)
    return int(state[0]) >> 1


def mark_of(base: Scenario, along: Axes, mode: Mode) -> str:
    """The mark of what is swept: all that the runs depend on, but swept keys, seeds, and titles."""
    data = plain(base)
    for key in ("title", "seed", "repeat"):
        data["scenario"].pop(key, None)
    source = Path(base.population.source)
    if not base.population.source.startswith(BUILTIN):
        try:
            data["population"]["source"] = hashlib.sha256(source.read_bytes()).hexdigest()
        except OSError as bad:
            raise StorageError(f"{source}: cannot be read: {bad.strerror}") from None
    for where in filter(None, map(place, along)):
        holder: Any = data
        for part in where[:-1]:
            holder = holder[part]
        holder.pop(where[-1], None)
    text = msgspec.json.encode([data, sorted(along), mode], order="sorted")
    return hashlib.sha256(text).hexdigest()[:MARK]


def play_one(job: Job) -> Line:
    """Play one run, in whatever process this is. A crash is a line too, with its traceback."""
    try:
        outcome = run(job.scenario, job.seed, job.mode, worst_case_seconds=job.worst_case_seconds)
        return job.line(outcome.result())
    except Exception:
        return job.line({}, traceback.format_exc())


def sweep(jobs: Sequence[Job], executor: Callable[[], Executor], window: int) -> Iterator[Line]:
    """Play all jobs; yields each as soon as it is done.

    executor: makes one; if its workers die it is asked for another. window: how many jobs it is
    given at a time. Of those that it had when a worker died each is tried once more,
    by itself; what then dies again is recorded as crashed, and after 5 such
    the sweep ends (LocalError). If the caller stops asking, jobs that
    have not begun are not played.
    """
    waiting, dead = deque(jobs), 0
    while waiting:
        for suspect in (yield from _played(waiting, executor, window)):
            for died in (yield from _played(deque([suspect]), executor, 1)):
                dead += 1
                if dead == HOPELESS:
                    raise LocalError(f"{HOPELESS} runs ended like this: {DIED}")
                yield died.line({}, DIED)


def _played(
    waiting: deque[Job], make: Callable[[], Executor], window: int
) -> Generator[Line, None, list[Job]]:
    """Play what is waiting until it is done, or the executor breaks: what it had then is returned.

    Leaving early ends the processes that were started here.
    """
    from multiprocessing import active_children

    before = set(active_children())
    executor = make()
    flying: dict[Future[Line], Job] = {}
    lost: list[Job] = []
    whole = False
    try:
        while (waiting and not lost) or flying:
            while waiting and not lost and len(flying) < window:
                job = waiting.popleft()
                try:
                    flying[executor.submit(play_one, job)] = job
                except BrokenExecutor:
                    lost.append(job)
            for future in wait(flying, return_when=FIRST_COMPLETED).done:
                job, error = flying.pop(future), future.exception()
                if isinstance(error, BrokenExecutor):
                    lost.append(job)
                elif isinstance(error, LocalError):  # a job's own are lines; this is its executor's
                    raise error
                elif error is not None:
                    yield job.line({}, "".join(traceback.format_exception(error)))
                else:
                    yield future.result()
        whole = True
    finally:
        for future in flying:  # not every executor's shutdown can do that
            future.cancel()
        executor.shutdown(wait=whole)
        if not whole:
            for child in set(active_children()) - before:
                child.terminate()
    return lost

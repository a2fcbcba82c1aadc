"""The execution of a sweep by any `concurrent.futures` executor; sweep_plan.py lists its runs."""

import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait

from ....errors import LocalError
from ....roles.compute.executors import closing
from ...lab.play.run import run
from ...serialization.content import as_read
from .sweep_file import SweepLine
from .sweep_plan import SweepJob

DIED = (
    "the process that played it ended at once: out of memory, killed, or it cannot be started "
    '(a program that sweeps needs `if __name__ == "__main__":`)'
)
HOPELESS = 5  # lost processes after which a sweep gives up, as no single run is the cause


def play_one(job: SweepJob) -> SweepLine:
    """Return the line of one run. A crash gives a line too, with its traceback."""
    try:
        outcome = run(job.scenario, job.seed, job.mode, worst_case_nodes=job.worst_case_nodes)
        return job.line(outcome.result())
    except Exception:
        return job.line({}, traceback.format_exc())


def sweep(
    jobs: Sequence[SweepJob], executor: Callable[[], Executor], window: int
) -> Iterator[SweepLine]:
    """Yield the line of each job as soon as the job is done.

    executor: makes an executor; if its workers die, another is made. window: how many jobs it has
    at a time. Of its jobs at the death of a worker, each is tried once more, by itself; a job that
    dies again is recorded as crashed, and after 5 such the sweep ends (LocalError). If the caller
    stops iterating, jobs that have not begun are not played.
    """
    waiting, dead = deque(jobs), 0
    while waiting:
        for suspect in (yield from _play_jobs(waiting, executor, window)):
            for died in (yield from _play_jobs(deque([suspect]), executor, 1)):
                dead += 1
                if dead == HOPELESS:
                    raise LocalError(f"{HOPELESS} runs ended like this: {DIED}")
                yield died.line({}, DIED)


def _play_jobs(
    waiting: deque[SweepJob], make: Callable[[], Executor], window: int
) -> Generator[SweepLine, None, list[SweepJob]]:
    """Play waiting jobs until all are done or the executor breaks; return the jobs it had then.

    Leaving early ends the processes that were started here.
    """
    play = as_read(play_one)
    flying: dict[Future[SweepLine], SweepJob] = {}
    # A worker that dies breaks its whole executor, and any job it had may be the cause: all of them
    # are returned, and the caller tries each by itself.
    lost_jobs: list[SweepJob] = []
    with closing(make) as executor:
        try:
            while (waiting and not lost_jobs) or flying:
                while waiting and not lost_jobs and len(flying) < window:
                    job = waiting.popleft()
                    try:
                        flying[executor.submit(play, job)] = job
                    except BrokenExecutor:
                        lost_jobs.append(job)
                for future in wait(flying, return_when=FIRST_COMPLETED).done:
                    job, error = flying.pop(future), future.exception()
                    if isinstance(error, BrokenExecutor):
                        lost_jobs.append(job)
                    elif isinstance(
                        error, LocalError
                    ):  # the executor's error: errors of a job become lines
                        raise error
                    elif error is not None:
                        yield job.line({}, "".join(traceback.format_exception(error)))
                    else:
                        yield future.result()
        finally:
            for future in flying:  # some executors do not cancel futures at shutdown
                future.cancel()
    return lost_jobs

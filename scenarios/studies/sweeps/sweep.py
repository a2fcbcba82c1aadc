"""The execution of a sweep (many runs of one scenario) by a `concurrent.futures` executor.

sweep_plan.py lists the runs.
"""

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
HOPELESS = 5  # lost processes after which a sweep gives up: so many are not caused by a single run


def play_one(job: SweepJob) -> SweepLine:
    """Play one run; return its line in the sweep's file, which has the traceback of a crash."""
    try:
        outcome = run(job.scenario, job.seed, job.mode, worst_case_nodes=job.worst_case_nodes)
        return job.line(outcome.result())
    except Exception:
        return job.line({}, traceback.format_exc())


def sweep(
    jobs: Sequence[SweepJob], executor: Callable[[], Executor], window: int
) -> Iterator[SweepLine]:
    """Yield the line of each job (a run to be played) as soon as the run is done.

    If a worker process dies, each job that the executor had is tried once more, by itself. A job
    that dies again is recorded as crashed. After `HOPELESS` such jobs the sweep ends. If the caller
    stops iterating, jobs that have not begun are not played.

    Args:
        jobs: the runs.
        executor: makes an executor; called again if the workers of the former executor died.
        window: the largest number of jobs that are handed to the executor at a time.

    Raises:
        LocalError: the workers died too often.
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
    """Play waiting jobs until all are done or the executor breaks; yield the lines of their runs.

    Returns the jobs that the executor had when it broke. If the caller stops early, the processes
    that were started here end. make: makes the executor. window: the most jobs handed to it at a
    time.
    """
    play = as_read(play_one)
    flying: dict[Future[SweepLine], SweepJob] = {}
    # If a worker process dies, its whole executor breaks, and each job that the executor had may be
    # the cause. So all of these jobs are returned, and the caller tries each by itself.
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
                    elif isinstance(error, LocalError):
                        # An error of the executor ends the sweep; an error of a job becomes a line.
                        raise error
                    elif error is not None:
                        yield job.line({}, "".join(traceback.format_exception(error)))
                    else:
                        yield future.result()
        finally:
            for future in flying:  # some executors do not cancel waiting jobs when they shut down
                future.cancel()
    return lost_jobs

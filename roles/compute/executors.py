"""Executors by name: processes of this machine, its threads, a Dask cluster, or the caller's own.

`dask:ADDRESS` is a scheduler that is running (dask_cluster.py). `module:function` names a function
without arguments that returns a `concurrent.futures.Executor`; the module may lie in the working
directory of the command. An executor plays whole runs (`executor`, `opened`). Or it does the long
lists of work inside a run (`workplace`), or of a party of a session (`own_workplace`).
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Thread
from typing import ParamSpec, TypeVar

from ... import systems
from ...errors import ParameterError
from . import die_with_parent, forked_workers
from .dask_cluster import SCHEME, DaskCluster

P = ParamSpec("P")
R = TypeVar("R")

JOBS_PER_WORKER = 2  # jobs of a worker at a time: a running job, and a waiting job
WAITED = 61  # largest number of processes of a pool that Python accepts on Windows
DEFAULT_JOBS = 256  # jobs at a time of an executor with an unknown number of workers
ACCEPTED = "process, thread, dask:ADDRESS or module:function is accepted"


def executor(name: str, workers: int | None) -> tuple[Callable[[], Executor], int]:
    """Return a function that makes a named executor, and the number of jobs to give it at a time.

    workers: the number of workers; None: one per processor. For a cluster or the caller's own
    executor, `workers` only limits the jobs at a time. Raises ParameterError for an unknown name.
    """
    worker_count = workers or processors()
    match name:
        case "process":
            return lambda: processes(worker_count), JOBS_PER_WORKER * worker_count
        case "thread":
            return lambda: ThreadPoolExecutor(worker_count), JOBS_PER_WORKER * worker_count
    if name.startswith(SCHEME):
        return lambda: DaskCluster(name), JOBS_PER_WORKER * workers if workers else DEFAULT_JOBS
    return _custom_executor(name), JOBS_PER_WORKER * workers if workers else DEFAULT_JOBS


@contextmanager
def opened(pool: Executor | str | None, workers: int | None = None) -> Iterator[Executor | None]:
    """Context manager: provide an executor for whole runs, by name, or the caller's own.

    pool: the name or executor; None: no executor. An executor made by name is closed at the end.
    workers: the number of workers; None: one per processor. ParameterError for an unknown name.
    """
    if isinstance(pool, str):
        make, _ = executor(pool, workers)
        with closing(make) as named_pool:
            yield named_pool
    else:
        yield pool


@contextmanager
def closing(make: Callable[[], Executor]) -> Iterator[Executor]:
    """Context manager: make an executor, and close it at the end.

    If the block fails, or is left early, jobs that have not begun are dropped. Other jobs are not
    waited for, and processes that were started in the block end.
    """
    children_before = set(active_children())
    pool = make()
    try:
        yield pool
    except BaseException:
        try:
            pool.shutdown(wait=False, cancel_futures=True)
        except TypeError:  # some executors cannot drop jobs at shutdown
            pool.shutdown(wait=False)
        for child in set(active_children()) - children_before:
            child.kill()
        raise
    pool.shutdown(wait=True)


def trust_of(name: str) -> str | None:
    """Return a sentence: the data that an executor of whole runs could read.

    None for processes and threads of this machine.
    """
    if name in ("process", "thread"):
        return None
    return (
        f"--executor {name} plays whole runs with everybody's keys: a simulation, and whoever runs "
        "it could read all of it"
    )


def processors() -> int:
    """Return the number of processors that this process may use."""
    if systems.AFFINITY:
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def processes(workers: int) -> ProcessPoolExecutor:
    """Return a pool of fresh processes, which leave Ctrl-C to this process, and end with it."""
    if sys.platform == "win32":
        workers = min(workers, WAITED)
    return _Guarded(workers, mp_context=get_context("spawn"), initializer=_begin)


class _Guarded(ProcessPoolExecutor):
    """A pool of processes that breaks, instead of hanging, if one of its processes is stopped."""

    _guards: dict[int, Thread]

    def submit(self, fn: Callable[P, R], /, *args: P.args, **options: P.kwargs) -> Future[R]:
        """Submit a call; return its future. New processes of the pool are watched from now on."""
        future = super().submit(fn, *args, **options)
        guards = self.__dict__.setdefault("_guards", {})
        for child in list(self._processes or ()) if systems.FORKS else ():
            if child not in guards:
                guards[child] = Thread(target=forked_workers.guard, args=(child,), daemon=True)
                guards[child].start()
        return future


def _begin() -> None:
    """Prepare a new process of a pool: ignore Ctrl-C, and end with the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None and parent.pid is not None:
        die_with_parent.end_with(parent.pid)
    Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess | None) -> None:
    """Wait for the parent process to end, then exit.

    Without this a worker of a killed pool would wait for work for ever.
    """
    if parent is not None:
        parent.join()
        os._exit(1)


def _custom_executor(name: str) -> Callable[[], Executor]:
    """Return the caller's own function that makes an executor, by `module:function`.

    ParameterError if it cannot be imported. The working directory is searched, too.
    """
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise ParameterError(f"--executor: found {name!r}; {ACCEPTED}")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        make = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as bad:
        raise ParameterError(f"--executor {name}: {bad}") from None

    def maker() -> Executor:
        """Call the named function; ParameterError if the result is no executor."""
        executor = make()
        if not isinstance(executor, Executor):
            kind = type(executor).__name__
            raise ParameterError(
                f"--executor {name}: it gave {kind}; a concurrent.futures.Executor is accepted, "
                "such as Dask's Client.get_executor()"
            )
        return executor

    return maker

"""Who works: processes of this machine, its threads, a Dask cluster, or somebody else's executor.

`dask:ADDRESS` is a scheduler that is running (dask_cluster.py). `module:function` names a function
without arguments that returns a `concurrent.futures.Executor`. It is looked for beside where the
command is typed, too. Whole runs are played by an executor (`executor`, `opened`), or the long
lists of work inside one run (`workplace`), or of one party of a session (`own_workplace`).
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from multiprocessing import get_context, parent_process
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Thread
from typing import ParamSpec, TypeVar

from ... import systems
from ...errors import ParameterError
from ...roles import forked_workers, lifeline
from .dask_cluster import SCHEME, Cluster

P = ParamSpec("P")
R = TypeVar("R")

AHEAD = 2  # jobs given to a worker: one that it plays, one that waits for it
WAITED = 61  # processes of a pool for which Windows can wait at a time
OTHERS = 256  # jobs given to an executor whose workers are not known
ACCEPTED = "process, thread, dask:ADDRESS or module:function is accepted"


def executor(name: str, workers: int | None) -> tuple[Callable[[], Executor], int]:
    """What makes an executor of this name, and how many jobs it is given at a time.

    workers: None is one a processor; of others' executors only how many jobs they are given.
    ParameterError where there is no such executor.
    """
    here = workers or processors()
    match name:
        case "process":
            return lambda: processes(here), AHEAD * here
        case "thread":
            return lambda: ThreadPoolExecutor(here), AHEAD * here
    if name.startswith(SCHEME):
        return lambda: Cluster(name), AHEAD * workers if workers else OTHERS
    return _others(name), AHEAD * workers if workers else OTHERS


@contextmanager
def opened(name: str, workers: int | None) -> Iterator[Executor]:
    """Give an executor for whole runs, and close it.

    What has not begun when it fails is dropped; Ctrl-C waits for nothing that processes of our own,
    or threads, are at.
    Arguments and errors as of `executor`.
    """
    make, _ = executor(name, workers)
    made = make()
    try:
        yield made
    except BaseException as why:
        stopped = isinstance(why, KeyboardInterrupt)
        if stopped and isinstance(made, _Guarded):
            made.kill()
        if isinstance(made, Cluster | ThreadPoolExecutor | ProcessPoolExecutor):
            made.shutdown(wait=not stopped, cancel_futures=True)
        else:
            made.shutdown(wait=True)
        raise
    made.shutdown(wait=True)


def trust_of(name: str) -> str | None:
    """In a sentence: what whoever plays whole runs can read; None where that is this machine."""
    if name in ("process", "thread"):
        return None
    return (
        f"--executor {name} plays whole runs with everybody's keys: a simulation, and whoever runs "
        "it could read all of it"
    )


def processors() -> int:
    """How many processors this process may use."""
    if systems.AFFINITY:
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def processes(workers: int) -> ProcessPoolExecutor:
    """A pool of fresh processes, which leave Ctrl-C to whoever asked for them, and end with it."""
    if sys.platform == "win32":
        workers = min(workers, WAITED)
    return _Guarded(workers, mp_context=get_context("spawn"), initializer=_begin)


class _Guarded(ProcessPoolExecutor):
    """A pool that breaks where one of its processes is stopped, as where one is killed."""

    _guards: dict[int, Thread]

    def submit(self, fn: Callable[P, R], /, *args: P.args, **given: P.kwargs) -> Future[R]:
        """As the executor's; who is new is watched from now on."""
        future = super().submit(fn, *args, **given)
        guards = self.__dict__.setdefault("_guards", {})
        for child in list(self._processes or ()) if systems.FORKS else ():
            if child not in guards:
                guards[child] = Thread(target=forked_workers.guard, args=(child,), daemon=True)
                guards[child].start()
        return future

    def kill(self) -> None:
        """End its processes, whatever they are at."""
        for child in list((self._processes or {}).values()):
            child.kill()


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None and parent.pid is not None:
        lifeline.end_with(parent.pid)
    Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: BaseProcess | None) -> None:
    """A pool whose owner was killed would wait for work for ever."""
    if parent is not None:
        parent.join()
        os._exit(1)


def _others(name: str) -> Callable[[], Executor]:
    where, colon, what = name.partition(":")
    if not (where and colon and what):
        raise ParameterError(f"--executor: found {name!r}; {ACCEPTED}")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        make = getattr(import_module(where), what)
    except (ImportError, AttributeError) as bad:
        raise ParameterError(f"--executor {name}: {bad}") from None

    def made() -> Executor:
        executor = make()
        if not isinstance(executor, Executor):
            kind = type(executor).__name__
            raise ParameterError(
                f"--executor {name}: it gave {kind}; a concurrent.futures.Executor is accepted, "
                "such as Dask's Client.get_executor()"
            )
        return executor

    return made

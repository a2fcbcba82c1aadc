"""A Dask cluster as an executor: `dask:ADDRESS`, the address of a running scheduler.

A worker that declares a resource named after a party, `dask worker ... --resources shuffler-1=1`,
works for that party and for no other; `users` are all people who take part. If no worker declares a
party, all work for every party. The scheduler replaces a lost worker: another worker does its jobs.
A job that four workers did not survive breaks the executor. If the scheduler is lost, all jobs fail
with WorkerLost.
"""

import logging
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from importlib.util import find_spec
from typing import Any, ParamSpec, TypeVar

from ...errors import ParameterError
from ...installation import missing
from ...protocol.wire import parties
from ...version import __version__
from .backend import Helpers, WorkerLost

P = ParamSpec("P")
R = TypeVar("R")

PATIENCE = 10.0  # seconds that a scheduler may take to answer
SCHEME = "dask:"
USERS = "users"
# logs that are silenced, because Dask gives each log a level and a handler, and reports cancelled
# calls late, on the last log
LOGS = ("distributed", "distributed.client", "tornado.application")


class DaskCluster(Executor):
    """An executor that does its work on the workers of a running Dask scheduler.

    Args:
        name: `dask:ADDRESS`.

    Raises:
        ParameterError: no scheduler answers at the address, it has no workers, or its versions of
            Python, Dask or veilmix differ from those of this process.
    """

    def __init__(self, name: str) -> None:
        """Connect to the scheduler, and check its workers."""
        if find_spec("distributed") is None:
            raise ParameterError(missing("cluster", f"--executor {name}"))
        # importing sets the levels of Dask's logs, so it comes before they are silenced
        import distributed

        self.name = f"--executor {name}"
        self._address = name.removeprefix(SCHEME)
        self._log_levels = {name: logging.getLogger(name).level for name in LOGS}
        for name in LOGS:
            # because veilmix reports errors itself
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            self._client = _connected(distributed.Client, self._address)
        except (OSError, ValueError, TimeoutError) as bad:
            self._loud()
            raise ParameterError(
                f"{self.name}: no scheduler answers there within {PATIENCE:g} seconds "
                f"({type(bad).__name__}); start one with `dask scheduler`"
            ) from None
        try:
            self._owners = self._checked()
        except BaseException:
            self.shutdown(wait=False)
            raise
        self._every = self._workers()
        self.helpers = Helpers(
            name=self.name,
            workers=sum(threads for threads, _ in self._owners.values()),
            executor=self._every,
            declared={
                party: self._workers(workers=mine, allow_other_workers=False)
                for party, mine in self._declared().items()
            },
            place=f"{self.name}: {len(self._owners)} workers",
        )

    def submit(self, fn: Callable[P, R], /, *args: P.args, **keywords: P.kwargs) -> Future[R]:
        """Submit a call to any worker of the cluster; return the future of its result."""
        return self._every.submit(fn, *args, **keywords)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001
        """Leave the cluster as it was; unfinished calls are dropped."""
        _ = wait, cancel_futures
        with suppress(Exception):  # a lost scheduler cannot be told that this client leaves
            self._client.close(timeout=PATIENCE)
        self._loud()

    def _loud(self) -> None:
        """Let Dask log again as it did before this cluster silenced its logs."""
        for name, level in self._log_levels.items():
            logging.getLogger(name).setLevel(level)

    def _declared(self) -> dict[str, list[str]]:
        """Return the workers for each party, by the Dask resources that workers declare."""
        extras: dict[str, list[str]] = {}
        for worker, (_, owners) in self._owners.items():
            for party in owners:
                extras.setdefault(party, []).append(worker)
        return extras

    def _checked(self) -> dict[str, tuple[int, tuple[str, ...]]]:
        """Return the number of threads and the declared parties of each worker.

        ParameterError if the cluster does not describe itself, has no workers, or runs other
        versions.
        """
        try:
            workers = self._client.scheduler_info()["workers"]
            versions = self._client.get_versions()
        except Exception as bad:
            raise ParameterError(
                f"{self.name}: the scheduler gave no list of its workers: {bad}"
            ) from None
        if not workers:
            raise ParameterError(
                f"{self.name}: the scheduler has no worker; start some with "
                f"`dask worker {self._address}`"
            )
        ours = versions["client"]["packages"]
        for place, remote in (
            ("the scheduler", versions["scheduler"]),
            *versions["workers"].items(),
        ):
            for package in ("python", "distributed"):
                worker_version, own_version = remote["packages"].get(package), ours[package]
                if _compared_version(package, worker_version) != _compared_version(
                    package, own_version
                ):
                    raise self._differs(place, package, worker_version, own_version)
        for worker, version in self._versions().items():
            if version != __version__:
                raise self._differs(worker, "veilmix", version, __version__)
        return {
            worker: (report["nthreads"], tuple(filter(_is_party, report.get("resources") or ())))
            for worker, report in workers.items()
        }

    def _versions(self) -> dict[str, str]:
        """Return the version of veilmix of each worker."""
        try:
            versions: dict[str, str] = self._client.run(version_here)
        except Exception as bad:
            raise ParameterError(
                f"{self.name}: a worker cannot use veilmix ({bad}); install it there: "
                f"{__version__} is here"
            ) from None
        return versions

    def _differs(
        self, place: str, package: str, version: str | None, local_version: str
    ) -> ParameterError:
        """Return the error that the scheduler or a worker has another version of a package.

        place: the scheduler, or the address of the worker. version: the version there; None: not
        installed.
        """
        return ParameterError(
            f"{self.name}: {place} has {package} {version or 'not installed'}, here is "
            f"{local_version}: the "
            "same is accepted"
        )

    def _workers(self, **limits: Any) -> "_Workers":
        """Return an executor on some workers. limits: options of Dask's `get_executor`."""
        return _Workers(self._client.get_executor(pure=False, **limits), self.name)


class _Workers(Executor):
    """An executor of some workers of a cluster; it translates Dask's errors into veilmix's."""

    def __init__(self, executor: Executor, name: str) -> None:
        """Wrap Dask's executor; name: the cluster's name in messages."""
        self._chosen = executor
        self._name = name

    def submit(self, fn: Callable[P, R], /, *args: P.args, **options: P.kwargs) -> Future[R]:
        """Submit a call to any of these workers; return the future of its result."""
        outer = Future[R]()
        try:
            inner = self._chosen.submit(fn, *args, **options)
        except Exception as bad:  # the client has lost its scheduler
            outer.set_exception(self._lost_error(str(bad)))
            return outer
        outer.add_done_callback(lambda future: inner.cancel() if future.cancelled() else None)
        inner.add_done_callback(lambda future: self._copy_result(future, outer))
        return outer

    def _copy_result(self, inner: Future[R], outer: Future[R]) -> None:
        """Set the result or the translated error of Dask's future on the caller's future."""
        if not outer.set_running_or_notify_cancel():
            return
        error = None if inner.cancelled() else inner.exception()
        if inner.cancelled() or type(error).__name__ == "FutureCancelledError":
            outer.set_exception(self._lost_error(""))
        elif type(error).__name__ in ("KilledWorker", "NoValidWorkerError"):
            outer.set_exception(BrokenExecutor(f"{self._name}: {error}"))
        elif error is not None:
            outer.set_exception(error)
        else:
            outer.set_result(inner.result())

    def _lost_error(self, reason: str) -> WorkerLost:
        """Return the error that this process has lost the Dask scheduler.

        reason: Dask's own message; empty if unknown.
        """
        more = f" ({reason.splitlines()[0]})" if reason else ""
        return WorkerLost(
            f"{self._name}: the scheduler was lost{more}; unfinished work is lost: start the "
            "scheduler again, and repeat the command"
        )


def _connected(kind: Any, address: str) -> Any:
    """Return a client that is connected to the Dask scheduler at an address.

    If the connection fails, the client and its thread are closed here. Dask leaves this to Python's
    garbage collector, which could close the client while another client starts in the same thread.
    Closing would then wait for ever for a lock that the starting client holds. kind: Dask's class
    of clients.
    """
    client = kind.__new__(kind)
    try:
        client.__init__(address, timeout=PATIENCE, set_as_default=False)
    except BaseException:
        with suppress(Exception):  # the client may have failed before it opened anything
            client.close()
            # Stop the client's event loop here, because close() leaves it running if Dask has
            # closed all other parts.
            client._loop_runner.stop()
        raise
    return client


def version_here() -> str:
    """Return the version of veilmix of this process, a worker."""
    return __version__


def _is_party(resource: str) -> bool:
    """Whether a worker's resource is named after a party, or after all users."""
    with suppress(ParameterError):
        return resource == USERS or bool(parties.role(resource))
    return False


def _compared_version(package: str, version: str | None) -> str | None:
    """Return the part of a version that must agree: of Python the first two numbers."""
    return ".".join(version.split(".")[:2]) if package == "python" and version else version

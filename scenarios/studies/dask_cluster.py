"""A Dask cluster as an executor: `dask:ADDRESS`, of a scheduler that is running.

A worker that declares a resource named after a party, `dask worker ... --resources shuffler-1=1`,
works for that party and for no other; `users` are everybody who takes part. Where no worker
declares one, all work for everybody. A worker that is lost is replaced by the scheduler: what it
had is done by another. One piece that four workers did not survive breaks the executor. A scheduler
that is lost ends what was asked of it: Lost.
"""

import logging
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from importlib.util import find_spec
from typing import Any, ParamSpec, TypeVar

from ... import __version__
from ...errors import ParameterError
from ...installation import missing
from ...protocol import parties
from ...roles.workplace import Lost

P = ParamSpec("P")
R = TypeVar("R")

PATIENCE = 10.0  # seconds that a scheduler may take to answer
SCHEME = "dask:"
USERS = "users"
# Dask gives each a level and a handler. The last is told of calls that were called back too late.
LOGS = ("distributed", "distributed.client", "tornado.application")


class Cluster(Executor):
    """The workers of a scheduler.

    Args:
        name: `dask:ADDRESS`.

    Raises:
        ParameterError: nobody answers there, or it cannot work with this process: no workers, or
            other versions.
    """

    def __init__(self, name: str) -> None:
        if find_spec("distributed") is None:
            raise ParameterError(missing("cluster", f"--executor {name}"))
        import distributed  # gives its logs their levels, so before they are made silent

        self.name = f"--executor {name}"
        self._address = name.removeprefix(SCHEME)
        self._heard = {name: logging.getLogger(name).level for name in LOGS}
        for name in LOGS:
            logging.getLogger(name).setLevel(logging.CRITICAL)  # errors are told by us
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
        self.workers = sum(threads for threads, _ in self._owners.values())
        self._every = self._workers()
        self._of = {
            party: self._workers(workers=mine, allow_other_workers=False)
            for party, mine in self._declared().items()
        }

    @property
    def trust(self) -> str:
        """In a sentence: whose work the cluster does, and what it could read."""
        where = f"{self.name}: {len(self._owners)} workers"
        if not self._of:
            return (
                f"{where} did everybody's work: a simulation, as whoever runs that cluster could "
                "read what all parties together can"
            )
        return (
            f"{where}, each for the party it declares ({', '.join(sorted(self._of))}) and no other"
        )

    def of(self, party: str) -> Executor | None:
        """The workers of a party; None where all that are here are others'."""
        return self._of.get(party) if self._of else self._every

    def submit(self, fn: Callable[P, R], /, *args: P.args, **given: P.kwargs) -> Future[R]:
        """Have a call made by any worker."""
        return self._every.submit(fn, *args, **given)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001
        """Leave the cluster as it was; what is not done is not done any more."""
        _ = wait, cancel_futures
        with suppress(Exception):  # a scheduler that is gone has nothing of ours
            self._client.close(timeout=PATIENCE)
        self._loud()

    def broken(self, why: BrokenExecutor | Lost) -> None:
        """Of a piece that its workers did not survive, try here; without a scheduler, raise."""
        if isinstance(why, Lost):
            raise why

    def _loud(self) -> None:
        """Let Dask log again what it did."""
        for name, level in self._heard.items():
            logging.getLogger(name).setLevel(level)

    def _declared(self) -> dict[str, list[str]]:
        extras: dict[str, list[str]] = {}
        for worker, (_, owners) in self._owners.items():
            for party in owners:
                extras.setdefault(party, []).append(worker)
        return extras

    def _checked(self) -> dict[str, tuple[int, tuple[str, ...]]]:
        """Per worker its threads and the parties it declares; ParameterError as the class says."""
        try:
            workers = self._client.scheduler_info()["workers"]
            versions = self._client.get_versions()
        except Exception as bad:
            raise ParameterError(f"{self.name}: it does not say what it is: {bad}") from None
        if not workers:
            raise ParameterError(
                f"{self.name}: the scheduler has no worker; start some with "
                f"`dask worker {self._address}`"
            )
        ours = versions["client"]["packages"]
        for where, theirs in (
            ("the scheduler", versions["scheduler"]),
            *versions["workers"].items(),
        ):
            for package in ("python", "distributed"):
                there, here = theirs["packages"].get(package), ours[package]
                if _told(package, there) != _told(package, here):
                    raise self._differs(where, package, there, here)
        for worker, version in self._versions().items():
            if version != __version__:
                raise self._differs(worker, "veilmix", version, __version__)
        return {
            worker: (told["nthreads"], tuple(filter(_is_party, told.get("resources") or ())))
            for worker, told in workers.items()
        }

    def _versions(self) -> dict[str, str]:
        """The veilmix of each worker."""
        try:
            versions: dict[str, str] = self._client.run(version_here)
        except Exception as bad:
            raise ParameterError(
                f"{self.name}: a worker cannot use veilmix ({bad}); install it there: "
                f"{__version__} is here"
            ) from None
        return versions

    def _differs(self, where: str, package: str, there: str | None, here: str) -> ParameterError:
        return ParameterError(
            f"{self.name}: {where} has {package} {there or 'not installed'}, here is {here}: the "
            "same is accepted"
        )

    def _workers(self, **only: Any) -> "_Workers":
        return _Workers(self._client.get_executor(pure=False, **only), self.name)


class _Workers(Executor):
    """Some workers of a cluster, whose mishaps are told in our words."""

    def __init__(self, chosen: Executor, name: str) -> None:
        self._chosen = chosen
        self._name = name

    def submit(self, fn: Callable[P, R], /, *args: P.args, **given: P.kwargs) -> Future[R]:
        """Have a call made by one of them."""
        told = Future[R]()
        try:
            inner = self._chosen.submit(fn, *args, **given)
        except Exception as bad:  # the client has lost its scheduler
            told.set_exception(self._lost(str(bad)))
            return told
        told.add_done_callback(lambda done: inner.cancel() if done.cancelled() else None)
        inner.add_done_callback(lambda done: self._tell(done, told))
        return told

    def _tell(self, inner: Future[R], told: Future[R]) -> None:
        if not told.set_running_or_notify_cancel():
            return
        error = None if inner.cancelled() else inner.exception()
        if inner.cancelled() or type(error).__name__ == "FutureCancelledError":
            told.set_exception(self._lost(""))
        elif type(error).__name__ in ("KilledWorker", "NoValidWorkerError"):
            told.set_exception(BrokenExecutor(f"{self._name}: {error}"))
        elif error is not None:
            told.set_exception(error)
        else:
            told.set_result(inner.result())

    def _lost(self, why: str) -> Lost:
        more = f" ({why.splitlines()[0]})" if why else ""
        return Lost(
            f"{self._name}: the scheduler was lost{more}; what was not done is not done: start it "
            "again, and give the same command"
        )


def _connected(kind: Any, address: str) -> Any:
    """A client of the scheduler there; one that does not get there is closed, with its thread.

    Dask leaves both to Python's collector, which closes the client in whatever thread it collects:
    in the one that the next client is starting, that waits for a lock that this start holds.
    """
    client = kind.__new__(kind)
    try:
        client.__init__(address, timeout=PATIENCE, set_as_default=False)
    except BaseException:
        with suppress(Exception):  # it may have failed before it had anything
            client.close()
            client._loop_runner.stop()  # close() does not, where Dask closed the rest
        raise
    return client


def version_here() -> str:
    """A worker: the veilmix that it has."""
    return __version__


def _is_party(resource: str) -> bool:
    with suppress(ParameterError):
        return resource == USERS or bool(parties.role(resource))
    return False


def _told(package: str, version: str | None) -> str | None:
    """What of a version must be the same: of Python the first two numbers."""
    return ".".join(version.split(".")[:2]) if package == "python" and version else version

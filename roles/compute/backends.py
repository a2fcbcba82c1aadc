"""Workers for long jobs, by name (`process`, `dask:ADDRESS`, ...), for a run or for one party.

executors.py explains the names. It is loaded only for executors other than `process` and `thread`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from ...errors import ParameterError
from .backend import Helpers, Workplace


@contextmanager
def workplace(name: str, workers: int | None = None) -> Iterator[Workplace]:
    """Context manager: provide the workers that a name selects, such as `dask:ADDRESS`.

    The workers are closed at the end of the block. Raises ParameterError for an unknown name.
    workers: about how many workers the caller's own executor (`module:function`) has; None: one per
    processor of this machine.
    """
    if name in ("process", "thread"):
        yield Workplace(copies=name == "process")
        return
    from .dask_cluster import DaskCluster
    from .executors import executor, processors

    make, _ = executor(name, workers)
    with make() as pool:
        if isinstance(pool, DaskCluster):
            yield Workplace(helpers=pool.helpers)
        else:
            yield Workplace(helpers=Helpers(f"--executor {name}", workers or processors(), pool))


@contextmanager
def own_workplace(
    name: str, party: str, report: Callable[[str, str], None] = lambda *_: None
) -> Iterator[Workplace]:
    """Context manager: provide the place of heavy work of the only party in this process.

    name: `process`, `thread`, `dask:ADDRESS` or `module:function`. ParameterError for an unknown
    name, or if all workers are reserved for other parties. report: called with (`executor`, a
    sentence) at the start, to name the helpers that can read the party's data, and if they are
    lost. After a loss this process does the work, because other parties wait for this party and
    cannot restart the session.
    """
    with workplace(name) as place:
        helpers = place.helpers
        if helpers is None:
            yield place
            return
        if helpers.executor_for(party) is None:
            raise ParameterError(
                f"{helpers.name}: its workers work for declared parties, and none works for "
                f"{party}; "
                f'start one with `dask worker ... --resources "{party}=1"`'
            )
        role_text = f"works for {party}: whoever runs it can read what {party} can"
        report("executor", f"{helpers.name} {role_text}")
        yield replace(place, helpers=replace(helpers, report=report))

"""A real cluster on this machine: what it does is what this process would have done."""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from pathlib import Path
from typing import Any

import pytest
import veilmix
from cluster_kit import distributed, scheduler
from veilmix.crypto.handing import own_public
from veilmix.errors import LocalError, ParameterError
from veilmix.roles import session
from veilmix.roles.compute import backends as workplaces
from veilmix.roles.compute import dask_cluster, executors, worker_pool
from veilmix.roles.network.instruments import Instrument
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import change, load
from veilmix.scenarios.studies.sweeps.sweep import sweep
from veilmix.scenarios.studies.sweeps.sweep_plan import plan

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]
SEED = 7


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    made = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with made:
        yield made


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that few people are many, and all give their work away."""
    monkeypatch.setattr(session, "COHORT_ABOVE", 10)
    monkeypatch.setattr(worker_pool, "CHUNK", 16)


def played(name: str, *watching: Instrument, registered: bool = True) -> Outcome:
    scenario = change(load("titanic"), {"defence.registered": registered})
    with workplaces.workplace(name) as place:
        return veilmix.run(
            scenario, SEED, workplace=place, instruments=watching, worst_case_nodes=0
        )


@pytest.fixture(scope="module")
def here() -> Outcome:
    return veilmix.run("titanic", SEED, worst_case_nodes=0)


def same(outcome: Outcome, other: Outcome) -> None:
    """Digest, release, and all that anybody has seen."""
    assert outcome.digest == other.digest
    assert outcome.released
    assert outcome.release == other.release
    assert outcome.coalitions == other.coalitions
    assert outcome.transcript is not None
    assert other.transcript is not None
    assert sorted(outcome.transcript.sealed_answers) == sorted(other.transcript.sealed_answers)
    first, second = outcome.result(), other.result()
    first.pop("executor", None)
    second.pop("executor", None)
    assert first == second


def test_a_run_on_a_cluster_is_the_run(cluster: Any, here: Outcome) -> None:
    outcome = played(f"dask:{cluster.scheduler_address}")
    same(outcome, here)
    assert "2 workers did everybody's work: a simulation" in str(outcome.executor)
    assert outcome.result()["executor"] == outcome.executor


class Once(Instrument):
    """Does something to the cluster in the middle of a stage of work, once."""

    def __init__(self, stage: str, doing: Callable[[], object]) -> None:
        self.stage_wanted, self.doing, self.done = stage, doing, False

    def stage(self, name: str, done: int, total: int) -> None:
        if name == self.stage_wanted and not self.done and done < total:
            self.done = True
            self.doing()


def test_a_worker_that_is_killed_costs_a_retry_and_no_result(cluster: Any, here: Outcome) -> None:
    def kill() -> None:
        os.kill(next(iter(cluster.workers.values())).pid, signal.SIGKILL)

    killer = Once("shuffler-1 opens", kill)
    outcome = played(f"dask:{cluster.scheduler_address}", killer)
    assert killer.done
    same(outcome, here)


def test_whole_runs_are_played_on_it(cluster: Any) -> None:
    jobs = plan(load("blood-type"), {"policy.k": (2, 5)}, 2, 1, "ideal")
    make, window = executors.executor(f"dask:{cluster.scheduler_address}", None)
    there = {line.name: line.result for line in sweep(jobs, make, window)}
    make, window = executors.executor("thread", 1)
    assert there == {line.name: line.result for line in sweep(jobs, make, window)}
    assert len(there) == 4


class Heard(Instrument):
    """Which levels Dask's logs have while it works."""

    def __init__(self) -> None:
        self.levels: set[int] = set()

    def stage(self, name: str, done: int, total: int) -> None:
        self.levels |= {logging.getLogger(log).level for log in dask_cluster.LOGS}


def test_it_is_left_as_it_was(cluster: Any) -> None:
    """Also what Dask logs, which is silent meanwhile: what goes wrong is told by us."""
    before, heard = [logging.getLogger(log).level for log in dask_cluster.LOGS], Heard()
    played(f"dask:{cluster.scheduler_address}", heard)
    assert heard.levels == {logging.CRITICAL}
    assert [logging.getLogger(log).level for log in dask_cluster.LOGS] == before
    while cluster.scheduler.tasks or len(cluster.scheduler.clients) > 1:
        time.sleep(0.05)


def test_another_veilmix_there_is_refused(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_cluster, "__version__", "9.9")
    with pytest.raises(ParameterError, match=r"has veilmix 0\.1\.0, here is 9\.9: the same"):
        played(f"dask:{cluster.scheduler_address}")


def test_another_dask_there_is_refused(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    real = distributed.Client.get_versions

    def older(client: Any) -> Any:
        versions = real(client)
        versions["scheduler"]["packages"]["distributed"] = "2021.1"
        return versions

    monkeypatch.setattr(distributed.Client, "get_versions", older)
    with pytest.raises(ParameterError, match=r"the scheduler has distributed 2021\.1, here is 20"):
        played(f"dask:{cluster.scheduler_address}")


def test_a_cluster_that_does_not_answer_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing of the attempt is left to the collector, which would close it at any time."""
    monkeypatch.setattr(dask_cluster, "PATIENCE", 0.5)
    before = set(threading.enumerate())
    for address in ("tcp://127.0.0.1:9", "nonsense://x", ""):
        with pytest.raises(ParameterError, match="no scheduler answers"):
            played(f"dask:{address}")
        assert set(threading.enumerate()) <= before, address


def test_a_scheduler_without_workers(started: Any, tmp_path: Path) -> None:
    _, address = scheduler(started, tmp_path)
    with pytest.raises(ParameterError, match="the scheduler has no worker; start some"):
        played(f"dask:{address}")


def test_a_scheduler_that_is_lost_ends_the_run_in_words(started: Any, tmp_path: Path) -> None:
    process, address = scheduler(started, tmp_path, "")
    ender = Once("shuffler-1 opens", process.kill)
    with pytest.raises(LocalError, match="the scheduler was lost") as error:
        played(f"dask:{address}", ender)
    assert ender.done
    assert "\n" not in str(error.value)


@pytest.mark.long
def test_a_party_that_others_wait_for_goes_on_without_its_scheduler(
    started: Any, tmp_path: Path, here: Outcome
) -> None:
    """It says so once."""
    process, address = scheduler(started, tmp_path, "")
    ender, told = Once("shuffler-1 opens", process.kill), list[tuple[str, str]]()
    with workplaces.own_workplace(f"dask:{address}", "x", lambda *said: told.append(said)) as place:
        outcome = veilmix.run(
            "titanic", SEED, workplace=place, instruments=(ender,), worst_case_nodes=0
        )
    assert ender.done
    same(outcome, here)
    assert [said.partition(": ")[2] for _, said in told][1:] == [
        "the scheduler was lost; its work is done here from now on"
    ]


def counts(address: str) -> dict[str, int]:
    """By what a worker declares, how many calls it has made."""

    def count(dask_worker: Any) -> tuple[list[str], int]:
        return list(dask_worker.state.total_resources), dask_worker.state.executed_count

    with distributed.Client(address, set_as_default=False) as client:
        answers = client.run(count).values()
    return {" ".join(resources): many for resources, many in answers}


def test_a_key_reaches_only_workers_of_the_party_that_owns_it(
    started: Any, tmp_path: Path, here: Outcome
) -> None:
    """Each declares whose it is. Nobody's is asked to do anything, nor another party's."""
    _, address = scheduler(started, tmp_path, "shuffler-1=1", "shuffler-2=1", "GPU=1")
    with workplaces.workplace(f"dask:{address}") as place:
        assert place.helpers is not None
        owners = {
            party: place.helpers.executor_for(party) for party in ("shuffler-1", "shuffler-2")
        }
        publics = {
            party: pool.submit(own_public).result() for party, pool in owners.items() if pool
        }
        assert len(set(publics.values())) == 2
        assert place.helpers.executor_for("curator") is None
        before = counts(address)
        outcome = veilmix.run("titanic", SEED, workplace=place, worst_case_nodes=0)
    same(outcome, here)
    assert "(shuffler-1, shuffler-2) and no other" in str(outcome.executor)
    after = counts(address)
    assert after["GPU"] == before["GPU"] == 0
    assert all(after[party] > before[party] for party in owners)


def hungry() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_piece_that_no_worker_survives_breaks_the_executor(cluster: Any) -> None:
    """As where there is not enough memory for it: the nanny of a worker kills it."""
    with dask_cluster.DaskCluster(f"dask:{cluster.scheduler_address}") as pool:
        broken = pool.submit(hungry).exception()
        assert isinstance(broken, BrokenExecutor)
        assert "\n" not in str(broken)
        pool.helpers.broken(broken)  # no reason to end: what is undone is done here
        assert pool.submit(os.getpid).result() > 0


@pytest.mark.parametrize("stage", ["users seal", "shuffler-1 opens", "shuffler-2 opens"])
def test_ctrl_c_in_each_phase_leaves_nothing(cluster: Any, stage: str) -> None:
    def press() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        # people who are registered seal here, where their keys are
        played(f"dask:{cluster.scheduler_address}", Once(stage, press), registered=False)
    while cluster.scheduler.tasks or len(cluster.scheduler.clients) > 1:
        time.sleep(0.05)

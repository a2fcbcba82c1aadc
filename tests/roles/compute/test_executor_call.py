"""Others do a party's long work: the run is the same, and what they do wrong is said in words."""

import os
import re
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from typing import Any

import pytest
import role_kit as KIT
import trio
import trio.testing
from veilmix.errors import LocalError, ParameterError
from veilmix.roles import session
from veilmix.roles.compute import worker_pool
from veilmix.roles.compute.backend import Helpers, WorkerLost, Workplace
from veilmix.roles.compute.executors import processes
from veilmix.roles.network.instruments import Instruments

ROWS = KIT.people(40)
WORKERS = 2
pytestmark = [pytest.mark.memory]


class Helping(Helpers):
    """An executor that works for some parties, and notes whom it was asked for."""

    def __init__(self, executor: Executor, parties: tuple[str, ...] = ()) -> None:
        super().__init__("--executor test", WORKERS, executor, dict.fromkeys(parties, executor))
        self.asked = set[str]()

    def executor_for(self, party: str) -> Executor | None:
        self.asked.add(party)
        return super().executor_for(party)


class Saying(Executor):
    """An executor that does what it is told to with every call."""

    def __init__(self, doing: Callable[..., Any]) -> None:
        self.doing = doing

    def submit(self, fn, /, *args, **given):  # type: ignore[no-untyped-def]
        future = Future[Any]()
        try:
            future.set_result(self.doing(fn, *args))
        except BaseException as wrong:
            future.set_exception(wrong)
        return future


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "COHORT_ABOVE", 10)
    monkeypatch.setattr(worker_pool, "CHUNK", 4)


def play(executor: Executor | None, *parties: str, **changes: Any) -> KIT.Run:
    helping = Helping(executor, parties) if executor else None
    return KIT.run(ROWS, shufflers=2, workplace=Workplace(helpers=helping), **changes)


def same(outcome: KIT.Run, other: KIT.Run) -> None:
    assert outcome.board.digest() == other.board.digest()
    assert outcome.results == other.results
    assert sorted(outcome.transcript.sealed_answers) == sorted(other.transcript.sealed_answers)
    seen = [
        sorted(
            (e.time, e.sender, e.receiver, str(e.kind), e.size, e.names)
            for e in run.transcript.events
        )
        for run in (outcome, other)
    ]
    assert seen[0] == seen[1]


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def test_a_run_is_the_same_wherever_its_work_is_done(threads: Executor) -> None:
    same(play(threads), play(None))


@pytest.mark.slow
def test_a_run_is_the_same_in_processes_that_know_nothing() -> None:
    with processes(2) as pool:
        same(play(pool), play(None))


def test_all_parties_have_work_to_give_and_only_whom_it_is_for_is_helped() -> None:
    given: list[bytes] = []
    noting = Saying(lambda fn, *args: given.append(args[1]) or fn(*args))
    for_one = Helping(noting, ("shuffler-2",))
    run = KIT.run(ROWS, shufflers=2, workplace=Workplace(helpers=for_one))
    assert for_one.asked == {"users", "shuffler-1", "shuffler-2", "curator", "analyst"}
    jobs = b"".join(given)
    assert b"open_layers" in jobs
    assert b"seal_all" not in jobs
    assert b"open_envelopes" not in jobs
    same(run, play(None))


def test_no_key_is_in_what_an_executor_is_handed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not as it is, and not to anybody but the process that does the piece."""
    made: list[bytes] = []
    real = session.make_key

    def make_key(*args: Any) -> Any:
        key = real(*args)
        made.append(key.secret._raw)
        return key

    monkeypatch.setattr(session, "make_key", make_key)
    handed: list[bytes] = []

    def doing(fn: Any, version: str, job: bytes, boxes: dict[bytes, bytes] | None) -> Any:
        handed.extend([job, *(boxes or {}).values()])
        return fn(version, job, boxes)

    play(Saying(doing))
    assert len(made) == 4
    assert handed
    assert not [raw for raw in made for data in handed if raw in data]


def test_an_executor_that_breaks_costs_no_result() -> None:
    calls = 0

    def doing(fn: Any, *args: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > 5:
            raise BrokenExecutor("a worker was killed")
        return fn(*args)

    same(play(Saying(doing)), play(None))
    assert calls > 5


@pytest.mark.parametrize("why", [BrokenExecutor("died"), WorkerLost("the scheduler was lost")])
def test_a_party_of_its_own_goes_on_alone_and_says_so_once(why: Exception) -> None:
    calls, told = 0, list[tuple[str, str]]()

    def doing(fn: Any, *args: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > 5:
            raise why
        return fn(*args)

    own = Helping(Saying(doing))
    own.report = lambda *said: told.append(said)
    same(KIT.run(ROWS, shufflers=2, workplace=Workplace(helpers=own)), play(None))
    ((what, said),) = told
    assert what == "executor"
    assert re.fullmatch(r"--executor test: .*; its work is done here from now on", said)
    assert own.executor_for("shuffler-1") is None
    assert calls <= 5 + worker_pool.PIECES_PER_WORKER * WORKERS  # what was given when it broke


@pytest.mark.slow
def test_a_process_that_is_killed_costs_no_result() -> None:
    with processes(1) as pool:
        pool.submit(os.kill, pool.submit(os.getpid).result(), signal.SIGKILL)
        same(play(pool), play(None))


WRONG = {
    "nothing": (lambda *_: None, "gave back NoneType"),
    "another": (lambda *_: ("0.0.1", "done", b""), "has veilmix 0.0.1"),
    "no memory": (MemoryError, "run out of memory"),
    "no veilmix": (ModuleNotFoundError("No module named 'veilmix'"), "No module named 'veilmix'"),
    "no more": (WorkerLost("the scheduler was lost"), "the scheduler was lost"),
    "strangers": (lambda *_: ("", "lacks", os.urandom(32)), "had a new process"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_goes_wrong_is_one_clear_line(case: str) -> None:
    what, said = WRONG[case]

    def doing(fn: Any, version: str, *_: Any) -> Any:
        if isinstance(what, Exception) or what is MemoryError:
            raise what
        reply = what()
        return (reply[0] or version, *reply[1:]) if reply else reply

    with pytest.raises(LocalError, match=said) as error:
        play(Saying(doing))
    assert "\n" not in str(error.value)


def test_what_the_work_raises_is_raised_here(threads: Executor) -> None:
    rows = [*ROWS[:-1], ("nowhere", *ROWS[0][1:])]
    helping = Workplace(helpers=Helping(threads))
    with pytest.raises(ParameterError, match="not in its domain"):
        KIT.run(rows, workplace=helping)


def test_what_cannot_travel_is_done_here(threads: Executor) -> None:
    """Noise is a closure, whose secrets nobody is handed."""
    randomize = lambda row, entropy: row  # noqa: E731
    same(play(threads, randomize=randomize), play(None, randomize=randomize))


def test_who_stops_waiting_calls_back_what_is_not_done() -> None:
    waiting: list[Future[Any]] = []

    class Slow(Executor):
        def submit(self, fn, /, *args, **given):  # type: ignore[no-untyped-def]
            waiting.append(Future())
            return waiting[-1]

    async def main() -> bool:
        place = Workplace(helpers=Helping(Slow()))
        quiet = Instruments([], lambda _: None)
        async with (
            worker_pool.worker_pool(1, quiet, place) as pool,
            trio.open_nursery() as nursery,
        ):
            nursery.start_soon(pool.spread, "users seal", len, range(100))
            while len(waiting) < most:
                await trio.lowlevel.checkpoint()
            await trio.testing.wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        return nursery.cancel_scope.cancelled_caught

    most = worker_pool.PIECES_PER_WORKER * WORKERS
    assert trio.run(main)
    assert len(waiting) == most
    assert all(future.cancelled() for future in waiting)

"""Copies of this process do pieces of work; whatever happens to one, every piece is done once."""

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from process_kit import children, descriptors
from veilmix import systems
from veilmix.errors import ParameterError, Reason, Refused
from veilmix.roles.compute import forked_workers, worker_pool
from veilmix.roles.network.instruments import Instrument, Instruments

pytestmark = [
    pytest.mark.place,
    pytest.mark.skipif(not systems.FORKS, reason="this system copies no process"),
]
PARENT = os.getpid()


def spread(work: Callable[[Sequence[int]], Any], items: Sequence[int], *watching: Any) -> list[Any]:
    async def main() -> list[Any]:
        async with worker_pool.worker_pool(2, Instruments(list(watching), lambda _: None)) as pool:
            return await pool.spread("test", work, items)

    return trio.run(main)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "COPY_ABOVE", 10)
    monkeypatch.setattr(worker_pool, "CHUNK", 4)
    monkeypatch.setattr(worker_pool, "PIECES", 50)


def test_the_work_is_done_elsewhere_and_comes_back_in_order() -> None:
    before = children()
    told: list[tuple[int, int]] = []

    class Watcher(Instrument):
        def stage(self, name: str, done: int, total: int) -> None:
            told.append((done, total))

    pieces = spread(lambda piece: (os.getpid(), list(piece)), range(101), Watcher())
    assert [item for _, piece in pieces for item in piece] == list(range(101))
    assert PARENT not in {process for process, _ in pieces}
    assert told[-1] == (101, 101)
    assert len(told) == len(pieces)
    assert children() <= before


def test_few_items_stay_here() -> None:
    assert spread(lambda _: os.getpid(), range(10)) == [PARENT] * 3


def test_results_larger_than_a_pipe_come_whole() -> None:
    pieces = spread(lambda piece: [bytes([item]) * 300_000 for item in piece], range(40))
    assert [big for piece in pieces for big in piece] == [bytes([i]) * 300_000 for i in range(40)]


@pytest.mark.parametrize(
    "failure",
    [
        ParameterError("feature 'x': the value 'y' is not in its domain"),
        Refused(Reason.LATE),
        MemoryError("Unable to allocate 9.31 GiB"),
    ],
    ids=["ours", "theirs", "no memory"],
)
def test_what_the_work_raises_is_raised_here(failure: Exception) -> None:
    before = children()

    def work(piece: Sequence[int]) -> None:
        if 7 in piece:
            raise failure

    with pytest.raises(ExceptionGroup) as caught:
        spread(work, range(101))
    error: BaseException = caught.value
    while isinstance(error, BaseExceptionGroup):
        (error,) = error.exceptions
    assert type(error) is type(failure)
    assert str(error) == str(failure)
    assert children() <= before


@pytest.mark.parametrize("dies", [lambda pid: True, lambda pid: pid % 2 == 0], ids=["all", "some"])
def test_what_a_lost_copy_left_is_done_here(dies: Callable[[int], bool]) -> None:
    before = children()

    def work(piece: Sequence[int]) -> int:
        if (os.getpid() != PARENT and 9 in piece) or (dies(os.getpid()) and os.getpid() != PARENT):
            os.kill(os.getpid(), signal.SIGKILL)
        return sum(piece)

    assert sum(spread(work, range(101))) == 5050
    assert children() <= before


def test_without_a_process_to_be_had_threads_do_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", none)
    assert spread(lambda _: os.getpid(), range(101)) == [PARENT] * 26


def test_who_stops_waiting_leaves_no_copy_behind() -> None:
    before = children()

    async def main() -> bool:
        with forked_workers.ForkedWorkers(lambda _: time.sleep(10_000), [[1], [2]], 2) as copies:
            with trio.move_on_after(0.05) as scope:
                await copies.call(0)
        return scope.cancelled_caught

    assert trio.run(main)
    assert children() <= before


@pytest.mark.parametrize("pressed", [signal.SIGINT, signal.SIGTSTP], ids=["Ctrl-C", "Ctrl-Z"])
def test_copies_do_not_hear(pressed: signal.Signals) -> None:
    def work(_: Sequence[int]) -> int:
        os.kill(os.getpid(), pressed)
        return os.getpid()

    assert PARENT not in spread(work, range(101))


@pytest.mark.parametrize("stops", [lambda pid: True, lambda pid: pid % 2 == 0], ids=["all", "some"])
def test_what_a_stopped_copy_left_is_done_here(
    stops: Callable[[int], bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forked_workers, "GRACE", 0.01)
    before = children()

    def work(piece: Sequence[int]) -> int:
        if os.getpid() != PARENT and (9 in piece or stops(os.getpid())):
            os.kill(os.getpid(), signal.SIGSTOP)
        return sum(piece)

    assert sum(spread(work, range(101))) == 5050
    assert children() <= before


def test_a_copy_that_goes_on_soon_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of a session may be stopped and go on, in whatever order: here while GRACE passes."""
    stopped = tmp_path / "stopped"

    def work(piece: Sequence[int]) -> tuple[int, int]:
        if 9 in piece:
            stopped.write_text(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGSTOP)
        return os.getpid(), sum(piece)

    def go_on(_: float) -> None:
        os.kill(int(stopped.read_text()), signal.SIGCONT)

    monkeypatch.setattr(forked_workers, "time", SimpleNamespace(sleep=go_on))

    results = spread(work, range(101))
    assert PARENT not in {process for process, _ in results}
    assert sum(total for _, total in results) == 5050


ORPHANS = """
import os, time
from veilmix.roles.compute.forked_workers import ForkedWorkers
def work(piece):
    os.write(1, f"{{os.getpid()}}\\n".encode())  # at once, between the other's lines
    {doing}
    return bytes(1 << 20)
with ForkedWorkers(work, [[1], [2]] * 20, 2) as copies:
    for number in range(6):
        copies.submit(number)
    time.sleep(1000)
"""
DOING = {"computing": "while True: pass", "waiting": "time.sleep(1000)", "telling": "pass"}


def lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("doing", DOING)
@pytest.mark.parametrize(
    "end", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP], ids=lambda x: x.name
)
def test_no_copy_outlives_its_parent(started: Any, doing: str, end: signal.Signals) -> None:
    """Neither one that computes, nor one that waits, nor one whose pipe nobody empties."""
    parent = started(sys.executable, "-c", ORPHANS.format(doing=DOING[doing]))
    ours = set[int]()
    while len(ours) < 2:
        ours.add(int(parent.stdout.readline()))
    assert all(map(lives, ours))
    parent.send_signal(end)
    assert parent.wait() == -end
    while any(map(lives, ours)):
        time.sleep(0.01)


def test_a_copy_holds_only_its_own_ends_of_pipes(tmp_path: Path) -> None:
    """Otherwise it would never learn that nobody listens any more."""

    def work(_: Sequence[int]) -> tuple[int, int]:
        (tmp_path / str(os.getpid())).touch()
        while len(list(tmp_path.iterdir())) < 2:  # until the other copy has a piece as well
            time.sleep(0.001)
        return os.getpid(), descriptors()

    copies = set(spread(work, range(101)))
    assert len(copies) == 2
    assert len({held for _, held in copies}) == 1  # the second has no more than the first


def test_no_descriptor_is_left_open() -> None:
    spread(len, range(101))
    before = descriptors()
    spread(len, range(101))
    assert descriptors() == before

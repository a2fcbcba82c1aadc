"""Copies of this process do pieces of work; whatever happens to one, every piece is done once."""

import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import trio
from veilmix.errors import ParameterError, Reason, Refused
from veilmix.roles import copies, workshop
from veilmix.roles.instruments import Instrument, Instruments

pytestmark = pytest.mark.skipif(not copies.POSSIBLE, reason="this system copies no process")
PARENT = os.getpid()


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def children() -> set[str]:
    """The processes that this one has started, tests before this one included."""
    lists = Path("/proc/self/task").glob("*/children")
    return {child for one in lists for child in one.read_text().split()}


def spread(work: Callable[[Sequence[int]], Any], items: Sequence[int], *watching: Any) -> list[Any]:
    async def main() -> list[Any]:
        async with workshop.workshop(2, Instruments(list(watching), lambda _: None)) as shop:
            return await shop.spread("test", work, items)

    return trio.run(main)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workshop, "COPY_ABOVE", 10)
    monkeypatch.setattr(workshop, "CHUNK", 4)
    monkeypatch.setattr(workshop, "PIECES", 50)


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
    [ParameterError("feature 'x': the value 'y' is not in its domain"), Refused(Reason.LATE)],
    ids=["ours", "theirs"],
)
def test_what_the_work_raises_is_raised_here(failure: Exception) -> None:
    before = children()

    def work(piece: Sequence[int]) -> None:
        if 7 in piece:
            raise failure

    with pytest.raises(ExceptionGroup) as caught:
        spread(work, range(101))
    found: BaseException = caught.value
    while isinstance(found, BaseExceptionGroup):
        (found,) = found.exceptions
    assert type(found) is type(failure)
    assert str(found) == str(failure)
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
        with trio.move_on_after(0.05) as scope:
            await copies.in_copies(lambda _: time.sleep(60), [[1], [2]], 2, lambda *_: None)
        return scope.cancelled_caught

    assert trio.run(main)
    assert children() <= before


def test_copies_do_not_hear_ctrl_c() -> None:
    def work(_: Sequence[int]) -> bool:
        os.kill(os.getpid(), signal.SIGINT)
        return True

    assert all(spread(work, range(101)))


def test_no_descriptor_is_left_open() -> None:
    spread(len, range(101))
    before = descriptors()
    spread(len, range(101))
    assert descriptors() == before

"""A copy of this process does one piece of work; whatever happens to it, it is done once."""

import multiprocessing
import os
import signal
import time

import pytest
from process_kit import children, descriptors
from veilmix import systems
from veilmix.errors import StorageError
from veilmix.roles.compute import forked_workers
from veilmix.roles.compute.forked_workers import forked_call

HERE = os.getpid()

copying = pytest.mark.skipif(not systems.FORKS, reason="this system copies no process")


@copying
def test_the_work_is_done_by_somebody_else_meanwhile() -> None:
    with forked_call(os.getpid) as done:
        assert done() != HERE


@copying
def test_a_result_larger_than_a_pipe_comes_whole() -> None:
    with forked_call(lambda: bytes(range(256)) * (1 << 15)) as done:
        assert done() == bytes(range(256)) * (1 << 15)


def test_where_no_process_can_be_copied_it_is_done_here_when_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(systems, "FORKS", False)
    begun: list[int] = []
    with forked_call(lambda: begun.append(os.getpid())) as done:
        assert not begun
        done()
    assert begun == [HERE]


@copying
def test_what_the_work_raises_is_raised_where_it_is_asked_for() -> None:
    def work() -> None:
        raise StorageError("the disk is full")

    with forked_call(work) as done, pytest.raises(StorageError, match="the disk is full"):
        done()


@copying
def test_what_nobody_asks_for_is_given_up() -> None:
    before, others = descriptors(), children()
    with forked_call(lambda: time.sleep(10_000)):
        pass
    assert descriptors() == before
    assert children() <= others


@copying
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_what_a_lost_copy_left_is_done_here(
    end: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forked_workers, "GRACE", 0.01)

    def work() -> int:
        if os.getpid() != HERE:
            os.kill(os.getpid(), end)
        return os.getpid()

    with forked_call(work) as done:
        assert done() == HERE


def test_without_a_process_to_be_had_it_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> int:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "fork", none)
    with forked_call(os.getpid) as done:
        assert done() == HERE


@copying
@pytest.mark.parametrize("pressed", [signal.SIGINT, signal.SIGTSTP], ids=["Ctrl-C", "Ctrl-Z"])
def test_the_copy_does_not_hear(pressed: signal.Signals) -> None:
    def work() -> int:
        os.kill(os.getpid(), pressed)
        return os.getpid()

    with forked_call(work) as done:
        assert done() != HERE


@copying
def test_ctrl_c_while_waiting_leaves_no_copy_behind() -> None:
    others = children()
    entered = multiprocessing.get_context("fork").Event()

    def work() -> None:
        entered.wait()
        os.kill(HERE, signal.SIGINT)
        time.sleep(10_000)

    with pytest.raises(KeyboardInterrupt), forked_call(work) as done:  # noqa: PT012
        entered.set()
        done()
    assert children() <= others

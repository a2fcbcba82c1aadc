"""Instruments watch and cannot harm: one that crashes is taken off, an interrupt ends the run."""

import os
import signal
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

import pytest
import role_kit as KIT
import veilmix
from veilmix.protocol.board.phases import Phase
from veilmix.protocol.wire.wire import decode
from veilmix.roles.network.instruments import Instrument

pytestmark = pytest.mark.place  # whose threads are left is told by the file names of the checkout
ROWS = KIT.people(12)
HOOKS = ("carried", "posted", "sealed", "read", "refused", "stage")
FAULTS = KIT.attack(user_3="duplicate")


class Counting(Instrument):
    """Counts the calls of each hook."""

    def __init__(self) -> None:
        self.calls = dict.fromkeys(HOOKS, 0)


class Crashing(Counting):
    """Raises an error at the n-th call of one hook."""

    def __init__(self, hook: str, at: int, error: BaseException) -> None:
        super().__init__()
        self.when, self.error = (hook, at), error


def _hook(name: str) -> Any:
    def called(self: Any, *arguments: Any) -> None:
        self.calls[name] += 1
        if getattr(self, "when", None) == (name, self.calls[name]):
            raise self.error

    return called


for _name in HOOKS:
    setattr(Counting, _name, _hook(_name))


def test_every_hook_is_called() -> None:
    watch = Counting()
    run = KIT.run(ROWS, [watch], faults=FAULTS)
    assert all(watch.calls.values())
    assert watch.calls["posted"] == len(run.board.entries)
    assert watch.calls["sealed"] == 2 * len(ROWS)
    assert watch.calls["read"] == 2
    assert watch.calls["carried"] == len(run.transcript.events)
    assert watch.calls["refused"] == len(run.transcript.refusals) == 2


@pytest.mark.parametrize("hook", HOOKS)
def test_a_crashing_instrument_is_taken_off_and_reported(hook: str) -> None:
    crashing, watch = Crashing(hook, 2, ZeroDivisionError("oops")), Counting()
    run = KIT.run(ROWS, [crashing, watch], faults=FAULTS)
    assert run.reports == [
        "instrument Crashing crashed and was taken off: ZeroDivisionError('oops')"
    ]
    assert crashing.calls[hook] == 2  # it heard no more
    quiet = KIT.run(ROWS, faults=FAULTS)
    assert run.board.digest() == quiet.board.digest()
    assert run.board.phase is Phase.OVER
    assert len(run.transcript.events) == len(quiet.transcript.events)
    assert watch.calls[hook] >= 2  # the others still hear everything
    assert watch.calls["posted"] == len(run.board.entries)


def test_two_instruments_may_crash_at_once() -> None:
    both = [Crashing("posted", 1, ValueError("one")), Crashing("posted", 1, ValueError("two"))]
    run = KIT.run(ROWS, both)
    assert [report.partition(": ")[2] for report in run.reports] == [
        "ValueError('one')",
        "ValueError('two')",
    ]


POSTS = len(KIT.run(ROWS, shufflers=2).board.entries)


@pytest.mark.parametrize("at", range(1, POSTS + 1))
def test_an_interrupt_at_any_post_ends_the_run(at: int) -> None:
    """Ctrl-C in each phase: what the caller gets is KeyboardInterrupt, and no thread hangs."""
    interrupted(Crashing("posted", at, KeyboardInterrupt()))


@pytest.mark.memory  # over processes an interrupt is machines/test_processes.py's
@pytest.mark.parametrize("hook", ["carried", "sealed", "read", "refused", "stage"])
@pytest.mark.parametrize("at", [1, 2])
def test_an_interrupt_in_any_hook_ends_the_run(hook: str, at: int) -> None:
    interrupted(Crashing(hook, at, KeyboardInterrupt()))


# The package as it was imported, not by its name: the environment lies inside the checkout, and a
# checkout may be called anything.
HOME = str(Path(veilmix.__file__).parent) + os.sep


OTHERS = set[int]()


@pytest.fixture(autouse=True)
def others() -> None:
    """Note the threads that earlier tests left: one may still look after a copy that is gone."""
    OTHERS.clear()
    OTHERS.update(sys._current_frames())


def at_work() -> list[str]:
    """Give the files of veilmix that other threads of this test are in."""
    frames = [
        frame
        for thread, first in sys._current_frames().items()
        if thread != threading.get_ident() and thread not in OTHERS
        for frame, _ in traceback.walk_stack(first)
    ]
    return [f.f_code.co_filename for f in frames if f.f_code.co_filename.startswith(HOME)]


def test_a_thread_in_veilmix_is_seen_and_one_in_its_environment_is_not() -> None:
    waiting = threading.Event()
    inside = threading.Thread(target=decode, args=(b"", lambda _: waiting.wait()))
    beside = threading.Thread(target=waiting.wait)
    for thread in (inside, beside):
        thread.start()
    try:
        assert [Path(file).name for file in at_work()] == ["wire.py"]
    finally:
        waiting.set()
        inside.join()
        beside.join()
    assert not at_work()


def interrupted(watch: Instrument) -> None:
    """Play, expect the interrupt, and see that the threads at work have all come to rest."""
    before = sys.getswitchinterval()
    with pytest.raises(KeyboardInterrupt):
        KIT.run(ROWS, [watch], faults=FAULTS, shufflers=2)
    assert sys.getswitchinterval() == before
    assert not at_work()
    assert KIT.run(ROWS).board.phase is Phase.OVER  # and the next run is not disturbed


@pytest.mark.memory  # the rule is asked in another process, which ignores Ctrl-C
def test_a_signal_while_threads_work_ends_the_run() -> None:
    """Ctrl-C as it comes: while everybody waits for the decision, which is made in a thread."""

    def rule(*_: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return KIT.keep(0)(*_)

    with pytest.raises(KeyboardInterrupt):
        KIT.run(ROWS, decide=rule)
    assert not at_work()


def test_a_crash_in_a_decision_rule_surfaces_as_it_is() -> None:
    def rule(*_: Any) -> Any:
        raise ZeroDivisionError("in the rule")

    with pytest.raises(ZeroDivisionError, match="in the rule"):
        KIT.run(ROWS, decide=rule)


def test_the_stages_count_up_to_their_totals() -> None:
    seen: dict[str, list[tuple[int, int]]] = {}

    class Bar(Instrument):
        def stage(self, name: str, done: int, total: int) -> None:
            seen.setdefault(name, []).append((done, total))

    KIT.run(KIT.people(300), [Bar()], shufflers=2)
    assert {"shuffler-1 opens", "shuffler-2 opens", "curator opens", "analyst opens"} <= set(seen)
    for steps in seen.values():
        assert all(0 < done <= total for done, total in steps)
        assert steps[-1][0] == steps[-1][1]
    assert len(seen["shuffler-1 opens"]) > 2

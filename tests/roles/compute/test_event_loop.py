"""A loop run from plain code: Ctrl-C breaks nothing in it, and one thing that went wrong is one."""

import os
import re
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import trio
import trio.testing
import veilmix
from veilmix.errors import ParameterError, StorageError
from veilmix.roles.compute.event_loop import run_loop, single_cause


def group(*errors: BaseException) -> BaseExceptionGroup[BaseException]:
    return BaseExceptionGroup("of a nursery", list(errors))


def test_a_full_disk_that_two_tasks_meet_is_one_error() -> None:
    first, second = StorageError("journal: make room"), StorageError("journal: make room")
    error = single_cause(group(first, group(second)))
    assert type(error) is StorageError
    assert str(error) == "journal: make room"


@pytest.mark.parametrize("other", [StorageError("log: make room"), ParameterError("make room")])
def test_two_different_errors_stay_two(other: Exception) -> None:
    both = group(StorageError("make room"), other)
    assert single_cause(both) is both


def test_an_interrupt_comes_first() -> None:
    stop = KeyboardInterrupt()
    assert single_cause(group(StorageError("make room"), group(stop))) is stop


def test_two_faults_of_our_own_stay_two_though_they_say_the_same() -> None:
    both = group(KeyError("row"), KeyError("row"))
    assert single_cause(both) is both


POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
LOOPS = {
    *("roles/compute/event_loop.py", "machines/processes.py", "machines/role_step.py"),
    "tools/soak.py",  # in copies of the process, which do not hear Ctrl-C
}


@POSIX
@pytest.mark.parametrize("line", range(12))
def test_ctrl_c_in_the_midst_of_starting_a_task_breaks_nothing(line: int) -> None:
    """Pressed at any line of trio's own code that starts a task: all end, and it is Ctrl-C."""
    ended: list[int] = []
    seen = 0

    def press(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal seen
        if frame.f_code.co_name != "spawn_impl":
            return None
        if event == "line":
            seen += 1
            if seen == line + 1:
                signal.raise_signal(signal.SIGINT)
        return press

    async def sleeper(number: int) -> None:
        try:
            await trio.sleep_forever()
        finally:
            ended.append(number)

    async def many() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(sleeper, 0)
            await trio.testing.wait_all_tasks_blocked()
            before = sys.gettrace()
            sys.settrace(press)
            try:
                nursery.start_soon(sleeper, 1)
            finally:
                sys.settrace(before)

    with pytest.raises(KeyboardInterrupt):
        run_loop(many)
    assert seen > line, "trio starts a task in fewer lines"
    assert 0 in ended


def test_every_loop_that_hears_ctrl_c_is_run_in_the_one_way() -> None:
    """Elsewhere trio is run only in a thread, or in a process that does not hear Ctrl-C."""
    root = Path(veilmix.__file__).parent
    files = {path.relative_to(root): path for path in root.rglob("*.py")}
    own = {
        name: path
        for name, path in files.items()
        if name.parts[0] not in ("tests", ".venv", "build")
    }
    run = re.compile(r"^(?!>>>).*\btrio\.run\(", re.MULTILINE)  # an example is not a loop of ours
    said = {name.as_posix() for name, path in own.items() if run.search(path.read_text("utf-8"))}
    assert said == LOOPS

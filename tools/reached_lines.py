"""A plugin of pytest that records the lines of veilmix that each test reaches, and its CPU seconds.

tools/choose_tests.py loads it into every process of its environment (`START`), also into processes
that a test starts or forks: their lines belong to the test. Lines are those of `sys.monitoring`
(Python 3.12 or newer): a line is recorded once a test, then costs nothing.

Environment: REACHED_FOLDER, where a process adds its records to a file of its own; REACHED_ROOT,
the folder of the package; REACHED_TEST, the test that runs, for processes that it starts.

PYTEST_DONT_REWRITE: it is imported before pytest, which would warn of that.
"""

import atexit
import json
import os
import sys
import zlib
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Any

START = "import os; os.environ.get('REACHED_FOLDER') and __import__('reached_lines').start()"
OUTSIDE = ("tests/", "tools/", "benchmarks/", "notebooks/", "docs/", "build/", ".venv/")
TOOL = 4  # an identifier of sys.monitoring that no known tool has

reached: set[tuple[str, int]] = set()  # file below the package, line


def start() -> None:
    """Record lines from now on; a process that a test started writes them at its end."""
    monitoring: Any = getattr(sys, "monitoring")  # noqa: B009 - Python 3.11 has none
    if monitoring.get_tool(TOOL):  # a virtual environment may read its .pth files twice
        return
    root = os.environ["REACHED_ROOT"] + os.sep
    files: dict[str, str] = {}

    def line(code: Any, number: int) -> object:
        path = code.co_filename
        if path not in files:
            below = path.removeprefix(root) if path.startswith(root) else ""
            files[path] = "" if below.startswith(OUTSIDE) else below
        if files[path]:
            reached.add((files[path], number))
        return monitoring.DISABLE

    monitoring.use_tool_id(TOOL, __name__)
    monitoring.register_callback(TOOL, monitoring.events.LINE, line)
    monitoring.set_events(TOOL, monitoring.events.LINE)
    if "REACHED_TEST" in os.environ:
        _record_at_the_end()
    os.register_at_fork(after_in_child=_forked)


def _forked() -> None:
    _begin()
    _record_at_the_end()


def _record_at_the_end() -> None:
    leave = os._exit

    def last() -> None:
        if reached:
            with suppress(OSError):  # a test may have limited the size of files
                _write(os.environ.get("REACHED_TEST", ""), None)
            reached.clear()

    def record_and_leave(code: int) -> None:
        last()
        leave(code)

    atexit.register(last)
    os._exit = record_and_leave  # type: ignore[assignment]


def _begin() -> None:
    reached.clear()
    getattr(sys, "monitoring").restart_events()  # noqa: B009 - Python 3.11 has none


def _write(test: str, seconds: float | None) -> None:
    by_file: dict[str, list[int]] = {}
    for file, number in sorted(reached):
        by_file.setdefault(file, []).append(number)
    record = json.dumps({"test": test, "seconds": seconds, "lines": by_file})
    packed = zlib.compress(record.encode(), 1)
    path = Path(os.environ["REACHED_FOLDER"], f"{os.getpid()}.records")
    with path.open("ab") as file:
        file.write(len(packed).to_bytes(4) + packed)


def records(content: bytes) -> Generator[dict[str, Any]]:
    """Yield the records of a file: test, CPU seconds (None: of a process that it started), lines.

    A record that a killed process left incomplete ends them.
    """
    while len(content) > 4 and len(content) >= (end := 4 + int.from_bytes(content[:4])):
        yield json.loads(zlib.decompress(content[4:end]))
        content = content[end:]


def pytest_configure(config: Any) -> None:
    """Add the recorder of tests; pytest itself is not imported in processes that tests start."""
    import pytest

    class Recorder:
        @pytest.hookimpl(wrapper=True, tryfirst=True)
        def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
            """Record the lines of a test with its fixtures, and its seconds with its processes'."""
            os.environ["REACHED_TEST"] = item.nodeid
            _begin()
            before = sum(os.times()[:4])
            try:
                return (yield)
            finally:
                _write(item.nodeid, sum(os.times()[:4]) - before)
                del os.environ["REACHED_TEST"]

    config.pluginmanager.register(Recorder())

"""What all tests share: the second attempt, processes to start, a browser to look at pages with.

Property tests look for new examples at a developer's, and for the same ones in CI: a new failing
example is worth finding, but not on somebody else's change.

No test depends on how busy the machine is or on who started it. No limit of time is a test's own:
a test that hangs is ended after 600 s (pytest-timeout), one marked `long` after an hour. A process
that a test starts with `started` is in a session of its own and killed, with all it started, when
the test is over.

A test of a browser (mark `browser`), of processes (`process`) or of TLS (`tls`) is run a second
time if an error of UNSTEADY_ERRORS ends the first: the machine failed, and veilmix was not tested.
A wrong figure, release or verdict is never such an error. The first failure is printed in full and
listed at the end of the run: its cause is to be mended.

A test that could end otherwise in another folder is marked `place`, and CI runs it in a clone with
an awkward path as well. It starts a process of the checkout, or a copy of its own; it looks at file
names of the checkout; it prepares an environment; it has a browser open a file. One test stands for
all that start the same. What only reads the checkout's text, and computes, is the same everywhere;
what makes a clone of its own has a place of its own (tests/test_any_machine.py has the list).

Some tests read recorded data that are too large for a repository, or not ours to pass on: beside
the checkout, in ../shared/data. Where there are none they are skipped; where VEILMIX_DATA=required
(CI sets it where that folder is), they fail.

A page is tested in a real Chromium. Where there is none, these tests say so and are skipped; where
VEILMIX_BROWSER=required (CI sets it), they fail.
"""

import errno
import gc
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pytest
from hypothesis import settings

HEARD = {
    "SIGINT": signal.default_int_handler,
    "SIGHUP": signal.SIG_DFL,
    "SIGQUIT": signal.SIG_DFL,
    "SIGTERM": signal.SIG_DFL,
}
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("here", deadline=None, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

# A shell has its background jobs ignore Ctrl-C, `nohup` has what it starts ignore that the terminal
# is gone, and so does all that they start in turn; tests send such signals.
for _name, _heard in HEARD.items():
    _sent = getattr(signal, _name, None)  # Windows has not all
    if _sent and signal.getsignal(_sent) is signal.SIG_IGN:
        signal.signal(_sent, _heard)

CHECKOUT = Path(__file__).resolve().parent.parent


def pytest_configure(config: pytest.Config) -> None:
    """Stop where these tests would try another checkout's package.

    The environment of one checkout, used from another, imports the first: tests then pass whatever
    the second says. The checkout is the package, so a copy of this file that lies in none (a test's
    own folder, or one beside an installed wheel) has nothing to compare.
    """
    own, spec = CHECKOUT / "__init__.py", find_spec("veilmix")
    found = Path(spec.origin) if spec and spec.origin else None
    if own.is_file() and not (found and own.samefile(found)):
        raise pytest.UsageError(
            f"these tests are of {CHECKOUT}, but `import veilmix` finds"
            f" {found.resolve().parent if found else 'no package'}:"
            f" use this checkout's own environment (make test, or .venv/bin/python -m pytest)"
        )


LONG_GUARD = 3600  # seconds: a test marked `long` that takes longer hangs


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Keep what is collected, which stays to the end, out of every search for garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


MARKS = {"browser": {"chromium"}, "process": {"started", "module_started"}}  # mark -> its fixtures
# error -> what the machine did; no figure, release or verdict is such an error
UNSTEADY_ERRORS = {
    "builtins.ConnectionError": "the system ended a connection, or let none begin",
    "playwright._impl._errors.TargetClosedError": "the browser ended",
    "ssl.SSLEOFError": "the system ended a connection over TLS",
    "trio.BrokenResourceError": "the system ended a connection",
    "websockets.exceptions.ConnectionClosed": "the browser ended",
}
UNSTEADY_NUMBERS = {errno.EADDRINUSE: "another program has the port"}


def is_unsteady(error: BaseException) -> bool:
    """Whether the machine failed the test: each part of the error is in the tables above."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(is_unsteady, error.exceptions))
    if isinstance(error, URLError) and isinstance(error.reason, OSError):
        return is_unsteady(error.reason)
    names = {f"{kind.__module__}.{kind.__qualname__}" for kind in type(error).__mro__}
    return not names.isdisjoint(UNSTEADY_ERRORS) or (
        isinstance(error, OSError) and error.errno in UNSTEADY_NUMBERS
    )


# Tests that CI leaves to `make long`: tools/choose_tests.py writes and explains the list.
OUTSIDE_CI = frozenset(
    (CHECKOUT / "tests" / "outside_ci.txt").read_text("utf-8").splitlines()
    if (CHECKOUT / "tests" / "outside_ci.txt").is_file()  # not beside a copy of this file
    else ()
)


@pytest.hookimpl(tryfirst=True)  # before `-m "not long"` is obeyed
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of browsers and processes by their fixtures; retry these, and those of TLS.

    Files beside the rooms begin: they have the longest tests, and at the end each process of the
    test runner would wait for one of them.
    """
    for item in items:
        if not OUTSIDE_CI.isdisjoint((item.nodeid, item.nodeid.partition("[")[0])):
            item.add_marker(pytest.mark.long)
    items.sort(key=lambda item: item.path.parent != CHECKOUT / "tests")
    for item in items:
        for name, fixtures in MARKS.items():
            if fixtures.intersection(getattr(item, "fixturenames", ())):
                item.add_marker(name)
        if any(map(item.get_closest_marker, (*MARKS, "tls"))):
            item.add_marker(pytest.mark.flaky(reruns=1, condition=is_unsteady))
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.timeout(LONG_GUARD))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print each first failure in full, and list the unsteady tests at the end."""
    reports = terminalreporter.stats.get("rerun", [])
    for report in reports:
        terminalreporter.write_sep("_", f"first failure of {report.nodeid}")
        terminalreporter.write_line(report.longreprtext)
        for title, text in report.sections:
            terminalreporter.write_sep("-", title)
            terminalreporter.write_line(text)
    if reports:
        terminalreporter.write_sep("=", f"unsteady: {len(reports)}")
        for report in reports:
            terminalreporter.write_line(f"UNSTEADY {report.nodeid}")


Started = Callable[..., subprocess.Popen[str]]


@contextmanager
def _processes() -> Iterator[Started]:
    """Give what starts processes; what is left of them in the end is killed."""
    running: list[subprocess.Popen[str]] = []

    def start(*command: str | Path, **given: Any) -> subprocess.Popen[str]:
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        process = subprocess.Popen(command, start_new_session=True, **{**pipes, **given})
        running.append(process)
        return process

    yield start
    for process in running:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with process:  # closes its pipes, and waits
            pass


@pytest.fixture
def started() -> Iterator[Started]:
    """Start processes, with pipes for what they say; what is left of them in the end is killed."""
    with _processes() as start:
        yield start


@pytest.fixture(scope="module")
def module_started() -> Iterator[Started]:
    """Start processes for the tests of a module together."""
    with _processes() as start:
        yield start


DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test whose recorded data are not here; fail it where they are required."""
    wanted = [DATA / path for mark in item.iter_markers("data") for path in mark.args]
    if missing := [str(path) for path in wanted if not path.exists()]:
        say = pytest.fail if os.environ.get("VEILMIX_DATA") == "required" else pytest.skip
        say(f"recorded data are not here: {', '.join(missing)}")


BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
WITHOUT = "no Chromium here, so no page was looked at; `apt-get install chromium` has it"


@dataclass
class Tab:
    """A page of its own in the browser, and all it complained of and asked for."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def open(self, address: str | Path, place: str = "") -> Any:
        """Open a file or an address, at a place (`#...`), anew."""
        there = address.as_uri() if isinstance(address, Path) else address
        self.page.goto("about:blank")
        self.page.goto(there + place)
        return self.page


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Start a headless Chromium for all tests of a process."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        if os.environ.get("VEILMIX_BROWSER") == "required":
            pytest.fail(WITHOUT)
        pytest.skip(WITHOUT)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(FLAGS), timeout=0)
        yield browser
        browser.close()


@contextmanager
def _new_tabs(chromium: Any) -> Iterator[Callable[..., Tab]]:
    tabs: list[Tab] = []
    contexts = []

    def opened(**how: Any) -> Tab:
        context = chromium.new_context(viewport={"width": 1366, "height": 768}, **how)
        context.set_default_timeout(0)  # the guard of 600 s ends what hangs
        contexts.append(context)
        tab = Tab(context.new_page())
        tabs.append(tab)
        tab.page.on("console", lambda said: tab.complaints.append(f"{said.type}: {said.text}"))
        tab.page.on("pageerror", lambda error: tab.complaints.append(str(error)))
        tab.page.on("request", lambda request: tab.requests.append(request.url))
        return tab

    yield opened
    for context in contexts:
        context.close()
    own = ("file:", "data:", "about:", "blob:", "http://127.0.0.1:", "http://localhost:")
    assert [complaint for tab in tabs for complaint in tab.complaints] == []
    assert [url for tab in tabs for url in tab.requests if not url.startswith(own)] == []


@pytest.fixture
def new_tab(chromium: Any) -> Iterator[Any]:
    """Give tabs, each as a new visitor's; none may complain, or ask another computer."""
    with _new_tabs(chromium) as opened:
        yield opened


@pytest.fixture(scope="module")
def module_tab(chromium: Any) -> Iterator[Tab]:
    """Give one tab for all tests of a file; it may not complain, or ask another computer."""
    with _new_tabs(chromium) as opened:
        yield opened()


@pytest.fixture
def tab(new_tab: Any) -> Tab:
    """Give one tab."""
    browser_tab: Tab = new_tab()
    return browser_tab

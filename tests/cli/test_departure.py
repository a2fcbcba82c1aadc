"""The command ends with the code that was meant, and loses nothing, whatever still computes."""

import subprocess
import sys
from pathlib import Path

import pytest

# What a command leaves behind; {thread} and {code} vary. `Late` is Python's tidying up.
LEFT = """
import atexit, sys, threading, time
from veilmix.cli import app, main
class Late:
    def __del__(self, write=sys.stderr.write):
        write("tidied up")
late = Late()
def command(given):
    {thread}
    atexit.register(sys.stdout.write, " and what was registered;")
    print("all that was said", end="")
    print("also here;", end="", file=sys.stderr)
    return {code}
app._code = command
sys.exit(main())
"""
BUSY = "threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()"
AWAITED = BUSY.replace(", daemon=True", "")
UNHEARD = """try: exec("raise KeyboardInterrupt")
    except KeyboardInterrupt: pass"""


@pytest.mark.place
@pytest.mark.slow
@pytest.mark.parametrize(
    ("thread", "code"),
    [("pass", 0), (BUSY, 0), (BUSY, 130), (AWAITED, 130), ("pass", 130)],
    ids=["nothing left", "a thread left", "a thread left, Ctrl-C", "one awaited, Ctrl-C", "Ctrl-C"],
)
def test_all_is_written_and_no_thread_is_torn_down(thread: str, code: int) -> None:
    text = LEFT.format(thread=thread, code=code)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode == code
    assert done.stdout == "all that was said and what was registered;"
    assert done.stderr == "also here;"  # and nothing was tidied up


MADE = """
import signal, sys
from veilmix.cli import app, main
class Named:
    def __set_name__(self, owner, name):
        signal.raise_signal(signal.SIGINT)
def command(given):
    class Made:
        attribute = Named()
app._invoke = command
sys.exit(main())
"""


@pytest.mark.slow
def test_ctrl_c_while_a_class_is_made_is_no_bug() -> None:
    """Python before 3.12 makes a RuntimeError of whatever is raised there."""
    done = subprocess.run([sys.executable, "-c", MADE], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", STOPPED)


EARLY = """
import signal, sys
class Finder:
    def find_spec(self, name, *more):
        if name == "click":
            signal.raise_signal(signal.SIGINT)
sys.meta_path.insert(0, Finder())
from veilmix.cli import main
sys.exit(main())
"""
STOPPED = "stopped; what was not finished was not written\n"


@pytest.mark.slow
def test_ctrl_c_before_anything_has_begun_is_said_as_later() -> None:
    done = subprocess.run([sys.executable, "-c", EARLY], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", STOPPED)


PRESSED = """
import atexit, signal, sys
from veilmix.cli import app, main
def command(given):
    atexit.register(signal.raise_signal, signal.SIGINT)
    return 0
app._code = command
sys.exit(main())
"""


@pytest.mark.slow
def test_ctrl_c_when_all_is_done_changes_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", PRESSED], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
def test_ctrl_c_is_130_wherever_python_was(tmp_path: Path) -> None:
    """Not the signal, by which a module ends that heard Ctrl-C while it ran a text."""
    (tmp_path / "pressed.py").write_text(LEFT.format(thread=UNHEARD, code=130))
    line = (sys.executable, "-m", "pressed")
    done = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (130, "also here;")

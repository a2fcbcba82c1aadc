"""What a solver writes reaches nobody; how its process begins and ends.

`LOUD` stands for a HiGHS that writes to file descriptors 1 and 2 when it is made, as 1.16.0 does:
a package `highspy` in a folder, which is the real one but for that.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
from process_kit import children
from veilmix.analysis.optimization import solve_linear, solver_process
from veilmix.analysis.optimization.solver_process import SolverProcess, idle_solver
from veilmix.cli import main
from veilmix.errors import SolverError

ROOM = "veilmix.analysis.optimization"
LOUD = """
import os, sys
from pathlib import Path
here = str(Path(__file__).parent.parent)
sys.path.remove(here)
ours = sys.modules.pop("highspy")
import highspy as real
sys.modules["highspy"] = real
sys.path.insert(0, here)
class Highs(real.Highs):
    def __init__(self, *given):
        for descriptor in (1, 2):
            os.write(descriptor, b"HiGHS talks\\n")
        Path(here, "made").touch()
        super().__init__(*given)
real.Highs = Highs
"""
# A solver whose only operation is given; it says in a file that it has begun.
ODD = f"""
import sys
sys.path[:] = {{path!r}}
from pathlib import Path
from {ROOM} import server
def odd(place):
    Path(place).touch()
    {{body}}
server.OPERATIONS["odd"] = odd
server.serve()
"""
HANGS = "import time; time.sleep(10_000)"


@contextmanager
def odd(body: str) -> Iterator[SolverProcess]:
    process = SolverProcess(ODD.format(path=sys.path, body=body))
    yield process
    process.end()


@pytest.fixture
def loud(tmp_path: Path) -> dict[str, str]:
    """Give the environment in which HiGHS talks; `made` in its folder says that it was made."""
    package = tmp_path / "loud" / "highspy"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(LOUD)
    return {**os.environ, "PYTHONPATH": str(package.parent)}


def python(
    code: str, environment: dict[str, str], **given: object
) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "-c", code)
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True)


DIRECT = "import highspy; highspy.Highs()"
MEANWHILE = """
from threading import Thread
import os
from test_programs import corner
def talk():
    for number in range(200):
        os.write(1, b"%d\\n" % number)
talking = Thread(target=talk)
talking.start()
values = [corner().solve().value for _ in range(20)]
talking.join()
os.write(1, b"%r\\n" % (set(values) == {7.0}))
"""
IN_COPIES = """
import os
from test_programs import corner
first = corner().solve().value
child = os.fork()
if not child:
    os.write(1, b"%r\\n" % (corner().solve().value == first))
    os._exit(0)
os.waitpid(child, 0)
os.write(1, b"%r\\n" % (corner().solve().value == first))
"""
CLOSED = """
import os, sys
for descriptor in (0, 1, 2):
    os.close(descriptor)
from test_programs import corner
from veilmix.analysis.optimization import solver_process
values = [corner().solve().value for _ in range(3)]
with solver_process.idle_solver() as process:
    known = process.lives
taken = []
for descriptor in (0, 1, 2):
    try:
        os.fstat(descriptor)
        taken.append(descriptor)
    except OSError:
        pass
open({out!r}, "w").write(repr((set(values), known, taken)))
"""


@pytest.mark.slow
@pytest.mark.place
def test_what_a_solver_writes_reaches_nobody(loud: dict[str, str], tmp_path: Path) -> None:
    """With a thread that writes meanwhile, in a copy made by fork, with closed descriptors."""
    made = tmp_path / "loud" / "made"
    assert python(DIRECT, loud).stdout.startswith("HiGHS talks\n")  # so it would be seen
    made.unlink()
    loud["PYTHONPATH"] += os.pathsep + str(Path(__file__).parent)
    heard = python(MEANWHILE, loud)
    assert heard.stdout == "".join(f"{number}\n" for number in range(200)) + "True\n"
    assert heard.stderr == ""
    assert made.exists()
    if hasattr(os, "fork"):
        heard = python(IN_COPIES, loud)
        assert (heard.stdout, heard.stderr) == ("True\nTrue\n", "")
    out = tmp_path / "out"
    heard = python(CLOSED.format(out=str(out)), loud)
    assert (heard.stdout, heard.stderr, out.read_text()) == ("", "", "({7.0}, True, [])")


@pytest.mark.slow
def test_what_a_solver_wrote_is_shown_where_it_failed(tmp_path: Path) -> None:
    fails = "import os; os.write(1, b'1'); os.write(2, b'no licence'); os.abort()"
    with odd(fails) as process:
        with pytest.raises(SolverError, match=r"ended \(SIGABRT\).*'odd'; it wrote: no licence$"):
            process.ask("odd", tmp_path / "begun")
        assert not process.lives
        with pytest.raises(SolverError, match="has ended, before the request 'odd'"):
            process.ask("odd", tmp_path / "begun")


@pytest.mark.slow
def test_ctrl_c_ends_a_solver_that_is_deaf(tmp_path: Path) -> None:
    begun, main_thread = tmp_path / "begun", threading.get_ident()

    def press() -> None:
        while not begun.exists():
            pass
        signal.pthread_kill(main_thread, signal.SIGINT)

    with odd(HANGS) as process:
        Thread(target=press, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            process.ask("odd", begun)
        assert not process.lives


KILLED = """
import os, signal
from threading import Thread
from pathlib import Path
import sys
from test_solver_process import HANGS, ODD, SolverProcess
process, begun = SolverProcess(ODD.format(path=sys.path, body=HANGS)), Path({begun!r})
Thread(target=process.ask, args=("odd", begun), daemon=True).start()
while not begun.exists():
    pass
print(process.pid, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="looks for a process in /proc")
def test_it_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    """Also in the midst of a solution."""
    paths = [str(Path(__file__).parent), str(Path(__file__).parents[2] / "kits")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    code = KILLED.format(begun=str(tmp_path / "begun"))
    done = subprocess.run(
        (sys.executable, "-c", code), env=environment, capture_output=True, text=True, check=False
    )
    solver = Path("/proc") / done.stdout.strip()
    while solver.exists() and "\nState:\tZ" not in (solver / "status").read_text():
        pass


def test_who_asks_meanwhile_has_a_process_of_its_own() -> None:
    answers: list[float] = []
    with idle_solver() as mine:
        other = Thread(target=lambda: answers.append(solve_linear([1.0]).fun))
        other.start()
        other.join()
        with idle_solver() as second:
            assert second is not mine
    assert answers == [0]


def test_one_that_was_killed_is_replaced() -> None:
    solve_linear([1.0])
    with idle_solver() as process:
        os.kill(process.pid, signal.SIGKILL)
        while process.lives:
            pass
    assert solve_linear([1.0]).fun == 0
    with idle_solver() as other:
        assert other is not process


def test_without_a_process_there_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*_given: object, **_options: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    solver_process.end_solvers()
    monkeypatch.setattr(subprocess, "Popen", refused)
    before = children()
    assert main(["run", "blood-type", "--mode", "ideal", "--no-save"]) == 2
    out, err = capsys.readouterr()
    assert err.count("the solver's process cannot be started: [Errno 11]") == 1
    assert children() == before
    assert "Traceback" not in out + err

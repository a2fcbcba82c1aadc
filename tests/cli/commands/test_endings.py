"""How a run can end: exit codes, lessons, repeats, interrupts, a reader who leaves."""

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from rich.progress import Progress
from sample_kit import sampled
from veilmix.cli.text.progress import Bar
from veilmix.protocol.wire.messages import Kind
from veilmix.roles.network.instruments import Instrument

PEOPLE = '[population]\nsource = "builtin:blood-type"\n'
POLICY = "[policy]\nk = 2\nmax_exposure = 0.08\n"


def scenario(tail: str = "", *, about: str = "seed = 7", policy: str = POLICY) -> str:
    text = f'[scenario]\nname = "s"\n{about}\n{PEOPLE}{policy}{tail}'
    Path("s.toml").write_text(text, "utf-8")
    return "s.toml"


def test_an_expectation_that_fails_is_3_and_the_run_is_kept(typed) -> None:
    said = typed("run", scenario("[expect]\nkept_at_least = 3\n"), "--worst-case", "0")
    assert said.code == 3
    assert "expect.kept_at_least: 3 columns were expected" in said.err
    assert Path("runs/s-0007/result.json").is_file()


def test_nothing_released_is_3_unless_that_was_expected(typed) -> None:
    none = POLICY.replace("0.08", "0").replace("k = 2", "k = 30")
    said = typed("run", scenario(policy=none))
    assert said.code == 3
    assert "nothing could be released" in said.err
    assert not Path("runs/s-0007/release.csv").exists()
    assert typed("verify", "s-0007").code == 0
    assert typed("run", scenario("[expect]\nkept = []\n", policy=none)).code == 0


def test_a_burnt_round_is_3_and_says_why(typed) -> None:
    few = '[[fault]]\nattack = "absent"\nusers = 2\nround = 2\n'
    said = typed("run", scenario(few))
    assert said.code == 3
    assert "2 of 30 people are missing" in said.err
    assert "burned" in said.out
    assert typed("verify", "s-0007").code == 0
    early = typed("run", scenario("[mix]\nmin_batch = 30\n" + few.replace("= 2\n", "= 1\n")))
    assert early.code == 3
    assert "round 1  burned" in early.out


def test_refusals_and_missing_people_are_told(typed) -> None:
    gone = '[[fault]]\nattack = "malformed"\nusers = 12\nround = 2\n'
    gone += "[defence]\nregistered = false\n"  # else a signature is looked at first
    said = typed(
        "run", scenario(gone, policy=POLICY.replace("max_exposure = 0.08", "max_exposure = 1"))
    )
    assert "refused: does-not-open" in said.out
    assert "12 people not counted in round 2" in said.out
    assert typed("verify", "s-0007").code == 0


@pytest.mark.parametrize(
    ("guard", "word"),
    [
        ('suite = "textbook"\nlesson = true', "textbook encryption"),
        ("pad = false", "no padding"),
        ("salt = false", "no salt"),
        ('order = "kept"', "shufflers keep the order"),
    ],
)
def test_a_lesson_is_labelled_loudly(typed, guard: str, word: str) -> None:
    name = scenario(f"[mix]\n{guard}\n[defence]\nmin_dropout = 1\n")
    said = typed("run", name, "--worst-case", "0")
    assert f"!! NOT SECURE, for lessons only: {word}" in said.out
    assert word in typed("check", name).out
    assert typed("verify", "s-0007").code == 0


def test_a_scenario_with_every_guard_has_no_such_label(typed) -> None:
    assert "NOT SECURE" not in typed("run", "blood-type", "--no-save", "--worst-case", "0").out


def test_repeated_runs_give_means_with_intervals(typed) -> None:
    name = scenario(about="seed = 7\nrepeat = 3")
    said = typed("run", name, "--worst-case", "0")
    assert said.code == 0
    assert "3 independent runs" in said.out
    assert sorted(path.name for path in Path("runs").iterdir()) == ["s-0007", "s-0008", "s-0009"]
    plain = json.loads(typed("run", name, "--no-save", "--format", "json").out)
    assert [record["seed"] for record in plain["runs"]] == [7, 8, 9]
    scores = {row["score"]: row for row in plain["scores"]}
    columns = [len(record["release"]["columns"]) for record in plain["runs"]]
    score = scores["columns released"]
    assert score["mean"] == pytest.approx(sum(columns) / 3)
    if len(set(columns)) == 1:  # three runs that agree on something in between show no width
        assert score["interval"] is None
    else:
        assert score["interval"][0] <= score["mean"] <= score["interval"][1]
    assert sum(row["runs"] for row in plain["released"]) == 3
    assert "columns released" in typed("run", name, "--no-save", "--format", "csv").out


def test_the_interval_is_students() -> None:
    from veilmix.analysis.estimation.mean_interval import estimate

    interval = estimate("x", [1.0, 2.0, 3.0])
    assert interval.mean == 2
    # t(0.975, 2) = 4.302653, s = 1: a table of any textbook.
    assert interval.high - interval.mean == pytest.approx(4.302653 / 3**0.5, rel=1e-6)
    assert estimate("x", [5.0]).low == estimate("x", [5.0, 5.0]).high == 5


class Stop(Instrument):
    """Presses Ctrl-C when something happens."""

    def __init__(self, when: str) -> None:
        self.when = when
        self.pressed = False

    def press(self, now: str) -> None:
        if now == self.when and not self.pressed:
            self.pressed = True
            raise KeyboardInterrupt

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        self.press(f"{Kind(data[3]).name.lower()} {data[36]}")

    def sealed(self, made: object) -> None:
        self.press("sealed")

    def read(self, read: object) -> None:
        self.press("read")

    def stage(self, name: str, done: int, total: int) -> None:
        self.press(name)


MOMENTS = [
    *("key 0", "announcement 0", "consent 0", "call 1", "sealed", "submission 1"),
    *("shuffler-1 opens", "batch 1", "mixed 1", "shuffler-2 opens", "curator opens", "read"),
    *("tally 1", "committed 1", "call 2", "submission 2", "mixed 2", "batch 2", "analyst opens"),
    *("tally 2", "certificate 2", "closed 2"),
]


@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_in_each_phase_is_130_in_one_line(typed, monkeypatch, moment: str) -> None:
    stop = Stop(moment)

    @contextmanager
    def watching(*_: object) -> Iterator[tuple[Instrument]]:
        yield (stop,)

    monkeypatch.setattr("veilmix.cli.commands.run.watching", watching)
    said = typed("run", "blood-type")
    assert stop.pressed
    assert said.code == 130
    assert len(said.err.splitlines()) == 1
    assert said.out == ""
    assert not Path("runs").exists()


@pytest.mark.parametrize("stage", ["users seal", "shuffler-1 opens", "analyst opens"])
def test_a_run_without_enough_memory_is_one_line(typed, monkeypatch, stage: str) -> None:
    """Where its work is done, in whatever thread or copy; and it is no bug."""
    from veilmix.roles.compute.worker_pool import WorkerPool

    real = WorkerPool.spread

    async def spread(pool, name, work, items, *more):
        def hungry(_: object) -> None:
            raise MemoryError("Unable to allocate 9.31 GiB")

        return await real(pool, name, hungry if name == stage else work, items, *more)

    monkeypatch.setattr("veilmix.roles.session.COHORT_ABOVE", 10)
    monkeypatch.setattr(WorkerPool, "spread", spread)
    said = typed("run", "blood-type")
    assert (said.code, said.out) == (2, "")
    assert said.err.splitlines() == [
        "there was not enough memory; take fewer people, or a machine with more memory"
    ]
    assert not Path("runs").exists()


def test_ctrl_c_while_a_run_is_saved_leaves_nothing(typed, monkeypatch) -> None:
    def pressed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("veilmix.scenarios.records.run_folder._rename", pressed)
    assert typed("run", "blood-type", "--worst-case", "0").code == 130
    assert list(Path("runs").iterdir()) == []


def test_ctrl_c_keeps_the_repeats_that_are_done(typed, monkeypatch) -> None:
    from veilmix.scenarios.records import run_folder as runs

    saved = []

    def second(*given: object, **said: object) -> Path:
        if saved:
            raise KeyboardInterrupt
        saved.append(save(*given, **said))
        return saved[0]

    save = runs.save
    monkeypatch.setattr(runs, "save", second)
    assert typed("run", scenario(about="seed = 7\nrepeat = 3"), "--worst-case", "0").code == 130
    assert [path.name for path in Path("runs").iterdir()] == ["s-0007"]


VEILMIX = (sys.executable, "-m", "veilmix")


@pytest.mark.place
@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("after", sampled(["announcement", "submissions", "committed"], 0, 2))
def test_a_real_ctrl_c(tmp_path: Path, started, after: str) -> None:
    running = started(*VEILMIX, "run", "titanic", "--trace", cwd=tmp_path, env=os.environ | LIVE)
    for line in running.stdout:
        if after in line:
            break
    running.send_signal(signal.SIGINT)
    out, err = running.communicate()
    assert running.returncode == 130, err
    assert err.splitlines() == ["stopped; what was not finished was not written"]
    assert "score" not in out
    assert not (tmp_path / "runs").exists()


LIVE = {"PYTHONUNBUFFERED": "1"}


@pytest.mark.place
@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    sampled(
        [(("run", "blood-type", "--trace"),), (("run", "blood-type"),), (("leak", "folder"),)],
        *(0, 2),
    ),
)
def test_a_reader_who_leaves_is_no_error(
    tmp_path: Path, folder: Path, started, arguments: tuple[str, ...]
) -> None:
    given = [str(folder) if argument == "folder" else argument for argument in arguments]
    running = started(*VEILMIX, *given, cwd=tmp_path, env=os.environ | LIVE)
    running.stdout.readline()
    running.stdout.close()
    err = running.stderr.read()
    assert running.wait() == 0
    assert err == ""


@pytest.mark.place
@pytest.mark.slow
def test_a_run_that_is_killed_while_it_is_saved_leaves_nothing_that_looks_whole(
    tmp_path: Path,
) -> None:
    script = (
        "import os, signal, veilmix.scenarios.records.run_folder as runs\n"
        "def die(*_): os.kill(os.getpid(), signal.SIGKILL)\n"
        "runs._rename = die\n"
        "from veilmix.cli import main\n"
        "main(['run', 'blood-type', '--worst-case', '0'])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=False)
    assert done.returncode == -signal.SIGKILL
    (left,) = (tmp_path / "runs").iterdir()
    assert left.name.startswith(".partial-")
    from veilmix.errors import StorageError
    from veilmix.scenarios.records.run_folder import folders, read, sweep

    assert folders(tmp_path / "runs") == ()
    with pytest.raises(StorageError, match="writing was stopped"):
        read(left)
    sweep(tmp_path / "runs")
    assert left.exists()  # it may still be written by another process
    old = time.time() - 7200
    os.utime(left, (old, old))
    sweep(tmp_path / "runs")
    assert not left.exists()


def on_a_terminal(stream: str, *arguments: str, **env: str) -> tuple[str, str]:
    """Run a command with stdout or stderr on a terminal; what was drawn there, and elsewhere."""
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: slave}
    plain = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    line = [*VEILMIX, *arguments]
    with subprocess.Popen(line, env={**plain, "TERM": "xterm", **env}, **streams) as running:
        os.close(slave)
        drawn = b""
        with contextlib.suppress(OSError):  # what a terminal says when the last writer has left
            while piece := os.read(master, 1 << 16):
                drawn += piece
        os.close(master)
        other = running.stdout if stream == "stderr" else running.stderr
        assert other is not None
        return drawn.decode(), other.read().decode()


@pytest.mark.slow
def test_colour_only_where_it_is_wanted() -> None:
    colour = re.compile(r"\x1b\[[0-9;]*3[0-7]m")
    assert "\x1b[1m" in on_a_terminal("stdout", "new")[0]
    ideal = ("run", "blood-type", "--no-save", "--mode", "ideal", "--worst-case", "0")
    assert colour.search(on_a_terminal("stdout", *ideal)[0])
    assert not colour.search(on_a_terminal("stdout", *ideal, NO_COLOR="1")[0])


@pytest.mark.slow
def test_a_bar_is_drawn_on_a_terminal_and_nowhere_else() -> None:
    line = ("run", "blood-type", "--no-save", "--format", "csv", "--worst-case", "0")
    drawn, out = on_a_terminal("stderr", *line)
    assert "users seal" in drawn
    assert out.splitlines()[0] == "A,B,count"
    assert on_a_terminal("stderr", *line, "--quiet")[0] == ""


@pytest.mark.skipif(os.name == "nt", reason="no such redirection there")
@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "closed", "code"),
    [
        ("check blood-type", ">&-", 0),
        ("check nothing", ">&-", 2),
        ("check nothing", ">&- 2>&-", 2),
        ("run none.toml --no-save --worst-case 0", ">&-", 3),
        ("run none.toml --no-save --worst-case 0", "2>&- | head -1", 3),
        ("run none.toml --no-save --worst-case 0", "2>&1 | head -1", 3),
        ("check nothing", "2>&1 >/dev/null | head -c 1", 2),
        ("--help", "| head -1", 0),
        ("--help", "<&- >&-", 0),
    ],
)
def test_a_stream_that_is_closed_does_not_change_the_code(
    tmp_path: Path, arguments: str, closed: str, code: int
) -> None:
    nothing = "k = 29\nmax_exposure = 0.0\n"
    source = '[population]\nsource = "builtin:blood-type"\n'
    (tmp_path / "none.toml").write_text(
        f'[scenario]\nname = "none"\nseed = 1\n{source}[policy]\n{nothing}', "utf-8"
    )
    line = f"{shlex.join(VEILMIX)} {arguments} {closed}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert "bug" not in done.stdout + done.stderr


def test_sealing_has_a_total_as_soon_as_anybody_knows_it() -> None:
    with Progress(disable=True) as progress:
        shown = Bar(progress, None)  # a table says how many people there are, a scenario need not
        shown.stage("users seal", 400, 32_561)
        (task,) = progress.tasks
        assert (task.completed, task.total) == (400, 32_561)
        shown.stage("users seal", 800, 32_561)
        assert task.completed == 800


def test_a_promise_that_does_not_hold_is_said_and_does_not_verify(typed) -> None:
    """Ten of thirty people leave, one of each crowd of three; nobody proves the promise again."""
    gone = '[[fault]]\nattack = "absent"\nby = "user-2?"\nround = 2\n'
    lesson = "[defence]\npromise = false\n[mix]\nlesson = true\n"
    Path("s.toml").write_text(
        '[scenario]\nname = "s"\nseed = 7\n[population]\nsource = "builtin:even"\nusers = 30\n'
        '[[feature]]\nname = "team"\nlevels = 10\n'
        f"[policy]\nk = 3\nmax_exposure = 0\n{gone}{lesson}",
        "utf-8",
    )
    said = typed("run", "s.toml", "--worst-case", "0")
    assert "BROKEN" in said.out
    assert "The promise does not hold: 100.0 % of people" in " ".join(said.out.split())
    checked = typed("verify", "s-0007")
    assert checked.code == 3
    assert "the promised bound does not hold" in " ".join(checked.out.split())

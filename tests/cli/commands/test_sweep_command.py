"""`veilmix sweep`: what is typed, what is printed, what is kept."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sample_kit import sampled
from veilmix.cli.grid import values
from veilmix.scenarios.studies.sweeps.sweep_runs import read_sweep

QUICK = ("--mode", "ideal", "--executor", "thread", "--workers", "1")
SWEEP = ("sweep", "blood-type", "--set", "policy.k=2,6", "--repeats", "2", *QUICK)
HOME = Path("runs/sweep-blood-type.jsonl")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2, 5", [2, 5]),
        ("0.1,1", [0.1, 1]),
        ("true", [True]),
        ("printed,coverage", ["printed", "coverage"]),
        ('"a,b",c', ['"a', 'b"', "c"]),
        ('"a,b"', ["a,b"]),
        ("3,x", [3, "x"]),
    ],
)
def test_values_as_they_are_typed(text: str, expected: list[object]) -> None:
    assert list(values(text)) == expected


@pytest.mark.slow
def test_a_sweep_is_played_kept_drawn_and_told(typed) -> None:
    said = typed(*SWEEP)
    assert said.code == 0, said.err
    assert "policy.k (2), 2 runs a point, ideal, seeds derived from 7" in said.out
    assert "4 runs" in said.out
    assert "95 % interval" in said.out
    assert "next: veilmix report runs/sweep-blood-type.jsonl" in said.out
    assert len(read_sweep(HOME).lines) == 4
    for ending in (".png", ".svg", ".csv"):
        assert HOME.with_suffix(ending).stat().st_size > 200
    assert HOME.stat().st_mode & 0o077 == 0
    table = list(csv.DictReader(io.StringIO(HOME.with_suffix(".csv").read_text("utf-8"))))
    assert {row["policy.k"] for row in table} == {"2", "6"}
    assert {row["runs"] for row in table} == {"2"}
    again = typed(*SWEEP)
    assert again.code == 2
    assert "--resume goes on with it" in again.err
    on = typed(*SWEEP[:5], "3", *QUICK, "--resume")
    assert "6 runs, 4 of them done before" in on.out
    assert len(read_sweep(HOME).lines) == 6
    page = typed("report", str(HOME))
    assert page.code == 0
    assert "runs/sweep-blood-type.html" in page.out


@pytest.mark.slow
def test_a_sweep_prints_json_for_programs(typed) -> None:
    data = json.loads(typed(*SWEEP, "--format", "json", "--no-figure").out)
    assert [point["key"] for point in data] == [{"policy.k": 2}, {"policy.k": 6}]
    scores = {score["score"]: score for score in data[0]["scores"]}
    assert scores["columns released"]["runs"] == 2
    assert scores["columns released"]["interval"] is None  # the same in both runs
    assert scores["released at all"]["interval"] == [pytest.approx(0.025**0.5), 1.0]
    said = typed(*SWEEP, "--format", "csv", "--no-figure", "--out", "x.jsonl")
    rows = list(csv.reader(io.StringIO(said.out)))
    assert rows[0] == ["policy.k", "score", "unit", "runs", "mean", "low_95", "high_95"]
    assert {len(row) for row in rows} == {7}
    quiet = typed(*SWEEP, "--quiet", "--out", "y.jsonl")
    assert (quiet.out, quiet.err) == ("y.jsonl\n", "")


@pytest.mark.slow
def test_shards_put_together_are_the_sweep(typed) -> None:
    for part in ("1/2", "2/2"):
        said = typed(*SWEEP, "--shard", part, "--no-figure")
        assert said.code == 0
        assert "2 runs\n" in said.out
    files = [Path(f"runs/sweep-blood-type-{i}of2.jsonl") for i in (1, 2)]
    HOME.write_bytes(b"".join(file.read_bytes() for file in files))
    on = typed(*SWEEP, "--resume", "--no-figure")
    assert "4 runs, 4 of them done before" in on.out


@pytest.mark.slow
def test_without_a_seed_it_says_so(typed) -> None:
    scenario = '[scenario]\nname = "x"\n[population]\nsource = "builtin:titanic"\nusers = 60\n'
    Path("x.toml").write_text(scenario + "[sweep]\n'policy.k' = [2, 3]\n")
    said = typed("sweep", "x.toml", *QUICK, "--no-figure")
    assert said.code == 0, said.err
    assert "system randomness" in said.out
    assert "one run a point: no intervals" in said.out
    assert [line.seed for line in read_sweep(Path("runs/sweep-x.jsonl")).lines] == [None, None]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("blood-type",), "nothing to sweep"),
        (("blood-type", "--set", "policy.k"), "PATH=V1,V2 is accepted"),
        (("blood-type", "--set", "policy.kk=1"), "did you mean `policy.k`?"),
        (("blood-type", "--set", "policy.k=2,50"), "larger than the 30 people"),
        (("blood-type", "--set", "policy.k=2", "--shard", "3/2"), "I/N with I from 1 to N"),
        (("blood-type", "--set", "policy.k=2", "--executor", "x"), "module:function"),
        (("blood", "--set", "policy.k=2"), "did you mean"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_played(
    typed, arguments: tuple[str, ...], says: str
) -> None:
    said = typed("sweep", *arguments)
    assert said.code == 2
    assert says in said.err
    assert not Path("runs").exists()


@pytest.mark.slow
def test_check_judges_the_grid_and_says_what_it_comes_to(typed) -> None:
    said = typed("check", "more-people")
    assert said.code == 0
    assert "veilmix sweep more-people   plays population.users (4) x policy.rule (2)" in said.out
    assert said.out.endswith(", 5 runs a point: 40 runs\n")
    text = '[scenario]\nname = "x"\n[population]\nsource = "builtin:titanic"\nusers = 60\n'
    Path("x.toml").write_text(text + "[sweep]\n'population.users' = [60, 3]\n")
    wrong = typed("check", "x.toml")
    assert wrong.code == 2
    assert "where population.users = 3: policy.k: k = 5 is larger than the 3 people" in wrong.err


@pytest.mark.slow
def test_a_crash_is_reported_and_the_rest_kept(typed, monkeypatch: pytest.MonkeyPatch) -> None:
    from veilmix.scenarios.lab.play.run import run

    def fails(scenario, *args, **more):
        if scenario.policy.k == 6:
            raise ZeroDivisionError("of the test")
        return run(scenario, *args, **more)

    monkeypatch.setattr("veilmix.scenarios.studies.sweeps.sweep.run", fails)
    said = typed(*SWEEP, "--no-figure")
    assert said.code == 1
    assert "2 runs of 4 crashed" in said.err
    assert "ZeroDivisionError: of the test   (first at policy.k = 6, seed " in said.err
    record = read_sweep(HOME)
    assert (len(record.lines), len(record.failed)) == (2, 2)
    assert typed("report", str(HOME)).code == 0
    assert "2 runs crashed" in HOME.with_suffix(".html").read_text("utf-8")


@pytest.fixture
def begun(started, tmp_path: Path):
    """Start a sweep that will not end, in a session of its own, and wait for its first runs."""

    def begin(executor: str) -> subprocess.Popen[str]:
        command = (sys.executable, "-m", "veilmix", *SWEEP[:5], "5000", "--mode", "ideal")
        sweep = started(*command, "--executor", executor, "--workers", "1", cwd=tmp_path)
        file = tmp_path / HOME
        while not (file.exists() and file.read_bytes().count(b"\n") >= 2):
            assert sweep.poll() is None, sweep.communicate()
            time.sleep(0.05)
        return sweep

    return begin


@pytest.mark.place
@pytest.mark.slow
@pytest.mark.parametrize("executor", sampled(["process", "thread"], 0))
def test_ctrl_c_keeps_what_is_done(begun, tmp_path: Path, executor: str) -> None:
    sweep = begun(executor)
    os.killpg(sweep.pid, signal.SIGINT)  # as a terminal does, to all its processes
    _, err = sweep.communicate()
    assert sweep.returncode == 130, err
    assert "--resume goes on" in err
    assert "Traceback" not in err
    record = read_sweep(tmp_path / HOME)
    assert (len(record.lines) >= 2, record.cut) == (True, 0)
    assert f"{len(record.lines)} runs of 10,000 finished" in err


def living(group: int) -> bool:
    """Whether a process of a group lives; one that ended and nobody asked after does not."""
    said = subprocess.run(["ps", "-A", "-o", "pgid=,stat="], capture_output=True, text=True)
    rows = [line.split() for line in said.stdout.splitlines()]
    return any(int(row[0]) == group and not row[1].startswith("Z") for row in rows)


@pytest.mark.place
@pytest.mark.slow
@pytest.mark.parametrize(
    "end", sampled([signal.SIGKILL, signal.SIGTERM, signal.SIGHUP], 0, 1), ids=lambda x: x.name
)
def test_processes_end_with_a_sweep_that_is_killed(
    begun, tmp_path: Path, end: signal.Signals
) -> None:
    sweep = begun("process")
    assert living(sweep.pid)
    sweep.send_signal(end)
    sweep.communicate()
    while living(sweep.pid):
        time.sleep(0.05)
    assert len(read_sweep(tmp_path / HOME).lines) >= 2

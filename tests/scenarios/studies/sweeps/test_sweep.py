"""A sweep plays every point of its grid as often as it says, keeps each run, and goes on."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, suppress
from pathlib import Path
from threading import Event

import pytest
from msgspec.structs import replace
from veilmix.errors import LocalError, ParameterError, ScenarioError, StorageError
from veilmix.roles.compute import executors
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import change, load, loads
from veilmix.scenarios.studies.sweeps.sweep import play_one, sweep
from veilmix.scenarios.studies.sweeps.sweep_file import SweepLine, smallest_coalition, written
from veilmix.scenarios.studies.sweeps.sweep_log import SweepLog
from veilmix.scenarios.studies.sweeps.sweep_plan import SweepJob, axes, mark_of, plan
from veilmix.scenarios.studies.sweeps.sweep_runs import read_sweep

BLOOD = load("blood-type")
ALONG = {"policy.k": (2, 6), "mix.shufflers": (1, 2)}


def threads() -> Executor:
    return ThreadPoolExecutor(1)


def jobs(repeats: int = 2, seed: int | None = 7) -> tuple[SweepJob, ...]:
    return plan(BLOOD, ALONG, repeats, seed, "ideal")


@pytest.fixture(scope="module")
def lines() -> tuple[SweepLine, ...]:
    return tuple(sweep(jobs(), threads, 2))


def test_every_point_is_played_with_the_same_independent_seeds(
    lines: tuple[SweepLine, ...],
) -> None:
    assert len(lines) == 8
    seeds: dict[int, set[int | None]] = {}
    for line in lines:
        seeds.setdefault(line.number, set()).add(line.seed)
    assert [len(each) for each in seeds.values()] == [1, 1]
    assert seeds[1] != seeds[2]
    line = lines[3]
    there = change(BLOOD, line.key)
    assert line.result == run(there, line.seed, "ideal", worst_case_nodes=0).result()
    assert [job.seed for job in jobs(5)][:8] == [job.seed for job in jobs(2)]
    assert jobs(seed=8)[0].seed != jobs(seed=7)[0].seed


def test_without_a_seed_no_run_is_seeded() -> None:
    unsaid = replace(BLOOD, scenario=replace(BLOOD.scenario, seed=None))
    unseeded = plan(unsaid, ALONG, 2, None, "ideal")
    assert {job.seed for job in unseeded} == {None}
    names = {job.line({}).name for job in unseeded}
    assert len(names) == 8


def test_a_swept_seed_is_the_seed() -> None:
    runs = plan(BLOOD, {"scenario.seed": (3, 5)}, 1, None, "ideal")
    assert [job.seed for job in runs] == [3, 5]
    with pytest.raises(ParameterError, match="each of its values is a repetition"):
        plan(BLOOD, {"scenario.seed": (3, 5)}, 2)


FAULTY = """
[scenario]
name = "leavers"
[population]
source = "builtin:titanic"
users = 60
[[fault]]
attack = "absent"
share = 0.1
[sweep]
"fault[0].share" = [0.0, 0.5]
"""


def test_a_key_of_a_list_is_an_axis() -> None:
    scenario = loads(FAULTY)
    runs = plan(scenario, axes(scenario, {}), 1, 1, "ideal")
    assert [job.scenario.fault[0].share for job in runs] == [0.0, 0.5]
    assert len({job.mark for job in runs}) == 1
    with pytest.raises(ScenarioError, match=r"fault\[1\].share.*did you mean|no such key"):
        axes(scenario, {"fault[1].share": (0.5,)})


def test_given_values_replace_those_of_the_file_and_long_axes_come_first() -> None:
    scenario = replace(BLOOD, sweep={"policy.k": (2, 2, 3), "mix.shufflers": (1, 2)})
    assert axes(scenario, {}) == {"policy.k": (2, 3), "mix.shufflers": (1, 2)}
    given = axes(scenario, {"policy.k": (4,)})
    assert list(given.items()) == [("mix.shufflers", (1, 2)), ("policy.k", (4,))]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"policy.kk": (1,)}, "--set policy.kk: there is no such key to sweep .did you mean"),
        ({"policy.k": (2, 0)}, "--set policy.k: found 0; a whole number of at least 1"),
        ({"policy.k": ("two",)}, '--set policy.k: found "two"; a whole number'),
        ({"mix.suite": ("sealed",)}, "one of hpke-pq, .*did you mean `sealedbox`"),
        ({"policy.keeps": ("A",)}, "--set policy.keeps: there is no such key"),
        ({"expect.kept_at_least": (1, 2)}, "no such key"),
    ],
)
def test_wrong_axes_are_told(given: dict[str, tuple[int | str, ...]], says: str) -> None:
    with pytest.raises(ScenarioError, match=says):
        axes(BLOOD, given)


def test_what_is_wrong_at_a_point_is_told_before_anything_is_played() -> None:
    with pytest.raises(ScenarioError) as caught:
        plan(BLOOD, {"policy.k": (2, 50), "mix.shufflers": (1, 2)})
    told = caught.value.problems
    assert len(told) == 2
    assert told[0].startswith("where policy.k = 50, mix.shufflers = 1: policy.k: k = 50 is larger")


def test_coalitions_are_looked_at_where_all_their_shufflers_are() -> None:
    runs = plan(load("who-must-collude"), {"mix.shufflers": (1, 2, 3)}, 1, 1, "ideal")
    assert [len(job.scenario.coalition) for job in runs] == [0, 1, 5]
    results = [play_one(job).result for job in runs]
    assert [smallest_coalition(result) for result in results] == [2, 3, 4]


def test_a_crash_is_a_line_and_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(scenario, *args, **more):
        if scenario.policy.k == 6:
            raise ZeroDivisionError("of the test")
        return run(scenario, *args, **more)

    monkeypatch.setattr("veilmix.scenarios.studies.sweeps.sweep.run", fails)
    records = list(sweep(jobs(1), threads, 2))
    assert sorted((line.key["policy.k"], line.error is None) for line in records) == [
        (2, True), (2, True), (6, False), (6, False),
    ]  # fmt: skip
    bad = next(line for line in records if line.error)
    assert bad.error.strip().endswith("ZeroDivisionError: of the test")
    assert bad.result == {}


class Mortal(ThreadPoolExecutor):
    """Dies, as a pool of processes does when one is killed, on some jobs."""

    deadly = staticmethod(lambda job: False)

    def __init__(self) -> None:
        super().__init__(1)
        self.dead = False

    def submit(self, fn, /, job):
        if self.dead:
            raise BrokenProcessPool("dead")
        if self.deadly(job):
            self.dead = True
            future: Future[SweepLine] = Future()
            future.set_exception(BrokenProcessPool("killed"))
            return future
        return super().submit(fn, job)


def test_what_kills_its_worker_is_tried_alone_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    killer = {"policy.k": 6, "mix.shufflers": 1}
    monkeypatch.setattr(Mortal, "deadly", staticmethod(lambda job: job.key == killer))
    records = list(sweep(jobs(2), Mortal, 3))
    assert len(records) == 8
    assert [line.key for line in records if line.error] == [killer, killer]
    monkeypatch.setattr(Mortal, "deadly", staticmethod(lambda job: True))
    with pytest.raises(LocalError, match="5 runs ended like this"):
        list(sweep(jobs(2), Mortal, 3))


def test_leaving_early_plays_no_more() -> None:
    begun: list[SweepJob] = []

    class Counting(ThreadPoolExecutor):
        def submit(self, fn, /, job):
            begun.append(job)
            return super().submit(fn, job)

    running = sweep(jobs(4), lambda: Counting(1), 2)
    next(running)
    running.close()
    assert len(begun) <= 4 < len(jobs(4))


def kept(path: Path, lines: tuple[SweepLine, ...], tail: bytes = b"") -> Path:
    path.write_bytes(b"".join(map(written, lines)) + tail)
    return path


def test_a_sweep_goes_on_where_it_was_cut(lines: tuple[SweepLine, ...], tmp_path: Path) -> None:
    file = kept(tmp_path / "x.jsonl", lines[:3], written(lines[3])[:-30])
    log = SweepLog(file, resume=True)
    left = log.todo(jobs())
    assert len(left) == 5
    for job in left:
        log.add(play_one(job))
    assert log.todo(jobs()) == ()
    log.close()
    record = read_sweep(file)
    assert record.cut == 0
    assert sorted(line.name for line in record.lines) == sorted(line.name for line in lines)
    assert {line.name: line.result for line in record.lines} == {
        line.name: line.result for line in lines
    }


def test_a_whole_line_without_its_end_is_kept(lines: tuple[SweepLine, ...], tmp_path: Path) -> None:
    file = kept(tmp_path / "x.jsonl", lines[:1], written(lines[1])[:-1])
    log = SweepLog(file, resume=True)
    log.add(lines[2])
    log.close()
    assert [line.name for line in read_sweep(file).lines] == [line.name for line in lines[:3]]


def test_crashed_runs_are_tried_again(lines: tuple[SweepLine, ...], tmp_path: Path) -> None:
    bad = replace(lines[0], result={}, error="ZeroDivisionError")
    file = kept(tmp_path / "x.jsonl", (bad, *lines[1:]))
    log = SweepLog(file, resume=True)
    assert [job.line({}).name for job in log.todo(jobs())] == [bad.name]
    log.add(lines[0])
    log.close()
    assert (len(read_sweep(file).lines), read_sweep(file).failed) == (8, ())


def test_a_file_is_never_overwritten_nor_mixed(
    lines: tuple[SweepLine, ...], tmp_path: Path
) -> None:
    file = kept(tmp_path / "x.jsonl", lines)
    with pytest.raises(StorageError, match="--resume"):
        SweepLog(file, resume=False)
    other = replace(BLOOD, policy=replace(BLOOD.policy, max_exposure=0.2))
    for scenario, along, mode in (
        (other, ALONG, "ideal"),
        (BLOOD, ALONG, "real"),
        (BLOOD, {"policy.k": (2,)}, "ideal"),
    ):
        with (
            closing(SweepLog(file, resume=True)) as log,
            pytest.raises(StorageError, match="8 runs of another sweep"),
        ):
            log.todo(plan(scenario, along, 1, 7, mode))
    assert file.read_bytes() == b"".join(map(written, lines))
    empty = kept(tmp_path / "z.jsonl", ())
    SweepLog(empty, resume=False).close()
    broken = kept(tmp_path / "y.jsonl", lines[:1], b"hello\n")
    with pytest.raises(StorageError, match=r"y.jsonl:2"):
        SweepLog(broken, resume=True)


def test_a_grid_that_grows_keeps_its_runs(lines: tuple[SweepLine, ...], tmp_path: Path) -> None:
    file = kept(tmp_path / "x.jsonl", lines)
    more = plan(BLOOD, {**ALONG, "policy.k": (2, 6, 7)}, 3, 7, "ideal")
    log = SweepLog(file, resume=True)
    assert len(log.todo(more)) == 3 * 2 * 3 - 8
    assert len(log.stored_lines(more)) == 8
    log.close()


def test_the_mark_knows_the_data_and_not_where_they_are(tmp_path: Path) -> None:
    marks = []
    for place, text in (("a", "x,y\n1,2\n"), ("b", "x,y\n1,2\n"), ("c", "x,y\n1,3\n")):
        (tmp_path / place).mkdir()
        (tmp_path / place / "people.csv").write_text(text * 1)
        scenario = loads(
            '[scenario]\nname = "x"\n[population]\nsource = "people.csv"\n[mix]\nmin_batch = 1\n'
            "[policy]\nk = 1\n",
            "x.toml",
            tmp_path / place,
        )
        marks.append(mark_of(scenario, {}, "ideal"))
    assert marks[0] == marks[1] != marks[2]


def test_shards_are_the_whole() -> None:
    whole = jobs()
    parts = [whole[i::3] for i in range(3)]
    assert sorted(job.line({}).name for part in parts for job in part) == sorted(
        job.line({}).name for job in whole
    )


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    text = "from concurrent.futures import ThreadPoolExecutor\n"
    text += "def mine(): return ThreadPoolExecutor(1)\ndef wrong(): return 3\n"
    (tmp_path / "sweep_plugin.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*__import__("sys").path])
    yield
    __import__("sys").modules.pop("sweep_plugin", None)


@pytest.mark.usefixtures("plugin")
def test_an_executor_of_another_package_plays_the_runs() -> None:
    make, window = executors.executor("sweep_plugin:mine", None)
    assert window == executors.DEFAULT_JOBS
    assert len(list(sweep(jobs(1), make, window))) == 4
    with pytest.raises(ParameterError, match="it gave int"):
        list(sweep(jobs(1), executors.executor("sweep_plugin:wrong", 2)[0], 4))
    for name in ("sweep_plugin:none", "no_such_module:x", "fibre", ":x"):
        with pytest.raises(ParameterError, match="--executor"):
            executors.executor(name, None)


def test_an_executor_that_cannot_cancel_when_it_shuts_down() -> None:
    class Distant(ThreadPoolExecutor):  # as Dask's: no cancel_futures
        def shutdown(self, wait=True):
            super().shutdown(wait)

    assert len(list(sweep(jobs(1), lambda: Distant(1), 2))) == 4
    running = sweep(jobs(1), lambda: Distant(1), 2)
    next(running)
    running.close()


@pytest.mark.slow
def test_processes_give_what_threads_give(lines: tuple[SweepLine, ...]) -> None:
    make, window = executors.executor("process", 1)
    records = list(sweep(jobs(), make, window))
    assert {line.name: line.result for line in records} == {
        line.name: line.result for line in lines
    }


@pytest.mark.slow
def test_leaving_ends_the_processes() -> None:
    from multiprocessing import active_children

    before = set(active_children())
    running = sweep(jobs(50), lambda: executors.processes(1), 2)
    next(running)
    started = set(active_children()) - before
    assert started
    running.close()
    for child in started:
        child.join()  # the test's own limit is the limit


def signalling(number: int) -> None:
    os.kill(os.getpid(), number)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=lambda x: x.name)
def test_a_lost_process_breaks_the_pool_as_was_assumed(number: signal.Signals) -> None:
    """One that was stopped would be waited for for ever."""
    with executors.processes(1) as pool:
        future = pool.submit(signalling, number)
        assert isinstance(future.exception(), BrokenProcessPool)


def test_threads_are_as_many_as_processors() -> None:
    make, window = executors.executor("thread", None)
    assert window == executors.JOBS_PER_WORKER * executors.processors()
    with make() as pool:
        assert pool.submit(os.getpid).result() == os.getpid()


def test_ctrl_c_waits_for_nothing_that_threads_are_at_and_drops_the_rest() -> None:
    """Threads cannot be ended, so whoever pressed it goes on beside them."""
    begun, free = Event(), Event()

    def work() -> bool:
        begun.set()
        return free.wait()

    with suppress(KeyboardInterrupt), executors.opened("thread", 1) as pool:
        first, second = pool.submit(work), pool.submit(os.getpid)
        begun.wait()
        raise KeyboardInterrupt
    seen = (first.running(), second.cancelled())
    free.set()
    assert seen == (True, True)
    assert first.result()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_ctrl_c_waits_for_nothing_that_processes_are_at() -> None:
    with suppress(KeyboardInterrupt), executors.opened("process", 1) as pool:
        process = Path("/proc") / str(pool.submit(os.getpid).result())
        pool.submit(time.sleep, 10_000)
        raise KeyboardInterrupt
    while process.exists():
        time.sleep(0.01)

"""`--executor` is the same option of five commands: who works changes nothing of what is told."""

import json
from pathlib import Path
from typing import Any

import pytest
from veilmix.roles.compute import dask_cluster

COMMANDS = {
    "run": ("run", "blood-type", "--seed", "7", "--no-save", "--format", "json"),
    "sweep": ("sweep", "blood-type", "--set", "policy.k=2,5", "--mode", "ideal", "--seed", "7"),
    "attack": ("attack", "blood-type", "--seed", "7", "--attacks", "drop", "--repeats", "1",
               "--defences", "receipts", "--no-save"),
    "compare": ("compare", "blood-type", "--seed", "7", "--programs", "trusted", "--no-save"),
    "reproduce": ("reproduce", "000", "3", "--worst-case", "0"),
}  # fmt: skip
OWN = "import concurrent.futures as cf\ndef mine():\n    return cf.ThreadPoolExecutor(1)"


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_works_with_threads_and_with_somebody_elses(typed: Any, command: str) -> None:
    Path("own_executor.py").write_text(OWN)
    for name in ("thread", "own_executor:mine"):
        more = ("--out", f"{name.partition(':')[0]}.jsonl") if command == "sweep" else ()
        reply = typed(*COMMANDS[command], *more, "--executor", name)
        assert reply.code == 0, reply.err


def test_a_run_in_threads_is_the_run(typed: Any) -> None:
    plain = json.loads(typed(*COMMANDS["run"]).out)
    assert json.loads(typed(*COMMANDS["run"], "--executor", "thread").out) == plain
    Path("own_executor.py").write_text(OWN)
    there = json.loads(typed(*COMMANDS["run"], "--executor", "own_executor:mine").out)
    assert "a simulation" in there.pop("executor")
    assert there == plain


@pytest.mark.slow
def test_figures_are_the_same_files(typed: Any) -> None:
    assert typed(*COMMANDS["reproduce"], "--out", "here").code == 0
    assert typed(*COMMANDS["reproduce"], "--out", "there", "--executor", "thread").code == 0
    for path in Path("here").glob("*.csv"):
        assert path.read_bytes() == (Path("there") / path.name).read_bytes()
    assert {path.name for path in Path("here").iterdir()} == {
        path.name for path in Path("there").iterdir()
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_executor_is_one_line(
    typed: Any, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_cluster, "PATIENCE", 0.2)
    reply = typed(*COMMANDS[command], "--executor", "fibre")
    assert reply.code == 2
    assert "dask:ADDRESS" in reply.err
    pytest.importorskip("distributed", reason="extra: cluster")
    reply = typed(*COMMANDS[command], "--executor", "dask:tcp://127.0.0.1:9")
    assert reply.code == 2
    assert "no scheduler answers there" in reply.err


@pytest.mark.parametrize(
    ("more", "said"),
    [(("--mode", "ideal"), "choose mode real"), (("--processes",), "or the executor out")],
    ids=["ideal", "processes"],
)
def test_what_has_no_work_to_give(typed: Any, more: tuple[str, ...], said: str) -> None:
    Path("own_executor.py").write_text(OWN)
    reply = typed(*COMMANDS["run"], *more, "--executor", "own_executor:mine")
    assert reply.code == 2
    assert said in reply.err

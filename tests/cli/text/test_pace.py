"""Long work says in a pipe how far it is: whole lines on stderr, and none of short work."""

from collections.abc import Callable, Iterator

import pytest
import veilmix
from veilmix.cli.text import pace
from veilmix.cli.text.pace import EVERY, FIRST_DELAY, Pace
from veilmix.scenarios.studies import api as doors
from veilmix.scenarios.studies.sweeps import sweep as played_by


def test_the_first_line_comes_late_and_the_others_seldom(capsys) -> None:
    times = iter([0.0, FIRST_DELAY - 1, FIRST_DELAY, FIRST_DELAY + EVERY - 1, FIRST_DELAY + EVERY])
    told = Pace(lambda: next(times))
    for line in ("early", "first", "between", "second"):
        told.print_due(line)
    assert capsys.readouterr().err == "first\nsecond\n"


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line is due."""
    monkeypatch.setattr(pace, "FIRST_DELAY", 0.0)
    monkeypatch.setattr(pace, "EVERY", 0.0)


COMMANDS: dict[str, tuple[tuple[str, ...], str]] = {
    "compare": (
        ("compare", "blood-type", "--programs", "trusted,shares", "--seed", "7", "--no-save"),
        "playing trusted ...\nplaying shares ...\n",
    ),
    "sweep": (
        (
            *("sweep", "blood-type", "--set", "policy.k=2,5", "--mode", "ideal", "--seed", "1"),
            *("--executor", "thread", "--workers", "1", "--no-figure"),
        ),
        "played 1 of 2 runs\nplayed 2 of 2 runs\n",
    ),
    "attack": (
        (
            *("attack", "blood-type", "--seed", "7", "--attacks", "drop", "--defences", "balance"),
            *("--repeats", "1", "--workers", "1", "--no-save"),
        ),
        "runs\n",
    ),
    "score": (("score", "people.csv", "--format", "json"), "columns one by one\n"),
    "advise": (("advise", "people.csv", "--format", "json"), "ladders of coarser values\n"),
    "worst": (("worst", "people.csv", "--format", "json"), "reading people.csv\n"),
    "counts": (("counts", "people.csv", "age,b", "--format", "json"), "reading people.csv\n"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_long_work_says_in_a_pipe_how_far_it_is(typed, slow, name: str, tmp_path) -> None:
    rows = "".join(f"{30 + n % 3},{'ab'[n % 2]}\n" for n in range(24))
    (tmp_path / "people.csv").write_text(f"age,b\n{rows}", "utf-8")
    command, line = COMMANDS[name]
    said = typed(*command)
    assert said.code == 0
    assert line in said.err
    assert "\r" not in said.err
    assert line not in said.out


@pytest.mark.slow
def test_short_work_says_nothing(typed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "FIRST_DELAY", 1e9)
    assert typed(*COMMANDS["compare"][0]).err == ""


def pressed(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Have Ctrl-C pressed after so many runs."""
    whole: Callable[..., Iterator[object]] = played_by.sweep

    def cut(*given: object) -> Iterator[object]:
        for done, line in enumerate(whole(*given)):
            if done == after:
                raise KeyboardInterrupt
            yield line

    monkeypatch.setattr(doors, "play_jobs", cut)
    monkeypatch.setattr(played_by, "sweep", cut)


SWEPT = COMMANDS["sweep"][0]


@pytest.mark.slow
def test_a_sweep_that_is_interrupted_gives_what_it_has(typed, monkeypatch) -> None:
    pressed(monkeypatch, 1)
    said = typed(*SWEPT)
    assert said.code == 130
    assert "policy.k" in said.out
    assert "saved runs/sweep-blood-type.jsonl" in said.out
    assert "1 run of 2 finished and saved" in said.err
    with pytest.raises(doors.SweepStopped) as stopped:
        veilmix.sweep("blood-type", {"policy.k": [2, 5]}, seed=1, mode="ideal")
    assert [row["policy.k"] for row in stopped.value.swept_runs.frames.runs] == [2]
    assert stopped.value.total == 2


@pytest.mark.slow
def test_a_sweep_that_is_interrupted_at_once_prints_no_table(typed, monkeypatch) -> None:
    pressed(monkeypatch, 0)
    said = typed(*SWEPT)
    assert said.code == 130
    assert "saved" not in said.out
    with pytest.raises(KeyboardInterrupt):
        veilmix.sweep("blood-type", {"policy.k": [2, 5]}, seed=1, mode="ideal")

"""The file of a sweep: what is written is read, a cut-off line is left out, nothing else is."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from veilmix.analysis.estimation.mean_interval import estimate
from veilmix.errors import StorageError
from veilmix.number_text import interval
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import change, load, loads
from veilmix.scenarios.studies.sweeps.sweep_file import (
    SweepLine,
    estimates,
    looks_like_one,
    written,
)
from veilmix.scenarios.studies.sweeps.sweep_runs import read_sweep


@cache
def whole() -> dict[str, Any]:
    return run("blood-type", 7, "ideal", worst_case_nodes=0).result()


def line(k: int, number: int, **result: object) -> SweepLine:
    return SweepLine(
        key={"policy.k": k}, seed=number, version="0.1.0", result={**whole(), **dict(result)}
    )


def test_what_is_written_is_read(tmp_path: Path) -> None:
    file = tmp_path / "sweep.jsonl"
    outcome = run("blood-type", 7, "ideal", worst_case_nodes=0)
    lines = [line(k, seed, **outcome.result()) for k in (3, 2) for seed in (1, 2)]
    file.write_bytes(b"".join(map(written, lines)))
    sweep = read_sweep(file)
    assert [json.loads(written(record)) for record in sweep.lines] == [
        json.loads(written(record)) for record in lines
    ]
    assert sweep.cut == 0
    assert sweep.axes == {"policy.k": (2, 3)}
    assert [len(each) for each in sweep.groups().values()] == [2, 2]
    assert looks_like_one(file)
    scores = {score.score: score for score in estimates(sweep.lines)}
    assert scores["promised exposure"].mean == outcome.exposure.promised
    assert scores["columns released"].mean == 2
    assert scores["linked by one reader alone"].mean == 0
    assert "largest error of a share" not in scores


def test_the_last_of_two_lines_about_the_same_run_counts(tmp_path: Path) -> None:
    file = tmp_path / "sweep.jsonl"
    file.write_bytes(
        written(line(2, 1, seed=1)) + written(line(2, 2)) + written(line(2, 1, seed=2))
    )
    sweep = read_sweep(file)
    seeds = [(record.seed, record.result["seed"]) for record in sweep.lines]
    assert seeds == [(2, 7), (1, 2)]


def test_a_line_that_was_being_written_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "sweep.jsonl"
    file.write_bytes(written(line(2, 1)) + written(line(2, 2))[:-9])
    sweep = read_sweep(file)
    assert (len(sweep.lines), sweep.cut) == (1, 1)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"hello\n", "sweep.jsonl:1"),
        (written(line(2, 1)) + b'{"key": {}}\n', "sweep.jsonl:2"),
        (written(line(2, 1)).replace(b'"schema":1', b'"schema":9', 1), "schema 9"),
        (written(line(2, 1)).replace(b'"seed"', b'"sead"', 1), "sead"),
        (b"", "no complete run"),
        (written(line(2, 1, users="many")), r"sweep.jsonl:1: .* result.users: Expected `int`"),
        (written(line(2, 1))[:-5], "no complete run"),
    ],
)
def test_anything_else_is_told_with_its_line(tmp_path: Path, text: bytes, says: str) -> None:
    file = tmp_path / "sweep.jsonl"
    file.write_bytes(text)
    with pytest.raises(StorageError, match=says):
        read_sweep(file)


def test_a_missing_sweep_is_a_storage_error(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be read"):
        read_sweep(tmp_path / "none")
    assert not looks_like_one(tmp_path / "none")


@pytest.mark.slow
def test_the_interval_is_students() -> None:
    """Mean 2, standard deviation 1, three runs: t with 2 degrees of freedom is 4.302653."""
    score = estimate("x", [1.0, 2.0, 3.0])
    assert score.mean == 2.0
    assert score.high - score.mean == pytest.approx(4.302653 / 3**0.5, abs=1e-6)
    assert score.mean - score.low == pytest.approx(score.high - score.mean)


@pytest.mark.slow
def test_an_interval_ends_where_the_score_does() -> None:
    score = estimate("x", [0.0, 0.0, 0.3], minimum=0.0, maximum=1.0)
    assert score.low == 0.0
    assert score.high == pytest.approx(0.1 + 4.302653 * 3**0.5 * 0.1 / 3**0.5, abs=1e-6)
    assert interval(score.mean, score.low, score.high, "share of people") == "10 % (0 to 53)"
    assert interval(0.1, 0.05, 0.15, "share of people") == "10 +- 5 %"
    assert interval(2, 2, 2, "columns") == "2"


NOISE = """[scenario]
name = "noisy"
seed = 3
[population]
source = "builtin:blood-type"
users = {users}
[policy]
kind = "{kind}"
[local]
mechanism = "{mechanism}"
epsilon = 1.0
"""


def noisy(users: int = 30) -> Outcome:
    text = NOISE.format(users=users, kind="histogram", mechanism="grr")
    return run(loads(text), mode="ideal", worst_case_nodes=0)


def scored(result: dict[str, Any]) -> dict[str, float]:
    one = SweepLine(key={"policy.k": 2}, seed=1, version="0.1.0", result=result)
    return {score.score: score.mean for score in estimates([one])}


def test_reports_that_are_too_many_for_the_file_were_released_all_the_same() -> None:
    """Before, a sweep said 0 % of runs of more than 1,000 different reports, and a run said yes."""
    outcome = noisy()
    few = outcome.result()
    assert few["release"] is not None
    many = replace(outcome, release=None)
    assert many.released
    for result in (few, many.result()):
        assert scored(json.loads(json.dumps(result)))["released at all"] == 1.0


@pytest.mark.parametrize(
    ("key", "value"), [("policy.k", 30), ("policy.k", 29)], ids=["all", "all but one"]
)
def test_a_run_without_a_release_released_nothing(key: str, value: int) -> None:
    keys = {"policy.max_exposure": 0.0, "policy.kind": "hierarchical", key: value}
    outcome = run(change(load("blood-type"), keys), 7, "ideal", worst_case_nodes=0)
    assert not outcome.released
    assert scored(json.loads(json.dumps(outcome.result())))["released at all"] == 0.0


def test_a_burned_run_of_noise_released_nothing() -> None:
    text = NOISE.format(users=30, kind="histogram", mechanism="grr") + "[mix]\nmin_batch = 29\n"
    text += '[[fault]]\nattack = "absent"\nusers = 5\n'
    outcome = run(loads(text), mode="ideal", worst_case_nodes=0)
    assert outcome.burned
    assert not outcome.released
    assert scored(json.loads(json.dumps(outcome.result())))["released at all"] == 0.0


def test_noise_is_scored_by_epsilon_error_and_bits() -> None:
    outcome = noisy(400)
    scores = scored(json.loads(json.dumps(outcome.result())))
    assert scores["local epsilon"] == 1.0
    assert 0 < scores["epsilon after shuffling"] < 1.0
    assert scores["bits in a person's reports"] > 0
    assert scores["largest error of a share"] >= scores["mean error of a share"] > 0
    plain = scored(json.loads(json.dumps(whole())))
    assert not {"local epsilon", "epsilon after shuffling"} & set(plain)


@pytest.mark.parametrize(
    ("parts", "together", "mixed", "score"),
    [
        ([0.3], None, False, 0.3),  # one question: its own
        ([0.3, 0.4], 0.6, False, 0.6),  # composed
        ([0.3], None, False, None),  # of two questions one is known: the local one holds
        ([], None, False, None),
        ([0.3, 0.4], None, True, 0.7),  # noise of everybody, of two questions
        ([0.3, 1e9], None, True, "nothing"),  # too few people: nothing is promised
    ],
)
def test_epsilon_after_shuffling_is_of_the_whole_answer(
    parts: list[float], together: float | None, mixed: bool, score: float | str | None
) -> None:
    result = json.loads(json.dumps(noisy().result()))
    found = result["findings"]
    (one,) = found["privacy"]["shuffled"][:1]
    found["privacy"]["shuffled"] = [{**one, "hockey_stick": part} for part in parts]
    found["privacy"]["together"] = together and {**one, "hockey_stick": together}
    questions = 2 if score is None else max(1, len(parts))
    found["privacy"]["readings"] = found["privacy"]["readings"][:1] * questions
    found["epsilon"]["mixed"] = mixed
    scores = scored(result)
    known = scores.get("epsilon after shuffling", "nothing")
    assert known == (found["epsilon"]["local"] if score is None else pytest.approx(score))
    assert ("local epsilon" in scores) is not mixed  # nothing hides a person before the mix

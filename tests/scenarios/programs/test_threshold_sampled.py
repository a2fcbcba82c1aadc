"""`threshold` of people who take part at random: the same with and without messages."""

import json
from collections import Counter
from pathlib import Path

import pytest
from checks_kit import require
from ideal_kit import check_same
from msgspec.structs import replace
from veilmix.crypto.entropy import SeededEntropy
from veilmix.errors import ScenarioError
from veilmix.languages.language import english
from veilmix.presentation.presenters.registry import presenter_for
from veilmix.protocol.rounds.opened_prefixes import (
    PARTS,
    closed_groups,
    cover,
    is_cover,
    opened,
    sample_parts,
    sampled_rule,
)
from veilmix.protocol.wire.hiding_rules import BLANK
from veilmix.scenarios.attacks.entries.count_closed import ATTACK as COUNTING
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import change, load, loads
from veilmix.scenarios.programs.random_participation import drawn
from veilmix.scenarios.programs.registry import program_of
from veilmix.scenarios.programs.threshold.estimates import estimated_cells
from veilmix.scenarios.programs.threshold.score import OpenedRows
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.schema.model import Policy
from veilmix.scenarios.studies.comparison.compare import compare

TEXT = """[scenario]
name = "shared"
seed = 7
[population]
source = "builtin:hair-eye"
users = 150
[policy]
kind = "threshold"
k = 3
sample = 0.4
"""
SCENARIO = loads(TEXT)
COARSER = TEXT + '[[feature]]\nname = "hair"\nmerge = { dark = ["black", "brown"] }\n'


def said(outcome: Outcome) -> Counter[tuple[str, ...]]:
    assert outcome.transcript
    return Counter(tuple(sent.answers[0][1]) for sent in outcome.transcript.sealed_answers)


@pytest.mark.parametrize("seed", [7, 8])
@pytest.mark.parametrize("text", [TEXT, COARSER], ids=["values", "coarser"])
def test_a_run_is_its_ideal(text: str, seed: int) -> None:
    real, ideal = (run(loads(text), seed, mode) for mode in ("real", "ideal"))  # type: ignore[arg-type]
    check_same(real, ideal)


def test_who_does_not_take_part_is_in_no_group_and_looks_alike() -> None:
    outcome = run(SCENARIO)
    rows = said(outcome)
    covers = rows.pop(cover(3))
    assert 50 < covers < 120
    assert not any(is_cover(row) for row in rows)
    release = outcome.release or {}
    assert {cell: n for cell, n in release.items() if BLANK not in cell} == {
        row: n for row, n in rows.items() if n >= 3
    }
    assert sum(release.values()) == 150
    table = outcome.frames.epsilons
    one, other = "add or remove one", "replace one"
    assert table["adjacency"] == (one, other, one, one)
    assert table["delta"][0] < table["delta"][1]  # another row is told better than none
    assert outcome.transcript
    sizes = {
        (event.kind, event.size)
        for event in outcome.transcript.events
        if event.sender.startswith("user-")
    }
    assert len(sizes) == len({kind for kind, _ in sizes}) == 2  # a question, and an envelope


def test_covers_never_open_however_many() -> None:
    rows = {cover(2): 9, ("a", "b"): 4}
    assert opened(rows, 4, prefixes=False) == {cover(2): 9, ("a", "b"): 4}
    assert closed_groups(rows, 5, prefixes=False) == {1: 9, 4: 1}


def test_without_a_seed_people_say_what_they_sealed() -> None:
    outcome = run(loads(TEXT.replace("seed = 7\n", "")))
    rows = said(outcome)
    release = outcome.release or {}
    assert {c: n for c, n in release.items() if BLANK not in c} == {
        row: n for row, n in rows.items() if n >= 3 and not is_cover(row)
    }


def test_the_rate_is_announced_and_drawn_exactly() -> None:
    assert sample_parts(sampled_rule(PARTS // 4)) == PARTS // 4
    for other in ("threshold", "threshold prefixes", "threshold sample=0/4294967296", "x"):
        assert sample_parts(other) is None
    draws = [drawn(SeededEntropy(7).fork(str(who))) for who in range(4000)]
    assert 0 <= min(draws) < max(draws) < PARTS
    assert abs(sum(draw < PARTS // 4 for draw in draws) - 1000) < 4 * (4000 * 3 / 16) ** 0.5


def test_an_epsilon_is_of_a_sample() -> None:
    with pytest.raises(ScenarioError, match=r"policy\.epsilon: only a sampled release"):
        loads(TEXT.replace("sample = 0.4", "epsilon = 1.0"))


@pytest.mark.long
@pytest.mark.slow
def test_estimates_are_without_bias_over_seeds() -> None:
    """Of a row that always opens: the mean of 60 runs is the truth within 4 standard errors."""
    scenario = change(load("threshold-sampled"), {"population.users": 2000})
    row, seen, true = ("Male", "<=50K", "White"), [], set()
    for seed in range(60):
        outcome = run(scenario, seed, "ideal", worst_case_nodes=0)
        assert isinstance(outcome.findings, OpenedRows)
        assert outcome.findings.sampled
        estimates = {estimate.values: estimate for estimate in outcome.findings.sampled.estimates}
        estimate = estimates[row]
        whole = run(replace(scenario, policy=Policy(kind="threshold", k=10)), seed, "ideal")
        people = (whole.release or {})[row]
        true.add(people)
        seen.append(
            (estimate.people - people, estimate.error, estimate.low <= people <= estimate.high)
        )
    mean = sum(off for off, *_ in seen) / len(seen)
    error = sum(error for _, error, _ in seen) / len(seen)
    assert abs(mean) < 4 * error / len(seen) ** 0.5
    assert sum(inside for *_, inside in seen) >= 50  # 57 expected
    assert len(true) > 1


def test_a_run_is_verified_and_a_changed_one_is_not(tmp_path: Path) -> None:
    folder = save(run(SCENARIO), tmp_path / "shared")
    require(verify(read(folder)))
    file = folder / "result.json"
    data = json.loads(file.read_text("utf-8"))
    data["findings"]["sampled"]["removed"] /= 2
    file.write_text(json.dumps(data), "utf-8")
    assert any(check.ok is False for check in verify(read(folder), wants_replay=False))


@pytest.mark.parametrize(
    ("keys", "where"),
    [
        ({"policy.prefixes": True}, "policy.prefixes"),
        ({"policy.k": 1}, "policy.k"),
        ({"policy.sample": 0.7}, "policy.sample"),
        ({"policy.epsilon": 0.3}, "policy.epsilon"),
        ({"policy.kind": "exposure"}, "policy.sample"),
    ],
)
def test_what_it_does_not_go_with(keys: dict[str, object], where: str) -> None:
    with pytest.raises(ScenarioError, match=where.replace(".", r"\.")):
        change(SCENARIO, keys)


def attacked(name: str, text: str = TEXT, users: int | None = None) -> float:
    struck = f"users = {users}\n" if users else ""
    return run(loads(text + f'[[fault]]\nattack = "{name}"\n{struck}')).attacks[0].value


def test_the_reader_counts_fewer_closed_groups_and_no_groups_of_one() -> None:
    everybody = TEXT.replace("sample = 0.4\n", "")
    sampled, whole = run(SCENARIO).findings, run(loads(everybody)).findings
    assert isinstance(sampled, OpenedRows)
    assert isinstance(whole, OpenedRows)
    expected = sum(crowd.people * crowd.groups for crowd in sampled.closed if crowd.people > 1)
    assert attacked("count-closed") == expected > 0
    assert attacked("count-closed", everybody) == whole.closed_people
    assert "groups of one may be nobody's" in COUNTING.remedy


def test_reader_and_randomness_read_who_takes_part_and_no_covers() -> None:
    rows = said(run(SCENARIO))
    closed = sum(n for row, n in rows.items() if n < 3 and not is_cover(row))
    assert attacked("try-rows") == closed > 0


def test_guessers_take_part_whatever_they_draw() -> None:
    """k - 1 guesses open a row of whoever has it and takes part: their delta is that of k = 1."""
    faulty = loads(TEXT + '[[fault]]\nattack = "guess-row"\nusers = 60\n')
    outcome = run(faulty)
    rows = said(outcome)
    assert outcome.attacks[0].value > 0
    covers = rows[cover(3)]
    assert covers < 150 - 60


def test_junk_closes_nothing_of_those_who_take_part() -> None:
    assert attacked("junk-share", users=12) == 0


def test_it_is_compared_beside_all_rows_and_prefixes() -> None:
    comparison = compare(
        change(SCENARIO, {"population.users": 60}), 1, only=("exposure", "threshold")
    )
    assert not comparison.skipped
    whole, sampled = comparison.program("threshold"), comparison.program("threshold sampled")
    assert 0 < sampled.utility.cells < whole.utility.cells
    assert sampled.utility.mean > whole.utility.mean
    assert sampled.cost.bytes == whole.cost.bytes  # whoever does not take part sends as much


def test_estimates_are_a_release_of_all() -> None:
    nobody = cover(1)
    assert estimated_cells({("a",): 3, nobody: 7}, 0.5) == {("a",): 6, nobody: 4}
    assert estimated_cells({("a",): 9, nobody: 1}, 0.5) == {("a",): 18}


def test_stage_and_page_say_who_takes_part() -> None:
    program, scenario = program_of(SCENARIO), SCENARIO
    outcome = run(scenario)
    presenter = presenter_for(program)
    stage = presenter.stage_announcement(program.policy(scenario), english().part("theatre"))
    assert stage.startswith("each person takes part with probability 0.4, and nobody sees who")
    (part,) = presenter.section(scenario, outcome)
    rows = {row[0]: row[1] for row in part.blocks[0].rows}
    assert rows["delta, release"] == "0.064"
    assert "How many people have a row" in {getattr(block, "caption", "") for block in part.blocks}
    promise = presenter.promise(scenario)
    assert "0.16 for the reader, who counts closed groups, and 0.4 for both together" in promise
    assert any("With probability 0.4" in step for step in presenter.steps(scenario, "", ""))
    names = [name for name, *_ in presenter.scores(outcome)]
    assert names[1:4] == ["delta, release", "delta, reader", "delta, both"]

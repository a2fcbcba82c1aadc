"""An honest run in which nothing can be released verifies, in every program and way of playing."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from claims_kit import claiming, put
from veilmix.errors import ScenarioError, VerificationError
from veilmix.protocol.board.strategies import RoundResult, first_call
from veilmix.protocol.wire.messages import Decision, DecisionCertificate
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import check
from veilmix.scenarios.programs.capabilities import LocalNoise, WeighedChoice
from veilmix.scenarios.programs.decision_proof import verify_decision
from veilmix.scenarios.programs.registry import PROGRAMS, strategy, wire
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.schema.model import Scenario

N = 8
ROWS = [
    ("p", "x"),
    ("p", "x"),
    ("q", "x"),
    ("q", "y"),
    ("r", "y"),
    ("r", "z"),
    ("s", "z"),
    ("t", "z"),
]
ALIKE = [("p", "x")] * N
OPEN = {"open": True, "width": 4}
WIDE = {"values": [*"pqrstxyz", *map(str, range(10))]}  # more values than people
CHOOSE = [kind for kind, program in PROGRAMS.items() if program.capability(WeighedChoice)]
DECIDE = [kind for kind, program in PROGRAMS.items() if not program.capability(LocalNoise)]
ABOVE = "k above the people"  # refused where columns are chosen
NOTHING = "k is all people"  # so no column is safe in which two people differ
Faults = list[dict[str, Any]]
# what is wrong with the people -> rows, columns, feature, policy, faults
CASES: dict[str, tuple[list[tuple[str, ...]], dict[str, Any], dict[str, Any], Faults]] = {
    NOTHING: (ROWS, {}, {"k": N, "max_exposure": 0.0}, []),
    ABOVE: (ROWS, {}, {"k": N + 1, "max_exposure": 0.0}, []),
    "one column": ([row[:1] for row in ROWS], {}, {"k": 3, "max_exposure": 0.0}, []),
    "one value": (ALIKE, {}, {"k": 3, "max_exposure": 0.0}, []),
    "an open domain": (ROWS, OPEN, {"k": 3, "max_exposure": 0.0}, []),
    "more values than people": (ROWS, WIDE, {"k": 3, "max_exposure": 0.0}, []),
    "everybody missing": (ROWS, {}, {"k": 3}, [{"attack": "absent", "users": N}]),
    "everybody leaves": (ROWS, {}, {"k": 2}, [{"attack": "absent", "users": N, "round": 2}]),
}


PLAYED = [(kind, case) for kind in DECIDE for case in CASES if case != ABOVE or kind not in CHOOSE]


def scenario(folder: Path, case: str, kind: str, **mix: Any) -> Scenario:
    rows, feature, policy, faults = CASES[case]
    names = "AB"[: len(rows[0])]
    text = ",".join(names) + "\n" + "".join(",".join(row) + "\n" for row in rows)
    (folder / "people.csv").write_text(text, "utf-8")
    keep = {"keep": ["A"]} if kind == "fixed" else {}
    one_round = kind == "threshold" and any("round" in fault for fault in faults)
    data = {
        "scenario": {"name": "small", "seed": 3},
        "population": {"source": str(folder / "people.csv")},
        "feature": [{"name": name, **feature} for name in names],
        "policy": {"kind": kind, "max_exposure": 0.3, **policy, **keep},
        "mix": {"min_batch": 2, **mix},
        "fault": [] if one_round else faults,
    }
    made = msgspec.convert(data, Scenario)
    check(made)
    return made


def verified(outcome: Outcome, folder: Path) -> None:
    checks = verify(read(save(outcome, folder / "kept")))
    assert [check for check in checks if check.ok is False] == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*CHOOSE, "threshold"])
@pytest.mark.parametrize("mode", ["real", "ideal"])
def test_a_run_without_a_safe_column_verifies(kind: str, mode: Any, tmp_path: Path) -> None:
    """Before, `hierarchical` and `local-suppression` failed: an honest curator was accused."""
    outcome = run(scenario(tmp_path, NOTHING, kind), mode=mode, worst_case_nodes=0)
    if kind == "threshold":
        assert outcome.release == {(" blank", " blank"): N}
    else:
        assert (outcome.decision is not None, outcome.released_columns, outcome.release) == (
            True,
            (),
            None,
        )
    verified(outcome, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in CHOOSE if PROGRAMS[kind].wire == "two-round"])
@pytest.mark.parametrize("mode", ["real", "ideal"])
def test_peers_without_a_safe_column_verify(kind: str, mode: Any, tmp_path: Path) -> None:
    few = scenario(tmp_path, NOTHING, kind, peers=True, path=2, cover=4)
    outcome = run(few, mode=mode, worst_case_nodes=0)
    assert (outcome.burned, outcome.released_columns, outcome.release) == (None, (), None)
    verified(outcome, tmp_path)


@pytest.mark.parametrize(("kind", "case"), PLAYED)
def test_an_honest_run_of_bad_input_verifies(kind: str, case: str, tmp_path: Path) -> None:
    outcome = run(scenario(tmp_path, case, kind), mode="ideal", worst_case_nodes=0)
    assert bool(outcome.burned) == (case == "everybody missing") or case == "everybody leaves"
    verified(outcome, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize(("kind", "case"), PLAYED)
def test_an_honest_run_of_bad_input_verifies_with_messages(
    kind: str, case: str, tmp_path: Path
) -> None:
    verified(run(scenario(tmp_path, case, kind), worst_case_nodes=0), tmp_path)


@pytest.mark.parametrize("kind", CHOOSE)
def test_a_k_above_the_people_is_refused(kind: str, tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="k = 9 is larger than the 8 people taking part"):
        scenario(tmp_path, ABOVE, kind)


def heard(made: Scenario, outcome: Outcome) -> list[RoundResult]:
    assert outcome.marginals is not None
    return [RoundResult(first_call(wire(made), outcome.schema), outcome.marginals)]


LIES: dict[str, Any] = {
    "people": lambda proof: replace(proof, people=1),
    "n": lambda proof: replace(proof, n=N + 1),
}


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("kind", ["hierarchical", "local-suppression"])
def test_another_certificate_of_nothing_is_refused(kind: str, lie: str, tmp_path: Path) -> None:
    made = scenario(tmp_path, NOTHING, kind)
    outcome = run(made, mode="ideal", worst_case_nodes=0)
    honest = strategy(made).decide(outcome.schema, heard(made, outcome))
    verify_decision(honest, outcome.schema, heard(made, outcome))
    told: DecisionCertificate = LIES[lie](honest.certificate)
    if (kind, lie) == ("local-suppression", "people"):
        return  # more than is proved is no lie there: `at most 1` is true of 0
    with pytest.raises(VerificationError, match="certificate"):
        verify_decision(Decision((), told), outcome.schema, heard(made, outcome))


def test_a_claimed_exposure_of_nothing_is_found(tmp_path: Path) -> None:
    outcome = run(scenario(tmp_path, NOTHING, "hierarchical"), worst_case_nodes=0)
    record = read(save(outcome, tmp_path / "kept"))
    path = ("decision", "certificate", "people")
    lied = claiming(record, lambda data: put(path, 1, data))
    assert any(check.ok is False for check in verify(lied, wants_replay=False))

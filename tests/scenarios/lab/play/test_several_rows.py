"""A run with persons of several rows: counts of persons, the same without messages, verified."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import veilmix
from veilmix.crypto.tokens import MOST_ASKED
from veilmix.errors import DataError, ScenarioError
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import check
from veilmix.scenarios.lab.validation.rows_per_person import MOST_TOKENS
from veilmix.scenarios.records.run_folder import Run, read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.records.verification.evidence import RecordEvidence
from veilmix.scenarios.records.verification.rows_per_person import released_persons
from veilmix.scenarios.records.verification.views import view_of
from veilmix.scenarios.schema.model import Scenario
from veilmix.scenarios.schema.single_rows import require_single_rows

NAMES = ("patient_id", "sex", "age", "ward", "diagnosis")
PATIENTS, VISITS, MOST = 40, 6, 7
Rows = list[tuple[str, ...]]


def visits(unequal: bool) -> Rows:
    rng = np.random.default_rng(3)
    made = []
    for who in range(PATIENTS):
        many = 1 + int(rng.integers(MOST)) if unequal else VISITS
        fixed = (f"P{who:04}", "fm"[int(rng.integers(2))], str(20 + 20 * int(rng.integers(3))))
        made += [
            (*fixed, "ab"[int(rng.integers(2))], ("E11", "I10", "J45")[int(rng.integers(3))])
            for _ in range(many)
        ]
    return [made[place] for place in rng.permutation(len(made))]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bool], Path]:
    folder = tmp_path_factory.mktemp("visits")
    for unequal in (False, True):
        lines = [NAMES, *visits(unequal)]
        (folder / f"{unequal}.csv").write_text("\n".join(map(",".join, lines)) + "\n")
    return lambda unequal: folder / f"{unequal}.csv"


def scenario(path: Path, **changes: dict[str, Any]) -> Scenario:
    tables: dict[str, Any] = {
        "scenario": {"name": "visits", "seed": 1},
        "population": {"source": str(path), "person": "patient_id", "rows": 6},
        "policy": {"k": 3, "max_exposure": 0.5},
    }
    for table, keys in changes.items():
        tables[table] = keys if isinstance(keys, list) else {**tables.get(table, {}), **keys}
    return msgspec.convert(tables, Scenario)


def checked(given: Scenario) -> Scenario:
    check(given)
    return given


def persons(rows: Rows, columns: tuple[str, ...], without: set[str] = frozenset()) -> Any:  # type: ignore[assignment]
    """Count different patients with each combination, one by one."""
    places = [NAMES.index(column) for column in columns]
    pairs = {(row[0], *(row[place] for place in places)) for row in rows}
    return Counter(pair[1:] for pair in pairs if pair[0] not in without)


WATCHED, OPEN = {"balance": True, "recompute": True}, {"registered": False}
CASES: dict[str, tuple[bool, dict[str, Any]]] = {
    "exposure": (False, {}),
    "unequal": (True, {"population": {"rows": 7}}),
    "published": (
        True,
        {"population": {"rows": 9}, "policy": {"publish_marginals": True}, "defence": WATCHED},
    ),
    "fixed": (
        True,
        {"population": {"rows": 7}, "policy": {"kind": "fixed", "keep": ["ward"]}, "defence": OPEN},
    ),
    "all": (False, {"policy": {"kind": "all"}, "population": {"users": 30}}),
    "nothing safe": (False, {"policy": {"k": 40, "max_exposure": 0.0}}),
    "tokens": (True, {"population": {"rows": 7}, "defence": {"tokens": True}}),
    "challenge": (True, {"population": {"rows": 7, "users": 20}, "defence": {"challenge": True}}),
    "receipts": (False, {"defence": {"receipts": 0.5, "tokens": True}}),
    "hpke": (False, {"mix": {"suite": "hpke-x25519", "shufflers": 3}, "population": {"users": 9}}),
}


@pytest.mark.parametrize("name", CASES)
def test_real_is_ideal_and_verified(
    files: Callable[[bool], Path], name: str, tmp_path: Path
) -> None:
    unequal, changes = CASES[name]
    given = checked(scenario(files(unequal), **changes))
    real, ideal = run(given), run(given, mode="ideal")
    for outcome in (real, ideal):
        _persons_are_counted(outcome, visits(unequal))
    assert (real.marginals, real.decision, real.release) == (
        ideal.marginals,
        ideal.decision,
        ideal.release,
    )
    assert (real.exposure, real.several, real.considered) == (
        ideal.exposure,
        ideal.several,
        ideal.considered,
    )
    assert real.reidentification == ideal.reidentification
    assert real.coalitions == ideal.coalitions
    assert (real.alarms, real.refused) == ((), {})
    for place, outcome in enumerate((real, ideal)):
        record = read(save(outcome, tmp_path / str(place)))
        failed = [(check.name, check.detail) for check in verify(record) if check.ok is False]
        assert not failed
        assert record.exposure == outcome.exposure
        assert record.several == outcome.several


def _persons_are_counted(outcome: Outcome, rows: Rows) -> None:
    """Counts are of different patients; with a sample they are at most those of all."""
    assert outcome.marginals is not None
    for name, counts in zip(outcome.schema.names, outcome.marginals, strict=True):
        mine = persons(rows, (name,))
        if outcome.users == PATIENTS:
            assert counts == mine
        assert all(many <= mine[cell] for cell, many in counts.items())
    if outcome.release is not None and outcome.users == PATIENTS:
        assert outcome.release == persons(rows, outcome.released_columns)
    assert outcome.exposure.true <= outcome.exposure.promised or outcome.scenario.policy.kind in (
        "fixed",
        "all",
    )
    assert outcome.several is not None
    assert set(outcome.counted[: 2 if outcome.release else 1]) == {outcome.users}


def test_all_ballots_of_a_person_are_linked_together_or_not_at_all(
    files: Callable[[bool], Path],
) -> None:
    outcome = run(checked(scenario(files(False))))
    parties = ("curator", "analyst", "shuffler-1", "shuffler-2")
    for coalition in outcome.coalitions:
        everything = {"shuffler-1", "shuffler-2"} <= {*coalition.parties}
        reads = everything and {"curator", "analyst"} & {*coalition.parties}
        assert coalition.linked == (PATIENTS if reads else 0), coalition.parties
        assert set(coalition.parties) <= {*parties}
        assert coalition.bits > 0  # the release, which all see


def test_those_who_leave_are_not_counted(files: Callable[[bool], Path], tmp_path: Path) -> None:
    faults = [{"attack": "absent", "by": f"user-{i}", "round": 2} for i in range(1, 13)] + [
        {"attack": "malformed", "by": "user-20"},
        {"attack": "late", "by": "user-21"},
        {"attack": "duplicate", "by": "user-22"},
    ]
    given = checked(
        scenario(files(True), population={"rows": 7}, fault=faults, policy={"kind": "all"})
    )
    real, ideal = run(given), run(given, mode="ideal")
    assert real.burned is None
    assert real.counted == ideal.counted == (38, 26)
    assert (real.release, real.exposure) == (ideal.release, ideal.exposure)
    assert real.coalitions == ideal.coalitions
    gone = sorted({row[0] for row in visits(True)})
    out = {gone[i] for i in (*range(12), 19, 20)}
    assert real.release == persons(visits(True), real.released_columns, out)
    few = checked(scenario(files(True), population={"rows": 7}, fault=faults[:3]))
    assert "3 of 40 people are missing" in str(run(few).burned)
    record = read(save(real, tmp_path))
    assert not [check for check in verify(record) if check.ok is False]


def forged(record: Run, **changes: Any) -> Run:
    return replace(record, result=msgspec.structs.replace(record.result, **changes))


def test_forged_figures_do_not_verify(files: Callable[[bool], Path], tmp_path: Path) -> None:
    outcome = run(checked(scenario(files(True), population={"rows": 7}, policy={"kind": "all"})))
    record = read(save(outcome, tmp_path))
    claimed, several = record.result, record.result.several_rows
    assert several
    less = msgspec.structs.replace(claimed.exposure, true=claimed.exposure.true / 2)
    fewer = msgspec.structs.replace(several, rounds=several.rounds[:1])
    for name, changes in (
        ("exposure", {"exposure": less}),
        ("result", {"several_rows": fewer}),
        ("result", {"several_rows": msgspec.UNSET}),
        (
            "found",
            {"reidentification": msgspec.structs.replace(claimed.reidentification, people=9)},
        ),
    ):
        checks = {
            check.name: check.ok for check in verify(forged(record, **changes), wants_replay=False)
        }
        assert checks[name] is False, name


def test_without_the_persons_exposure_is_bounded(
    files: Callable[[bool], Path], tmp_path: Path
) -> None:
    """An ideal run of system randomness: the release allows an interval, and nothing else does."""
    given = scenario(files(True), population={"rows": 7}, policy={"kind": "all"})
    unseeded = checked(
        msgspec.structs.replace(given, scenario=msgspec.structs.replace(given.scenario, seed=None))
    )
    record = read(save(run(unseeded, mode="ideal"), tmp_path))
    evidence = RecordEvidence(record, None)
    (joint,), _ = evidence.counts(2)
    assert released_persons(evidence, joint) is None
    checks = {check.name: check for check in verify(record)}
    assert "which allows" in checks["exposure"].detail
    assert checks["exposure"].ok
    assert checks["found"].ok is None
    none = msgspec.structs.replace(record.result.exposure, true=0.0)
    checks = {check.name: check for check in verify(forged(record, exposure=none))}
    assert checks["exposure"].ok is False


def test_a_person_sees_its_own_rows(files: Callable[[bool], Path], tmp_path: Path) -> None:
    record = read(save(run(checked(scenario(files(False)))), tmp_path))
    own = view_of(record, ["user-3"]).pinned
    assert set(own) == {2}
    patient = sorted({row[0] for row in visits(False)})[2]
    for column, text in own[2].items():
        name = record.result.features[column]
        held = {row[NAMES.index(name)] for row in visits(False) if row[0] == patient}
        assert set(text.split(" | ")) == held


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "too few ballots": ({"population": {"rows": 3}}, "a person has 5 different rows, and rows = 3"),
    "no person": ({"population": {"person": None, "each_row": True}}, "person = COLUMN"),
    "one row": ({"population": {"one_row": "first"}}, "leave one_row out"),
    "builtin": ({"population": {"source": "builtin:titanic"}}, "have one row each; leave rows out"),
    "kind": ({"policy": {"kind": "pairs"}}, 'found "pairs"; with population.rows accepted: "expo'),
    "opened rows": ({"policy": {"kind": "threshold"}}, 'found "threshold"'),
    "hierarchical": ({"policy": {"kind": "hierarchical"}}, 'found "hierarchical"'),
    "noise": ({"policy": {"kind": "histogram"}, "local": {"mechanism": "grr"}}, '"grr"'),
    "rule": ({"policy": {"rule": "coverage"}}, "has one bound, for persons; leave rule out"),
    "others": ({"population": {"setting": "statistical"}}, 'found "statistical"'),
    "proofs": ({"mix": {"kind": "verified"}}, 'found "verified"; with population.rows'),
    "peers": ({"mix": {"peers": True}}, "found true; with population.rows"),
    "no padding": ({"mix": {"pad": False, "lesson": True}}, "mix.pad: found false"),
    "tokens": ({"defence": {"tokens": True}, "population": {"rows": 300}}, "1,200 tokens of a"),
    "audit": ({"defence": {"audit": True, "registered": True}}, "an audit opens single ballots"),
    "bundle": ({"defence": {"unbundle": False}, "mix": {"lesson": True}}, "unbundle: found false"),
    "attack": ({"fault": [{"attack": "stuff", "by": "user-1"}]}, '"stuff" is not played with'),
    "knows": ({"attacker": {"knows": ["sex"]}}, "an attacker knows one whole released row"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_settings_without_a_meaning_for_persons(files: Callable[[bool], Path], name: str) -> None:
    changes, message = REFUSED[name]
    with pytest.raises(ScenarioError) as wrong:
        checked(scenario(files(False), **changes))
    assert message in str(wrong.value)


def test_as_many_tokens_as_a_request_holds() -> None:
    assert MOST_TOKENS == MOST_ASKED


def test_without_rows_the_error_names_both_answers(files: Callable[[bool], Path]) -> None:
    with pytest.raises(ScenarioError, match=r"up to 5 different rows each; say rows = 5 .*one_row"):
        checked(scenario(files(False), population={"rows": None}))


def test_other_programs_refuse_by_name(files: Callable[[bool], Path]) -> None:
    given = checked(scenario(files(False)))
    for name, call in {
        "compare": lambda: veilmix.compare(given),
        "run --ledger": lambda: run(given, ledger=object()),  # type: ignore[arg-type]
        "anything": lambda: require_single_rows(given, "anything"),
    }.items():
        with pytest.raises(DataError, match=f"{name}: population.rows = 6"):
            call()


def test_features_are_made_coarser_before_rows_are_counted(files: Callable[[bool], Path]) -> None:
    feature = [{"name": "sex"}, {"name": "diagnosis", "merge": {"any": ["E11", "I10", "J45"]}}]
    outcome = run(checked(scenario(files(True), population={"rows": 2}, feature=feature)))
    assert outcome.marginals is not None
    assert outcome.marginals[1] == {("any",): PATIENTS}
    assert outcome.several is not None
    assert outcome.several.rounds[0].dummies == (PATIENTS, PATIENTS)

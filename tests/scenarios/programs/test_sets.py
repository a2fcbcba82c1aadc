"""Owners who flip the bits of their sets: from the scenario to the outcome and its record."""

from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from claims_kit import claiming, put
from hypothesis import given, settings
from hypothesis import strategies as st
from veilmix.analysis.incidence import estimate, eta_of, incidence, zipf
from veilmix.analysis.randomizers import BitFlip
from veilmix.errors import DataError, VerificationError
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import change, loads
from veilmix.scenarios.populations import sets
from veilmix.scenarios.programs.incidence.score import recomputed, tally
from veilmix.scenarios.programs.registry import noisy_questions, samples
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.records.verification.evidence import RecordEvidence
from veilmix.scenarios.schema.model import Scenario

DATA = Path(__file__).parents[4] / "shared" / "data" / "wifi_probes" / "device_session.csv"
HEAD = '[scenario]\nname = "s"\nseed = 5\n'
NOISE = '[policy]\nkind = "incidence"\n[local]\nmechanism = "bit-flip"\n'


def made(owners: int = 4, positions: int = 90, epsilon: float = 3, more: str = "") -> Scenario:
    return loads(
        f'{HEAD}[population]\nsource = "builtin:sets"\nusers = {owners}\n'
        f"{NOISE}epsilon = {epsilon}\n[incidence]\npositions = {positions}\n{more}"
    )


def counted(outcome: Outcome) -> Any:
    assert outcome.findings is not None
    return outcome.findings


@given(st.integers(1, 40), st.integers(1, 6), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_bits_are_written_and_read(bits: int, owners: int, seed: int) -> None:
    rows = np.random.default_rng(seed).integers(0, 2, (owners, bits)).astype(np.uint8)
    texts = sets.pack_text(rows)
    assert {len(text) for text in texts} == {2 * -(-bits // 8)}
    assert (sets.unpack_text(texts, bits) == rows).all()
    counts = Counter((text,) for text in texts)
    assert dict(sets.readable(counts, bits)) == {text: times for (text,), times in counts.items()}


def test_only_what_is_written_exactly_so_is_read() -> None:
    wrong = ["ff", "fff0", "FFE0", "ffe", "ffe00", "ffg0", "ffe1", " ffe0"]
    assert list(sets.readable({(text,): 1 for text in wrong}, 11)) == []
    assert list(sets.readable({("ffe0",): 3}, 11)) == [("ffe0", 3)]


def test_a_long_vector_is_said_in_pieces() -> None:
    assert sets.piece_names(4096) == ("positions 1 to 4096",)
    assert sets.piece_names(9000) == (
        "positions 1 to 4096",
        "positions 4097 to 8192",
        "positions 8193 to 9000",
    )
    bits = np.random.default_rng(1).integers(0, 2, (3, 9000)).astype(np.uint8)
    people = sets.as_people("s", bits, "")
    assert sets.positions_of(people) == 9000
    assert (sets.vectors_of(people) == bits).all()
    assert [feature.width for feature in people.schema.features] == [1024, 1024, 202]


@pytest.mark.parametrize(("n", "m"), [(1, 2), (3, 50), (7, 400)])
def test_generated_sets_have_the_incidence_they_are_said_to_have(n: int, m: int) -> None:
    matrix, other = (sets.generate(n, m, np.random.default_rng(seed)) for seed in (1, 2))
    assert matrix.shape == (n, m)
    assert incidence(matrix).tolist() == incidence(other).tolist() == zipf(n, m).tolist()
    assert n == 1 or (matrix != other).any()


@pytest.mark.slow
@pytest.mark.parametrize("positions", [90, 5000])
def test_real_equals_ideal(positions: int) -> None:
    real, ideal = (run(made(positions=positions), mode=mode) for mode in ("real", "ideal"))  # type: ignore[arg-type]
    assert real.findings == ideal.findings
    assert real.reidentification == ideal.reidentification is not None
    assert real.release == ideal.release is not None
    assert real.coalitions == ideal.coalitions
    assert real.released
    assert real.decision is real.marginals is real.burned is real.curated is None
    findings = counted(real)
    assert findings.truth == tuple(zipf(4, positions).tolist())
    each, element = real.frames.epsilons
    assert (each["adjacency"], element["adjacency"]) == (
        "replace one membership",
        "replace one element's memberships",
    )
    assert element["nats"] == findings.owners * each["nats"]
    assert (findings.owners, findings.positions, findings.left_out, findings.outside) == (
        4,
        positions,
        0,
        0,
    )


@pytest.mark.slow
@pytest.mark.parametrize("attack", ["absent", "late", "malformed", "duplicate"])
def test_real_equals_ideal_when_owners_misbehave(attack: str) -> None:
    chosen = made(8, more=f'[[fault]]\nattack = "{attack}"\nusers = 3\n')
    real, ideal = run(chosen), run(chosen, mode="ideal")
    assert real.findings == ideal.findings
    findings = counted(real)
    assert findings.owners == (8 if attack == "duplicate" else 5)
    assert findings.truth is not None
    assert sum(findings.truth) == 90


@pytest.mark.slow
def test_too_few_owners_burn_the_round(tmp_path: Path) -> None:
    chosen = made(4, more='[mix]\nmin_batch = 4\n[[fault]]\nattack = "absent"\nusers = 1\n')
    for mode in ("real", "ideal"):
        outcome = run(chosen, mode=mode)  # type: ignore[arg-type]
        assert outcome.burned is not None
        assert outcome.findings is outcome.reidentification is outcome.release is None
        assert not outcome.released
        assert all(check.ok is not False for check in verify(read(save(outcome, tmp_path))))


def test_the_estimate_is_that_of_the_vectors_that_were_sent() -> None:
    """Read the vectors back from the release, and count without any of the machinery."""
    outcome = run(made(3, 40))
    assert outcome.release is not None
    rows = [
        [int(bit) for bit in format(int(text, 16), "040b")]
        for (_, text), times in outcome.release.items()
        for _ in range(times)
    ]
    psi = incidence(np.array(rows))
    findings = counted(outcome)
    assert findings.psi == tuple(psi.tolist())
    again = estimate(psi, eta_of(3.0), 0.1)
    assert findings.phi == tuple(again.phi.tolist())
    assert findings.low == tuple(again.low.tolist())


def test_bits_are_flipped_as_often_as_epsilon_says() -> None:
    people = samples(made(20, 2000, 1.0), 5).people
    (question,) = noisy_questions(made(20, 2000, 1.0), people)
    assert question.randomizer == BitFlip(2000, 1 / (1 + np.e))
    said = sets.flip_texts(question.domain, question.randomizer, np.random.default_rng(1))
    flipped = sets.unpack_text(said, 2000) != sets.unpack_text(question.domain, 2000)
    q, n = 1 / (1 + np.e), flipped.size
    assert abs(flipped.mean() - q) < 5 * np.sqrt(q * (1 - q) / n)


@pytest.mark.slow
def test_limits_hold_all_counts_at_once() -> None:
    chosen = made(5, 500, 2)
    outcomes = [run(chosen, seed, "ideal") for seed in range(40)]
    held = sum(counted(outcome).covered == 6 for outcome in outcomes)
    assert held >= 36  # 0.9 is promised, the limits are careful
    union = np.mean([counted(outcome).union.value for outcome in outcomes])
    assert union == pytest.approx(500 - zipf(5, 500)[0], rel=0.1)


def test_without_a_seed_the_ideal_run_draws_all_owners_at_once() -> None:
    chosen = loads(
        '[scenario]\nname = "s"\n[population]\nsource = "builtin:sets"\nusers = 5\n'
        f"{NOISE}epsilon = 2\n[incidence]\npositions = 300\n"
    )
    outcome, other = (run(chosen, None, "ideal") for _ in range(2))
    assert outcome.release != other.release
    assert counted(outcome).truth == counted(other).truth


@pytest.mark.slow
@pytest.mark.parametrize("method", ["bayes", "inverse", "analytic"])
def test_each_method_estimates_all_owners(method: str) -> None:
    outcome = run(made(3, 60, more=f'method = "{method}"\n'), mode="ideal")
    findings = counted(outcome)
    assert findings.method == method
    assert sum(findings.phi) == pytest.approx(60)
    assert run(made(3, 60, more=f'method = "{method}"\n')).findings == findings


def test_positions_of_pieces_that_did_not_all_arrive_are_left_out() -> None:
    bits = np.random.default_rng(2).integers(0, 2, (4, 24)).astype(np.uint8)
    texts = [sets.pack_text(bits[:, :16]), sets.pack_text(bits[:, 16:])]
    counts = [Counter((text,) for text in piece) for piece in texts]
    whole = tally([16, 8], counts)
    assert whole is not None
    assert whole.psi.tolist() == incidence(bits).tolist()
    lost, garbled = [counts[0], counts[1].copy()], [counts[0], Counter({("zz",): 4})]
    lost[1][texts[1][0],] -= 1
    for broken, outside in ((lost, 0), (garbled, 4)):
        seen = tally([16, 8], broken)
        assert seen is not None
        assert (seen.owners, seen.left_out, seen.outside) == (4, 8, outside)
        assert seen.psi.tolist() == incidence(bits[:, :16]).tolist()
    assert tally([16, 8], [{}, {}]) is None


def test_owners_who_are_pinned_have_no_certain_member() -> None:
    outcome = run(made(4, 90))
    everybody = outcome.coalition("analyst", "shuffler-1", "shuffler-2")
    assert everybody.linked == 4
    assert everybody.cells == 4 * 90
    assert everybody.cells_certain == 0
    assert everybody.bits_per_person == pytest.approx(2, abs=0.05)  # which of four sets it is
    assert outcome.coalition("analyst").linked == 0


@pytest.mark.slow
def test_long_reports_stay_in_the_transcript() -> None:
    outcome = run(made(40, 20_000, 4))
    assert outcome.release is None
    assert outcome.findings is not None


def test_a_file_of_sets(tmp_path: Path) -> None:
    rows = ["place,who", "a,1", "a,2", "b,2", "b,2", "c,3", "c,2"]
    (tmp_path / "sets.csv").write_text("\n".join(rows))
    text = (
        f'{HEAD}[population]\nsource = "sets.csv"\n'
        f'columns = {{ owner = "place", element = "who" }}\n{NOISE}epsilon = 25\n'
    )
    outcome = run(loads(text, base=tmp_path))
    assert outcome.users == 3
    assert counted(outcome).truth == (0, 2, 0, 1)
    assert counted(outcome).psi == (0, 2, 0, 1)  # at epsilon = 25 hardly a bit is flipped
    some = loads(f'{text}[incidence]\nowners = ["b", "c"]\npositions = 10\n', base=tmp_path)
    assert counted(run(some)).truth == (8, 1, 1)
    with pytest.raises(DataError, match="no owner is called 'd'"):
        sets.owners(change_owners(some, ("b", "d")), 1)


def change_owners(chosen: Scenario, names: tuple[str, ...]) -> Scenario:
    from msgspec.structs import replace as changed

    return changed(chosen, incidence=changed(chosen.incidence, owners=names))


@pytest.mark.slow
@pytest.mark.data("wifi_probes/device_session.csv")
def test_devices_in_seven_recorded_sessions() -> None:
    week = [f"2023-08-{day}" for day in range(26, 32)] + ["2023-09-01"]
    text = (
        f'{HEAD}[population]\nsource = "{DATA}"\n'
        f'columns = {{ owner = "session", element = "device" }}\n{NOISE}epsilon = 3\n'
        f"[incidence]\nowners = {week}\n"
    )
    real, ideal = run(loads(text)), run(loads(text), mode="ideal")
    assert real.findings == ideal.findings
    findings = counted(real)
    assert findings.positions == 4426
    assert findings.truth[1:] == (115, 11, 6, 1, 3, 0, 4)
    assert findings.covered == 8
    assert len(real.schema.names) == 2


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["real", "ideal"])
def test_a_record_is_recomputed_and_its_lies_are_found(mode: str, tmp_path: Path) -> None:
    kept = read(save(run(made(4, 5000), mode=mode), tmp_path))  # type: ignore[arg-type]
    checks = verify(kept)
    assert all(check.ok is not False for check in checks), checks
    assert {"estimates", "found"} <= {check.name for check in checks if check.ok}
    for key, value in {
        "psi": [5000, 0, 0, 0, 0],
        "estimate": [5000.0, 0, 0, 0, 0],
        "high": [5000.0] * 5,
        "truth": [1, 2, 3, 4, 5],
        "owners": 5,
        "method": "bayes",
        "epsilon": {"position": 1.0, "element": 4.0, "unit": "nats"},
    }.items():
        lying = claiming(kept, partial(put, ("findings", key), value))
        with pytest.raises(VerificationError):
            recomputed(RecordEvidence(lying, None))


def test_what_is_announced_binds_the_budget_of_a_position() -> None:
    from veilmix.scenarios.lab.play.announcement import announced_policy

    chosen = made(4, 90, 2.5)
    assert announced_policy(chosen).rule == "bit-flip epsilon=2.5 each position"
    assert run(chosen).digest != run(change(chosen, {"local.epsilon": 2.4})).digest

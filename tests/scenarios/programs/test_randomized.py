"""The program `randomized` from the scenario to the outcome, its record and its lies."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from claims_kit import claiming
from sample_kit import sampled
from veilmix.analysis.randomizers import GRR
from veilmix.analysis.trust import received_reports, users_linked
from veilmix.errors import LocalError
from veilmix.presentation.presenters.mechanism_advice import advice
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.protocol.knowledge.view import View
from veilmix.protocol.wire.announcement import Program
from veilmix.protocol.wire.parties import Role
from veilmix.scenarios.lab.play.announcement import announced_policy
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import change, loads
from veilmix.scenarios.programs.noisy_questions import sample
from veilmix.scenarios.programs.randomized import privacy as local_told
from veilmix.scenarios.programs.randomized.choice import ranking
from veilmix.scenarios.programs.randomized.score import estimates
from veilmix.scenarios.programs.randomized.share_estimates import compare
from veilmix.scenarios.programs.registry import noisy_questions, samples
from veilmix.scenarios.records.run_folder import Run, read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.schema.model import Scenario
from veilmix.scenarios.studies.costs.cost import cost

COLUMNS = ("hadamard", "hadamard-blocks", "projective")
SHARES = ("grr", "rappor", "oue", "blh", "local-hash", "subset", *COLUMNS)
MECHANISMS = (*SHARES, "bit-flip")
EVERYBODY = ("analyst", "shuffler-1", "shuffler-2")


def scenario(mechanism: str, users: int = 40, epsilon: float = 3, more: str = "") -> Scenario:
    return loads(
        f'[scenario]\nname = "s"\n[population]\nsource = "builtin:blood-type"\nusers = {users}\n'
        f'[policy]\nkind = "histogram"\n[local]\nmechanism = "{mechanism}"\nepsilon = {epsilon}\n'
        + more
    )


def local(outcome: Outcome) -> Any:
    assert outcome.findings is not None
    return outcome.findings


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_real_equals_ideal(mechanism: str) -> None:
    real = run(scenario(mechanism, 25), 5)
    ideal = run(scenario(mechanism, 25), 5, "ideal")
    assert real.release == ideal.release is not None
    assert real.findings == ideal.findings
    assert real.coalitions == ideal.coalitions
    assert real.released
    assert real.decision is real.marginals is real.burned is None
    assert real.transcript is not None
    assert [reading.reader for reading in real.transcript.reads] == [Role.ANALYST]


@pytest.mark.parametrize("attack", ["absent", "late", "malformed", "duplicate"])
def test_real_equals_ideal_when_people_misbehave(attack: str) -> None:
    chosen = scenario("oue", 20, more=f'[[fault]]\nattack = "{attack}"\nusers = 6\n')
    real, ideal = run(chosen, 5), run(chosen, 5, "ideal")
    assert real.findings == ideal.findings
    assert real.release == ideal.release
    counted = 20 if attack == "duplicate" else 14
    assert [feature.reports for feature in local(real).features] == [counted] * 3
    assert bool(real.refused) == (attack != "absent")


def test_too_few_people_burn_the_round(tmp_path: Path) -> None:
    chosen = change(scenario("grr", 20), {"mix.min_batch": 20})
    chosen = loads_with_fault(chosen)
    real, ideal = run(chosen, 5), run(chosen, 5, "ideal")
    assert real.burned == ideal.burned is not None
    for outcome in (real, ideal):
        assert outcome.findings is outcome.release is None
        assert not outcome.released
        assert "local" not in outcome.result()
        checks = verify(read(save(outcome, tmp_path)))
        assert all(check.ok is not False for check in checks), checks


def loads_with_fault(chosen: Scenario) -> Scenario:
    from msgspec.structs import replace as changed
    from veilmix.scenarios.schema.model import Fault

    return changed(chosen, fault=(Fault(attack="absent", users=1),))


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_estimates_are_unbiased_and_their_errors_right(mechanism: str) -> None:
    chosen = scenario(mechanism, 400)
    people = samples(chosen, 1).people
    questions, rng = noisy_questions(chosen, people), np.random.default_rng(1)
    scaled = []
    for _ in range(100):
        for question in questions:
            codes = people.codes[:, list(question.columns)]
            counts = Counter((text,) for text in sample(question, codes, rng))
            for estimate in estimates(question, counts, people.schema.names):
                comparison = compare(estimate, people.codes, people.values)
                # The other of two shares may be its mirror image.
                scaled.append((comparison.shares[1] - comparison.truth[1]) / comparison.errors[1])
    # Standardised errors: their mean has deviation 1 / sqrt(N), their mean square sqrt(2 / N).
    N = len(scaled)
    assert N >= 300
    assert abs(np.mean(scaled)) < 4 / N**0.5
    assert abs(np.mean(np.square(scaled)) - 1) < 4 * (2 / N) ** 0.5


@pytest.mark.slow
def test_without_a_seed_the_ideal_run_draws_everybody_at_once() -> None:
    chosen = scenario("oue", 2000)
    outcome, other = (run(chosen, None, "ideal") for _ in range(2))
    assert outcome.release != other.release
    for feature in local(outcome).features:
        assert feature.reports == 2000
        assert feature.worst_in_errors < 6


def test_the_raw_estimate_is_first_and_the_projection_named() -> None:
    outcome = run(scenario("rappor", 30, 0.5), 3, "ideal")
    written = outcome.result()["findings"]["features"]
    assert any(min(feature["unbiased"]) < 0 for feature in written)
    for feature in written:
        assert min(feature["projected"]) >= 0
        assert sum(feature["projected"]) == pytest.approx(1)
        keys = list(feature)
        assert keys.index("unbiased") < keys.index("projected")
        for low, high in zip(feature["low_95"], feature["high_95"], strict=True):
            assert 0 <= low < high <= 1
        missed = np.abs(np.array(feature["unbiased"]) - np.array(feature["truth"]))
        assert feature["error"]["largest"] == pytest.approx(missed.max())


@pytest.mark.slow
def test_bits_are_reported_together() -> None:
    outcome = run(scenario("bit-flip", 2000, 9), 3, "ideal")
    joint = local(outcome).joint
    assert joint.values[0] == "N N N"
    assert joint.values[1] == "N N Y"
    assert sum(joint.shares) == pytest.approx(1)
    first = local(outcome).features[0]
    assert sum(joint.shares[4:]) == pytest.approx(first.shares[1])
    assert joint.worst_in_errors < 5


def test_what_is_announced_binds_mechanism_and_budget() -> None:
    outcome = run(scenario("grr", 10), 3)
    resolved = outcome.scenario
    assert announced_policy(resolved).rule == "grr epsilon=3 each of 3"
    other = run(scenario("grr", 10, 3.5), 3)
    assert other.digest != outcome.digest


def test_a_linked_report_is_no_value() -> None:
    outcome = run(scenario("bit-flip", 30), 3)
    told = local(outcome).told.information
    for coalition in outcome.coalitions:
        links = set(EVERYBODY) <= set(coalition.parties)
        assert coalition.linked == (30 if links else 0)
        assert coalition.cells_certain == 0
        assert coalition.bits_per_person == pytest.approx(told if links else 0)
        assert not coalition.exact
        assert coalition.verdict == ("30 reports linked" if links else "crowd of 30")
    assert 0 < told < 3 / np.log(2)


def test_a_member_knows_its_own_values() -> None:
    more = '[[coalition]]\nname = "c"\nparties = ["analyst", "user-3"]\n'
    coalition = run(scenario("oue", 30, more=more), 3).coalition("analyst", "user-3")
    assert coalition.linked == 1
    assert coalition.cells_certain == 3
    assert coalition.bits == pytest.approx(3)


@pytest.mark.slow
def test_information_grows_with_the_budget_to_all_there_is() -> None:
    told = [
        local(run(scenario("grr", 300, eps), 3, "ideal")).told.information for eps in (0.3, 3, 60)
    ]
    assert told[0] < told[1] < told[2]
    people = samples(scenario("grr", 300), 3).people
    _, counts = np.unique(people.codes, axis=0, return_counts=True)
    entropy = -(counts / 300) @ np.log2(counts / 300)
    assert told[2] == pytest.approx(entropy, abs=0.1)


def test_information_of_one_question_is_exact() -> None:
    chosen = loads(
        '[scenario]\nname = "s"\n[population]\nsource = "builtin:zipf"\nusers = 500\n'
        '[[feature]]\nname = "a"\nlevels = 6\n[policy]\nkind = "histogram"\n'
        '[local]\nmechanism = "oue"\nepsilon = 2\n'
    )
    people = samples(chosen, 1).people
    questions = noisy_questions(chosen, people)
    exact, zero = local_told.information(questions, people.codes)
    rows, counts = np.unique(people.codes, axis=0, return_counts=True)
    drawn, error = local_told._drawn(questions, rows, counts / counts.sum())
    assert zero == 0
    assert error > 0
    assert abs(drawn - exact) < 5 * error


def test_the_cost_is_of_one_round_for_the_analyst() -> None:
    chosen = scenario("oue", 30)
    price = cost(chosen, samples(chosen, 1).people.schema, (30, 30))
    (only,) = price.rounds
    assert (only.reader, only.onions, only.layers) == ("analyst", 90, 30 * (3 * 2 + 1))
    outcome = run(chosen, 1)
    assert outcome.transcript is not None
    sent = next(e for e in outcome.transcript.events if e.receiver == "shuffler-1")
    assert only.person == sent.size


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return read(save(run(scenario("bit-flip", 30), 7), tmp_path_factory.mktemp("kept")))


def test_an_honest_run_verifies(kept: Run) -> None:
    checks = {check.name: check for check in verify(kept)}
    assert {name for name, check in checks.items() if check.ok is None} == {"decision", "exposure"}
    assert all(check.ok is not False for check in checks.values())
    assert "estimates" in checks


LIES: dict[str, tuple[str, Callable[[Any], object]]] = {
    "estimate": ("estimates", lambda l: l["features"][0]["unbiased"].__setitem__(0, 0.5317)),
    "error": ("estimates", lambda l: l["features"][0]["standard_error"].__setitem__(0, 0.01)),
    "limit": ("estimates", lambda l: l["features"][1]["low_95"].__setitem__(0, 0.0)),
    "joint": ("estimates", lambda l: l["joint"]["unbiased"].__setitem__(0, 0.5317)),
    "truth": ("estimates", lambda l: l["features"][0].update(truth=[2.0, -1.0])),
    "reports": ("estimates", lambda l: l["features"][0].update(reports=31)),
    "largest": ("estimates", lambda l: l["error"].update(largest=0.0)),
    "epsilon": ("estimates", lambda l: l["epsilon"].update(local=1.0)),
    "shuffled": ("estimates", lambda l: l["privacy"]["shuffled"][0].update(hockey_stick=1.0)),
    "unshuffled": ("estimates", lambda l: l["privacy"].update(shuffled=[])),
    "rule": ("estimates", lambda l: l.update(rule="grr epsilon=1 each of 3")),
    "values": ("estimates", lambda l: l["features"][0].update(values=["N"])),
    "information": ("coalitions", lambda l: l["privacy"].update(information=0.01)),
}


def one_more(data: Any) -> None:
    data["release"]["counts"][0][-1] += 1


@pytest.mark.parametrize("lie", LIES)
def test_a_changed_result_is_found(kept: Run, lie: str) -> None:
    check, edit = LIES[lie]
    lying = claiming(kept, lambda data: edit(data["findings"]))
    assert {done.name: done.ok for done in verify(lying, wants_replay=False)}[check] is False
    more = claiming(
        kept,
        one_more,
    )
    assert not all(check.ok in (True, None) for check in verify(more, wants_replay=False))


def test_an_announcement_of_another_noise_is_found(kept: Run) -> None:
    other = change(kept.scenario, {"local.epsilon": 2.0})
    verdicts = {
        check.name: check.ok for check in verify(replace(kept, scenario=other), wants_replay=False)
    }
    assert verdicts["terms"] is False
    assert kept.transcript is not None
    from veilmix.protocol.board.board import replay

    announced = replay(kept.transcript.posts).announcement
    assert announced is not None
    assert announced.program is Program.RANDOMIZED


def test_counts_of_reports_are_left_out_where_they_are_many(tmp_path: Path) -> None:
    chosen = loads(
        '[scenario]\nname = "s"\n[population]\nsource = "builtin:zipf"\nusers = 1100\n'
        '[[feature]]\nname = "a"\nlevels = 64\n[policy]\nkind = "histogram"\n'
        '[local]\nmechanism = "rappor"\nepsilon = 1\n'
    )
    outcome = run(chosen, 1, "ideal")
    assert outcome.release is None
    assert outcome.released
    assert local(outcome).omitted == 1100
    record = read(save(outcome, tmp_path))
    assert record.release is None
    assert {check.name: check.ok for check in verify(record)}["estimates"] is None


def test_a_report_scored_by_hand() -> None:
    said = {person: {0: "101"} for person in range(3)}
    seen = View(frozenset(EVERYBODY), 4, True, {1: said}, (), {}, {}, Transcript(4))
    score = received_reports(seen, (2, 2, 1), 0.5)
    assert users_linked(seen) == score.linked == 3
    assert (score.cells, score.cells_certain) == (12, 4)  # a column with one value is no secret
    assert score.bits == 1.5
    assert score.crowd == 1


@pytest.mark.slow
def test_features_are_composed_after_shuffling() -> None:
    told = local(run(scenario("grr", 30), 5, "ideal")).privacy
    assert [bound.feature for bound in told.shuffled] == ["A", "B", "Rh"]
    alone, whole = told.shuffled[0], told.together
    assert alone.hockey_stick == alone.hockey_stick_at_least
    assert alone.hockey_stick < whole.hockey_stick_at_least <= whole.hockey_stick
    assert whole.hockey_stick < 3 * alone.hockey_stick
    assert whole.hockey_stick < whole.probabilistic_at_least <= whole.probabilistic < 3
    assert whole.delta == alone.delta == local_told.DELTA


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", sampled(["oue", "local-hash", "bit-flip"], 2))
def test_reports_of_several_bits_are_bounded_after_shuffling(mechanism: str) -> None:
    told = local(run(scenario(mechanism, 300), 5, "ideal")).privacy
    for bound in told.shuffled:
        assert 0 < bound.hockey_stick_at_least < bound.hockey_stick < 3
        assert bound.probabilistic is bound.q is None
    assert (told.together is None) == (mechanism == "bit-flip")
    if told.together:
        assert told.shuffled[0].hockey_stick < told.together.hockey_stick < 3


def test_more_people_than_are_counted_protect_no_less() -> None:
    few = local_told._compose(((GRR(3, 1.0), 50),))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_told, "CROWD", 50)
        many = local_told._compose(((GRR(3, 1.0), 60),))
    assert many.hockey_stick == few.hockey_stick
    assert many.hockey_stick_at_least == 0 < few.hockey_stick_at_least
    assert "as of 50 reports" in many.rule


NUMBERS = '[[feature]]\nname = "age"\nvalues = ["0", "1", "2", "5", "9"]\n'


def numeric(mechanism: str, users: int = 60, epsilon: float = 2) -> Scenario:
    return loads(
        f'[scenario]\nname = "s"\n[population]\nsource = "builtin:zipf"\nusers = {users}\n'
        f'{NUMBERS}[policy]\nkind = "histogram"\n[local]\nmechanism = "{mechanism}"\n'
        f"epsilon = {epsilon}\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", ["duchi", "piecewise", "hybrid", "laplace", "square-wave"])
def test_numbers_are_estimated_without_shares_of_them(mechanism: str, tmp_path: Path) -> None:
    chosen = numeric(mechanism)
    outcome = run(chosen, 5, "ideal")
    findings = local(outcome)
    (feature,) = findings.measured
    mean = feature.measures[0]
    people = samples(chosen, 5).people
    held = [float(people.values[0][code]) for code in people.codes[:, 0]]
    assert (feature.reports, feature.outside, mean.name) == (60, 0, "mean")
    assert mean.truth == pytest.approx(np.mean(held))
    assert abs(mean.estimate - mean.truth) < 5 * mean.standard_error
    assert bool(findings.features) == (mechanism == "square-wave")
    checks = verify(read(save(outcome, tmp_path)))
    assert all(check.ok is not False for check in checks), checks


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", ["piecewise", "square-wave"])
def test_numbers_are_the_same_with_messages(mechanism: str) -> None:
    real, ideal = (run(numeric(mechanism, 25), 5, mode) for mode in ("real", "ideal"))
    assert real.release == ideal.release is not None
    assert real.findings == ideal.findings
    assert real.coalitions == ideal.coalitions


def test_changed_numbers_are_found(tmp_path: Path) -> None:
    kept = read(save(run(numeric("piecewise"), 5, "ideal"), tmp_path))

    def higher(data: Any) -> None:
        data["findings"]["measured"][0]["measures"][0]["estimate"] += 1

    verdicts = {
        check.name: check.ok for check in verify(claiming(kept, higher), wants_replay=False)
    }
    assert verdicts["estimates"] is False


def test_the_best_mechanism_is_named_by_its_variance() -> None:
    for epsilon, best in ((0.5, "duchi"), (2.0, "piecewise")):
        chosen = numeric("piecewise", 1000, epsilon)
        people = samples(chosen, 1).people
        rows = ranking(chosen, people.schema.names, people.values, people.n)
        assert rows[0].mechanism == best
        assert [row.error for row in rows] == sorted(row.error for row in rows)
        assert {row.mechanism for row in rows} >= {"duchi", "piecewise", "hybrid", "square-wave"}
        for entry, asked_for in ((row, numeric(row.mechanism, 1000, epsilon)) for row in rows[:4]):
            (question,) = noisy_questions(asked_for, people)
            uniform = np.full(5, 0.2)
            spread = question.randomizer.mean_variance(uniform, 1000) ** 0.5 / 9
            assert entry.error == pytest.approx(spread)
        assert any("is best here" in line for line in advice(chosen, people))


PAIRS = '[[feature]]\nname = "film"\nvalues = ["none", "a=1", "a=5", "b=2", "b=4"]\n'


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", ["pckv-grr", "pckv-ue", "privkv"])
def test_keys_and_means_are_the_same_with_messages(mechanism: str, tmp_path: Path) -> None:
    chosen = loads(
        '[scenario]\nname = "s"\n[population]\nsource = "builtin:zipf"\nusers = 40\n'
        f'{PAIRS}[policy]\nkind = "histogram"\n[local]\nmechanism = "{mechanism}"\nepsilon = 3\n'
    )
    real, ideal = (run(chosen, 5, mode) for mode in ("real", "ideal"))
    assert real.release == ideal.release is not None
    assert real.findings == ideal.findings
    (film,) = local(real).measured
    assert [measure.name for measure in film.measures[:2]] == ["share with a", "mean of a"]
    people = samples(chosen, 5).people
    held = [people.values[0][code] for code in people.codes[:, 0]]
    mine = [float(text[2:]) for text in held if text.startswith("a=")]
    assert film.measures[0].truth == pytest.approx(len(mine) / 40)
    assert film.measures[1].truth == pytest.approx(np.mean(mine))
    assert all(check.ok is not False for check in verify(read(save(real, tmp_path))))
    rows = ranking(chosen, people.schema.names, people.values, people.n)
    assert rows[0].mechanism == "pckv-grr"
    assert {row.task for row in rows} == {"key-values"}


@pytest.mark.parametrize(
    ("values", "says"),
    [('["a", "b"]', "key=number"), ('["a=1", "a=2"]', "all texts have the key 'a'")],
)
def test_values_that_are_no_pairs_are_one_clear_problem(values: str, says: str) -> None:
    with pytest.raises(LocalError, match=says):
        loads(
            '[scenario]\nname = "s"\n[population]\nsource = "builtin:zipf"\nusers = 40\n'
            f'[[feature]]\nname = "x"\nvalues = {values}\n[policy]\nkind = "histogram"\n'
            '[local]\nmechanism = "pckv-ue"\nepsilon = 3\n'
        )

"""`local.features = "sample"`: a person draws a feature and reports it, from scenario to record."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from claims_kit import claiming
from msgspec.structs import replace as changed
from sample_kit import sampled
from veilmix.analysis.randomizers import GRR, SampledFeature, UnaryEncoding
from veilmix.analysis.shuffled import shuffle
from veilmix.errors import ScenarioError
from veilmix.presentation.presenters.limit_forecast import foreseen
from veilmix.presentation.presenters.mechanism_advice import advice
from veilmix.presentation.presenters.noise_scores import privacy_rows
from veilmix.presentation.presenters.randomized import HistogramPresenter
from veilmix.scenarios.lab.play.announcement import announced_policy
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.report_reidentification import in_reports
from veilmix.scenarios.lab.validation.load import loads
from veilmix.scenarios.programs.noisy_questions import sample
from veilmix.scenarios.programs.randomized.check import SAMPLED
from veilmix.scenarios.programs.randomized.choice import ranking
from veilmix.scenarios.programs.randomized.score import estimates
from veilmix.scenarios.programs.randomized.tradeoff import trades
from veilmix.scenarios.programs.registry import noisy_questions, samples
from veilmix.scenarios.records.run_folder import Run, read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.schema.model import Scenario
from veilmix.scenarios.serialization.record import plain
from veilmix.scenarios.studies.comparison.local import with_noise


def scenario(
    mechanism: str, users: int = 40, way: str = "sample", epsilon: float = 3, more: str = ""
) -> Scenario:
    return loads(
        f'[scenario]\nname = "s"\n[population]\nsource = "builtin:blood-type"\nusers = {users}\n'
        f'[policy]\nkind = "histogram"\n[local]\nmechanism = "{mechanism}"\nepsilon = {epsilon}\n'
        f'features = "{way}"\n' + more
    )


@pytest.mark.parametrize("mechanism", sampled(SAMPLED, 2, 3))
def test_real_equals_ideal(mechanism: str) -> None:
    chosen = scenario(mechanism, 25)
    real, ideal = run(chosen, 5), run(chosen, 5, "ideal")
    assert real.release == ideal.release is not None
    assert real.findings == ideal.findings
    assert real.coalitions == ideal.coalitions
    assert sum(real.release.values()) == 25  # one report a person
    assert {name for name, _ in real.release} == {"A+B+Rh"}


def test_what_is_announced_says_that_one_feature_is_drawn() -> None:
    sample, split = (run(scenario("grr", 20, way), 3) for way in ("sample", "split"))
    assert announced_policy(sample.scenario).rule == "grr epsilon=3 one of 3"
    assert announced_policy(split.scenario).rule == "grr epsilon=3 each of 3"
    assert sample.digest != split.digest


@pytest.mark.parametrize("mechanism", sampled(SAMPLED, 2, 3))
def test_estimates_are_unbiased_and_their_errors_right(mechanism: str) -> None:
    """Standardised errors of 100 seeded runs of the same people: who is drawn counts too."""
    people = samples(scenario(mechanism, 400), 1).people
    (question,) = noisy_questions(scenario(mechanism, 400), people)
    rng, scaled = np.random.default_rng(1), []
    for _ in range(100):
        counts = Counter((text,) for text in sample(question, people.codes, rng))
        for estimate in estimates(question, counts, people.schema.names):
            truth = (people.codes[:, estimate.columns[0]] == 1).mean()
            made = estimate.estimate
            scaled.append((made.shares[1] - truth) / made.errors[1])
    assert len(scaled) == 300
    assert abs(np.mean(scaled)) < 4 / 300**0.5
    assert abs(np.mean(np.square(scaled)) - 1) < 4 * (2 / 300) ** 0.5


def test_the_whole_epsilon_is_spent_on_one_feature_and_shuffled_as_a_mixture() -> None:
    outcome = run(scenario("grr", 60), 3, "ideal")
    findings: Any = outcome.findings
    assert (findings.epsilon, findings.each) == (3.0, 3.0)
    band = shuffle(SampledFeature((GRR(2, 3.0),) * 3), 60)
    (told,) = findings.privacy.shuffled
    assert (told.hockey_stick_at_least, told.hockey_stick) == (band.low, band.high)
    assert findings.privacy.together is None
    said = {name: value for name, value, _ in privacy_rows(findings)}
    assert said["... of one feature"] == "3"
    assert any("one of 3, which it draws" in meaning for _, _, meaning in privacy_rows(findings))
    assert findings.counted == (60,)
    assert "60 answers -> analyst" in next(
        block.text for block in HistogramPresenter().summary(outcome)
    )


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return read(save(run(scenario("oue", 30), 7), tmp_path_factory.mktemp("kept")))


def test_an_honest_run_verifies_and_a_lie_is_found(kept: Run) -> None:
    assert all(check.ok is not False for check in verify(kept))

    def lie(data: Any) -> None:
        data["findings"]["features"][1]["unbiased"][0] = 0.5317

    checks = {check.name: check.ok for check in verify(claiming(kept, lie), wants_replay=False)}
    assert checks["estimates"] is False


WRONG = {
    "of numbers": (
        scenario_text := '[local]\nmechanism = "duchi"\nepsilon = 1\nfeatures = "sample"\n',
        'found "sample" with mechanism = "duchi"',
    ),
    "of bits": (scenario_text.replace("duchi", "bit-flip"), 'found "sample" with mechanism = "bit'),
    "of nothing": ('[local]\nfeatures = "sample"\n', 'found "sample" with mechanism = "none"'),
    "crafted": (
        scenario_text.replace("duchi", "grr") + '[[fault]]\nattack = "poison-reports"\nusers = 2\n',
        'poison-reports is about reports of every feature; take features = "split"',
    ),
    "another way": (scenario_text.replace('"sample"', '"some"'), "local.features"),
}
FEATURES = '[[feature]]\nname = "a"\nvalues = ["1", "2"]\n[[feature]]\nname = "b"\nlevels = {}\n'
HEAD = '[scenario]\nname = "s"\n[population]\nsource = "builtin:zipf"\nusers = 40\n[policy]\n'


@pytest.mark.parametrize("wrong", WRONG)
def test_what_cannot_be_drawn_is_refused(wrong: str) -> None:
    text, message = WRONG[wrong]
    with pytest.raises(ScenarioError) as refused:
        loads(HEAD + 'kind = "histogram"\n' + text + FEATURES.format(2))
    assert message in str(refused.value)


def test_a_report_that_names_its_feature_has_room_for_fewer_values() -> None:
    noise = 'kind = "histogram"\n[local]\nmechanism = "oue"\nepsilon = 1\nfeatures = "{}"\n'
    loads(HEAD + noise.format("split") + FEATURES.format(4096))
    loads(HEAD + noise.format("sample") + FEATURES.format(4080))
    with pytest.raises(ScenarioError, match="4,080 values at most"):
        loads(HEAD + noise.format("sample") + FEATURES.format(4081))


def test_rules_for_coarser_values_have_no_place() -> None:
    ages = '[[feature]]\nname = "age"\nvalues = ["11", "12", "21"]\nprefix = 1\n'
    noise = 'kind = "histogram"\n[local]\nmechanism = "grr"\nepsilon = 1\nfeatures = "sample"\n'
    with pytest.raises(ScenarioError, match="makes one report about any feature"):
        loads(HEAD + noise + ages + FEATURES.format(2))


def test_one_feature_is_reported_whichever_way() -> None:
    one = '[[feature]]\nname = "b"\nlevels = 4\n'
    noise = 'kind = "histogram"\n[local]\nmechanism = "grr"\nepsilon = 1\nfeatures = "{}"\n'
    first, second = (run(loads(HEAD + noise.format(way) + one), 3, "ideal")
                     for way in ("sample", "split"))  # fmt: skip
    assert first.release == second.release


def test_an_attacker_finds_people_by_the_feature_that_they_drew() -> None:
    """Found people and bits, by a list of all reports that a person may send."""
    chosen = scenario("grr", 30)
    crowd = samples(chosen, 5)
    found = in_reports(noisy_questions(chosen, crowd.people), (), crowd, np.arange(30))
    assert found is not None
    rows = crowd.people.codes
    true = np.exp(3) / (np.exp(3) + 1)  # two values each
    laws = np.stack(
        [np.where(rows[:, j] == value, true, 1 - true) / 3 for j in range(3) for value in (0, 1)]
    )  # shape: reports, people

    def exact(known: list[int]) -> tuple[float, float]:
        cells = np.unique(rows[:, known], axis=0, return_inverse=True)[1].ravel()
        by_cell = np.stack([laws[:, cells == cell].mean(axis=1) for cell in range(cells.max() + 1)])
        people, mean = np.bincount(cells), laws.mean(axis=1)
        bits = (people / 30) @ (by_cell * np.log2(by_cell / mean)).sum(axis=1)
        return float(by_cell.max(axis=0).sum()), float(bits)

    names = crowd.people.schema.names
    assert len(found.attacks) > 1
    for attack in found.attacks:
        most, bits = exact([names.index(name) for name in attack.knows])
        assert abs(attack.found - most) <= 5 * attack.standard_error + 1e-12
        assert abs(attack.bits - bits) <= 5 * attack.bits_error + 1e-12
    (report,) = found.reports
    assert abs(report.pie - exact([0, 1, 2])[1]) <= 5 * report.standard_error + 1e-12
    assert report.pie <= report.exact


def test_a_session_between_machines_refuses_what_cannot_be_drawn() -> None:
    from veilmix.errors import ParameterError
    from veilmix.scenarios.deployment.session_file import _check_noise

    drawn = scenario("oue")
    _check_noise(drawn)
    with pytest.raises(ParameterError, match=r"local.features: found .sample. with .*duchi"):
        _check_noise(changed(drawn, local=changed(drawn.local, mechanism="duchi")))


def test_the_advice_is_the_exact_error_of_both_ways() -> None:
    """For ten questions at epsilon 1: 10.85 times the variance, less what drawing people adds."""
    yes = "".join(f'[[feature]]\nname = "f{i}"\nvalues = ["1", "2"]\n' for i in range(10))
    chosen = loads(HEAD + 'kind = "histogram"\n[local]\nmechanism = "grr"\nepsilon = 1\n' + yes)
    people = samples(chosen, 1).people
    (said,) = (text for text in advice(chosen, people) if "one feature a person" in text)
    split = GRR(2, 0.1).noise()
    sample = SampledFeature((GRR(2, 1.0),) * 10).noise()
    assert sample == pytest.approx(10 * GRR(2, 1.0).noise() + 9 / 4)
    assert f"sample needs {split / sample:.1f} times fewer people" in said
    names = [choice.mechanism for choice in ranking(
        changed(chosen, local=changed(chosen.local, features="sample")),
        people.schema.names, people.values, people.n)]  # fmt: skip
    assert "bit-flip" not in names
    assert set(names) <= set(SAMPLED)


def test_check_foresees_the_limits_of_a_drawn_feature() -> None:
    chosen = scenario("oue", 300, epsilon=1)
    people = samples(chosen, 1).people
    first, *_ = foreseen(chosen, people)
    (expected,) = SampledFeature((UnaryEncoding.oue(2, 1.0),) * 3).expected_limits(300)
    within = f"{100 * expected.reach:.3g} %"
    assert first.startswith(f"300 people, epsilon 1: shares within {within}")
    assert (
        "draws one of its features" in HistogramPresenter().steps(chosen, "one per feature", "")[0]
    )


def test_noise_against_benefit_counts_who_is_drawn() -> None:
    outcome = run(scenario("grr", 90), 3, "ideal")
    offers = trades(outcome.scenario, plain(outcome.findings))
    own = next(trade for trade in offers if trade.epsilon == 3.0)
    made: Any = SampledFeature((GRR(2, 3.0),) * 3)
    truths = [feature.truth for feature in outcome.findings.features]  # type: ignore[union-attr]
    means = [each.mean() for each in made.variances(truths, 90)]
    assert own.error == pytest.approx((sum(means) / 3) ** 0.5)


def test_rivals_report_every_feature() -> None:
    """A comparison is of one report a feature, whatever the scenario says."""
    assert with_noise(scenario("grr"), 2.0).local.features == "split"

"""What people spend over runs with noise: kept, counted, limited, and not lost by a crash."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from ledger_kit import played
from veilmix.analysis.randomizers import Memoized
from veilmix.crypto.entropy import Drawn
from veilmix.errors import DataError, ScenarioError
from veilmix.scenarios.lab.ledger.book import Ledger, read
from veilmix.scenarios.lab.ledger.entry import NEVER_ENDED
from veilmix.scenarios.lab.ledger.noise import Noise
from veilmix.scenarios.lab.ledger.spending import price
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import check
from veilmix.scenarios.populations import population
from veilmix.scenarios.programs.noisy_questions import kept_noise, questions, randomization
from veilmix.scenarios.schema.model import Scenario

CRASH = "the power failed"


def scenario(users: int = 40, ledger: str = "refuse", **local: Any) -> Scenario:
    noise = {"mechanism": "memoized", "epsilon": 2.0, "forever": 3.0, **local}
    data = {
        "scenario": {"name": "again"},
        "population": {"source": "builtin:titanic", "users": users},
        "feature": [{"name": "class"}, {"name": "sex"}],
        "policy": {"kind": "histogram", "ledger": ledger},
        "local": {key: value for key, value in noise.items() if value is not None},
    }
    made = msgspec.convert(data, Scenario)
    check(made)
    return made


def spent(outcome: Outcome) -> Any:
    assert outcome.ledger is not None
    return outcome.ledger.spent


def test_kept_noise_costs_the_price_of_all_reports_and_is_never_refused(tmp_path: Path) -> None:
    file, setting = tmp_path / "ledger.json", scenario(spend=3.0)
    each = Memoized.from_epsilon(4, 1.0, 1.5)
    for times in (1, 2, 3):
        outcome = played(file, setting, seed=7)
        assert outcome.burned is None
        assert spent(outcome).most == pytest.approx(2 * each.epsilon_after(times))
        assert spent(outcome).beyond == 0
    entries = read(file)
    assert [entry.noise is not None for entry in entries] == [True] * 3
    assert all(entry.cells == () and entry.handed for entry in entries)


def test_fresh_noise_adds_up_and_is_refused_beyond_the_limit(tmp_path: Path) -> None:
    file, setting = tmp_path / "ledger.json", scenario(mechanism="grr", forever=None, spend=4.5)
    for times in (1, 2):
        assert spent(played(file, setting)).most == pytest.approx(2.0 * times)
    third = played(file, setting)
    assert third.burned is not None
    assert third.burned.startswith("40 people would have spent more than 4.5 nats")
    assert third.findings is None
    assert third.ledger is not None
    assert third.ledger.refused == third.burned
    # What was refused is not spent: a run that costs less still passes.
    less = scenario(mechanism="grr", epsilon=0.5, forever=None, spend=4.5)
    assert spent(played(file, less)).most == pytest.approx(4.5)
    warned = played(file, scenario(ledger="warn", mechanism="grr", forever=None, spend=4.5))
    assert warned.burned is None
    assert warned.ledger is not None
    assert "would have spent more" in warned.ledger.warnings[0]


def test_a_run_that_never_ended_is_spent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, setting = tmp_path / "ledger.json", scenario(mechanism="grr", forever=None, spend=3.0)

    def crash(*_: object, **__: object) -> None:
        raise RuntimeError(CRASH)

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "hand_on", crash)
        patch.setattr(Ledger, "end", crash)
        with pytest.raises(BaseException):  # noqa: B017, PT011 - however trio groups it
            played(file, setting)
    (entry,) = read(file)
    assert (entry.burned, entry.handed) == (NEVER_ENDED, ())
    again = played(file, setting)
    assert again.burned is not None
    assert "up to 4" in again.burned


@pytest.mark.long
def test_other_people_and_other_columns_are_counted_by_themselves(tmp_path: Path) -> None:
    file = tmp_path / "ledger.json"
    played(file, scenario(users=30), seed=1)
    other = played(file, scenario(users=30), seed=2)
    once = 2 * Memoized.from_epsilon(4, 1.0, 1.5).epsilon_after(1)
    both = 2 * Memoized.from_epsilon(4, 1.0, 1.5).epsilon_after(2)
    assert spent(other).most in (pytest.approx(once), pytest.approx(both))
    changed = played(file, scenario(users=30, forever=4.0), seed=2)  # other noise: nothing is kept
    assert spent(changed).most >= spent(other).most + 2.0 - 1e-9


def test_runs_without_noise_are_judged_by_themselves(tmp_path: Path) -> None:
    file = tmp_path / "ledger.json"
    played(file, scenario())
    data = {
        "scenario": {"name": "exact"},
        "population": {"source": "builtin:titanic", "users": 40},
        "policy": {"kind": "fixed", "k": 2, "max_exposure": 1.0, "keep": ["sex"]},
    }
    exact = msgspec.convert(data, Scenario)
    assert played(file, exact).release is not None
    outcome = played(file, scenario())
    assert outcome.burned is None
    assert outcome.ledger is not None
    assert outcome.ledger.sessions == 3


def test_people_keep_their_noise_and_not_their_reports(tmp_path: Path) -> None:
    setting = scenario(users=60, epsilon=40.0, forever=58.0)  # next to no fresh noise
    people = population(setting.population, setting.feature, 7)
    asked = questions(setting, people.schema.names, people.values)
    memory = [bytes([i + 1] * 16) for i in range(60)]

    def told(seed: int, keep: bool) -> list[tuple[str, ...]]:
        return [
            tuple(
                randomization(asked, None, memory[i] if keep else b"")(
                    people.row(i), Drawn(bytes([seed, i] * 16))
                )
            )
            for i in range(60)
        ]

    assert told(1, keep=True) == told(2, keep=True)
    assert told(1, keep=False) != told(2, keep=False)
    file = tmp_path / "ledger.json"
    first, second = (played(file, setting, seed=7).findings for _ in range(2))
    assert first.features == second.features


def test_a_memoized_answer_costs_at_most_its_price_forever() -> None:
    kept = Noise(
        rule="r", columns=("a", "b"), asked="", epsilon=1.0, forever=1.5, mechanism="memoized"
    )
    assert [price(kept, T) for T in (0, 1, 10**6)] == pytest.approx([0.0, 2.0, 3.0])
    fresh = Noise(rule="r", columns=("a",), asked="", epsilon=1.0, forever=None, mechanism="oue")
    assert [price(fresh, T) for T in range(3)] == [0.0, 1.0, 2.0]
    assert np.isfinite(price(kept, 10**9))


@pytest.mark.parametrize(
    ("local", "says"),
    [
        ({"mechanism": "oue"}, "keeps no noise"),
        ({"forever": 1.5}, "more than one report's"),
        ({"spend": 1.0}, "one run costs 2"),
        (
            {"mechanism": "none", "epsilon": None, "forever": None, "spend": 1.0},
            "no epsilon is spent",
        ),
    ],
)
def test_prices_that_make_no_sense_are_refused(local: dict[str, Any], says: str) -> None:
    with pytest.raises(ScenarioError, match=says):
        scenario(**local)


def test_what_the_mix_alone_protects_is_not_counted(tmp_path: Path) -> None:
    data = {
        "scenario": {"name": "sum"},
        "population": {"source": "builtin:zipf", "users": 40},
        "feature": [{"name": "n", "values": ["0", "1"]}],
        "mix": {"min_batch": 30},
        "policy": {"kind": "histogram"},
        "local": {"mechanism": "split-mix", "epsilon": 1.0},
    }
    setting = msgspec.convert(data, Scenario)
    check(setting)
    with pytest.raises(DataError, match="by the mix alone"):
        played(tmp_path / "ledger.json", setting)


def test_noise_is_kept_about_one_list_of_values_and_counted_so(tmp_path: Path) -> None:
    """Another order of the values is another noise that is kept: both are spent."""
    file, once = tmp_path / "ledger.json", 2 * Memoized.from_epsilon(4, 1.0, 1.5).epsilon_after(1)
    assert spent(played(file, scenario())).most == pytest.approx(once)
    setting = scenario()
    values = population(setting.population, setting.feature, 7).values[0]
    turned = [msgspec.structs.replace(setting.feature[0], values=values[::-1]), setting.feature[1]]
    other = msgspec.structs.replace(setting, feature=tuple(turned))
    assert spent(played(file, other)).most == pytest.approx(2 * once)


def test_two_mechanisms_do_not_keep_the_same_coins() -> None:
    people = population(scenario().population, scenario().feature, 7)
    seeds = {
        kept_noise(
            b"m" * 16, questions(setting, people.schema.names, people.values)[0], people.row(0)
        )
        for setting in (
            scenario(),
            scenario(mechanism="memoized-rappor"),
            scenario(forever=3.0000001),
        )
    }
    assert len(seeds) == 3

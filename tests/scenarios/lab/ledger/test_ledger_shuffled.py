"""Epsilon after shuffling over runs: composed if that is proved, else kept apart, and limited."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from ledger_kit import played
from msgspec import UNSET
from msgspec.structs import replace
from veilmix.analysis.randomizers import GRR
from veilmix.analysis.shuffled import compose_reports
from veilmix.errors import ScenarioError, StorageError
from veilmix.presentation.presenters import ledger as ledger_words
from veilmix.protocol.history.shuffler_history import HandedBatch
from veilmix.scenarios.lab.ledger import book
from veilmix.scenarios.lab.ledger.account import MixedSpending
from veilmix.scenarios.lab.ledger.certified import Certified, defect
from veilmix.scenarios.lab.ledger.curves import certify, compose_curves
from veilmix.scenarios.lab.ledger.entry import LedgerBatch, LedgerEntry
from veilmix.scenarios.lab.ledger.mixed_spending import (
    DIFFERENT_ADJACENCY,
    NO_BOUND,
    OLD,
    PATTERNS,
    PERMANENT_NOISE,
    MixedBudget,
)
from veilmix.scenarios.lab.ledger.people import ScenarioPeople
from veilmix.scenarios.lab.ledger.spending import noise_of
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import check
from veilmix.scenarios.populations import population
from veilmix.scenarios.programs.registry import noisy_questions
from veilmix.scenarios.schema.model import Scenario

DELTA = 1e-6


def scenario(
    users: int = 40, mechanism: str = "grr", ledger: str = "refuse", **local: Any
) -> Scenario:
    data = {
        "scenario": {"name": "again"},
        "population": {"source": "builtin:titanic", "users": users},
        "feature": [{"name": "sex"}],
        "policy": {"kind": "histogram", "ledger": ledger},
        "local": {"mechanism": mechanism, "epsilon": 1.0, **local},
    }
    made = msgspec.convert(data, Scenario)
    check(made)
    return made


def spent(outcome: Outcome) -> MixedSpending:
    assert outcome.ledger is not None
    assert outcome.ledger.spent is not None
    assert outcome.ledger.spent.shuffled is not None
    return outcome.ledger.spent.shuffled


def rewritten(file: Path, change: Any) -> None:
    """Change the entries of a ledger with its key."""
    entries = [change(entry) for entry in book.read(file)]
    key = bytes.fromhex(book.key_of(file).read_text())
    schema = 5 if all(entry.certified is UNSET for entry in entries) else book.SCHEMA
    plain = [msgspec.to_builtins(entry) for entry in entries]
    digest = book.digest_of(entries, key)
    file.write_text(json.dumps({"schema": schema, "entries": plain, "digest": digest}))


def test_runs_with_fresh_noise_are_composed_at_the_sum_of_their_deltas(tmp_path: Path) -> None:
    """The bound lies above an actual pair of collections, at most 2 % above the finer one."""
    file = tmp_path / "ledger.json"
    single = compose_reports([GRR(2, 1.0)], [40], DELTA).hockey_stick
    for times in (1, 2, 3):
        outcome = played(file, scenario())
        whole = spent(outcome)
        assert whole.most <= times * single.high * (1 + 1e-9)
        assert whole.delta == pytest.approx(times * DELTA)
        assert (whole.runs, whole.relied_on, whole.apart) == (times, 40, ())
        assert whole.adjacency == "replace one"
    exact = compose_reports([GRR(2, 1.0)] * 3, [40] * 3, 3 * DELTA).hockey_stick
    assert exact.low <= whole.most <= 1.02 * exact.high
    assert whole.most < 0.8 * 3 * single.high  # adding would cost more
    rows = {name: (value, meaning) for name, value, meaning in ledger_words.scores(outcome.ledger)}
    assert rows["ledger: spent, local"][0] == "3"
    assert "replace one" in rows["ledger: spent, local"][1]
    value, meaning = rows["ledger: spent, shuffled"]
    assert value == f"{whole.most:.4g}"
    assert meaning.startswith("nats at delta = 3e-06, not limited; replace one; 3 runs composed")
    last = list(outcome.frames.epsilons)[-1]
    assert (last["of"], last["nats"], last["delta"]) == ("ledger: shuffled", whole.most, 3e-6)
    assert last["adjacency"] == "replace one"


def test_people_relied_on_are_those_of_the_smallest_run(tmp_path: Path) -> None:
    file = tmp_path / "ledger.json"
    played(file, scenario())
    few = spent(played(file, scenario(relied_on=15)))
    parts = [GRR(2, 1.0)] * 2, [40, 15], 2 * DELTA
    assert few.most == pytest.approx(compose_reports(*parts).hockey_stick.high, rel=0.02)
    assert few.relied_on == 15


def test_what_does_not_compose_is_kept_apart_at_its_local_price(tmp_path: Path) -> None:
    file = tmp_path / "ledger.json"
    kept = scenario(mechanism="memoized", forever=1.5)
    played(file, scenario())
    assert spent(played(file, kept)).apart == ()  # one report with kept noise is one report
    both = played(file, kept)
    assert both.ledger is not None
    assert both.ledger.spent is not None
    (apart,) = spent(both).apart
    assert (apart.runs, apart.why) == (2, PERMANENT_NOISE)
    assert apart.local == pytest.approx(both.ledger.spent.most - 1.0)
    alone = compose_reports([GRR(2, 1.0)], [40], DELTA).hockey_stick.high
    assert spent(both).most == pytest.approx(apart.local + alone)
    assert spent(both).delta == DELTA
    assert [*ledger_words.scores(both.ledger)][4][
        2
    ] == f"... of it nats of 2 runs, local: {PERMANENT_NOISE}"

    def other(entry: LedgerEntry) -> LedgerEntry:
        if entry.noise is None or entry.noise.mechanism != "grr":
            return replace(entry, certified=None)
        assert isinstance(entry.certified, Certified)
        return replace(entry, certified=replace(entry.certified, adjacency="add or remove one"))

    rewritten(file, other)
    whole = spent(played(file, scenario()))
    assert {each.why: each.runs for each in whole.apart} == {
        DIFFERENT_ADJACENCY.format("add or remove one"): 1,
        NO_BOUND: 2,
    }
    assert whole.most == pytest.approx(1.0 + apart.local + alone)


def test_an_old_ledger_is_read_and_its_runs_count_with_their_local_price(tmp_path: Path) -> None:
    file = tmp_path / "ledger.json"
    for _ in range(2):
        played(file, scenario())
    rewritten(file, lambda entry: replace(entry, certified=UNSET))
    assert json.loads(file.read_text())["schema"] == 5
    assert "certified" not in file.read_text()
    whole = spent(played(file, scenario()))
    (apart,) = whole.apart
    assert (apart.runs, apart.local, apart.why) == (2, 2.0, OLD)
    assert [entry.certified is UNSET for entry in book.read(file)] == [True, True, False]
    text = file.read_text()
    assert '"schema": 7' in text
    file.write_text(text.replace('"schema": 7', '"schema": 5'))
    with pytest.raises(StorageError, match="entry 3: certified: a file of this schema has no such"):
        book.read(file)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"epsilon": -1.0}, "epsilon: found -1"),
        ({"delta": 1.0}, "at delta 1"),
        ({"reports": ()}, "a number of 1 or more a question"),
        ({"relied_on": 41}, "relied_on: found 41"),
        ({"curve": ((0.0, 0.5),)}, "curve: "),
        ({"curve": ((0.0, 0.1), (1.0, 0.2))}, "curve: "),
        ({"curve": ((0.1, 0.2), (1.0, 0.1))}, "curve: "),
        ({"curve": ((0.0, 1.5), (1.0, 0.1))}, "curve: "),
    ],
)
def test_a_certificate_that_says_nothing_is_damage(change: dict[str, Any], says: str) -> None:
    fine = Certified(
        epsilon=0.3,
        delta=DELTA,
        adjacency="replace one",
        reports=(40,),
        relied_on=None,
        curve=((0.0, 0.2), (1.0, 0.0)),
    )
    assert defect(fine) is None
    assert says in str(defect(replace(fine, **change)))


def test_a_limit_after_shuffling_is_judged_by_the_batch_itself(tmp_path: Path) -> None:
    """Of 40 people two runs pass a limit that two of 200 keep; what is refused is not counted."""
    file = tmp_path / "ledger.json"
    assert played(file, scenario(spend_shuffled=1.0)).burned is None
    second = played(file, scenario(spend_shuffled=1.0))
    assert second.burned is not None
    assert "40 people would have spent more than 1 nats after shuffling" in second.burned
    assert second.findings is None
    assert spent(second).beyond == 40
    assert spent(second).most > 1
    *_, entry = book.read(file)
    assert (entry.handed, entry.certified) == ((), None)
    third = played(file, scenario(ledger="warn", spend_shuffled=1.0))
    assert third.ledger is not None
    assert "after shuffling" in third.ledger.warnings[0]
    assert (spent(third).runs, spent(third).beyond) == (2, 40)
    crowd = tmp_path / "crowd.json"
    for _ in range(2):
        assert played(crowd, scenario(200, spend_shuffled=1.0)).burned is None


def budget(past: list[LedgerEntry], people: tuple[str, ...], **local: Any) -> MixedBudget:
    """The budget of a run of these people, after others."""
    setting = scenario(**local)
    drawn = population(setting.population, setting.feature, 7)
    noise = noise_of(setting, drawn.schema)
    assert noise is not None
    asked = noisy_questions(setting, drawn)
    return MixedBudget(past, noise, asked, ScenarioPeople(("sex",), people), setting.local)


def test_each_person_has_the_runs_it_took_part_in(tmp_path: Path) -> None:
    """With many different sets of runs all people have the bound of all runs."""
    names = tuple(f"{i:032x}" for i in range(40))
    file = tmp_path / "ledger.json"
    played(file, scenario())
    (entry,) = book.read(file)
    certified = entry.certified
    assert isinstance(certified, Certified)
    half = replace(entry, people=names[:20])
    now = budget([half], names, spend_shuffled=1.0)
    both = compose_curves((certified, certified))
    assert now.spent(certified).most == pytest.approx(both)
    assert both > 1
    assert now.spent(certified).beyond == 20
    batch = HandedBatch(1, frozenset(names), 1, ())
    assert str(now.refusal(batch)).startswith("20 people would have spent more than 1 nats")
    assert budget([half], names).refusal(batch) is None
    many = [
        replace(
            entry,
            people=tuple(name for j, name in enumerate(names) if j >> i & 1),
            certified=replace(certified, epsilon=certified.epsilon * (1 - i / 100)),
        )
        for i in range(5)
    ]
    every = budget(many, names, spend_shuffled=1.0).spent(certified)
    assert len({tuple(j >> i & 1 for i in range(5)) for j in range(40)}) > PATTERNS
    assert (every.runs, every.beyond) == (6, 40)


def test_a_small_epsilon_is_added_to_a_large_one() -> None:
    """Their common lattice would be too long; several questions are one curve."""
    (name,) = {"0" * 32}
    setting = scenario(epsilon=3.0)
    drawn = population(setting.population, setting.feature, 7)
    asked = noisy_questions(setting, drawn)
    large = certify(asked, [40], None)
    assert large is not None
    tiny = replace(large, epsilon=1e-5, curve=((0.0, 1e-5), (2e-5, 1e-12)))
    noise = noise_of(setting, drawn.schema)
    entry = LedgerEntry(
        scenario="s",
        source=("sex",),
        people=(name,),
        seed=None,
        least=1,
        k=2,
        max_exposure=1,
        noise=noise,
        burned=None,
        certified=tiny,
        handed=(LedgerBatch(round=1, asks=(("sex",),), public=True),),
    )
    whole = budget([entry], (name,), epsilon=3.0).spent(large)
    assert whole.most == pytest.approx(large.epsilon + 1e-5)
    assert whole.delta == 2 * DELTA
    two = certify(asked * 2, [40, 30], None)
    assert two is not None
    exact = compose_reports([GRR(2, 3.0)] * 2, [40, 30], DELTA).hockey_stick
    assert two.epsilon == exact.high
    assert compose_curves((two,)) == pytest.approx(exact.high, rel=0.02)
    assert all(a[1] >= b[1] for a, b in pairwise(two.curve))


@pytest.mark.parametrize(
    ("local", "says"),
    [
        ({"mechanism": "none", "epsilon": None}, "people add no noise, so no epsilon is spent"),
        ({"mechanism": "split-mix"}, "privacy by the mix alone is not added up"),
    ],
)
def test_a_limit_of_what_is_not_spent_is_refused(local: dict[str, Any], says: str) -> None:
    with pytest.raises(ScenarioError, match=f"spend_shuffled: .*{says}"):
        scenario(spend_shuffled=1.0, **local)

"""A promise is about the people who are released: never true > promised, whoever leaves.

VEILMIX_EXAMPLES: random cases a program. Of 200 each, 2,800 in all, no release broke its promise.
"""

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from dataclasses import replace as dataclass_replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks_kit import require
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from veilmix.analysis.exposure.curves import users_below
from veilmix.protocol.board.promise import check_promise, promised_share, prove
from veilmix.protocol.ideal import Ideal, PeopleTable, hide_table, run_through
from veilmix.protocol.wire.hiding_rules import COVERS, Redact
from veilmix.protocol.wire.messages import Call, Decision, DecisionCertificate
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.scenarios.lab.play.announcement import announced_policy, announced_rules
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import change, load, loads
from veilmix.scenarios.programs.registry import strategy, wire
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.schema.model import Expect, Fault, Scenario

EXAMPLES = int(os.environ.get("VEILMIX_EXAMPLES", "25"))
FILE = """
[scenario]
name = "promise"
[population]
source = "builtin:even"
users = {n}
{setting}
[policy]
k = {k}
max_exposure = {most}
{policy}
[defence]
min_dropout = 1
"""
# program -> lines of [policy], of [population]
PROGRAMS: dict[str, tuple[str, str]] = {
    "margins": ("", ""),
    "coverage": ('rule = "coverage"', ""),
    "refined": ('rule = "refined"', ""),
    "printed": ('rule = "printed"', ""),
    "worst-case": ('rule = "worst-case"', ""),
    "informative": ('kind = "informative"', ""),
    "pairs": ('kind = "pairs"', ""),
    "fixed": ('kind = "fixed"\nkeep = ["c0", "c1"]', ""),
    "all": ('kind = "all"', ""),
    "hierarchical": ('kind = "hierarchical"', ""),
    "limited": ('kind = "hierarchical"\ncurator_exposure = 0.1', ""),
    "local-suppression": ('kind = "local-suppression"', ""),
    "statistical": ("delta = 0.4", 'setting = "statistical"'),
    "statistical informative": ('kind = "informative"\ndelta = 0.4', 'setting = "statistical"'),
    "statistical pairs": ('kind = "pairs"\ndelta = 0.4', 'setting = "statistical"'),
}
FIXED = sorted(name for name in PROGRAMS if not name.startswith("statistical"))


@dataclass(frozen=True)
class Case:
    """Rows of small numbers; who answers in round r: those whose last round is r or later."""

    name: str
    rows: tuple[tuple[int, ...], ...]
    last: tuple[int, ...]
    k: int
    most: float
    seed: int = 0
    strategy: Any = field(default=None, compare=False)

    @property
    def scenario(self) -> Scenario:
        policy, setting = PROGRAMS[self.name]
        n = len(self.rows)
        terms = {"n": n, "k": self.k, "most": self.most, "policy": policy, "setting": setting}
        features = "".join(f'[[feature]]\nname = "c{j}"\n' for j in range(len(self.rows[0])))
        return loads(FILE.format(**terms) + features)

    @property
    def schema(self) -> Schema:
        columns = zip(*self.rows, strict=True)
        return Schema(
            tuple(
                Feature(f"c{j}", tuple(sorted(set(map(str, column)))))
                for j, column in enumerate(columns)
            )
        )

    @property
    def table(self) -> PeopleTable:
        values = tuple(feature.values or () for feature in self.schema.features)
        codes = [[values[j].index(str(v)) for j, v in enumerate(row)] for row in self.rows]
        return PeopleTable(values, np.array(codes, dtype=np.int64))

    def here(self, number: int) -> list[int]:
        n = len(self.rows)
        if self.name not in FIXED:  # the first half is asked first, then the others
            asked = range(n // 2) if number == 1 else range(n // 2, n)
            return [i for i in asked if number == 1 or self.last[i] > 1]
        return [i for i in range(n) if self.last[i] >= number]

    @property
    def others(self) -> int | None:
        return len(self.rows) - len(self.rows) // 2 if self.name not in FIXED else None


def play(case: Case, *, proving: bool = True) -> Ideal:
    """Play it without a message."""
    table, scenario = case.table, case.scenario
    rng = np.random.default_rng(case.seed)

    def answering(call: Call) -> PeopleTable:
        here = PeopleTable(table.values, table.codes[case.here(call.round)])
        redacts = any(isinstance(rule, Redact) for rule in call.hidden)
        shape = len(here.codes), len(call.hidden)
        return hide_table(here, call.hidden, rng.integers(0, COVERS if redacts else 1, shape))

    terms = announced_policy(scenario), announced_rules(scenario)
    deciding = strategy(scenario, case.others)
    return run_through(*(wire(scenario), case.schema, answering, *terms, deciding), proving=proving)


def shares(case: Case, outcome: Ideal) -> tuple[float, float, float]:
    """True exposure of a release, what is promised of its people, and what was decided."""
    assert outcome.release is not None
    assert outcome.decision is not None
    deciding = strategy(case.scenario, case.others)
    calls = outcome.calls[:-1]
    proved = prove(deciding, case.schema, calls, outcome.decision, outcome.release)
    people = sum(outcome.release.values())
    assert proved.n == people
    true = int(users_below(list(outcome.release.values()), case.k)) / people
    return true, promised_share(outcome.decision, proved), outcome.decision.certificate.value


def drawn(name: str, rng: np.random.Generator) -> Case:
    """A small case: tables with crowds and loners, leavers drawn or chosen one of each crowd."""
    n, d = int(rng.integers(12, 41)), int(rng.integers(2, 4))
    levels = rng.integers(1, 5, d)
    rows = [tuple(int(rng.integers(0, size)) for size in levels) for _ in range(n)]
    if rng.random() < 0.5:  # copies, so that crowds are larger
        rows = [rows[int(rng.integers(0, max(1, n // 4)))] for _ in range(n)]
    last = np.full(n, 9)
    stays = rng.random()
    last[rng.random(n) > stays] = int(rng.integers(1, 4))
    if rng.random() < 0.3:  # the worst that leavers can do: one of each crowd
        seen: set[tuple[int, ...]] = set()
        for i, row in enumerate(rows):
            last[i] = 9 if row in seen else 1
            seen.add(row)
    k = int(rng.integers(2, 6))
    most = float(rng.choice([0.0, 0.05, 0.2, 0.5]))
    return Case(name, tuple(rows), tuple(int(x) for x in last), k, most, int(rng.integers(1 << 30)))


@pytest.mark.parametrize("name", PROGRAMS)
@settings(max_examples=EXAMPLES, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_never_more_is_true_than_promised(name: str, seed: int) -> None:
    case = drawn(name, np.random.default_rng(seed))
    outcome = play(case)
    if outcome.release is None:
        return
    true, promise, _ = shares(case, outcome)
    assert true <= promise
    if name not in ("fixed", "all"):
        assert promise <= case.most


TEAMS = tuple((i % 10, 0) for i in range(30))
ONE_OF_EACH = tuple(1 if 19 <= i < 29 else 9 for i in range(30))


@pytest.mark.parametrize("name", FIXED)
def test_one_of_each_crowd_leaves(name: str) -> None:
    """Without the proof the promise is broken for everybody; with it nothing is released."""
    case = Case(name, TEAMS, ONE_OF_EACH, 3, 0.0)
    without = play(case, proving=False)
    assert without.release is not None
    true, promise, decided = shares(case, without)
    assert (true, decided) == (1.0, 0.0)
    assert promise == 1.0  # what is proved of them, and what is printed
    outcome = play(case)
    if name in ("fixed", "all"):  # they promise what is proved, and keep the columns anyway
        assert outcome.release == without.release
    else:
        assert outcome.release is None
        assert outcome.burned is not None
        assert outcome.burned.startswith("20 people came where the promise was made for 30")


def test_others_came_than_were_counted() -> None:
    """In the statistical setting the promise is proved of those who came, not left to chance."""
    rows = (*[(0, 0)] * 200, *[(0, 0)] * 160, *[(i, 0) for i in range(1, 41)])
    case = Case("statistical", rows, (9,) * 400, 3, 0.1)
    without = play(case, proving=False)
    assert shares(case, without)[0] == 0.2 > shares(case, without)[2]
    assert play(case).release is None


def test_who_burns_says_no_more_than_head_counts() -> None:
    """The reason is the same for every table: how many came, what was promised to whom."""
    policy = announced_policy(load("attack-leavers"))
    decision = Decision((0,), DecisionCertificate("exact", 3, 30, 0))
    said = set()
    for people in (1, 7, 20):
        with pytest.raises(Exception, match="20 people came") as burned:
            check_promise(policy, decision, DecisionCertificate("exact", 3, 20, people))
        said.add(str(burned.value))
    assert len(said) == 1
    check_promise(policy, decision, DecisionCertificate("exact", 3, 20, 0))


def test_nobody_left_and_the_decided_promise_stands() -> None:
    """Proved again of the same people it is the same, so no honest session burns for it."""
    for name in sorted({*FIXED} - {"local-suppression"}):
        for seed in range(12):
            case = drawn(name, np.random.default_rng(seed))
            case = Case(name, case.rows, (9,) * len(case.rows), case.k, case.most)
            outcome = play(case)
            assert outcome.burned is None
            if outcome.release is not None:
                _, promise, decided = shares(case, outcome)
                assert promise == decided


ABSENT = Fault(attack="absent", share=0.4, round=2)


def both(scenario: Scenario, seed: int, folder: Path) -> Outcome:
    """Play with messages and without: the same comes out; then verify the record."""
    real, ideal = (run(scenario, seed, mode, worst_case_nodes=0) for mode in ("real", "ideal"))
    assert (real.release, real.decision) == (ideal.release, ideal.decision)
    assert real.burned == ideal.burned or scenario.mix.peers  # peers name who posted nothing
    assert real.exposure == ideal.exposure
    assert real.exposure.true <= real.exposure.promised
    for outcome, again in ((real, True), (ideal, False)):
        require(verify(read(save(outcome, folder / outcome.mode / str(seed))), wants_replay=again))
    return real


SMALL: Mapping[str, Mapping[str, object]] = {
    "exposure": {"policy.kind": "exposure"},
    "fixed": {"policy.kind": "fixed"},
    "all": {"policy.kind": "all"},
    "hierarchical": {"policy.kind": "hierarchical"},
    "local-suppression": {"policy.kind": "local-suppression"},
    "statistical": {"population.setting": "statistical", "population.round2_users": 60},
    "peers": {"mix.peers": True, "population.users": 12, "defence.min_dropout": 10},
    "informative": {"policy.kind": "informative"},
    "pairs": {"policy.kind": "pairs"},
    "guarded": {"defence.registered": True, "defence.challenge": True, "defence.receipts": 0.5},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_real_is_ideal_whoever_leaves(name: str, tmp_path: Path) -> None:
    keep = ("class", "sex") if name == "fixed" else ()
    base = load("titanic")
    base = replace(base, expect=Expect(), policy=replace(base.policy, keep=keep, prefer=()))
    terms = {"population.users": 60, "policy.k": 2, "policy.max_exposure": 0.3}
    scenario = change(base, {**terms, "defence.min_dropout": 1, **SMALL[name]})
    scenario = replace(scenario, fault=(ABSENT,))
    ends = Counter(bool(both(scenario, seed, tmp_path).release) for seed in range(3))
    assert sum(ends.values()) == 3


@pytest.mark.parametrize("mode", ["real", "ideal"])
def test_the_shipped_leavers_are_not_released(mode: Any) -> None:
    outcome = run("attack-leavers", mode=mode, worst_case_nodes=0)
    assert outcome.release is None
    assert outcome.failed == ()
    assert outcome.burned is not None
    assert outcome.burned.startswith("20 people came where the promise was made for 30")


@pytest.mark.parametrize("mode", ["real", "ideal"])
def test_without_the_guard_verify_says_that_the_promise_is_broken(
    mode: Any, tmp_path: Path
) -> None:
    off = change(load("attack-leavers"), {"defence.promise": False, "mix.lesson": True})
    outcome = run(off, mode=mode, worst_case_nodes=0)
    assert (outcome.exposure.true, outcome.exposure.promised) == (1.0, 0.0)
    checks = {
        check.name: check for check in verify(read(save(outcome, tmp_path)), wants_replay=False)
    }
    assert [check.name for check in checks.values() if check.ok is False] == ["exposure"]
    assert "20 of 20 people in the release are exposed" in checks["exposure"].detail


def test_a_table_that_should_have_been_kept_back_is_found(tmp_path: Path) -> None:
    """Who releases what cannot be proved, and says that it was, is found by anybody."""
    off = change(load("attack-leavers"), {"defence.promise": False, "mix.lesson": True})
    record = read(save(run(off, worst_case_nodes=0), tmp_path))
    on = change(off, {"defence.promise": True})
    lying = dataclass_replace(record, scenario=on)
    verdict = {check.name: check for check in verify(lying, wants_replay=False)}["exposure"]
    assert verdict.ok is False
    assert "the certified bound on exposed people does not hold: 20 people came" in verdict.detail

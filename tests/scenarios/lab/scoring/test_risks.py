"""Who is found in the release of a run: against brute force, in every program, in the record."""

from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from claims_kit import claiming, put
from veilmix.analysis.exposure.cells import cells_of, distinct
from veilmix.analysis.reidentification.attacks.side_information import counted, find_people
from veilmix.errors import VerificationError
from veilmix.protocol.wire.hiding_rules import Mask, Redact, apply_rule
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring import report_reidentification as report_risks
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.scoring.reidentification import (
    MAX_COLUMNS,
    Reidentified,
    known_sets,
    response_laws,
)
from veilmix.scenarios.lab.validation.load import loads
from veilmix.scenarios.programs.registry import noisy_questions, samples
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.records.verification.evidence import RecordEvidence
from veilmix.scenarios.records.verification.reidentification import recomputed
from veilmix.scenarios.schema.model import Scenario

HEAD = '[scenario]\nname = "s"\nseed = 5\n[population]\nsource = '
ALL = '[policy]\nkind = "fixed"\nkeep = ["A", "B"]\nk = 3\n'
MECHANISMS = ("grr", "rappor", "oue", "blh", "local-hash", "bit-flip")


def exact(more: str = "", users: int = 40) -> Scenario:
    return loads(f'{HEAD}"builtin:blood-type"\nusers = {users}\n{ALL}{more}')


def noisy(mechanism: str, users: int = 40, more: str = "") -> Scenario:
    return loads(
        f'{HEAD}"builtin:blood-type"\nusers = {users}\n[policy]\nkind = "histogram"\n'
        f'[local]\nmechanism = "{mechanism}"\nepsilon = 3\n{more}'
    )


def risks(outcome: Outcome) -> Reidentified:
    assert outcome.reidentification is not None
    return outcome.reidentification


def test_the_sets_that_attackers_know() -> None:
    assert known_sets(1) == ((0,),)
    assert known_sets(2) == ((0,), (1,), (0, 1))
    assert known_sets(3) == ((0,), (1,), (2,), (1, 2), (0, 2), (0, 1), (0, 1, 2))
    assert known_sets(3, [2, 0])[0] == (2, 0)
    assert len(known_sets(MAX_COLUMNS)) == 2 * MAX_COLUMNS + 1
    assert len(known_sets(MAX_COLUMNS + 1)) == MAX_COLUMNS + 2


def brute(codes: Any, known: list[int], shown: list[int]) -> float:
    """For every row the best attacker names the likeliest person, tried one by one."""
    total = 0.0
    for y in {tuple(row) for row in codes[:, shown].tolist()}:
        chances = []
        for person in codes.tolist():
            alike = codes[(codes[:, known] == [person[j] for j in known]).all(axis=1)]
            chances.append(np.mean([tuple(row) == y for row in alike[:, shown].tolist()]))
        total += max(chances)
    return total


def test_attacks_on_a_release_are_those_of_brute_force() -> None:
    scenario = exact()
    people = samples(scenario, 5).people
    attacks = risks(run(scenario, mode="ideal")).attacks
    assert len(attacks) == 7
    for attack in attacks:
        known = [people.schema.names.index(name) for name in attack.knows]
        assert attack.sees == ("A", "B")
        assert attack.found == pytest.approx(brute(people.codes, known, [0, 1]))
        assert attack.error == pytest.approx(1 - attack.found / 40)


def test_the_attacker_of_the_scenario_comes_first() -> None:
    asked_for = run(exact('[attacker]\nknows = ["Rh", "A"]\n'), mode="ideal")
    first = risks(asked_for).attacks[0]
    assert first.knows == ("Rh", "A")
    usual = run(exact(), mode="ideal")
    (same,) = (attack for attack in risks(usual).attacks if set(attack.knows) == {"A", "Rh"})
    assert first.found == pytest.approx(same.found)


def test_journalists_count_the_table_that_a_sample_was_drawn_from() -> None:
    scenario = loads(f'{HEAD}"builtin:titanic"\nusers = 200\n[policy]\nkind = "all"\n')
    outcome = run(scenario, mode="ideal")
    risk = risks(outcome).risk
    assert risk is not None
    assert risks(outcome).population == 2201
    assert outcome.release is not None
    whole = run(loads(f'{HEAD}"builtin:titanic"\n[policy]\nkind = "all"\n'), mode="ideal")
    assert whole.release is not None
    chances = [(1 / whole.release[cell], n) for cell, n in outcome.release.items()]
    assert risk.journalist.largest == pytest.approx(max(chance for chance, _ in chances))
    assert risk.marketer == pytest.approx(sum(chance * n for chance, n in chances) / 200)
    assert risk.prosecutor.mean == pytest.approx(len(outcome.release) / 200)
    assert risk.prosecutor.largest == 1 / min(outcome.release.values())
    assert risk.marketer < risk.prosecutor.mean


def test_real_equals_ideal_also_when_people_are_absent() -> None:
    for more in ("", '[[fault]]\nattack = "absent"\nusers = 12\n'):
        real, ideal = (run(exact(more), mode=mode) for mode in ("real", "ideal"))  # type: ignore[arg-type]
        assert real.reidentification == ideal.reidentification is not None
        assert risks(real).people == (28 if more else 40)
        assert risks(real).population == 40
        risk = risks(real).risk
        assert risk is not None
        assert risk.journalist.mean <= risk.prosecutor.mean


def test_nothing_released_is_nobody_found() -> None:
    scenario = loads(f'{HEAD}"builtin:blood-type"\nusers = 9\n[policy]\nk = 5\nmax_exposure = 0\n')
    outcome = run(scenario, mode="ideal")
    assert outcome.release is None
    assert outcome.reidentification is None
    assert "reidentification" not in outcome.result()


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_reports_real_equals_ideal_and_below_the_bounds(mechanism: str) -> None:
    real = run(noisy(mechanism, 25))
    ideal = run(noisy(mechanism, 25), mode="ideal")
    assert real.reidentification == ideal.reidentification
    assert risks(real).risk is None
    for report in risks(real).reports:
        assert 0 < report.pie <= report.exact + 4 * report.standard_error
        assert report.exact <= report.contraction * (1 + 1e-9)
    best = max(attack.found for attack in risks(real).attacks)
    exactly = max(attack.found for attack in risks(run(exact(users=25), mode="ideal")).attacks)
    assert 1 <= best < exactly + 4


def test_a_report_of_all_bits_is_attacked_as_its_law_says() -> None:
    scenario = noisy("bit-flip")
    people = samples(scenario, 5).people
    q = 1 / (1 + np.exp(1))
    total = 0.0
    for report in product((0, 1), repeat=3):
        away = (people.codes != np.array(report)).sum(axis=1)
        total += (q**away * (1 - q) ** (3 - away)).max()
    everything = risks(run(scenario, mode="ideal")).attacks[-1]
    assert everything.knows == ("A", "B", "Rh")
    assert everything.found == pytest.approx(total)


@pytest.mark.parametrize("mechanism", ["rappor", "local-hash", "bit-flip"])
def test_drawn_reports_agree_with_sums(mechanism: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = noisy(mechanism, 60)
    people = samples(scenario, 5).people
    rows, many = distinct(people.codes)
    for question in noisy_questions(scenario, people):
        for known in ((0,), (1, 2), (0, 1, 2)):
            summed = report_risks.guess(question, rows, many, known)
            assert summed.found_error == summed.bits_error == 0
            with monkeypatch.context() as patch:
                patch.setattr(report_risks, "SMALL", 0)
                drawn = report_risks.guess(question, rows, many, known)
            assert drawn.found_error > 0 or summed.expected_matches == pytest.approx(
                1
            )  # nothing to know
            assert (
                abs(drawn.expected_matches - summed.expected_matches) < 5 * drawn.found_error + 1e-9
            )
            assert abs(drawn.bits - summed.bits) < 5 * drawn.bits_error + 1e-9


def test_twelve_bits_are_too_many_to_sum_over() -> None:
    features = "".join(f'[[feature]]\nname = "b{i}"\n' for i in range(12))
    scenario = loads(
        f'{HEAD}"builtin:bits"\nusers = 30\n{features}[policy]\nkind = "histogram"\n'
        '[local]\nmechanism = "bit-flip"\nepsilon = 24\n'
    )
    outcome = run(scenario, mode="ideal")
    (report,) = risks(outcome).reports
    assert report.standard_error > 0
    assert not report.attained
    assert 2 < report.pie <= np.log2(30)
    everything = risks(outcome).attacks[-1]
    assert 4 < everything.found < 30


@pytest.mark.parametrize("make", [exact, lambda: noisy("grr")], ids=["exact", "reports"])
def test_a_record_is_recomputed_and_its_lies_are_found(make: Any, tmp_path: Path) -> None:
    kept = read(save(run(make()), tmp_path))
    assert all(check.ok is not False for check in verify(kept))
    (said,) = (check for check in verify(kept) if check.name == "found")
    assert said.ok
    lies: list[tuple[Any, Any]] = [
        (("attacks", 0, "found"), 39.5),
        (("attacks", 0, "found"), 0.5),
        (("attacks", 0, "bayes_error"), 0.123),
        (("attacks", 0, "bits"), 9.0),
    ]
    if make is exact:
        lies += [
            (("people",), 39),
            (("attacks", 0, "certain"), 1),
            (("attacks", 0, "sees"), ["A"]),
            (("risk", "prosecutor", "mean"), 0.9),
            (("risk", "journalist", "mean"), 0.9),
            (("risk", "marketer"), 0.01),
        ]
    else:
        lies += [
            (("reports", 0, "pie"), 0.9),
            (("reports", 0, "sharp"), 0.9),
            (("reports", 0, "attained"), False),
        ]
    for path, value in lies:
        with pytest.raises((VerificationError, msgspec.ValidationError)):  # some are not even read
            recomputed(
                RecordEvidence(
                    claiming(kept, partial(put, ("reidentification", *path), value)), None
                )
            )


HIDDEN = {
    "masked": (Mask(0, ("N",)), Mask(2, ("Y",))),
    "redacted": (Redact(1, ("Y",), 0), Redact(2, ("N",), 1 << 31)),
}


@pytest.mark.parametrize("rules", HIDDEN.values(), ids=HIDDEN)
def test_values_that_are_hidden_find_fewer(rules: Any) -> None:
    """Against the law of what everybody says, person by person and way by way."""
    people = samples(exact(), 5).people
    rows, many = distinct(people.codes)
    said = response_laws(rows, people.values, (0, 1, 2), rules)
    assert np.bincount(said.row, said.chance) == pytest.approx(np.ones(len(rows)))
    laws = []
    for person in range(people.n):
        law = {(): 1.0}
        for column, value in enumerate(people.row(person)):
            told = {value: 1.0}
            for rule in rules:
                if rule.column == column:
                    blank = apply_rule(rule, value, (1 << 32) - 1) != value
                    cover = 1.0 if blank else rule.rate if isinstance(rule, Redact) else 0.0
                    told = {value: 1 - cover, "": cover}
            law = {(*y, v): p * q for y, p in law.items() for v, q in told.items() if p * q}
        laws.append(law)
    for known in ((0,), (1, 2), (0, 1, 2)):
        total = 0.0
        for y in set().union(*laws):
            chances = []
            for person in range(people.n):
                same = (people.codes[:, known] == people.codes[person, known]).all(axis=1)
                chances.append(np.mean([laws[i].get(y, 0.0) for i in np.flatnonzero(same)]))
            total += max(chances)
        cells = cells_of(rows, known)[said.row]
        shown = cells_of(said.codes, range(3))
        counts = counted(cells, shown, many[said.row] * said.chance)
        hits, bits = counts.expected_matches, counts.bits
        plainly = find_people(people.codes, known)
        assert hits == pytest.approx(total)
        assert hits < plainly.expected_matches + 1e-9
        assert bits < plainly.bits + 1e-9
    whole = response_laws(rows, people.values, (0, 1, 2), ())
    assert whole.exact
    nothing = counted(cells_of(rows, (0, 1, 2))[whole.row], cells_of(whole.codes, range(3)), many)
    plainly = find_people(people.codes, (0, 1, 2))
    assert (nothing.expected_matches, nothing.certain, nothing.bits) == pytest.approx(
        (plainly.expected_matches, plainly.certain, plainly.bits)
    )

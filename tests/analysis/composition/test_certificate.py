"""A certificate proves exactly its own claim: any change makes it fail."""

import msgspec
import pytest
from msgspec.structs import replace
from veilmix.analysis.composition import RULES, best_bound
from veilmix.analysis.composition.certificate import Certificate, Rule
from veilmix.errors import ParameterError, VerificationError

MARGINALS = [[700, 200, 80, 20], [900, 60, 40], [510, 490]]


def certificates():
    return [best_bound(MARGINALS, 3, rule) for rule in RULES] + [best_bound(MARGINALS[:1], 50)]


@pytest.mark.parametrize("certificate", certificates(), ids=repr)
def test_it_survives_json_and_verifies(certificate):
    again = msgspec.json.decode(msgspec.json.encode(certificate), type=Certificate)
    assert again == certificate
    assert hash(again) == hash(certificate)
    again.verify(MARGINALS[: len(certificate.thresholds)])
    assert again.value == certificate.people / 1000
    assert "\n" not in repr(certificate)


@pytest.mark.parametrize("certificate", certificates(), ids=repr)
def test_any_other_number_of_people_fails(certificate):
    marginals = MARGINALS[: len(certificate.thresholds)]
    for people in (certificate.people - 1, certificate.people + 1, 0, 1000):
        if people != certificate.people and 0 <= people <= 1000:
            with pytest.raises(VerificationError, match="claims"):
                replace(certificate, people=people).verify(marginals)


def test_changed_thresholds_k_rule_pivot_or_c_fail():
    coverage = best_bound(MARGINALS, 3)
    for j in range(3):
        for t in (1, 19, 21, 60.0, 61, 10**9):
            changed = list(coverage.thresholds)
            changed[j] = t
            with pytest.raises(VerificationError):
                replace(coverage, thresholds=tuple(changed)).verify(MARGINALS)
    for k in (2, 4, 30):
        with pytest.raises(VerificationError):
            replace(coverage, k=k).verify(MARGINALS)
    with pytest.raises(VerificationError):
        replace(coverage, rule=Rule.REFINED).verify(MARGINALS)
    with pytest.raises(VerificationError):
        replace(coverage, rule=Rule.EXACT, thresholds=(3, 3, 3)).verify(MARGINALS)
    third = best_bound(MARGINALS, 3, "theorem3")
    assert third.c is not None
    with pytest.raises(VerificationError):
        replace(third, c=third.c * 0.999).verify(MARGINALS)
    second = best_bound(MARGINALS, 3, "theorem2")
    assert not second.vacuous
    with pytest.raises(VerificationError):
        replace(second, pivot=(second.pivot + 1) % 3).verify(MARGINALS)
    lowered = tuple(t / 2 for t in second.thresholds)
    with pytest.raises(VerificationError, match="gives 1,000"):
        replace(second, thresholds=lowered).verify(MARGINALS)


def test_other_marginals_fail():
    certificate = best_bound(MARGINALS, 3)
    for marginals in (
        MARGINALS[:2],
        [*MARGINALS, [1000]],
        [[701, 200, 80, 20], [901, 60, 40], [511, 490]],
        [[700, 200, 80, 19, 1], *MARGINALS[1:]],
        [[700, 200, 80, 20], [900, 60], [510, 490]],
        [],
    ):
        with pytest.raises(VerificationError, match="certificate"):
            certificate.verify(marginals)


def test_zero_counts_and_order_are_no_change():
    certificate = best_bound(MARGINALS, 3)
    certificate.verify([[20, 0, 80, 200, 700], [60, 900, 40], [0, 490, 510]])


def test_nothing_released_exposes_nobody():
    Certificate(Rule.EXACT, 10, 5, 0, ()).verify([])
    with pytest.raises(VerificationError):
        Certificate(Rule.EXACT, 10, 5, 1, ()).verify([])


def test_a_vacuous_certificate_says_so():
    certificate = best_bound([[1] * 9, [1] * 9], 2, "theorem2")
    assert certificate.vacuous
    assert certificate.value == 1.0
    assert "vacuous" in repr(certificate)
    certificate.verify([[1] * 9, [1] * 9])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rule": "best"}, "Invalid enum value 'best'"),
        ({"rule": 3}, "got `int` - at `\\$.rule`"),
        ({"k": 3.5}, "got `float` - at `\\$.k`"),
        ({"people": 1001}, "people: found 1001"),
        ({"people": -1}, "people: found -1"),
        ({"n": 0}, "people: found"),
        ({"value": 0.5}, "unknown field `value`"),
        ({"thresholds": "abc"}, "got `str` - at `\\$.thresholds`"),
        ({"thresholds": ["a", 1, 1]}, "got `str` - at"),
        ({"thresholds": [True, 1, 1]}, "got `bool` - at"),
        ({"thresholds": [float("inf"), 1, 1]}, "thresholds: found inf"),
        ({"thresholds": [0, 1, 1]}, "thresholds: found 0"),
        ({"pivot": 1}, "pivot: found 1 under coverage"),
        ({"rule": "theorem2", "pivot": 3}, "pivot: found 3"),
        ({"rule": "theorem2"}, "pivot: found None"),
        ({"c": 0.5}, "c: found 0.5 under coverage"),
        ({"rule": "theorem3"}, "c: found None"),
        ({"extra": 1}, "unknown field `extra`"),
    ],
)
def test_reading_is_strict(change, message):
    plain = msgspec.to_builtins(best_bound(MARGINALS, 3)) | change
    with pytest.raises(msgspec.ValidationError, match=message):
        msgspec.convert(plain, Certificate)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"rule": "best"}, "rule: found 'best'"),
        ({"k": 3.5}, "k: found 3.5"),
        ({"thresholds": ["a", 1, 1]}, "thresholds: found 'a'"),
        ({"thresholds": [True, 1, 1]}, "thresholds: found True"),
    ],
)
def test_making_one_is_as_strict(changed, message):
    with pytest.raises(ParameterError, match=message):
        replace(best_bound(MARGINALS, 3), **changed)


@pytest.mark.parametrize("rule", RULES)
def test_a_missing_entry_is_refused(rule):
    plain = msgspec.to_builtins(best_bound(MARGINALS, 3, rule))
    for name in [name for name in plain if plain[name] is not None]:
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({key: plain[key] for key in plain if key != name}, Certificate)

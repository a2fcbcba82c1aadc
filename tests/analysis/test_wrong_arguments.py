"""Every public function of the analysis with every wrong argument.

Each answers, or raises one clear error of veilmix: no `TypeError` of NumPy, no `ZeroDivisionError`,
no answer that is not a number. `CALLS` has one small correct call each; the tests replace its
arguments by those of `WRONG`, one at a time and two at a time.
"""

import re
from collections.abc import Callable
from fractions import Fraction
from math import isnan
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from veilmix.analysis import (
    composition,
    estimation,
    exposure,
    incidence,
    information,
    randomizers,
    reidentification,
    shuffled,
    suppression,
    trust,
)
from veilmix.analysis.shuffled import amplification, compose_reports
from veilmix.errors import DataError, ParameterError
from veilmix.protocol.knowledge.run_record import CountsSeen
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.protocol.knowledge.view import View

COUNTS, MARGINALS = [5, 1, 3], [[5, 4], [2, 7]]
TABLE = [[0, 1], [1, 1], [0, 0]]
Q, PRIOR = [[0.75, 0.25], [0.25, 0.75]], [0.5, 0.5]
GRR = randomizers.GRR(2, 1.0)
KEPT = randomizers.Memoized.from_epsilon(3, 1.0, 2.0)
TREE = randomizers.PrefixTree(("a", "bc"), 2.0)
FILMS = ("a=1", "b=5", "-")
PAIRS = randomizers.PckvUE(FILMS, 1.0)
SCORES = np.random.default_rng(1).normal(size=(60, 60)) + 2 * np.eye(60)
THRESHOLDS = [Fraction(1, 3), Fraction(1, 3)]

# A curator that read the counts of one column, of three people, and knows one person's value.
VIEW = View(
    frozenset({"curator"}),
    3,
    True,
    {1: {0: {0: "a"}}},
    (CountsSeen(1, (0,), {("a",): 2, ("b",): 1}),),
    {},
    {},
    Transcript(3, summary=False),
)
TRUTH = {0: {0: "a", 1: "x"}, 1: {0: "a", 1: "y"}}
SHARES = [{"a": 0.5, "b": 0.5}, {"x": 1.0, "y": 2.0}]

# One correct call of every function that DESIGN names, quick to answer.
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "users_below": (exposure.users_below, {"counts": COUNTS, "k": 2}),
    "exposure": (exposure.exposure, {"counts": COUNTS, "k": 2}),
    "exposure_curve": (exposure.exposure_curve, {"counts": COUNTS}),
    "joint_counts": (exposure.joint_counts, {"table": TABLE, "columns": [0, 1]}),
    "anonymity": (exposure.anonymity, {"table": TABLE, "columns": [0, 1]}),
    "theorem2": (
        composition.theorem2,
        {"marginals": MARGINALS, "thresholds": THRESHOLDS, "pivot": 0},
    ),
    "theorem3": (
        composition.theorem3,
        {"marginals": MARGINALS, "thresholds": THRESHOLDS, "c": 1},
    ),
    "refined": (
        composition.refined,
        {"marginals": MARGINALS, "thresholds": THRESHOLDS, "threshold": Fraction(1, 3)},
    ),
    "best_bound": (composition.best_bound, {"marginals": MARGINALS, "k": 2, "rule": "coverage"}),
    "best_bound by margins": (
        composition.best_bound,
        {"marginals": MARGINALS, "k": 2, "rule": "margins"},
    ),
    "lower_bound": (composition.lower_bound, {"marginals": MARGINALS, "k": 2}),
    "worst_case": (composition.worst_case, {"marginals": MARGINALS, "k": 2, "time_limit": 1.0}),
    "tightness_example": (composition.tightness_example, {"c": 1, "columns": 2}),
    "choose_columns": (
        suppression.choose_columns,
        {"marginals": MARGINALS, "k": 2, "target": 0.5, "weights": [1.0, 1.0], "rule": "coverage"},
    ),
    "statistical_exposure": (
        estimation.statistical_exposure,
        {"p": [0.5, 0.5], "n": 5, "k": 2},
    ),
    "statistical_exposure_slope": (estimation.statistical_exposure_slope, {"n": 5, "k": 2}),
    "sample_size": (estimation.sample_size, {"support": 3, "gamma": 0.1, "delta": 0.1}),
    "exposure_interval": (
        estimation.exposure_interval,
        {"counts": COUNTS, "k": 2, "delta": 0.1, "rule": "theorem5"},
    ),
    "entropy": (estimation.entropy, {"p": [0.5, 0.5], "unit": "nats"}),
    "exposure_from_entropy": (
        estimation.exposure_from_entropy,
        {"H": 1.0, "t": 0.1, "unit": "nats"},
    ),
    "GRR": (randomizers.GRR, {"a": 3, "epsilon": 1.0}),
    "UnaryEncoding": (randomizers.UnaryEncoding, {"a": 3, "kappa": 0.5, "lam": 0.2}),
    "UnaryEncoding.oue": (randomizers.UnaryEncoding.oue, {"a": 3, "epsilon": 1.0}),
    "UnaryEncoding.rappor": (randomizers.UnaryEncoding.rappor, {"a": 3, "epsilon": 1.0}),
    "UnaryEncoding.blh": (randomizers.UnaryEncoding.blh, {"a": 3, "epsilon": 1.0}),
    "LocalHash": (randomizers.LocalHash, {"a": 3, "g": 2, "epsilon": 1.0}),
    "BitFlip": (randomizers.BitFlip, {"bits": 2, "q": 0.2}),
    "LocalHash.olh": (randomizers.LocalHash.olh, {"a": 3, "epsilon": 1.0}),
    "SubsetSelection": (randomizers.SubsetSelection, {"a": 5, "d": 2, "epsilon": 1.0}),
    "SubsetSelection.best": (randomizers.SubsetSelection.best, {"a": 5, "epsilon": 1.0}),
    "Hadamard": (randomizers.Hadamard, {"a": 3, "epsilon": 1.0}),
    "HadamardBlocks": (randomizers.HadamardBlocks, {"a": 3, "width": 2, "epsilon": 1.0}),
    "HadamardBlocks.best": (randomizers.HadamardBlocks.best, {"a": 3, "epsilon": 1.0}),
    "ProjectiveGeometry": (
        randomizers.ProjectiveGeometry,
        {"a": 3, "q": 2, "t": 2, "epsilon": 1.0},
    ),
    "ProjectiveGeometry.best": (randomizers.ProjectiveGeometry.best, {"a": 3, "epsilon": 1.0}),
    "Duchi": (randomizers.Duchi, {"points": (0.0, 1.0, 3.0), "epsilon": 1.0}),
    "Laplace": (randomizers.Laplace, {"points": (0.0, 1.0, 3.0), "epsilon": 1.0}),
    "Piecewise": (randomizers.Piecewise, {"points": (0.0, 1.0, 3.0), "epsilon": 1.0}),
    "Hybrid": (randomizers.Hybrid, {"points": (0.0, 1.0, 3.0), "epsilon": 1.0}),
    "SquareWave": (randomizers.SquareWave, {"points": (0.0, 1.0, 3.0), "epsilon": 1.0}),
    "Ranges": (randomizers.Ranges, {"points": (0.0, 1.0, 3.0), "epsilon": 1.0, "fanout": 2}),
    "SplitMix": (randomizers.SplitMix, {"points": (0.0, 1.0), "local": 1.0, "people": 16}),
    "Bloom": (
        randomizers.Bloom,
        {"words": ("a", "b", "c"), "epsilon": 2.0, "bits": 16, "hashes": 2, "cohorts": 4},
    ),
    "Memoized.from_epsilon": (
        randomizers.Memoized.from_epsilon,
        {"a": 3, "epsilon": 1.0, "forever": 2.0},
    ),
    "Memoized.rappor": (randomizers.Memoized.rappor, {"a": 3, "epsilon": 1.0, "forever": 2.0}),
    "Memoized.epsilon_after": (KEPT.epsilon_after, {"reports": 2}),
    "PrefixTree": (
        randomizers.PrefixTree,
        {"words": ("a", "bc"), "epsilon": 2.0, "width": 3, "g": 4},
    ),
    "PrefixTree.binary": (
        randomizers.PrefixTree.binary,
        {"words": ("a", "bc"), "epsilon": 2.0, "width": 3},
    ),
    "PrefixTree.smallest_share": (TREE.smallest_share, {"people": 100}),
    "PckvGRR": (randomizers.PckvGRR, {"pairs": FILMS, "epsilon": 1.0}),
    "PckvUE": (randomizers.PckvUE, {"pairs": FILMS, "epsilon": 1.0}),
    "PrivKV": (randomizers.PrivKV, {"pairs": FILMS, "epsilon": 1.0}),
    "PckvUE.sample": (PAIRS.sample, {"x": [0, 1, 1], "rng": 1}),
    "PckvUE.measures": (PAIRS.measures, {"counts": [3, 2, 1, 0], "people": 9}),
    "PckvUE.variances": (PAIRS.variances, {"p": [0.5, 0.25, 0.25], "people": 9}),
    "GRR.sample": (GRR.sample, {"x": [0, 1, 1], "rng": 1}),
    "GRR.estimate": (GRR.estimate, {"reports": [0, 1, 1]}),
    "compose": (lambda first, then: randomizers.compose(first, then), {"first": GRR, "then": Q}),
    "product": (lambda part, other: randomizers.product(part, other), {"part": GRR, "other": Q}),
    "mixture": (randomizers.mixture, {"weights": [0.5, 0.5], "parts": [GRR, Q]}),
    "count_pmf": (shuffled.count_pmf, {"n": 5, "m": 2, "q": 0.2}),
    "privacy_ratio": (shuffled.privacy_ratio, {"n": 5, "m": 2, "q": 0.2}),
    "probability_ratio": (shuffled.probability_ratio, {"n": 5, "m": 2, "q": 0.2}),
    "law": (shuffled.law, {"m": [1, 2, 0, 1], "q": 0.2}),
    "hockey_stick": (shuffled.hockey_stick, {"n": 5, "q": 0.2, "epsilon": 0.5, "bits": 1}),
    "probabilistic_delta": (shuffled.probabilistic_delta, {"n": 5, "q": 0.2, "epsilon": 0.5}),
    "epsilon_for": (
        shuffled.epsilon_for,
        {"n": 5, "q": 0.2, "delta": 0.1, "kind": "hockey-stick"},
    ),
    "q_for": (shuffled.q_for, {"n": 5, "epsilon": 0.5, "delta": 0.1, "kind": "hockey-stick"}),
    "quantile": (shuffled.quantile, {"n": 5, "m": 2, "q": 0.2, "alpha": 0.1}),
    "report_delta": (amplification.report_delta, {"n": 5, "randomizer": GRR, "epsilon": 0.5}),
    "report_epsilon": (amplification.report_epsilon, {"n": 5, "randomizer": GRR, "delta": 0.1}),
    "shuffle": (
        shuffled.shuffle,
        {"anything": Q, "n": 5, "delta": 0.1, "rounds": 1, "relied_on": 4, "points": 4},
    ),
    "largest_local_epsilon": (
        shuffled.largest_local_epsilon,
        {"family": lambda local: randomizers.GRR(2, local), "n": 5, "epsilon": 1.0, "delta": 0.1},
    ),
    "compose_reports": (
        compose_reports,
        {"randomizers": [GRR, randomizers.GRR(3, 1.0)], "reports": [5, 6], "delta": 0.1},
    ),
    "equal_others_delta": (
        shuffled.equal_others_delta,
        {"n": 5, "q": 0.2, "epsilon": 0.5, "h": 2},
    ),
    "blanket_delta": (
        shuffled.blanket_delta,
        {"n": 5, "q": 0.2, "epsilon": 0.5, "bits": 3, "h": 2},
    ),
    "local_delta": (shuffled.local_delta, {"q": 0.2, "epsilon": 0.5, "h": 2}),
    "enumerated_delta": (shuffled.enumerated_delta, {"n": 2, "q": 0.2, "epsilon": 0.5, "bits": 1}),
    "average_privacy": (information.average_privacy, {"Q": Q, "prior": PRIOR, "rng": 0}),
    "worst_case_privacy": (information.worst_case_privacy, {"Q": Q}),
    "ldp": (information.ldp, {"Q": Q, "unit": "nats"}),
    "asymptotic_utility": (
        information.asymptotic_utility,
        {"Q": Q, "prior": PRIOR, "unit": "nats", "points": 256, "rng": 0},
    ),
    "participation_factor": (
        information.participation_factor,
        {"Q": Q, "prior": PRIOR, "points": 256, "rng": 0},
    ),
    "finite_information": (
        information.finite_information,
        {"Q": Q, "prior": PRIOR, "n": 3, "unit": "nats", "method": "auto", "rng": 0},
    ),
    "posterior": (
        information.posterior,
        {"Q": Q, "prior": PRIOR, "tallies": [3, 2], "draws": 100, "rng": 0},
    ),
    "pie": (reidentification.pie, {"joint": [[2, 1], [1, 3]], "Q": Q, "unit": "bits"}),
    "bayes_error": (reidentification.bayes_error, {"joint": [[2, 1], [1, 3]], "Q": Q}),
    "fano_bound": (
        reidentification.fano_bound,
        {"information_bits": 1.0, "prior_error": 0.9},
    ),
    "pie_bound": (reidentification.pie_bound, {"randomizer": GRR, "users": 10}),
    "budget_for": (reidentification.budget_for, {"error": 0.5, "users": 1000}),
    "score_divergence": (
        reidentification.score_divergence,
        {"genuine": [0.1, 0.5, 0.3], "impostor": [0.0, 0.7, 0.2], "neighbours": 1},
    ),
    "MarkovAttack": (
        reidentification.MarkovAttack,
        {"training": reidentification.Sequences.from_people([[0, 1, 1], [1, 0]]), "floor": 1e-8},
    ),
    "Sequences.of": (
        reidentification.Sequences.from_people,
        {"people": [[0, 1, 1], [1, 0]], "symbols": 2},
    ),
    "system_entropy": (
        reidentification.system_entropy,
        {"scores": SCORES, "owners": None, "neighbours": 1, "confidence": 0.9},
    ),
    "transition": (incidence.transition, {"n": 3, "eta": 0.5}),
    "inverse": (incidence.inverse, {"n": 3, "eta": 0.5}),
    "incidence": (incidence.incidence, {"vectors": [[0, 1], [1, 1]]}),
    "estimate": (
        incidence.estimate,
        {"psi": [5, 3, 1], "eta": 0.5, "beta": 0.1, "method": "em", "rule": "rigorous"},
    ),
    "radius": (incidence.radius, {"n": 3, "m": 10, "beta": 0.1, "rule": "rigorous", "eta": 0.5}),
    "error_bound": (
        incidence.error_bound,
        {"n": 3, "m": 10, "eta": 0.5, "beta": 0.1, "rule": "rigorous"},
    ),
    "view_bits": (trust.view_bits, {"view": VIEW, "sizes": [2, 2]}),
    "cells_certain": (trust.cells_certain, {"view": VIEW, "sizes": [2, 2]}),
    "users_linked": (trust.users_linked, {"view": VIEW}),
    "anonymity_sets": (trust.anonymity_sets, {"view": VIEW}),
    "received": (
        trust.received,
        {"view": VIEW, "sizes": [2, 2], "truth": TRUTH, "prior": SHARES},
    ),
    "received_reports": (
        trust.received_reports,
        {"view": VIEW, "sizes": [2, 2], "report_bits": 0.5},
    ),
    "lower_bound of incidence": (incidence.lower_bound, {"m": 10, "epsilon": 0.5, "beta": 0.1}),
}

WRONG: dict[str, Any] = {
    "nan": float("nan"),
    "infinity": float("inf"),
    "minus infinity": float("-inf"),
    "zero": 0,
    "minus one": -1,
    "a float": 2.5,
    "minus a float": -0.5,
    "tiny": 1e-300,
    "below rounding": 1e-17,
    "huge float": 1e308,
    "huge whole": 2**200,
    "2^63": 2**63,
    "minus 2^62": -(2**62),
    "beyond floats": 10**400,
    "minus beyond floats": -(10**400),
    "a duration": np.timedelta64(3, "s"),
    "text": "x",
    "empty text": "",
    "bytes": b"x",
    "None": None,
    "True": True,
    "complex": 1j,
    "an object": object(),
    "a set": {1, 2},
    "a mapping": {"a": 1},
    "a mapping of numbers": {0: [2, 1]},
    "a mapping of groups": {(0, 0): [2, 1], (): 3},
    "rows of numbers": {0: {0: 1}},
    "rows beyond": {0: {9: "a"}, -1: {}},
    "mappings": [{"a": -1.0}, {"x": float("nan")}],
    "shares of nothing": [{}, {"x": 0.0}],
    "a function": len,
    "empty list": [],
    "empty array": np.empty((0, 0)),
    "ragged": [[1, 2], [3]],
    "texts": ["a", "b"],
    "mixed": [1, "a"],
    "Nones": [None, None],
    "nans": [float("nan"), 1.0],
    "infinities": [float("inf"), 1.0],
    "negatives": [-1, 2],
    "huge wholes": [2**62, 2**62],
    "beyond int64": [2**64, 1],
    "halves of a thing": [0.5, 1.5],
    "truths": [True, False],
    "one axis": [1.0, 2.0, 3.0],
    "two axes": [[1, 2], [3, 4]],
    "three axes": np.ones((2, 2, 2)),
    "no axis": np.array(3),
    "objects": np.array([object(), object()]),
    "dates": np.array(["2020-01-01"], dtype="datetime64[D]"),
    "durations": np.array([1, 2], dtype="timedelta64[s]"),
    "fractions": [Fraction(1, 2), Fraction(1, 2)],
    "half floats": np.array([0.5, 0.5], dtype=np.float16),
    "a matrix": np.full((2, 2), 0.5).view(np.matrix),
    "records": np.zeros(2, dtype=[("a", int)]),
    "masked": np.ma.array([1, 2], mask=[True, False]),
    "complexes": np.array([1j, 2j]),
    "nan matrix": [[float("nan"), 0.5], [0.5, 0.5]],
    "a column too long": [[0.2, 0.3], [0.8, 0.8]],
}


def answers(answer: Any) -> bool:
    """Whether this is an answer: no nan among its numbers."""
    if isinstance(answer, float | np.floating):
        return not isnan(answer)
    if isinstance(answer, np.ndarray) and answer.dtype.kind == "f":
        return not np.isnan(answer).any()
    return answer is not None


def throw(name: str, changes: dict[str, Any]) -> None:
    """Call with these arguments in place of the right ones."""
    function, right = CALLS[name]
    try:
        answer = function(**{**right, **changes})
    except (ParameterError, DataError):
        return
    assert answers(answer), (name, changes, answer)


@pytest.mark.parametrize("name", CALLS)
def test_the_right_call_answers(name: str) -> None:
    function, right = CALLS[name]
    assert answers(function(**right))


# A rule may be a function: what it raises is its own.
FUNCTION_AS_RULE = ("choose_columns", "rule", "a function")


@pytest.mark.parametrize("name", CALLS)
def test_each_wrong_argument_is_one_error_that_names_it(name: str) -> None:
    for argument in CALLS[name][1]:
        for kind, value in WRONG.items():
            if (name, argument, kind) == FUNCTION_AS_RULE:
                continue
            try:
                throw(name, {argument: value})
            except Exception as error:
                raise AssertionError(f"{name}({argument}={kind}): {error!r}") from error


@pytest.mark.slow
@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
@given(st.data())
def test_several_wrong_arguments(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(CALLS)))
    places = data.draw(st.sets(st.sampled_from(sorted(CALLS[name][1])), min_size=1))
    kinds = {place: data.draw(st.sampled_from(sorted(WRONG))) for place in sorted(places)}
    if (name, "rule", kinds.get("rule")) != FUNCTION_AS_RULE:
        throw(name, {place: WRONG[kind] for place, kind in kinds.items()})


@pytest.mark.slow  # imports scipy.stats
@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: shuffled.hockey_stick(100, 1e-300, 0.5), "q: found 1e-300"),
        (lambda: shuffled.hockey_stick(100, "a", 0.5), "q: found 'a'"),
        (lambda: shuffled.q_for(100, 0.5, 1e-3, "x"), "kind: found 'x'"),
        (lambda: estimation.exposure_interval([2**62, 2**62], 5, 0.1), "counts: counts"),
        (
            lambda: information.asymptotic_utility(
                randomizers.UnaryEncoding.oue(30_000, 1.0), np.full(30_000, 0.5)
            ),
            "prior: 30,000 inputs",
        ),
    ],
)
def test_the_message_names_the_argument(call: Callable[[], Any], named: str) -> None:
    with pytest.raises(ParameterError, match=named.replace("(", r"\(")):
        call()


def test_an_attacker_who_is_sure_beforehand_has_an_error_of_0() -> None:
    assert reidentification.fano_bound(1, 1e-17) == 0


@pytest.mark.parametrize(
    ("counts", "people"),
    [([2**62], "4.612e+18"), ([2**63, 2**63], "1.845e+19"), ([10**400], "more than 1.8e+19")],
)
def test_too_many_people_are_one_error_that_says_why(counts: list[int], people: str) -> None:
    from veilmix.analysis.composition import best_bound

    said = (
        rf"counts {re.escape(people)} people; at most 3,000,000,000 are accepted, so that a product"
    )
    with pytest.raises(ParameterError, match=said):
        best_bound([counts, counts], 2)
    with pytest.raises(ParameterError, match="a count is 0 or more"):
        best_bound([[-(10**400)], [1]], 2)

"""Do the estimates of a run follow from the reports that were counted? Part of verify.py.

The counts are the board's; mechanism and budget are the scenario's. What was true of the people is
not on the board: it is taken as claimed, must be shares, and is drawn again by a replay.
"""

from collections.abc import Mapping, Sequence
from math import isclose
from typing import Any

from ....errors import VerificationError
from ....protocol.messages import Counts
from ...serialization.record import plain
from ..claims import CLOSE, same
from ..interface import Evidence, NoGround
from .privacy import after_shuffling
from .questions import Question, questions, rule, share
from .score import Budget, estimates, limits, worst

SOLVED = 1e-5  # and more of them where an equation was solved, to 1e-6


def recomputed(evidence: Evidence) -> str:
    """Estimates, errors and intervals, from the counts of reports."""
    said = evidence.result.get("findings")
    if said is None:
        raise NoGround("no reports were counted")
    counts, whose = evidence.counts(1)
    names = evidence.result["features"]
    _terms(evidence, said)
    values = [tuple(one["values"]) for one in said["features"]]
    if tuple(map(len, values)) != tuple(evidence.run.sizes):
        raise VerificationError("the estimates are about other values than the people have")
    asked = questions(evidence.run.scenario, names, values)
    pairs = zip(asked, counts, strict=True)
    read = [one for question, count in pairs for one in estimates(question, count, names)]
    claimed = [*said["features"], *([said["joint"]] if said["joint"] else [])]
    found = [limits(one, _shares(wrote["truth"])) for one, wrote in zip(read, claimed, strict=True)]
    for one, wrote in zip(found, claimed, strict=True):
        same(one.feature, plain(one), wrote)
    same("error", plain(worst(found[: len(names)])), said["error"])
    _shuffled(asked, counts, said["privacy"])
    reports = sum(one.reports for one in found[: len(names)])
    return f"{len(found)} estimates recomputed from {reports:,} reports, from {whose}"


def _terms(evidence: Evidence, said: Mapping[str, Any]) -> None:
    """What is said of the noise is what the scenario says."""
    scenario, features = evidence.run.scenario, len(evidence.result["features"])
    epsilon = scenario.local.epsilon or 0.0
    same("mechanism", scenario.local.mechanism, said["mechanism"])
    same("rule", rule(scenario, features), said["rule"])
    same("epsilon", plain(Budget(epsilon, share(epsilon, features))), said["epsilon"])


def _shuffled(asked: Sequence[Question], counts: Sequence[Counts], said: Mapping[str, Any]) -> None:
    """Every epsilon after shuffling follows from the noise and the number of reports."""
    each, together = after_shuffling(asked, [sum(count.values()) for count in counts])
    found = [plain(one) for one in (*each, together) if one]
    claimed = [one for one in (*said["shuffled"], said["together"]) if one]
    same("epsilons after shuffling", found, claimed, close=SOLVED)


def _shares(truth: list[float]) -> tuple[float, ...]:
    if min(truth, default=-1.0) < 0 or not isclose(sum(truth), 1, abs_tol=CLOSE):
        raise VerificationError("what is claimed to be true of the people are no shares")
    return tuple(truth)

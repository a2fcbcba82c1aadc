"""Checks of the re-identification scores: they must follow from the release.

The success of an attacker that knows only released columns follows from the release. The scores of
other attackers, and the equivalence classes of the whole population, depend on people that the
board does not show. Such scores are only checked for contradictions; a replay draws the people
again. For noisy reports, the upper bounds on identifying information are recomputed.
"""

from collections import Counter
from collections.abc import Sequence
from math import isclose, log2
from typing import Any

from ....analysis.exposure import Crowds, risk
from ....analysis.reidentification import pie_bound
from ....errors import VerificationError
from ....protocol.wire.hiding_rules import HIDDEN
from ....protocol.wire.messages import Counts
from ...lab.scoring.reidentification import AttackSuccess, Reidentified
from ...programs.capabilities import LocalNoise
from ...programs.evidence import NoGround
from ...programs.noisy_questions import Question
from ...programs.registry import capability
from .evidence import RecordEvidence

CLOSE = 1e-9  # tolerance of recomputed scores, because the last digits may depend on the machine
DEVIATIONS = 6  # number of standard errors by which an estimate may exceed a bound by chance


def recomputed(evidence: RecordEvidence) -> str:
    """Return a finding on the re-identification scores, recomputed as far as a release allows.

    For a release of counts, attacks and risks are recomputed. For noisy reports, the upper bounds
    on the information that a report gives about its owner are recomputed. Raises
    VerificationError if a claimed score differs.
    """
    claimed = evidence.result.reidentification
    if not claimed:
        raise NoGround("nothing was released in which a person could be re-identified")
    if evidence.rows > 1:
        from .rows_per_person import check_risks

        return check_risks(evidence)
    for attack in claimed.attacks:
        _fits(attack, claimed.people)
    return _reports(evidence, claimed) if evidence.randomized else _release(evidence, claimed)


def _fits(attack: AttackSuccess, people: int) -> None:
    """Raise VerificationError if the scores of an attack contradict each other.

    people: the number of people in the release. The number of people named correctly must be
    possible, and the Bayes error and the bits must fit it.
    """
    knowledge = ", ".join(attack.knows)
    slack = DEVIATIONS * attack.standard_error + CLOSE * people
    if not attack.certain - slack <= attack.found <= people + slack or attack.found < 1 - slack:
        raise VerificationError(
            f"{knowledge}: {attack.found:g} people named correctly are claimed, {attack.certain} "
            f"of them for certain; possible are {max(1, attack.certain)} to {people}"
        )
    _check_equal(f"{knowledge}: bayes_error", max(0.0, 1 - attack.found / people), attack.error)
    if not 0 <= attack.bits <= log2(people) + DEVIATIONS * attack.bits_error + CLOSE:
        raise VerificationError(
            f"{knowledge}: {attack.bits:g} bits a row are claimed; at most {log2(people):g} "
            "are possible"
        )


def _release(evidence: RecordEvidence, result: Reidentified) -> str:
    """Return a finding on a release of counts: risks and attacks recomputed from the counts.

    result: the claimed scores.
    """
    (joint,), source = evidence.counts(evidence.last)
    kept_names = [evidence.result.features[column] for column in evidence.decision.kept]
    cells = Crowds.from_cells(list(joint.values()))
    own_risk = risk(cells, evidence.run.scenario.policy.k)
    _check_equal("people", cells.n, result.people)
    claimed = result.risk
    if not claimed:
        raise VerificationError("a table was released, but no risk is claimed")
    for name in ("largest", "mean", "above"):
        mine = getattr(own_risk.prosecutor, name)
        _check_equal(f"prosecutor: {name}", mine, getattr(claimed.prosecutor, name))
        if getattr(claimed.journalist, name) > mine + CLOSE:
            raise VerificationError(f"journalist: {name} is above the prosecutor's, who knows more")
    _check_equal("marketer", claimed.journalist.mean, claimed.marketer)
    repeated, plain = (
        0,
        {name for j, name in enumerate(kept_names) if not _hides(joint, j)},
    )
    for attack in result.attacks:
        _check_equal("sees", tuple(kept_names), attack.sees)
        if set(attack.knows) <= plain:
            _check_attack(joint, kept_names, attack)
            repeated += 1
    return f"{repeated} of {len(result.attacks)} attacks and the risks recomputed from {source}"


def _hides(joint: Counts, place: int) -> bool:
    """Whether some values of a released column are suppressed.

    joint: the released counts. place: the index of the column in the release.
    """
    return any(values[place] in HIDDEN for values in joint)


def _check_attack(joint: Counts, kept_names: Sequence[str], attack: AttackSuccess) -> None:
    """Raise VerificationError unless an attack with released columns has its exact scores.

    The best attacker guesses one person's row correctly, in expectation, in each cell (combination
    of values) of its known columns. joint: the released counts. kept_names: the released columns.
    """
    places = [kept_names.index(name) for name in attack.knows]
    cells: Counter[tuple[str, ...]] = Counter()
    for values, people in joint.items():
        cells[tuple(values[place] for place in places)] += people
    n, knowledge = sum(cells.values()), ", ".join(attack.knows)
    _check_equal(f"{knowledge}: found", float(len(cells)), attack.found)
    _check_equal(
        f"{knowledge}: certain", sum(people == 1 for people in cells.values()), attack.certain
    )
    entropy = sum(people / n * log2(n / people) for people in cells.values())
    _check_equal(f"{knowledge}: bits", entropy, attack.bits)


def _reports(evidence: RecordEvidence, claimed: Reidentified) -> str:
    """Return a finding on the claimed bounds on the information in noisy reports, recomputed.

    The bounds limit the personal information entropy (PIE): the bits that one report gives about
    its owner's identity. `contraction` and `exact` are two such bounds; `attained` says whether
    `exact` is the least possible bound.
    """
    questions = _noise_questions(evidence)
    for question, report in zip(questions, claimed.reports, strict=True):
        _check_equal("report", question.name, report.feature)
        bound = pie_bound(question.randomizer, claimed.people)
        _check_equal(f"{question.name}: contraction", bound.contraction, report.contraction)
        _check_equal(f"{question.name}: exact", bound.exact, report.exact)
        _check_equal(f"{question.name}: attained", bound.attained, report.attained)
        if report.pie > bound.exact + DEVIATIONS * report.standard_error + CLOSE:
            raise VerificationError(
                f"{question.name}: the claimed PIE (bits about a report's owner) is above its "
                "upper bound"
            )
    return f"{len(questions)} bounds on the PIE (bits about a report's owner) recomputed; all hold"


def _noise_questions(evidence: RecordEvidence) -> Sequence[Question]:
    """Return the questions that people answer with noise; () without noise.

    The people's true values are not recorded, and left out.
    """
    run = evidence.run
    noise = capability(run.scenario, LocalNoise)
    return noise.recorded_questions(run.scenario, evidence.result, run.sizes) if noise else ()


def _check_equal(place: str, actual: Any, claimed: Any) -> None:
    """Raise VerificationError unless two values agree, floats up to their last digits.

    place: the name of the value in the message. actual: the recomputed value. claimed: the value
    in result.json.
    """
    if isinstance(actual, float) and isinstance(claimed, float | int):
        if isclose(actual, claimed, rel_tol=CLOSE, abs_tol=CLOSE):
            return
    elif actual == claimed:
        return
    raise VerificationError(f"{place}: {claimed!r} is claimed, {actual!r} was found")

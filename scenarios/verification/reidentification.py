"""Does what a run says about who is found follow from its release? Part of verify.py.

Whoever knows only released columns is found out from the release itself. What an attacker gets who
knows others, and the crowds of a population, depend on people that the board does not show: these
must fit with the rest, and are drawn again by a replay. Of reports the bounds are recomputed.
"""

from collections import Counter
from collections.abc import Sequence
from math import isclose, log2
from typing import Any

from ...analysis.exposure.attacker_risk import risk
from ...analysis.exposure.equivalence_classes import Crowds
from ...analysis.reidentification import pie_bound
from ...errors import VerificationError
from ...protocol.hiding import HIDDEN
from ...protocol.messages import Counts
from ..programs.evidence import NoGround
from ..programs.randomized.questions import Question
from ..programs.registry import program_of
from ..scoring.reidentification import Attack, Reidentified
from .evidence import Evidence

CLOSE = 1e-9  # last digits may depend on the machine
DEVIATIONS = 6  # standard errors that an estimate may be above a bound


def recomputed(evidence: Evidence) -> str:
    """Attacks and risks, from the release; of reports, their bounds."""
    said = evidence.result.reidentification
    if not said:
        raise NoGround("nothing was released that anybody could be found in")
    for attack in said.attacks:
        _fits(attack, said.people)
    return _reports(evidence, said) if evidence.randomized else _release(evidence, said)


def _fits(attack: Attack, people: int) -> None:
    """What is said of one attack does not contradict itself."""
    who = ", ".join(attack.knows)
    slack = DEVIATIONS * attack.standard_error + CLOSE * people
    if not attack.certain - slack <= attack.found <= people + slack or attack.found < 1 - slack:
        raise VerificationError(f"{who}: {attack.found:g} people of {people} are said to be found")
    _same(f"{who}: bayes_error", max(0.0, 1 - attack.found / people), attack.error)
    if not 0 <= attack.bits <= log2(people) + DEVIATIONS * attack.bits_error + CLOSE:
        raise VerificationError(f"{who}: {attack.bits:g} bits, of {log2(people):g} that there are")


def _release(evidence: Evidence, said: Reidentified) -> str:
    (joint,), whose = evidence.counts(evidence.last)
    kept = [evidence.result.features[column] for column in evidence.decision.kept]
    cells = Crowds.of_cells(list(joint.values()))
    own = risk(cells, evidence.run.scenario.policy.k)
    _same("people", cells.n, said.people)
    claimed = said.risk
    if not claimed:
        raise VerificationError("a table was released, and no risk is claimed")
    for name in ("largest", "mean", "above"):
        mine = getattr(own.prosecutor, name)
        _same(f"prosecutor: {name}", mine, getattr(claimed.prosecutor, name))
        if getattr(claimed.journalist, name) > mine + CLOSE:
            raise VerificationError(f"journalist: {name} is above the prosecutor's, who knows more")
    _same("marketer", claimed.journalist.mean, claimed.marketer)
    made, plain = 0, {name for j, name in enumerate(kept) if not _hides(joint, j)}
    for attack in said.attacks:
        _same("sees", tuple(kept), attack.sees)
        if set(attack.knows) <= plain:
            _known(joint, kept, attack)
            made += 1
    return f"{made} of {len(said.attacks)} attacks and the risks recomputed from {whose}"


def _hides(joint: Counts, place: int) -> bool:
    """Whether some values of a released column were not said."""
    return any(values[place] in HIDDEN for values in joint)


def _known(joint: Counts, kept: Sequence[str], attack: Attack) -> None:
    """An attacker who knows released columns finds one person a cell of them, in expectation."""
    places = [kept.index(name) for name in attack.knows]
    cells: Counter[tuple[str, ...]] = Counter()
    for values, people in joint.items():
        cells[tuple(values[place] for place in places)] += people
    n, who = sum(cells.values()), ", ".join(attack.knows)
    _same(f"{who}: found", float(len(cells)), attack.found)
    _same(f"{who}: certain", sum(people == 1 for people in cells.values()), attack.certain)
    entropy = sum(people / n * log2(n / people) for people in cells.values())
    _same(f"{who}: bits", entropy, attack.bits)


def _reports(evidence: Evidence, said: Reidentified) -> str:
    asked = _asked(evidence)
    for question, report in zip(asked, said.reports, strict=True):
        _same("report", question.name, report.feature)
        bound = pie_bound(question.randomizer, said.people)
        _same(f"{question.name}: contraction", bound.contraction, report.contraction)
        _same(f"{question.name}: exact", bound.exact, report.exact)
        _same(f"{question.name}: attained", bound.attained, report.attained)
        if report.pie > bound.exact + DEVIATIONS * report.standard_error + CLOSE:
            raise VerificationError(f"{question.name}: a PIE above the bound for any people")
    return f"{len(asked)} bounds on the PIE recomputed; no attack contradicts them"


def _asked(evidence: Evidence) -> Sequence[Question]:
    """The questions, as far as their noise goes; what people have is not known from a record."""
    run = evidence.run
    return program_of(run.scenario).noise(run.scenario, evidence.result, run.sizes)


def _same(where: str, actual: Any, claimed: Any) -> None:
    """VerificationError unless they agree, numbers up to their last digits."""
    if isinstance(actual, float) and isinstance(claimed, float | int):
        if isclose(actual, claimed, rel_tol=CLOSE, abs_tol=CLOSE):
            return
    elif actual == claimed:
        return
    raise VerificationError(f"{where}: {claimed!r} is claimed, {actual!r} was found")

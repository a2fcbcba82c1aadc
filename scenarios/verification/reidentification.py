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
    for one in said.attacks:
        _fits(one, said.people)
    return _reports(evidence, said) if evidence.randomized else _release(evidence, said)


def _fits(one: Attack, people: int) -> None:
    """What is said of one attack does not contradict itself."""
    who = ", ".join(one.knows)
    slack = DEVIATIONS * one.standard_error + CLOSE * people
    if not one.certain - slack <= one.found <= people + slack or one.found < 1 - slack:
        raise VerificationError(f"{who}: {one.found:g} people of {people} are said to be found")
    _same(f"{who}: bayes_error", max(0.0, 1 - one.found / people), one.error)
    if not 0 <= one.bits <= log2(people) + DEVIATIONS * one.bits_error + CLOSE:
        raise VerificationError(f"{who}: {one.bits:g} bits, of {log2(people):g} that there are")


def _release(evidence: Evidence, said: Reidentified) -> str:
    (joint,), whose = evidence.counts(evidence.last)
    kept = [evidence.result.features[column] for column in evidence.decision.kept]
    cells = Crowds.of_cells(list(joint.values()))
    found = risk(cells, evidence.run.scenario.policy.k)
    _same("people", cells.n, said.people)
    claimed = said.risk
    if not claimed:
        raise VerificationError("a table was released, and no risk is claimed")
    for name in ("largest", "mean", "above"):
        mine = getattr(found.prosecutor, name)
        _same(f"prosecutor: {name}", mine, getattr(claimed.prosecutor, name))
        if getattr(claimed.journalist, name) > mine + CLOSE:
            raise VerificationError(f"journalist: {name} is above the prosecutor's, who knows more")
    _same("marketer", claimed.journalist.mean, claimed.marketer)
    made, plain = 0, {name for j, name in enumerate(kept) if not _hides(joint, j)}
    for one in said.attacks:
        _same("sees", tuple(kept), one.sees)
        if set(one.knows) <= plain:
            _known(joint, kept, one)
            made += 1
    return f"{made} of {len(said.attacks)} attacks and the risks recomputed from {whose}"


def _hides(joint: Counts, place: int) -> bool:
    """Whether some values of a released column were not said."""
    return any(values[place] in HIDDEN for values in joint)


def _known(joint: Counts, kept: Sequence[str], one: Attack) -> None:
    """An attacker who knows released columns finds one person a cell of them, in expectation."""
    places = [kept.index(name) for name in one.knows]
    cells: Counter[tuple[str, ...]] = Counter()
    for values, people in joint.items():
        cells[tuple(values[place] for place in places)] += people
    n, who = sum(cells.values()), ", ".join(one.knows)
    _same(f"{who}: found", float(len(cells)), one.found)
    _same(f"{who}: certain", sum(people == 1 for people in cells.values()), one.certain)
    entropy = sum(people / n * log2(n / people) for people in cells.values())
    _same(f"{who}: bits", entropy, one.bits)


def _reports(evidence: Evidence, said: Reidentified) -> str:
    asked = _asked(evidence)
    for question, one in zip(asked, said.reports, strict=True):
        _same("report", question.name, one.feature)
        bound = pie_bound(question.randomizer, said.people)
        _same(f"{question.name}: sharp", bound.sharp, one.sharp)
        _same(f"{question.name}: exact", bound.exact, one.exact)
        _same(f"{question.name}: attained", bound.attained, one.attained)
        if one.pie > bound.exact + DEVIATIONS * one.standard_error + CLOSE:
            raise VerificationError(f"{question.name}: a PIE above the bound for any people")
    return f"{len(asked)} bounds on the PIE recomputed; no attack contradicts them"


def _asked(evidence: Evidence) -> Sequence[Question]:
    """The questions, as far as their noise goes; what people have is not known from a record."""
    run = evidence.run
    return program_of(run.scenario).noise(run.scenario, evidence.result, run.sizes)


def _same(where: str, found: Any, claimed: Any) -> None:
    """VerificationError unless they agree, numbers up to their last digits."""
    if isinstance(found, float) and isinstance(claimed, float | int):
        if isclose(found, claimed, rel_tol=CLOSE, abs_tol=CLOSE):
            return
    elif found == claimed:
        return
    raise VerificationError(f"{where}: {claimed!r} is claimed, {found!r} was found")

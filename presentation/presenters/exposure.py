"""The presenter of exposure (the share of people in a class smaller than k).

It has scores on the true exposure of a release, its certified bound, and the worst case.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...number_text import percent
from ...scenarios.lab.scoring.run_scores import saved_exposure
from ..equal_people import alike_rows, released_alike
from ..text_blocks import Score
from .registry import presenter_of

if TYPE_CHECKING:
    from ...scenarios.lab.scoring.outcome import Exposure
    from ...scenarios.lab.scoring.result import Result, WrittenDecision
    from ...scenarios.schema.model import Scenario


def scores(
    scenario: "Scenario", result: "Result", measured: "Exposure | None" = None
) -> Iterator[Score]:
    """Yield the scores on the exposure of people in a release of values.

    measured: the exposure from a run in memory, with the reason why the search for the worst case
    ended, which a saved record lacks. None: the exposure is read from the record.
    """
    decision, release = result.decision, result.release
    if decision is None or release is None:
        yield "exposure", "-", "nothing is released, so there is no exposure"
        return
    exposure = measured or saved_exposure(result)
    yield "exposure", percent(exposure.true), exposed_people(scenario)
    certified, *further = bounds(scenario, result, exposure)
    yield certified
    persons = result.several_rows.people if result.several_rows else None
    yield from alike_rows(decision.kept, released_alike(dict(release.cells), persons))
    yield from further


def exposed_people(scenario: "Scenario") -> str:
    """Return a description of the people that count as exposed in the scenario's program."""
    k = scenario.policy.k
    if scenario.population.rows is not None:
        return f"persons with a released row that fewer than k = {k} have"
    return presenter_of(scenario).exposed.format(k=k)


def bounds(scenario: "Scenario", result: "Result", exposure: "Exposure") -> Iterator[Score]:
    """Yield scores of a release: its certified bound, whether it is broken, and the worst case.

    A bound is broken if the true exposure is larger.
    """
    yield "certified bound", percent(exposure.promised), _ground(scenario, result, exposure)
    if exposure.true > exposure.promised:
        broken = "more people are exposed than the bound says; verify fails"
        yield "certified bound", "BROKEN", broken
    yield worst_case(scenario, result, exposure)


def _ground(scenario: "Scenario", result: "Result", exposure: "Exposure") -> str:
    """Return the grounds of the certified bound: the data that prove it, or when it may fail."""
    decision = result.decision
    if decision is not None and exposure.promised > decision.bound:
        return f"proved again of the {exposure.people:,} people who came"
    if bound := presenter_of(scenario).bound:
        return bound
    if scenario.population.setting != "fixed":
        delta = percent(scenario.policy.delta)
        return f"for people who were not counted; fails with probability {delta} at most"
    return f"exposure proved from {_counts(scenario, result, decision)} before the release"


def _counts(scenario: "Scenario", result: "Result", decision: "WrittenDecision | None") -> str:
    """Return the name of the counts from which the certified bound was proved."""
    if decision is not None and decision.blank:
        sure = f"; it may fail with probability {scenario.policy.delta:g}"
        return "the marginals and its rules" + (sure if decision.certificate.c is not None else "")
    rounds = len(result.findings.counted) if result.findings else 0
    return "all counts of the curator" if rounds > 1 else "the marginals"


def worst_case(scenario: "Scenario", result: "Result", exposure: "Exposure") -> Score:
    """Return the score on the worst case: the largest exposure over tables with the marginals.

    In place of a figure the score can have a reason. For example, the marginals do not describe the
    released table, or the curator knows more than the marginals.
    """
    name, worst = "worst case", exposure.worst_case
    if scenario.population.setting != "fixed":
        return name, "-", "the marginals are of other people"
    if result.decision is not None and result.decision.blank:
        return name, "-", "values are suppressed, so the release has other marginals"
    if unsearched := presenter_of(scenario).unsearched:
        return name, "-", unsearched
    if result.several_rows:
        return name, "-", "not searched where persons have several rows"
    if worst is None:
        return name, "-", "not computed; --worst-case NODES computes it"
    low, high = (
        percent(people / exposure.people) for people in (worst.attained_people, worst.proven)
    )
    meaning = "maximum over all tables with these marginals"
    if worst.attained_people == worst.proven:
        return name, high, meaning
    further = "; ".join(filter(None, (worst.why, "--worst-case NODES searches further")))
    return name, f"{low} to {high}", f"{meaning}; {further}"

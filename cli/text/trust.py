"""The lines of `veilmix check` on trust: the coalitions that were found to learn a person's row.

They were measured in advance on a shipped scenario, with the checked scenario's countermeasures or
fewer.
"""

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING

from ...number_text import plural
from ...presentation.text_blocks import WIDTH
from ...presentation.wording import OUTSIDE_CATALOGUE, TWO_KINDS

if TYPE_CHECKING:
    from ...scenarios.schema.model import Scenario
    from ...scenarios.studies.cheating.cheating_result import LinkingCoalition, WorstAttack
    from ...scenarios.studies.cheating.trust_table import GuardSet, MeasuredTrust

MARGIN = " " * 10


def trust(scenario: "Scenario") -> Iterator[str]:
    """Yield the lines of `veilmix check` on trust: coalitions that can learn a person's row.

    The coalitions were measured in advance, on a shipped scenario that has the countermeasures of
    `scenario` or fewer. If there is no such measurement, the lines say so.
    """
    from ...presentation.presenters.cheating import why_unmeasured
    from ...scenarios.records.verification.submitted_once import announced_price
    from ...scenarios.studies.cheating.trust_table import measured_trust

    if why := why_unmeasured(scenario):
        yield f"trust     a run tells what coalitions learn that watch; {why}"
        if price := announced_price(scenario):
            yield f"{MARGIN}{price}"
        return
    measurement = measured_trust(scenario)
    if measurement is not None:
        yield from _measured(measurement, scenario.scenario.name)
    else:
        yield "trust     of its guards nothing is shipped that was measured:"
    yield f"{MARGIN}{TWO_KINDS}"


def _measured(measurement: "MeasuredTrust", name: str) -> Iterator[str]:
    """Yield lines on a measurement: its settings, and the coalitions that learn a person's row.

    measurement: made with the countermeasures of the checked scenario or fewer. name: name of the
    checked scenario.
    """
    study = measurement.measured
    source = study.source.removeprefix("builtin:")
    yield (
        f"trust     coalitions that were found to learn somebody's row, as measured on "
        f"{study.scenario}"
    )
    yield (
        f"{MARGIN}({study.users:,} people of {source}, {plural(study.runs, 'run')} of each of "
        f"{plural(len(study.tried), 'attack')})"
        f"{', not on this scenario' * (study.scenario != name)}:"
    )
    yield f"{MARGIN}watching   {'; '.join(map(_coalition_name, study.watching)) or 'none'}"
    for place, coalition in enumerate(study.succeeding or (None,)):
        yield f"{MARGIN}{'cheating' if not place else '        '}   {_cheating(coalition, study)}"
    if measurement.besides:
        yield (
            f"{MARGIN}with these guards, but without {', '.join(measurement.besides)}, which "
            "are on here"
        )
    for line in wrap(OUTSIDE_CATALOGUE, WIDTH - len(MARGIN)):
        yield f"{MARGIN}{line}"


def _coalition_name(coalition: "LinkingCoalition | WorstAttack") -> str:
    """Return the members of a coalition in words."""
    from ...scenarios.studies.cheating.cheating_result import name_members

    return name_members((coalition.parties, coalition.friends))


def _cheating(worst: "WorstAttack | None", guards: "GuardSet") -> str:
    """Return in words the worst attack of a malicious coalition, or that no attack succeeded.

    worst: the attack; None: no attack succeeded. guards: the measurement, with the attacks tried.
    """
    from ...presentation.presenters.cheating import coalition_text, no_success

    if worst is not None:
        return coalition_text(worst)
    return no_success(len(guards.tried), guards.runs, "a coalition that links nobody by watching")

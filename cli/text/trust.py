"""What was measured of a scenario's guards: who learns somebody's row, watching and cheating."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...scenarios.wording import TWO_KINDS, many

if TYPE_CHECKING:
    from ...scenarios.schema.model import Scenario
    from ...scenarios.studies.cheating_result import LinkingCoalition, WorstAttack
    from ...scenarios.studies.trust_table import GuardSet, MeasuredTrust

MARGIN = " " * 10
SHOWN = 4  # coalitions of a line


def trust(scenario: "Scenario") -> Iterator[str]:
    """The lines on trust of `veilmix check`."""
    from ...scenarios.studies.cheating_file import unmeasured
    from ...scenarios.studies.cheating_text import ON_REPORTS
    from ...scenarios.studies.trust_table import told_of

    if unmeasured(scenario):
        yield f"trust     a run tells what coalitions learn that watch; {ON_REPORTS}"
        return
    told = told_of(scenario)
    if told is not None:
        yield from _measured(told, scenario.scenario.name)
    else:
        yield "trust     of its guards nothing is shipped that was measured:"
    yield f"{MARGIN}{TWO_KINDS}"


def _measured(told: "MeasuredTrust", name: str) -> Iterator[str]:
    found = told.measured
    source = found.source.removeprefix("builtin:")
    yield (
        f"trust     the smallest coalitions that learn somebody's row, as measured on "
        f"{found.scenario}"
    )
    yield (
        f"{MARGIN}({found.users:,} people of {source}, {many(found.runs, 'run')} of each of "
        f"{many(len(found.tried), 'attack')}){', not on this scenario' * (found.scenario != name)}:"
    )
    yield f"{MARGIN}watching   {'; '.join(map(_who, found.watching)) or 'none'}"
    for place, one in enumerate(found.smallest or (None,)):
        yield f"{MARGIN}{'cheating' if not place else '        '}   {_cheating(one, found)}"
    if told.besides:
        yield f"{MARGIN}with these guards, but without {', '.join(told.besides)}, which are on here"


def _who(one: "LinkingCoalition | WorstAttack") -> str:
    from ...scenarios.studies.cheating_result import name_members

    return name_members((one.parties, one.friends))


def _cheating(one: "WorstAttack | None", found: "GuardSet") -> str:
    from ...scenarios.studies.cheating_text import NOTHING, told

    return told(one) if one else f"{NOTHING}: 0 of {many(found.runs, 'run')} of each"

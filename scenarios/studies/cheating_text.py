"""What cheating coalitions learn, as rows and lines: the same in a terminal and on a page."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..programs.registry import program_of
from ..wording import Grid, many, seeds
from .cheating_result import WHEN, AttackResult, CheatingStudy, WorstAttack, name_members, telling

if TYPE_CHECKING:
    from ..schema.model import Scenario

NOTHING = "no known attack"
NOT_MEASURED = "not measured"
WATCHES = "watching is enough"
HEADINGS = ("who cheats", "worst attack", "rows read", "95 %", "noticed")
KEY = (
    "rows read: runs in which somebody's whole row, or whole released row, was read by the "
    "attackers, with the 95 % interval of its probability (Clopper-Pearson); noticed: by a burned "
    "round or an alarm that the board bears out, before a release was posted, after it, or never."
)
LARGER = (
    "A larger coalition never does worse: any other than these is as the worst of its parts. These "
    "are the known attacks with the guards of this scenario: what nobody knows is not here."
)
ON_REPORTS = "those that cheat are not measured where people add noise to their answers"


def why_unmeasured(scenario: "Scenario") -> str:
    """Why what cheating coalitions learn is not measured in a scenario; empty where it is."""
    return ON_REPORTS if program_of(scenario).reports else ""


def table(study: CheatingStudy) -> Grid:
    """Single parties, and every coalition that does worse to people than its parts."""
    return Grid(HEADINGS, [row(coalition) for coalition in telling(study.coalitions)], (2, 3))


def row(coalition: WorstAttack) -> tuple[str, ...]:
    """A coalition and its worst, in words."""
    return (name_members((coalition.parties, coalition.friends)), *worst_told(coalition))


def worst_told(coalition: WorstAttack) -> tuple[str, str, str, str]:
    """The worst of a coalition: the attack, how often it read a row, the interval, when noticed."""
    if coalition.watching:
        return WATCHES, "all", "-", "never"
    if coalition.worst is None:
        return NOTHING, "0", "-", "-"
    return coalition.worst.attack, *rate(coalition.worst), seen(coalition.worst)


def rate(result: AttackResult) -> tuple[str, str]:
    """In how many runs a row was read, and the 95 % interval of the probability."""
    ends = f"{100 * result.low:.0f} to {100 * result.high:.0f} %"
    return f"{result.read:,} of {result.runs:,}", ends


def in_runs(result: AttackResult) -> str:
    """In how many runs a row was read, in words."""
    often, ends = rate(result)
    return f"{often} {'run' if result.runs == 1 else 'runs'} ({ends})"


def seen(result: AttackResult) -> str:
    """When it was noticed, in the runs in which a row was read."""
    counted = dict(zip(WHEN, (result.before, result.after, result.never), strict=True))
    told = {when: runs for when, runs in counted.items() if runs}
    if len(told) <= 1:
        return next(iter(told), "-")
    return ", ".join(f"{when} {runs:,}" for when, runs in told.items())


def smallest_told(study: CheatingStudy) -> str:
    """Say which coalitions learn anybody's row, of which no part does."""
    said = "; ".join(
        name_members((coalition.parties, coalition.friends)) for coalition in study.smallest
    )
    return f"smallest coalitions that learn somebody's row by cheating: {said or NOTHING}"


def smallest_with_attacks(study: CheatingStudy) -> str:
    """The smallest coalitions that learn somebody's row, each with what it does and achieves."""
    return "; ".join(map(coalition_text, study.smallest)) or f"{NOTHING} reads anybody's row"


def coalition_text(coalition: WorstAttack) -> str:
    """A coalition, what it does, in how many runs that read a row, and when it was noticed."""
    who = name_members((coalition.parties, coalition.friends))
    if coalition.worst is None or coalition.watching:
        return f"{who} ({WATCHES if coalition.watching else NOTHING})"
    worst = coalition.worst
    return f"{who} by {worst.attack} in {in_runs(worst)}, noticed: {seen(worst)}"


def played(study: CheatingStudy) -> str:
    """What was played, with its seeds; and what is still missing."""
    told = (
        f"{many(len(study.attempts), 'attack')} on a person, {many(study.runs, 'run')} of each, "
        f"{seeds(study.seed, study.runs)}"
    )
    if study.whole:
        return told
    return (
        f"{told}; stopped at {study.played:,} of {study.due:,} runs, so what is told is of these "
        "alone: veilmix leak RUN --cheating goes on"
    )


def notes(study: CheatingStudy) -> Iterator[str]:
    """What is to be known of the table."""
    yield KEY
    yield LARGER
    yield f"{played(study)}."


def numbers(results: Sequence[AttackResult]) -> Grid:
    """Every attack, with all its figures."""
    headings = ("attack", "coalition", "people", "runs", "read", "low", "high", "value", "of")
    rows = [
        (
            *(result.attack, "+".join(result.parties), result.friends, result.runs, result.read),
            *(
                result.low,
                result.high,
                result.value,
                result.of,
                result.unit,
                result.before,
                result.after,
                result.never,
            ),
        )
        for result in results
    ]
    return Grid((*headings, "unit", *WHEN), rows)

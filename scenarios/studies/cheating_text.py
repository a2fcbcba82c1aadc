"""What cheating coalitions learn, as rows and lines: the same in a terminal and on a page."""

from collections.abc import Iterator, Sequence

from ..wording import Grid, many, seeds
from .cheating_result import WHEN, AttackResult, CheatingStudy, WorstAttack, name_members, telling

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


def table(found: CheatingStudy) -> Grid:
    """Single parties, and every coalition that does worse to people than its parts."""
    return Grid(HEADINGS, [row(one) for one in telling(found.coalitions)], (2, 3))


def row(one: WorstAttack) -> tuple[str, ...]:
    """A coalition and its worst, in words."""
    return (name_members((one.parties, one.friends)), *worst_told(one))


def worst_told(one: WorstAttack) -> tuple[str, str, str, str]:
    """The worst of a coalition: the attack, how often it read a row, the interval, when noticed."""
    if one.watching:
        return WATCHES, "all", "-", "never"
    if one.worst is None:
        return NOTHING, "0", "-", "-"
    return one.worst.attack, *rate(one.worst), seen(one.worst)


def rate(found: AttackResult) -> tuple[str, str]:
    """In how many runs a row was read, and the 95 % interval of the probability."""
    ends = f"{100 * found.low:.0f} to {100 * found.high:.0f} %"
    return f"{found.read:,} of {found.runs:,}", ends


def in_runs(found: AttackResult) -> str:
    """In how many runs a row was read, in words."""
    often, ends = rate(found)
    return f"{often} {'run' if found.runs == 1 else 'runs'} ({ends})"


def seen(found: AttackResult) -> str:
    """When it was noticed, in the runs in which a row was read."""
    counted = dict(zip(WHEN, (found.before, found.after, found.never), strict=True))
    told = {when: runs for when, runs in counted.items() if runs}
    if len(told) <= 1:
        return next(iter(told), "-")
    return ", ".join(f"{when} {runs:,}" for when, runs in told.items())


def smallest_told(found: CheatingStudy) -> str:
    """Say which coalitions learn anybody's row, of which no part does."""
    said = "; ".join(name_members((one.parties, one.friends)) for one in found.smallest)
    return f"smallest coalitions that learn somebody's row by cheating: {said or NOTHING}"


def smallest_with_attacks(found: CheatingStudy) -> str:
    """The smallest coalitions that learn somebody's row, each with what it does and achieves."""
    return "; ".join(map(told, found.smallest)) or f"{NOTHING} reads anybody's row"


def told(one: WorstAttack) -> str:
    """A coalition, what it does, in how many runs that read a row, and when it was noticed."""
    who = name_members((one.parties, one.friends))
    if one.worst is None or one.watching:
        return f"{who} ({WATCHES if one.watching else NOTHING})"
    return f"{who} by {one.worst.attack} in {in_runs(one.worst)}, noticed: {seen(one.worst)}"


def played(found: CheatingStudy) -> str:
    """What was played, with its seeds; and what is still missing."""
    told = (
        f"{many(len(found.attempts), 'attack')} on a person, {many(found.runs, 'run')} of each, "
        f"{seeds(found.seed, found.runs)}"
    )
    if found.whole:
        return told
    return (
        f"{told}; stopped at {found.played:,} of {found.due:,} runs, so what is told is of these "
        "alone: veilmix leak RUN --cheating goes on"
    )


def notes(found: CheatingStudy) -> Iterator[str]:
    """What is to be known of the table."""
    yield KEY
    yield LARGER
    yield f"{played(found)}."


def numbers(found: Sequence[AttackResult]) -> Grid:
    """Every attack, with all its figures."""
    headings = ("attack", "coalition", "people", "runs", "read", "low", "high", "value", "of")
    rows = [
        (
            *(one.attack, "+".join(one.parties), one.friends, one.runs, one.read),
            *(one.low, one.high, one.value, one.of, one.unit, one.before, one.after, one.never),
        )
        for one in found
    ]
    return Grid((*headings, "unit", *WHEN), rows)

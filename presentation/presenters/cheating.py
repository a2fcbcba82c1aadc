"""The presenter of a study of cheating: known attacks, played by malicious coalitions.

A malicious coalition is a set of parties that pool their views and deviate from the protocol. The
attacks are in the catalogue (scenarios/attacks).
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...number_text import plural, seeds, sentence
from ...scenarios.programs.capability import AnswerKind
from ...scenarios.programs.registry import answers_in, unchecked_queries
from ...scenarios.studies.cheating.cheating_result import (
    NO_SUCCESS,
    WHEN,
    AttackResult,
    CheatingStudy,
    WorstAttack,
    detection_text,
    name_members,
    telling,
)
from ..text_blocks import Grid, Line, Marked, PageNumbers
from ..wording import OUTSIDE_CATALOGUE, PROVED, WATCHING

if TYPE_CHECKING:
    from ...scenarios.records.result_file import Run
    from ...scenarios.schema.model import Scenario
    from ..blocks import Block

NOT_MEASURED = "not measured"
WATCHES = "watching is enough"
HEADINGS = ("who cheats", "worst attack of the catalogue", "rows read", "95 %", "noticed")
KEY = (
    "rows read: runs in which somebody's whole row, or whole released row, was read by the "
    "attackers, with the 95 % interval of its probability (Clopper-Pearson); noticed: by a burned "
    "round or an alarm that the board bears out, before a release was posted, after it, or never."
)
LARGER = (
    "A larger coalition never does worse: any other than these is at least as bad as the worst of "
    "its parts. All of it is a lower bound: only attacks of the catalogue are played, with the "
    "guards of this scenario."
)
ON_REPORTS = "those that cheat are not measured where people add noise to their answers"


def why_unmeasured(scenario: "Scenario") -> str:
    """Return the reason why attacks by malicious coalitions are not measured; "" if they are.

    A verified mix has a proof instead; with noisy reports there is no row of a person to read.
    """
    if scenario.mix.kind == "verified":
        return PROVED
    return ON_REPORTS if answers_in(scenario) is AnswerKind.REPORTS else ""


def table(study: CheatingStudy) -> Grid:
    """Return the table of malicious coalitions, each with its worst attack.

    The table has single parties, and coalitions that harm people more than each of their parts
    does. The last cell says when an honest party noticed the attack. This cell is marked as bad if
    the attack read a person's row, noticed or not. No cell is marked as good, since a lack of
    success in some runs is no proof.
    """
    rows = []
    for coalition in telling(study.coalitions):
        *cells, noticed = _worst(study, coalition)
        succeeded = coalition.worst is not None or coalition.watching
        members = name_members((coalition.parties, coalition.friends))
        rows.append((members, *cells, Marked(noticed, "bad") if succeeded else noticed))
    return Grid(HEADINGS, rows, (2, 3), "and if they cheat", numbers(study.attacks))


def run_blocks(run: "Run", study: CheatingStudy | None) -> Iterator["Block"]:
    """Yield the study of cheating of a run, and a search for new attacks, or the reason why not.

    study: the study of known attacks that is saved with the run; None for a run without a study.
    """
    from ...scenarios.records.verification.submitted_once import price

    yield from (Line(sentence(line), "bold") for line in unchecked_queries(run.scenario))
    if study is not None:
        yield from study_blocks(study)
        yield from _searched(run)
    elif why := why_unmeasured(run.scenario):
        yield Line(sentence(why), "dim")
        if price_text := price(run.scenario, run.result):
            yield Line(sentence(price_text))
    else:
        yield Line(sentence(WATCHING), "dim")


def study_blocks(study: CheatingStudy) -> Iterator["Block"]:
    """Yield a study of cheating: each coalition with its worst attack, and the study's limits."""
    yield table(study)
    yield Line(successes(study))
    yield from (Line(line, "dim") for line in notes(study))


def _searched(run: "Run") -> Iterator["Block"]:
    """Yield a line on a search for attacks outside the catalogue; no line if there is no search.

    A search that is saved in the run's folder comes first. Otherwise the line cites a search that
    is shipped with veilmix, made with the same countermeasures on a small session.
    """
    from ...scenarios.studies.search.search_file import read
    from ...scenarios.studies.search.search_table import recorded
    from .search import summary

    search_result = read(run.folder)
    if search_result is None and (record := recorded(run.scenario)):
        search_result = record.result
    if search_result is not None:
        yield Line(sentence(summary(search_result)))


def _worst(study: CheatingStudy, coalition: WorstAttack) -> tuple[str, str, str, str]:
    """Return a coalition's worst attack as four table cells.

    The cells: the attack; the runs in which it read a person's row; the 95 % interval of the
    probability of that; and when an honest party noticed the attack.
    """
    if coalition.watching:
        return WATCHES, "all", "-", "never"
    if coalition.worst is not None:
        return coalition.worst.attack, *rate(coalition.worst), detection_text(coalition.worst)
    if able := study.able(coalition):
        return f"none of {plural(able, 'attack')}", "0", "-", "-"
    return "none played", "-", "-", "-"


def rate(result: AttackResult) -> tuple[str, str]:
    """Return the runs in which an attack read a row, and the 95 % interval of its probability."""
    ends = f"{100 * result.low:.0f} to {100 * result.high:.0f} %"
    return f"{result.read:,} of {result.runs:,}", ends


def in_runs(result: AttackResult) -> str:
    """Return the runs in which an attack read a person's row, with a 95 % interval, in words."""
    rate_text, ends = rate(result)
    return f"{rate_text} {'run' if result.runs == 1 else 'runs'} ({ends})"


def no_success(attacks: int, runs: int, coalition: str = "any coalition") -> str:
    """Return the statement that no attack of the catalogue read a row, with its numbers.

    It is no statement of safety: print `OUTSIDE_CATALOGUE`, on unknown attacks, with it.

    attacks: number of attacks. runs: number of runs of each attack. coalition: the attackers, in
    words.
    """
    return (
        f"none of the {plural(attacks, 'attack')} of the catalogue read a row for {coalition} in "
        f"{plural(runs, 'run')} of each"
    )


def successes(study: CheatingStudy) -> str:
    """Return a sentence with the smallest coalitions for which an attack read a person's row.

    Without such a coalition, the sentence says that no attack read a row.
    """
    coalition_names = "; ".join(
        name_members((coalition.parties, coalition.friends)) for coalition in study.smallest
    )
    success_text = f"found to learn somebody's row; others, and fewer, may too: {coalition_names}"
    return success_text if coalition_names else no_success(len(study.attacks), study.min_runs)


def successes_with_attacks(study: CheatingStudy) -> str:
    """Return the smallest coalitions for which an attack read a row, each with attack and runs.

    Without such a coalition, the sentence says that no attack read a row.
    """
    success_text = "; ".join(map(coalition_text, study.smallest))
    return success_text or no_success(len(study.attacks), study.min_runs)


def coalition_text(coalition: WorstAttack) -> str:
    """Return a coalition in words, with the worst attack that it can carry out.

    The text has the share of runs in which the attack read a person's row, and when an honest party
    noticed the attack.
    """
    members_text = name_members((coalition.parties, coalition.friends))
    if coalition.worst is None or coalition.watching:
        return f"{members_text} ({WATCHES if coalition.watching else NO_SUCCESS})"
    worst = coalition.worst
    return f"{members_text} by {worst.attack} in {in_runs(worst)}, noticed: {detection_text(worst)}"


def played(study: CheatingStudy) -> str:
    """Return the size of a study of cheating in words: attacks, runs, seeds, and runs to come."""
    parts = (
        f"{plural(len(study.attempts), 'attack')} on a person, "
        f"{plural(study.runs, 'run')} of each, "
        f"{seeds(study.seed, study.runs)}"
    )
    if study.whole:
        return parts
    return (
        f"{parts}; stopped at {study.played:,} of {study.due:,} runs, so what is told is of these "
        "alone: veilmix leak RUN --cheating goes on"
    )


def notes(study: CheatingStudy) -> Iterator[str]:
    """Yield the notes below the table of a study: meaning of its columns, limits, and size."""
    yield KEY
    yield LARGER
    yield sentence(OUTSIDE_CATALOGUE)
    yield f"{played(study)}."


def numbers(results: Sequence[AttackResult]) -> PageNumbers:
    """Return all figures of all attacks of a study, unrounded, for a CSV file.

    results: for each attack and coalition, the outcomes of its runs.
    """
    rows = [
        (
            *(result.attack, "+".join(result.parties), result.friends, result.runs, result.read),
            *(result.low, result.high, result.value, result.of, result.unit),
            *(result.before, result.after, result.never),
        )
        for result in results
    ]
    headings = ("attack", "coalition", "people", "runs", "read", "low", "high", "value", "of")
    return PageNumbers("cheating", (*headings, "unit", *WHEN), rows)

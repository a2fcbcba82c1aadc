"""The presenter of the search for attacks: it plays deviations from the protocol by coalitions.

It shows whether a coalition of parties learns more by deviating than by following the protocol, how
many strategies were played, and the limits of the search.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...number_text import joined, plural, seeds, sentence
from ..text_blocks import Grid, Line

if TYPE_CHECKING:
    from ...scenarios.studies.search.search_result import CoalitionResult, Find, Reads, SearchResult
    from ..blocks import Block

HEADINGS = (
    "coalition", "found", "crowd", "strategy", "guess", "honest", "noticed", "played", "due",
)  # fmt: skip
READS: Mapping["Reads", str] = {
    "row": "the row",
    "joint": "joint counts that no member reads alone",
    "closed": "rows that fewer than k people say",
}
BEYOND: Mapping["Reads", str] = {
    "row": "",
    "joint": "joint counts, ",
    "closed": "a row that fewer than k people say, ",
}
LIMIT = (
    "a search says nothing of strategies that it has not played: of other kinds, other sets of "
    "people, more people, other programs, or several sessions (docs/attack-search.md)"
)
CROWD = (
    "crowd: the people with whom the target can be exchanged unseen by the coalition, itself "
    "included; guess: the probability that the best guess of one value of it is right. Joint "
    "counts: rows are told apart whose views are equal where everybody follows the protocol"
)


def search_blocks(study: "SearchResult", folder: Path) -> Iterator["Block"]:
    """Yield the results of a search for attacks: each coalition, then the limits of the search.

    folder: the folder of the run, which holds the strategies that were found.
    """
    from ...scenarios.studies.search.search_file import file_of

    for result in study.coalitions:
        file = str(folder / file_of(result)) if result.find is not None else ""
        is_red = result.find is not None or result.watching
        yield Line(line(result, study, file), "bold red" if is_red else None)
    yield Line(summary(study), "bold")
    yield from (Line(note, "dim") for note in notes(study))


def line(result: "CoalitionResult", study: "SearchResult", file: str = "") -> str:
    """Return the result of a search for attacks by a coalition, as a line.

    study: the whole search. file: path of the strategy that was found, to replay it; may be empty.
    """
    if result.part:
        return f"{result.name}: as {' + '.join(result.part)}"
    if result.watching:
        return f"{result.name}: {watches(result)}"
    if result.find is not None:
        replay = f", replay: {file}" if file else ""
        return f"{result.name}: found: {find_text(result.find)}{replay}"
    return f"{result.name}: {no_find_text(result, study)}"


def watches(result: "CoalitionResult") -> str:
    """Return in words the data of people that a coalition reads by following the protocol."""
    return f"reads {READS[result.watched]} although it follows the protocol"


def find_text(find: "Find") -> str:
    """Return an attack that the search found, in words.

    The text has the kind of data that the coalition reads, and the number of people, the target
    included, that the coalition cannot distinguish. Then follow the deviations, the success of a
    guess, and when an honest party noticed the attack.
    """
    guess = f"guess {find.guess:.2f} (honest {find.honest:.2f})"
    noticed = "never noticed" if find.noticed == "never" else f"noticed {find.noticed} the release"
    return f'{BEYOND[find.reads]}crowd {find.crowd} by "{find.words}", {guess}, {noticed}'


def no_find_text(result: "CoalitionResult", study: "SearchResult") -> str:
    """Return the statement that no played strategy of a coalition is an attack, with its limits.

    A strategy is a set of deviations from the protocol. study: the whole search.
    """
    share = "" if result.played >= result.due else f" of {result.due:,}"
    played = plural(result.played, "strategy", "strategies")
    return f"nothing found among {played}{share} (kinds: {grouped(result.kinds)}), {limits(study)}"


def grouped(kinds: Sequence[str]) -> str:
    """Return kinds of deviations from the protocol, grouped by action: `omit ask, tally; add`.

    kinds: each an action, mostly with a kind of message, such as `omit ask`.
    """
    by_action: dict[str, list[str]] = {}
    for kind in kinds:
        action, _, message = kind.partition(" ")
        by_action.setdefault(action, []).extend(filter(None, [message]))
    actions = (" ".join(filter(None, (do, ", ".join(about)))) for do, about in by_action.items())
    return "; ".join(actions)


def limits(study: "SearchResult") -> str:
    """Return the limits of a search for attacks: people, seeds, times of posts, and program."""
    program = "" if study.program == "fixed" else f", program {study.program}"
    times = ", exact times of posts" if study.times else ""
    people = plural(study.people, "person", "people")
    return f"{people}, {seeds(study.seeds[0], len(study.seeds))}{times}{program}"


def summary(study: "SearchResult") -> str:
    """Return the results of a whole search for attacks in one sentence, with its size."""
    names_found = [result.name for result in study.coalitions if result.find is not None]
    played_text = (
        f"a search through {plural(study.played, 'strategy', 'strategies')} of "
        f"{plural(len(study.coalitions), 'coalition')}, {limits(study)}"
    )
    if not names_found:
        return f"{played_text}: nothing found"
    return (
        f"{played_text}: found for {joined(names_found)}, and so for whoever contains one of them"
    )


def notes(study: "SearchResult") -> Iterator[str]:
    """Yield the notes below the results of a search for attacks."""
    yield f"{CROWD}."
    yield sentence(LIMIT)
    if study.strategies:
        strategies_text = plural(study.strategies, "strategy", "strategies")
        yield f"Of each coalition {strategies_text} at most, evenly spread over all."
    if not study.whole:
        yield "Stopped: coalitions that are not named were not searched; the same command goes on."


def numbers(study: "SearchResult") -> Grid:
    """Return the results of a search for attacks as a table for programs."""
    rows = [_numbers(result) for result in study.coalitions]
    return Grid(HEADINGS, rows)


def _numbers(result: "CoalitionResult") -> tuple[object, ...]:
    """Return the result of a search for attacks by a coalition, as a row under `HEADINGS`."""
    name, find = "+".join(result.members), result.find
    if find is not None:
        figures = find.crowd, find.words, find.guess, find.honest, find.noticed
        return name, "found", *figures, result.played, result.due
    verdict = f"as {'+'.join(result.part)}" if result.part else "nothing"
    verdict = "watching" if result.watching else verdict
    return name, verdict, *(None,) * 5, result.played, result.due

"""The part of the page's state on the coarsenings that a search found, drawn as points.

A coarsening has a level of coarser values for each column. The coarsening that the user chose is
also put into words.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, floor
from pathlib import Path
from typing import Any

from ..analysis.advice import Choice
from ..own_data.advise import Advised, ChoiceCost, TableSearch
from ..own_data.coarsening_ladders import AS_IS
from ..own_data.risk_places import advised_places
from .choices import UserChoices
from .wording import CommandWords, PageVoice, Text, english, grid

# Largest number of shown values whose people are at risk, by excess, the largest first. The excess
# of a value is the number of its people below k, minus the number to be expected of as many people
# at the rate of the whole table.
RISKY = 6
TICKS = 5  # an axis is at most this many steps long, which sets the step between its ticks
# largest number of characters of the text on a coarsening; a longer text is shortened to the number
# of changed columns
SHORT = 40


def choices_part(
    table_search: TableSearch,
    advised: Advised,
    words: CommandWords,
    voice: PageVoice,
    *,
    final: bool,
) -> dict[str, Any]:
    """Return the part of the page's state on the coarsenings that a search found, drawn as points.

    A coarsening has a level of coarser values for each column. The text about the chosen coarsening
    is not included (`chosen_words`). advised: the advice with the chosen coarsening. final: whether
    the search is complete.
    """
    costed_choices = sorted(advised.choices, key=lambda pair: (pair[1].share, pair[0].people))
    points = [
        _point(table_search, advised, pair, number, voice)
        for number, pair in enumerate(costed_choices)
    ]
    chosen = next(point for point in points if point["chosen"])
    max_people = max(table_search.people_limit, 1, *(point["people"] for point in points))
    return {
        "final": final,
        "searched": english(words.searched(advised)),
        "meets": not chosen["over"],
        "headline": voice.say("said-choices", n=len(points)),
        "summary": _summary(advised, voice),
        "axes": {
            "x": voice.say("said-axis-kept"),
            "y": voice.say("said-axis-below", k=table_search.truth.k),
            "xticks": [
                [share, voice.percent(share)]
                for share in shares(points[0]["kept"], points[-1]["kept"])
            ],
            "yticks": [[tick, voice.count(tick)] for tick in ticks(max_people)],
            "limit": {
                "people": table_search.people_limit,
                "text": voice.say(
                    "said-limit", share=voice.share(table_search.people_limit, advised.n)
                ),
            },
        },
        "points": points,
        "chosen": {
            "id": chosen["id"],
            "steps": grid(words.advice_steps(advised)),
            "lines": [english(line) for line in words.advice_lines(advised)],
            "rows_out": _rows_out(advised, voice),
            "takes": True,
            "why": None,
        },
        "grid": grid(words.advice_choices(advised)),
        "warnings": [
            *([voice.say("said-rows-out-warning")] if advised.suppressed else []),
            *map(english, table_search.notes),
        ],
    }


def chosen_words(
    advised: Advised, choices: UserChoices, words: CommandWords, voice: PageVoice
) -> dict[str, Any]:
    """Return the people at risk under the chosen coarsening, and its description in words.

    A coarsening has a level of coarser values for each column. advised: the advice with the chosen
    coarsening. The result belongs to the part of the page's state on coarsenings.
    """
    return {
        "who": _people_at_risk(advised, voice),
        "text": words.advice(advised, Path(choices.data).name),
    }


def _people_at_risk(advised: Advised, voice: PageVoice) -> dict[str, Any] | None:
    """Return the people in equivalence classes smaller than k, by value; None without such people.

    Rows that the release suppresses are included. advised: the advice with the chosen levels of
    coarser values.
    """
    places = advised_places(replace(advised, row_mask=None))
    if not places.below_k:
        return None
    return {
        "headline": voice.say("said-who", n=places.below_k),
        "bars": [
            {
                "column": value.column,
                "value": value.value,
                "people": value.below_k,
                "of": value.people,
                "text": voice.say(
                    "said-who-bar",
                    value=f"{value.column} {value.value or advised.missing}",
                    people=voice.count(value.below_k),
                    of=voice.count(value.people),
                ),
            }
            for value in places.values[:RISKY]
            if value.below_k
        ],
        "text": voice.say("said-who-empty", n=places.empty_below_k, of=voice.count(places.below_k)),
        "steps": [english(f"{step.what}: {step.taken_out:,} taken out") for step in places.steps],
    }


def _rows_out(advised: Advised, voice: PageVoice) -> Text | None:
    """Return the sentence on the number of suppressed rows; None if no row is suppressed."""
    if advised.row_mask is None:
        return None
    rows = len(advised.table.codes)
    return voice.say("said-rows-out", share=voice.share(advised.suppressed, rows))


def _point(
    table_search: TableSearch,
    advised: Advised,
    costed_choice: tuple[Choice, ChoiceCost],
    number: int,
    voice: PageVoice,
) -> dict[str, Any]:
    """Return the data with which the page draws a coarsening as a point.

    advised: the advice with the chosen coarsening. costed_choice: the coarsening (a level of
    coarser values for each column), and its cost. number: its number among the points.
    """
    choice, cost = costed_choice
    people = table_search.people(choice.levels)
    cells = table_search.cells_of(choice)
    over = people > table_search.people_limit and cells is None
    levels = {
        column.ladder.column: level
        for column, level in zip(table_search.columns, choice.levels, strict=True)
    }
    dropped = any(
        level == len(column.ladder.levels) - 1
        for column, level in zip(table_search.columns, choice.levels, strict=True)
    )
    rows = (advised.suppress is not None and people > 0) or cells is not None
    words = _in_words(table_search, choice)
    share_text = voice.percent(cost.share)
    return {
        "id": str(number),
        "levels": levels,
        "kept": cost.share,
        "people": 0 if cells is not None else people,
        "kind": "rows" if rows else "dropped" if dropped else "coarser",
        "over": over,
        "advised": choice == table_search.advice.best,
        "chosen": choice == advised.best,
        "loss": f"{choice.loss:.4f}",
        "short": _short(table_search, choice, words, voice),
        "name": voice.say(
            "said-point-cells", words=words, kept=share_text, n=voice.count(cells.suppressed)
        )
        if cells is not None
        else voice.say(
            "said-point-rows" if rows else "said-point",
            words=words,
            kept=share_text,
            share=voice.share(people, advised.n),
        ),
    }


def _summary(advised: Advised, voice: PageVoice) -> str:
    """Return a short text on the chosen coarsening: kept information, suppressed cells or rows.

    A coarsening has a level of coarser values for each column.
    """
    share_text = voice.say("said-kept", share=voice.percent(advised.cost.share))["text"]
    if advised.cells is not None:
        return f"{share_text}; {voice.say('said-cells', n=advised.cells.suppressed)['text']}"
    rows = voice.say("said-rows", n=advised.suppressed)["text"]
    return f"{share_text}; {rows}" if advised.suppressed else share_text


def _short(table_search: TableSearch, choice: Choice, words: str, voice: PageVoice) -> Text:
    """Return a coarsening in words, or, if the words are long, the number of columns it changes.

    words: the level of coarser values of each changed column, in words.
    """
    if len(words) <= SHORT:
        return english(words)
    dropped = sum(
        level == len(column.ladder.levels) - 1
        for column, level in zip(table_search.columns, choice.levels, strict=True)
    )
    coarser = sum(level > 0 for level in choice.levels) - dropped
    parts = [voice.say("said-coarser", n=coarser)["text"]] if coarser else []
    parts += [voice.say("said-dropped", n=dropped)["text"]] if dropped else []
    return voice.plain(", ".join(parts))


def shares(low: float, high: float) -> list[float]:
    """Return evenly spaced round shares, for the ticks of an axis from `low` to `high`."""
    step = next(step for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if high - low <= TICKS * step)
    first, last = floor(low / step), max(ceil(high / step), floor(low / step) + 1)
    return [round(number * step, 4) for number in range(first, last + 1)]


def _in_words(table_search: TableSearch, choice: Choice) -> str:
    """Return a coarsening in words: the level of coarser values of each column that changes.

    table_search: the search, with the columns and their levels. choice: the level of each column.
    """
    parts = [
        f"{column.ladder.column}: {column.ladder.levels[level].name}"
        for column, level in zip(table_search.columns, choice.levels, strict=True)
        if level
    ]
    return "; ".join(parts) or AS_IS


def ticks(max_people: int) -> Sequence[int]:
    """Return evenly spaced round numbers of people, for the ticks of an axis.

    The ticks reach from 0 to at least `max_people`.
    """
    step = next(
        factor * 10**power
        for power in range(12)
        for factor in (1, 2, 5)
        if factor * 10**power * TICKS >= max_people
    )
    return range(0, max_people + step, step)

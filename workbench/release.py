"""The released rows under a coarsening, with its measures: shown before the full score.

A coarsening has a level of coarser values for each column. Rows and measures are a part of the
page's state on the result; the text of the score, the page to sign and the files follow later.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..analysis.exposure import Crowds
from ..analysis.exposure.cells import cells_of
from ..analysis.scoring.table_score import allowed
from ..errors import DataError
from ..own_data.advise import Advised
from ..own_data.advised_table import released_rows, released_table
from ..own_data.export import Row
from ..own_data.score_record import SensitiveColumn
from ..own_data.sensitive_targets import MissedTargets, Targets
from ..own_data.table_score import target_figures
from ..scenarios.populations.people import SourceTable
from ..scenarios.populations.roles import ColumnRole
from .choices import UserChoices
from .table import MISSING, PREVIEW, WIDEST, OpenedFile, Progress
from .wording import PageVoice, Text

TINY = 1e-9  # largest difference between a measure and its target that counts as rounding


@dataclass(frozen=True, slots=True, eq=False)
class ReleasePreview:
    """The released rows under the chosen coarsening, with the measures of its target.

    A coarsening has a level of coarser values for each column.

    Attributes:
        columns, rows: the names and the rows as they are written to a file.
        table: the released table in the form that is scored.
        k: people in the smallest equivalence class that counts as safe.
        people_limit: the most people that may be in a smaller class.
        crowds: the equivalence classes of the columns that the attacker knows.
        sensitive: measures of the sensitive columns.
    """

    columns: Sequence[str]
    rows: Sequence[Row]
    table: SourceTable
    k: int
    people_limit: int
    crowds: Crowds
    sensitive: tuple[SensitiveColumn, ...]

    @property
    def below(self) -> int:
        """The number of released people in an equivalence class smaller than k."""
        return self.crowds.users_below(self.k)


def make_release(advised: Advised, progress: Progress) -> ReleasePreview:
    """Return the released rows of the advice, with their measures; DataError for an empty table.

    advised: the advice with the chosen level of coarser values of each column.
    """
    progress("the released rows")
    table = released_table(advised)
    columns, rows = released_rows(advised)
    crowds, sensitive = target_figures(table, (advised.missing,), advised.knowledge)
    return ReleasePreview(
        columns,
        rows,
        table,
        advised.k,
        allowed(advised.released_limit, table.n),
        crowds,
        sensitive,
    )


def release_part(
    release: ReleasePreview, opened: OpenedFile, choices: UserChoices, voice: PageVoice
) -> dict[str, Any]:
    """Return the part of the page's state on the result, without the score's text and the files."""
    whole, below = opened.whole, release.below
    original_shape = voice.say("said-shape", rows=len(whole.codes), columns=len(whole.columns))
    released_shape = voice.say("said-shape", rows=len(release.rows), columns=len(release.columns))
    is_met = below <= release.people_limit
    headline = "said-nobody" if not below else "said-few" if is_met else "said-many"
    return {
        "status": "working",
        "final": False,
        "headline": voice.say(headline, n=below, k=choices.k),
        "summary": released_shape["text"],
        "before": {
            "caption": original_shape,
            "preview": {
                "names": list(whole.columns),
                "rows": [list(row) for row in opened.preview],
            },
        },
        "after": {
            "caption": released_shape,
            "preview": {
                "names": list(release.columns),
                "rows": [[str(cell)[:WIDEST] for cell in row] for row in release.rows[:PREVIEW]],
            },
        },
        "measures": list(_measures(release, choices, voice)),
    }


def _measures(
    release: ReleasePreview, choices: UserChoices, voice: PageVoice
) -> Iterator[dict[str, Any]]:
    """Yield the measures of the release, each with its target and the number reached."""
    below, n = release.below, release.table.n
    is_met, limit_text = below <= release.people_limit, voice.share(release.people_limit, n)
    smallest = release.crowds.smallest
    yield _measure(
        voice.plain(voice.count(smallest)),
        voice.say("said-smallest"),
        voice.say("said-smallest-meaning"),
        voice.say("said-few", n=below, k=choices.k)
        if is_met and smallest < choices.k
        else voice.say("said-asked", asked=f"k = {choices.k}"),
        "unmet" if not is_met else "met" if smallest >= choices.k else "unasked",
    )
    yield _measure(
        voice.plain(voice.share(below, n)),
        voice.say("said-below-label", k=choices.k),
        voice.say("said-below-meaning"),
        voice.say("said-asked-most", asked=limit_text),
        "met" if is_met else "unmet",
    )
    for column in release.sensitive:
        yield from _sensitive(column, release, choices, voice)


def _sensitive(
    column: SensitiveColumn, release: ReleasePreview, choices: UserChoices, voice: PageVoice
) -> Iterator[dict[str, Any]]:
    """Yield the measures of a sensitive column: l-diversity, entropy l-diversity, t-closeness.

    Entropy l-diversity only if it is a target.
    """
    name = column.column
    wanted_l, wanted_t = choices.l.get(name), choices.t.get(name)
    met_l = wanted_l is None or column.diversity >= wanted_l
    met_t = wanted_t is None or column.closeness <= wanted_t + TINY
    yield _measure(
        voice.plain(voice.count(column.diversity)),
        voice.say("said-l", column=name),
        voice.say("said-l-one" if column.diversity == 1 else "said-l-meaning"),
        _asked_text(wanted_l, "l", voice)
        if met_l
        else _missed_text(release, name, ("l", Targets(l=wanted_l)), voice),
        _verdict(wanted_l, is_met=met_l),
    )
    if (entropy_limit := choices.entropy_l.get(name)) is not None:
        is_met = column.entropy_diversity >= entropy_limit - TINY
        yield _measure(
            voice.plain(_decimals(column.entropy_diversity, 2, voice)),
            voice.say("said-entropy-l", column=name),
            voice.say("said-entropy-l-meaning"),
            _asked_text(entropy_limit, "entropy-l", voice)
            if is_met
            else _missed_text(
                release, name, ("entropy-l", Targets(entropy_l=entropy_limit)), voice
            ),
            _verdict(entropy_limit, is_met=is_met),
        )
    yield _measure(
        voice.plain(_decimals(column.closeness, 3, voice)),
        voice.say("said-t", column=name),
        voice.say("said-t-meaning"),
        _asked_text(wanted_t, "t", voice)
        if met_t
        else _missed_text(
            release, name, ("t", Targets(t=wanted_t, nominal=name in choices.nominal)), voice
        ),
        _verdict(wanted_t, is_met=met_t),
    )


def _decimals(number: float, digits: int, voice: PageVoice) -> str:
    """Return a number as text, in the notation of the page's language. digits: its decimals."""
    return f"{number:.{digits}f}".replace(".", voice.language.decimal)


def _missed_text(
    release: ReleasePreview, column: str, named_target: tuple[str, Targets], voice: PageVoice
) -> Text:
    """Return the sentence that a target is missed, with the share of people concerned.

    People are concerned if their equivalence class misses the target. column: the sensitive
    column. named_target: the name of the target, such as `l`, and the target.
    """
    name, target = named_target
    people = people_who_miss(release.table, column, target)
    number = next(n for n in (target.l, target.entropy_l, target.t) if n is not None)
    return voice.say(
        "said-asked-missed",
        asked=f"{name} = {voice.language.number(number)}",
        share=voice.share(people, release.table.n),
    )


def people_who_miss(table: SourceTable, column: str, target: Targets) -> int:
    """Return the number of people in equivalence classes that miss a target of a column.

    column: a sensitive column. target: l-diversity, entropy l-diversity or t-closeness of its
    values.
    """
    quasi = {judged.column for judged in table.judged if judged.role is ColumnRole.QUASI}
    quasi_columns = [j for j, name in enumerate(table.columns) if name in quasi]
    classes = (
        cells_of(table.codes, quasi_columns)
        if quasi_columns
        else np.zeros(len(table.codes), np.int64)
    )
    try:
        return MissedTargets(table, {column: target}, 1, MISSING).people(classes)
    # The error means that even a single class of all people misses the target; so all people are
    # counted.
    except DataError:
        return table.n


def _asked_text(limit: float | None, name: str, voice: PageVoice) -> Text:
    """Return the sentence on the target that the user set, or that no target was set.

    limit: the target; None: no target. name: the target's name, such as `l`.
    """
    if limit is None:
        return voice.say("said-not-asked")
    return voice.say("said-asked", asked=f"{name} = {voice.language.number(limit)}")


def _verdict(limit: float | None, *, is_met: bool) -> str:
    """Return `unasked`, `met` or `unmet`, for a target of the release.

    limit: the target; None: no target. is_met: whether the release meets the target.
    """
    return "unasked" if limit is None else "met" if is_met else "unmet"


def _measure(
    headline: Text, label: Text, meaning: Text, target_text: Text, verdict: str
) -> dict[str, Any]:
    """Return the data with which the page shows a measure of the release.

    headline: the number reached. label: the name of the measure. meaning: a sentence that explains
    the measure. target_text: the sentence on the target. verdict: `met`, `unmet` or `unasked`.
    """
    return {
        "headline": headline,
        "label": label,
        "meaning": meaning,
        "asked": target_text,
        "verdict": verdict,
    }

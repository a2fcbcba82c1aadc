"""The part of the page's state on the goal: presets, the target in people, present exposure.

A preset is a named target that the user can choose.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ..analysis.scoring.table_score import allowed
from ..own_data.judges import exposed_people
from ..own_data.thresholds import thresholds
from ..scenarios.populations.people import SourceTable
from ..scenarios.populations.roles import ColumnRole
from .choices import UserChoices
from .read_parts import below_text
from .search import roles_of
from .table import OpenedFile
from .wording import PageVoice, english

# Name of a preset of the goal -> the settings that it makes. The page's sentence
# `said-preset-NAME-text` says that no authority demands these numbers.
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "default": {"threshold": None, "k": 5, "max_exposure": 0.01, "suppress": None},
    "nobody": {"threshold": None, "k": 10, "max_exposure": 0.0, "suppress": 0.02},
}
# shares of people with suppressed rows that the page offers
SUPPRESSED = (0.01, 0.02, 0.05, 0.1, 0.2)


def goal_part(
    opened: OpenedFile, table: SourceTable, choices: UserChoices, voice: PageVoice
) -> dict[str, Any]:
    """Return the part of the page's state on the goal of the release.

    The part has presets (named targets), the target in people, and the present exposure.
    """
    n, k = table.n, choices.k
    quasi, all_exposed = exposed_people(table, k)
    limit = choices.max_exposure if choices.suppress is None else choices.suppress
    people_limit = allowed(limit, n)
    return {
        "presets": [*_own_presets(choices, voice), *_authorities(choices, voice)],
        "people": n,
        "found": {"known": roles_of(choices).knowledge},
        "allowed": voice.say("said-people", n=people_limit),
        "crowd": k,
        "sentence": voice.say(
            "said-goal" if choices.suppress is None else "said-goal-suppress",
            k=k,
            share=voice.share(people_limit, n),
        ),
        "sensitive": list(_sensitive(opened, table, choices, voice)),
        "before": {
            "quasi": below_text(voice, quasi, n, k),
            "all": below_text(voice, all_exposed, n, k),
        },
        "suppress_steps": [
            [None, voice.say("said-no-rows")["text"]],
            *([share, voice.share(allowed(share, n), n)] for share in SUPPRESSED),
        ],
        "summary": "; ".join(_summary(choices, voice)),
    }


def _own_presets(choices: UserChoices, voice: PageVoice) -> Iterator[dict[str, Any]]:
    """Yield the presets of the goal that come from veilmix, not from an authority, for the page."""
    for name, preset in PRESETS.items():
        yield {
            "name": name,
            "set": dict(preset),
            "headline": voice.say(f"said-preset-{name}"),
            "text": voice.say(f"said-preset-{name}-text"),
            "authority": False,
            "chosen": _has(choices, preset),
        }


def _authorities(choices: UserChoices, voice: PageVoice) -> Iterator[dict[str, Any]]:
    """Yield the thresholds that authorities publish, as presets with their sources."""
    for threshold in thresholds().values():
        for k in dict.fromkeys((threshold.k, threshold.rounded_k)):
            if k is None:
                continue
            preset = {"threshold": threshold.name, "k": k, "max_exposure": 0.0}
            yield {
                "name": f"{threshold.name}-{k}",
                "set": preset,
                "headline": voice.say("said-preset-authority", k=k, who=threshold.in_words(k)),
                "text": english(
                    f"{threshold.states}. {threshold.about}. Read: {threshold.source}."
                ),
                "authority": True,
                "chosen": choices.threshold == threshold.name and choices.k == k,
            }


def _has(choices: UserChoices, preset: Mapping[str, Any]) -> bool:
    """Whether the user's settings agree with all settings of a preset of the goal."""
    return all(getattr(choices, key) == value for key, value in preset.items())


def _summary(choices: UserChoices, voice: PageVoice) -> Iterator[str]:
    """Yield the parts of the goal in symbols: k, exposed share, l-diversity and t-closeness."""
    yield f"k = {choices.k}"
    if choices.suppress is None:
        yield f"≤ {voice.percent(choices.max_exposure)}"
    for name, number in choices.l.items():
        yield f"l({name}) = {number:g}"
    for name, number in choices.t.items():
        yield f"t({name}) = {number:g}"


def _sensitive(
    opened: OpenedFile, table: SourceTable, choices: UserChoices, voice: PageVoice
) -> Iterator[dict[str, Any]]:
    """Yield each sensitive column: its targets, and a sentence on its values.

    The sentence gives the number of different values, and the share of people with the commonest.
    """
    for judged in table.judged:
        if judged.role is not ColumnRole.SENSITIVE or judged.column not in table.columns:
            continue
        name, j = judged.column, table.columns.index(judged.column)
        largest_count = int(table.people_by(table.codes[:, j], len(table.values[j])).max())
        yield {
            "column": name,
            "l": choices.l.get(name),
            "entropy_l": choices.entropy_l.get(name),
            "t": choices.t.get(name),
            "text": voice.say(
                "said-values", n=opened.different(name), share=voice.share(largest_count, table.n)
            ),
        }

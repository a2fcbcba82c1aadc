"""The option `--threshold NAME`: take k from a rule that an authority has published.

k is the smallest safe equivalence class. An authority is, for example, a regulator.
"""

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from .options import Command

if TYPE_CHECKING:
    from ..own_data.thresholds import AuthorityThreshold

KEY = "veilmix.threshold"  # key of click's context.meta, where the chosen threshold is kept
NAMES = (
    *("ema-0070", "cms-11", "ons-10", "abs-10", "agencies-5", "agencies-3"),
    "hipaa-expert",
)


def threshold_option(command: Command) -> Command:
    """Add `--threshold` to a command with the option `--k`, and let it give the value of k.

    k is the smallest safe equivalence class. The command gets no parameter for `--threshold`;
    `named_threshold` returns the chosen rule.
    """
    return click.option(
        "--threshold",
        type=click.Choice(NAMES),
        is_eager=True,
        expose_value=False,
        callback=_note,
        help="Take k from an authority; its source is cited (docs/score.md).",
    )(command)


def check_against(context: click.Context, option: click.Parameter, k: int) -> int:
    """Return k: the click callback of the option `--k`, the smallest safe equivalence class.

    If `--threshold` is given, k comes from that published rule. Raises DataError if `--k` and
    `--threshold` contradict each other.
    """
    threshold = context.meta.get(KEY)
    if threshold is None:
        return k
    from ..own_data.thresholds import check_k

    is_explicit = context.get_parameter_source(option.name or "k") is ParameterSource.COMMANDLINE
    return check_k(threshold, k if is_explicit else None)


def named_threshold() -> "AuthorityThreshold | None":
    """Return the published rule that `--threshold` names; None without the option.

    A rule of an authority, such as a regulator, fixes k, the smallest safe equivalence class.
    """
    threshold: AuthorityThreshold | None = click.get_current_context().meta.get(KEY)
    return threshold


def tell_threshold(k: int) -> None:
    """Print on stderr the authority with the rule that gave k by `--threshold`, and its source.

    Without `--threshold` no line is printed. k: the smallest safe equivalence class.
    """
    threshold = named_threshold()
    if threshold is None:
        return
    from .text.layout import clean, page, say

    counted = f" {threshold.derivation}." if threshold.derivation else ""
    line = f"k = {k} is of {threshold.in_words(k)}.{counted} Read: {threshold.source}."
    say(page(err=True), clean(f"threshold {line}"))


def _note(context: click.Context, _option: click.Parameter, name: str | None) -> None:
    """Look up the published rule that `--threshold` names, and store it: a click callback.

    `named_threshold` returns the stored rule.
    """
    if name is None:
        return
    from ..own_data.thresholds import thresholds

    context.meta[KEY] = thresholds()[name]

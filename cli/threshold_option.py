"""The option `--threshold`: k by the name of an authority's threshold."""

from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from .options import Command

if TYPE_CHECKING:
    from ..own_data.thresholds import AuthorityThreshold

KEY = "veilmix.threshold"  # of the context's notes
NAMES = (
    *("ema-0070", "cms-11", "ons-10", "abs-10", "agencies-5", "agencies-3"),
    "hipaa-expert",
)


def threshold_option(command: Command) -> Command:
    """Add `--threshold` to a command with `--k`, which it sets; `named_threshold` returns it."""
    return click.option(
        "--threshold",
        type=click.Choice(NAMES),
        is_eager=True,
        expose_value=False,
        callback=_note,
        help="Take k from an authority; its source is cited (docs/score.md).",
    )(command)


def check_against(context: click.Context, option: click.Parameter, k: int) -> int:
    """Return k, as the callback of `--k`. Raises DataError if it contradicts `--threshold`."""
    threshold = context.meta.get(KEY)
    if threshold is None:
        return k
    from ..own_data.thresholds import check_k

    is_explicit = context.get_parameter_source(option.name or "k") is ParameterSource.COMMANDLINE
    return check_k(threshold, k if is_explicit else None)


def named_threshold() -> "AuthorityThreshold | None":
    """Return the threshold that the command names, if it does."""
    threshold: AuthorityThreshold | None = click.get_current_context().meta.get(KEY)
    return threshold


def tell_threshold(k: int) -> None:
    """Print the authority of the threshold, if the command names it."""
    threshold = named_threshold()
    if threshold is None:
        return
    from .text.layout import clean, page, say

    counted = f" {threshold.derivation}." if threshold.derivation else ""
    line = f"k = {k} is of {threshold.in_words(k)}.{counted} Read: {threshold.source}."
    say(page(err=True), clean(f"threshold {line}"))


def _note(context: click.Context, _option: click.Parameter, name: str | None) -> None:
    if name is None:
        return
    from ..own_data.thresholds import thresholds

    context.meta[KEY] = thresholds()[name]

"""The leakage to each coalition (group of parties that pool their views) of a run."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ....analysis.trust import (
    Received,
    checked_rows,
    received,
    received_of_persons,
)
from ....protocol.knowledge.view import View

if TYPE_CHECKING:
    from ....analysis.trust.view_evidence import Shares
    from ....protocol.knowledge.transcript import Row
    from ...programs.capabilities import LocalNoise


def learnt(
    groups: Sequence[tuple[str, ...]],
    look: Callable[[tuple[str, ...]], View],
    sizes: Sequence[int],
    *,
    noise: "LocalNoise | None",
    several: int | None,
    information: float | None = None,
    truth: "Mapping[int, Row] | None" = None,
    prior: "Shares | None" = None,
) -> tuple[Received, ...]:
    """Return the leakage to each coalition; coalitions with equal views are scored once.

    Args:
        groups: the parties of each coalition.
        look: returns the pooled view of some parties.
        sizes: the number of values of each column.
        noise: the noise that users add; None: they add no noise.
        several: the largest number of rows of a person; None: each has one row.
        information: bits that a person's noisy reports carry about the person's values.
        truth: people's true rows, by index. Only with them the highest posterior of a true row can
            be computed.
        prior: public knowledge of the population; None: all labelled tables are equally likely.
    """
    scored: dict[Hashable, Received] = {}
    views: list[Received] = []
    rows = None if noise or several else checked_rows(truth, len(sizes))
    for members in groups:
        view = look(members)
        if view.knows not in scored:
            scored[view.knows] = view_leakage(noise, several, view, sizes, information, rows, prior)
        views.append(replace(scored[view.knows], parties=tuple(sorted(members))))
    return tuple(views)


def view_leakage(
    noise: "LocalNoise | None",
    several: int | None,
    view: View,
    sizes: Sequence[int],
    information: float | None,
    truth: "Mapping[int, Row] | None",
    prior: "Shares | None" = None,
) -> Received:
    """Return the leakage of a view: about persons with several rows, noisy reports, or single rows.

    Args:
        noise: the noise that users add; None: they add no noise.
        several: the largest number of rows of a person; None: each has one row.
        view: the observations of a coalition.
        sizes: the number of values of each column.
        information: bits that a person's noisy reports carry about the person's values.
        truth: people's true rows, by index; None: unknown.
        prior: public knowledge of the population; None: all labelled tables are equally likely.
    """
    if several is not None:
        return received_of_persons(view, sizes, several)
    if noise:
        return noise.received(view, sizes, information)
    return received(view, sizes, truth, prior)

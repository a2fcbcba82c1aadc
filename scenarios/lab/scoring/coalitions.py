"""The coalitions of a run that are scored, and the leakage to each."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from ....analysis.trust import (
    Received,
    checked_rows,
    received,
    received_of_persons,
)
from ....protocol.knowledge.view import View
from ...programs.capabilities import LocalNoise
from ...programs.registry import capability
from ...programs.topology import links, topology_of
from ...schema.model import Scenario

if TYPE_CHECKING:
    from ....analysis.trust.view_evidence import Shares
    from ....protocol.knowledge.transcript import Row

ALL_SUBSETS = 8  # parties; with more, only single ones and those that matter are looked at


def party_names(scenario: Scenario) -> tuple[str, ...]:
    """The parties that handle other people's messages, in the order of the tables."""
    return topology_of(scenario).handlers(scenario)


def coalitions(scenario: Scenario) -> tuple[tuple[str, ...], ...]:
    """Return the coalitions to score: the empty coalition (the board), subsets, and named sets.

    With more than 8 parties these subsets are scored: single parties; all shufflers; all shufflers
    except a single shuffler, with both readers; all shufflers with each reader; the first shuffler
    of every audited pair, or the second, with each reader; and all parties. Of peers only the empty
    coalition and named coalitions are scored: the figures of other coalitions depend on their size
    only (programs/peer_findings.py).
    """
    names = party_names(scenario)
    chosen: dict[tuple[str, ...], None] = {(): None}
    for members in (*_subsets(names), *_through_pairs(scenario, names)):
        chosen[tuple(sorted(members))] = None
    for coalition in scenario.coalition:
        chosen[tuple(sorted(set(coalition.parties)))] = None
    return tuple(chosen)


def _subsets(names: Sequence[str]) -> Iterator[Iterable[str]]:
    if len(names) <= ALL_SUBSETS:
        for size in range(1, len(names) + 1):
            yield from combinations(names, size)
        return
    readers, shufflers = set(names[:2]), set(names[2:])
    yield from ([name] for name in names)
    yield shufflers
    yield from (shufflers - {shuffler} | readers for shuffler in shufflers)
    yield from (shufflers | {reader} for reader in sorted(readers))
    yield names


def _through_pairs(scenario: Scenario, names: Sequence[str]) -> Iterator[Iterable[str]]:
    """A reader with the first, or the last, of every audited pair; of few parties all are there."""
    if scenario.defence.audit and len(names) > ALL_SUBSETS:
        for end in (min, max):
            hops = {end(pair, key=names.index) for pair in links(scenario)}
            yield from (hops | {reader} for reader in names[:2])


def learnt(
    scenario: Scenario,
    look: Callable[[tuple[str, ...]], View],
    sizes: Sequence[int],
    information: float | None = None,
    truth: "Mapping[int, Row] | None" = None,
    prior: "Shares | None" = None,
) -> tuple[Received, ...]:
    """Score every coalition of a scenario. look: the view of a set of parties.

    Coalitions with the same knowledge of people are scored once.

    information: in the program `randomized`, bits that a person's reports carry about its values.
    truth: people's true rows, by index, for the highest posterior of a true row. prior: public
    knowledge of the population; None: all labelled tables equally likely.
    """
    scored: dict[Hashable, Received] = {}
    views: list[Received] = []
    is_checked = not (scenario.population.rows or capability(scenario, LocalNoise))
    rows = checked_rows(truth, len(sizes)) if is_checked else None
    for members in coalitions(scenario):
        view = look(members)
        if view.knows not in scored:
            scored[view.knows] = view_leakage(scenario, view, sizes, information, rows, prior)
        views.append(replace(scored[view.knows], parties=tuple(sorted(members))))
    return tuple(views)


def view_leakage(
    scenario: Scenario,
    view: View,
    sizes: Sequence[int],
    information: float | None,
    truth: "Mapping[int, Row] | None",
    prior: "Shares | None" = None,
) -> Received:
    """Return the leakage of a view about persons with several rows, about reports, or about rows.

    The other arguments are those of `learnt`.
    """
    if (several := scenario.population.rows) is not None:
        return received_of_persons(view, sizes, several)
    if noise := capability(scenario, LocalNoise):
        return noise.received(view, sizes, information)
    return received(view, sizes, truth, prior)

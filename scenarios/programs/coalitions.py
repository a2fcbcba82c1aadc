"""The coalitions (parties that pool their views) whose knowledge every run of a scenario scores."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from ..schema.model import Scenario
from .topology import links, topology_of

# parties up to which every coalition is scored; with more only some, as their number doubles
ALL_SUBSETS = 8


def party_names(scenario: Scenario) -> tuple[str, ...]:
    """Return the parties that handle other people's messages, in the order that tables use."""
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
    pairs = links(scenario.mix, scenario.defence) if scenario.defence.audit else ()
    for members in (*_subsets(names), *_through_pairs(pairs, names)):
        chosen[tuple(sorted(members))] = None
    for coalition in scenario.coalition:
        chosen[tuple(sorted(set(coalition.parties)))] = None
    return tuple(chosen)


def _subsets(names: Sequence[str]) -> Iterator[Iterable[str]]:
    """Yield the coalitions to score: all subsets of up to 8 parties.

    Of more parties: each single party, all shufflers, all shufflers but one with both readers, all
    shufflers with one reader, and all parties. names: the two readers (curator and analyst), then
    the shufflers.
    """
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


def _through_pairs(
    pairs: Sequence[frozenset[str]], names: Sequence[str]
) -> Iterator[Iterable[str]]:
    """Yield coalitions of a reader with one shuffler of every audited pair: the first, or second.

    With few parties it yields no coalition, because all subsets are scored already. pairs:
    neighbouring shufflers that open half of their links in an audit. names: all parties, the two
    readers first.
    """
    if pairs and len(names) > ALL_SUBSETS:
        for end in (min, max):
            hops = {end(pair, key=names.index) for pair in pairs}
            yield from (hops | {reader} for reader in names[:2])

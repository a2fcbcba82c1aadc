"""The messages that coalitions of peers can trace, by number of members.

Among n peers there are 2^n coalitions. Peers are alike, so coalitions are reported by size: all of
a size if they are few, else a random sample. The measured share comes from the members' views
(protocol/peers/view.py); the record also has the expected share (analysis/trust/peer_paths.py).
"""

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from ....analysis.estimation.mean_interval import estimate
from ....analysis.trust.peer_paths import path_share
from ....protocol.peers.routes import followed
from ....protocol.peers.view import PeerRecord
from ..peer_findings import OfSize, Spread

if TYPE_CHECKING:
    from numpy.random import Generator

SIZES = 16  # peers up to which every size of coalition is measured
# with more peers than SIZES, sizes of coalitions rise in steps of 1 / STEPS of the peers
STEPS = 10
TRIES = 60  # most coalitions measured for each size, with at most SIZES peers; of more, a sample
FEWER = 20  # most coalitions measured for each size, with more than SIZES peers; of more, a sample


def sizes_of(peers: int) -> list[int]:
    """Return the sizes of coalitions to measure among n peers.

    With at most SIZES peers: every size from 1 to n - 1. With more: 1, n - 1, and nine sizes
    between them.
    """
    if peers <= SIZES:
        return list(range(1, peers))
    return sorted({1, peers - 1, *(round(i * peers / STEPS) for i in range(1, STEPS))})


def by_size(record: PeerRecord, seed: int | None, sizes: Sequence[int] = ()) -> tuple[OfSize, ...]:
    """Return, for coalitions of each size, the messages that they trace from sender to ballot.

    seed: the seed of the random sample of coalitions. sizes: the sizes to measure; (): `sizes_of`.
    """
    import numpy as np

    peers = sorted(number - 1 for number in record.board.keys)
    if len(peers) < 2 or not record.routes:
        return ()
    rng = np.random.default_rng(seed)
    return tuple(_score_size(record, peers, size, rng) for size in sizes or sizes_of(len(peers)))


def _score_size(record: PeerRecord, peers: Sequence[int], size: int, rng: "Generator") -> OfSize:
    """Return the messages that coalitions of one size trace: of all coalitions, or of a sample.

    peers: the indices of all peers. size: members of a coalition. rng: draws the sample.
    """
    tries = TRIES if len(peers) <= SIZES else FEWER
    every = comb(len(peers), size)
    chosen = list(combinations(peers, size)) if every <= tries else _drawn(peers, size, rng, tries)
    onions, people, rows = zip(
        *(_followed(record, frozenset(members)) for members in chosen), strict=True
    )
    whole = every <= tries
    return OfSize(
        size,
        len(chosen),
        every,
        path_share(size, len(peers), record.board.agreement.path),
        _mean("onions", onions, 1.0, whole=whole),
        _mean("people", people, len(peers) - size, whole=whole),
        _mean("rows", rows, len(peers) - size, whole=whole),
    )


def _drawn(peers: Sequence[int], size: int, rng: "Generator", tries: int) -> list[tuple[int, ...]]:
    """Return `tries` random coalitions with `size` members each."""
    return [tuple(rng.choice(peers, size=size, replace=False).tolist()) for _ in range(tries)]


def _mean(name: str, values: Sequence[float], maximum: float, *, whole: bool) -> Spread:
    """Return the mean of values from 0 to `maximum`, with its 95 % interval.

    whole: whether all coalitions were measured; the interval then has no width. name: the name of
    the number. values: a value for each measured coalition.
    """
    measured = estimate(name, values, 0.0, maximum)
    limits = (measured.mean, measured.mean) if whole else (measured.low, measured.high)
    return Spread(measured.mean, *limits)


def _followed(record: PeerRecord, members: frozenset[int]) -> tuple[float, int, int]:
    """Return the share of outsiders' onions that a coalition traces, and the outsiders it links.

    Outsiders are peers that are not members. The second number counts outsiders linked to a value,
    the third number outsiders linked to their released row.
    """
    onions = whole = 0
    people, rows = set[int](), set[int]()
    for number, routes in record.routes.items():
        whole += sum(route.origin not in members for route in routes)
        for place in followed(routes, members):
            onions += 1
            if routes[place].answer is not None:
                people.add(routes[place].origin)
                if number > 1:
                    rows.add(routes[place].origin)
    return (onions / whole if whole else 0.0), len(people), len(rows)

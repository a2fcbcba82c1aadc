"""What coalitions of peers follow, by the number of their members, and who was named.

Among n peers there are 2^n coalitions, alike but for who is in them. So they are told by size: of
each size all coalitions are looked at if they are few, else some, drawn at random; what is measured
is what their members saw (protocol/peers/view.py), and beside it stands what theory expects
(analysis/trust/peer_paths.py).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

from ....analysis.trust.peer_paths import path_share
from ....protocol.peers.accounting import Charge
from ....protocol.peers.view import PeerRecord, followed
from ...mean import Estimate, estimate

if TYPE_CHECKING:
    from numpy.random import Generator

SIZES = 16  # peers; with more, not every size of coalition is looked at
STEPS = 10  # sizes that are, then
TRIES = 60  # coalitions of a size
FEWER = 20  # with more than SIZES peers


@dataclass(frozen=True, slots=True)
class OfSize:
    """What coalitions of so many peers follow.

    tried, all_: coalitions looked at, and how many there are. onions: share of others' onions that
    they follow to the ballot; expected: share of those whose whole path is theirs. people: others
    of whom they pin a value; rows: whose released row they pin. Means over coalitions, with 95 %
    intervals (the mean itself, where all were looked at).
    """

    size: int
    tried: int
    all_: int
    onions: Estimate
    expected: float
    people: Estimate
    rows: Estimate

    def plain(self) -> dict[str, Any]:
        """Plain data for result.json."""
        return {
            "size": self.size,
            "tried": self.tried,
            "all": self.all_,
            "expected": self.expected,
            **{
                name: {"mean": one.mean, "low_95": one.low, "high_95": one.high}
                for name, one in (
                    ("onions", self.onions),
                    ("people", self.people),
                    ("rows", self.rows),
                )
            },
        }


@dataclass(frozen=True, slots=True)
class PeersFound:
    """A run among peers. agreement: its encoding. peers: who took part; onions: of each, a round.

    charges: who was named, and for what. sizes: what coalitions follow; () without messages.
    """

    agreement: bytes
    peers: int
    path: int
    onions: int
    charges: tuple[Charge, ...] = ()
    sizes: tuple[OfSize, ...] = ()

    def plain(self) -> dict[str, Any]:
        """Plain data for result.json."""
        return {
            "agreement": self.agreement.hex(),
            "peers": self.peers,
            "path": self.path,
            "onions": self.onions,
            "named": [asdict(one) for one in self.charges],
            "coalitions": [one.plain() for one in self.sizes],
        }


def sizes_of(peers: int) -> list[int]:
    """The sizes of coalitions that are looked at: 1 to n - 1, or some of them."""
    if peers <= SIZES:
        return list(range(1, peers))
    return sorted({1, peers - 1, *(round(i * peers / STEPS) for i in range(1, STEPS))})


def by_size(record: PeerRecord, seed: int | None, wanted: Sequence[int] = ()) -> tuple[OfSize, ...]:
    """Measure what coalitions of each size follow. wanted: sizes; (): `sizes_of`."""
    import numpy as np

    peers = sorted(number - 1 for number in record.board.keys)
    if len(peers) < 2 or not record.routes:
        return ()
    rng = np.random.default_rng(seed)
    return tuple(_of_size(record, peers, size, rng) for size in wanted or sizes_of(len(peers)))


def _of_size(record: PeerRecord, peers: Sequence[int], size: int, rng: "Generator") -> OfSize:
    tries = TRIES if len(peers) <= SIZES else FEWER
    every = comb(len(peers), size)
    chosen = list(combinations(peers, size)) if every <= tries else _drawn(peers, size, rng, tries)
    onions, people, rows = zip(*(_followed(record, frozenset(one)) for one in chosen), strict=True)
    whole = every <= tries
    return OfSize(
        size,
        len(chosen),
        every,
        _mean("onions", onions, 1.0, whole=whole),
        path_share(size, len(peers), record.board.agreement.path),
        _mean("people", people, len(peers) - size, whole=whole),
        _mean("rows", rows, len(peers) - size, whole=whole),
    )


def _drawn(peers: Sequence[int], size: int, rng: "Generator", tries: int) -> list[tuple[int, ...]]:
    return [tuple(rng.choice(peers, size=size, replace=False).tolist()) for _ in range(tries)]


def _mean(name: str, values: Sequence[float], most: float, *, whole: bool) -> Estimate:
    """The mean of what is 0 to `most`."""
    found = estimate(name, values, 0.0, most)
    return Estimate(name, found.runs, found.mean, found.mean, found.mean) if whole else found


def _followed(record: PeerRecord, members: frozenset[int]) -> tuple[float, int, int]:
    """Share of others' onions followed, people pinned, people whose row of round 2 is pinned."""
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

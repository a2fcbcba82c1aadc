"""What `veilmix leak` prints with `--format json`, by definition."""

from collections.abc import Sequence

from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from ...analysis.trust import Received
from ...scenarios.programs.peers.score import OfSize, PeersFound
from ...scenarios.scoring.result import WrittenCoalition, coalition
from ...scenarios.serialization.record import Record
from ...scenarios.verification.views import breaking


class LeakedCoalition(WrittenCoalition, frozen=True, kw_only=True):
    """What a coalition learnt: as in result.json, with what it is to be compared with.

    Attributes:
        users: people in the run.
        cells: values in the run.
        bits: that were learnt, of all people together.
        verdict: the same in words.
    """

    users: int
    cells: int
    bits: float
    verdict: str


class Leaked(Record, frozen=True):
    """What `veilmix leak` says of a run.

    Attributes:
        prior: what everybody knew before.
        coalitions: each that was looked at.
        smallest: coalitions that link anybody.
        peers: what coalitions of each size follow, among peers.
    """

    prior: str
    coalitions: tuple[LeakedCoalition, ...]
    smallest: tuple[tuple[str, ...], ...]
    peers: tuple[OfSize, ...] | UnsetType = UNSET


def leaked(found: Sequence[Received], prior: str, peers: PeersFound | UnsetType) -> Leaked:
    """What every coalition learnt, for programs. peers: among peers, what result.json says."""
    told = (
        LeakedCoalition(
            **asdict(coalition(one)),
            users=one.users,
            cells=one.cells,
            bits=one.bits,
            verdict=one.verdict,
        )
        for one in found
    )
    return Leaked(prior, tuple(told), tuple(breaking(found)), peers.sizes if peers else UNSET)

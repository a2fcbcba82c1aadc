"""The outcome of the ideal functionality in the form of a played session."""

import hashlib
from collections.abc import Callable, Mapping

from ....protocol.ideal import Ideal
from ....protocol.knowledge.transcript import Row
from ....protocol.knowledge.view import View
from ...programs.interface import Played
from ...programs.peer_findings import PeersFound


def imagined(
    ideal: Ideal,
    look: Callable[[tuple[str, ...]], View],
    peers: PeersFound | None = None,
    truth: Mapping[int, Row] | None = None,
) -> Played:
    """Return counts and decision as a played session; its digest is a hash of the results.

    look: returns the pooled view that some parties would have had. peers: the messages that peers
    would follow. truth: the answers by user; None if single people are not recorded.
    """
    text = repr((ideal.tallies, ideal.decision, ideal.burned)).encode()
    return Played(
        ideal.calls,
        ideal.tallies,
        ideal.decision,
        ideal.release,
        ideal.burned,
        {},
        hashlib.sha256(text).digest(),
        look,
        truth=truth,
        peers=peers,
    )

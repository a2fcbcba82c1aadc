"""What the ideal functionality leaves of a session, as if it had been played."""

import hashlib
from collections.abc import Callable, Mapping

from ...protocol.ideal import Ideal
from ...protocol.transcript import Row
from ...protocol.view import View
from ..programs.interface import Played
from ..programs.peers.found import PeersFound


def imagined(
    ideal: Ideal,
    look: Callable[[tuple[str, ...]], View],
    peers: PeersFound | None = None,
    truth: Mapping[int, Row] | None = None,
) -> Played:
    """Give what was counted and decided; no message was sent, so the digest is of results.

    look: gives what some parties together would have seen. peers: what they would learn together.
    truth: by user, what people answered; None where single people are not recorded.
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

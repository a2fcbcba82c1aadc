"""The results of the ideal functionality (a run without messages) as a played session."""

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
    """Return the results of an ideal run as a played session.

    The session's digest is a hash of these results.

    look: returns the pooled view that these parties would have had in a run with messages. peers:
    the findings about a session of peers; None with central parties. truth: the true answers by
    user; None if individual answers are not recorded.
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

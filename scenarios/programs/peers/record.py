"""The results of a session among peers, recomputed from the posts on its board."""

from ....errors import VerificationError
from ....protocol.peers.accounting import Reckoning, reckon
from ....protocol.peers.agreement import Agreement
from ....protocol.peers.board import replay_peers
from ...schema.model import Scenario
from ..evidence import Claims
from ..registry import strategy


def agreement_of(result: Claims) -> str:
    """Return the peers' agreement (the signed parameters) in result.json, encoded in hex.

    Raises VerificationError if result.json has no findings about peers.
    """
    if not result.peers:
        raise VerificationError("result.json: the table `peers` is missing")
    return result.peers.agreement


def reckoned(scenario: Scenario, agreement: str, posts: list[tuple[str, bytes]]) -> Reckoning:
    """Replay the posts of a session among peers, and return its results and misbehaving peers.

    Raises Refused for an illegal post. agreement: the signed parameters, in hex, as in result.json.
    posts: (author, message) of each post on the board.
    """
    replayed = replay_peers(Agreement.decode(bytes.fromhex(agreement)), posts)
    return reckon(replayed, strategy(scenario))

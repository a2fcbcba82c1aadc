"""What everybody works out from the board of a session among peers."""

from ....protocol.peers.accounting import Reckoning, reckon
from ....protocol.peers.agreement import Agreement
from ....protocol.peers.board import replay_peers
from ...schema.model import Scenario
from ..registry import strategy


def reckoned(scenario: Scenario, agreement: str, posts: list[tuple[str, bytes]]) -> Reckoning:
    """Replay a board and account for it. Refused if a post is not legal.

    agreement: its encoding in hex, as result.json has it.
    """
    replayed = replay_peers(Agreement.decode(bytes.fromhex(agreement)), posts)
    return reckon(replayed, strategy(scenario))

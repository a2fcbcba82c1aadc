"""The accounts that follow from the board of a session among peers."""

from ....errors import VerificationError
from ....protocol.peers.accounting import Reckoning, reckon
from ....protocol.peers.agreement import Agreement
from ....protocol.peers.board import replay_peers
from ...schema.model import Scenario
from ..evidence import Claims
from ..registry import strategy


def agreement_of(result: Claims) -> str:
    """Return the agreement of result.json, in hex. VerificationError if it has no agreement."""
    if not result.peers:
        raise VerificationError("result.json says nothing of peers")
    return result.peers.agreement


def reckoned(scenario: Scenario, agreement: str, posts: list[tuple[str, bytes]]) -> Reckoning:
    """Replay a board and account for it. An illegal post is refused.

    agreement: its encoding in hex, as result.json has it.
    """
    replayed = replay_peers(Agreement.decode(bytes.fromhex(agreement)), posts)
    return reckon(replayed, strategy(scenario))

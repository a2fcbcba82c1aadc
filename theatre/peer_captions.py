"""Captions of the posts of peers, each a plain sentence."""

from collections.abc import Mapping, Sequence

from ..errors import Reason
from ..protocol import parties
from ..protocol.messages import Call
from ..protocol.peer_messages import Accusation, Agreed, FoundBallots, Relay
from .captions import asks, reasons


def opens(call: Call, columns: Sequence[str], blanks: int, path: int) -> str:
    """Return the request of a round to all peers."""
    how = "each in an onion of its own" if len(call.asks) > 1 else "in one onion"
    covered = f", beside {_count_noun(blanks, 'blank one')}" if blanks else ""
    return (
        f"Round {call.round}: everybody is asked for {asks(call, columns)}, {how}{covered}. Every "
        f"onion goes by {_count_noun(path, 'other peer')}."
    )


def hands_on(author: str, body: Relay) -> str:
    """Return the action of a relay."""
    who, receivers = author.capitalize(), len(body.bags)
    if body.step == 1:
        onions = _count_noun(body.layers_forwarded, "onion")
        return f"{who} posts its {onions}, for {_count_noun(receivers, 'other')}."
    taken = f"{who} takes its layer off what came to it{_left_out(body.refused)}"
    if not body.layers_forwarded:
        return f"{taken}; nothing is to be handed on."
    sent, others = _count_noun(body.layers_forwarded, "onion"), _count_noun(receivers, "other")
    return f"{taken}, sorts it, and hands on {sent} to {others}."


def shares(author: str) -> str:
    """Return the caption of a peer's key share, which it posts before its onions."""
    return f"{author.capitalize()} posts its share of the key to which all ballots are sealed."


def finds(author: str, body: FoundBallots) -> str:
    """Return the caption of the ballots that a peer found at the end of paths."""
    ballots = f"{_count_noun(len(body.sealed), 'sealed ballot')} from the end of their paths"
    return f"{author.capitalize()} posts {ballots}{_left_out(body.refused)}."


def opens_up(author: str) -> str:
    """Return the caption of a peer's secret share, shown when all have found their ballots."""
    return f"{author.capitalize()} shows the secret of its share."


def agrees(author: str, body: Agreed, path: int) -> str:
    """Return the statement that a peer agrees to."""
    said = {
        path + 1: "says that none of its onions is missing",
        path + 3: "says that none of its ballots is missing",
    }
    return f"{author.capitalize()} {said.get(body.step, 'agrees to what everybody counted')}."


def accuses(author: str, body: Accusation) -> str:
    """Return the accusation by a peer."""
    accused = parties.peer(body.against - 1)
    return f"{author.capitalize()} proves that {accused} did not hand on one of its onions."


def _left_out(refused: Mapping[Reason, int]) -> str:
    number = sum(refused.values())
    return f", leaves out {number:,} ({reasons(refused)})" if number else ""


def _count_noun(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"

"""Captions of the posts in a run among peers: the meaning of each post in a sentence."""

from collections.abc import Mapping, Sequence

from ..errors import Reason
from ..languages.language import Language
from ..protocol.wire import parties
from ..protocol.wire.messages import Call
from ..protocol.wire.peer_messages import Accusation, Agreed, FoundBallots, Relay
from .captions import asks, reasons
from .party_names import capitalized, party_name


def opens(call: Call, columns: Sequence[str], blanks: int, path: int, language: Language) -> str:
    """Return the caption of a round's begin among peers: its questions, dummies and paths.

    columns: names of the columns. blanks: the onions without an answer that each peer sends. path:
    the number of peers that each onion passes.
    """
    say = language.say
    return say(
        "says-peers-call",
        round=call.round,
        asks=asks(call, columns, language),
        how=say("says-call-many" if len(call.asks) > 1 else "says-call-one"),
        covered=say("says-peers-blanks", n=blanks) if blanks else "",
        others=say("says-peers-path", n=path),
    )


def hands_on(author: str, body: Relay, language: Language) -> str:
    """Return the caption of a peer's post with the onions that it forwards."""
    say = language.say
    relay_fields = {
        "who": capitalized(author, language),
        "onions": say("onions", n=body.layers_forwarded),
        "others": say("says-peer-others", n=len(body.bags)),
    }
    if body.step == 1:
        return say("says-peer-first", **relay_fields)
    refusal_text = _left_out(body.refused, language)
    return say(
        "says-peer-relay" if body.layers_forwarded else "says-peer-idle",
        left=refusal_text,
        **relay_fields,
    )


def shares(author: str, language: Language) -> str:
    """Return the caption of a peer's share of the joint key, which it posts before its onions."""
    return language.say("says-peer-share", who=capitalized(author, language))


def finds(author: str, body: FoundBallots, language: Language) -> str:
    """Return the caption of a peer's post with the ballots that reached it."""
    ballots = language.say("says-peer-ballots", n=len(body.sealed))
    author_name, refusal_text = capitalized(author, language), _left_out(body.refused, language)
    return language.say("says-peer-found", who=author_name, ballots=ballots, left=refusal_text)


def opens_up(author: str, language: Language) -> str:
    """Return the caption of a peer's secret key share, posted once all ballots are found."""
    return language.say("says-peer-secret", who=capitalized(author, language))


def agrees(author: str, body: Agreed, path: int, language: Language) -> str:
    """Return the caption of a peer's agreement to the onions, ballots or counts on the board.

    path: the number of peers that each onion passes.
    """
    steps = {path + 1: "says-peer-agrees-onions", path + 3: "says-peer-agrees-ballots"}
    key = steps.get(body.step, "says-peer-agrees-counts")
    return language.say(key, who=capitalized(author, language))


def accuses(author: str, body: Accusation, language: Language) -> str:
    """Return the caption of a peer's accusation against another peer."""
    accused = party_name(parties.peer(body.against - 1), language)
    return language.say("says-peer-accuses", who=capitalized(author, language), accused=accused)


def _left_out(refused: Mapping[Reason, int], language: Language) -> str:
    """Return the clause on the onions that a peer refused; "" if it refused no onion.

    refused: reason -> number of onions.
    """
    number = sum(refused.values())
    if not number:
        return ""
    why = reasons(refused, language)
    return language.say("says-peer-left-out", number=number, reasons=why)

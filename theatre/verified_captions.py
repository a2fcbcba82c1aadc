"""Captions of the posts of a verified mix, in which every step is proved in zero knowledge.

The sentences use pictures: a box is an encrypted ballot, a lock a key, and a seal a proof.
"""

from collections.abc import Sequence

from ..languages.language import Language
from ..protocol.rounds.round_context import Round
from ..protocol.wire.messages import Body, Burned, Call
from ..protocol.wire.parties import ANALYST
from ..protocol.wire.verified_messages import (
    BallotKeys,
    CheckedBallots,
    HandedBallots,
    ShuffledLists,
)
from .captions import asks
from .party_names import capitalized, party_name

# results of checking a proof; UNCHECKED: not checked, in a large round or after an invalid proof
HOLDS, BROKEN, UNCHECKED = "holds", "broken", "unchecked"


def proved_call(
    call: Call, columns: Sequence[str], language: Language, *, mixes_again: bool
) -> str:
    """Return the caption of a call in a verified mix.

    columns: the names of all columns. mixes_again: whether the ballots of round 1 are mixed again,
    so that people submit only once.
    """
    column_sets = asks(call, columns, language)
    if mixes_again:
        return language.say("says-proved-again", round=call.round, asks=column_sets)
    how = "says-proved-call-many" if len(call.asks) > 1 else "says-proved-call-one"
    return language.say(
        "says-proved-call",
        round=call.round,
        asks=column_sets,
        how=language.say(how),
        reader=party_name(call.reader, language),
    )


def once_caption(plan: Round, author: str, body: Body, language: Language) -> str:
    """Return the caption of a post with a special meaning if people submit once for both rounds.

    "" for posts with their usual meaning. plan: the round. author: the party that made the post.
    """
    match body:
        case BallotKeys() if author == ANALYST:
            key = "says-proved-locks-release"
        case BallotKeys() if author != plan.reader:
            key = "says-proved-locks-once"
        case CheckedBallots() if plan.reuses_ballots:
            key = "says-proved-looked-once" if author == ANALYST else "says-proved-same-list"
        case _:
            return ""
    return language.say(key, who=capitalized(author, language))


def proved_caption(author: str, body: Body, number: int, seal: str, language: Language) -> str:
    """Return the caption of a post of a verified mix, other than a call.

    Args:
        author: the party that made the post.
        body: the content of the post.
        number: the number of encrypted ballots ("boxes" in the sentences).
        seal: the result of checking the post's proof: HOLDS, BROKEN or UNCHECKED.
        language: language of the caption.
    """
    author_name, say = capitalized(author, language), language.say
    boxes = say("says-boxes", n=number)
    match body:
        case BallotKeys():
            return say("says-proved-locks", who=author_name)
        case HandedBallots(people=()):
            return say("says-proved-handed-none", who=author_name)
        case HandedBallots(people=people):
            return say("says-proved-handed", who=author_name, people=say("people", n=len(people)))
        case CheckedBallots():
            return say("says-proved-looked", who=author_name, boxes=boxes)
        case ShuffledLists():
            if seal == BROKEN:
                return say("says-proved-shuffled-broken", who=author_name, boxes=boxes)
            sentence = say("says-proved-shuffled", who=author_name, boxes=boxes)
            return say(
                f"says-proved-shuffled-{seal}", told=sentence, party=party_name(author, language)
            )
        case _:
            if seal == BROKEN:
                return say("says-proved-shared-broken", who=author_name)
            sentence = say("says-proved-shared", who=author_name, boxes=boxes)
            return say("says-proved-shared-holds", told=sentence) if seal == HOLDS else sentence


def burned_caption(culprit: str, broken: Body, body: Burned, language: Language) -> str:
    """Return the caption of an abort after an invalid proof.

    culprit: the author of the invalid proof. broken: the post with this proof. body: the abort.
    """
    key = "shuffle" if isinstance(broken, ShuffledLists) else "share"
    party = party_name(culprit, language)
    return language.say(f"says-proved-burned-{key}", party=party, why=body.why)

"""Captions: the meaning of a post, in a plain sentence.

A program supplies the words of its own posts.
"""

from collections.abc import Mapping, Sequence

from ..errors import Reason
from ..protocol import parties
from ..protocol.announcement import Announcement
from ..protocol.messages import (
    Accepted,
    Alarm,
    BallotMarks,
    Body,
    Burned,
    Call,
    Cause,
    Closed,
    Consent,
    Decision,
    Head,
    Key,
    Mixed,
    OpenedCertificate,
    Registry,
    Roster,
    Tally,
)
from ..protocol.peer_messages import Share, ShareSecret
from ..protocol.token_messages import Ask, Issued, Mint, PublicGrant
from ..scenarios.programs.interface import ReleaseProgram
from ..scenarios.programs.stage import promise, rule
from ..scenarios.programs.topology import CENTRAL
from ..scenarios.wording import joined

ASIDE = "\n"  # the text after it appears in smaller letters below (words.js)
ALARMS = {
    Cause.BALANCE: "more is missing than was refused",
    Cause.ACCOUNTS: "the accounts of a round do not add up",
    Cause.ORDER: "a batch did not leave in sorted order",
    Cause.DECISION: "the decision does not follow from the counts",
    Cause.ANNOUNCEMENT: "somebody was told of another session",
    Cause.SPLIT: "the board has shown somebody something else, and has signed both",
    Cause.CHANGED: "a ballot that was accepted is not among those that have come",
}


def caption_of(
    program: ReleaseProgram,
    author: str,
    body: Body,
    columns: Sequence[str],
    call: Call | None,
    terms: Announcement | None,
) -> str:
    """Return the meaning of a post, in a sentence.

    Args:
        program: of the session.
        author: of the post.
        body: of the post.
        columns: the names of the requested columns.
        call: of this round.
        terms: of the session, announced before; None: there is no announcement yet.
    """
    ordered = terms is None or terms.rules.ordered  # as it is outside lessons
    who = capitalized(author)
    match body:
        case Announcement():
            return f"The curator announces the session: {announced(program, body)}."
        case Alarm(cause=cause):
            return f"{who} raises an alarm: {ALARMS.get(cause, cause.value)}."
        case Call():
            return f"Round {body.round}: everybody is asked {call_caption(program, body, columns)}."
        case Mixed():
            return f"{who} {mixed(body, ordered=ordered)}."
        case Tally(totals=totals, counts=None):
            return f"{who} posts how many answers it read: {sum(totals):,}. Not which."
        case Tally():
            below = closed_aside(program, body, terms)
            return f"{who} publishes the counts of {asks(call, columns)}.{below}"
        case Decision():
            return program.stage_decision(body, columns, CENTRAL.reader)
        case OpenedCertificate(certificate=proof):
            return f"The curator opens what it sealed: {promise(proof)}, by {rule(proof.rule)}."
        case Burned(why=why):
            return f"The round is given up and nothing of it is used: {why}."
        case Closed():
            return "The session is over."
        case _:
            return vouches(who, body)


def capitalized(author: str) -> str:
    """Return a party at the beginning of a sentence: Shuffler-1, The curator."""
    return author.capitalize() if "-" in author else f"The {author}"


def counted_things(number: int, one: str, more: str) -> str:
    """Return a number of things in words: 1 box, 2,000 boxes."""
    return f"{number:,} {one if number == 1 else more}"


def vouches(who: str, body: Body) -> str:
    """Return the meaning of a post about keys, signatures, tokens or locks."""
    match body:
        case Key():
            return f"{who} makes a fresh key pair and posts the public half."
        case Roster(shufflers=shufflers):
            return f"{who} posts by which keys {len(shufflers) + 3} parties sign; all know them."
        case Head():
            return "The board signs all that everybody has seen on it."
        case Mint():
            return f"{who} posts the key by which its tokens of this round are known."
        case Ask():
            return f"{who} got no answer, and asks for its tokens before everybody."
        case PublicGrant(person=person):
            asked = parties.user(person)
            return f"{who} answers {asked} before everybody; only {asked} can use the tokens."
        case Issued(people=people):
            return f"{who} has given tokens to {people:,} people; all of them must come back."
        case Registry(keys=keys):
            return f"{who} posts who may send: {len(keys):,} people, each with a key to sign by."
        case Share():
            return f"{who} posts its share of the lock that people seal their ballots to."
        case Accepted(people=people):
            return f"{who} shows whose envelopes it has taken: those of {len(people):,} people."
        case BallotMarks(hashes=hashes):
            return (
                f"{who} shows a hash of each of {len(hashes):,} ballots that have come. They are "
                "locked: people look whether theirs are there before anything is opened."
            )
        case ShareSecret():
            return f"{who} shows the secret of its share: people have had their time to look."
        case Consent():
            return f"{who} finds its own key in the announcement and takes part."
        case _:  # a kind that has no caption yet is shown all the same: the board hides no post
            return f"{who} posts a message of the kind {type(body).__name__.lower()}."


def announced(program: ReleaseProgram, body: Announcement) -> str:
    """Return the subject of a session: questions, policy, and coarser answers if there are any."""
    many = len(body.schema.features)
    about = f"{many} question{'s' * (many != 1)}"
    about = f"{about}; {program.stage_announcement(body.policy)}"
    coarser = [feature for feature in body.schema.features if feature.rules]
    if coarser:
        rules = (
            f"{feature.name}: {', '.join(rule.describe() for rule in feature.rules)}"
            for feature in coarser
        )
        about += f".{ASIDE}Answered coarser than people know: {'; '.join(rules)}"
    return about


def closed_aside(program: ReleaseProgram, body: Tally, terms: Announcement | None) -> str:
    """Return the aside on users without a released value; "" without an aside."""
    if terms is None or not body.counts:
        return ""
    told = program.stage_release(terms.policy, terms.schema, body.counts[0])
    return f"{ASIDE}{told}" if told else ""


def call_caption(program: ReleaseProgram, call: Call, columns: Sequence[str]) -> str:
    """Return the questions of a call, the form of the answers, and their reader."""
    many = len(call.asks) > 1
    how = "each in an onion of its own" if many else "in one onion"
    hidden = program.stage_hiding(call)
    apart = f"; {hidden}" if hidden else ""
    return f"for {asks(call, columns)}, {how}, for the {call.reader} alone to read{apart}"


def asks(call: Call | None, columns: Sequence[str]) -> str:
    """Return the column sets of a call, in words; "" without a call."""
    return joined(
        " x ".join(columns[column] for column in ask) for ask in (call.asks if call else ())
    )


def mixed(body: Mixed, *, ordered: bool) -> str:
    """Return a shuffler's account of a batch, in words."""
    came = f"{body.received:,} envelope{'s' * (body.received != 1)}"
    if body.hop > 1:
        came = f"{body.received:,} onions"
    refused = sum(body.refused.values())
    out = f", refuses {refused:,} ({reasons(body.refused)})" if refused else ""
    return (
        f"takes its own layer off {came}{out}, {'sorts' if ordered else 'does not sort'} the "
        f"{body.forwarded:,} onions inside and says so on the board"
    )


def reasons(refused: Mapping[Reason, int]) -> str:
    """Return the reasons of refusals, with their counts."""
    return joined(
        f"{count:,} {reason.value.replace('-', ' ')}" for reason, count in refused.items()
    )

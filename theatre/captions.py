"""What a post says, in one plain sentence; and what a class calls the rules of a decision."""

from collections.abc import Iterable, Mapping, Sequence

from ..errors import Reason
from ..protocol.announcement import Announcement, Program
from ..protocol.hiding import Mask
from ..protocol.messages import (
    Alarm,
    Body,
    Burned,
    Call,
    Cause,
    Certificate,
    Closed,
    Consent,
    Decision,
    Head,
    Issued,
    Key,
    Mint,
    Mixed,
    Receipts,
    Registry,
    Roster,
    Tally,
)
from ..scenarios.wording import percent

# certificate's rule -> how a class calls it; a rule of another name is called by it
RULES = {
    "exact": "exact count",
    "theorem2": "Theorem 2",
    "theorem3": "Theorem 3",
    "refined": "the refined bound",
    "coverage": "the coverage bound",
    "worst-case": "the exact worst case",
}
ALARMS = {
    Cause.MISSING: "a ballot that was sent is not among those counted",
    Cause.BALANCE: "more is missing than was refused",
    Cause.ACCOUNTS: "the accounts of a round do not add up",
    Cause.ORDER: "a batch did not leave in sorted order",
    Cause.DECISION: "the decision does not follow from the counts",
    Cause.ANNOUNCEMENT: "somebody was told of another session",
    Cause.SPLIT: "the board has shown somebody something else, and has signed both",
}
STATISTICAL = "statistical-"  # before the name of a rule whose promise is for other people


def says(
    author: str, body: Body, columns: Sequence[str], call: Call | None, *, ordered: bool
) -> str:
    """Say what a post means.

    columns: the names of those asked about; call: of this round; ordered: whether batches leave in
    sorted order, as they do outside lessons.
    """
    who = author.capitalize() if "-" in author else f"The {author}"
    match body:
        case Key():
            return f"{who} makes a fresh key pair and posts the public half."
        case Announcement():
            return f"The curator announces the session: {announced(body)}."
        case Roster(shufflers=shufflers):
            return f"{who} posts by which keys {len(shufflers) + 3} parties sign; all know them."
        case Head():
            return "The board signs all that stands on it: that is what everybody has seen."
        case Mint():
            return f"{who} posts the key by which its tokens of this round are known."
        case Issued(people=people):
            return f"{who} has given tokens to {people:,} people; all of them must come back."
        case Registry(keys=keys):
            return f"{who} posts who may send: {len(keys):,} people, each with a key to sign by."
        case Receipts(hashes=hashes):
            return f"{who} shows the salted hash of each of {len(hashes):,} ballots it has counted."
        case Alarm(cause=cause):
            return f"{who} raises an alarm: {ALARMS.get(cause, cause.value)}."
        case Consent():
            return f"{who} finds its own key in the announcement and takes part."
        case Call():
            return f"Round {body.round}: everybody is asked {asked(body, columns)}."
        case Mixed():
            return f"{who} {mixed(body, ordered=ordered)}."
        case Tally(totals=totals, counts=None):
            return f"{who} posts how many answers it read: {sum(totals):,}. Not which."
        case Tally():
            return f"{who} publishes the counts of {asks(call, columns)}."
        case Decision():
            return decided(body, columns)
        case Burned(why=why):
            return f"The round is given up and nothing of it is used: {why}."
        case Closed():
            return "The session is over."
        case _:
            return f"{who} posts a message of the kind {type(body).__name__.lower()}."


def announced(body: Announcement) -> str:
    """What a session is about."""
    many = len(body.schema.features)
    about = f"{many} question{'s' * (many != 1)}"
    coarser = [one for one in body.schema.features if one.rules]
    if coarser:
        rules = (f"{one.name}: {', '.join(rule.words() for rule in one.rules)}" for one in coarser)
        about += f", answered coarser than people know ({'; '.join(rules)})"
    if body.program is Program.RANDOMIZED:
        return f"{about}; everybody adds noise before sealing"
    policy = body.policy
    return (
        f"{about}; at most {percent(policy.max_exposure)} of the people may end up in a crowd "
        f"smaller than k = {policy.k}"
    )


def asked(call: Call, columns: Sequence[str]) -> str:
    """What a call asks, and for whom."""
    many = len(call.asks) > 1
    how = "each in an onion of its own" if many else "in one onion"
    return f"for {asks(call, columns)}, {how}, for the {call.reader} alone to read{hiding(call)}"


def hiding(call: Call) -> str:
    """What people do to their values before they say them."""
    if not call.hidden:
        return ""
    masked = any(isinstance(rule, Mask) for rule in call.hidden)
    return "; rare values are said as `other`" if masked else "; some values are left blank"


def asks(call: Call | None, columns: Sequence[str]) -> str:
    """The column sets that a call asks for."""
    return listed(
        " x ".join(columns[column] for column in ask) for ask in (call.asks if call else ())
    )


def mixed(body: Mixed, *, ordered: bool) -> str:
    """What a shuffler did with a batch."""
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
    """Why messages were refused."""
    return listed(
        f"{count:,} {reason.value.replace('-', ' ')}" for reason, count in refused.items()
    )


def decided(body: Decision, columns: Sequence[str]) -> str:
    """What is released, what is not, and what is proved of it."""
    kept = [columns[column] for column in body.kept]
    rest = [name for column, name in enumerate(columns) if column not in body.kept]
    proof = body.certificate
    if not kept:
        return f"The curator releases nothing: with k = {proof.k} no column is safe enough."
    held = f" and holds back {listed(rest)}" if rest else ""
    return f"The curator releases {listed(kept)}{held}: {promise(proof)}, by {rule(proof.rule)}."


def promise(proof: Certificate) -> str:
    """What a certificate claims."""
    return (
        f"at most {proof.people:,} of {proof.n:,} people ({percent(proof.value)}) can be in a "
        f"crowd smaller than {proof.k}"
    )


def rule(name: str) -> str:
    """Call a rule by the name a class knows."""
    plain = name.removeprefix(STATISTICAL)
    called = RULES.get(plain, plain)
    return called if plain == name else f"{called}, carried over to other people"


def listed(names: Iterable[str]) -> str:
    """Write `a, b and c`."""
    *most, last = list(names) or ["nothing"]
    return f"{', '.join(most)} and {last}" if most else last

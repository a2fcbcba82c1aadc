"""Captions: the meaning of a post on the board, in a plain sentence.

The sentences come from a language file. A release program supplies sentences for its own posts.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from ..errors import Reason
from ..languages.language import Language
from ..presentation.decision_captions import joined_in, promise, rule
from ..presentation.presenters.presenter import Presenter
from ..protocol.wire import parties
from ..protocol.wire.announcement import Announcement
from ..protocol.wire.coarsening import Bins, Date, Fold, Merge, Prefix, Rule
from ..protocol.wire.messages import (
    Accepted,
    Alarm,
    BallotMarks,
    Body,
    Burned,
    Call,
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
from ..protocol.wire.peer_messages import Share, ShareSecret
from ..protocol.wire.token_messages import Ask, Issued, Mint, PublicGrant
from .party_names import capitalized, party_name

ASIDE_MARK = "\n"  # the text after this character appears below in smaller letters (plain.js)
NON_SHUFFLERS = 3  # board, curator and analyst, which have signing keys besides the shufflers
VOUCHED = {
    Key: "says-key",
    Head: "says-head",
    Mint: "says-mint",
    Ask: "says-ask",
    Share: "says-share",
    ShareSecret: "says-share-secret",
    Consent: "says-consent",
}  # kind of post -> key of its sentence, which names only the post's author


def caption_of(
    presenter: Presenter,
    author: str,
    body: Body,
    columns: Sequence[str],
    call: Call | None,
    terms: Announcement | None,
    language: Language,
) -> str:
    """Return the meaning of a post on the board, in a sentence.

    Args:
        presenter: the texts of the session's release program.
        author: the party that made the post.
        body: the content of the post.
        columns: the names of the requested columns.
        call: the call (query) of this round; None: before the first call.
        terms: the announcement of the session; None: it is not posted yet.
        language: the language of the caption, with the sentences of the page (the theatre).
    """
    # before the announcement, batches are assumed to be sorted: only scenarios for teaching allow
    # another order
    ordered = terms is None or terms.rules.ordered
    author_name, say = capitalized(author, language), language.say
    match body:
        case Announcement():
            return say("says-announces", about=announced(presenter, body, language))
        case Alarm(cause=cause):
            return say("says-alarm", who=author_name, cause=say(f"says-alarm-{cause.value}"))
        case Call():
            return call_caption(presenter, body, columns, language)
        case Mixed():
            return mixed(author_name, body, language, ordered=ordered)
        case Tally(totals=totals, counts=None):
            return say("says-tally-secret", who=author_name, number=sum(totals))
        case Tally():
            sentence = say("says-tally", who=author_name, asks=asks(call, columns, language))
            return f"{sentence}{closed_aside(presenter, body, terms, language)}"
        case Decision():
            return presenter.stage_decision(body, columns, parties.CURATOR, language)
        case OpenedCertificate(certificate=proof):
            proof_texts = {"promise": promise(proof, language), "rule": rule(proof.rule, language)}
            return say("says-certificate", **proof_texts)
        case Burned(why=why):
            return say("says-burned", why=why)
        case Closed():
            return say("says-closed")
        case _:
            return vouches(author_name, body, language)


def vouches(author_name: str, body: Body, language: Language) -> str:
    """Return the caption of a post about keys, signatures, tokens or locks.

    author_name: the name of the post's author, for the beginning of a sentence.
    """
    say = language.say
    match body:
        case Roster(shufflers=shufflers):
            return say("says-roster", who=author_name, n=len(shufflers) + NON_SHUFFLERS)
        case PublicGrant(person=person):
            return say(
                "says-grant", who=author_name, asked=party_name(parties.user(person), language)
            )
        case Issued(people=people):
            return say("says-issued", who=author_name, people=say("people", n=people))
        case Registry(keys=keys):
            return say("says-registry", who=author_name, people=say("people", n=len(keys)))
        case Accepted(people=people):
            return say("says-accepted", who=author_name, people=say("people", n=len(people)))
        case BallotMarks(hashes=hashes):
            return say("says-marks", who=author_name, n=len(hashes))
        case _ if key := VOUCHED.get(type(body)):
            return say(key, who=author_name)
        # a kind of post without a caption is shown by its name, since the board hides no post
        case _:
            kind = type(body).__name__.lower()
            key = f"kind-{kind}"
            kind_name = say(key) if key in language.sentences else kind
            return say("says-other", who=author_name, kind=kind_name)


def announced(presenter: Presenter, body: Announcement, language: Language) -> str:
    """Return the caption of an announcement: questions, promised bound, coarser answers.

    presenter: words the posts of the session's release program.
    """
    promised = presenter.stage_announcement(body.policy, language)
    about = language.say("says-about", n=len(body.schema.features), promise=promised)
    coarser = [feature for feature in body.schema.features if feature.rules]
    if not coarser:
        return about
    rules = "; ".join(
        f"{feature.name}: {', '.join(coarsening(rule, language) for rule in feature.rules)}"
        for feature in coarser
    )
    return language.say("says-coarser", about=about, rules=rules)


def coarsening(rule: Rule, language: Language) -> str:
    """Return a clause that describes a rule by which answers become coarser."""
    say = language.say
    match rule:
        case Fold(parts=parts):
            return say("says-fold", parts=say("and").join(parts))
        case Merge(groups=groups):
            values = sum(len(group) for _, group in groups)
            into = groups[0][0] if len(groups) == 1 else say("says-merge-groups", n=len(groups))
            return say("says-merge", n=values, into=into)
        case Date(unit=unit):
            return say("says-date", unit=say(f"says-date-{unit}"))
        case Prefix(length=length):
            return say("says-prefix", n=length)
        case Bins(edges=edges):
            widths = {b - a for a, b in pairwise(edges)}
            if len(widths) == 1:
                return say("says-bins", width=language.number(widths.pop()))
            return say("says-bins-uneven", n=len(edges) + 1)


def closed_aside(
    presenter: Presenter, body: Tally, terms: Announcement | None, language: Language
) -> str:
    """Return the note after a caption on users without a released value; or "".

    presenter: words the posts of the release program. body: the post of the released counts.
    terms: the announcement; None: not posted yet.
    """
    if terms is None or not body.counts:
        return ""
    aside_text = presenter.stage_release(terms.policy, terms.schema, body.counts[0], language)
    return f"{ASIDE_MARK}{aside_text}" if aside_text else ""


def call_caption(
    presenter: Presenter, call: Call, columns: Sequence[str], language: Language
) -> str:
    """Return the caption of a call (a round's query): questions, form of answers, reader.

    presenter: words the posts of the release program. columns: the names of all columns.
    """
    hidden = presenter.stage_hiding(call, language)
    return language.say(
        "says-call",
        round=call.round,
        asks=asks(call, columns, language),
        how=language.say("says-call-many" if len(call.asks) > 1 else "says-call-one"),
        reader=party_name(call.reader, language, "the"),
        apart=f"; {hidden}" if hidden else "",
    )


def asks(call: Call | None, columns: Sequence[str], language: Language) -> str:
    """Return the column sets of a call in words: `age x sex and class`."""
    sets = call.asks if call else ()
    return joined_in((" x ".join(columns[column] for column in ask) for ask in sets), language)


def mixed(author_name: str, body: Mixed, language: Language, *, ordered: bool) -> str:
    """Return the caption of a shuffler's post: messages received, refused and forwarded.

    author_name: the shuffler's name for the beginning of a sentence. ordered: whether the shuffler
    sorts its batch.
    """
    say, number = language.say, sum(body.refused.values())
    why = reasons(body.refused, language)
    return say(
        "says-mixed-sorted" if ordered else "says-mixed-kept",
        who=author_name,
        came=say("onions" if body.hop > 1 else "envelopes", n=body.received),
        refused=say("says-mixed-refused", number=number, reasons=why) if number else "",
        n=body.forwarded,
    )


def reasons(refused: Mapping[Reason, int], language: Language) -> str:
    """Return the reasons of refusals in words, with their counts."""
    reason_texts = (
        f"{language.count(count)} {language.say(f'reason-{reason.value}')}"
        for reason, count in refused.items()
    )
    return joined_in(reason_texts, language)

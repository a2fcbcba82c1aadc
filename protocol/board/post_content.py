"""The content of a post: one check for each kind of post, made after its author's turn (phases.py).

A check takes the board, the author and the content. It returns whether the content agrees with
earlier posts, or raises Refused with a reason. A kind of post without a check has no content that
earlier posts could contradict.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ...crypto.joint_key import check_share, check_shown
from ...errors import Reason, Refused
from ..rounds.audit import coin_of
from ..rounds.locks import share_context
from ..rounds.registered_users import registry_root
from ..rounds.verified_round import closed_digest
from ..wire import parties
from ..wire.announcement import Announcement, Program
from ..wire.audit_messages import Opened, Toss, Traced
from ..wire.commitment import is_sealed_size, open_commitment, public_decision
from ..wire.crowd_limits import unspent
from ..wire.messages import (
    Accepted,
    Alarm,
    BallotMarks,
    Call,
    Cause,
    CommittedDecision,
    Consent,
    Decision,
    Kind,
    Mixed,
    OpenedCertificate,
    Roster,
    Tally,
)
from ..wire.peer_messages import Share, ShareSecret
from ..wire.token_messages import Ask, Issued, PublicGrant
from ..wire.verified_messages import (
    BallotKeys,
    CheckedBallots,
    HandedBallots,
    OpeningShares,
    ShuffledLists,
)
from .alarm_limits import fits, has_raised
from .board_state import BoardState
from .phases import Phase
from .strategies import decidable, legal

Check = Callable[[BoardState, str, Any], bool]


def _roster(board: BoardState, _: str, roster: Roster) -> bool:
    """Whether a roster (all parties' signing keys) is the first post, and the expected roster."""
    return not board.authors and board.known_roster in (None, roster)


def _announcement(board: BoardState, _: str, announced: Announcement) -> bool:
    """Whether an announcement cites the encryption keys and the registry that were posted."""
    cited = {parties.shuffler(hop + 1): key for hop, key in enumerate(announced.shufflers)}
    posted = board.keys == cited | {parties.ANALYST: announced.analyst}
    return posted and announced.registry == registry_root(board.registry)


def _consent(board: BoardState, _: str, consent: Consent) -> bool:
    """Whether a party's consent to the announcement names this session."""
    return consent.session == board.session


def _call(board: BoardState, _: str, call: Call) -> bool:
    """Whether a call (the query of a round) may come next by the public rules of the program.

    Without this check a curator could request all columns of all users.
    """
    announced = board.announced
    program, schema, rule = announced.program, announced.schema, announced.policy.rule
    return legal(program, schema, board.calls, board.decision, call, rule)


def _alarm(board: BoardState, author: str, alarm: Alarm) -> bool:
    """Whether an alarm is in time, not too long, and its author's first of this cause and round."""
    if alarm.round > board.number or has_raised(board.alarms, author, alarm):
        return False
    if alarm.cause is Cause.CHANGED and board.phase is not Phase.CHALLENGED:
        # The curator or analyst posts the hashes of the arrived ballots at the start of this phase,
        # so no loss is known before. After this phase the ballots may be open, so an alarm would
        # link one to its user.
        return False
    layers = max((mix.received + mix.forwarded for mix in board.mixed), default=0)
    announced, widest = 0, 0
    if board.plan is not None and alarm.evidence:
        announced = len(board.announced.encode())
        widest = board.plan.envelope if board.plan.ballot else 0
    return fits(alarm, author, layers, widest, announced)


def _ask(board: BoardState, author: str, request: Ask) -> bool:
    """Whether a user's public request for tokens is valid; Refused with the reason if not."""
    return board.public_asks.may_ask(author, request, board.round, board.registry)


def _granted(board: BoardState, _: str, granted: PublicGrant) -> bool:
    """Whether a posted answer to a request for tokens is due.

    Refused if the answer was made with another key than the round's posted token key.
    """
    number = board.number
    return board.public_asks.may_grant(granted, number, board.mints[number])


def _issued(board: BoardState, _: str, issued: Issued) -> bool:
    """Whether the number of people with tokens equals the number of accepted envelopes."""
    account = board.account(board.number, 1)
    return account is not None and account.people == issued.people


def _share(board: BoardState, author: str, share: Share) -> bool:
    """Whether the author of a public share of the round's joint key knows the secret of this share.

    Refused if the share's proof of knowledge is invalid.
    """
    check_share(share.public, share.proof, share_context(board.session, board.number, author))
    return True


def _accepted(board: BoardState, _: str, accepted: Accepted) -> bool:
    """Whether the list of accepted envelopes (submitted onions) names only registered people."""
    return all(envelope.person < board.registered for envelope in accepted.people)


def _mixed(board: BoardState, author: str, mixed: Mixed) -> bool:
    """Whether the numbers of messages that a shuffler posts are its own.

    The number of people that shuffler 1 posts must equal the number of accepted envelopes, if a
    list of accepted envelopes is posted.
    """
    accepted = board.challenged.accepted.get(board.number) if mixed.hop == 1 else None
    fits_accepted = accepted is None or len(accepted.people) == mixed.people
    return author == parties.shuffler(mixed.hop) and fits_accepted


def _traced(board: BoardState, author: str, traced: Traced) -> bool:
    """Whether an audit post has one hash for each layer that its shuffler claims to forward."""
    account = board.account(board.number, traced.hop)
    if account is None or author != parties.shuffler(traced.hop):
        return False
    return len(traced.hashes) == account.forwarded


def _toss(board: BoardState, author: str, toss: Toss) -> bool:
    """Whether a party's random bytes for an audit match its commitment; Refused if they do not."""
    number = board.number
    if coin_of(board.session, number, author, toss) != board.audited.coins[number][author]:
        raise Refused(Reason.MALFORMED)
    return True


def _opened(board: BoardState, author: str, opened: Opened) -> bool:
    """Whether layers that a shuffler opens in an audit are its inputs, by number and size.

    There may be no more opened layers than arrived at this shuffler.
    """
    if author != parties.shuffler(opened.hop):
        return False
    accepted, traced = board.challenged.accepted, board.audited.traced[board.number]
    arrived = accepted[board.number].people if opened.hop == 1 else traced[opened.hop - 1]
    size = (board.round.envelope, *board.round.inner[2:])[opened.hop - 1]
    fitting = all(len(link.layer) == size for link in opened.links)
    return fitting and len(opened.links) <= len(arrived)


def _marks(board: BoardState, _: str, marks: BallotMarks) -> bool:
    """Whether as many arrived ballots are listed as the first shuffler accepted."""
    accepted = board.challenged.accepted[board.number]
    return len(marks.hashes) == len(accepted.people) * board.round.ballots


def _share_secret(board: BoardState, author: str, body: ShareSecret) -> bool:
    """Whether a shuffler reveals the secret of its own share of the joint key.

    Refused if the secret does not fit this share.
    """
    share = board.challenged.shares.get(board.number, {}).get(author)
    if share is None or author != parties.shuffler(body.step):
        return False
    check_shown(body.secret, share.public)
    return True


def _tally(board: BoardState, _: str, tally: Tally) -> bool:
    """Whether a tally (posted counts) answers the round's query, and agrees with earlier posts.

    The tally must agree with the issued tokens and the decryption shares. The counts of a release
    are always public; the counts of round 1 only if the announcement says so.
    """
    asks = board.round.call.asks
    return (
        len(tally.totals) == len(asks)
        and board.round.is_public == (tally.counts is not None)
        and all(
            len(cell) == len(ask)
            for ask, count in zip(asks, tally.counts or (), strict=False)
            for cell in count
        )
        and _counts_tokens(board, tally)
        and (not board.round.verified or board.verified.answers(tally, board.round))
    )


def _counts_tokens(board: BoardState, tally: Tally) -> bool:
    """Whether a tally has one ballot for each issued token and query; True without tokens.

    A token is a blind credential for one ballot.
    """
    people = board.issued.get(board.number)
    return people is None or not unspent(people, tally.totals, board.round.rows)


def _decision(board: BoardState, _: str, decision: Decision) -> bool:
    """Whether the curator may decide now, and the program allows its decision.

    Most programs decide after a round that the curator has read. The program `threshold`, which
    opens only values that k people share, decides before all counts.
    """
    announced = board.announced
    # the program `threshold` decides before all counts; other programs decide after a round of the
    # curator
    timely = announced.program is Program.THRESHOLD
    if board.plan is not None:
        timely = board.plan.call.reader is parties.Role.CURATOR
    return timely and decidable(announced.program, announced.schema, decision)


def _committed(board: BoardState, author: str, committed: CommittedDecision) -> bool:
    """Whether the curator may commit to a decision now.

    The post has the certificate (the proof of the decision's bound), encrypted. It must be padded,
    so that its length does not depend on the counts.
    """
    decision = public_decision(board.announced.policy, committed)
    sized = is_sealed_size(board.announced, len(committed.sealed))
    return sized and _decision(board, author, decision)


def _certificate(board: BoardState, _: str, opened: OpenedCertificate) -> bool:
    """Whether the curator may reveal its certificate (the proof of its decision) now.

    Refused unless the certificate fits the commitment on the board.
    """
    if not board.may_open or board.committed is None:
        return False
    open_commitment(board.session, board.committed, opened)
    return True


def _keys(board: BoardState, author: str, body: BallotKeys) -> bool:
    """Whether a party posts the ballot keys that it owes in a verified mix."""
    return board.verified.fits_keys(author, body, board.round)


def _handed(board: BoardState, _: str, body: HandedBallots) -> bool:
    """Whether ballots that a keyholder posts in a verified mix are new and of invited users."""
    return board.verified.fits_handed(body, board.round, board.registered)


def _checked(board: BoardState, _: str, body: CheckedBallots) -> bool:
    """Whether a keyholder confirms the closed list: the final list of the ballots that count.

    The keyholder (shuffler, curator or analyst) posts its hash of the list, which must equal the
    board's.
    """
    return body.digest == closed_digest(board.round, board.verified.closed[board.number])


def _shuffled(board: BoardState, author: str, body: ShuffledLists) -> bool:
    """Whether a shuffler of a verified mix posts its own permuted lists, with the right sizes."""
    return author == parties.shuffler(body.hop) and board.verified.fits_lists(body, board.round)


def _shared(board: BoardState, _: str, body: OpeningShares) -> bool:
    """Whether decryption shares of a verified mix have the right number and sizes."""
    return board.verified.fits_shares(body, board.round)


CHECKS: Mapping[Kind, Check] = {
    Kind.ROSTER: _roster,
    Kind.ANNOUNCEMENT: _announcement,
    Kind.CONSENT: _consent,
    Kind.CALL: _call,
    Kind.ALARM: _alarm,
    Kind.ASK: _ask,
    Kind.GRANTED: _granted,
    Kind.ISSUED: _issued,
    Kind.SHARE: _share,
    Kind.ACCEPTED: _accepted,
    Kind.MIXED: _mixed,
    Kind.TRACED: _traced,
    Kind.TOSS: _toss,
    Kind.OPENED: _opened,
    Kind.HEARD: _marks,
    Kind.SHOWN: _share_secret,
    Kind.KEYS: _keys,
    Kind.HANDED: _handed,
    Kind.CHECKED: _checked,
    Kind.SHUFFLED: _shuffled,
    Kind.SHARED: _shared,
    Kind.TALLY: _tally,
    Kind.DECISION: _decision,
    Kind.COMMITTED: _committed,
    Kind.CERTIFICATE: _certificate,
}

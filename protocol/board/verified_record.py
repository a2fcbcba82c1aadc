"""Check the whole record of a verified mix: every ballot, shuffle and share on a board.

Any holder of the posts can check them afterwards, without other parties. If counts are public, a
valid record shows that the opened answers are those in the listed ballots. If the curator or
analyst keeps counts secret, the record shows two things: the last lists are the listed ballots,
permuted and re-encrypted, and each shuffler made its decryption shares with its own key.
"""

from dataclasses import dataclass

from ...crypto.entropy import Entropy
from ...errors import RoundBurned, VerificationError
from ..rounds.round_context import Round, as_cited, open_round
from ..rounds.verified_round import (
    Lists,
    RoundKeys,
    check_handed,
    check_opening,
    check_shuffled,
    first_lists,
    joint_keys,
    key_round,
)
from ..wire import parties
from ..wire.announcement import Setting
from ..wire.crowd_limits import check_batch_size, check_rounds
from ..wire.messages import Call
from .board import Board


@dataclass(frozen=True, slots=True)
class CheckedRecord:
    """The numbers of proofs in a record that were checked and are valid.

    Attributes:
        ballots: valid signed ballots, one for each user and query.
        shuffles: lists with a proof of shuffle.
        shares: decryption shares.
    """

    ballots: int = 0
    shuffles: int = 0
    shares: int = 0


def check_record(board: Board, entropy: Entropy) -> CheckedRecord:
    """Check all proofs of a board with a verified mix; return how many were checked.

    Only rounds with a tally (the curator's or analyst's counts) are checked. entropy: the checker's
    randomness, for the random weights of batch verification.

    Raises:
        VerificationError: names the round, and the author of an invalid post.
    """
    checked = CheckedRecord()
    for call in board.calls[: len(board.tallies)]:
        try:
            checked = _with_round(board, call, checked, entropy)
        except RoundBurned as fault:
            raise VerificationError(f"round {call.round}: {fault}") from None
    return checked


def _with_round(
    board: Board, call: Call, checked: CheckedRecord, entropy: Entropy
) -> CheckedRecord:
    """Check all proofs of one round; return the numbers of proofs checked so far.

    checked: the numbers of the earlier rounds. entropy: the checker's randomness.
    """
    assert board.announcement is not None  # noqa: S101 - a call follows the announcement
    number, verified_posts = call.round, board.verified
    plan = as_cited(open_round(board.announcement, board.session, call), board.heads)
    _check_people(board, plan)
    keys = joint_keys(plan, verified_posts.keys[key_round(plan)])
    ballots = 0 if plan.reuses_ballots else _check_ballots(board, plan, keys)
    lists: Lists = first_lists(plan, verified_posts.closed[number])
    for posted in verified_posts.shuffled[number]:
        lists = check_shuffled(plan, keys, lists, posted, entropy)
    shared = verified_posts.shared[number]
    shares = [check_opening(plan, party, keys, lists, shared[party]) for party in sorted(shared)]
    return CheckedRecord(
        checked.ballots + ballots * len(call.asks),
        checked.shuffles + len(verified_posts.shuffled[number]) * len(call.asks),
        checked.shares + sum(len(elements) for party_shares in shares for elements in party_shares),
    )


def _check_people(board: Board, plan: Round) -> None:
    """Check the number of users of a round; RoundBurned if it is smaller than announced.

    RoundBurned also if few users left since an earlier round: subtraction would expose these users.
    """
    announced, verified_posts = plan.announcement, board.verified
    people = len(verified_posts.closed[plan.call.round])
    check_batch_size(people, announced.rules.min_batch)
    if announced.policy.setting is Setting.FIXED:
        earlier = [len(closed) for closed in verified_posts.prior_lists(plan)]
        check_rounds(earlier, people, announced.rules.min_dropout)


def _check_ballots(board: Board, plan: Round, keys: RoundKeys) -> int:
    """Check all ballots that shufflers, and curator or analyst, posted in a round.

    Return the number of users with ballots. VerificationError names the user and the author of an
    invalid post.
    """
    registry, handed = board.registry, board.verified.handed[plan.call.round]
    assert registry is not None  # noqa: S101 - a verified mix has a registry of users
    for party, posted in handed.items():
        verdicts = check_handed(plan, keys, registry, posted.people)
        for handed_ballot, reason in zip(posted.people, verdicts, strict=True):
            if reason is not None:
                person = parties.user(handed_ballot.person)
                raise VerificationError(
                    f"round {plan.call.round}: {party} posted ballots of {person} that do not "
                    f"check: {reason}"
                )
    return len(board.verified.closed[plan.call.round])

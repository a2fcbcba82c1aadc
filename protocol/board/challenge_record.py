"""Check the record of a round with locked ballots: whether it was right to open the ballots.

Locked ballots are sealed to a joint key of all shufflers and the curator or analyst. They may be
opened only after users could report a missing ballot, and if no report was proved (challenge.py).
"""

from ...errors import RoundBurned, VerificationError
from ..rounds.round_context import as_cited, open_round
from ..wire.announcement import Setting
from ..wire.messages import Cause
from .alarms import borne_out
from .board import Board
from .challenge import check_envelopes, check_people


def check_accepted(board: Board, number: int) -> None:
    """Check the accepted envelopes of a round, and that no alarm proves a missing ballot.

    The ballots of the round are locked: sealed to a joint key of all shufflers and the curator or
    analyst. board: the complete record. number: the round.

    Raises:
        VerificationError: names the round, and the error.
    """
    announcement, registry = board.announcement, board.registry
    accepted = board.challenged.accepted[number]
    if announcement is None or registry is None:
        raise VerificationError(
            f"round {number}: no registry of users is posted to check signatures"
        )
    plan = open_round(announcement, board.session, board.calls[number - 1])
    cited_plan = as_cited(plan, board.heads)
    if any(check_envelopes(cited_plan, registry, accepted.people)):
        raise VerificationError(f"round {number}: an accepted envelope is not signed by its user")
    fixed = announcement.policy.setting is Setting.FIXED
    earlier_rounds = (
        [board.challenged.accepted[earlier] for earlier in range(1, number)] if fixed else []
    )
    try:
        check_people(
            accepted, earlier_rounds, announcement.rules.min_dropout, announcement.rules.min_batch
        )
    except RoundBurned as why:
        raise VerificationError(f"round {number}: {why}") from None
    for party, alarm in board.alarms:
        if (alarm.round, alarm.cause) == (number, Cause.CHANGED) and borne_out(board, alarm):
            raise VerificationError(f"round {number}: {party} has proved that a ballot is missing")

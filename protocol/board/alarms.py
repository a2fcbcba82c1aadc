"""Alarms: errors that the board shows, and the evidence that proves an alarm.

    cause          error                                                evidence
    balance        the totals of the queries of a round differ          empty: it is on the board
    accounts       a party's sums do not add up                         empty
    order          a batch left in an order of its own                  the batch, as `items`
    decision       the published marginals give another decision        empty
    announcement   a user was shown another session                     that announcement
    split          the board has shown another head to a user           the head that it showed
    changed        a ballot of an accepted envelope is missing          its sealing randomness

An alarm names only the party that raises it. By itself it stops no round: a false alarm would be
a cheap way to stop a release. `check_alarm` tells from the board alone whether it is justified, and
only then it counts. An alarm of the cause `announcement` never counts: an announcement has no
signature outside the board, so the party that raises the alarm may have written it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from ...errors import Refused, VerificationError
from ..rounds.mixing import batch_digest
from ..wire.announcement import Flaw
from ..wire.messages import Alarm, Call, Cause, Decision, Mixed, Tally
from ..wire.parties import Role
from ..wire.signed_posts import fork_between, head_in
from ..wire.wire import Reader, decode
from .board import Board
from .challenge import changed
from .strategies import RoundResult, Strategy, next_step


def unbalanced(board: Board, number: int) -> bool:
    """Any party: whether the queries of a round were answered by different numbers of people."""
    tally = _tally(board, number)
    return tally is not None and len(set(tally.totals)) > 1


def unaccounted(board: Board, number: int) -> bool:
    """Any party: whether the accounts of a round do not add up: layers were lost or invented."""
    chain, tally = _chain(board, number), _tally(board, number)
    flaws = board.announcement.rules.flaws if board.announcement else ()
    rows = board.announcement.rules.rows if board.announcement else 1
    slots = 1 if Flaw.BUNDLED in flaws else rows * len(board.calls[number - 1].asks)
    arrived_layers = None
    for account in chain:
        if arrived_layers not in (None, account.received):
            return True
        if _due(account, arrived_layers, slots) != account.forwarded + sum(
            account.refused.values()
        ):
            return True
        arrived_layers = account.forwarded
    if tally is None or arrived_layers is None or Flaw.BUNDLED in flaws:
        return False
    return arrived_layers != sum(tally.totals) + sum(tally.refused.values())


def _due(account: Mixed, arrived_layers: int | None, slots: int) -> int:
    """Return the number of layers that a shuffler has to forward or refuse."""
    if arrived_layers is None:  # hop 1: envelopes come, the onions inside them go
        return account.people * slots + account.received - account.people
    return account.received


def misdecided(board: Board, strategy: Strategy) -> bool:
    """Any party: whether the announced rule leads from posted counts to another call or decision.

    False if the marginals are not published: then only the curator can compare.
    """
    round_results = published(board)
    if round_results is None:
        return False
    curator_calls = [call for call in board.calls if call.reader is Role.CURATOR]
    posted_steps: list[Call | Decision] = [
        *curator_calls,
        *([board.decision] if board.decision else []),
    ]
    return any(
        claim(_due_step(board, strategy, round_results[:number])) != claim(step)
        for number, step in enumerate(posted_steps)
    )


def misasked(board: Board, strategy: Strategy) -> bool:
    """User: whether the open call for the curator differs from the call of the announced rule.

    False if the marginals are not published, and in round 1, whose call is the same for every rule.
    """
    call = board.calls[-1]
    if call.round == 1 or call.reader is not Role.CURATOR:
        return False
    round_results = published(board)
    return round_results is not None and _due_step(board, strategy, round_results) != call


def published(board: Board) -> list[RoundResult] | None:
    """Any party: return the curator's rounds with their counts; None if counts are unpublished."""
    round_results: list[RoundResult] = []
    for call, tally in zip(board.calls, board.tallies, strict=False):
        if call.reader is Role.ANALYST:
            break
        if tally.counts is None:
            return None
        round_results.append(RoundResult(call, tally.counts))
    return round_results


def _due_step(
    board: Board, strategy: Strategy, round_results: Sequence[RoundResult]
) -> Call | Decision | None:
    """Return the next call or decision of the announced rule after these rounds."""
    announcement = board.announcement
    assert announcement is not None  # noqa: S101 - calls and decisions follow an announcement
    return next_step(
        announcement.program,
        announcement.schema,
        strategy,
        round_results,
        None,
        announcement.policy.rule,
    )


def claim(step: Call | Decision | None) -> Call | Decision | None:
    """Return a step without its prices for the rule `margins`: others prove the same bound."""
    if not isinstance(step, Decision) or step.certificate.rule != "margins":
        return step
    return replace(step, certificate=replace(step.certificate, proof=b""))


def check_alarm(board: Board, alarm: Alarm, strategy: Strategy | None = None) -> None:
    """Any party: VerificationError if the board does not prove an alarm.

    strategy: the strategy of the announced rule; without it, an alarm about a decision is unproved.
    """
    if not 0 <= alarm.round <= len(board.calls):
        raise VerificationError(f"alarm {alarm.cause}: there was no round {alarm.round}")
    if alarm.cause is Cause.DECISION and strategy is not None:
        is_proved = misdecided(board, strategy)
    else:
        is_proved = _PROOFS[alarm.cause](board, alarm)
    if not is_proved:
        why = UNPROVABLE.get(alarm.cause, "nothing shows it")
        raise VerificationError(f"alarm {alarm.cause} in round {alarm.round}: {why}")


def borne_out(board: Board, alarm: Alarm, strategy: Strategy | None = None) -> bool:
    """Any party: whether the board proves an alarm; an unproved alarm is false."""
    try:
        check_alarm(board, alarm, strategy)
    except VerificationError:
        return False
    return True


def _disordered(board: Board, alarm: Alarm) -> bool:
    if board.announcement is None or not board.announcement.rules.ordered:
        return False
    try:
        batch = decode(alarm.evidence, Reader.items)
    except Refused:
        return False
    digests = {account.digest for account in _chain(board, alarm.round)}
    return batch_digest(batch) in digests and any(a >= b for a, b in pairwise(batch))


def _forked(board: Board, alarm: Alarm) -> bool:
    """Whether the evidence is a second head that the board has signed for the same place."""
    try:
        board_head = board.heads.get(head_in(alarm.evidence).place)
        if board_head is None or board.roster is None:
            return False
        fork_between(board.roster, board_head, alarm.evidence)
    except Refused:
        return False
    return True


UNPROVABLE: Mapping[Cause, str] = {
    Cause.ANNOUNCEMENT: "an announcement outside the board is signed by no party, so its author "
    "cannot be shown",
    Cause.DECISION: "the announced rule is needed to decide again",
}
_PROOFS: Mapping[Cause, Callable[[Board, Alarm], bool]] = {
    Cause.BALANCE: lambda board, alarm: unbalanced(board, alarm.round),
    Cause.ACCOUNTS: lambda board, alarm: unaccounted(board, alarm.round),
    Cause.ORDER: _disordered,
    Cause.DECISION: lambda _board, _alarm: False,
    Cause.ANNOUNCEMENT: lambda _board, _alarm: False,
    Cause.SPLIT: _forked,
    Cause.CHANGED: changed,
}


def seen_wrong(board: Board, number: int, strategy: Strategy | None) -> Iterator[Alarm]:
    """Any observer: yield the alarms for the errors that the board shows in a round."""
    if unbalanced(board, number):
        yield Alarm(number, Cause.BALANCE)
    if unaccounted(board, number):
        yield Alarm(number, Cause.ACCOUNTS)
    last = number == len(board.tallies)
    if last and strategy is not None and misdecided(board, strategy):
        yield Alarm(number, Cause.DECISION)


def _chain(board: Board, number: int) -> list[Mixed]:
    """Return the accounts of a round's shufflers, in the order of their hops."""
    hops = len(board.announcement.shufflers) if board.announcement else 0
    return board.mixed[max(number - 1, 0) * hops : max(number, 0) * hops]


def _tally(board: Board, number: int) -> Tally | None:
    return board.tallies[number - 1] if 1 <= number <= len(board.tallies) else None

"""Alarms: errors that the board shows, and the evidence that proves an alarm.

    cause          error                                                evidence
    balance        the queries of a round were not answered by          empty: it is on the board
                   equally many people
    accounts       a shuffler's or reader's published numbers of        empty
                   messages do not add up
    order          a shuffler sent a batch that is not sorted           the batch, as a list
    decision       the published marginals give another decision        empty
    announcement   a user was shown another session                     that announcement
    split          the board has shown another signed tree head         the head that it showed
                   (signature over its whole log) to a user
    changed        a ballot of an accepted envelope is missing          its sealing randomness

An alarm names only the party that raises it. By itself it stops no round: a false alarm would be a
cheap way to stop a release. `check_alarm` tells from the board alone whether it is justified, and
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
    """Any party: whether different numbers of people answered the queries of a round.

    number: the round. False if its tally (the counts of curator or analyst) is not posted.
    """
    tally = _tally(board, number)
    return tally is not None and len(set(tally.totals)) > 1


def unaccounted(board: Board, number: int) -> bool:
    """Any party: whether the posted numbers of messages of a round do not add up.

    Then a shuffler, the curator or the analyst has lost or invented layers (messages under
    encryption). number: the round.
    """
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
    """Return the number of layers that a shuffler has to forward or refuse, by its posted numbers.

    account: the numbers of messages that the shuffler posted. arrived_layers: layers that the
    shuffler before it forwarded; None: this is the first shuffler. slots: the number of onions in
    an envelope.
    """
    # The first shuffler opens each of `people` accepted envelopes into `slots` onions, and refuses
    # the other `received - people` messages whole.
    if arrived_layers is None:
        return account.people * slots + account.received - account.people
    return account.received


def misdecided(board: Board, strategy: Strategy) -> bool:
    """Any party: whether the curator's posted query or decision breaks the announced rule.

    False if the counts of the curator's rounds are not published, because then only the curator can
    apply the rule.
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
    """User: whether the curator's present query breaks the announced rule.

    False if the counts of the curator's rounds are not published, because users cannot compute the
    query then. False in round 1, in which the query is the same under every rule.
    """
    call = board.calls[-1]
    if call.round == 1 or call.reader is not Role.CURATOR:
        return False
    round_results = published(board)
    return round_results is not None and _due_step(board, strategy, round_results) != call


def published(board: Board) -> list[RoundResult] | None:
    """Any party: return the curator's rounds with their counts; None if counts are unpublished.

    The announced rule, applied to these counts, gives the curator's next query or decision.
    """
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
    """Return the query or decision that the announced rule gives after these rounds.

    None if the program has ended. round_results: the curator's rounds so far, with their counts.
    """
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
    """Return the public statement of a step (a query or a decision), for comparison.

    A decision under the rule `margins` loses its proof, the dual variables of a linear program,
    because different proofs of the same bound are equally good.
    """
    if not isinstance(step, Decision) or step.certificate.rule != "margins":
        return step
    return replace(step, certificate=replace(step.certificate, proof=b""))


def check_alarm(board: Board, alarm: Alarm, strategy: Strategy | None = None) -> None:
    """Any party: raise VerificationError unless the board proves an alarm.

    strategy: the announced rule for the curator's queries and decisions; None: an alarm about a
    decision is not proved.
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
    """Any party: whether the board proves an alarm; an unproved alarm counts as false.

    strategy: the announced rule for the curator's queries and decisions; None: an alarm about a
    decision is not proved.
    """
    try:
        check_alarm(board, alarm, strategy)
    except VerificationError:
        return False
    return True


def _disordered(board: Board, alarm: Alarm) -> bool:
    """Whether an alarm's evidence is an unsorted batch of its round, which the rules forbid.

    The batch must match a digest that a shuffler posted, so that no party can invent a batch.
    """
    if board.announcement is None or not board.announcement.rules.ordered:
        return False
    try:
        batch = decode(alarm.evidence, Reader.items)
    except Refused:
        return False
    digests = {account.digest for account in _chain(board, alarm.round)}
    return batch_digest(batch) in digests and any(a >= b for a, b in pairwise(batch))


def _forked(board: Board, alarm: Alarm) -> bool:
    """Whether an alarm's evidence proves equivocation: the board has signed two different logs.

    The evidence is a signed tree head, the board's signature over the whole log. For a proof, the
    evidence must differ from the signed tree head on the board for the same round.
    """
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
    """Any observer: yield the alarms for the errors in a round that follow from the board alone.

    number: the round. strategy: the strategy of the announced rule; None: decisions are not
    checked.
    """
    if unbalanced(board, number):
        yield Alarm(number, Cause.BALANCE)
    if unaccounted(board, number):
        yield Alarm(number, Cause.ACCOUNTS)
    last = number == len(board.tallies)
    if last and strategy is not None and misdecided(board, strategy):
        yield Alarm(number, Cause.DECISION)


def _chain(board: Board, number: int) -> list[Mixed]:
    """Return the numbers of messages that each shuffler of a round posted, in the mix's order."""
    hops = len(board.announcement.shufflers) if board.announcement else 0
    return board.mixed[max(number - 1, 0) * hops : max(number, 0) * hops]


def _tally(board: Board, number: int) -> Tally | None:
    """Return the counts that the curator or analyst posted in a round (its tally).

    None if there is no such round, or the tally is not posted yet. number: the round.
    """
    return board.tallies[number - 1] if 1 <= number <= len(board.tallies) else None

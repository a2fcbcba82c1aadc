"""Limits on small numbers of people: minimum batch, dropouts, unused tokens, other respondents.

Two releases about nearly the same people differ by a few people, so subtracting them reveals these
people's rows: the exact row of a single person; for ten people, 4 % of their values are certain. So
a second round is completed only if no user left in between, or if enough users did. Between
sessions, all counts are checked together (history/shuffler_history.py).
"""

from collections.abc import Sequence

from ...errors import RoundBurned

MIN_BATCH = 2  # default of the smallest number of users of a round


def check_rounds(earlier_counts: Sequence[int], now: int, min_dropout: int, rows: int = 1) -> None:
    """Any counting party: RoundBurned if too few users left since an earlier round.

    Subtracting two rounds exposes the people that left, if they are few. All earlier rounds count:
    the first and the third round also expose a person that left between the first and the second.

    earlier_counts: number of people in every earlier round of the same people, the first round
        first.
    now: number of people in this round.
    min_dropout: the smallest safe number of missing people.
    rows: ballots of each person to a query; if above 1, `earlier_counts` and `now` are ballots.
    """
    for back, people in enumerate(reversed(earlier_counts)):
        since = "an earlier round" if back else "the round before"
        if rows > 1:
            _check_ballots(people, now, min_dropout * rows if min_dropout > 1 else 1, since)
        else:
            check_dropout(people, now, min_dropout, since)


def _check_ballots(earlier_count: int, now: int, min_dropout: int, since: str) -> None:
    """Raise RoundBurned if the numbers of ballots in two rounds differ, but by too few.

    Ballots are compared, because only some of a person's ballots may be missing.

    now: ballots in this round. min_dropout: the smallest safe number of missing ballots. since:
    words for the earlier round in the message.
    """
    missing_ballots = abs(earlier_count - now)
    if too_few(missing_ballots, min_dropout):
        raise RoundBurned(
            f"{missing_ballots} of {earlier_count} ballots to a question are missing since "
            f"{since}: fewer than "
            f"{min_dropout} could be told apart by subtracting the two rounds"
        )


def check_dropout(
    earlier_count: int, now: int, min_dropout: int, since: str = "the round before"
) -> int:
    """Any counting party: return the number of missing people; RoundBurned if they are too few.

    Subtracting two rounds would expose the missing people.

    earlier_count, now: number of people in the earlier and in this round.
    min_dropout: the smallest safe number of missing people; 1 switches the rule off.
    since: words for the earlier round in the message.
    """
    missing = abs(earlier_count - now)
    if too_few(missing, min_dropout):
        raise RoundBurned(
            f"{missing} of {earlier_count} people are missing since {since}: fewer than "
            f"{min_dropout} "
            "could be told apart by subtracting the two rounds"
        )
    return missing


def too_few(people: int, minimum: int) -> bool:
    """Any party: whether two counts differ by too few people to be published.

    Subtracting the counts would expose these people.

    people: the difference of the counts. minimum: the smallest safe difference.
    """
    return 0 < people < minimum


def unspent(people: int, totals: Sequence[int], rows: int = 1) -> str:
    """Any party: return the reason not to count a round with tokens; "" if all tokens were spent.

    A token is a blind credential for one ballot. If ballots could be missing, a malicious shuffler
    would drop all but a few ballots, to isolate a user.

    people: the number of users with tokens. totals: the number of ballots with a token, by query.
    rows: the number of tokens of each user for each query.
    """
    for total in totals:
        if total != rows * people:
            each = "" if rows == 1 else f" ({rows} each to a question)"
            return f"{people} people were given tokens{each}, and {total} ballots came with one"
    return ""


def check_unspent(people: int, totals: Sequence[int], rows: int = 1) -> None:
    """Curator or analyst: RoundBurned unless the ballots of all users with tokens are counted."""
    if why := unspent(people, totals, rows):
        raise RoundBurned(why)


def check_envelopes(people: int, envelopes: int) -> None:
    """Curator or analyst: RoundBurned unless each user with tokens has an accepted envelope."""
    if people != envelopes:
        raise RoundBurned(
            f"{people} people were given tokens, and the envelopes of {envelopes} were accepted"
        )


def carried_over(promised: int, participants: int, k: int, now: int) -> int:
    """Any party: return the bound on exposed people if another number of people answers.

    A missing person can expose at most k - 1 other people of its cell (people with equal values).
    An additional person can at most be exposed itself.

    promised: the bound proved for `participants` people. now: the number of people that answer.
    """
    if now < participants:
        return min(now, promised + (participants - now) * max(k - 1, 0))
    return promised + now - participants


def check_batch_size(people: int, min_batch: int) -> None:
    """Any counting party: RoundBurned if fewer people took part than the minimum batch.

    A smaller batch would expose its users. Each party counts other messages. The first shuffler
    counts accepted envelopes (roles/shuffler.py), the curator or analyst counts users with tokens
    (roles/mint.py), every keyholder the accepted people in a round with a challenge (challenge.py),
    and peers each other (peers/accounting.py). An aggregator of shares makes its own check
    (shares.py).
    """
    if people < min_batch:
        raise RoundBurned(
            f"{people} people took part; the smallest batch that hides is {min_batch}"
        )

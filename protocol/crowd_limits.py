"""Limits on small numbers of people: minimum batch, dropout, unspent tokens, carried promises.

Two releases about nearly the same people differ by a few people: their difference is the rows of
these people (of one person, a certain row; of ten people, 4 % of the cells are certain). So a
second
round is completed only if no user left in between, or if enough users did. Between sessions all
counts are checked together (history.py).
"""

from collections.abc import Sequence

from ..errors import RoundBurned

MIN_BATCH = 2  # default of the smallest number of users; a round with fewer is burned


def check_rounds(before: Sequence[int], now: int, least: int, rows: int = 1) -> None:
    """Any counting party: RoundBurned if too few users left since an earlier round.

    before: number of people in every earlier round of the same people, the first round first. The
    first and the third round also expose a person that left between the first and the second.
    rows: ballots of each person to a query; if above 1, `before` and `now` are ballots.
    """
    for back, people in enumerate(reversed(before)):
        since = "an earlier round" if back else "the round before"
        if rows > 1:
            _check_ballots(people, now, least * rows if least > 1 else 1, since)
        else:
            check_dropout(people, now, least, since)


def _check_ballots(before: int, now: int, least: int, since: str) -> None:
    """Compare ballots: of a person with several rows a part may be missing."""
    lost = abs(before - now)
    if too_few(lost, least):
        raise RoundBurned(
            f"{lost} of {before} ballots to a question are missing since {since}: fewer than "
            f"{least} could be told apart by subtracting the two rounds"
        )


def check_dropout(before: int, now: int, least: int, since: str = "the round before") -> int:
    """Any counting party: return the number of missing people; RoundBurned if they are too few.

    before, now: number of people in the earlier and in this round. least: the smallest safe number
    of missing people; 1 switches the rule off. since: words for the earlier round in the message.
    """
    missing = abs(before - now)
    if too_few(missing, least):
        raise RoundBurned(
            f"{missing} of {before} people are missing since {since}: fewer than {least} "
            "could be told apart by subtracting the two rounds"
        )
    return missing


def too_few(people: int, least: int) -> bool:
    """Any party: whether the difference of two counts exposes people, as they are too few."""
    return 0 < people < least


def unspent(people: int, totals: Sequence[int], rows: int = 1) -> str:
    """Any party: return the reason not to count a round with tokens; "" if all were spent.

    people: number of users with tokens, `rows` for each query. totals: ballots with a token, by
    query. A shuffler that may drop users would drop all but a few, to isolate a user.
    """
    for total in totals:
        if total != rows * people:
            each = "" if rows == 1 else f" ({rows} each to a question)"
            return f"{people} people were given tokens{each}, and {total} ballots came with one"
    return ""


def check_unspent(people: int, totals: Sequence[int], rows: int = 1) -> None:
    """Reader: RoundBurned unless all users with tokens are counted."""
    if why := unspent(people, totals, rows):
        raise RoundBurned(why)


def check_envelopes(people: int, envelopes: int) -> None:
    """Reader: RoundBurned unless the number of accepted envelopes is that of users with tokens."""
    if people != envelopes:
        raise RoundBurned(
            f"{people} people were given tokens, and the envelopes of {envelopes} were accepted"
        )


def carried_over(promised: int, asked: int, k: int, now: int) -> int:
    """Any party: return the allowed number of exposed people if `now` of `asked` people answer.

    promised: the promise for `asked` people. A missing person can expose at most k - 1 other people
    of its cell; an additional person can at most be exposed itself.
    """
    if now < asked:
        return min(now, promised + (asked - now) * max(k - 1, 0))
    return promised + now - asked


def check_batch_size(people: int, least: int) -> None:
    """Any counting party: RoundBurned below the minimum batch, in which users would be exposed.

    The first shuffler counts accepted envelopes (roles/shuffler.py), the reader users with tokens
    (roles/mint.py), every keyholder the accepted people in a round with a challenge (challenge.py),
    peers each other (peers/accounting.py). An aggregator of shares counts the users that reached
    both aggregators, and has its own message (shares.py).
    """
    if people < least:
        raise RoundBurned(f"{people} people took part; the smallest batch that hides is {least}")

"""How few are too few: the minimum batch, the dropout rule, tokens unspent, promises carried over.

Two releases about nearly the same people differ by the few: subtract one from the other and their
rows are left (one missing person's row is certain; of ten people 4 % of the cells are).
So a second round is completed only if nobody left in between, or enough people did. Between
sessions all that was counted is looked at together (history.py).
"""

from collections.abc import Sequence

from ..errors import RoundBurned

MIN_BATCH = 2  # users without whom a round is burned, where nobody says otherwise


def check_rounds(before: Sequence[int], now: int, least: int) -> None:
    """Anybody who counts: RoundBurned if too few have left since any earlier round to hide.

    before: people in every earlier round of the same people, the first round first. Who left
    between the first and the second is told apart by the first and the third as well.
    """
    for back, people in enumerate(reversed(before)):
        check_dropout(people, now, least, "an earlier round" if back else "the round before")


def check_dropout(before: int, now: int, least: int, since: str = "the round before") -> int:
    """Anybody who counts: the number of people missing, or RoundBurned if they are too few to hide.

    before, now: people in the earlier and in this round. least: the smallest number of missing
    people among whom one can hide; 1 switches the rule off. since: what `before` is called.
    """
    missing = abs(before - now)
    if too_few(missing, least):
        raise RoundBurned(
            f"{missing} of {before} people are missing since {since}: fewer than {least} "
            "could be told apart by subtracting the two rounds"
        )
    return missing


def too_few(people: int, least: int) -> bool:
    """Anybody: whether so many people, who are in one of two counts, stand out."""
    return 0 < people < least


def unspent(people: int, totals: Sequence[int]) -> str:
    """Anybody: why a round is not counted in which tokens were given; "" if all were spent.

    people: who were given tokens, one a question. totals: ballots with a token, by question. A
    shuffler that could let some people go would choose those among whom it wants to see one.
    """
    for total in totals:
        if total != people:
            return f"{people} people were given tokens, and {total} ballots came with one"
    return ""


def check_unspent(people: int, totals: Sequence[int]) -> None:
    """Reader: RoundBurned unless everybody is counted who was given a token."""
    if why := unspent(people, totals):
        raise RoundBurned(why)


def check_envelopes(people: int, envelopes: int) -> None:
    """Reader: RoundBurned unless as many envelopes were accepted as people were given tokens."""
    if people != envelopes:
        raise RoundBurned(
            f"{people} people were given tokens, and the envelopes of {envelopes} were accepted"
        )


def carried_over(promised: int, asked: int, k: int, now: int) -> int:
    """Anybody: how many people a promise made for `asked` people allows to be exposed among `now`.

    Whoever is missing can expose the at most k - 1 others of its cell; whoever came besides can at
    most be exposed itself.
    """
    if now < asked:
        return min(now, promised + (asked - now) * max(k - 1, 0))
    return promised + now - asked


def check_batch_size(people: int, least: int) -> None:
    """Whoever counts people: RoundBurned below the minimum batch, in which nobody would be hidden.

    The first shuffler counts those whose envelopes it takes (roles/shuffler.py), the reader those
    who asked for tokens (roles/mint.py), everybody those who were accepted in a round with a
    challenge (challenge.py), peers each other (peers/accounting.py). An aggregator of shares, who
    counts those that reached both, has a sentence of its own (shares.py).
    """
    if people < least:
        raise RoundBurned(f"{people} people took part; the smallest batch that hides is {least}")

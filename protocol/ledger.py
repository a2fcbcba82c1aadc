"""What may still be released about the same people: the dropout rule.

Two releases about nearly the same people differ by the few: subtract one from the other and their
rows are left (ATTACKS: with one person missing the row is certain, with ten 4 % of the cells are).
So a second round is completed only if nobody left in between, or enough people did.
"""

from ..errors import RoundBurned


def check_dropout(before: int, now: int, least: int) -> int:
    """Anybody who counts: the number of people missing, or RoundBurned if they are too few to hide.

    before, now: people in the earlier and in this round. least: the smallest number of missing
    people among whom one can hide; 1 switches the rule off.
    """
    missing = abs(before - now)
    if 0 < missing < least:
        raise RoundBurned(
            f"{missing} of {before} people are missing since the round before: fewer than {least} "
            "could be told apart by subtracting the two rounds"
        )
    return missing


def check_batch_size(people: int, least: int) -> None:
    """First shuffler: RoundBurned below the minimum batch, in which nobody would be hidden."""
    if people < least:
        raise RoundBurned(f"{people} people took part; the smallest batch that hides is {least}")

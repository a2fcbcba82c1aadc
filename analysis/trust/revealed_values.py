"""Leakage of values that a coalition learns for each person, and of the counts beside them."""

from math import fsum, log

from .evidence import Crowd, Evidence, OpenCount, known_cell, projected
from .fiber import Nats, log_multinomial


def hidden_by_pools(evidence: Evidence) -> float:
    """Return an upper bound on the leakage (nats) that is hidden by pools of crowds.

    In a pool the coalition knows how many people are absent, not their identity. The leakage
    without pools is that of a coalition that knows the crowd of each person. Without this
    knowledge, the probability of the view, given the table, is the mean over all ways to deal a
    pool into its crowds: if it is positive, at least 1 divided by their number.
    """
    return fsum(
        log_multinomial(evidence.crowds[crowd].people for crowd in pool) for pool in evidence.pools
    )


def revealed_leakage(
    evidence: Evidence, counts: list[OpenCount]
) -> tuple[Nats, list[OpenCount], bool]:
    """Return the leakage of revealed values, the remaining counts, and if no information is lost.

    A column of a crowd is revealed if the coalition knows each person's value, though it is not
    recorded. A count with revealed columns is left out. If it also holds unrevealed values, its
    information about them is lost.
    """
    leakages = [
        _crowd_leakage(evidence, crowd, column)
        for crowd, about in enumerate(evidence.crowds)
        for column in about.revealed
    ]
    remaining: list[OpenCount] = []
    whole = True
    for count in counts:
        is_complete = [_says_no_more(evidence.crowds[crowd], count) for crowd in count.crowds]
        if any(
            evidence.crowds[crowd].revealed.intersection(count.columns) for crowd in count.crowds
        ):
            whole = whole and all(is_complete)
        else:
            remaining.append(count)
    return (
        Nats(fsum(nats.low for nats in leakages), fsum(nats.high for nats in leakages)),
        remaining,
        whole,
    )


def _says_no_more(about: Crowd, count: OpenCount) -> bool:
    """Whether all that a count implies about a crowd is revealed or known already."""
    places_left = [
        place for place, column in enumerate(count.columns) if column not in about.revealed
    ]
    rest = OpenCount(
        tuple(count.columns[place] for place in places_left),
        {},
        count.crowds,
        tuple(count.labels[place] for place in places_left) if count.labels else (),
    )
    return known_cell(about, rest) is not None


def _crowd_leakage(evidence: Evidence, crowd: int, column: int) -> Nats:
    """Return the leakage of a column's values if each value of a crowd is known: exact, or bounds.

    It is exact if a count of just this crowd has the column.
    """
    law = evidence.shares[column]
    for group in evidence.groups:
        if group.crowds == {crowd} and column in group.columns:
            single = projected(group.counts, [group.columns.index(column)])
            if all(0 <= value < len(law) for (value,) in single):
                return Nats.exactly(-fsum(n * log(law[value]) for (value,), n in single.items()))
    people, probabilities = evidence.crowds[crowd].people, [share for share in law if share]
    return Nats(-people * log(max(probabilities)), -people * log(min(probabilities)))

"""Leakage of values that a coalition knows for each person, though the run did not record them.

This leakage is computed apart from the posterior, and counts that include such values are left out.
"""

from math import fsum, log

from .evidence import Crowd, Evidence, OpenCount, known_cell, projected
from .fiber import Nats, log_multinomial


def hidden_by_pools(evidence: Evidence) -> float:
    """Return an upper bound on the leakage (nats) that pools hide: the log of the ways to deal.

    The evidence is the statements that a coalition's view implies; a crowd is the people with equal
    evidence. In a pool of crowds the coalition knows how many people did not submit, but not their
    names. The posterior is then the average, over all ways to deal the pool's people into its
    crowds, of the posteriors of a coalition that knows every person's crowd. An average over a
    number of ways has a leakage at most log(ways) below the mean leakage of its parts.
    """
    return fsum(
        log_multinomial(evidence.crowds[crowd].people for crowd in pool) for pool in evidence.pools
    )


def revealed_leakage(
    evidence: Evidence, counts: list[OpenCount]
) -> tuple[Nats, list[OpenCount], bool]:
    """Return the leakage of revealed values, the remaining counts, and whether all counts are used.

    A column of a crowd (people with equal evidence) is revealed if the coalition knows each
    person's value, though it is not recorded. A count with revealed columns is left out. If the
    count also has values that are not revealed, its information about them is lost. The last result
    is then False.

    counts: the counts of the evidence, reduced to people of unknown cells by `simplified`.
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
    """Whether a count adds no information about a crowd to revealed and known values.

    about: the crowd, people with equal evidence.
    """
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
    """Return the leakage of the values of a crowd in a column that the coalition knows.

    A crowd is the people with equal evidence. The leakage is exact if the evidence has a count of
    exactly these people with this column. Otherwise the likeliest and the least likely value give a
    lower and an upper bound.
    """
    law = evidence.shares[column]
    for group in evidence.groups:
        if group.crowds == {crowd} and column in group.columns:
            single = projected(group.counts, [group.columns.index(column)])
            if all(0 <= value < len(law) for (value,) in single):
                return Nats.exactly(-fsum(n * log(law[value]) for (value,), n in single.items()))
    people, probabilities = evidence.crowds[crowd].people, [share for share in law if share]
    return Nats(-people * log(max(probabilities)), -people * log(min(probabilities)))

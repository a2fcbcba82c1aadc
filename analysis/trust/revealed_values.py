"""What is revealed of people one by one: what it tells, and what counts say beside it."""

from math import fsum, log

from .evidence import Count, Crowd, Evidence, known_cell, projected
from .fiber import Nats, log_multinomial


def hidden_by_pools(evidence: Evidence) -> float:
    """The most (nats) that is lost by who cannot say who of a pool is in which crowd.

    What was seen would tell `told` of somebody who saw who is where. The chance of it, given the
    table, is the mean over all ways to deal the pool into its crowds, so one of their number at
    least where it is not nothing.
    """
    return fsum(
        log_multinomial(evidence.crowds[crowd].people for crowd in pool) for pool in evidence.pools
    )


def told_by_revealed(evidence: Evidence, counts: list[Count]) -> tuple[Nats, list[Count], bool]:
    """What is revealed and not recorded tells, the counts that are left, and if they are all.

    A count that also holds people who are not revealed says something of these, which is left out.
    """
    told = [
        _told(evidence, crowd, column)
        for crowd, about in enumerate(evidence.crowds)
        for column in about.revealed
    ]
    left: list[Count] = []
    whole = True
    for count in counts:
        shown = [_says_no_more(evidence.crowds[crowd], count) for crowd in count.crowds]
        if any(
            evidence.crowds[crowd].revealed.intersection(count.columns) for crowd in count.crowds
        ):
            whole = whole and all(shown)
        else:
            left.append(count)
    return Nats(fsum(nats.low for nats in told), fsum(nats.high for nats in told)), left, whole


def _says_no_more(about: Crowd, count: Count) -> bool:
    """Whether all that a count says of a crowd is revealed, or known."""
    left = [place for place, column in enumerate(count.columns) if column not in about.revealed]
    rest = Count(
        tuple(count.columns[place] for place in left),
        {},
        count.crowds,
        tuple(count.labels[place] for place in left) if count.labels else (),
    )
    return known_cell(about, rest) is not None


def _told(evidence: Evidence, crowd: int, column: int) -> Nats:
    """What the values of a crowd in one column tell, each person's being known."""
    law = evidence.shares[column]
    for group in evidence.groups:
        if group.crowds == {crowd} and column in group.columns:
            single = projected(group.counts, [group.columns.index(column)])
            if all(0 <= value < len(law) for (value,) in single):
                return Nats.known(-fsum(n * log(law[value]) for (value,), n in single.items()))
    people, held = evidence.crowds[crowd].people, [share for share in law if share]
    return Nats(-people * log(max(held)), -people * log(min(held)))

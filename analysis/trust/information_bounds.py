"""What is told at least, where the posterior is not worked out, or only by sampling.

What follows from a part of what is known is a lower bound: the chance of all of it is at most the
chance of the part. Only what follows from people's values counts: how coins fell says nothing.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import exp, fsum, inf, log

from .closed_forms import alike, law_of
from .count_trees import log_of_tree, tree_of
from .covered_counts import tells_coins
from .evidence import Cell, Component, Count, Evidence, projected
from .fiber import Nats, Posterior, log_multinomial, log_prior


def told_at_least(posterior: Posterior, evidence: Evidence, component: Component) -> Posterior:
    """The same, told at least what follows from people's values alone."""
    low, high = posterior.told.low, posterior.told.high
    if low == high:
        return posterior
    return replace(
        posterior, told=Nats(min(max(low, -most_likely_part(evidence, component)), high), high)
    )


def partial_posteriors(evidence: Evidence, component: Component) -> list[Posterior]:
    """The posterior of a coalition that makes nothing of some of what it knows."""
    posteriors: list[Posterior] = []
    none = Nats.known(0.0)
    chosen = _disjoint(component.counts)
    for crowd, columns in component.columns.items():
        about = evidence.crowds[crowd]
        known = {column: value for column, value in about.known if column in columns}
        free = set(columns) - set(known)
        for column, value in known.items():
            certain: dict[Cell, float] = {(value,): 1.0}
            posteriors.append(
                Posterior({crowd: (column,)}, {crowd: certain}, Nats.known(0.0), exact=False)
            )
        for count in chosen:
            here = tuple(c for c in count.columns if c in free)
            if crowd in count.crowds and here:
                places = [count.columns.index(column) for column in here]
                alone = replace(count, crowds={crowd})
                whole = alike(evidence, {crowd: count.columns}, alone).shares[crowd]
                shares: dict[Cell, float] = {}
                for cell, share in whole.items():
                    key = tuple(cell[place] for place in places)
                    shares[key] = shares.get(key, 0.0) + share
                posteriors.append(
                    Posterior({crowd: here}, {crowd: shares}, Nats.known(0.0), exact=False)
                )
                free -= set(here)
        for column in free:
            law = law_of(evidence, column)
            posteriors.append(Posterior({crowd: (column,)}, {crowd: law}, none, exact=False))
    least = Posterior({}, {}, Nats(-most_likely_part(evidence, component), inf), exact=False)
    return [*posteriors, least]


def most_likely_part(evidence: Evidence, component: Component) -> float:
    """The most that the log probability of a component can be: of a part of what is known.

    Only of what follows from people's values: how coins fell says nothing of them.
    """
    uncoined = (_uncoined(evidence, count) for count in component.counts)
    counts = [count for count in uncoined if count]
    pinned = fsum(
        evidence.crowds[crowd].people * log(evidence.shares[column][value])
        for crowd, columns in component.columns.items()
        for column, state in evidence.crowds[crowd].known
        if column in columns
        for (value,) in [evidence.held((column,), (state,))]
    )
    counted = fsum(_log_of_counts(evidence, count) for count in _disjoint(counts))
    allowed = fsum(
        evidence.crowds[crowd].people * _least_allowed(evidence, crowd)
        for crowd in component.columns
    )
    same = max(counts, key=lambda count: len(count.columns), default=None)
    alike = [count for count in counts if same and count.crowds == same.crowds]
    plain = [count for count in alike if not count.labels]
    together = log_of_tree(evidence, tree_of(plain)) if plain else 0.0
    return min(pinned, counted, allowed, together, 0.0)


def _uncoined(evidence: Evidence, count: Count) -> Count | None:
    """A count without the columns in which it also counts how coins fell; None if none is left."""
    kept = [place for place in range(len(count.columns)) if not tells_coins(evidence, count, place)]
    if not kept:
        return None
    columns = tuple(count.columns[place] for place in kept)
    labels = tuple(count.labels[place] for place in kept) if count.labels else ()
    return Count(columns, projected(count.left, kept), count.crowds, labels)


def _log_of_counts(evidence: Evidence, count: Count) -> float:
    """Log prior probability of one count."""
    logs = [log_multinomial(count.left.values())]
    for cell, number in count.left.items():
        for place, label in enumerate(cell):
            law = evidence.laws[count.columns[place]]
            share = fsum(p for state, p in enumerate(law) if count.label(place, state) == label)
            logs.append(number * log(share))
    return fsum(logs)


def _least_allowed(evidence: Evidence, crowd: int) -> float:
    """Log prior probability of the narrowest thing that is known to be allowed to a person."""
    shares = [
        fsum(
            exp(log_prior(evidence.shares, some.columns, cell))
            for cell in {evidence.held(some.columns, cell) for cell in some.cells}
        )
        for some in evidence.crowds[crowd].allowed
    ]
    return min((log(min(share, 1.0)) for share in shares if share), default=0.0)


def _disjoint(counts: Sequence[Count]) -> list[Count]:
    """Counts that share no column of a crowd, the widest first."""
    chosen: list[Count] = []
    for count in sorted(counts, key=lambda count: (-len(count.columns), -len(count.crowds))):
        if not any(
            set(count.columns) & set(other.columns) and count.crowds & other.crowds
            for other in chosen
        ):
            chosen.append(count)
    return chosen

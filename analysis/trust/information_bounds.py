"""Lower bounds on the leakage, if the posterior is not computed or only sampled.

The leakage is -log of the prior probability of the evidence. This probability is at most that of a
part of the evidence, so each part gives a lower bound. Only statements that depend on people's
values are used. Random suppression (a cover) is left out, because it does not depend on the values.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import exp, fsum, inf, log

from .closed_forms import law_of, single_count_posterior
from .count_trees import log_of_tree, tree_of
from .covered_counts import counts_coins
from .evidence import Cell, Component, Evidence, OpenCount, projected
from .fiber import CrowdPosterior, Nats, log_multinomial, log_prior


def bound_leakage(
    posterior: CrowdPosterior, evidence: Evidence, component: Component
) -> CrowdPosterior:
    """Return the posterior with a better lower bound of its leakage, if the leakage is not exact.

    The lower bound comes from a part of the evidence that shows no random suppressions.

    component: the part of the evidence that the posterior is about.
    """
    low, high = posterior.leakage.low, posterior.leakage.high
    if low == high:
        return posterior
    return replace(
        posterior, leakage=Nats(min(max(low, -likeliest_part(evidence, component)), high), high)
    )


def partial_posteriors(evidence: Evidence, component: Component) -> list[CrowdPosterior]:
    """Return posteriors of people for a component that is too large, from a part of its evidence.

    A component is an independent part of the evidence. The last entry is about no people and has
    only a lower bound of the leakage.
    """
    posteriors: list[CrowdPosterior] = []
    no_leakage = Nats.exactly(0.0)
    disjoint_counts = _disjoint(component.counts)
    for crowd, columns in component.columns.items():
        about = evidence.crowds[crowd]
        known_values = {column: value for column, value in about.known_values if column in columns}
        free = set(columns) - set(known_values)
        for column, value in known_values.items():
            certain: dict[Cell, float] = {(value,): 1.0}
            posteriors.append(
                CrowdPosterior({crowd: (column,)}, {crowd: certain}, Nats.exactly(0.0), exact=False)
            )
        for count in disjoint_counts:
            free_columns = tuple(c for c in count.columns if c in free)
            if crowd in count.crowds and free_columns:
                places = [count.columns.index(column) for column in free_columns]
                single_crowd_count = replace(count, crowds={crowd})
                whole = single_count_posterior(
                    evidence, {crowd: count.columns}, single_crowd_count
                ).shares[crowd]
                shares: dict[Cell, float] = {}
                for cell, share in whole.items():
                    key = tuple(cell[place] for place in places)
                    shares[key] = shares.get(key, 0.0) + share
                posteriors.append(
                    CrowdPosterior(
                        {crowd: free_columns}, {crowd: shares}, Nats.exactly(0.0), exact=False
                    )
                )
                free -= set(free_columns)
        for column in free:
            law = law_of(evidence, column)
            posteriors.append(
                CrowdPosterior({crowd: (column,)}, {crowd: law}, no_leakage, exact=False)
            )
    lower_bound = CrowdPosterior(
        {}, {}, Nats(-likeliest_part(evidence, component), inf), exact=False
    )
    return [*posteriors, lower_bound]


def likeliest_part(evidence: Evidence, component: Component) -> float:
    """Return an upper bound on the log probability (nats) of a component of the evidence.

    A component is an independent part of the evidence. The bound is the log probability of one of
    its statements, or of several disjoint statements. Columns that show random suppressions are
    left out, because these reveal no value.
    """
    uncoined = (_uncoined(evidence, count) for count in component.counts)
    counts = [count for count in uncoined if count]
    pinned = fsum(
        evidence.crowds[crowd].people * log(evidence.shares[column][value])
        for crowd, columns in component.columns.items()
        for column, state in evidence.crowds[crowd].known_values
        if column in columns
        for (value,) in [evidence.state_values((column,), (state,))]
    )
    count_bound = fsum(_log_of_counts(evidence, count) for count in _disjoint(counts))
    allowed_bound = fsum(
        evidence.crowds[crowd].people * _log_allowed(evidence, crowd) for crowd in component.columns
    )
    widest = max(counts, key=lambda count: len(count.columns), default=None)
    same_crowds = [count for count in counts if widest and count.crowds == widest.crowds]
    plain = [count for count in same_crowds if not count.labels]
    tree_bound = log_of_tree(evidence, tree_of(plain)) if plain else 0.0
    return min(pinned, count_bound, allowed_bound, tree_bound, 0.0)


def _uncoined(evidence: Evidence, count: OpenCount) -> OpenCount | None:
    """Return a count without the columns that show random suppressions; None if no column is left.

    A random suppression (cover) hides which values must be suppressed, and reveals no value.
    """
    kept_places = [
        place for place in range(len(count.columns)) if not counts_coins(evidence, count, place)
    ]
    if not kept_places:
        return None
    columns = tuple(count.columns[place] for place in kept_places)
    labels = tuple(count.labels[place] for place in kept_places) if count.labels else ()
    return OpenCount(columns, projected(count.unexplained, kept_places), count.crowds, labels)


def _log_of_counts(evidence: Evidence, count: OpenCount) -> float:
    """Return the log prior probability (nats) that people have the counted numbers of each cell."""
    logs = [log_multinomial(count.unexplained.values())]
    for cell, number in count.unexplained.items():
        for place, label in enumerate(cell):
            law = evidence.laws[count.columns[place]]
            share = fsum(p for state, p in enumerate(law) if count.label(place, state) == label)
            logs.append(number * log(share))
    return fsum(logs)


def _log_allowed(evidence: Evidence, crowd: int) -> float:
    """Return the log prior probability (nats) of the narrowest list of cells allowed to a person.

    The result is 0.0 if the evidence has no such list.

    crowd: people with equal evidence, by number.
    """
    shares = [
        fsum(
            exp(log_prior(evidence.shares, allowed_cells.columns, cell))
            for cell in {
                evidence.state_values(allowed_cells.columns, cell) for cell in allowed_cells.cells
            }
        )
        for allowed_cells in evidence.crowds[crowd].allowed
    ]
    return min((log(min(share, 1.0)) for share in shares if share), default=0.0)


def _disjoint(counts: Sequence[OpenCount]) -> list[OpenCount]:
    """Choose counts so that no two of them include the same column of the same people.

    Counts of many columns are chosen first.
    """
    disjoint_counts: list[OpenCount] = []
    for count in sorted(counts, key=lambda count: (-len(count.columns), -len(count.crowds))):
        if not any(
            set(count.columns) & set(chosen_count.columns) and count.crowds & chosen_count.crowds
            for chosen_count in disjoint_counts
        ):
            disjoint_counts.append(count)
    return disjoint_counts

"""Inference: the posterior of people's rows, given all evidence of a coalition.

    P(row of a person | evidence) = sum of P(table) over the consistent tables with that row
                                    / sum of P(table) over all consistent tables

The evidence is cut into components, independent parts that no statement connects. A component with
a single count is solved in closed form (closed_forms.py). Let m people be counted in it, c(x) of
them in cell x, which has prior probability p(x). Its people are alike, so each is in cell x with
probability c(x) / m, and

    P(evidence) = m! prod_x p(x)^c(x) / c(x)!

Counts that form a tree (a decomposable model) have a closed form too (count_trees.py). Any other
component with several counts is solved by listing its tables (fiber.py), or, if they are too many,
by a random walk through them (fiber_sampling.py). If even that is too much, statements are left out
until a closed form remains: the leakage reported is then a lower bound (information_bounds.py).
best_guesses.py computes figures about single people from the posterior.
"""

from math import fsum, inf

from ...errors import ParameterError
from .best_guesses import Method, PersonPosteriors
from .closed_forms import alone_posterior, decomposed, restricted, single_count_posterior
from .covered_counts import covered
from .evidence import Component, Evidence, components, simplified
from .fiber import CrowdPosterior, Fibre, Nats, NoTable, TooManyTables, enumerated, fibre
from .information_bounds import bound_leakage, likeliest_part, partial_posteriors
from .revealed_values import hidden_by_pools, revealed_leakage

# Most cells of a fiber (the set of consistent tables) that is sampled; for a larger fiber only
# bounds are computed.
MOST_SAMPLED = 512


def infer(evidence: Evidence) -> PersonPosteriors:
    """Compute the posterior of every person's row, and the leakage, from a coalition's evidence.

    Raises:
        ParameterError: no table is consistent with the evidence.
    """
    revealed, counts, whole = revealed_leakage(evidence, simplified(evidence))
    posteriors: list[CrowdPosterior] = []
    for component in components(evidence, counts):
        posteriors += _solved(evidence, component)
    method = Method.EXACT
    if not whole or not all(posterior.exact for posterior in posteriors):
        bounded = not whole or any(
            not posterior.exact and not posterior.sampled for posterior in posteriors
        )
        method = Method.BOUNDED if bounded else Method.SAMPLED
    leakages = [revealed, *(posterior.leakage for posterior in posteriors)]
    low = max(fsum(nats.low for nats in leakages) - hidden_by_pools(evidence), 0.0)
    high = fsum(nats.high for nats in leakages) if whole else inf
    return PersonPosteriors(evidence, tuple(posteriors), Nats(low, max(low, high)), method)


def _solved(evidence: Evidence, component: Component) -> list[CrowdPosterior]:
    """Return the posteriors of a component, an independent part of the evidence.

    The posteriors are exact if the component has a closed form, or if its tables can be listed.

    Raises:
        ParameterError: no table is consistent with the evidence.
    """
    if not component.counts:
        single = alone_posterior(evidence, component)
        return [single] if single else partial_posteriors(evidence, component)
    (first, *more) = component.counts
    plain = not more and all(
        set(columns) == set(first.columns) and not restricted(evidence.crowds[crowd], columns)
        for crowd, columns in component.columns.items()
    )
    if plain:
        return [
            bound_leakage(
                single_count_posterior(evidence, component.columns, first), evidence, component
            )
        ]
    if more and (joined := decomposed(evidence, component)) is not None:
        return [joined]
    if more and not _known_of_some(evidence, component):
        cover_solution = covered(evidence, component)
        if cover_solution is not None:
            return [bound_leakage(cover_solution, evidence, component)]
    tables = fibre(evidence, component)
    if tables is None:
        return partial_posteriors(evidence, component)
    try:
        return [_listed_or_sampled(evidence, component, tables)]
    except TooManyTables:
        return partial_posteriors(evidence, component)
    except NoTable:
        raise ParameterError(
            "the evidence is contradictory: no table is consistent with it"
        ) from None


def _listed_or_sampled(evidence: Evidence, component: Component, tables: Fibre) -> CrowdPosterior:
    """Return a component's posterior by listing its tables, or by sampling if they are too many.

    A component is an independent part of the evidence. tables: the sums that its tables must meet.

    Raises:
        TooManyTables: the cells are too many to be sampled.
        NoTable: no table is consistent.
    """
    try:
        return enumerated(tables, component.columns, evidence)
    except TooManyTables:
        if len(tables.cells) > MOST_SAMPLED:
            raise
    from .fiber_sampling import sampled

    return sampled(tables, component.columns, Nats(-likeliest_part(evidence, component), inf))


def _known_of_some(evidence: Evidence, component: Component) -> bool:
    """Whether a component has evidence other than counts: known values, or lists of allowed cells.

    A component is an independent part of the evidence.
    """
    return any(
        restricted(evidence.crowds[crowd], columns) for crowd, columns in component.columns.items()
    )

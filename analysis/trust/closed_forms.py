"""Posteriors in closed form, for people in a simple part of the evidence.

There are formulas for people in a single count, in no count, or in several counts that form a tree
(a decomposable model, see count_trees.py).
"""

from collections.abc import Sequence
from math import exp, fsum, log

from ...errors import ParameterError
from .count_trees import joined, log_of_tree, tree_of
from .covered_counts import covered
from .evidence import Cell, Component, Crowd, Evidence, OpenCount
from .fiber import CrowdPosterior, Nats, log_multinomial, log_prior, possible

# Most cells of the joint table over all columns of several counts (of a decomposable model); with
# more cells the closed form is not used.
MOST_JOINED = 1 << 20


def restricted(about: Crowd, columns: Sequence[int]) -> bool:
    """Whether a crowd has known values or a list of allowed cells in one of these columns.

    about: the crowd, people with equal evidence in the coalition's view.
    """
    known_columns = {column for column, _ in about.known_values}
    restricted_columns = {
        column for allowed_cells in about.allowed for column in allowed_cells.columns
    }
    return bool((known_columns | restricted_columns).intersection(columns))


def single_count_posterior(
    evidence: Evidence, columns: dict[int, tuple[int, ...]], count: OpenCount
) -> CrowdPosterior:
    """Return the posterior of people if a single count is the only evidence about them.

    A count may include people by the label that they report, such as "suppressed". Several states
    (a value, reported or suppressed) may have that label. The posterior divides the people with the
    label among these states in proportion to the prior.

    columns: for each crowd (people with equal evidence), its columns.
    """
    if count.labels:
        posterior = covered(evidence, Component(columns, [count]))
        if posterior is None:
            raise AssertionError("a single count always has a closed form")
        return posterior
    people = sum(count.unexplained.values())
    order = next(iter(columns.values()))
    places = [count.columns.index(column) for column in order]
    cells = {tuple(cell[p] for p in places): number for cell, number in count.unexplained.items()}
    shares = {cell: number / people for cell, number in cells.items()}
    logs = fsum(n * log_prior(evidence.laws, order, cell) for cell, n in cells.items())
    leakage = Nats.exactly(max(-log_multinomial(cells.values()) - logs, 0.0))
    return CrowdPosterior(columns, dict.fromkeys(columns, shares), leakage)


def decomposed(evidence: Evidence, component: Component) -> CrowdPosterior | None:
    """Return the posterior of people in several counts that form a tree (a decomposable model).

    None if the counts form no tree, or have too many cells. All counts must be of the same crowds
    (people with equal evidence), of values and not of labels such as "suppressed". There must be no
    other statement about these people. Let C be the cliques (column sets) and S the separators
    (shared columns) of the tree, and n_C and n_S the counts in their cells, of n people (Sundberg
    1975). With inner products over cells,

        tables = n! prod_S prod n_S! / prod_C prod n_C!,    share(x) = prod_C n_C / prod_S n_S / n

    are the number of consistent tables, and the posterior probability of cell x for a person.
    """
    crowds = component.counts[0].crowds
    if any(count.labels or count.crowds != crowds for count in component.counts) or any(
        restricted(evidence.crowds[crowd], columns) for crowd, columns in component.columns.items()
    ):
        return None
    tree = tree_of(component.counts)
    if len(tree) < len(component.counts):
        return None
    logs = log_of_tree(evidence, tree)
    (first, _), *rest = tree
    people = sum(first.unexplained.values())
    first_columns: tuple[int, ...] = first.columns
    shares: dict[Cell, float] = {cell: n / people for cell, n in first.unexplained.items()}
    for count, shared in rest:
        shares = joined(shares, first_columns, count, shared)
        first_columns += tuple(column for column in count.columns if column not in shared)
        if len(shares) > MOST_JOINED:
            return None
    order = next(iter(component.columns.values()))
    places = [first_columns.index(column) for column in order]
    sorted_ = {tuple(cell[place] for place in places): share for cell, share in shares.items()}
    leakage = Nats.exactly(max(-logs, 0.0))
    return CrowdPosterior(component.columns, dict.fromkeys(component.columns, sorted_), leakage)


def alone_posterior(evidence: Evidence, component: Component) -> CrowdPosterior | None:
    """Return the posterior of people in no count: the prior, cut down to the allowed cells.

    The people are a crowd: the evidence about each of them is equal. None if there are too many
    cells.

    component: an independent part of the evidence, with a single crowd.

    Raises:
        ParameterError: no allowed cell is possible.
    """
    ((crowd, columns),) = component.columns.items()
    about = evidence.crowds[crowd]
    if len(columns) == 1 and not restricted(about, columns):
        return CrowdPosterior(
            component.columns, {crowd: law_of(evidence, columns[0])}, Nats.exactly(0.0)
        )
    cells = possible(evidence, component, crowd, columns, 1 << 20)
    if cells is None:
        return None
    if not cells:
        raise ParameterError(f"crowd {crowd}: each of its allowed cells has probability 0")
    prior_shares = {cell: exp(log_prior(evidence.laws, columns, cell)) for cell in cells}
    whole = fsum(prior_shares.values())
    shares = {cell: share / whole for cell, share in prior_shares.items()}
    if len(shares) == 1:
        shares = dict.fromkeys(shares, 1.0)
    leakage = -log(whole)
    # Whether a value is suppressed at random reveals nothing about the value. So the leakage
    # compares the posterior of the values alone, not of values and suppressions, with the prior.
    if evidence.coined.intersection(columns):
        leakage = _divergence(evidence, columns, shares)
    return CrowdPosterior(
        component.columns, {crowd: shares}, Nats.exactly(max(about.people * leakage, 0.0))
    )


def _divergence(evidence: Evidence, columns: tuple[int, ...], shares: dict[Cell, float]) -> float:
    """Return the divergence (nats) of the posterior of one person's values from the prior.

    shares: posterior probability of each cell of states (values, reported or suppressed).
    """
    value_shares: dict[Cell, float] = {}
    for cell, share in shares.items():
        values = evidence.state_values(columns, cell)
        value_shares[values] = value_shares.get(values, 0.0) + share
    prior_laws = evidence.shares
    return fsum(
        p * (log(p) - log_prior(prior_laws, columns, cell)) for cell, p in value_shares.items() if p
    )


def law_of(evidence: Evidence, column: int) -> dict[Cell, float]:
    """Return the prior share of each value of a column, without zeros."""
    return {(value,): share for value, share in enumerate(evidence.laws[column]) if share}

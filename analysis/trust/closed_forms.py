"""Posteriors in closed form: people of whom one count is known, a tree of counts, or no count."""

from collections.abc import Sequence
from math import exp, fsum, log

from ...errors import ParameterError
from .count_trees import joined, log_of_tree, tree_of
from .covered_counts import covered
from .evidence import Cell, Component, Count, Crowd, Evidence
from .fiber import Nats, Posterior, log_multinomial, log_prior, possible

MOST_JOINED = 1 << 20  # cells of counts that hang together


def restricted(about: Crowd, columns: Sequence[int]) -> bool:
    """Whether anything is known of people of a crowd in one of these columns beside counts."""
    known = {column for column, _ in about.known}
    allowed = {column for some in about.allowed for column in some.columns}
    return bool((known | allowed).intersection(columns))


def alike(evidence: Evidence, columns: dict[int, tuple[int, ...]], count: Count) -> Posterior:
    """People of whom only the counts are known.

    Where labels were counted, the states behind one are as likely as they were before.
    """
    if count.labels:
        posterior = covered(evidence, Component(columns, [count]))
        if posterior is None:
            raise AssertionError("one count by itself has a closed form")
        return posterior
    people = sum(count.left.values())
    order = next(iter(columns.values()))
    places = [count.columns.index(column) for column in order]
    cells = {tuple(cell[p] for p in places): number for cell, number in count.left.items()}
    shares = {cell: number / people for cell, number in cells.items()}
    logs = fsum(n * log_prior(evidence.laws, order, cell) for cell, n in cells.items())
    told = Nats.known(max(-log_multinomial(cells.values()) - logs, 0.0))
    return Posterior(columns, dict.fromkeys(columns, shares), told)


def decomposed(evidence: Evidence, component: Component) -> Posterior | None:
    """People alike, of whom counts are known that hang together like a tree; None if not so.

    With cliques C and separators S of the tree (Sundberg 1975), given their counts,

        tables = n! prod_S prod n_S! / prod_C prod n_C!,    share(x) = prod_C n_C / prod_S n_S / n.
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
    people = sum(first.left.values())
    held: tuple[int, ...] = first.columns
    shares: dict[Cell, float] = {cell: n / people for cell, n in first.left.items()}
    for count, shared in rest:
        shares = joined(shares, held, count, shared)
        held += tuple(column for column in count.columns if column not in shared)
        if len(shares) > MOST_JOINED:
            return None
    order = next(iter(component.columns.values()))
    places = [held.index(column) for column in order]
    sorted_ = {tuple(cell[place] for place in places): share for cell, share in shares.items()}
    told = Nats.known(max(-logs, 0.0))
    return Posterior(component.columns, dict.fromkeys(component.columns, sorted_), told)


def alone_posterior(evidence: Evidence, component: Component) -> Posterior | None:
    """People who were not counted: the prior, cut down to what is allowed. None: too many cells."""
    ((crowd, columns),) = component.columns.items()
    about = evidence.crowds[crowd]
    if len(columns) == 1 and not restricted(about, columns):
        return Posterior(component.columns, {crowd: law_of(evidence, columns[0])}, Nats.known(0.0))
    cells = possible(evidence, component, crowd, columns, 1 << 20)
    if cells is None:
        return None
    if not cells:
        raise ParameterError(f"crowd {crowd}: nothing is allowed that is possible")
    before = {cell: exp(log_prior(evidence.laws, columns, cell)) for cell in cells}
    whole = fsum(before.values())
    shares = {cell: share / whole for cell, share in before.items()}
    if len(shares) == 1:
        shares = dict.fromkeys(shares, 1.0)
    told = -log(whole)
    if evidence.coined.intersection(columns):  # how a coin fell is not told of the person
        told = _divergence(evidence, columns, shares)
    return Posterior(component.columns, {crowd: shares}, Nats.known(max(about.people * told, 0.0)))


def _divergence(evidence: Evidence, columns: tuple[int, ...], shares: dict[Cell, float]) -> float:
    """Of the values of one person: the divergence of these shares of states from the prior."""
    held: dict[Cell, float] = {}
    for cell, share in shares.items():
        values = evidence.held(columns, cell)
        held[values] = held.get(values, 0.0) + share
    before = evidence.shares
    return fsum(p * (log(p) - log_prior(before, columns, cell)) for cell, p in held.items() if p)


def law_of(evidence: Evidence, column: int) -> dict[Cell, float]:
    """The prior shares of a column, those that are not nothing."""
    return {(value,): share for value, share in enumerate(evidence.laws[column]) if share}

"""Exposure at every k: what is true of the release, what can be promised of it, and the worst case.

    truth              people of the release in a crowd smaller than k, a step function of k
    printed            the smaller of Theorems 2 and 3 of paper 000
    refined, coverage  the sharper bounds (composition.py)
    worst case         the most that any table with these marginals exposes, or a bracket around it
    promised           what was decided by, at the run's own k: no curve, since the default rule
                       takes a linear program for each k

Where nothing was released the curves are those of all columns together: what was not released.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...analysis.exposure import ExposureCurve, exposure_curve, joint_counts
from ..programs.evidence import NoGround
from ..programs.two_round.rules import statistical
from ..records.result_file import Run
from ..verification.evidence import Evidence
from ..verification.population import people as recollected
from .column_sets import Choices, counts_as_decided

RULES = ("printed", "refined", "coverage")
STATISTICAL = ("refined", "coverage")  # for people nobody has counted the printed ones say nothing
POINTS = 60  # values of k, from 2 to all people, in equal steps of their logarithm
WORST = 7  # of them at which the worst case is sought
# The search for each, where the caller sets no limit: up to 3 s of processor time.
NODES, CELLS = 20, 40  # of every search tree; of the table, after rare values are merged


@dataclass(frozen=True, slots=True)
class Worst:
    """The worst table at k: it exposes at least `found` people and at most `proven`.

    Attributes:
        k: the smallest crowd in which nobody is exposed.
        found: people, at least.
        proven: people, at most.
    """

    k: int
    found: int
    proven: int


@dataclass(frozen=True, slots=True)
class Curves:
    """People exposed at each of `ks`, of `people`, by each rule; and what is true of `counted`.

    Attributes:
        columns: those the curves are of.
        released: whether these columns were.
        k: that was asked for.
        people: who are promised something.
        ks: ascending.
        bounds: by rule, people at each of `ks`.
        truth: None where it cannot be known from the run.
        worst: at some of `ks`.
        promised: rule and people of the decision, at `k`; None where the curves are of columns that
            were not released.
    """

    columns: tuple[str, ...]
    released: bool
    k: int
    people: int
    ks: tuple[int, ...]
    bounds: dict[str, tuple[int, ...]]
    truth: ExposureCurve | None
    worst: tuple[Worst, ...]
    promised: tuple[str, int] | None = None


def curves(run: Run, sets: Choices | None, nodes: int | None = None) -> Curves | None:
    """Work out the curves of a run; None where no marginals were read.

    sets: of this run. nodes: of each search tree for the worst cases at several k; 0: none are
    sought; None: as `NODES` and `CELLS` say.
    """
    decision = run.result.decision
    if sets is None or decision is None:
        return None
    try:
        schema = Evidence(run, None).schema
    except NoGround:
        return None
    names = list(run.result.features)
    released = run.result.release is not None
    chosen = [name for name in names if not released or name in decision.kept]
    everything, _ = counts_as_decided(run, schema)
    counts = [everything[names.index(name)] for name in chosen]
    people = decision.certificate.n
    ks = grid(people, decision.k)
    rules = RULES if _fixed(run) else STATISTICAL
    bounds = {rule: tuple(_bounds(run, rule, counts, ks, people, schema)) for rule in rules}
    worst = tuple(_worst(run, counts, ks, decision.k, nodes, released=released))
    truth = _truth(run, [names.index(name) for name in chosen])
    proof = decision.certificate
    promised = (proof.rule, int(proof.people)) if released else None
    return Curves(tuple(chosen), released, decision.k, people, ks, bounds, truth, worst, promised)


def grid(people: int, k: int) -> tuple[int, ...]:
    """Whole numbers from 2 to all people, about evenly spaced in their logarithm, k among them."""
    top = max(people, 3)
    steps = (2 * (top / 2) ** (i / (POINTS - 1)) for i in range(POINTS))
    return tuple(sorted({min(round(step), top) for step in steps} | {max(2, min(k, top))}))


def _fixed(run: Run) -> bool:
    return run.scenario.population.setting == "fixed"


def _bounds(
    run: Run,
    rule: str,
    counts: Sequence[Sequence[int]],
    ks: Sequence[int],
    people: int,
    schema: Any,
) -> Iterator[int]:
    """People that a rule allows to be exposed at each k."""
    from ...analysis.composition import best_bound

    policy = run.scenario.policy
    if _fixed(run):
        for k in ks:
            yield best_bound(counts, k, rule).people if k <= people else people
        return
    public = all(feature.values is not None for feature in schema.features)
    delta = policy.delta * len(counts) / len(schema.features)
    for k in ks:
        if k > sum(counts[0]):
            yield people
            continue
        proof = statistical(rule, counts, k, people, delta, public=public)
        yield min(people, int(proof.people))


def _worst(
    run: Run,
    counts: Sequence[Sequence[int]],
    ks: Sequence[int],
    k: int,
    nodes: int | None,
    *,
    released: bool,
) -> Iterator[Worst]:
    """The worst case at some k; at the run's own k not above what the run had proved."""
    if not _fixed(run) or nodes == 0:
        return
    from ...analysis.composition import worst_case

    # the caller's limit, or the usual ones
    limits: Any = {"nodes": NODES, "most_cells": CELLS} if nodes is None else {"nodes": nodes}
    people = sum(counts[0])
    said = run.result.exposure.worst_case
    for crowd in _spread(ks, k):
        worst = worst_case(counts, crowd, **limits)
        proven = worst.upper
        if crowd == k and released and said is not None:
            proven = max(worst.people, min(proven, round(said.high * people)))
        yield Worst(crowd, worst.people, proven)


def _spread(ks: Sequence[int], k: int) -> list[int]:
    """A few k, evenly among all, and the run's own."""
    return sorted({ks[round(i * (len(ks) - 1) / WORST)] for i in range(WORST)} | {k})


def _truth(run: Run, columns: Sequence[int]) -> ExposureCurve | None:
    if (release := run.result.release) is not None:
        cells = release.crowds
        return exposure_curve(cells) if sum(cells) else None
    table = recollected(run)
    return None if table is None or not len(table) else exposure_curve(joint_counts(table, columns))

"""Exposure at every threshold k: the truth about the release, the bounds, and the worst case.

    truth        people of the release in a class smaller than k, a step function of k
    printed      bound on exposed people: the smaller of Theorems 2 and 3 of paper 000
    refined      a smaller bound, from the proof of Theorem 3 (analysis/composition/bounds.py)
    coverage     the smallest of these bounds: it counts the cells of common values (coverage.py)
    worst case   the most people that any table with these marginals exposes, or bounds on it
    promised     the bound of the decision, at the run's own k: no curve, since the default rule
                 takes a linear program for each k

Without a release the curves are about all columns together, which were not released.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ....analysis.exposure import ExposureCurve, exposure_curve, joint_counts
from ...programs.curated.rules import statistical
from ...programs.evidence import NoGround
from ...records.result_file import Run
from ...records.verification.evidence import RecordEvidence
from ...records.verification.population import people as recollected
from .column_sets import Choices, counts_as_decided

RULES = ("printed", "refined", "coverage")
STATISTICAL = ("refined", "coverage")  # rules that hold for people who were not counted
POINTS = 60  # number of thresholds k on a curve
WORST = 7  # number of thresholds for which the worst case is searched
# Default limits of each search for the worst case: up to 3 s of processor time.
NODES, CELLS = 20, 40  # nodes of a search tree; cells of the table after merging rare values


@dataclass(frozen=True, slots=True)
class WorstTable:
    """The search for the table that exposes most people at a threshold k: bounds on their number.

    Attributes:
        k: people in the smallest class that counts as safe.
        attained_people: people exposed in a table that was found, a lower bound.
        proven: people exposed in any table at most, an upper bound.
    """

    k: int
    attained_people: int
    proven: int


@dataclass(frozen=True, slots=True)
class Curves:
    """The exposed people at each threshold of `ks`, of `people`: by each bound, and in truth.

    Attributes:
        columns: the columns of the curves.
        released: whether these columns were released.
        k: people in the run's smallest safe class.
        people: the number of people that the bounds are about.
        ks: the thresholds k, ascending.
        bounds: name of a bound -> the largest possible number of exposed people at each of `ks`.
        truth: the true number of exposed people; None if it cannot be known from the run.
        worst: bounds on the worst case at some of `ks`.
        promised: the decision's bound at `k`: name of its rule, and people; None if the curves are
            of columns that were not released.
    """

    columns: tuple[str, ...]
    released: bool
    k: int
    people: int
    ks: tuple[int, ...]
    bounds: dict[str, tuple[int, ...]]
    truth: ExposureCurve | None
    worst: tuple[WorstTable, ...]
    promised: tuple[str, int] | None = None


def curves(run: Run, sets: Choices | None, nodes: int | None = None) -> Curves | None:
    """Return the curves of a run; None if no marginals were read.

    sets: of this run. nodes: of each search tree for the worst cases at several k; 0: no search;
    None: the limits `NODES` and `CELLS`.
    """
    decision = run.result.decision
    if sets is None or decision is None:
        return None
    try:
        schema = RecordEvidence(run, None).schema
    except NoGround:
        return None
    names = list(run.result.features)
    released = run.result.release is not None
    names_used = [name for name in names if not released or name in decision.kept]
    all_counts, _ = counts_as_decided(run, schema)
    counts = [all_counts[names.index(name)] for name in names_used]
    people = decision.certificate.n
    ks = grid(people, decision.k)
    rules = RULES if _fixed(run) else STATISTICAL
    bounds = {rule: tuple(_bounds(run, rule, counts, ks, people, schema)) for rule in rules}
    worst = tuple(_worst(run, counts, ks, decision.k, nodes, released=released))
    truth = _truth(run, [names.index(name) for name in names_used])
    proof = decision.certificate
    promised = (proof.rule, int(proof.people)) if released else None
    return Curves(
        tuple(names_used), released, decision.k, people, ks, bounds, truth, worst, promised
    )


def grid(people: int, k: int) -> tuple[int, ...]:
    """Return thresholds from 2 to all people, evenly spaced in their logarithm, k included."""
    top = max(people, 3)
    steps = (2 * (top / 2) ** (i / (POINTS - 1)) for i in range(POINTS))
    return tuple(sorted({min(round(step), top) for step in steps} | {max(2, min(k, top))}))


def _fixed(run: Run) -> bool:
    """Whether the same people answer in both rounds."""
    return run.scenario.population.setting == "fixed"


def _bounds(
    run: Run,
    rule: str,
    counts: Sequence[Sequence[int]],
    ks: Sequence[int],
    people: int,
    schema: Any,
) -> Iterator[int]:
    """Yield, for each k, the largest number of exposed people that a rule allows.

    rule: the name of a method that bounds exposure. counts: the people with each value, for each
    column. people: the number of people that the bound is about.
    """
    from ....analysis.composition import best_bound

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
) -> Iterator[WorstTable]:
    """Yield bounds on the worst case for some thresholds k.

    At the run's own k they respect the bound that the run proved.
    """
    if not _fixed(run) or nodes == 0:
        return
    from ....analysis.composition import worst_case

    # The caller limits the nodes only; without a limit both defaults hold.
    limits: Any = {"nodes": NODES, "most_cells": CELLS} if nodes is None else {"nodes": nodes}
    people = sum(counts[0])
    stated = run.result.exposure.worst_case
    for crowd in _spread(ks, k):
        worst = worst_case(counts, crowd, **limits)
        proven = worst.upper
        if crowd == k and released and stated is not None:
            proven = max(worst.people, min(proven, round(stated.high * people)))
        yield WorstTable(crowd, worst.people, proven)


def _spread(ks: Sequence[int], k: int) -> list[int]:
    """Return a few thresholds, evenly among all, and the run's own."""
    return sorted({ks[round(i * (len(ks) - 1) / WORST)] for i in range(WORST)} | {k})


def _truth(run: Run, columns: Sequence[int]) -> ExposureCurve | None:
    """Return the true exposure at every k, from the release or else from the people; or None."""
    if (release := run.result.release) is not None:
        cells = release.crowds
        return exposure_curve(cells) if sum(cells) else None
    table = recollected(run)
    return None if table is None or not len(table) else exposure_curve(joint_counts(table, columns))

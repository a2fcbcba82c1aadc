"""Exposure at every threshold k: the true exposure of the release, its bounds, and the worst case.

A person is exposed if fewer than k people have the same values in the columns considered.

    truth        exposed people in the release: a step function of k
    printed      a bound on exposed people: the smaller of Theorems 2 and 3 of paper 000
    refined      a smaller bound, from the proof of Theorem 3 (analysis/composition/bounds.py)
    coverage     the smallest of these bounds: it counts the cells of common values (coverage.py)
    worst case   the most people that any table with these marginals exposes, or bounds on it
    promised     the bound in the curator's decision, at the run's own k only: a curve would take
                 a linear program for each k

Without a release, the curves are about all columns together.
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
# names of bounds that also hold for people whose marginals were not counted: the people of round 2
STATISTICAL = ("refined", "coverage")
POINTS = 60  # number of thresholds k on a curve
WORST = 7  # number of thresholds, besides the run's own, for which the worst case is searched
# Limits of each search for the worst case, so that a search takes at most about 3 s of processor
# time. NODES: nodes of each search tree. CELLS: cells of the table after merging rare values; for
# larger tables only bounds without a search are given.
NODES, CELLS = 20, 40


@dataclass(frozen=True, slots=True)
class WorstTable:
    """Bounds on the worst case: the most people that any table with the run's marginals exposes.

    Attributes:
        k: people in the smallest class that counts as safe.
        attained_people: people exposed in the worst table that the search found: a lower bound.
        proven: a proved upper bound on the people exposed in any such table.
    """

    k: int
    attained_people: int
    proven: int


@dataclass(frozen=True, slots=True)
class Curves:
    """The numbers of exposed people of a run as functions of the threshold k: bounds, and truth.

    Attributes:
        columns: names of the columns considered: the released columns; without a release, all
            columns.
        released: whether these columns were released.
        k: the threshold of the run: people in the smallest class that counts as safe.
        people: the number of people that the bounds are about.
        ks: the thresholds k, ascending.
        bounds: name of a bound -> the largest possible number of exposed people at each of `ks`.
        truth: the true number of exposed people; None if it cannot be known from the run.
        worst: bounds on the worst case at some of `ks`.
        promised: the decision's bound at `k`: name of the method that proves it, and exposed
            people; None without a release.
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
    """Return the exposure curves of a run; None if its curator read no marginals.

    Args:
        run: the run.
        sets: the column sets of this run; None if no marginals were read.
        nodes: limit of nodes in each search tree for the worst case; 0: no search; None: the limits
            `NODES` and `CELLS`.
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
    """Return thresholds from 2 to all people, evenly spaced in their logarithm.

    k: a threshold that is included in any case: the run's own.
    """
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
    """Yield, for each threshold k, the largest number of exposed people that a bound allows.

    rule: the name of the bound. counts: for each column, the people with each value. ks: the
    thresholds. people: the number of people that the bound is about. schema: the session's columns.
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
    """Yield bounds on the worst-case exposure for some of the thresholds `ks`.

    No bounds are yielded in the statistical setting, or for `nodes` = 0. counts: for each column,
    the people with each value. k: the run's own threshold. nodes: limit on the nodes of each
    search tree; None: default limits. released: whether columns were released. Then the upper
    bound at k is no larger than the upper bound that the run has proved.
    """
    if not _fixed(run) or nodes == 0:
        return
    from ....analysis.composition import worst_case

    # A caller's limit concerns nodes only. Without it, this module limits nodes and cells.
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
    """Return a few of the thresholds `ks`, evenly spread, and the run's own threshold `k`."""
    return sorted({ks[round(i * (len(ks) - 1) / WORST)] for i in range(WORST)} | {k})


def _truth(run: Run, columns: Sequence[int]) -> ExposureCurve | None:
    """Return the true exposure at every k, from the release or else from the people's rows.

    columns: indices of the columns. None if a run has neither.
    """
    if (release := run.result.release) is not None:
        cells = release.crowds
        return exposure_curve(cells) if sum(cells) else None
    table = recollected(run)
    return None if table is None or not len(table) else exposure_curve(joint_counts(table, columns))

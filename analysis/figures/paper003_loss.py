"""Figures 10, 11 and 12 of paper 003 on generated places: the analyst's error for a given privacy.

Each person reports one place with noise, by randomized response (GRR) or by local hashing to g hash
values, g a power of two. Places with Zipf popularity stand for the paper's (Foursquare). Figure 11
has the paper's size (1,370,637 people, 10,500,393 places); Figures 10 and 12 have a tenth of it, to
be drawn faster. `benchmarks/reidentification.py` measures local hashing at the paper's size.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ...deprecated import accepts_old
from ..randomizers import GRR, LocalHash
from ..reidentification import epsilon_at, pie_bound
from ..validation import Floats, open_unit
from .paper003_loss_drawings import draw10, draw11, draw12
from .paper003_places import (
    NAMES,
    Row,
    estimates,
    expected_losses,
    hash_values_of,
    losses,
    places_of,
    promises,
)
from .parameters import Progress, positive_numbers, seed_of, stage_of, whole_numbers
from .registry import Check, Material, Numbers, Redrawn

USERS, PLACES = 1_370_637, 10_500_393  # sizes of the paper's Foursquare data
FEWER, SMALLER, HASHES = 137_064, 1_050_039, 1 << 24
BUDGETS = (1.0, 4.0, 7.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0)
# log2 of the numbers of hash values of local hashing at which Figure 12 simulates reports
SIZES = (12, 14, 16, 18, 20, 22, 24)
# log2 of the numbers of hash values at which Figure 12 shows the expected squared error, by a
# formula
EXPECTED_SIZES = range(8, 32)
THETA = 0.5
TOP, FREQUENT_PLACES = 100, 20
BUDGET, ERROR = 10.0, 0.92


def estimation_loss_figure(
    counts: npt.ArrayLike | None = None,
    *,
    users: int = FEWER,
    symbols: int = SMALLER,
    hash_values: int = HASHES,
    epsilons: Sequence[float] = BUDGETS,
    top: int = TOP,
    seed: int = 0,
    progress: Progress | None = None,
) -> Redrawn:
    """Return the squared error of estimated shares of places, against epsilon.

    Each person reports one place by GRR or by local hashing. Estimates of all places are taken as
    they are (emp), or only if they exceed a threshold of significance at level 0.05 (emp+thr),
    computed from the normal or the exact binomial distribution; further estimates count as 0.

    Args:
        counts: people at each place, shape (places,); None: Zipf places are drawn.
        users: number of drawn people, 2 to 20 million.
        symbols: number of places to draw from, more than top, at most 20 million.
        hash_values: number g of hash values of local hashing, a power of two from 2 to 2^30.
        epsilons: local epsilons in nats, > 0.
        top: number of most frequent places; their squared errors are also summed alone; >= 1.
        seed: seed of places and reports, a whole number >= 0.
        progress: called with a description of each stage.

    Returns:
        The frame "figure10": for each epsilon, randomizer and sum (over the top places, over all)
        the expected and the measured sums of squared errors, the number of places found without
        people, and the guaranteed error of an attacker that names the sender of a report. Checks
        only for the defaults with any seed.

    Raises:
        ParameterError: counts or a number are out of range.

    Source:
        Paper 003, Figure 10, with Propositions 4.6 and 4.7.
    """
    levels, g = positive_numbers(epsilons, "epsilons"), hash_values_of(hash_values)
    rng = np.random.default_rng(seed_of(seed))
    data, rows = places_of(counts, users, symbols, top, rng), list[Row]()
    for eps in levels:
        stage_of(progress)(f"figure 10: eps = {eps:g}")
        for randomizer in (GRR(data.symbols, eps), LocalHash(data.symbols, g, eps)):
            rows += losses(randomizer, data, rng)
    arguments = (data.has_counts, users, symbols, g, levels, top)
    checks = _checks10(rows) if arguments == (False, FEWER, SMALLER, HASHES, BUDGETS, TOP) else ()
    tables = (Numbers("figure10", NAMES, rows),)
    sums = data.sums
    return Redrawn("figure10", tables, checks, lambda: draw10(rows, sums))


@accepts_old(shown="frequent_places")
def popular_places_figure(
    counts: npt.ArrayLike | None = None,
    *,
    users: int = USERS,
    symbols: int = PLACES,
    epsilon: float = BUDGET,
    error: float = ERROR,
    frequent_places: int = FREQUENT_PLACES,
    seed: int = 0,
    progress: Progress | None = None,
) -> Redrawn:
    """Return the shares of the most frequent places, estimated under three privacy guarantees.

    Each person reports one place by GRR. The first guarantee is a local epsilon. The other two are
    a least error of an attacker that names the sender of a report, proved by two bounds. Estimates
    not above the normal threshold of significance at level 0.05 count as 0.

    Args:
        counts: people at each place, shape (places,); None: Zipf places are drawn.
        users: number of drawn people, 2 to 20 million.
        symbols: number of places to draw from, more than frequent_places, at most 20 million.
        epsilon: first guarantee, a local epsilon in nats, > 0.
        error: other two guarantees, the attacker's least probability of error, in (0, 1).
        frequent_places: number of most frequent places, >= 1.
        seed: seed of places and reports, a whole number >= 0.
        progress: called with a description of each stage.

    Returns:
        The frame "figure11": for each of the most frequent places, by rank, the true share and the
        estimated shares. Checks only for the defaults.

    Raises:
        ParameterError: counts or a number are out of range, or no epsilon guarantees the error.

    Source:
        Paper 003, Figure 11, with Theorem 4.2.
    """
    (level,), target_error = positive_numbers([epsilon], "epsilon"), open_unit(error, "error")
    rng = np.random.default_rng(seed_of(seed))
    stage_of(progress)(f"figure 11: {users:,} people, {symbols:,} places")
    data = places_of(counts, users, symbols, frequent_places, rng, "frequent_places")
    top = np.argsort(-data.truth, kind="stable")[:frequent_places]
    guarantees = promises(data, level, target_error)
    estimated = (estimates(GRR(data.symbols, eps), data, top, rng) for _, eps in guarantees)
    shares = [data.truth[top], *estimated]
    labels = ["true share", *(name for name, _ in guarantees)]
    rows = [(i + 1, *map(float, ranked)) for i, ranked in enumerate(zip(*shares, strict=True))]
    arguments = (data.has_counts, users, symbols, level, target_error, frequent_places)
    redrawn = arguments == (False, USERS, PLACES, BUDGET, ERROR, FREQUENT_PLACES)
    checks = _checks11(labels[1:], shares) if redrawn else ()
    table, sums = Numbers("figure11", ("rank", *labels), rows), data.sums
    return Redrawn("figure11", (table,), checks, lambda: draw11(labels, shares, sums))


def hash_loss_figure(
    counts: npt.ArrayLike | None = None,
    *,
    users: int = FEWER,
    symbols: int = SMALLER,
    theta: float = THETA,
    sizes: Sequence[int] = SIZES,
    top: int = TOP,
    seed: int = 0,
    progress: Progress | None = None,
) -> Redrawn:
    """Return the squared error of estimated shares against the number g of hash values.

    Each person reports one place by local hashing at the epsilon of the loss parameter theta, and
    for comparison by GRR at the same theta.

    Args:
        counts: people at each place, shape (places,); None: Zipf places are drawn.
        users: number of drawn people, 2 to 20 million.
        symbols: number of places to draw from, more than top, at most 20 million.
        theta: loss parameter (e^epsilon - 1) / (g + e^epsilon - 1), in (0, 1).
        sizes: log2 g of the measured losses, each 1 to 30.
        top: number of most frequent places; their squared errors are also summed alone; >= 1.
        seed: seed of places and reports, a whole number >= 0.
        progress: called with a description of each stage.

    Returns:
        The frames "figure12" (columns as of `estimation_loss_figure`; g = 0 is GRR) and
        "figure12_expected" (expected sums, g from 2^8 to 2^31). Checks only for the defaults.

    Raises:
        ParameterError: counts or a number are out of range.

    Source:
        Paper 003, Figure 12, with Theorem 4.8; theta = 0.5 promises less than the paper says.
    """
    loss, logs = open_unit(theta, "theta"), whole_numbers(sizes, "sizes", 1, 30)
    rng = np.random.default_rng(seed_of(seed))
    data, rows = places_of(counts, users, symbols, top, rng), list[Row]()
    for j in logs:
        stage_of(progress)(f"figure 12: g = 2^{j}")
        rows += losses(LocalHash(data.symbols, 1 << j, epsilon_at(loss, 1 << j)), data, rng)
    rows += losses(GRR(data.symbols, epsilon_at(loss, data.symbols)), data, rng)
    curve = [(1 << j, *expected_losses(data, 1 << j, loss)) for j in EXPECTED_SIZES]
    arguments = (data.has_counts, users, symbols, loss, logs, top)
    redrawn = arguments == (False, FEWER, SMALLER, THETA, tuple(SIZES), TOP)
    expected = Numbers("figure12_expected", ("g", "top", "all"), curve)
    tables, sums = (Numbers("figure12", NAMES, rows), expected), data.sums
    checks = _checks12(curve) if redrawn else ()
    return Redrawn("figure12", tables, checks, lambda: draw12(rows, curve, sums, loss))


def figure10(material: Material) -> Redrawn:
    """Redraw Figure 10 of paper 003: the squared error of estimated shares of places by epsilon."""
    return estimation_loss_figure(
        users=FEWER, symbols=SMALLER, hash_values=HASHES, seed=material.seed,
        progress=material.progress,
    )  # fmt: skip


def figure11(material: Material) -> Redrawn:
    """Redraw Figure 11 of paper 003: shares of the twenty most popular places from noisy reports.

    The noise has three sizes. The first is a given epsilon. The other two guarantee a given error
    of an attacker that names the sender of a report, proved by two bounds.
    """
    return popular_places_figure(
        users=USERS, symbols=PLACES, seed=material.seed, progress=material.progress
    )


def figure12(material: Material) -> Redrawn:
    """Redraw Figure 12: the squared error of estimated shares by the number of hash values."""
    return hash_loss_figure(
        users=FEWER, symbols=SMALLER, sizes=SIZES, seed=material.seed, progress=material.progress
    )


def _checks10(rows: list[Row]) -> tuple[Check, ...]:
    """Return the comparisons of Figure 10's rows with the statements of the paper."""
    better = next(row for row in rows if row[:2] == ("GRR", 10.0) and row[3] == SMALLER)
    return (
        Check(
            "10", "a threshold lowers the loss over all places (GRR, eps = 10)", "paper", "yes",
            f"{better[5]:.3g} to {better[6]:.3g} (exact {better[7]:.3g})", better[6] < better[5],
        ),
        Check(
            "10", "places nobody is at, above the normal threshold", "significance 0.05", "0",
            f"{better[8]:,} (exact threshold: {better[9]})", better[8] == 0,
        ),
    )  # fmt: skip


def _checks11(names: Sequence[str], shares: Sequence[Floats]) -> tuple[Check, ...]:
    """Return the mean relative error of shares estimated under each guarantee, beside the paper's.

    names: the guarantees in words. shares: the true shares, then the estimates under each
    guarantee.
    """
    errors = [float(np.mean(np.abs(share / shares[0] - 1))) for share in shares[1:]]
    return tuple(
        Check(
            "11", f"mean relative error, {name}", "paper (Foursquare)", claim, f"{error:.3f}", None
        )
        for name, claim, error in zip(names, ("1.05", "0.10", "-"), errors, strict=True)
    )


def _checks12(curve: list[Row]) -> tuple[Check, ...]:
    """Return the comparisons of Figure 12's curve with the statements of the paper.

    curve: rows of the number of hash values, and the expected sums of squared errors over the most
    frequent places and over all.
    """
    falls = all(b[1] < a[1] and b[2] < a[2] for a, b in pairwise(curve))
    promised = pie_bound(GRR(PLACES, epsilon_at(0.5, PLACES)), USERS).error("printed")
    return (
        Check("12", "the loss falls as g grows", "Theorem 4.8", "always", _word(falls), falls),
        Check(
            "12", "theta = 0.5 promises an error above", "paper", "0.5", f"{promised:.3f}",
            promised > 0.5,
        ),
    )  # fmt: skip


def _word(is_satisfied: bool) -> str:  # noqa: FBT001
    """Return "always" if the checked statement is satisfied, else "not always"."""
    return "always" if is_satisfied else "not always"

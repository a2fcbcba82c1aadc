"""Figure 3 of paper 000: two ways to estimate the exposure of future people.

The exposure at k is the share of people with a value that fewer than k people have. Databases of
128 people over 4 values are drawn from a distribution p; each is used to estimate the exposure of
another. The plug-in estimate is the exposure of the database itself, which jumps as k grows. The
statistical exposure (Definition 7) is the expected exposure of a database drawn from the observed
frequencies, which is smooth. Both estimate the expected exposure of a database drawn from p. This
is the mean of the plug-in estimate, which therefore has no bias.

The paper does not give p, so only the shape can be compared. With the p chosen here, the statement
"the statistical exposure has a smaller standard deviation" holds on average over k, but not at
every k; and the statistical exposure has a bias.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...errors import ParameterError
from .. import drawing
from ..estimation import statistical_exposure
from ..estimation.statistical import contribution
from ..validation import Floats, as_probabilities, whole
from .parameters import Progress, seed_of, stage_of, title_of
from .registry import Check, Material, Numbers, Redrawn

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PEOPLE, SIMULATIONS = 128, 1000  # as in the paper's caption
# limit of the entries of a simulation's arrays, 0.8 GB; beyond, ParameterError is raised
LARGEST = 10**8
CHOSEN = (0.5, 0.3, 0.15, 0.05)  # probabilities chosen here, because the paper gives none
# the colours of the paper: green for plug-in exposure, pink for the expected exposure
GREEN, PINK = drawing.GREEN, drawing.PURPLE


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """Simulated estimates of the exposure: the true value, means and deviations for k = 1 .. n.

    The exposure at k is the share of people with a value that fewer than k people have.

    Attributes:
        p: the probabilities of the values.
        n: number of people in each drawn database.
        simulations: number of drawn databases.
        k: 1 to n, shape (n,), as all further arrays.
        target: expected exposure of a database drawn from p, a share.
        plug_in: mean over the databases of the plug-in estimate, the exposure of the database.
        plug_in_sd: standard deviation of the plug-in estimate.
        statistical: mean of the statistical exposure, the expected exposure under the frequencies
            of the database.
        statistical_sd: standard deviation of the statistical exposure.
    """

    p: tuple[float, ...]
    n: int
    simulations: int
    k: np.ndarray
    target: Floats
    plug_in: Floats
    plug_in_sd: Floats
    statistical: Floats
    statistical_sd: Floats

    @property
    def bias(self) -> float:
        """The largest bias, over k, of the statistical exposure as an estimate of the exposure.

        The statistical exposure is the expected exposure under the frequencies of a drawn database.
        """
        return float(np.abs(self.statistical - self.target).max())

    def larger(self, by: float = 0.0) -> float:
        """The share of k at which the statistical exposure varies more than the plug-in estimate.

        Its standard deviation exceeds that of the plug-in estimate by more than `by`. The plug-in
        estimate is the exposure of a drawn database; the statistical exposure is the expected
        exposure under its frequencies.
        """
        return float((self.statistical_sd > self.plug_in_sd + by).mean())


def estimates(
    p: npt.ArrayLike = CHOSEN,
    n: int = PEOPLE,
    simulations: int = SIMULATIONS,
    rng: np.random.Generator | int | None = None,
) -> Estimates:
    """Draw databases, estimate the exposure from each in two ways, and return means and deviations.

    Args:
        p: the probability of each value.
        n: people in a database.
        simulations: number of databases, at least 2.
        rng: a generator or a seed.
    """
    whole(n, "n", 1)
    whole(simulations, "simulations", 2)
    atoms = as_probabilities(p)
    entries = n * max(n + 1, simulations * len(atoms))
    if entries > LARGEST:
        raise ParameterError(
            f"n, simulations: found {n:,} people and {simulations:,} databases, which need arrays "
            f"of {entries:,} numbers; at most {LARGEST:,} are accepted"
        )
    counts = np.random.default_rng(rng).multinomial(n, atoms, size=simulations)
    ks = np.arange(1, n + 1)
    crowds = np.arange(n + 1)
    # Both estimates are sums over the values; tables hold the contribution of a value with c people
    # at k, in row c and column k - 1.
    exposed = np.where(crowds[:, None] < ks, crowds[:, None] / n, 0.0)
    expected = np.stack([contribution(crowds / n, n, int(k)) for k in ks], axis=1)
    plug_in, statistical = exposed[counts].sum(axis=1), expected[counts].sum(axis=1)
    return Estimates(
        tuple(atoms.tolist()),
        n,
        simulations,
        ks,
        statistical_exposure(atoms, n, ks),
        plug_in.mean(axis=0),
        plug_in.std(axis=0, ddof=1),
        statistical.mean(axis=0),
        statistical.std(axis=0, ddof=1),
    )


def exposure_estimates_figure(
    *,
    p: npt.ArrayLike = CHOSEN,
    n: int = PEOPLE,
    simulations: int = SIMULATIONS,
    seed: int = 0,
    progress: Progress | None = None,
) -> Redrawn:
    """Return two estimates of the exposure of future people against k, with their deviations.

    Databases of n people are drawn from p. Each estimates the exposure of another such database: by
    its own exposure (plug-in), and by the expected exposure of a database drawn from its
    frequencies (statistical exposure). Both estimate the expected exposure of a database drawn from
    p.

    Args:
        p: probability of each value, shape (values,), sum 1. The paper does not give its own.
        n: people in a database, >= 1; k goes from 1 to n.
        simulations: number of databases, >= 2; n * simulations * values may be at most 10^8.
        seed: seed of the simulations, a whole number >= 0.
        progress: called with a description of each stage.

    Returns:
        The frame "figure3": k, t = k / n, the expected exposure, and the mean and the standard
        deviation of both estimates, all as shares of the people. Checks only for the p, n and
        simulations of the defaults.

    Raises:
        ParameterError: p holds no probabilities, a number is out of range, or arrays get too large.

    Source:
        Paper 000, Figure 3. Not as its caption reads: the deviation of the statistical exposure is
        smaller on average over k, not at every k, and it has a bias (docs/theorems.md).
    """
    whole(simulations, "simulations", 2)
    stage_of(progress)(f"figure 3: {simulations:,} simulations")
    runs = estimates(p, n, simulations, seed_of(seed))
    redrawn = (runs.p, n, simulations) == (CHOSEN, PEOPLE, SIMULATIONS)
    title = title_of(
        "000", "3", f"{simulations:,} databases, p = ({_shares(runs)})", redrawn=redrawn
    )
    checks = tuple(_checks(runs)) if redrawn else ()
    return Redrawn("figure3", (_numbers(runs),), checks, lambda: draw(runs, title))


def figure3(material: Material) -> Redrawn:
    """Redraw Figure 3 of paper 000, two estimates of exposure, from simulations."""
    return exposure_estimates_figure(
        p=CHOSEN, n=PEOPLE, simulations=SIMULATIONS, seed=material.seed, progress=material.progress
    )


def _shares(runs: Estimates) -> str:
    """Return the probabilities of the values as text, separated by commas."""
    return ", ".join(f"{share:g}" for share in runs.p)


@drawing.styled
def draw(runs: Estimates, title: str) -> Figure:
    """Draw two estimates of the exposure against k: means above, standard deviations below.

    The estimates are the exposure of a drawn database (plug-in) and the expected exposure under its
    frequencies (statistical exposure). A band of one standard deviation surrounds each mean.
    """
    figure, (above, below) = drawing.new(7.2, 7, 2, 1)
    for mean, sd, colour, style, name in (
        (runs.plug_in, runs.plug_in_sd, GREEN, (0, (5, 1.5)), "plug-in exposure"),
        (runs.statistical, runs.statistical_sd, PINK, "-", "statistical exposure"),
    ):
        above.plot(runs.k, mean, color=colour, linestyle=style, label=f"{name}, mean")
        low, high = np.clip(mean - sd, 0, 1), np.clip(mean + sd, 0, 1)
        hatch = "////" if colour == GREEN else None
        above.fill_between(
            runs.k, low, high, facecolor=(colour, 0.22), edgecolor=(colour, 0.55), hatch=hatch,
            linewidth=0.4, label=f"{name}, ± 1 standard deviation",
        )  # fmt: skip
        below.plot(runs.k, sd, color=colour, linestyle=style, label=name)
    above.plot(
        runs.k, runs.target, color=drawing.BLACK, linestyle=(0, (1, 1.2)),
        label="expected exposure of a new database",
    )  # fmt: skip
    drawing.percent_axis(above, "people exposed")
    below.set_ylabel("standard deviation (share of people)")
    for ax in (above, below):
        ax.set_xlim(1, max(runs.n, 2))
        ax.set_xlabel(f"k (crowd size, of n = {runs.n} people)")
    above.legend(loc="lower right")
    below.legend(loc="upper right")
    above.set_title("estimates of the exposure")
    below.set_title("how much they vary between databases")
    figure.suptitle(title, fontsize=11)
    return figure


def _numbers(runs: Estimates) -> Numbers:
    """Return the table of the figure: both estimates of the exposure, with a row for each k."""
    columns = (
        runs.k, runs.k / runs.n, runs.target, runs.plug_in, runs.plug_in_sd,
        runs.statistical, runs.statistical_sd,
    )  # fmt: skip
    headings = (
        "k", "t", "expected", "plug_in_mean", "plug_in_sd", "statistical_mean", "statistical_sd",
    )  # fmt: skip
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return Numbers("figure3", headings, list(rows))


def _checks(runs: Estimates) -> list[Check]:
    """Return the comparisons of the simulation with the statements of the paper."""
    plug_in, smooth = float(runs.plug_in_sd.mean()), float(runs.statistical_sd.mean())
    return [
        Check("3", "the distribution p", "caption", "not given", f"chosen: {_shares(runs)}", None),
        Check(
            "3",
            "standard deviation of the statistical exposure, mean over k",
            "caption",
            "smaller than the plug-in's",
            f"{smooth:.4f} against {plug_in:.4f}",
            smooth < plug_in,
        ),
        Check(
            "3",
            "the same at every single k",
            "caption, if read so",
            "smaller",
            f"larger at {runs.larger():.0%} of the k, by over 0.001 at {runs.larger(0.001):.0%}",
            runs.larger() == 0,
        ),
        Check(
            "3",
            "distance of the mean statistical exposure from the expected exposure",
            "title, 'robust'",
            "none shown",
            f"up to {runs.bias:.3f}",
            runs.bias < 0.005,
        ),
    ]

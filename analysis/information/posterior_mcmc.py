"""Markov chains for the posterior of P given tallies, for many inputs and people.

P is the distribution of the inputs (true values), prior_x their Dirichlet parameters, s_y the
number of reports y. R holds P(report y | input x) for the reports that occurred. The chains move in
the logs eta = log G of independent gamma variables G_x with parameters prior_x; then p = G / |G|
with |G| the sum of G.

    log density = sum_x prior_x eta_x - e^eta_x  +  sum_y s_y log (R p)_y

Each iteration makes two moves. The Hamiltonian move works in coordinates whitened at the mode, so
it goes far in directions about which noisy reports say little. The Gibbs draw, which needs no
tuning, draws every user's value given p, then p given the counts of the values. All chains run in
parallel from overdispersed starts. The step length is tuned during the discarded first half only.
"""

from dataclasses import dataclass

import numpy as np

from ..validation import Floats
from .dirichlet import log_dirichlet
from .laplace import FREEDOM, fit, log_simplex, observed_information, root_of_inverse

LEAPS = 20  # leapfrog steps of a Hamiltonian move
TARGET = 0.8  # share of accepted moves to which the step length is tuned
# A Gibbs draw draws a value for the people of each kind of report. It is left out if the kinds of
# reports times the inputs are more than this, as it would take too long.
MOST_SPLITS = 5_000


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """Draws of P, the distribution of values, by several Markov chains.

    The first half of each chain was discarded.

    Attributes:
        p: draws of the distribution of values, shape (chains, draws, inputs).
        acceptance: share of Hamiltonian moves that were accepted.
    """

    p: Floats
    acceptance: float


@dataclass(frozen=True, slots=True, eq=False)
class _Target:
    """The posterior density that the chains sample, in whitened coordinates z.

    Attributes:
        rows: the randomizer's rows of the reports that occurred, shape (reports, inputs).
        prior: Dirichlet parameters, shape (inputs,).
        tallies: counts of the reports, shape (reports,).
        root: lower triangular, shape (inputs, inputs); unnormalised log probabilities are
            mode + root z.
        mode: the density's mode, as unnormalised log probabilities of the inputs, shape (inputs,).
    """

    rows: Floats
    prior: Floats
    tallies: Floats
    root: Floats
    mode: Floats

    def eta(self, z: Floats) -> Floats:
        """Return unnormalised log probabilities of the inputs, shape (chains, inputs).

        z: the points in whitened coordinates, shape (chains, inputs).
        """
        return np.asarray(self.mode + z @ self.root.T)

    def value(self, z: Floats) -> tuple[Floats, Floats]:
        """Return the log posterior density, up to a constant, and its gradient, at points z.

        z: a point for each chain in whitened coordinates, shape (chains, inputs). Shapes (chains,)
        and (chains, inputs).
        """
        eta = self.eta(z)
        top = eta.max(axis=1, keepdims=True)
        G = np.exp(np.minimum(eta, 300.0))
        p = np.exp(eta - top)
        p /= p.sum(axis=1, keepdims=True)
        law = np.maximum(p @ self.rows.T, 1e-300)
        density = eta @ self.prior - G.sum(axis=1) + np.log(law) @ self.tallies
        expected = (self.tallies / law) @ self.rows * p
        gradient = self.prior - G + expected - self.tallies.sum() * p
        return density, gradient @ self.root


def run_chains(
    rows: Floats, prior: Floats, tallies: Floats, chains: int, draws: int, rng: np.random.Generator
) -> Chains:
    """Run Markov chains and return `draws` draws of each, after as many discarded draws.

    Args:
        rows: P(report | input) for the reports that occurred, shape (reports, inputs).
        prior: Dirichlet parameters, shape (inputs,).
        tallies: the number of each report, shape (reports,).
        chains: number of chains.
        draws: draws of each chain to return.
        rng: source of the random draws.
    """
    target = _target(rows, prior, tallies)
    heavy = np.sqrt(FREEDOM / rng.chisquare(FREEDOM, size=(chains, 1)))
    z = 2 * heavy * rng.standard_normal((chains, prior.size))
    step, accepted, chain_points = (
        0.5 / prior.size**0.25,
        0.0,
        np.empty((chains, draws, prior.size)),
    )
    for turn in range(-draws, draws):
        z, chance = _hamiltonian(target, z, step * rng.uniform(0.8, 1.2), rng)
        if turn < 0:
            step *= float(np.exp((chance - TARGET) * 2 / np.sqrt(draws + turn + 4)))
        else:
            accepted += chance / draws
        if rows.size <= MOST_SPLITS:
            z = _gibbs(target, z, rng)
        if turn >= 0:
            eta = target.eta(z)
            chain_points[:, turn] = np.exp(eta - np.logaddexp.reduce(eta, axis=1)[:, None])
    return Chains(chain_points, accepted)


def _target(rows: Floats, prior: Floats, tallies: Floats) -> _Target:
    """Return the posterior density to sample, in coordinates whitened at its mode.

    Unnormalised probabilities are independent gamma variables; their sum is a further unknown. So
    the observed information of that sum is added to the probabilities' information.

    rows: P(report | input) for the reports that occurred, shape (reports, inputs).
    prior: Dirichlet parameters, shape (inputs,).
    tallies: the number of each report, shape (reports,).
    """
    eta = fit(rows, prior, tallies[None]).mode
    p = np.exp(log_simplex(eta))[0]
    information = observed_information(rows, prior, tallies[None], eta)[0]
    root = root_of_inverse(information + prior.sum() * np.outer(p, p))
    return _Target(rows, prior, tallies, root, np.log(prior.sum() * p))


def _hamiltonian(
    target: _Target, z: Floats, step: float, rng: np.random.Generator
) -> tuple[Floats, float]:
    """Make one Hamiltonian move of all Markov chains.

    Return their new points in whitened coordinates, shape (chains, inputs), and the mean acceptance
    probability.

    target: the posterior from which the chains draw.
    z: the old points, shape (chains, inputs).
    step: the length of a leapfrog step.
    """
    momentum = rng.standard_normal(z.shape)
    density, gradient = target.value(z)
    energy_before = density - np.square(momentum).sum(axis=1) / 2
    new, moved = z, density
    for _ in range(LEAPS):
        momentum = momentum + step / 2 * gradient
        new = new + step * momentum
        moved, gradient = target.value(new)
        momentum = momentum + step / 2 * gradient
    gain = moved - np.square(momentum).sum(axis=1) / 2 - energy_before
    chance = np.exp(np.minimum(np.nan_to_num(gain, nan=-np.inf), 0))
    accept = rng.random(len(z)) < chance
    return np.where(accept[:, None], new, z), float(chance.mean())


def _gibbs(target: _Target, z: Floats, rng: np.random.Generator) -> Floats:
    """Make one Gibbs draw of all Markov chains and return their new points in whitened coordinates.

    Every user's value is drawn given the distribution p of values, then p given the counts of the
    values drawn.

    target: the posterior from which the chains draw.
    z: the old points, shape (chains, inputs).
    """
    eta = target.eta(z)
    p = np.exp(eta - eta.max(axis=1, keepdims=True))
    split = target.rows[None] * p[:, None, :]
    split /= np.maximum(split.sum(axis=2, keepdims=True), 1e-300)
    people = target.tallies.astype(np.int64)
    inputs = rng.multinomial(np.broadcast_to(people, (len(z), people.size)), split).sum(axis=1)
    size = np.log(rng.standard_gamma(target.prior.sum(), size=(len(z), 1)))
    new = log_dirichlet(target.prior + inputs, rng) + size
    whitened = np.linalg.solve(target.root, (new - target.mode).T).T
    return np.asarray(whitened, dtype=np.float64)

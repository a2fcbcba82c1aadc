"""What the information metrics cost: against their limits, and against the definition.

Run with `python benchmarks/information.py`. The first table has the seconds of each computation and
its error; the second compares the one-dimensional integral for average privacy with plain random
sampling of the prior on the same inputs.
"""

from collections.abc import Callable

import numpy as np
from harness import best, run
from veilmix.analysis.information import (
    finite_information,
    jeffreys,
    posterior,
    read_privacy,
    read_utility,
)
from veilmix.analysis.randomizers import GRR, UnaryEncoding

LIMIT = 1.0  # seconds for average privacy of unary encoding with 1,000 inputs
SAMPLED = 200_000


def sampled(Q: np.ndarray, prior: np.ndarray) -> float:
    """S_mu from the definition, on random points of the simplex."""
    p = np.random.default_rng(0).dirichlet(prior, SAMPLED)
    q = p @ Q.T
    leak = -(q * np.log(q)).sum(axis=1) + p @ (Q * np.log(Q)).sum(axis=0)
    secret = -(p * np.log(np.maximum(p, 1e-300))).sum(axis=1)
    return float(1 - leak.mean() / secret.mean())


def main() -> None:
    """Print both tables."""
    many, half = jeffreys(1000), jeffreys
    oue = UnaryEncoding.oue(1000, 2.0)
    taken = best(3, lambda: read_privacy(oue, many))
    print(f"average privacy, OUE(1000): {taken:.4f} s, {taken / LIMIT:.3f} of its limit")
    print(f"   {read_privacy(oue, many)}")
    lines: list[tuple[str, Callable[[], object]]] = [
        ("average privacy, GRR(10^6)", lambda: read_privacy(GRR(10**6, 2.0), half(10**6))),
        ("asymptotic utility, GRR(1000)", lambda: read_utility(GRR(1000, 2.0), many)),
        ("asymptotic utility, OUE(3)", lambda: read_utility(UnaryEncoding.oue(3, 2.0), half(3))),
        ("exact, GRR(2), n = 3,000", lambda: finite_information(GRR(2, 1), half(2), 3000)),
        ("exact, GRR(3), n = 60", lambda: finite_information(GRR(3, 2), half(3), 60)),
        (
            "1,000 simulations, GRR(4), n = 10^5",
            lambda: finite_information(GRR(4, 2), half(4), 10**5, tally=False, samples=1000),
        ),
        (
            "posterior, exact, GRR(3), n = 400",
            lambda: posterior(GRR(3, 1), half(3), [120, 140, 140], method="exact"),
        ),
        (
            "posterior, chains, GRR(10), n = 10^5",
            lambda: posterior(GRR(10, 2), half(10), np.arange(10) * 2000 + 1000, method="chains"),
        ),
    ]
    for name, call in lines:
        print(f"{name}: {best(2, call):.4f} s\n   {call()}")
    print("\naverage privacy: the integral against sampling the prior")
    for a in (3, 10):
        compare(a)


def compare(a: int) -> None:
    """One line: OUE's matrix for a inputs, time and error of both ways."""
    Q, prior = UnaryEncoding.oue(a, 1.0).matrix, jeffreys(a)
    ours = best(3, lambda: read_privacy(Q, prior))
    theirs = best(1, lambda: sampled(Q, prior))
    exact = read_privacy(Q, prior)
    off = abs(sampled(Q, prior) - exact.value)
    print(
        f"{2**a} rows: {ours:.4f} s, error {exact.error:.0e}; {SAMPLED:,} samples {theirs:.3f} s, "
        f"error {off:.0e}: {theirs / ours:.0f} times as long, {off / exact.error:.0e} as far off"
    )


if __name__ == "__main__":
    run(main)

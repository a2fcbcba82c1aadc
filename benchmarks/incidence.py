"""Incidence counting: errors of the estimators side by side, coverage of limits, and time.

python benchmarks/incidence.py

The figures called "prototype" were measured once, before this implementation, on Zipf data with
m = 10,000, n = 10 and epsilon = 1.
"""

import numpy as np
from harness import best, run
from veilmix.analysis.figures.paper004_errors import SESSIONS, wifi
from veilmix.analysis.incidence import METHODS, estimate, eta_of, sample, zipf
from veilmix.analysis.incidence.confidence_region import region
from veilmix.analysis.incidence.estimators import point
from veilmix.analysis.incidence.likelihood import em
from veilmix.analysis.incidence.matrix import transition

PROTOTYPE = {"em": 802, "minmax": 1813, "program": 4277, "inverse": 48558}


def shares_of(psi: np.ndarray, eta: float, method: str, seed: int) -> np.ndarray:
    """Estimated shares, without limits where the method does not draw them."""
    if method == "bayes":
        return estimate(psi, eta, 0.1, method, rng=seed).shares
    return point(psi, eta, 0.1, method, "corrected")[0]  # type: ignore[arg-type]


def kinds(n: int, m: int) -> dict[str, np.ndarray]:
    """True vectors of several shapes."""
    from scipy.stats import binom

    spikes = np.zeros(n + 1, int)
    spikes[n // 3], spikes[n] = m // 3, m - m // 3
    flat = np.full(n + 1, m // (n + 1))
    flat[0] += m - flat.sum()
    rng = np.random.default_rng(3)
    return {
        "Zipf": zipf(n, m),
        "Zipf, exponent 2.5": zipf(n, m, 2.5),
        "two spikes": spikes,
        "flat": flat,
        "binomial": rng.multinomial(m, binom.pmf(np.arange(n + 1), n, 0.3)),
        "random": rng.multinomial(m, rng.dirichlet(np.ones(n + 1))),
    }


def errors() -> None:
    """Mean maximum error in positions, with its standard error, beside the prototypes."""
    phi, eta, runs = zipf(10, 10_000), eta_of(1.0), 60
    print("Zipf, m = 10,000, n = 10, epsilon = 1: mean of the largest error, positions")
    for method in METHODS:
        missed = [
            np.abs(shares_of(sample(phi, eta, rng=s), eta, method, s) * 10_000 - phi).max()
            for s in range(runs)
        ]
        spread = np.std(missed) / np.sqrt(runs)
        print(f"{method:11} {np.mean(missed):8.0f} +- {spread:5.0f}   prototype "
              f"{PROTOTYPE.get(method, '-')}")  # fmt: skip


def stopping() -> None:
    """EM stopped at different shares of the expected deviance, on several shapes."""
    stops = (1.0, 0.5, 0.25, 0.0)
    print("\nmean largest error, positions: EM stopped at a share of the expected deviance")
    print("  n       m eps  data                " + "".join(f"{s:>8}" for s in stops) + "   bayes")
    for n, m, epsilon in ((10, 10_000, 1.0), (10, 10_000, 3.0), (7, 4426, 1.0), (21, 162_305, 2.0)):
        eta, A = eta_of(epsilon), transition(n, eta_of(epsilon))
        for name, phi in kinds(n, m).items():
            seen = [sample(phi, eta, rng=s) for s in range(8)]
            means = [
                np.mean([np.abs(em(p / m, A, m, stop).shares * m - phi).max() for p in seen])
                for stop in stops
            ]
            drawn = [shares_of(p, eta, "bayes", i) * m - phi for i, p in enumerate(seen[:4])]
            bayes = np.mean([np.abs(d).max() for d in drawn])
            print(
                f"{n:3} {m:7} {epsilon:3g}  {name:19}",
                *(f"{e:7.0f}" for e in means),
                f"{bayes:7.0f}",
            )


def coverage() -> None:
    """How often limits at 0.9 hold all counts, and how wide they are."""
    print("\nlimits at 0.9: runs in which all counts held, of 100, and mean largest width / m")
    week = wifi(SESSIONS["7 sessions, 2023-08-26 to 2023-09-01"])
    for name, phi in (
        ("Zipf n = 3", zipf(3, 5000)),
        ("Zipf n = 10", zipf(10, 10_000)),
        ("Wi-Fi", week),
    ):
        for epsilon in (1.0, 3.0):
            eta, held, widths = eta_of(epsilon), 0, []
            for seed in range(100):
                low, high = region(sample(phi, eta, rng=seed), eta, 0.1)
                held += bool(((low <= phi) & (phi <= high)).all())
                widths.append((high - low).max() / phi.sum())
            print(f"{name:12} epsilon = {epsilon:g}: {held:4} {np.mean(widths):8.3f}")


def times() -> None:
    """All counts with limits at the size of paper 004."""
    print("\nn = 21, m = 162,305: seconds for an estimate of all counts with limits")
    for epsilon in (0.5, 2.0):
        psi, eta = sample(zipf(21, 162_305), eta_of(epsilon), rng=1), eta_of(epsilon)
        for method in METHODS:
            seconds = best(3, lambda m=method, p=psi, e=eta: estimate(p, e, 0.1, m, rng=1))  # type: ignore[misc]
            print(f"epsilon = {epsilon:3g}  {method:11} {seconds:6.2f}")


def main() -> None:
    """Prints all four tables."""
    errors()
    stopping()
    coverage()
    times()


if __name__ == "__main__":
    run(main)

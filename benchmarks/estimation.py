"""Statistical exposure: time against the size of the support, and the widths of its error bars.

python benchmarks/estimation.py
"""

import numpy as np
from harness import best, run
from veilmix.analysis.estimation import statistical_exposure, statistical_exposure_interval


def main() -> None:
    """Prints both tables."""
    rng = np.random.default_rng(1)
    statistical_exposure([1.0], 10, 3)
    print("support       n        k  seconds  ratio to a tenth of the support")
    for n, k in ((10**6, 10), (10**9, 10), (10**9, 10**6)):
        before = 0.0
        for support in (10**4, 10**5, 10**6):
            p = rng.dirichlet(np.full(support, 0.3))
            seconds = best(3, lambda p=p, n=n, k=k: statistical_exposure(p, n, k))
            ratio = f"{seconds / before:6.1f}" if before else ""
            print(f"{support:7} {n:10} {k:7} {seconds:8.4f} {ratio}")
            before = seconds
    print("\nvalues  sample       n    k  width of box  width of l1  ratio")
    for values, m, n, k in ((4, 128, 128, 10), (4, 10**4, 128, 10), (50, 10**4, 10**4, 100)):
        counts = rng.multinomial(m, rng.dirichlet(np.ones(values)))
        bars = [statistical_exposure_interval(counts, n, k, 0.05, rule) for rule in ("box", "l1")]
        box, l1 = (bar.high - bar.low for bar in bars)
        print(f"{values:6} {m:7} {n:7} {k:4} {box:13.4f} {l1:12.4f} {box / l1:6.2f}")


if __name__ == "__main__":
    run(main)

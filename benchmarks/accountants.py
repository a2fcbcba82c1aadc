"""Epsilon after shuffling: veilmix beside public accountants, values and processor time in a table.

python benchmarks/accountants.py --clones FOLDER --variation-ratio FOLDER

Into an environment of its own:  pip install -r requirements/bench.txt  and  pip install --no-deps .
The two folders are checkouts of their authors' code, left out where they are not given:

    clones            apple/ml-shuffling-amplification, commit 993d285 (Feldman, McMillan, Talwar):
                      numericalanalysis, any local randomizer of this epsilon
    variation ratio   wangsw/PrivacyAmplification, commit 34ca048 (Wang et al.): amplificationUB
                      with the parameters of its README
    dp-accounting     the privacy loss distribution of one pair of collections, all others equal:
                      one bit only, and no bound over all pairs
"""

import contextlib
import io
import sys
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from math import exp
from typing import Any

import numpy as np
from harness import run, timed
from veilmix.analysis.randomizers import GRR, UnaryEncoding
from veilmix.analysis.shuffled.amplification import report_delta, report_epsilon

DELTA = 1e-6
CASES = (
    *((GRR(2, 1.0), n) for n in (10**3, 10**4, 10**5)),
    *((GRR(10, 2.0), n) for n in (10**3, 10**4, 10**5)),
    *((UnaryEncoding.rappor(10, 2.0), n) for n in (10**3, 10**4)),
    *((UnaryEncoding.oue(10, 2.0), n) for n in (10**4, 10**5, 10**6)),
)


def quiet(name: str, folder: str) -> Any:
    """A module of a folder; what it prints on import is dropped."""
    sys.path.insert(0, folder)
    with contextlib.redirect_stdout(io.StringIO()):
        return import_module(name)


def variation_ratio(module: Any, randomizer: Any, n: int) -> float | None:
    """Its upper bound with the README's parameters; None where it has none for the randomizer."""
    p = exp(randomizer.epsilon)
    if randomizer == GRR(randomizer.inputs, randomizer.epsilon):
        beta = (p - 1) / (p + randomizer.a - 1)
    elif randomizer == UnaryEncoding.rappor(randomizer.a, randomizer.epsilon):
        root = exp(randomizer.epsilon / 2)
        beta = (root - 1) / (root + 1)
    else:
        return None
    return float(module.amplificationUB(p, beta, p, p, n, DELTA, 40))


def dp_accounting(randomizer: Any, n: int) -> float | None:
    """Epsilon of the pair "all others have the same bit"; one bit only."""
    if randomizer.one_bit is None:
        return None
    from dp_accounting.pld import privacy_loss_distribution as pld
    from scipy.stats import binom

    q, s = randomizer.one_bit, np.arange(n + 1)
    others = binom.pmf(np.arange(n), n - 1, q)
    zero, one_more = np.append((1 - q) * others, 0), np.append(q * others, 0)
    zero[1:] += q * others
    one_more[1:] += (1 - q) * others
    keep = np.minimum(zero, one_more) > 1e-300
    laws = ({int(k): float(np.log(law[k])) for k in s[keep]} for law in (zero, one_more))
    account = pld.from_two_probability_mass_functions(
        *laws, value_discretization_interval=1e-5, symmetric=False
    )
    return float(account.get_epsilon_for_delta(DELTA))


def cell(call: Callable[[], float | None]) -> str:
    """A value and its time, or a dash."""
    took, value = timed(call)
    return "-" if value is None else f"{value:.6g} ({took.cpu:.2g} s)"


def compare(clones: Any, ratio: Any) -> None:
    """The table, in Markdown."""
    heads = ("randomizer", "n", "veilmix", "clones", "variation ratio", "dp-accounting, one pair")
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    for randomizer, n in CASES:
        took, epsilon = timed(report_epsilon, n, randomizer, DELTA)
        band = (
            f"{epsilon.low:.6g}"
            if epsilon.low == epsilon.high
            else f"{epsilon.low:.6g} to {epsilon.high:.6g}"
        )
        cells = [f"{randomizer}", f"{n:,}", f"{band} ({took.cpu:.2g} s)"]
        e, step = randomizer.epsilon, max(1, n // 1000)
        cells.append(
            cell(lambda e=e, n=n, s=step: clones.numericalanalysis(n, e, DELTA, 20, s, True))
            if clones
            else "-"
        )
        cells.append(cell(lambda o=randomizer, n=n: variation_ratio(ratio, o, n)) if ratio else "-")
        cells.append(cell(lambda o=randomizer, n=n: dp_accounting(o, n)))
        print("| " + " | ".join(cells) + " |", flush=True)


def undercut(ratio: Any) -> None:
    """The smallest case in which the variation ratio's bound is below an actual pair."""
    epsilon = float(ratio.amplificationUB(2.0, 0.25, 2.0, 2.0, 2, 0.01, 60))
    growth = Fraction(46, 25)
    truth = Fraction(1, 4) - growth * Fraction(1, 8)
    print("\nGRR on 3 values, e^epsilon = 2, n = 2, delta = 0.01")
    print(f"variation ratio: at most log {exp(epsilon):.9g}")
    print(f"at log {growth} the pair (v, v), (u, v) has delta {truth}: the outcome {{v, v}}")
    print(f"veilmix: {report_delta(2, GRR(3, float(np.log(2))), float(np.log(1.84)))}")


def main(*, clones: str = "", variation_ratio: str = "") -> None:
    """Prints the table, and the undercut where the code is given."""
    ratio = quiet("unifiedamplification", variation_ratio) if variation_ratio else None
    compare(quiet("computeamplification", clones) if clones else None, ratio)
    if ratio:
        undercut(ratio)


if __name__ == "__main__":
    run(main)

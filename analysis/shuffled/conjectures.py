"""Claims and conjectures of paper 001 checked in exact rational arithmetic.

A checker returns every counterexample among the given cases (an empty list if there are none).
Computations are exact, so one counterexample refutes a claim. m counts the people with each true
vector, s the reports of each vector; q is the probability that a bit is flipped, p = 1 - q. Known
results:

    Prop. 5.1 (left unproved)   true; the largest ratio of a pair of vectors at Hamming distance d,
                                over all m and s, is (p/q)^d, attained
    (5.8), (5.9), Prop. 5.2     true: no counterexample, and a proof from the strongly Rayleigh
                                property (the generating polynomial of the counts is a product of
                                linear forms with non-negative coefficients)
    Prop. 5.3                   FALSE for a given s (n = 1, x = 11, s = {10}); true for the maximum
                                over s
    Section 6.1, first bullet   FALSE: P(A_n(m) = s) <= P(A_(n-1)(m) = s) fails at s = n
    Section 6.3, TODO           FALSE with the paper's rounding (n = 2, q = 1/100), not needed
    Prop. 6.1                   true if both sides are defined; its hypothesis is not needed
    6.2, 6.5, 6.6, (7.1)        true
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil

from ...errors import ParameterError
from ..validation import whole
from .exact_law import all_counts

Counts = tuple[int, ...]
Law = dict[Counts, Fraction]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A case in which an inequality claimed by paper 001 fails.

    Attributes:
        claim: number of the proposition or equation in the paper.
        case: the arguments of the inequality, by name.
        left, right: the two sides; the paper claims left <= right.
    """

    claim: str
    case: dict[str, object]
    left: Fraction
    right: Fraction

    def __str__(self) -> str:
        """Return the failing inequality and its case, for reports."""
        case_text = ", ".join(f"{name} = {value}" for name, value in self.case.items())
        return f"{self.claim}: {self.left} > {self.right} at {case_text}"


@lru_cache(maxsize=4096)
def one_bit(n: int, m: int, q: Fraction) -> tuple[Fraction, ...]:
    """Return P(A_n(m) = s) for s = 0 .. n: the distribution of the count A of 1-bits in n reports.

    People are added one by one, by (6.1) and (6.2) of paper 001.

    m: number of the n people with a 1.
    q: probability that a bit is flipped.
    """
    if n == 0:
        return (Fraction(1),)
    smaller_law = one_bit(n - 1, m - 1, q) if m else one_bit(n - 1, 0, q)
    chance = 1 - q if m else q
    padded = (Fraction(0), *smaller_law, Fraction(0))
    return tuple(chance * padded[s] + (1 - chance) * padded[s + 1] for s in range(n + 1))


def vector_row(i: int, bits: int, q: Fraction) -> tuple[Fraction, ...]:
    """Return the probabilities of all reported vectors for true vector i, as rationals.

    i: number of the true vector, from 0; the binary digits of i are the vector.
    bits: number of bits of a vector.
    q: probability that a bit is flipped.
    """
    distances = [(i ^ k).bit_count() for k in range(1 << bits)]
    return tuple(q**d * (1 - q) ** (bits - d) for d in distances)


@lru_cache(maxsize=4096)
def _vector_law(m: Counts, q: Fraction) -> tuple[tuple[Counts, Fraction], ...]:
    """Return the distribution of the counts of reported vectors, cached.

    m: number of people with each true vector.
    q: probability that a bit is flipped.
    """
    if not any(m):
        return (((0,) * len(m), Fraction(1)),)
    i = next(k for k, count in enumerate(m) if count)
    row = vector_row(i, len(m).bit_length() - 1, q)
    law: Law = {}
    for s, chance in _vector_law(_step(m, i, -1), q):
        for k, go in enumerate(row):
            to = _step(s, k, 1)
            law[to] = law.get(to, Fraction(0)) + go * chance
    return tuple(law.items())


def vector_law(m: Counts, q: Fraction) -> Law:
    """Return P(A(m) = s) for every s: the distribution of the counts A of reported vectors.

    People are added one after the other.

    m: number of people with each true vector.
    q: probability that a bit is flipped.
    """
    return dict(_vector_law(tuple(m), q))


def proposition_5_1(n: int, bits: int, q: Fraction) -> dict[int, Fraction]:
    """Return the largest privacy ratio over all data sets and reports, by Hamming distance.

    The privacy ratio is P(s | a person has vector j) / P(s | the person has vector i), with s the
    counts of reported vectors. By Proposition 5.1 of paper 001 its maximum is (p/q)^d for i and j
    at distance d. q is the probability that a bit is flipped, p = 1 - q.

    n: number of people.
    bits: bits of a vector.
    """
    largest: dict[int, Fraction] = {}
    for m in all_counts(n - 1, bits):
        laws = [vector_law(_step(m, i, 1), q) for i in range(1 << bits)]
        for i, law in enumerate(laws):
            for j, second_law in enumerate(laws):
                d = (i ^ j).bit_count()
                ratio = max(second_law[s] / law[s] for s in law)
                largest[d] = max(largest.get(d, Fraction(0)), ratio)
    return largest


def monotone_ratios(n: int, bits: int, q: Fraction) -> list[Counterexample]:
    """Return counterexamples to (5.8), (5.9) and Proposition 5.2 of paper 001.

    Let rho be P(s) / P(s with a report i changed to j), s the counts of reported vectors. The
    claims: rho does not fall if a report i is changed to any other vector (5.8), or any report is
    changed to j (5.9).

    n: number of people.
    bits: bits of a vector.
    q: probability that a bit is flipped.
    """
    return [bad for m in all_counts(n, bits) for bad in _monotone(m, vector_law(m, q))]


def _monotone(m: Counts, law: Law) -> Iterator[Counterexample]:
    """Yield the counterexamples to (5.8), (5.9) and Proposition 5.2 of paper 001.

    Let rho be P(s) / P(s with a report i changed to j), s the counts of reported vectors. The
    claims: rho does not fall if a report i is changed to another vector, or a report is changed to
    j.

    m: number of people with each true vector.
    law: the distribution of s.
    """
    D = len(m)

    def rho(s: Counts, i: int, j: int) -> Fraction:
        """Return the ratio of the probabilities of counts s and of s with a report i changed to j.

        s are the counts of reported vectors.
        """
        return law[s] / law[_move(s, i, j)]

    for s in law:
        for i in range(D):
            for j in (j for j in range(D) if j != i and s[i] >= 1):
                start = rho(s, i, j)
                case: dict[str, object] = {"m": m, "s": s, "i": i + 1, "j": j + 1}
                for k in range(D):
                    is_away = s[i] >= 2 and k != i
                    if is_away and start > (value := rho(_move(s, i, k), i, j)):
                        yield Counterexample("(5.8), (5.10)", {**case, "l": k + 1}, start, value)
                    if k in (i, j) or not s[k]:
                        continue
                    if start > (value := rho(_move(s, k, j), i, j)):
                        yield Counterexample("(5.9)", case | {"k": k + 1}, start, value)


def proposition_5_3(n: int, bits: int, q: Fraction) -> list[Counterexample]:
    """Return counterexamples to Proposition 5.3 of paper 001 as printed.

    The privacy ratio is P(s | a person has vector y) / P(s | the person has vector x). The claim:
    for every x and s (counts of reported vectors) the privacy ratio is largest if y is x with all
    bits flipped. False from n = 1 on.

    n: number of people.
    bits: bits of a vector.
    q: probability that a bit is flipped.
    """
    bad = []
    for m in all_counts(n - 1, bits):
        laws = [vector_law(_step(m, i, 1), q) for i in range(1 << bits)]
        for i, law in enumerate(laws):
            opposite = laws[i ^ ((1 << bits) - 1)]
            for j, second_law in enumerate(laws):
                bad += [
                    Counterexample(
                        "Prop. 5.3",
                        {"m": m, "s": s, "i": i + 1, "j": j + 1},
                        second_law[s] / law[s],
                        opposite[s] / law[s],
                    )
                    for s in law
                    if j != i and second_law[s] > opposite[s]
                ]
    return bad


def corrected_5_3(n: int, bits: int, q: Fraction) -> list[Counterexample]:
    """Return counterexamples to the corrected Proposition 5.3 of paper 001.

    The privacy ratio is P(s | a person has vector y) / P(s | the person has vector x). The claim:
    its maximum over all data sets and all counts s of reported vectors is largest if y is x with
    all bits flipped.

    n: number of people.
    bits: bits of a vector.
    q: probability that a bit is flipped.
    """
    largest = proposition_5_1(n, bits, q)
    top = largest[bits]
    return [
        Counterexample("Prop. 5.3 corrected", {"distance": d}, value, top)
        for d, value in largest.items()
        if value > top
    ]


def proposition_6_1(
    n: int, q: Fraction, distance: Fraction, *, shift: int = 2, undefined: str = "skip"
) -> list[Counterexample]:
    """Return counterexamples to Prop. 6.1: R_m(delta) <= R_0(delta + shift) for all m.

    m of n people have a 1; A is the count of reported 1-bits. R_m(delta) is the ratio P(A = s) /
    P(A = s - 1) at the smallest count s that is at most delta below the mean of A. The ratio falls
    in s. The paper has shift 2; 1 suffices, 0 does not.

    Args:
        n: people.
        q: probability that a bit is flipped.
        distance: the paper's delta, a distance below the mean.
        shift: the number added to the distance.
        undefined: at s = 0 the ratio is undefined. "skip" leaves such cases out; "largest" takes
            P(A = 1) / P(A = 0), the largest finite ratio, which makes the statement false.
    """
    s_0 = max(0, ceil(n * q - distance - shift))
    if s_0 < 1 and undefined == "skip":
        return []
    base = one_bit(n, 0, q)
    right = base[max(1, s_0)] / base[max(1, s_0) - 1]
    bad = []
    for m in range(n + 1):
        s = max(0, ceil(n * q + m * (1 - 2 * q) - distance))
        law = one_bit(n, m, q)
        if s >= 1 and law[s] / law[s - 1] > right:
            case: dict[str, object] = {"n": n, "q": q, "m": m, "delta": distance}
            bad.append(Counterexample("Prop. 6.1", case, law[s] / law[s - 1], right))
    return bad


def first_bullet_of_6_1(n: int, q: Fraction) -> list[Counterexample]:
    """Return counterexamples to the first claim of paper 001, Section 6.1, as printed.

    The claim is P(A_n(m) = s) <= P(A_(n-1)(m) = s) for s >= 1. A_n(m) is the count of reported
    1-bits if m of n people have a 1. False at s = n.

    q: probability that a bit is flipped.
    """
    bad = []
    for m in range(n):
        smaller_law = (*one_bit(n - 1, m, q), Fraction(0))
        bad += [
            Counterexample("6.1, first bullet", {"n": n, "m": m, "s": s}, value, smaller_law[s])
            for s, value in enumerate(one_bit(n, m, q))
            if s >= 1 and value > smaller_law[s]
        ]
    return bad


def todo_of_6_3(n: int, q: Fraction, distance: Fraction) -> list[Counterexample]:
    """Return counterexamples to Section 6.3's open claim: P_m(mu_m - delta) <= P_0(mu_0 - delta).

    m of n people have a 1. P_m is the probability of a count of reported 1-bits, mu_m the mean of
    the count, and delta the `distance` below the mean. The count is rounded as in paper 001; the
    claim is false with this rounding.

    q: probability that a bit is flipped.
    """
    right = one_bit(n, 0, q)[max(0, ceil(n * q - distance))]
    bad = []
    for m in range(n + 1):
        s = max(0, ceil(n * q + m * (1 - 2 * q) - distance))
        if (lower_side := one_bit(n, m, q)[s]) > right:
            case: dict[str, object] = {"n": n, "q": q, "m": m, "delta": distance}
            bad.append(Counterexample("6.3, TODO", case, lower_side, right))
    return bad


def one_bit_claims(n: int, q: Fraction) -> list[Counterexample]:
    """Return counterexamples to paper 001's claims on 1-bit reports: Sections 6.2, 6.5 and (7.1).

    s is the count of reported 1-bits. rho(s; m) = P(s) / P(s - 1) if m of n people have a 1. The
    privacy ratio pi(s; m) is P(s) if a person has 0, divided by P(s) if the person has 1, with m
    other people with a 1. The claims: rho and pi fall in s and rise in m, and pi(s; m) >= pi(s+1;
    m+1).

    q: probability that a bit is flipped.

    Raises:
        ParameterError: n below 1, or q outside (0, 1/2).
    """
    whole(n, "n", 1)
    if not 0 < q < Fraction(1, 2):
        raise ParameterError(f"q: found {q}; needs a fraction in (0, 1/2)")
    bad: list[Counterexample] = []
    laws = [one_bit(n, m, q) for m in range(n + 1)]
    rho = [[law[s] / law[s - 1] for s in range(1, n + 1)] for law in laws]
    pi = [[laws[m][s] / laws[m + 1][s] for s in range(n + 1)] for m in range(n)]

    def claim(name: str, lower_side: Fraction, right: Fraction, m: int, s: int) -> None:
        """Record a counterexample if the claimed lower_side <= right fails.

        name: the claim, in words.
        m: people with a 1.
        s: count of reported 1-bits.
        """
        if lower_side > right:
            bad.append(Counterexample(name, {"n": n, "q": q, "m": m, "s": s}, lower_side, right))

    for name, table in (("rho", rho), ("pi", pi)):
        for m, row in enumerate(table):
            for s in range(len(row)):
                if s + 1 < len(row):
                    claim(f"{name} falls in s", row[s + 1], row[s], m, s)
                if m + 1 < len(table):
                    claim(f"{name} rises in m", row[s], table[m + 1][s], m, s)
                if name == "pi" and m + 1 < n and s < n:
                    claim("pi falls along (1, 1)", table[m + 1][s + 1], row[s], m, s)
    return bad


def lemma_6_1(n: int, m: int, q: Fraction) -> list[Fraction]:
    """Return left minus right side of a recursion in the count s of 1-bits, for s = 0 to n - 1.

    The recursion (6.3) ties the probabilities of s - 1, s and s + 1 if m of n people have a 1. All
    differences are zero if Lemma 6.1 of paper 001 holds.

    q: probability that a bit is flipped.
    """
    law, p = one_bit(n, m, q), 1 - q
    gaps = []
    for s in range(n):
        previous = law[s - 1] if s else Fraction(0)
        middle = (m - s) * p / q + (n - m - s) * q / p
        gaps.append((s + 1) * law[s + 1] - middle * law[s] - (n - s + 1) * previous)
    return gaps


def _step(counts: Counts, k: int, by: int) -> Counts:
    """Return the counts with entry k increased by `by`."""
    return (*counts[:k], counts[k] + by, *counts[k + 1 :])


def _move(s: Counts, i: int, j: int) -> Counts:
    """Return the counts s of reported vectors after a report i is changed to j."""
    return _step(_step(s, i, -1), j, 1)

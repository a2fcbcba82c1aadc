"""Find common texts of people without a list of texts: time and errors, with pure-ldp beside it.

    python benchmarks/heavy_hitters.py [PEOPLE]

20,000 people by default, texts of up to 4 letters, 1 / rank shares of 200 texts, epsilon 3. With
pure-ldp (see `randomizers.py`; it needs scikit-learn, statsmodels and xxhash below 4) its PEM, a
letter a step as here, answers the same people, and is asked for as many texts as were found here.
"""

from typing import Any

import numpy as np
from harness import run, timed
from veilmix.analysis.randomizers import PrefixTree

LETTERS, WIDTH, EPSILON, TEXTS = "abcdefgh", 4, 3.0, 200
SIGNS = LETTERS + "_"  # which fills shorter texts: pure-ldp's own filling is no letter


def crowd(people: int) -> tuple[tuple[str, ...], Any]:
    """Return the texts, and the number of each person's text."""
    rng = np.random.default_rng(1)
    made = dict.fromkeys(
        "".join(rng.choice(list(LETTERS), rng.integers(2, WIDTH + 1))) for _ in range(9 * TEXTS)
    )
    texts = tuple(made)[:TEXTS]
    shares = 1 / np.arange(1, len(texts) + 1)
    return texts, rng.choice(len(texts), people, p=shares / shares.sum())


def told(name: str, seconds: float, shares: dict[str, float], truth: dict[str, float]) -> None:
    """Print one line: what was found, and how far off."""
    misses = [share - truth.get(text, 0.0) for text, share in shares.items()]
    error = float(np.sqrt(np.mean(np.square(misses)))) if misses else float("nan")
    false = sum(text not in truth for text in shares)
    print(f"{name:14} {seconds:8.2f} s  {len(shares):3} found, {false} false, error {error:.4f}")


def number(text: str) -> int:
    """Of so many texts of one length, which: what pure-ldp hashes. Its own numbers are of bits."""
    code = 0
    for sign in text:
        code = code * len(SIGNS) + SIGNS.index(sign)
    return code


def rival(texts: tuple[str, ...], own: Any, wanted: int, truth: dict[str, float]) -> None:
    """The same by pure-ldp."""
    try:
        from pure_ldp.heavy_hitters.prefix_extending import PEMClient, PEMServer
    except ImportError:
        print("pure-ldp: not importable here (see the top of this file)")
        return

    def hitters() -> Any:
        shape = (EPSILON, 0, WIDTH, 1, list(SIGNS), number)
        client, server = PEMClient(*shape), PEMServer(*shape)
        for code in own.tolist():
            server.aggregate(client.privatise(texts[code].ljust(WIDTH, SIGNS[-1])))
        return server.find_heavy_hitters(k=wanted)

    took, (names, counts) = timed(hitters)
    shares = {
        name.strip(SIGNS[-1]): count / len(own) for name, count in zip(names, counts, strict=True)
    }
    told("pure-ldp PEM", took.wall, shares, truth)


def main(people: int = 20_000) -> None:
    """Print the lines."""
    texts, own = crowd(people)
    count = np.bincount(own, minlength=len(texts)) / people
    truth = {text: share for text, share in zip(texts, count.tolist(), strict=True) if share}
    print(f"{people:,} people, {len(truth)} texts, epsilon {EPSILON:g}")
    wanted = 0
    for tree in (PrefixTree(texts, EPSILON, WIDTH), PrefixTree.binary(texts, EPSILON, WIDTH)):
        took, values_found = timed(lambda tree=tree: tree.find(tree.sample(own, 2)))  # type: ignore[misc]
        name = f"veilmix g={tree.values}"
        told(name, took.wall, {value.text: value.share for value in values_found.values}, truth)
        least = values_found.least_share
        missed = sum(
            s >= least and t not in {v.text for v in values_found.values} for t, s in truth.items()
        )
        exact = (tree.noise() / people) ** 0.5
        print(f"{'':14} least share {least:.4f}, {missed} missed; exact error {exact:.4f}")
        wanted = wanted or len(values_found.values)
    rival(texts, own, wanted, truth)


if __name__ == "__main__":
    run(main)

"""Re-identification at size: the paper's domain, thousands against thousands, and real releases.

python benchmarks/reidentification.py [folder of data sets]

Without a folder the parts on real data are left out; with one it is searched for
wifi_probes/device_session.csv and browser_profiles/browser_profiles_clean.csv.
"""

from pathlib import Path

import numpy as np
from harness import best, peak, run, timed
from veilmix.analysis.randomizers import GRR, LocalHash
from veilmix.analysis.reidentification import (
    MarkovAttack,
    Sequences,
    cosine_scores,
    epsilon_at,
    find_people,
    grr_loss,
    hash_loss,
    large_domain,
    markov_traces,
    partial_knowledge,
    pie,
    score_divergence,
    system_entropy,
    tfidf_scores,
    zipf_shares,
)
from veilmix.scenarios.populations.traces import check_ins, device_sessions, profiles

USERS, PLACES = 1_370_637, 10_500_393  # paper 003, Section 5


def domain() -> None:
    """Local hashing and GRR at the paper's size, theta = 1/2."""
    rng = np.random.default_rng(1)
    own = np.searchsorted(np.cumsum(zipf_shares(PLACES)), rng.random(USERS))
    truth = np.bincount(own, minlength=PLACES) / USERS
    print(f"{USERS:,} reports, {PLACES:,} symbols, theta = 0.5")
    print("randomizer     sample s  estimate s  peak GB  loss emp   expected   emp+thr    invented")
    for name in ("GRR", "LocalHash"):
        size = PLACES if name == "GRR" else 1 << 27
        eps = epsilon_at(0.5, size)
        mechanism = GRR(PLACES, eps) if name == "GRR" else LocalHash(PLACES, size, eps)
        sampling, reports = timed(lambda m=mechanism: m.sample(own, rng))
        counting, estimate = timed(lambda m=mechanism, r=reports: large_domain(m, r))
        held = peak() / 1e9
        law = grr_loss(truth, PLACES, eps, USERS)
        if name == "LocalHash":
            law = hash_loss(truth, size, eps, USERS)
        invented = {
            rule: int(np.count_nonzero(truth[estimate.significant(rule=rule)[0]] == 0))
            for rule in ("exact", "normal")
        }
        print(
            f"{name:12} {sampling.wall:9.2f} {counting.wall:11.2f} {held:8.2f} "
            f"{estimate.loss(truth):9.3g} {law.sum():9.3g} "
            f"{estimate.loss(truth, level=0.05):9.3g}  exact {invented['exact']}, "
            f"normal {invented['normal']:,}"
        )


def information() -> None:
    """PIE of GRR on sparse tables: time against the number of entries and of symbols."""
    rng = np.random.default_rng(2)
    from scipy.sparse import csr_array

    print("\nentries   symbols    PIE seconds")
    for entries, symbols in ((10**5, 10**6), (10**6, 10**6), (10**6, 10**7)):
        cells = rng.integers(0, entries // 10, entries), rng.integers(0, symbols, entries)
        joint = csr_array((np.ones(entries, int), cells), shape=(entries // 10, symbols))
        grr = GRR(symbols, 10.0)
        seconds = best(3, lambda j=joint, g=grr: pie(j, g))
        print(f"{entries:8,} {symbols:10,} {seconds:8.3f}")


def scores() -> None:
    """The divergence of 10^5 genuine from 10^5 impostor scores, without and with ties."""
    rng = np.random.default_rng(3)
    genuine, impostor = rng.normal(1, 1, 10**5), rng.normal(0, 1, 10**5)
    print("\n10^5 against 10^5 scores    seconds   bits (truth 0.721)")
    for name, digits in (("no ties", 15), ("all tied, one digit", 1)):
        first, second = genuine.round(digits), impostor.round(digits)
        runs = [timed(lambda a=first, b=second: score_divergence(a, b)) for _ in range(7)]
        print(f"{name:26} {min(took.wall for took, _ in runs):8.4f}   {runs[0][1]:.4f}")


def matching() -> None:
    """Three attackers, thousands of released traces against as many people."""
    print("\npeople  attack   score s  entropy s  result")
    for people in (1000, 4000):
        traces = markov_traces(people, 20_000, 200, 12, 0.3, 0.4, rng=4)
        training, released = partial_knowledge(traces, 10)
        attack(people, training, released)


def attack(people: int, training: Sequences, released: Sequences) -> None:
    """One line for each matching algorithm."""
    for name, call in (
        ("Markov", lambda: MarkovAttack(training).scores(released)),
        ("TF-IDF", lambda: tfidf_scores(training, released)),
        ("cosine", lambda: cosine_scores(training, released)),
    ):
        scoring, table = timed(call)
        judging, entropy = timed(lambda t=table: system_entropy(t))
        print(f"{people:6} {name:8} {scoring.wall:7.2f} {judging.wall:9.2f}   {entropy}")


def real(folder: Path) -> None:
    """Devices by their hour and place, devices by the days they were seen, browsers."""
    wifi = folder / "wifi_probes" / "device_session.csv"
    seen = device_sessions(wifi, "device", "session")
    order = np.argsort(-seen.bits.sum(axis=0), kind="stable")
    print(f"\n{len(seen.devices):,} devices, {len(seen.sessions)} sessions: seen in the busiest k")
    for k in (1, 5, 20, 60, len(seen.sessions)):
        a = find_people(seen.bits.astype(np.int64), order[:k].tolist())
        print(
            f"k = {k:3}: {a.expected_matches:5,.0f} found, {a.certain:5,} certain, {a.bits:.2f} "
            "bits"
        )
    trace = check_ins(wifi, "device", ["position", "frames"], "first", fewest=4)
    training, released = partial_knowledge(trace.sequences)
    print(f"\ndevices in at least 4 sessions, place and number of frames: {trace.sequences}")
    attack(training.people, training, released)
    codes, names = profiles(folder / "browser_profiles" / "browser_profiles_clean.csv")
    print(f"\n{len(codes):,} browsers, found by what is known of them")
    for known in (
        ["screenWidth", "screenHeight"],
        ["viewportWidth", "viewportHeight"],
        names[:15],
        names,
    ):
        columns = [names.index(name) for name in known]
        a = find_people(codes, columns)
        print(
            f"{len(known):2} columns: {a.expected_matches:7,.0f} found "
            f"({a.expected_matches / a.people:.1%}), "
            f"{a.certain:,} certain, {a.bits:.2f} bits, error {a.error:.4f} >= {a.fano:.4f} (Fano)"
        )


def main(folder: Path | None = None) -> None:
    """Prints every table."""
    domain()
    information()
    scores()
    matching()
    if folder is not None:
        real(folder)


if __name__ == "__main__":
    run(main)

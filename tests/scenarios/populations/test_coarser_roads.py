"""Whatever rules people apply, the real protocol and the ideal road say the same.

Tables and rules are drawn: every kind of rule, alone and in chains, on values that a rule does not
understand too, for fixed people, samples, and every program that asks for columns.
"""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import veilmix
from sample_kit import sampled
from veilmix.protocol.wire.coarsening import coarsened
from veilmix.scenarios.populations import population

CHAINS: dict[str, tuple[str, ...]] = {
    "age": (
        "bins = {{ width = {width} }}",
        "bins = {{ edges = [{width}, 40, 60] }}",
        "bins = {{ quantiles = {few} }}",
        'merge = {{ "(missing)" = ["-1"] }}\nbins = {{ width = {width} }}',
        "merge_below = {few}",
    ),
    "job": (
        'fold = ["case"]',
        'fold = ["case", "spaces", "accents"]\nmerge_below = {few}',
        'fold = ["case"]\nmerge = {{ "craft" = ["cook", "baker"] }}',
        'hierarchy = "job.csv"\nlevel = 1',
    ),
    "born": ('date = "year"', 'date = "decade"', 'date = "month"', "prefix = {few}"),
    "zip": ("prefix = {few}", "prefix = 1\nmerge_below = {few}", "bins = {{ width = 1000 }}"),
}
JOBS = ("cook", "Cook", "baker", "judge", "clerk ", "café", "Cafe")
POLICIES = (
    'kind = "all"',
    'kind = "exposure"\nmax_exposure = 0.4',
    'kind = "hierarchical"\nmax_exposure = 0.4',
    'kind = "local-suppression"\nmax_exposure = 0.4',
)


def drawn(rng: np.random.Generator, folder: Path) -> str:
    """Write a table of 12 to 40 people, and a hierarchy; return a scenario on them."""
    n = int(rng.integers(12, 41))
    ages = [str(rng.choice([*map(str, range(15, 80)), "-1", "", "old"])) for _ in range(n)]
    jobs = [str(rng.choice(JOBS)) for _ in range(n)]
    born = [f"{rng.integers(1, 29)}.{rng.integers(1, 13)}.{1940 + rng.integers(60)}" for _ in jobs]
    zips = [f"{rng.integers(10**5):05}" for _ in range(n)]
    born[0] = "28.12.1950"  # whose month is known
    rows = zip(ages, jobs, born, zips, strict=True)
    lines = ["age;job;born;zip", *map(";".join, rows)]
    (folder / "people.csv").write_text("\n".join(lines) + "\n", "utf-8")
    known = sorted({job.strip() for job in JOBS})
    (folder / "job.csv").write_text("".join(f"{job};kind {job[0]};*\n" for job in known), "utf-8")
    features = ""
    for name in rng.permutation(sorted(CHAINS))[: rng.integers(2, 5)].tolist():
        said = str(rng.choice(CHAINS[name])) if rng.random() < 0.9 else ""
        said = said.format(width=rng.integers(3, 30), few=rng.integers(2, 4))
        features += f'[[feature]]\nname = "{name}"\n{said}\n'
    head = f"users = {n - 3}" if rng.random() < 0.3 else ""
    return (
        f'[scenario]\nname = "s"\nseed = {rng.integers(10**6)}\n[population]\n'
        f'source = "people.csv"\nroles = {{ zip = "quasi", born = "quasi" }}\n{head}\n'
        f"[policy]\nk = 2\n{rng.choice(POLICIES)}\n{features}"
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", sampled(range(16), *range(1, 16, 2)))
def test_real_is_ideal_for_random_rules(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng([0x20, seed])
    loaded = veilmix.loads(drawn(rng, tmp_path), base=tmp_path)
    real, ideal = veilmix.run(loaded), veilmix.run(loaded, mode="ideal")
    assert real.refused == {}
    assert real.marginals == ideal.marginals
    assert real.decision == ideal.decision
    assert real.release == ideal.release
    assert real.exposure == ideal.exposure
    people = population(loaded.population, loaded.feature, loaded.scenario.seed, tmp_path)
    for j, feature in enumerate(people.schema.features):
        said = Counter(coarsened(feature.rules, people.exact_values(i)[j]) for i in range(people.n))
        assert real.marginals is not None
        assert {value: many for (value,), many in real.marginals[j].items() if many} == said

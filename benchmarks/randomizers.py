"""Randomize and estimate: time, memory and error, beside public packages if they are installed.

python benchmarks/randomizers.py

Each line runs in a process of its own, so that its memory is its own. The public packages are not
requirements of veilmix. To compare, make an environment of its own with `python -m venv FOLDER` and
`FOLDER/bin/pip install . multi-freq-ldpy pure-ldp`, and run this file with FOLDER/bin/python.
"""

from multiprocessing import get_context
from typing import Any

import numpy as np
from harness import best, peak, run, timed
from veilmix.analysis.randomizers import GRR, LocalHash, Pure, UnaryEncoding

# Name: randomizer, people, seconds it may take, megabytes it may need beyond the inputs.
CASES: dict[str, tuple[Pure, int, float, float]] = {
    "GRR  10^6 x 1,000": (GRR(1000, 2.0), 10**6, 0.2, float("inf")),
    "OUE  10^5 x 1,000": (UnaryEncoding.oue(1000, 1.0), 10**5, 0.6, 150.0),
    "OLH  10^5 x 1,000": (LocalHash.olh(1000, 1.0), 10**5, 2.0, float("inf")),
    "LH g=3, 10^5 x 1,000": (LocalHash(1000, 3, 1.0), 10**5, 2.0, float("inf")),
    "LH g=2^26, 1.37 10^6 x 10.5 10^6": (
        LocalHash(10_500_000, 1 << 26, 20.0),
        1_370_637,
        120.0,
        4000.0,
    ),
}


def people_values(a: int, people: int) -> np.ndarray:
    """Zipf-like values, so that shares differ."""
    p = 1 / np.arange(1, a + 1)
    return np.random.default_rng(0).choice(a, size=people, p=p / p.sum())


def measure(name: str, pipe: object) -> None:
    """Sends seconds, megabytes and the ratio of mean squared error to the variance formula."""
    randomizer, people, _, _ = CASES[name]
    x = people_values(randomizer.inputs, people)
    truth = np.bincount(x, minlength=randomizer.inputs) / people
    before, seconds, errors = peak(), [], list[float]()
    GRR(10, 1.0).estimate(GRR(10, 1.0).sample(x[:10] % 10, rng=0))
    runs = 1 if people * randomizer.inputs > 10**10 else 5
    for seed in range(runs):
        took, estimate = timed(
            lambda seed=seed: randomizer.estimate(randomizer.sample(x, rng=seed))
        )
        seconds.append(took.wall)
        errors.append(float(((estimate.shares - truth) ** 2).sum()))
        memory = (peak() - before) / 2**20
    expected = float(randomizer.variance(truth, people).sum())
    pipe.send((min(seconds), memory, float(np.mean(errors)) / expected))  # type: ignore[attr-defined]


def packages() -> None:
    """The same on public packages, where they can be imported; 10^4 people, scaled to 10^5."""
    x = people_values(1000, 10**4)
    try:
        from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
        from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Client
    except ImportError:
        print("multi-freq-ldpy: not importable here (pip install multi-freq-ldpy to compare)")
    else:
        clients = {
            "GRR": lambda v: GRR_Client(v, 1000, 1.0),
            "OUE": lambda v: UE_Client(v, 1000, 1.0, True),
        }
        for name, client in clients.items():
            client(x[0])
            seconds = best(1, lambda client=client: [client(value) for value in x])
            print(f"multi-freq-ldpy {name}, randomize only: {10 * seconds:8.2f} s")
    try:
        from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer
        from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer
    except ImportError:
        print("pure-ldp: not importable here (pip install pure-ldp to compare)")
        return
    pairs = {
        "OUE": (UEClient(1.0, 1000, use_oue=True), UEServer(1.0, 1000, use_oue=True)),
        "OLH": (LHClient(1.0, 1000, use_olh=True), LHServer(1.0, 1000, use_olh=True)),
    }
    for name, (client, server) in pairs.items():

        def whole(client: Any = client, server: Any = server) -> None:
            for value in x[:1000]:
                server.aggregate(client.privatise(int(value) + 1))
            server.estimate_all(range(1, 1001), suppress_warnings=True)

        print(f"pure-ldp {name}, randomize and estimate: {100 * best(1, whole):8.2f} s")


def main() -> None:
    """Prints the table, then the packages."""
    print(f"{'case':34} seconds  allowed      MB  allowed  error/variance [0.9, 1.1]")
    context = get_context("spawn")
    for name, (_, _, allowed, memory_allowed) in CASES.items():
        receiver, sender = context.Pipe()
        process = context.Process(target=measure, args=(name, sender))
        process.start()
        seconds, memory, ratio = receiver.recv()
        process.join()
        limits = f"{memory:7.0f}  {memory_allowed:7.0f}"
        print(f"{name:34} {seconds:7.3f}  {allowed:7.1f} {limits}  {ratio:.3f}")
    print("\npublic packages, the same a = 1,000 and epsilon = 1, for 10^5 people:")
    packages()


if __name__ == "__main__":
    run(main)

"""A run whose long work is done by a Dask cluster of two workers here, beside one in processes.

    python benchmarks/executors.py [PEOPLE] [TIMES]

Prints wall seconds and CPU seconds (of this process, its copies, the scheduler and the workers) of
both, in turn, and their ratios; at most 1.3 of either is wanted. The digests must be the same.
"""

import time

import distributed
import veilmix
from harness import Turns, run
from veilmix.roles.compute.backend import Workplace
from veilmix.roles.compute.backends import workplace
from veilmix.scenarios.lab.validation.load import loads

SCENARIO = """
[scenario]
name = "executors"
[population]
source = "builtin:census"
users = {people}
[policy]
k = 10
max_exposure = 0.05
"""


def main(people: int = 12_000, times: int = 3) -> None:
    """Print what both took, and the ratios."""
    scenario = loads(SCENARIO.format(people=people))

    def digest(place: Workplace) -> str:
        return veilmix.run(scenario, 7, workplace=place, worst_case_nodes=0).digest

    with (
        workplace("process") as here,
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as made,
        distributed.Client(made, set_as_default=False) as client,
        workplace(f"dask:{made.scheduler_address}") as there,
    ):

        def workers_seconds() -> float:
            spent: dict[str, float] = client.run(time.process_time)
            return sum(spent.values())

        turns = Turns(
            times,
            {"processes": lambda: digest(here), "cluster": lambda: digest(there)},
            elsewhere=workers_seconds,
        )
    assert len(set(turns.results.values())) == 1, "not the same run"
    turns.show()


if __name__ == "__main__":
    run(main)

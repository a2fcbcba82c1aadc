"""A run whose long work is done by a Dask cluster of two workers here, beside one in processes.

    python benchmarks/executors.py [PEOPLE] [TIMES]

Prints wall seconds and CPU seconds (of this process, its copies, the scheduler and the workers) of
both, in turn, and their ratios; at most 1.3 of either is wanted. The digests must be the same.
"""

import resource
import sys
import time
from typing import Any

import distributed
import veilmix
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


def processor(client: Any) -> float:
    """CPU seconds of this process, those that it has waited for, and the workers."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    here: float = sum(usage.ru_utime + usage.ru_stime for usage in used)
    return here + sum(client.run(time.process_time).values())


def timed(people: int, place: Workplace, client: Any) -> tuple[float, float, str]:
    """Wall seconds, CPU seconds, digest."""
    scenario = loads(SCENARIO.format(people=people))
    cpu, wall = processor(client), time.perf_counter()
    outcome = veilmix.run(scenario, 7, workplace=place, worst_case_nodes=0)
    wall = time.perf_counter() - wall
    return wall, processor(client) - cpu, outcome.digest


def main(people: str = "12000", times: str = "3") -> None:
    """Print a line for each pair."""
    print("      processes         cluster           cluster / processes")
    print("      wall     CPU      wall     CPU      wall    CPU")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as made,
        distributed.Client(made, set_as_default=False) as client,
        workplace("process") as here,
        workplace(f"dask:{made.scheduler_address}") as there,
    ):
        for _ in range(int(times)):
            wall, cpu, digest = timed(int(people), here, client)
            wall_2, cpu_2, other = timed(int(people), there, client)
            assert other == digest
            print(
                f"{wall:10.1f} {cpu:7.1f} {wall_2:9.1f} {cpu_2:7.1f} "
                f"{wall_2 / wall:9.2f} {cpu_2 / cpu:6.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main(*sys.argv[1:])

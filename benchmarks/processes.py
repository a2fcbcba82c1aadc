"""Parties as processes beside parties in one process: 2,201 people, both timed in turn.

    python benchmarks/processes.py [SCENARIO] [TIMES]

Prints wall and CPU seconds (of all processes) of both, and their ratios; at most 1.5 is wanted. The
digest and everything recorded must be the same.
"""

import resource
import sys
import time
from collections.abc import Callable
from typing import Any

from veilmix.machines.processes import play_apart
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.roles.network.instruments import TranscriptRecorder
from veilmix.roles.session import play
from veilmix.scenarios.lab.play.fault_schedule import draw_faults
from veilmix.scenarios.lab.play.real import cast_of
from veilmix.scenarios.lab.play.session_plan import SessionPlan
from veilmix.scenarios.lab.validation.load import load, resolve
from veilmix.scenarios.programs.registry import samples

SEED = 3


def processor() -> float:
    """CPU seconds of this process and those that it has waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def timed(stage: Callable[..., Any], cast: Any) -> tuple[float, float, bytes, list[Any]]:
    """Wall seconds, CPU seconds, digest, and what was recorded."""
    transcript = Transcript.sized(cast.people)
    wall, cpu = time.perf_counter(), processor()
    board = stage(cast, [TranscriptRecorder(transcript)])
    wall, cpu = time.perf_counter() - wall, processor() - cpu
    events = sorted(
        (e.time, e.sender, e.receiver, str(e.kind), e.round, e.size, e.names)
        for e in transcript.events
    )
    return wall, cpu, board.digest(), events


def main(name: str = "titanic", times: str = "3") -> None:
    """Print a line for each pair."""
    scenario = load(name)
    crowd = samples(scenario, SEED)
    scenario = resolve(scenario, crowd.first, crowd.people.schema.names, crowd.round2_people)

    def cast() -> Any:
        faults = draw_faults(scenario, crowd.people.n, SEED)
        return cast_of(SessionPlan.from_scenario(scenario, crowd, faults), SEED)

    print(f"{name}, {crowd.people.n:,} people")
    print("      one process       processes         processes / one")
    print("      wall     CPU      wall     CPU      wall    CPU")
    for _ in range(int(times)):
        wall, cpu, *first = timed(play, cast())
        wall_2, cpu_2, *other = timed(play_apart, cast())
        assert first == other, "not the same run"
        print(
            f"   {wall:5.2f} s {cpu:5.2f} s   {wall_2:5.2f} s {cpu_2:5.2f} s   "
            f"{wall_2 / wall:7.2f} {cpu_2 / cpu:6.2f}"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])

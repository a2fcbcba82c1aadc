"""How long a round takes whose people do not count: from its call to its tally, all in processes.

    python benchmarks/latency.py [PEOPLE] [TIMES]

Deadlines pass at once (time is simulated), so what is left is work, TLS and waiting for each other;
by default of two people. A machine that others work on as well measures them too: on Linux
`chrt -r 1 python benchmarks/latency.py` goes before them. At most 100 ms are wanted.
"""

import sys

from veilmix.machines import processes
from veilmix.protocol.wire.frames import decode_message
from veilmix.protocol.wire.messages import Kind
from veilmix.scenarios.lab.play.fault_schedule import draw_faults
from veilmix.scenarios.lab.play.real import cast_of
from veilmix.scenarios.lab.play.session_plan import SessionPlan
from veilmix.scenarios.lab.validation.load import change, load, resolve
from veilmix.scenarios.programs.registry import samples

SEED = 3
WANTED = {"mix.shufflers": 2, "mix.min_batch": 1, "policy.kind": "all", "policy.k": 1}


class Timed(processes._Stage):
    """A stage that notes when the board had which post."""

    posts: list[tuple[int, Kind]] = []  # noqa: RUF012 - of the last session

    def _show(self) -> None:
        Timed.posts += [
            (when, decode_message(given[2]).kind)
            for when, name, given in self._hooks
            if name == "posted"
        ]
        super()._show()


def main(people: str = "2", times: str = "10") -> None:
    """Print the milliseconds of each round of each session."""
    processes._Stage = Timed  # type: ignore[misc]
    scenario = change(load("blood-type"), {**WANTED, "population.users": int(people)})
    crowd = samples(scenario, SEED)
    scenario = resolve(scenario, crowd.first, crowd.people.schema.names, crowd.round2_people)
    rounds: list[list[float]] = []
    for _ in range(int(times)):
        Timed.posts = []
        faults = draw_faults(scenario, crowd.people.n, SEED)
        plan = SessionPlan.from_scenario(scenario, crowd, faults)
        processes.play_apart(cast_of(plan, SEED))
        posts = sorted(Timed.posts)
        called = [when for when, kind in posts if kind is Kind.CALL]
        counted = [when for when, kind in posts if kind is Kind.TALLY]
        pairs = zip(called, counted, strict=True)
        rounds.append([(end - begin) / 1e6 for begin, end in pairs])
        print("   ".join(f"round {n}: {ms:5.1f} ms" for n, ms in enumerate(rounds[-1], start=1)))
    for number, some in enumerate(zip(*rounds, strict=True), start=1):
        ordered = sorted(some)
        middle = ordered[len(ordered) // 2]
        print(f"round {number}: median {middle:.1f} ms, {ordered[0]:.1f} to {ordered[-1]:.1f} ms")


if __name__ == "__main__":
    main(*sys.argv[1:])

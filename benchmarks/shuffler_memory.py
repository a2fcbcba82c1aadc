"""Memory of a shuffler's process beside the size of its batches, and beside their number.

    python benchmarks/shuffler_memory.py [PEOPLE ...]

For each number of people a session of two rounds is played with every party in a process of its
own, and once more one that asks in as many rounds as `hierarchical` has. Printed is the peak of
what each shuffler's process holds (VmHWM, with all that it shares with the others), and by how much
it grows from one size to the next for each envelope of a batch. Linux.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from veilmix.machines import processes
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.protocol.wire.messages import Kind
from veilmix.roles.network.instruments import TranscriptRecorder
from veilmix.scenarios.lab.play.fault_schedule import draw_faults
from veilmix.scenarios.lab.play.real import cast_of
from veilmix.scenarios.lab.play.session_plan import SessionPlan
from veilmix.scenarios.lab.validation.load import change, load, resolve
from veilmix.scenarios.programs.registry import samples

SEED = 3
SIZES = ("500", "4000", "8000", "16000")


def peak(pid: int) -> int:
    """The most that a process has held so far, in bytes."""
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024


class Weighed(processes._Stage):
    """A stage that notes how much each place has held, before it lets it go."""

    held: dict[str, int] = {}  # noqa: RUF012 - of the last session

    def kill(self, name: str) -> None:
        """Weigh it."""
        Weighed.held[name] = peak(self._processes[name].pid)
        super().kill(name)


@dataclass(frozen=True)
class Weight:
    """What a session was.

    Attributes:
        people: how many.
        rounds: how many.
        batch: bytes of the envelopes of a round.
        held: bytes by shuffler.
    """

    people: int
    rounds: int
    batch: int
    held: dict[str, int]

    def line(self, before: "Weight | None") -> str:
        """It in a line, with what an envelope more costs since another session."""
        held = "   ".join(f"{number / 1e6:7.1f} MB" for number in self.held.values())
        more = ""
        if before is not None and self.people > before.people:
            people = self.people - before.people
            slopes = ((self.held[name] - before.held[name]) / people for name in self.held)
            more = "   ".join(f"{slope:8,.0f}" for slope in slopes)
        return f"{self.people:6,} {self.rounds:6}  {self.batch / 1e6:6.1f} MB   {held}   {more}"


def played(people: int, kind: str) -> Weight:
    """Play a session."""
    wanted = {"population.users": people, "policy.kind": kind, "mix.shufflers": 2}
    scenario = change(load("blood-type"), wanted)
    crowd = samples(scenario, SEED)
    scenario = resolve(scenario, crowd.first, crowd.people.schema.names, crowd.round2_people)
    faults = draw_faults(scenario, crowd.people.n, SEED)
    cast = cast_of(SessionPlan.from_scenario(scenario, crowd, faults), SEED)
    transcript = Transcript.sized(people)
    board = processes.play_apart(cast, [TranscriptRecorder(transcript)])
    events = [event for event in transcript.events if event.kind is Kind.SUBMISSION]
    first = [event.size for event in events if event.round == 1]
    held = {name: size for name, size in Weighed.held.items() if name.startswith("shuffler")}
    return Weight(people, len(board.calls), sum(first), held)


def main(*sizes: str) -> None:
    """Print a line for each size."""
    processes._Stage = Weighed  # type: ignore[misc]
    print("people  rounds   a batch   shuffler-1   shuffler-2   bytes for each envelope more")
    before: Weight | None = None
    for size in sizes or SIZES:
        measured = played(int(size), "exposure")
        print(measured.line(before))
        before = measured
    if before is not None:
        print(f"{played(before.people, 'hierarchical').line(None)}   hierarchical")


if __name__ == "__main__":
    main(*sys.argv[1:])

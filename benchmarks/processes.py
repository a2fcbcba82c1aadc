"""Parties as processes beside parties in one process: 2,201 people, both timed in turn.

    python benchmarks/processes.py [SCENARIO] [TIMES]

Prints wall and CPU seconds (of all processes) of both, and their ratios; at most 1.5 is wanted. The
digest and everything recorded must be the same.
"""

from collections.abc import Callable
from typing import Any

from harness import Turns, run
from sessions import seeded_casts
from veilmix.machines.processes import play_apart
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.roles.network.instruments import TranscriptRecorder
from veilmix.roles.session import play


def recorded(stage: Callable[..., Any], cast: Any) -> tuple[bytes, list[Any]]:
    """Play, and return the digest and what was recorded."""
    transcript = Transcript.sized(cast.people)
    board = stage(cast, [TranscriptRecorder(transcript)])
    events = sorted(
        (e.time, e.sender, e.receiver, str(e.kind), e.round, e.size, e.names)
        for e in transcript.events
    )
    return board.digest(), events


def main(name: str = "titanic", times: int = 3) -> None:
    """Print what both took, and the ratios."""
    cast = seeded_casts(name, {})
    print(f"{name}, {cast().people:,} people")
    stages = {"one process": play, "processes": play_apart}
    turns = Turns(
        times, {way: lambda stage=stage: recorded(stage, cast()) for way, stage in stages.items()}
    )
    first, other = turns.results.values()
    assert first == other, "not the same run"
    turns.show()


if __name__ == "__main__":
    run(main)

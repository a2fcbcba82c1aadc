"""The progress bar of a run on stderr: the stage of the round, its progress and the time left."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from ...protocol.board.board import Entry
from ...protocol.knowledge.transcript import SealedAnswers
from ...protocol.wire.messages import Call
from ...roles.network.instruments import Instrument
from .layout import page

SEALING = "users seal"
STEP = 64  # people that encrypt their answers between two movements of the bar


class Bar(Instrument):
    """The instrument that moves a progress bar for each stage of each round, as the run reports it.

    progress: rich's display. people: number of people that encrypt answers in a round; None:
    unknown.
    """

    def __init__(self, progress: Progress, people: int | None) -> None:
        """Start before round 1.

        progress: draws the bar. people: number of people that encrypt answers; None: unknown.
        """
        self._progress = progress
        self._people = people
        self._tasks: dict[str, TaskID] = {}
        self._round = 0
        self._sealed = 0

    def posted(self, time: float, entry: Entry) -> None:  # noqa: ARG002 - a hook
        """Note the number of a round when the request for its columns is posted on the board."""
        if isinstance(entry.message.body, Call):
            self._round = entry.message.body.round
            self._sealed = 0

    def sealed(self, sealed_answers: SealedAnswers) -> None:  # noqa: ARG002 - a hook
        """Count a person that has encrypted the answers, and move the bar."""
        self._sealed += 1
        if self._sealed % STEP == 0 or self._sealed == self._people:
            self._move(SEALING, self._sealed, self._people)

    def stage(self, name: str, completed: int, total: int) -> None:
        """Move the bar of a stage to `completed` of `total`; the stage of encryption counts people.

        If a scenario does not give the number of people, the task that encrypts for all people
        reports it.
        """
        if name != SEALING:
            self._move(name, completed, total)
            return
        self._people = max(self._people or 0, total)
        self._move(SEALING, max(self._sealed, completed), self._people)

    def _move(self, name: str, completed: int, total: int | None) -> None:
        """Move the bar of a stage in the current round; create the bar at its first call."""
        label = f"round {self._round}  {name}"
        if label not in self._tasks:
            self._tasks[label] = self._progress.add_task(label, total=total)
        self._progress.update(self._tasks[label], completed=completed, total=total)


@contextmanager
def bar(people: int | None) -> Iterator[Bar]:
    """Yield the progress bar of a run, shown on stderr and removed at the end.

    people: number of people that encrypt answers in a round, if known.
    """
    columns = (
        TextColumn("  {task.description:<28}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=page(err=True), transient=True) as progress:
        yield Bar(progress, people)

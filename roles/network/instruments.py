"""Observers of a run: the recorder, the narrator, the progress bar.

An instrument sees events and cannot change them. An instrument that crashes is removed and
reported; the run continues.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ...crypto.keys import SecretKey
from ...protocol.board.board import Board, Entry
from ...protocol.knowledge.transcript import (
    CertificateSeen,
    Read,
    Refusal,
    SealedAnswers,
    Transcript,
)


class Instrument:
    """The hooks, all of them empty. `time` is in seconds of the run's clock."""

    @property
    def hears_sealed(self) -> bool:
        """Whether the instrument uses the sealed answers of users (`sealed`, `all_sealed`)."""
        mine, hooks = type(self), (Instrument.sealed, Instrument.all_sealed)
        return (mine.sealed, mine.all_sealed) != hooks

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        """A message went from one party to another, or onto the board."""

    def delivered(self, time: float, receiver: str, letters: Sequence[tuple[str, bytes]]) -> None:
        """Many messages went to one party at once: pairs of sender and data."""
        for sender, data in letters:
            self.carried(time, sender, receiver, data)

    def posted(self, time: float, entry: Entry) -> None:
        """The board accepted a post."""

    def sealed(self, sealed_answers: SealedAnswers) -> None:
        """A user sealed its answers."""

    def all_sealed(self, sealed_answers: Sequence[SealedAnswers]) -> None:
        """Many users sealed their answers."""
        for ballots in sealed_answers:
            self.sealed(ballots)

    def read(self, read: Read) -> None:
        """A reader counted a round."""

    def certified(self, certificate: CertificateSeen) -> None:
        """A party holds the opening of a committed decision."""

    def refused(self, refusal: Refusal) -> None:
        """A party refused a message."""

    def misled(self, board: Board, secrets: Mapping[str, SecretKey]) -> None:
        """A party was shown another board, and its maker has these keys."""

    def occasion(self, entry: int) -> None:
        """An attack was carried out: the entry of `[[fault]]` at this place in the file."""

    def stage(self, name: str, completed: int, total: int) -> None:
        """A stage of a round has processed `completed` of `total` messages."""


@dataclass(slots=True)
class TranscriptRecorder(Instrument):
    """Writes the transcript."""

    transcript: Transcript

    @property
    def hears_sealed(self) -> bool:
        """A summary does not hold the sealed answers of users."""
        return not self.transcript.summary

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        """Record the message."""
        self.transcript.carried(time, sender, receiver, data)

    def delivered(self, time: float, receiver: str, letters: Sequence[tuple[str, bytes]]) -> None:
        """Record the messages."""
        self.transcript.delivered(time, receiver, letters)

    def sealed(self, sealed_answers: SealedAnswers) -> None:
        """Record the user's sealed answers."""
        self.transcript.sealed([sealed_answers])

    def all_sealed(self, sealed_answers: Sequence[SealedAnswers]) -> None:
        """Record the sealed answers of many users."""
        self.transcript.sealed(sealed_answers)

    def stage(self, name: str, completed: int, total: int) -> None:  # noqa: ARG002
        """Name layers that wait for it, while other threads seal or open."""
        self.transcript.name_waiting()

    def read(self, read: Read) -> None:
        """Record the counts of a reader."""
        self.transcript.reads.append(read)

    def certified(self, certificate: CertificateSeen) -> None:
        """Record the opened certificate of a party."""
        self.transcript.certificates.append(certificate)

    def refused(self, refusal: Refusal) -> None:
        """Record the refusal."""
        self.transcript.refusals.append(refusal)


class Instruments:
    """The observers of a run; each call reaches all of them; one that crashes is removed."""

    def __init__(self, watching: list[Instrument], report: Callable[[str], None]) -> None:
        self._watching = watching
        self._report = report

    @property
    def hear_sealed(self) -> bool:
        """Whether any of them uses the sealed answers of users."""
        return any(instrument.hears_sealed for instrument in self._watching)

    def notify(self, hook: Callable[[Instrument], None]) -> None:
        """Call one hook of every instrument."""
        for instrument in list(self._watching):
            try:
                hook(instrument)
            except Exception as crash:
                self._watching.remove(instrument)
                name = type(instrument).__name__
                self._report(f"instrument {name} crashed and was taken off: {crash!r}")

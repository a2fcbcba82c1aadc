"""Observers of a run, such as the recorder, the narrator and the progress bar.

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
    """The base class of observers: a hook for each event, all empty.

    `time` is in seconds of the run.
    """

    @property
    def hears_sealed(self) -> bool:
        """Whether this observer overrides the hooks for sealed answers of users."""
        mine, hooks = type(self), (Instrument.sealed, Instrument.all_sealed)
        return (mine.sealed, mine.all_sealed) != hooks

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        """Hook: a message went from one party to another, or onto the board."""

    def delivered(self, time: float, receiver: str, letters: Sequence[tuple[str, bytes]]) -> None:
        """Hook: many messages went to one party at once (pairs of sender and data)."""
        for sender, data in letters:
            self.carried(time, sender, receiver, data)

    def posted(self, time: float, entry: Entry) -> None:
        """Hook: the board accepted a post."""

    def sealed(self, sealed_answers: SealedAnswers) -> None:
        """Hook: a user sealed its answers."""

    def all_sealed(self, sealed_answers: Sequence[SealedAnswers]) -> None:
        """Hook: many users sealed their answers."""
        for ballots in sealed_answers:
            self.sealed(ballots)

    def read(self, read: Read) -> None:
        """Hook: the curator or analyst counted the ballots of a round."""

    def certified(self, certificate: CertificateSeen) -> None:
        """Hook: a party received or made the opening of a committed decision."""

    def refused(self, refusal: Refusal) -> None:
        """Hook: a party refused messages."""

    def misled(self, board: Board, secrets: Mapping[str, SecretKey]) -> None:
        """Hook: a party was shown a forged board. secrets: the forger's keys on it, by party."""

    def occasion(self, entry: int) -> None:
        """Hook: an attack was carried out. entry: its index in the scenario file."""

    def stage(self, name: str, completed: int, total: int) -> None:
        """Hook: a stage of a round has processed `completed` of `total` messages."""


@dataclass(slots=True)
class TranscriptRecorder(Instrument):
    """The observer that writes the transcript of a run.

    Attributes:
        transcript: the record that grows.
    """

    transcript: Transcript

    @property
    def hears_sealed(self) -> bool:
        """Whether sealed answers are recorded: not in the summary form of a large run."""
        return not self.transcript.summary

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        """Record a message that went from one party to another, or onto the board."""
        self.transcript.carried(time, sender, receiver, data)

    def delivered(self, time: float, receiver: str, letters: Sequence[tuple[str, bytes]]) -> None:
        """Record messages that went to one party at once. letters: (sender, message) pairs."""
        self.transcript.delivered(time, receiver, letters)

    def sealed(self, sealed_answers: SealedAnswers) -> None:
        """Record the user's sealed answers."""
        self.transcript.sealed([sealed_answers])

    def all_sealed(self, sealed_answers: Sequence[SealedAnswers]) -> None:
        """Record the sealed answers of many users."""
        self.transcript.sealed(sealed_answers)

    def stage(self, name: str, completed: int, total: int) -> None:  # noqa: ARG002
        """Hook: name the layers of recorded batches by their hash, while other threads work."""
        self.transcript.name_waiting()

    def read(self, read: Read) -> None:
        """Record the counts that the curator or analyst obtained from the ballots of a round."""
        self.transcript.reads.append(read)

    def certified(self, certificate: CertificateSeen) -> None:
        """Record the opened certificate of a party."""
        self.transcript.certificates.append(certificate)

    def refused(self, refusal: Refusal) -> None:
        """Record that a party refused messages, with their number and the reason."""
        self.transcript.refusals.append(refusal)


class Instruments:
    """The observers of a run; each event reaches all of them, and a crashed observer is removed."""

    def __init__(self, watching: list[Instrument], report: Callable[[str], None]) -> None:
        """Start with these observers. report: gets the message about a crash."""
        self._watching = watching
        self._report = report

    @property
    def hear_sealed(self) -> bool:
        """Whether any observer uses the sealed answers of users."""
        return any(instrument.hears_sealed for instrument in self._watching)

    def notify(self, hook: Callable[[Instrument], None]) -> None:
        """Call a hook of every observer.

        An observer that raises an exception is removed and reported.
        """
        for instrument in list(self._watching):
            try:
                hook(instrument)
            except Exception as crash:
                self._watching.remove(instrument)
                name = type(instrument).__name__
                self._report(f"instrument {name} crashed and was taken off: {crash!r}")

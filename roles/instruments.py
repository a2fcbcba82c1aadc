"""What may watch a run: the recorder, the narrator, the progress bar.

An instrument sees what happens and cannot change it. One that crashes is taken off and reported;
the run goes on.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..crypto.keys import SecretKey
from ..protocol.board import Board, Entry
from ..protocol.transcript import CertificateSeen, Read, Refusal, SealedAnswers, Transcript


class Instrument:
    """The hooks, all of them empty. `time` is in seconds of the run's clock."""

    @property
    def hears_sealed(self) -> bool:
        """Whether it does anything with what users sealed (`sealed`, `all_sealed`)."""
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

    def sealed(self, made: SealedAnswers) -> None:
        """A user sealed its answers."""

    def all_sealed(self, made: Sequence[SealedAnswers]) -> None:
        """Many users sealed their answers."""
        for ballots in made:
            self.sealed(ballots)

    def read(self, read: Read) -> None:
        """A reader counted a round."""

    def certified(self, seen: CertificateSeen) -> None:
        """A party holds the opening of a committed decision."""

    def refused(self, refusal: Refusal) -> None:
        """A party refused a message."""

    def misled(self, board: Board, secrets: Mapping[str, SecretKey]) -> None:
        """Somebody was shown another board, whose maker has these keys."""

    def occasion(self, entry: int) -> None:
        """An attack was carried out: the entry of `[[fault]]` at this place in the file."""

    def stage(self, name: str, done: int, total: int) -> None:
        """A stage of a round has got so far, of so many messages in all."""


@dataclass(slots=True)
class Recorder(Instrument):
    """Writes the transcript."""

    transcript: Transcript

    @property
    def hears_sealed(self) -> bool:
        """A summary does not hold what users sealed."""
        return not self.transcript.summary

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        """Record the message."""
        self.transcript.carried(time, sender, receiver, data)

    def delivered(self, time: float, receiver: str, letters: Sequence[tuple[str, bytes]]) -> None:
        """Record the messages."""
        self.transcript.delivered(time, receiver, letters)

    def sealed(self, made: SealedAnswers) -> None:
        """Record what the user knows."""
        self.transcript.sealed([made])

    def all_sealed(self, made: Sequence[SealedAnswers]) -> None:
        """Record what the users know."""
        self.transcript.sealed(made)

    def stage(self, name: str, done: int, total: int) -> None:  # noqa: ARG002
        """Use the time until others have sealed or opened the rest."""
        self.transcript.name_waiting()

    def read(self, read: Read) -> None:
        """Record what the reader knows."""
        self.transcript.reads.append(read)

    def certified(self, seen: CertificateSeen) -> None:
        """Record what the party knows."""
        self.transcript.certificates.append(seen)

    def refused(self, refusal: Refusal) -> None:
        """Record the refusal."""
        self.transcript.refusals.append(refusal)


class Instruments:
    """All that watch one run; calls reach each of them, and one that crashes is taken off."""

    def __init__(self, watching: list[Instrument], report: Callable[[str], None]) -> None:
        self._watching = watching
        self._report = report

    @property
    def hear_sealed(self) -> bool:
        """Whether any of them does anything with what users sealed."""
        return any(instrument.hears_sealed for instrument in self._watching)

    def tell(self, hook: Callable[[Instrument], None]) -> None:
        """Call one hook of every instrument."""
        for instrument in list(self._watching):
            try:
                hook(instrument)
            except Exception as crash:
                self._watching.remove(instrument)
                name = type(instrument).__name__
                self._report(f"instrument {name} crashed and was taken off: {crash!r}")

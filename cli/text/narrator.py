"""The trace of `veilmix run --trace`: a printed line for each message, as it is sent."""

from collections.abc import Callable, Sequence

from ...protocol.board.board import Entry
from ...protocol.knowledge.transcript import Read, Refusal, Transcript
from ...protocol.wire.announcement import Announcement
from ...protocol.wire.messages import (
    Body,
    Burned,
    Call,
    CommittedDecision,
    Decision,
    Kind,
    Mixed,
    OpenedCertificate,
    Tally,
)
from ...roles.network.instruments import Instrument

EACH = 200  # most submissions of a round that are printed one by one; more are printed as their sum


class Narrator(Instrument):
    """The instrument that prints the trace of a run, as its network reports each event.

    The trace is a line for each message. If a round has over `EACH` submissions, a single line
    stands for all of them, unless `all_of_it`. print_line: prints a line.
    """

    def __init__(self, print_line: Callable[[str], None], *, all_of_it: bool = False) -> None:
        """Start before the session. print_line: prints a line; all_of_it: print each submission."""
        self._print_line = print_line
        self._prints_all = all_of_it
        self._held_lines: list[str] = []
        self._more = 0
        self._last: tuple[str, str] | None = None
        self._columns: tuple[str, ...] = ()

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        """Print a message between parties. Messages to the board are printed by `posted`.

        time: seconds of the run. data: the bytes of the message.
        """
        if receiver == "board":
            return
        transcript = Transcript(0)
        transcript.carried(time, sender, receiver, data)
        event = transcript.events[0]
        kind = event.kind.name.lower() if event.kind else "not a message"
        names = event.names.hex()
        layer_count = len(event.names) // 8
        description = f"{layer_count:,} layers" if event.kind is Kind.BATCH else f"{names[:8]}.."
        content = f"{kind:<12} {description}, {len(data):,} bytes"
        self._line(time, sender, receiver, content, hold=event.kind is Kind.SUBMISSION)

    def posted(self, time: float, entry: Entry) -> None:
        """Print a post on the bulletin board with its content in a few words."""
        body = entry.message.body
        if isinstance(body, Announcement):
            self._columns = body.schema.names
        content = f"{entry.message.kind.name.lower():<12} {_gist(body, self._columns)}"
        self._line(time, entry.author, "board", content)

    def read(self, read: Read) -> None:
        """Print that a reader (curator or analyst) has opened ballots, and their number."""
        ballots = sum(sum(count.values()) for count in read.counts)
        self._flush()
        self._print_line(f"{'':>8}  {read.reader} has opened and counted {ballots:,} ballots")

    def refused(self, refusal: Refusal) -> None:
        """Print that a party has refused messages, their number and the reason."""
        self._flush()
        self._print_line(
            f"{'':>8}  {refusal.party} refuses {refusal.count:,} as {refusal.reason} "
            f"(round {refusal.round})"
        )

    def _line(
        self, time: float, sender: str, receiver: str, content: str, *, hold: bool = False
    ) -> None:
        """Print a line on a message, or hold the line back.

        time: seconds of the run. sender, receiver: the parties. content: the message in a few
        words. hold: whether the message is a submission. Submissions are held back until another
        kind of message shows how many submissions there are.
        """
        line = f"{time:6.0f} s  {sender + ' -> ' + receiver:<25}  {content}".rstrip()
        if not hold or self._prints_all:
            self._flush()
            self._print_line(line)
        elif len(self._held_lines) < EACH and not self._more:
            self._held_lines.append(line)
        else:
            self._more += 1
        self._last = (f"{time:6.0f} s", receiver)

    def _flush(self) -> None:
        """Print the submissions that were held back: a line for each, or a line with their sum."""
        if self._more and self._last:
            people = len(self._held_lines) + self._more
            time, receiver = self._last
            self._print_line(f"{time}  {'users -> ' + receiver:<25}  {people:,} submissions")
        else:
            for line in self._held_lines:
                self._print_line(line)
        self._held_lines, self._more = [], 0


def _gist(body: Body, names: Sequence[str]) -> str:
    """Return the content of a post in a few words. names: the names of the columns."""
    match body:
        case Announcement():
            return f"{len(body.schema.features)} features, k = {body.policy.k}"
        case Call():
            asks = ", ".join(" x ".join(names[column] for column in ask) for ask in body.asks)
            return f"round {body.round}: {asks}, for the {body.reader}"
        case Mixed():
            refused = sum(body.refused.values())
            return f"{body.received:,} in, {body.forwarded:,} out, {refused:,} refused"
        case Tally():
            return f"{sum(body.totals):,} ballots"
        case Decision() | CommittedDecision():
            columns_text = ", ".join(names[column] for column in body.kept) or "nothing"
            if isinstance(body, CommittedDecision):
                return f"keep {columns_text}; what proves it stays sealed"
            return f"keep {columns_text}; at most {body.certificate.people:,} people exposed"
        case OpenedCertificate():
            return f"at most {body.certificate.people:,} people exposed, by what was sealed"
        case Burned():
            return body.why
    return ""

"""Commands of the teacher during a session: a line in the terminal, or a button of teacher_page.py.

Enter      before the session: begin; after its end: end it; else: show the awaited people
r, Enter   after its end: repeat it with the phones that are here, if that is safe (repeats.py)
a number   before the session: so many people may join from one network address
w, Enter   while a round is open: wait longer, by `MORE` seconds each time
g, Enter   while a round is open: go on without the awaited people
"""

from collections.abc import Callable

import trio

from ..languages.language import english
from ..scenarios.programs.capability import AnswerKind
from ..scenarios.programs.registry import answers_in
from ..scenarios.schema.model import Scenario
from .classroom import MOST_PHONES, Classroom

MORE = 30.0  # seconds of one extension of a round
SPARE = 300  # seconds of all extensions of a round together
LONGEST = 3_600  # longest round that can be extended, in seconds
DIGITS = 9  # digits of a typed number that are read; further digits are ignored

Lines = Callable[[], str | None]
LineSink = Callable[[str], None]


def spare_of(scenario: Scenario) -> int:
    """Return the seconds by which the teacher can extend a round, all extensions together.

    Parties collect for the deadline and these seconds, unless the teacher's computer closes the
    round before. 0 for rounds of more than an hour. 0, too, for the program `threshold`: there the
    first half of a round is for queries to the party `randomness`, and that half cannot be
    extended.
    """
    return (
        0 if answers_in(scenario) is AnswerKind.OPENED or scenario.mix.deadline > LONGEST else SPARE
    )


class Teacher:
    """The teacher's commands during a session, and the choices that they have set.

    Args:
        room: the class.
        needed: the smallest number of people with which the session begins.
        missing: returns the names of the shufflers that no other computer offers to run yet.
        print_line: receives lines for the teacher.

    Attributes:
        is_starting: whether the session is to begin now.
        closing: the number of the round that is to be closed now; 0: no round.
        end_event: set when the teacher ends the session after its results.
        absent: whether the teacher's terminal is gone.
        needed: the smallest number of people with which the session begins.
    """

    def __init__(
        self,
        room: Classroom,
        needed: int,
        missing: Callable[[], tuple[str, ...]],
        print_line: LineSink,
    ) -> None:
        """Start before the session, without a command.

        needed: the smallest number of people with which the session begins. missing: returns the
        names of the shufflers that no other computer offers to run yet. print_line: receives lines
        for the teacher.
        """
        self.is_starting = False
        self.closing = 0
        self.end_event = trio.Event()
        self.absent = False
        self._chosen = trio.Event()
        self._room = room
        self.needed = needed
        self._missing = missing
        self._print_line = print_line

    async def listen(self, read: Lines) -> None:
        """Read and carry out commands to the end of the teacher's input; then end the session.

        read: waits, in a thread, for a typed line; returns None at the end of the input.
        """
        while (line := await trio.to_thread.run_sync(read, abandon_on_cancel=True)) is not None:
            self.hear(line.strip().lower())
        self.absent = True
        self.end()

    def hear(self, line: str) -> None:
        """Carry out the command in a line that the teacher typed."""
        room = self._room
        if room.ended:
            self.repeat() if line == "r" else self.end()
        elif not room.started:
            self.let_in(int(line[:DIGITS])) if line.isdecimal() else self.begin()
        elif not room.collecting:
            self._print_line("no round is open now")
        elif line == "w":
            self.wait()
        elif line == "g":
            self.close()
        else:
            self._print_line(self.awaited)

    @property
    def lacks(self) -> tuple[int, tuple[str, ...]]:
        """The number of people, and the names of shufflers, that are still missing to begin."""
        return max(0, self.needed - len(self._room.phones)), self._missing()

    def begin(self) -> bool:
        """Begin the session if enough people and all shufflers are here; return whether it begins.

        If not, print the number of people, and the missing shufflers.
        """
        present_people, (missing_people, missing) = len(self._room.phones), self.lacks
        if missing_people:
            are = "person is" if present_people == 1 else "people are"
            self._print_line(
                f"{present_people} {are} here; fewer than {self.needed} are not asked anything"
            )
        for name in missing:
            self._print_line(f"nobody mixes as {name} yet: veilmix serve {name} ADDRESS")
        self.is_starting = not missing_people and not missing
        return self.is_starting

    def wait(self) -> bool:
        """Extend the open round by `MORE` seconds; return False if its longest time is reached."""
        longer = self._room.extend(MORE)
        time_text = f"{self._room.seconds_left:.0f} seconds left"
        self._print_line(time_text if longer else "a round cannot become longer than that")
        return longer

    def close(self) -> bool:
        """Have the open round closed, although some people have not answered yet.

        Return True, because this command is always possible in an open round.
        """
        self.closing = self._room.round
        return True

    def end(self) -> bool:
        """End the session, if its results are shown; return True.

        The result is always True, because a teacher may always end the session then.
        """
        self.end_event.set()
        self._chosen.set()
        return True

    def repeat(self) -> bool:
        """Choose to repeat the session; return False, and print the reason, if that is not safe."""
        if not self._room.repeatable:
            self._print_line(english().say(self._room.final))
            return False
        self._chosen.set()
        return True

    async def choice(self) -> bool:
        """Wait until the teacher ends the session or repeats it; return whether it is repeated."""
        await self._chosen.wait()
        self._chosen = trio.Event()
        self.is_starting, self.closing = False, 0
        return not self.end_event.is_set()

    def let_in(self, limit: int) -> bool:
        """Set the number of people that may join from one network address.

        Return False, and print what is accepted, if the number is impossible.
        """
        if not 1 <= limit <= MOST_PHONES:
            self._print_line(
                f"found {limit} people from one address; 1 to {MOST_PHONES} are accepted"
            )
            return False
        self._room.let_in(limit)
        self._print_line(f"so many people may join from one address now: {limit}")
        return True

    @property
    def awaited(self) -> str:
        """A line for the teacher: numbers of answers and of awaited people, and the commands."""
        room = self._room
        silent = len(room.due) - room.answered
        are = "is" if silent == 1 else "are"
        return (
            f"round {room.round}: {room.answered} of {len(room.due)} have answered, {silent} {are} "
            f"silent, {room.seconds_left:.0f} seconds left; w: wait {MORE:.0f} seconds more, g: go "
            "on without them (and Enter)"
        )

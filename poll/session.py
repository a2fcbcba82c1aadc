"""A session of phones, from the first person that joins to the last post on the board.

The parties are those of every session (`roles`), in this process, in real time. Users are
people: the messages that their phones send are put on the network unchanged. All other parties run
on this computer, so it holds their keys, and the page says so. If shufflers are on other computers
(`party_places.py`), they hold their own keys.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import trio
from msgspec.structs import replace as replace_struct

from ..languages.language import Language, language_of
from ..machines.gate import Gate, fresh_code, from_where, listeners_at, names_of, serve_phone
from ..number_text import plural
from ..protocol.board.board import Board
from ..protocol.board.phases import Phase
from ..protocol.knowledge.transcript import Transcript
from ..protocol.rounds.round_context import Round
from ..roles.adversary_record import AdversaryRecord
from ..roles.cast import Cast
from ..roles.compute.event_loop import run_loop
from ..roles.network.instruments import Instrument, Instruments, TranscriptRecorder
from ..roles.network.memory_network import Network
from ..scenarios.programs.capability import AnswerKind
from ..scenarios.programs.registry import answers_in
from ..scenarios.schema.model import Scenario
from .cheats import committed, happened
from .class_settings import ClassTerms
from .classroom import MOST_PHONES, Classroom
from .editor import Editor
from .end_figures import measured_of
from .farewell import Farewell
from .fingerprint_words import to_compare
from .mixers import Mixers
from .noise import noisy_result, result_data
from .page_facts import facts_of
from .party_places import PendingSession, all_here, cast_of, mixed_elsewhere
from .precision_forecast import expected_of
from .preview import preview_of
from .questions import empty_population, promise_of, table_of
from .questions_file import QuestionsFile
from .refusal import Unwelcome
from .repeats import RETURN_SECONDS, reason_against
from .seeds import Seeds
from .session_result import Finished, FinishedSession
from .simulated_people import SimulatedPeople
from .singles import counts_data, singles_of
from .slips import Slips
from .teacher import Lines, Teacher, spare_of
from .teacher_page import TeacherPage
from .wall import Wall
from .wall_page import QrCode, WallPage
from .web import PhoneServer

GRACE = 4.0  # seconds for which this computer still answers after the last post, for slow phones
# seconds after the last answer, before the round is closed early: a pause for slow messages
BREATH = 0.2
LOOK = 0.1  # seconds between two checks for new answers

LineSink = Callable[[str], None]


class EagerClock(trio.abc.Clock):
    """A trio clock of real time that can skip the rest of a deadline.

    A shuffler collects submissions until its deadline, because it cannot know which users are still
    thinking. In a class the session skips to the deadline as soon as all joined people have
    answered.
    """

    def __init__(self) -> None:
        """Start at the real time, before any wait is skipped.

        The clock shows the real time plus the skipped seconds. `skip_to` ends a wait for a deadline
        early, by adding the seconds that remain until this deadline.
        """
        self._skipped_seconds = 0.0

    def start_clock(self) -> None:
        """Do nothing: real time passes without being started."""

    def current_time(self) -> float:
        """Return the time in seconds, from an arbitrary beginning."""
        return time.monotonic() + self._skipped_seconds

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """Return the real seconds until a time of this clock. deadline: the time, in seconds."""
        return deadline - self.current_time()

    def skip_to(self, then: float) -> None:
        """Advance the session's clock to a time, to end a wait early; it never goes back.

        then: the time, in seconds of this clock.
        """
        self._skipped_seconds += max(0.0, then - self.current_time())


class PhoneSession:
    """A session of phones: its web server, its parties and its rounds.

    Args:
        scenario: the questions and the promise.
        terms: the settings of the class.
        print_line: receives lines for the teacher.
        file: the file of the questions, for the editor; None: the questions cannot change.
        qr: returns a QR code of an address as SVG, for the wall; "" if no code can be drawn.
    """

    def __init__(
        self,
        scenario: Scenario,
        terms: ClassTerms,
        print_line: LineSink,
        file: QuestionsFile | None = None,
        qr: QrCode = lambda _: "",
    ) -> None:
        """Prepare the class, the wall, the pages and the teacher's commands.

        scenario: the questions and the promise. print_line: receives lines for the teacher. file:
        the file of the questions; None: the questions cannot change. qr: returns a QR code of an
        address as SVG; "" if no code can be drawn.
        """
        self.code = fresh_code()
        spare = spare_of(scenario)
        extended_mix = replace_struct(scenario.mix, deadline=scenario.mix.deadline + spare)
        self.scenario = replace_struct(scenario, mix=extended_mix)
        slips = Slips(terms.slips) if terms.slips else None
        # printed slips already admit one person each, so no limit per network address is needed
        device_limit = MOST_PHONES if slips else terms.most_of_one
        proved = scenario.mix.kind == "verified"
        self.room = Classroom(scenario.mix.deadline, device_limit, spare, slips, registered=proved)
        self.mixers = (
            Mixers(scenario.mix.shufflers, self.room.change) if terms.has_remote_shufflers else None
        )
        self._language = language_of(terms.language)
        once = scenario.mix.submit == "once"
        wall_facts = scenario.scenario.title, scenario.mix.shufflers, self._language
        self.wall = Wall(*wall_facts, proved=proved, once=once)
        self._terms = terms
        self._print_line = print_line
        self._clock = EagerClock()
        needed = scenario.mix.min_batch
        self._led = False
        self.teacher = Teacher(self.room, needed, lambda: self._missing, print_line)
        self._desk: PhoneServer | None = None
        editor = None if file is None else Editor(file, self, self.room.slips is not None)
        self.page = TeacherPage(self.room, self.teacher, terms.host, editor)
        self.wall_page = WallPage(self.room, self.facts, lambda: self.scenario, qr)
        self.farewell = Farewell(self.room, self.wall)
        self._last_counts = (0, 0, 0)
        # number of the last attempt of the session (from 1) whose words were printed, which people
        # compare with their phones; 0: none
        self._read_out = 0
        self._mixing: set[str] = set()
        self._refused: set[str] = set()

    def hold(
        self, opened: LineSink, lines: Lines | None = None, finished: Finished | None = None
    ) -> FinishedSession:
        """Run the session to its end; return its result.

        Args:
            opened: receives the address of the session.
            lines: waits, in a thread, for a line that the teacher types. The results then stay
                shown until the teacher ends the session (teacher.py). None: no teacher sits at a
                terminal.
            finished: called in a thread when the session is over, while its results are still
                shown.

        Raises:
            StorageError: the port cannot be opened.
            KeyboardInterrupt: the session was stopped early, and phones were informed.
        """
        return run_loop(self._hold, opened, lines, finished, clock=self._clock)

    def facts(self, language: Language | None = None) -> dict[str, Any]:
        """Return the state that phones receive besides the posts of the board.

        language: the language of the phone's page; None: English.
        """
        return facts_of(self.scenario, self._terms, self.room, self.mixers, language)

    @property
    def settled(self) -> bool:
        """Whether the questions can no longer change: the session begins now, or has begun."""
        return self.room.settled or self.teacher.is_starting or bool(self.room.ended)

    def set_questions(self, scenario: Scenario, lang: str | None) -> None:
        """Change the questions before the session begins; inform phones, wall and terminal.

        scenario: the new questions, with the same kinds of policy and mix. lang: the tag of the
        questions' language; None: each phone chooses.
        """
        spare, mix, defence = spare_of(scenario), self.scenario.mix, self.scenario.defence
        times = {"deadline": scenario.mix.deadline + spare, "min_batch": scenario.mix.min_batch}
        self.scenario = replace_struct(
            self.scenario,
            scenario=scenario.scenario,
            feature=scenario.feature,
            policy=scenario.policy,
            # keep the other settings of the mix, which a switched-on attack may have changed
            mix=replace_struct(mix, **times),
            defence=replace_struct(defence, min_dropout=scenario.defence.min_dropout),
        )
        self._terms = replace(self._terms, language=lang)
        self._language = language_of(lang)
        if self._desk is not None:
            self._desk.language = lang
        self.teacher.needed = scenario.mix.min_batch
        self.wall.set_title(scenario.scenario.title, self._language)
        self.room.set_times(scenario.mix.deadline, spare)
        self._print_line(
            f"the questions were changed on the teacher's page: {scenario.scenario.title}: "
            f"{plural(len(scenario.feature), 'question')}, from {scenario.mix.min_batch} people "
            "on, "
            f"{scenario.mix.deadline} seconds for a round; promised: {promise_of(scenario)}"
        )

    def preview(self, scenario: Scenario, language: Language) -> dict[str, Any]:
        """Return the data with which a phone's screens are shown for questions, before the session.

        language: the language of the phone's page.
        """
        return preview_of(scenario, self._terms, self.room.slips, self.mixers, language)

    async def _hold(
        self, opened: LineSink, lines: Lines | None, finished: Finished | None
    ) -> FinishedSession:
        """Open the web server, play the session and its repetitions, and show the results.

        opened: receives the address of the session. lines: waits, in a thread, for a line that
        the teacher types; None: no teacher at a terminal. finished: called in a thread when the
        session is over.
        """
        listeners = await listeners_at(self._terms.host, self._terms.port)
        port = listeners[0].socket.getsockname()[1]
        gate = Gate(names_of(self._terms.host, port))
        about = (self.facts, self.wall, self.mixers, self._terms.language)
        pages = self.page, self.wall_page
        desk = self._desk = PhoneServer(self.room, self.code, gate, *about, *pages)
        self.wall_page.address = f"{gate.names[0]}/{self.code}"
        async with trio.open_nursery() as nursery:
            server = desk.server(self._print_line)
            nursery.start_soon(trio.serve_listeners, partial(serve_phone, server), listeners)
            nursery.start_soon(self.farewell.hear)
            opened(f"http://{gate.names[0]}/{self.code}")
            page = f"http://{gate.names[0]}/{self.code}/teacher/{self.page.secret}"
            self._print_line(f"your own page, on this computer alone: {page}")
            nursery.start_soon(self.farewell.watch, nursery.cancel_scope)
            if lines is not None:
                self._led = True
                nursery.start_soon(self.teacher.listen, lines)
            finished_session, is_reported = await self._attempt(desk), False
            while await self._repeated():
                finished_session = await self._attempt(desk)
            await self._measure(finished_session)
            if finished is not None:
                await trio.to_thread.run_sync(finished, finished_session)
                is_reported = True
            await self._stay()
            nursery.cancel_scope.cancel()
        if finished is not None and not is_reported:
            # The teacher pressed Ctrl-C while the ended session could still be repeated. This
            # cancelled the tasks above before they called `finished`.
            finished(finished_session)
        return finished_session

    async def _measure(self, finished_session: FinishedSession) -> None:
        """Compute and show the figures on attacks and linked people at the end of a session.

        They are shown only if a run folder is written.
        """
        if self._terms.has_run_folder:
            figures = await trio.to_thread.run_sync(measured_of, self.scenario, finished_session)
            self.wall_page.measured = figures
            self.room.change()

    async def _attempt(self, desk: PhoneServer) -> FinishedSession:
        """Play one attempt of the session to its end, with its own simulated people.

        desk: the web server, to which phones and simulated people submit.
        """
        async with trio.open_nursery() as nursery:
            simulated = SimulatedPeople(self.room, lambda: self.scenario, self._terms.simulated)
            simulated.join()
            nursery.start_soon(simulated.live, desk)
            finished_session = await self._play(desk)
            nursery.cancel_scope.cancel()
        desk.rest()
        return finished_session

    async def _repeated(self) -> bool:
        """Wait for the teacher's choice; return whether the session is to be repeated.

        Return False without waiting if a repeat is not safe, for example because answers were
        counted.
        """
        room = self.room
        if not room.repeatable:
            return False
        self._print_line(f"nothing was counted: {room.ended}")
        self._print_line("r and Enter: repeat it with those who are here; Enter: end it")
        if not await self.teacher.choice():
            room.final = "teacher-over"
            room.change()
            return False
        room.begin_again()
        self.wall.begin_again(room.attempt)
        self._print_line(
            f"attempt {room.attempt}: phones come back within {RETURN_SECONDS:.0f} seconds"
        )
        return True

    async def _stay(self) -> None:
        """Keep the results shown until the teacher ends the session.

        Without a teacher at the terminal: for a few seconds, so that slow phones can read the
        results.
        """
        if self._led and self.room.started and not self.teacher.absent:
            if not self.teacher.end_event.is_set():
                self._print_line("the results stay on the wall and on phones until you press Enter")
            await self.teacher.end_event.wait()
        else:
            await trio.sleep(GRACE if self.room.phones else 0)

    @property
    def _missing(self) -> tuple[str, ...]:
        """The shufflers that no other computer offers to run yet; empty if all run here."""
        return self.mixers.missing if self.mixers else ()

    async def _enough(self) -> bool:
        """Wait for people and shufflers to join; return False if too few have joined in time."""
        patience = RETURN_SECONDS if self.room.attempt > 1 else self._terms.patience
        with trio.move_on_after(patience):
            while not self.teacher.is_starting and self._awaits_people:
                self._count()
                await trio.sleep(LOOK)
        self.room.settled = True
        self._count()
        return len(self.room.phones) >= self.teacher.needed and not self._missing

    @property
    def _awaits_people(self) -> bool:
        """Whether the session still waits to begin: for people, for shufflers, or for the teacher.

        It waits for the teacher if the number of people to wait for is not set.
        """
        people = self.room.returning if self.room.attempt > 1 else self._terms.people
        if people is None:
            return True
        awaited_people = people + self._terms.simulated
        return len(self.room.phones) < max(self.teacher.needed, awaited_people) or bool(
            self._missing
        )

    def _count(self) -> None:
        """Print and show the numbers of people and of answers, if they have changed."""
        room = self.room
        mixing = self.mixers.present_seats if self.mixers else {}
        for name in mixing.keys() - self._mixing:
            self._print_line(f"{name} is {mixing[name].who.name} at {mixing[name].host}")
        for name in self._mixing - mixing.keys():
            self._print_line(f"{name} has left")
        if mixing.keys() != self._mixing:
            self.wall.mixed_by(
                tuple(f"{name} is {seat.who.name} at {seat.host}" for name, seat in mixing.items())
            )
        self._mixing = set(mixing)
        for device in room.turned_away.keys() - self._refused:
            self._print_line(
                f"{device} wants to be more than {room.most_of_one} people, and is refused; "
                "--one-address lets in more, and so does a number where Enter begins"
            )
        self._refused = set(room.turned_away)
        self.wall.admits(room.devices, room.slips)
        self.wall.crowd(len(room.phones), room.simulated, self._terms.simulated)
        if not room.started:
            crowd = len(room.phones), self._terms.people
            self.wall.expect(expected_of(self.scenario, *crowd, self._language))
        now = len(room.phones), room.round, room.answered
        if now == self._last_counts:
            return
        self._last_counts = now
        simulated_count = self._terms.simulated
        people_text = f"{now[0]} {'person is' if now[0] == 1 else 'people are'} here"
        people_text += f", {simulated_count} of them simulated" if simulated_count else ""
        people_text += from_where(room.devices)
        people_text += (
            f"; {room.slips.used} of {room.slips.number} slips are used" if room.slips else ""
        )
        answers_text = f"; round {now[1]}: {now[2]} have answered" if now[1] else ""
        if room.collecting:
            self.wall.awaits(now[2], len(room.due))
        self._print_line(people_text + answers_text)

    async def _play(self, desk: PhoneServer) -> FinishedSession:
        """Wait for people, then run all rounds with their parties; return the result.

        desk: the web server, to which phones submit.
        """
        transcript = Transcript.sized(0)
        if not await self._enough():
            # A repeat is offered only after the first attempt: before it no session has been
            # played, so `led` (a teacher can repeat) is then False.
            led = self._led and self.room.attempt > 1
            self.room.final = reason_against(self.scenario, self._terms, (), 0, led=led)
            self.room.end(self._too_small())
            silent = Network(Instruments([], self._print_line))
            return FinishedSession(None, transcript, silent, {}, self.room, 0.0)
        cast = committed(self.scenario, cast_of(self.scenario), empty_population(self.scenario))
        cheating, lent = cast.adversary, AdversaryRecord()
        if answers_in(self.scenario) is AnswerKind.OPENED and self._terms.has_run_folder:
            # The record `lent` collects the keys of the party `randomness`, with which the rows for
            # the run folder are opened. It stands in the place of an attacker's record, but no
            # party deviates.
            cast = replace(cast, adversary=lent)
        if self.room.registered:
            cast = replace(cast, registry=self.room.enroll())
        adversaries = [cheating] if cheating else []
        tools = [TranscriptRecorder(transcript), *adversaries, self.room, self.wall]
        stage = await self._staged(cast, tools)
        network, began = stage.network, time.monotonic()
        self.room.started, self.room.board = True, network.board
        self.room.change()
        desk.plan = partial(_plan, network)
        desk.deliver = partial(_deliver, network)
        desk.seeds = Seeds(self.room, network)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(stage.play)
            while network.board.phase is not Phase.OVER or network.board.due is not None:
                await self._look(stage)
            self._count()
            await self._say_what_noise_leaves(network.board)
            if stage.mixer_link is None:
                self._say_singles(network.board, transcript)
            posts = len(network.board.entries)
            self.room.final = reason_against(
                self.scenario, self._terms, transcript.events, posts, led=self._led
            )
            self.room.ended = network.board.burned or "over"
            if cheated := happened(self.scenario, self._language):
                self.wall.own_up(self._language.say("cheated-wall", **cheated))
            self.wall.over()
            self.room.change()
            await trio.sleep(GRACE if stage.mixer_link else 0)
            # without this the parties would go on, to refuse late messages; phones have been told
            # of the end
            nursery.cancel_scope.cancel()
        seconds, board = time.monotonic() - began, network.board
        session_fields = (board, transcript, network, stage.keys, self.room, seconds)
        return FinishedSession(*session_fields, cheating, lent.functions)

    async def _say_what_noise_leaves(self, board: Board) -> None:
        """Show the estimated shares and the privacy guarantees, if phones have added noise."""
        simulated = len(self.room.simulated)
        result = await trio.to_thread.run_sync(noisy_result, self.scenario, board, simulated)
        if result is not None:
            self.room.noisy_result = result
            self.wall.show_result(result_data(result, self._language))

    def _say_singles(self, board: Board, transcript: Transcript) -> None:
        """Show the counts of each question alone, if the counts of all together are not published.

        Only if the second round was aborted because phones were missing.
        """
        singles = singles_of(self.scenario, board, transcript, self.room.handed_in)
        if singles is not None:
            self.room.singles = singles
            self.wall.show_result(counts_data(singles, self._language))

    async def _staged(self, cast: Cast, tools: list[Instrument]) -> PendingSession:
        """Set up the session with all parties here, or with shufflers on other computers.

        cast: the inputs of the session. tools: observers of the network.
        """
        if self.mixers is None:
            return all_here(cast, tools, self._print_line)
        questions = table_of(self.scenario)
        host = self._terms.host
        return await mixed_elsewhere(cast, tools, self._print_line, self.mixers, questions, host)

    def _too_small(self) -> Unwelcome:
        """Return the reason why the session does not begin: missing shufflers or people."""
        if missing := self._missing:
            return Unwelcome(409, "mixers-missing", names=", ".join(missing))
        present_people, needed = len(self.room.phones), self.scenario.mix.min_batch
        return Unwelcome(409, "few-came", n=present_people, needed=needed)

    async def _look(self, stage: PendingSession) -> None:
        """Watch the present round once: report new answers; close a complete or overdue round.

        stage: the running session.
        """
        self._count()
        await trio.sleep(LOOK)
        number = self.room.round
        if number and self._read_out < self.room.attempt and self.room.board is not None:
            self._read_out = self.room.attempt
            for line in to_compare(self.room.board):
                self._print_line(line)
        if not self._due_to_close(number):
            if not self.room.complete:
                return
            await trio.sleep(BREATH)
            if not self.room.complete or self.room.round != number:
                return
            self._count()  # count the last answer too, before its round is closed
        if stage.mixer_link is not None:
            await stage.mixer_link.hurry(number)
        else:
            self._clock.skip_to(self.room.latest + LOOK)

    def _due_to_close(self, number: int) -> bool:
        """Whether an open round is to be closed now, before its parties' own deadline.

        True if the teacher closes the round, or if its time without an extension is over. number:
        the round.
        """
        room, board = self.room, self.room.board
        if board is None or board.phase is not Phase.COLLECTING or not number or not room.asks:
            return False
        return self.teacher.closing == number or room.closes <= trio.current_time() < room.latest


def _plan(network: Network) -> Round | None:
    """Return the present round; None before it, or while the board still has to sign its log.

    The board signs its log after each query is posted.
    """
    calls = network.board.calls
    return network.plan(calls[-1]) if calls and network.board.due is None else None


async def _deliver(network: Network, sender: str, data: bytes) -> None:
    """Send a phone's submission to shuffler 1; in a verified mix, to every party with a key."""
    plan = _plan(network)
    doors = plan.openers if plan is not None and plan.verified else ("shuffler-1",)
    for door in doors:
        await network.carry(sender, door, data)

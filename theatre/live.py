"""The live page: a run, and a server for its page, side by side; both end with Ctrl-C.

    POST /again     {"people", "k", ...}: start a new run with these numbers (stage_data.py)

audience.py has the other routes. The page's recorder observes the run's
network: it writes each event to the log and never waits. Time is real here: a collection lasts as
many seconds as the scenario's deadline, and people send at different moments.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from reprlib import repr as short
from typing import Any

import trio

from ..errors import LocalError, ParameterError
from ..languages.language import Language
from ..protocol.board.board import Entry
from ..protocol.knowledge.transcript import Read
from ..protocol.wire.announcement import Announcement
from ..protocol.wire.messages import CommittedDecision, Counts, Decision
from ..roles.compute.event_loop import run_loop
from ..roles.network.instruments import Instrument, Instruments
from ..roles.peer import gather
from ..roles.session import hold
from ..scenarios.lab.play.fault_schedule import draw_faults
from ..scenarios.lab.play.outcomes import columns_of
from ..scenarios.lab.play.peers import cast_of as peers_of
from ..scenarios.lab.play.real import cast_of
from ..scenarios.lab.play.session_plan import SessionPlan
from ..scenarios.lab.validation.load import change, resolve
from ..scenarios.populations.samples import Samples
from ..scenarios.programs.interface import ConsideredColumns
from ..scenarios.programs.registry import announced_names, options, program_of, samples
from ..scenarios.programs.topology import CENTRAL, PEERS, onions_only, topology_of
from ..scenarios.records.verification.deviations import deviations
from ..scenarios.schema.model import Scenario
from ..scenarios.schema.single_rows import require_single_rows
from ..scenarios.serialization.record import plain
from ..strict_text import Unreadable, from_json
from .audience import LOOPBACK, Audiences, doors
from .http import HttpResponse, PageServer, Request
from .language import theatre_sentences
from .log import EventLog
from .move_recorder import MoveRecorder
from .moves import StageMove
from .page_data import choices, page_data
from .peer_recorder import PeerRecorder
from .show import check_size
from .stage_data import TopologyStage, stage_of
from .submission_delays import with_delays, with_pauses

MOST_SAID = 400  # largest number of characters of an error response, which may quote the request

LinePrinter = Callable[[str], None]


def live(
    scenario: Scenario,
    seed: int | None,
    port: int,
    print_line: LinePrinter,
    language: Language | None = None,
) -> None:
    """Play a scenario and show it on a local web page until Ctrl-C.

    Args:
        scenario: the scenario to be played.
        seed: the seed of the run, in place of the scenario's seed; None: the scenario's seed.
        port: the port of the page; 0 takes any free port.
        print_line: receives the page's address, and lines about failures.
        language: language of the page; None: each browser chooses.

    Raises:
        LocalError: a scenario that cannot be played or shown. KeyboardInterrupt: at the end.
    """
    onions_only(scenario, "the theatre")
    seed = scenario.scenario.seed if seed is None else seed
    playing = prepared(scenario, seed)
    run_loop(_open, playing, port, print_line, language)


@dataclass(frozen=True, slots=True)
class Playing:
    """A scenario with its drawn people, ready to be played.

    Attributes:
        scenario: the scenario, with the changes made by the page's sliders.
        crowd: the people and their rows.
        seed: the seed of the run; None: system randomness.
    """

    scenario: Scenario
    crowd: Samples
    seed: int | None

    def bill(self, language: Language | None = None) -> dict[str, Any]:
        """Return the facts of the run that the page needs before the first event.

        language: language of the page's sentences; None: English.
        """
        words = theatre_sentences(language)
        people = self.crowd.people
        names = announced_names(self.scenario, people.schema.names)
        sizes = columns_of(self.scenario, people)
        deviated = deviations(self.scenario, (), (), words)
        return page_data(
            *(self.scenario, people.n, names, sizes, self.seed),
            deviated=deviated,
            language=language,
        )


def prepared(scenario: Scenario, seed: int | None) -> Playing:
    """Return a scenario with its people drawn, ready to be played.

    seed: the seed of people and run; None: system randomness. Raises LocalError for a scenario
    without people, or with too many people for the page.
    """
    require_single_rows(scenario, "theatre --live")
    check_size(scenario.population.users or 0)
    crowd = samples(scenario, seed)
    check_size(crowd.people.n)
    names = crowd.people.schema.names
    return Playing(resolve(scenario, crowd.first, names, crowd.round2_people), crowd, seed)


async def _open(
    playing: Playing, port: int, print_line: LinePrinter, language: Language | None
) -> None:
    """Start the page's server, and play runs at the same time until cancelled.

    port: the port at which to listen; 0: any free port. language: language of the page; None:
    each browser chooses.
    """
    listeners, port = await doors(port)
    house = Theatre(playing, print_line, language)
    async with trio.open_nursery() as nursery:
        server = PageServer(house.answer, port, print_line)
        nursery.start_soon(trio.serve_listeners, server.serve, listeners)
        print_line(f"http://{LOOPBACK}:{port}/")
        await house.play()


class Theatre:
    """The player of runs, one after the other, and the web server of the page that shows them.

    playing: the scenario of the first run, with its people. print_line: receives lines about
    failures. language: language of the page; None: each browser chooses.
    """

    def __init__(
        self, playing: Playing, print_line: LinePrinter, language: Language | None = None
    ) -> None:
        """Prepare the web server; no run is played yet.

        playing: the scenario of the first run, with its people. print_line: receives lines about
        failures. language: language of the page; None: each browser chooses.
        """
        self._playing = playing
        self._print_line = print_line
        self._run = trio.CancelScope()
        self._run_request = trio.Event()
        more = {("POST", "/again"): self._restart}
        self.audiences = Audiences(self._bill, more, language)
        self.answer = self.audiences.answer
        self._runs = 0

    def _bill(self, language: Language) -> dict[str, Any]:
        """Return the facts of the present run that the page needs before the first event."""
        return self._playing.bill(language)

    async def play(self) -> None:
        """Play a run; when it is over, wait until the page requests another, and repeat.

        An error in the first run ends the process. An error in a later run ends only that run.
        """
        while True:
            self._run_request = trio.Event()
            self._runs += 1
            with trio.CancelScope() as self._run:
                try:
                    await _play(self._playing, self.audiences, self._print_line)
                except Exception as wrong:
                    if self._runs == 1:
                        raise
                    self._print_line(f"a run that the page asked for failed: {wrong!r:.200}")
                for log in self.audiences.logs.values():
                    log.append({"what": "over"})
                await self._run_request.wait()

    async def _restart(self, request: Request) -> HttpResponse:
        """Start a new run with the numbers in a request; refuse invalid numbers with the reason."""
        try:
            scenario = self._playing.scenario
            changed = change(scenario, _changes(request.body, stage_of(scenario)))
            seed = self._playing.seed
            playing = await trio.to_thread.run_sync(prepared, changed, seed)
        except LocalError as wrong:
            return HttpResponse(422, str(wrong)[:MOST_SAID].encode(errors="replace"))
        self._playing = playing
        self._run.cancel()
        return HttpResponse(204)


def _changes(body: bytes, stage: TopologyStage) -> dict[str, object]:
    """Return scenario key -> new value, as the page requests for another run.

    body: the request: JSON, slider's name -> whole number. stage: the sliders. Raises
    ParameterError.
    """
    keys = {name: slider.key for name, slider in stage.sliders.items()}
    try:
        requested_changes = from_json(body)
    except Unreadable:
        requested_changes = None
    if not isinstance(requested_changes, dict) or not requested_changes:
        raise ParameterError(f"a new run: found {body[:80]!r}; some of {', '.join(keys)} needed")
    for name, value in requested_changes.items():
        if name not in keys or type(value) is not int:
            raise ParameterError(
                f"{name:.40}: found {short(value)}; whole numbers for {', '.join(keys)}"
            )
    return {keys[name]: value for name, value in requested_changes.items()}


async def _play(playing: Playing, audiences: Audiences, print_line: LinePrinter) -> None:
    """Play a run; its events go to the logs that browsers read, with a log for each language.

    playing: the scenario with its people. audiences: the logs. print_line: receives lines about
    failures.
    """
    for language, log in audiences.parts:
        log.begin(playing.bill(language))
    await PLAYS[topology_of(playing.scenario).name](playing, audiences, print_line)


def log_receiver(log: EventLog) -> Callable[[StageMove], None]:
    """Return a function that appends an event of a run, as the page shows it (a move), to a log."""
    return lambda move: log.append(plain(move))


def _show_choices(audiences: Audiences, options: Sequence[ConsideredColumns]) -> None:
    """Append the column sets that the curator considered for release to the logs."""
    for language, log in audiences.parts:
        log.append({"what": "choices", "choices": choices(options, language)})


async def _play_central(playing: Playing, audiences: Audiences, print_line: LinePrinter) -> None:
    """Play a session with shufflers and a curator; its events go to the page's logs.

    playing: the scenario with its people. audiences: the logs. print_line: receives lines about
    failures.
    """
    scenario, crowd, seed = playing.scenario, playing.crowd, playing.seed
    faults = draw_faults(scenario, crowd.people.n, seed)
    plan = SessionPlan.from_scenario(scenario, crowd, faults)
    cast = with_delays(cast_of(plan, seed), seed)
    decided = DecisionInstrument()
    program = program_of(scenario)
    recorders = [
        MoveRecorder(program, log_receiver(log), tongue) for tongue, log in audiences.parts
    ]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_consider, decided, playing, audiences)
        await hold(cast, Instruments([*recorders, decided], print_line))
        nursery.cancel_scope.cancel()


async def _play_peers(playing: Playing, audiences: Audiences, print_line: LinePrinter) -> None:
    """Play a session among peers; its events go to the page's logs.

    playing: the scenario with its people. audiences: the logs. print_line: receives lines about
    failures.
    """
    scenario, crowd, seed = playing.scenario, playing.crowd, playing.seed
    faults = draw_faults(scenario, crowd.people.n, seed)
    plan = SessionPlan.from_scenario(scenario, crowd, faults)
    cast = with_pauses(peers_of(plan, seed), seed)
    program, terms = program_of(scenario), cast.agreement
    recorders = [
        PeerRecorder(program, terms, plan.strategy, log_receiver(log), tongue)
        for tongue, log in audiences.parts
    ]
    reckoning = await gather(cast, Instruments([*recorders], print_line))
    for recorder in recorders:
        recorder.finish()
    counts = reckoning.tallies[0] if reckoning.tallies else None
    _show_choices(audiences, options(scenario, terms.schema, counts))


PLAYS: Mapping[str, Callable[[Playing, Audiences, LinePrinter], Awaitable[None]]] = {
    CENTRAL.name: _play_central,
    PEERS.name: _play_peers,
}  # topology -> function that plays a session for the live page


class DecisionInstrument(Instrument):
    """An observer that waits for the curator's decision, and keeps the counts of round 1."""

    def __init__(self) -> None:
        """Start without an announcement, counts or a decision."""
        self.announced: Announcement | None = None
        self.counts: tuple[Counts, ...] | None = None
        self.decision_event = trio.Event()

    def read(self, read: Read) -> None:
        """Keep the counts of the first round. read: the counts that a reader has opened."""
        if read.round == 1:
            self.counts = read.counts

    def posted(self, time: float, entry: Entry) -> None:  # noqa: ARG002 - a hook
        """Keep the announcement, and note the decision."""
        if isinstance(entry.message.body, Announcement):
            self.announced = entry.message.body
        if isinstance(entry.message.body, Decision | CommittedDecision):
            self.decision_event.set()


async def _consider(decided: DecisionInstrument, playing: Playing, audiences: Audiences) -> None:
    """Show the column sets that the curator considered, after the decision.

    The sets are computed in a thread while the run goes on. decided: observes the run's decision.
    playing: the scenario with its people. audiences: the page's logs.
    """
    await decided.decision_event.wait()
    announced, new_people = decided.announced, playing.crowd.round2_people
    if announced is None:
        return
    possible = await trio.to_thread.run_sync(
        options, playing.scenario, announced.schema, decided.counts, new_people
    )
    _show_choices(audiences, possible)

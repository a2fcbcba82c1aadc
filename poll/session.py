"""A session of phones: who waits for whom, from the first that joins to the last post.

The parties are those of every session (`roles`), in this process, in real time; people are not:
what comes from phones is put on the network as it came. So this computer holds every key, and the
page says so; unless others mix (`stage.py`), who hold theirs.
"""

import secrets
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import trio

from ..crypto.voprf import OprfKey
from ..errors import StorageError
from ..machines.http import Server
from ..protocol.board import Board
from ..protocol.phases import Phase
from ..protocol.session import Round
from ..protocol.transcript import Transcript
from ..roles.adversary_record import AdversaryRecord
from ..roles.cast import Cast
from ..roles.event_loop import run_loop
from ..roles.instruments import Instrument, Instruments, Recorder
from ..roles.keyholder import Keyholder
from ..roles.network import Network
from ..scenarios.programs.registry import program_of
from ..scenarios.schema.model import Scenario
from .cheats import committed, happened
from .classroom import Classroom
from .clock import EagerClock
from .expected import expected_of
from .facts import facts_of
from .gate import Gate
from .mixers import Mixers
from .noise import noisy_result, shown
from .questions import nobody, table_of
from .seeds import Seeds
from .simulated import Simulated
from .stage import Stage, all_here, cast_of, mixed_elsewhere
from .terms import Terms
from .wall import Wall
from .web import Desk
from .words import to_compare

LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"  # none is taken for another
CODE = 6  # of them: 30 bits
GRACE = 4.0  # seconds after the last post, for phones that are slow to read it
BREATH = 1.0  # seconds after the last answer, before the round is closed early
LOOK = 0.2  # seconds between two looks at who has answered

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class FinishedSession:
    """What a session of phones leaves.

    Attributes:
        board: all that was posted; None: nothing was asked, for too few came.
        transcript: what happened on the network.
        network: that knows the rounds.
        keys: of the parties that were here, by name.
        room: the phones, and what each handed in.
        seconds: it took, from the first post to the last.
        adversary: what attackers have kept; None: nobody cheats.
        functions: by round, the key by which `randomness` has answered; none unless all is kept.
    """

    board: Board | None
    transcript: Transcript
    network: Network
    keys: dict[str, Keyholder]
    room: Classroom
    seconds: float
    adversary: AdversaryRecord | None = None
    functions: Mapping[int, OprfKey] = field(default_factory=dict)


class PhoneSession:
    """Holds a session. tell: told, a line each, what whoever runs the class should see."""

    def __init__(self, scenario: Scenario, terms: Terms, tell: Tell) -> None:
        self.code = "".join(secrets.choice(LETTERS) for _ in range(CODE))
        self.scenario = scenario
        self.room = Classroom(scenario.mix.deadline, terms.most_of_one)
        self.mixers = Mixers(scenario.mix.shufflers, self.room.change) if terms.others else None
        self.wall = Wall(scenario.scenario.title, scenario.mix.shufflers)
        self._terms = terms
        self._tell = tell
        self._clock = EagerClock()
        self._wanted = False
        self._seen = (0, 0, 0)
        self._read_out = False
        self._mixing: set[str] = set()
        self._refused: set[str] = set()

    def hold(
        self, opened: Callable[[str], None], begin: Callable[[], bool] | None = None
    ) -> FinishedSession:
        """Hold it to its end. opened: told the address.

        begin: waits, in a thread, until whoever runs the class wants to begin; False: never.


        StorageError if the address cannot be listened at.
        """
        return run_loop(self._hold, opened, begin, clock=self._clock)

    def let_in(self, many: int) -> None:
        """Let so many people join from one address from now on."""
        self.room.most_of_one = many
        self._refused.clear()
        self.room.turned_away.clear()

    def facts(self) -> dict[str, Any]:
        """What every phone is told besides posts."""
        return facts_of(self.scenario, self._terms, self.room, self.mixers)

    async def _hold(
        self, opened: Callable[[str], None], begin: Callable[[], bool] | None
    ) -> FinishedSession:
        listeners = await _listening(self._terms)
        port = listeners[0].socket.getsockname()[1]
        gate = Gate(_names(self._terms.host, port))
        desk = Desk(self.room, self.code, gate, self.facts, self.wall, self.mixers)
        async with trio.open_nursery() as nursery:
            server = desk.server(self._tell)
            nursery.start_soon(trio.serve_listeners, partial(_serve, server), listeners)
            simulated = Simulated(self.room, self.scenario, self._terms.simulated)
            simulated.join()
            nursery.start_soon(simulated.live, desk)
            opened(f"http://{gate.names[0]}/{self.code}")
            if begin is not None:
                nursery.start_soon(self._listen, begin)
            held = await self._play(desk)
            await trio.sleep(GRACE if self.room.phones else 0)
            nursery.cancel_scope.cancel()
        return held

    async def _listen(self, begin: Callable[[], bool]) -> None:
        """Begin when whoever runs the class says so, as soon as enough are here."""
        while not self.room.started:
            if not await trio.to_thread.run_sync(begin, abandon_on_cancel=True):
                return
            here, needed = len(self.room.phones), self.scenario.mix.min_batch
            if here < needed:
                self._tell(f"{here} people are here; fewer than {needed} are not asked anything")
            for name in self._missing:
                self._tell(f"nobody mixes as {name} yet: veilmix serve {name} ADDRESS")
            self._wanted = here >= needed and not self._missing

    @property
    def _missing(self) -> tuple[str, ...]:
        """The shufflers that somebody else is to be, and nobody is yet."""
        return self.mixers.missing if self.mixers else ()

    async def _enough(self) -> bool:
        """Wait for people; False if too few have come in time."""
        needed = self.scenario.mix.min_batch
        want = max(needed, (self._terms.people or 0) + self._terms.simulated)
        with trio.move_on_after(self._terms.patience):
            while not self._wanted and (
                self._terms.people is None or len(self.room.phones) < want or self._missing
            ):
                self._count()
                await trio.sleep(LOOK)
        self._count()
        return len(self.room.phones) >= needed and not self._missing

    def _count(self) -> None:
        """Tell how many are here, and how many have answered, when it has changed."""
        room = self.room
        mixing = self.mixers.here if self.mixers else {}
        for name in mixing.keys() - self._mixing:
            self._tell(f"{name} is {mixing[name].who.name} at {mixing[name].host}")
        for name in self._mixing - mixing.keys():
            self._tell(f"{name} has left")
        if mixing.keys() != self._mixing:
            self.wall.mixed_by(
                tuple(f"{name} is {seat.who.name} at {seat.host}" for name, seat in mixing.items())
            )
        self._mixing = set(mixing)
        for device in room.turned_away.keys() - self._refused:
            self._tell(
                f"{device} wants to be more than {room.most_of_one} people, and is refused; "
                "--one-address lets in more, and so does a number where Enter begins"
            )
        self._refused |= room.turned_away.keys()
        self.wall.crowd(len(room.phones), room.simulated)
        if not room.started:
            self.wall.expect(expected_of(self.scenario, len(room.phones), self._terms.people))
        now = len(room.phones), room.round, room.answered
        if now == self._seen:
            return
        self._seen = now
        made = self._terms.simulated
        here = f"{now[0]} {'person is' if now[0] == 1 else 'people are'} here"
        here += f", {made} of them simulated" if made else ""
        here += _from_where(room.devices)
        asked = f"; round {now[1]}: {now[2]} have answered" if now[1] else ""
        self._tell(here + asked)

    async def _play(self, desk: Desk) -> FinishedSession:
        cast = committed(self.scenario, cast_of(self.scenario), nobody(self.scenario))
        cheating, lent = cast.adversary, AdversaryRecord()
        if program_of(self.scenario).opens and self._terms.kept:
            cast = replace(cast, adversary=lent)  # for what is written down at the end
        transcript = Transcript.sized(0)
        if not await self._enough():
            self.room.ended = self._few()
            self.room.change()
            silent = Network(Instruments([], self._tell))
            return FinishedSession(None, transcript, silent, {}, self.room, 0.0)
        adversaries = [cheating] if cheating else []
        tools = [Recorder(transcript), *adversaries, self.room, self.wall]
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
            self.room.ended = network.board.burned or "over"
            if cheated := happened(self.scenario):
                self.wall.own_up(f"somebody has cheated ({cheated['attack']}): {cheated['told']}")
            self.wall.over()
            self.room.change()
            await trio.sleep(GRACE if stage.elsewhere else 0)
            nursery.cancel_scope.cancel()  # shufflers stay to turn people away: phones are told
        seconds, board = time.monotonic() - began, network.board
        left = (board, transcript, network, stage.keys, self.room, seconds)
        return FinishedSession(*left, cheating, lent.functions)

    async def _say_what_noise_leaves(self, board: Board) -> None:
        """Show estimates and promises, where phones have added noise."""
        simulated = len(self.room.simulated)
        told = await trio.to_thread.run_sync(noisy_result, self.scenario, board, simulated)
        if told is not None:
            self.room.told = told
            self.wall.tell(shown(told))

    async def _staged(self, cast: Cast, tools: list[Instrument]) -> Stage:
        if self.mixers is None:
            return all_here(cast, tools, self._tell)
        questions = table_of(self.scenario)
        host = self._terms.host
        return await mixed_elsewhere(cast, tools, self._tell, self.mixers, questions, host)

    def _few(self) -> str:
        """Why nobody is asked anything."""
        if missing := self._missing:
            return f"Nobody has come to be {' and '.join(missing)}, so nobody is asked anything."
        few = f"{len(self.room.phones)} came, and fewer than {self.scenario.mix.min_batch} "
        return few + "are not asked anything."

    async def _look(self, stage: Stage) -> None:
        """Look who has answered; when everybody has, close the round."""
        self._count()
        await trio.sleep(LOOK)
        number = self.room.round
        if number and not self._read_out and self.room.board is not None:
            self._read_out = True
            for line in to_compare(self.room.board):
                self._tell(line)
        if not self.room.complete:
            return
        await trio.sleep(BREATH)
        if not self.room.complete or self.room.round != number:
            return
        if stage.elsewhere is not None:
            await stage.elsewhere.hurry(number)
        else:
            self._clock.skip_to(self.room.closes + LOOK)


def _from_where(devices: Counter[str]) -> str:
    """Say from how many addresses people have joined, where some share one."""
    if not devices or max(devices.values()) == 1:
        return ""
    ((most, many),) = devices.most_common(1)
    if len(devices) == 1:
        return f", all from {most}"
    return f", from {len(devices)} addresses, {many} of them from {most}"


def _plan(network: Network) -> Round | None:
    calls = network.board.calls
    return network.plan(calls[-1]) if calls and network.board.due is None else None


async def _deliver(network: Network, sender: str, data: bytes) -> None:
    await network.carry(sender, "shuffler-1", data)


async def _serve(server: Server, stream: trio.SocketStream) -> None:
    """Answer a connection; one that has gone meanwhile has no address."""
    address = ""
    with suppress(OSError):
        address = stream.socket.getpeername()[0]
    await server.serve(stream, address)


async def _listening(terms: Terms) -> list[trio.SocketListener]:
    try:
        return list(await trio.open_tcp_listeners(terms.port, host=terms.host))
    except OSError as bad:
        raise StorageError(
            f"{terms.host} port {terms.port}: cannot be listened at ({bad.strerror or bad}); "
            "--host is an address of this computer, --port a free port, or 0 for any"
        ) from None


def _names(host: str, port: int) -> tuple[str, ...]:
    """What this computer may be called in a request, the address that is given out first."""
    shown = f"[{host}]" if ":" in host else host
    names = [shown] if shown not in ("127.0.0.1", "localhost") else ["127.0.0.1", "localhost"]
    bare = names if port == 80 else []
    return (*(f"{name}:{port}" for name in names), *bare)

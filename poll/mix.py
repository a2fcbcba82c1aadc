"""The program of a computer that runs a shuffler for a class session.

It offers itself to the class's computer, waits until the session begins, and then mixes. It
receives the questions and the promise at the start. If the curator later announces other questions
or another promise, the session is aborted, with the reason on the board.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from urllib.parse import urlsplit

import msgspec
import trio

from ..crypto.entropy import Entropy
from ..crypto.identity import Identity
from ..errors import DataError, ParameterError, StorageError
from ..machines.gauge import Log
from ..machines.http import Client
from ..machines.outbox import LATEST, SOONEST, TROUBLE
from ..machines.remote import RemoteNetwork
from ..machines.service import Site, run_party
from ..protocol.board.board import Board
from ..protocol.wire.messages import Kind
from ..roles.cast import Cast
from ..roles.compute.backend import LOCAL_WORKPLACE, Workplace
from ..roles.compute.event_loop import run_loop
from ..roles.keyholder import Keyholder
from ..roles.session import make_key, perform
from ..scenarios.schema.model import Scenario
from ..strict_text import Unreadable, from_json
from .enrolment import IdentityRecord, MixOffer, Papers
from .fingerprint_words import key_words, to_compare
from .party_places import cast_of
from .questions import promise_of, scenario_of

# seconds to wait for a response: the class's computer delays it for some seconds, in case the
# session begins
PATIENCE = 30.0
MAX_ABSENCE = 60.0  # seconds without the class's computer after which the shuffler gives up

LineSink = Callable[[str], None]


def mix(
    address: str,
    party: str,
    identity: Identity,
    port: int,
    log: Log,
    print_line: LineSink,
    workplace: Workplace = LOCAL_WORKPLACE,
) -> "ShufflerResult":
    """Run a shuffler for the class at an address, to the end of its session.

    Args:
        address: the web address of the class, with the session's code.
        party: the name of the shuffler, such as `shuffler-1`.
        identity: the identity of this computer, with its keys.
        port: the port to listen at; 0: any free port.
        log: receives events.
        print_line: receives lines for people to read.
        workplace: runs long lists of cryptographic work, such as decrypting a batch.

    Raises:
        ParameterError: the address is invalid, or the class needs an option that is not available.
        DataError: the class's computer is away, or refuses the offer; its reason is in the text.
        StorageError: the port is taken.
    """
    return run_loop(_Mixing(address, party, identity, port, log, print_line, workplace).run)


class ShufflerResult(msgspec.Struct, frozen=True):
    """The result of a session, for the computer that ran a shuffler.

    Attributes:
        board: the bulletin board with all posts.
        scenario: the questions and the promise.
    """

    board: Board
    scenario: Scenario


class _Mixing:
    """The run of a shuffler on this computer: its offer to the class, then its session."""

    def __init__(
        self,
        address: str,
        party: str,
        identity: Identity,
        port: int,
        log: Log,
        print_line: LineSink,
        workplace: Workplace,
    ) -> None:
        """Parse the class's address; ParameterError if it is invalid.

        address: the web address of the class, with the session's code. party: the name of the
        shuffler. identity: of this computer, with its keys. port: the port to listen at; 0: any
        free port. log: receives events. print_line: receives lines for people to read.
        workplace: runs long lists of cryptographic work.
        """
        split = urlsplit(address)
        code = split.path.strip("/")
        if split.scheme != "http" or not split.hostname or "/" in code or not code:
            raise ParameterError(
                f"address: found {address!r:.80}; the class's address is accepted, as the "
                "teacher's computer shows it, with its code: http://192.168.1.20:8766/K7M2PX"
            )
        self._host, self._port = split.hostname, split.port or 80
        self._name, self._code = split.netloc, code
        self._party, self._identity, self._listen_at = party, identity, port
        self._log, self._print_line, self._workplace = log, print_line, workplace

    async def run(self) -> ShufflerResult:
        """Offer this computer as a shuffler, wait for the session, and mix in it."""
        listeners, port = await self._listen()
        self._print_line(
            f"{self._party} is {self._identity.public.name}: waiting for the class to begin"
        )
        papers = await self._papers(port)
        self._check(papers)
        scenario = scenario_of(papers.questions)
        for line in _session_lines(scenario):
            self._print_line(line)
        site = Site(
            name=self._party,
            identity=self._identity,
            directory=papers.directory,
            known_roster=papers.roster,
            log=self._log,
            patience=MAX_ABSENCE,
        )
        board = await run_party(site, partial(self._role, scenario), listeners)
        return ShufflerResult(board, scenario)

    async def _listen(self) -> tuple[list[trio.SocketListener], int]:
        """Listen for connections at the address by which this computer reaches the class.

        Return the listeners and their port. DataError if the class's computer cannot be reached;
        StorageError if the port is taken.
        """
        try:
            stream = await trio.open_tcp_stream(self._host, self._port)
        except OSError as bad:
            raise DataError(self._unreachable(bad)) from None
        async with stream:
            local_address = stream.socket.getsockname()[0]
        try:
            listeners = list(await trio.open_tcp_listeners(self._listen_at, host=local_address))
        except OSError as bad:
            raise StorageError(
                f"{local_address} port {self._listen_at}: this computer cannot listen there "
                f"({bad.strerror or bad}); "
                "choose a free --port, or 0 for any"
            ) from None
        return listeners, listeners[0].socket.getsockname()[1]

    async def _papers(self, port: int) -> Papers:
        """Repeat the offer to run a shuffler until the session begins; return the session's data.

        The data (`Papers`) are the questions, addresses and keys on which all parties agree. port:
        the port at which this computer listens. DataError if the class's computer refuses the
        offer, or cannot be reached for `MAX_ABSENCE` seconds.
        """
        offer = MixOffer(
            party=self._party, who=IdentityRecord.from_identity(self._identity.public), port=port
        )
        body, wait, last_contact = msgspec.json.encode(offer), SOONEST, trio.current_time()
        while True:
            try:
                status, reply = await self._ask(body)
                wait, last_contact = SOONEST, trio.current_time()
            except TROUBLE as bad:
                if trio.current_time() - last_contact > MAX_ABSENCE:
                    raise DataError(self._unreachable(bad)) from None
                await trio.sleep(wait)
                wait = min(2 * wait, LATEST)
                continue
            if status == 200:
                try:
                    return from_json(reply, Papers)
                except Unreadable as wrong:
                    raise DataError(
                        f"{self._name}: sent no valid session data: {wrong.why}"
                    ) from None
            if status not in (204, 429):
                raise DataError(f"{self._name}: {reply.decode(errors='replace').strip():.400}")
            await trio.sleep(wait)

    async def _ask(self, body: bytes) -> tuple[int, bytes]:
        """Send the offer to run a shuffler to the class's computer; return status and body.

        body: the offer, as JSON. BrokenResourceError if there is no reply within `PATIENCE`
        seconds.
        """
        with trio.move_on_after(PATIENCE):
            stream = await trio.open_tcp_stream(self._host, self._port)
            client = Client(stream, self._name, (("origin", f"http://{self._name}"),))
            try:
                return await client.ask("POST", f"/{self._code}/mix", body)
            finally:
                await client.close()
        raise trio.BrokenResourceError("no answer in time")

    def _unreachable(self, bad: BaseException) -> str:
        """Return the message that the class's computer cannot be reached. bad: the cause."""
        return f"http://{self._name}: cannot be reached ({bad}); is it in this network?"

    def _check(self, papers: Papers) -> None:
        """Raise DataError unless the session's data name this computer's certificate and key.

        papers: the questions, addresses and keys on which all parties of the session agree.
        """
        try:
            directory, roster = papers.directory, papers.roster
        except ParameterError as wrong:
            raise DataError(
                f"{self._name}: sent session data with an invalid identity of a party: {wrong}"
            ) from None
        mine, public_identity = directory.places.get(self._party), self._identity.public
        if mine is None or mine.certificate != public_identity.certificate:
            raise DataError(f"{self._name}: names another computer as {self._party}")
        if roster.key(self._party) != public_identity.key:
            raise DataError(
                f"{self._name}: sent session data with a signing key that is not this computer's "
                f"for {self._party}"
            )

    async def _role(self, scenario: Scenario, network: RemoteNetwork, entropy: Entropy) -> None:
        """Play the shuffler until the session is aborted or over.

        scenario: the questions and the promise. network: the connection to the class's computer.
        entropy: the shuffler's randomness.
        """
        cast = replace(
            cast_of(scenario),
            entropy=entropy,
            identities={self._party: self._identity.signer},
            workplace=self._workplace,
        )
        network.terms = cast.terms
        async with trio.open_nursery() as nursery:
            key = partial(self._key, cast)
            nursery.start_soon(partial(perform, cast, network, {self._party}, {}, key))
            await network.until(Kind.ANNOUNCEMENT, lambda board: board.announcement is not None)
            for line in to_compare(network.board):
                self._print_line(line)
            await network.until(Kind.CLOSED, lambda _: False)
            nursery.cancel_scope.cancel()

    def _key(self, cast: Cast, party: str) -> Keyholder:
        """Make the shuffler's key pair, and print the words by which the class checks it."""
        key = make_key(cast, party)
        words = key_words(key.pair.public.encode())
        self._print_line(f"my key is: {words}   (every phone must show these words for {party})")
        return key


def _session_lines(scenario: Scenario) -> list[str]:
    """Return the title, questions and promise of a session as lines for the terminal."""
    return [
        f"{scenario.scenario.title}: {len(scenario.feature)} questions",
        *(f"  {feature.name}" for feature in scenario.feature),
        f"promised: {promise_of(scenario)}",
    ]

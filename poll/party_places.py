"""The set-up of a class session: all parties on this computer, or shufflers on other computers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import trio

from ..crypto.entropy import OSEntropy
from ..errors import RoundBurned, StorageError
from ..protocol.board.phases import BOARD
from ..protocol.wire import parties
from ..protocol.wire.messages import OPENING
from ..roles.cast import Cast
from ..roles.keyholder import Keyholder
from ..roles.network.instruments import Instrument, Instruments
from ..roles.network.memory_network import Endpoint, Network
from ..roles.session import hops_of, identities_of, keyholders, make_key, perform, roster_of
from ..scenarios.lab.play.announcement import announced_policy, announced_rules
from ..scenarios.programs.registry import announced_schema, strategy, wire
from ..scenarios.schema.model import Scenario
from .enrolment import Papers
from .mixers import Mixers
from .questions import QuestionsTable, schema_of
from .remote_shufflers import ClassIdentities, FarNetwork, MixerLink

LineSink = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class PendingSession:
    """A session that is set up, and is about to begin.

    Attributes:
        cast: the inputs of the session, with the identities of the parties on this computer.
        network: the network that connects these parties and the phones.
        keys: the key pair of each party on this computer, by the party's name.
        mixer_link: the link to shufflers on other computers; None: all parties are on this
            computer.
        listeners: the sockets to which the remote shufflers connect.
    """

    cast: Cast
    network: Network
    keys: dict[str, Keyholder]
    mixer_link: MixerLink | None = None
    listeners: list[trio.SocketListener] = field(default_factory=list)

    async def play(self) -> None:
        """Run the parties of this computer, and exchange messages with others, until cancelled."""
        async with trio.open_nursery() as nursery:
            if self.mixer_link is not None:
                nursery.start_soon(self.mixer_link.run, self.listeners)
                nursery.start_soon(self._give_up, self.mixer_link)
            await perform(self.cast, self.network, tuple(self.keys), {}, self.keys.__getitem__)

    async def _give_up(self, mixer_link: MixerLink) -> None:
        """Abort the session as the curator, when a remote shuffler has been away for too long."""
        why = await mixer_link.await_loss()
        curator = Endpoint(self.network, parties.CURATOR)
        curator.identity = identities_of(self.cast).get(parties.CURATOR)
        await curator.burn(RoundBurned(why))


def all_here(cast: Cast, tools: list[Instrument], print_line: LineSink) -> PendingSession:
    """Return a session with all parties on this computer.

    cast: the inputs of the session. tools: observers of the network. print_line: receives lines for
    the teacher.
    """
    identities = identities_of(cast)
    # Identities are drawn at random, so the session keeps these. Drawn again, they would differ
    # from the roster of signing keys.
    cast = replace(cast, identities=identities)
    network = Network(
        Instruments(tools, print_line), roster_of(cast, identities), identities.get(BOARD)
    )
    return PendingSession(cast, network, {name: make_key(cast, name) for name in keyholders(cast)})


async def mixed_elsewhere(
    cast: Cast,
    tools: list[Instrument],
    print_line: LineSink,
    mixers: Mixers,
    questions: QuestionsTable,
    host: str,
) -> PendingSession:
    """Return a session with shufflers on other computers, and give them the session's data.

    Args:
        cast: the inputs of the session.
        tools: observers of the network.
        print_line: receives lines for the teacher.
        mixers: the accepted offers of other computers to run a shuffler.
        questions: the file of questions.
        host: the address of this computer.

    Raises:
        StorageError: this computer cannot listen at the address.
    """
    every, far = identities_of(cast), hops_of(cast)
    identities = {name: signer for name, signer in every.items() if name not in far}
    cast = replace(cast, identities=identities)
    try:
        listeners = list(await trio.open_tcp_listeners(0, host=host))
    except OSError as bad:
        raise StorageError(
            f"{host}: cannot listen there for remote shufflers ({bad.strerror or bad})"
        ) from None
    class_identities = ClassIdentities.fresh()
    desk, hall = class_identities.seats(host, listeners[0].socket.getsockname()[1])
    more = {parties.RANDOMNESS} & identities.keys()
    names = (BOARD, parties.CURATOR, parties.ANALYST, *more)
    papers = Papers(
        questions=questions,
        opening=cast.entropy.fork("opening").random(OPENING).hex(),
        signers=tuple(identities[name].public.hex() for name in names),
        desk=desk,
        hall=hall,
        shufflers=tuple(mixers.present_seats.values()),
    )
    mixer_link = MixerLink(class_identities, papers, print_line)
    watching = Instruments([*tools, mixer_link], print_line)
    network = FarNetwork(mixer_link, watching, papers.roster, identities[BOARD])
    mixers.begin(papers)
    keys = {name: make_key(cast, name) for name in keyholders(cast) if name not in far}
    return PendingSession(cast, network, keys, mixer_link, listeners)


def cast_of(scenario: Scenario) -> Cast:
    """Return the inputs of a session of phones, without people's answers, which phones send."""
    return Cast(
        scenario.scenario.title or scenario.scenario.name,
        announced_schema(scenario, schema_of(scenario)),
        announced_policy(scenario),
        announced_rules(scenario),
        scenario.mix.suite,
        scenario.mix.shufflers,
        0,
        _no_row,
        strategy(scenario, None),
        OSEntropy(),
        program=wire(scenario),
    )


def _no_row(index: int) -> Sequence[str]:
    """Raise LookupError: this computer has no answers of people, since only phones know them."""
    raise LookupError(f"person {index}: only the person's phone knows these answers")

"""The service that passes phones' queries on to the party `randomness` (program `threshold`).

    phone    POST /CODE/seed, a `query` (docs/wire.md)    ->  desk  ->  randomness
    phone    the bytes of `evaluated`                     <-  desk  <-  randomness

In this program a row opens only if k people share it. To seal its row, a phone needs a secret that
only phones with the same row get. The party `randomness` computes it from a blinded query, by an
oblivious pseudorandom function: it learns nothing of the row. It answers each person once, and the
phone's connection may be lost just then. So the desk (this computer's server) stores the answer,
and returns it to the same phone for the same query. The desk learns nothing of a row either.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import trio

from ..crypto.entropy import Entropy
from ..crypto.ristretto import decoded
from ..crypto.threshold import Sealer
from ..errors import Reason, Refused
from ..protocol.rounds import threshold
from ..protocol.rounds.round_context import Round, sealing
from ..protocol.wire import parties
from ..protocol.wire.frames import Message, decode_message
from ..protocol.wire.messages import Kind
from ..protocol.wire.token_messages import Evaluated, Query
from ..roles.network.memory_network import Network
from ..roles.user import sign_many
from .classroom import Classroom
from .refusal import Unwelcome

# seconds for which the answer of `randomness` is still awaited after the time for queries is over
MARGIN = 2.0


@dataclass(slots=True)
class _Exchange:
    """A phone's query for the secret that seals its row, and the answer of the party `randomness`.

    Attributes:
        query: the bytes of the query.
        answer: the bytes of the answer; empty until it arrives.
        completion: set when the answer has arrived, or will not arrive.
    """

    query: bytes
    answer: bytes = b""
    completion: trio.Event = field(default_factory=trio.Event)


class Seeds:
    """The forwarding of phones' queries to the party `randomness`, with stored answers.

    A phone queries for the secret that seals its row; this party answers from the blinded query,
    and learns nothing of the row. The answers are stored, because each person is answered only
    once.

    room: the phones. network: the session's network.
    """

    def __init__(self, room: Classroom, network: Network) -> None:
        """Start without queries of phones. room: the phones. network: the session's network."""
        self._room = room
        self._network = network
        self._exchanges: dict[tuple[int, str], _Exchange] = {}

    async def ask(self, plan: Round, secret: str, data: bytes) -> bytes:
        """Return the answer of the party `randomness` to a phone's query for the secret of its row.

        The same query of the same phone gets the stored answer. plan: the round. secret: identifies
        the phone. data: the query. Unwelcome if the query is malformed, late, or another than
        before.
        """
        phone, place = self._room.phone_with(secret), (plan.call.round, secret)
        if (earlier_exchange := self._exchanges.get(place)) is not None:
            if earlier_exchange.query != data:
                raise Unwelcome(409, "seed-again")
            await earlier_exchange.completion.wait()
            return self._require_answer(earlier_exchange)
        if not is_query(plan, data):
            raise Unwelcome(400, "seed-nothing")
        if trio.current_time() >= self._room.asking_closes or not self._room.collecting:
            raise Unwelcome(409, "seed-late")
        self._exchanges[place] = exchange = _Exchange(data)
        sender = parties.user(self._room.number(phone))
        inbox = self._network.inbox(sender)
        with trio.move_on_at(self._room.asking_closes + MARGIN):
            await self._network.carry(sender, parties.RANDOMNESS, data)
            ((_, exchange.answer), *_) = await inbox.receive()
        exchange.completion.set()
        return self._require_answer(exchange)

    def _require_answer(self, exchange: _Exchange) -> bytes:
        """Return the answer of the party `randomness` to a phone's query for the secret of its row.

        exchange: the query, and its answer if it came. Unwelcome if no answer came in time.
        """
        if not exchange.answer:
            raise Unwelcome(409, "seed-late")
        return exchange.answer

    async def public(self, number: int) -> bytes:
        """Wait for the public key that the party `randomness` posts for a round; return the key.

        A phone checks with this key that the secret for its row is right. number: the round.
        Unwelcome if no key will come.
        """
        board = self._network.board
        await self._network.until(Kind.MINT, lambda board: number in board.mints)
        if number not in board.mints:
            raise Unwelcome(409, "seed-late")
        return board.mints[number]


def is_query(plan: Round, data: bytes) -> bool:
    """Whether bytes are a query that the party `randomness` answers in this round.

    A phone sends such a query to get the secret that seals its row. data: the bytes.
    """
    try:
        message = decode_message(data)
        query = message.body
        if not isinstance(query, Query) or plan.shape is None or message.seal is not None:
            return False
        for element in query.elements:
            decoded(element)
    except Refused:
        return False
    is_current = message.session == plan.session and message.round == plan.call.round
    return is_current and len(query.elements) == len(plan.shape.widths)


@dataclass(frozen=True, slots=True)
class SimulatedQuery:
    """A simulated person's query to the party `randomness` for the secret that seals its row.

    Attributes:
        plan: the round.
        asking: the row, and the factors that blind it in the query.
        data: the query as a message.
        entropy: the source of all of this person's randomness in the round.
    """

    plan: Round
    asking: threshold.PendingOutputs
    data: bytes
    entropy: Entropy

    def sealed(self, answer: bytes, public: bytes) -> bytes:
        """Return the person's sealed row, as the message to submit.

        answer: the reply of the party `randomness` to this query. public: the key that this party
        posted for the round. Refused unless the reply is proved to be computed with this key.
        """
        body = decode_message(answer).body
        if not isinstance(body, Evaluated):
            raise Refused(Reason.UNEXPECTED)
        assert self.plan.shape is not None  # noqa: S101 - asked in a round of this program
        job = 0, self.asking.row, self.entropy, None, (self.asking, body, public)
        (result,) = sign_many(self.plan, [job], Sealer(self.plan.shape))
        if isinstance(result, Reason):
            raise Refused(result)
        submission, _, _ = result
        return Message(self.plan.session, self.plan.call.round, submission).encode()


def question(plan: Round, row: Sequence[str], entropy: Entropy) -> SimulatedQuery:
    """Return a simulated person's query to the party `randomness`, for the secret that seals a row.

    plan: the round. row: the person's answers. entropy: the source of the person's randomness.
    """
    asking = threshold.ask(plan, row, sealing(entropy, plan.session).fork("rows"))
    data = Message(plan.session, plan.call.round, asking.body).encode()
    return SimulatedQuery(plan, asking, data, entropy)

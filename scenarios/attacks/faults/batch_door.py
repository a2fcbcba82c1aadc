"""The network access of a shuffler that changes its batch before the batch leaves.

The honest role sends three outputs through this access: its account (public numbers of received,
refused and forwarded messages), its trace (commitments to the batch) and its batch. The access
holds them back until the batch is complete, and changes the batch. Then it makes account and trace
again from the changed batch, so that all three are consistent, and sends them.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import trio

from ....errors import Reason, Refused
from ....protocol.rounds.audit import trace
from ....protocol.rounds.mixing import account, arrange, open_envelopes, open_layers
from ....protocol.rounds.round_context import Round
from ....protocol.wire import parties
from ....protocol.wire.audit_messages import Traced
from ....protocol.wire.frames import decode_message
from ....protocol.wire.messages import Batch, Body, Kind, Mixed, Submission
from ....roles.batches import pieces_of
from ....roles.network.memory_network import INBOX, Bag, Endpoint, Letter, Network

Layers = list[bytes]
Leaving = tuple[bytes, ...]


@dataclass(slots=True)
class Turn:
    """A batch that is about to leave a shuffler, as an attack changes it.

    Attributes:
        plan: the parameters of the round.
        hop: the shuffler's position in the mix, from 1.
        honest_account: the public numbers of received, refused and forwarded messages that the
            honest role made.
        layers: the opened layers, in order of arrival.
        senders: at the first shuffler, the users that sent the layers; the layers of a user are
            adjacent. Empty at other shufflers.
        last: functions that are applied to the batch after its layers are sorted.
        refused: layers and messages that the account counts as refused, in addition to the refusals
            of `honest_account`.
        unheard: number of messages that were hidden from the honest role, but that the account
            counts as received.
        digest: the digest of the batch in the account; None: the true digest.
        early: batches that leave before this batch: (receiver, batch).
    """

    plan: Round
    hop: int
    honest_account: Mixed
    layers: Layers
    senders: Sequence[str]
    last: list[Callable[[Leaving], Leaving]] = field(default_factory=list)
    refused: Counter[Reason] = field(default_factory=Counter)
    unheard: int = 0
    digest: bytes | None = None
    early: list[tuple[str, Batch]] = field(default_factory=list)

    def batch(self) -> Leaving:
        """Return the batch that leaves: the layers in the announced order, changed by `last`."""
        batch, _ = arrange(self.plan, self.layers)
        for change in self.last:
            batch = change(batch)
        return batch

    def account(self, batch: Leaving) -> Mixed:
        """Return the public account of a batch: numbers received, refused and forwarded."""
        honest_account = self.honest_account
        refused = Counter(honest_account.refused) + self.refused
        true = account(
            self.hop, honest_account.people, honest_account.received + self.unheard, refused, batch
        )
        return true if self.digest is None else replace(true, digest=self.digest)


class BatchDoor(Endpoint):
    """A shuffler's network access that can change a batch. Subclasses define the changes.

    The honest role runs unchanged and uses this access as its network. This class by itself changes
    no batch.
    """

    def __init__(self, network: Network, party: str) -> None:
        """Join the network as a shuffler that has received no message yet."""
        super().__init__(network, party)
        self.hop = parties.index(party) + 1
        self._letters: list[Letter] = []
        self._unheard = 0
        self._honest_account: Mixed | None = None
        self._traces = False
        self._batch: Layers = []

    def strikes(self, number: int) -> bool:  # noqa: ARG002 - subclasses use it
        """Whether the batch of a round, by its number, is changed; False without a subclass."""
        return False

    def ignores(self, plan: Round, letter: Letter) -> bool:  # noqa: ARG002
        """Whether a message is hidden from the honest role; False without a subclass."""
        return False

    def change(self, turn: Turn) -> None:
        """Change a batch in place; without an override in a subclass, the batch stays as it is."""

    async def receive(self, *kinds: Kind, limit: int = INBOX) -> Bag:
        """Return the messages that the honest role may see, and keep a copy of these messages.

        Ignored messages (`ignores`) are dropped and counted.
        """
        while True:
            letters = await super().receive(*kinds, limit=limit)
            if calls := self.board.calls:
                plan = self.plan(calls[-1])
                accepted_letters = [letter for letter in letters if not self.ignores(plan, letter)]
                self._unheard += len(letters) - len(accepted_letters)
                letters = accepted_letters
            self._letters += letters
            if letters:
                return letters

    async def post(self, body: Body) -> None:
        """Post a message, but hold back the account and the trace of a batch to be changed.

        Account: the public numbers of received, refused and forwarded messages. Trace: commitments
        to the layers. Both are made again from the changed batch when the batch leaves (`send`).
        """
        if isinstance(body, Mixed) and self.strikes(self.board.calls[-1].round):
            self._honest_account, self._traces, self._batch = body, False, []
        elif isinstance(body, Traced) and self._honest_account is not None:
            self._traces = True
        else:
            if isinstance(body, Mixed):
                self._letters.clear()
                self._unheard = 0
            await super().post(body)
            return
        await trio.lowlevel.checkpoint()

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send a message, but hold back the pieces of a batch until it is complete, and change it.

        Then post the account (numbers of received, refused and forwarded messages) and the trace
        (commitments to the layers) of the changed batch, and send its pieces.
        """
        if self._honest_account is None or not isinstance(body, Batch):
            await super().send(plan, receiver, body)
            return
        self._batch += body.layers
        if len(self._batch) < self._honest_account.forwarded:
            await trio.lowlevel.checkpoint()
            return
        turn = self._turn(plan, self._honest_account)
        self._honest_account = None
        self.change(turn)
        batch = turn.batch()
        for reason, count in turn.refused.items():
            self.refuse(plan, reason, count)
        await super().post(turn.account(batch))
        if self._traces:
            await super().post(trace(self.hop, batch))
        for early_receiver, early in turn.early:
            await super().send(plan, early_receiver, early)
        for piece in pieces_of(plan, self.hop + 1, batch):
            await super().send(plan, receiver, piece)

    def _turn(self, plan: Round, honest_account: Mixed) -> Turn:
        """Return the complete batch for the attack to change, and forget the round's messages.

        honest_account: the numbers of received, refused and forwarded messages by the honest role.
        """
        layers, senders = self._honest_batch(plan, frozenset(self._batch))
        turn = Turn(plan, self.hop, honest_account, layers, senders, unheard=self._unheard)
        self._letters, self._unheard = [], 0
        return turn

    def _honest_batch(
        self, plan: Round, batch_layers: frozenset[bytes]
    ) -> tuple[Layers, list[str]]:
        """Return the layers of the honest batch in order of arrival, and the users that sent them.

        The received messages are opened again, because the honest role has sorted the batch. Users
        are known at the first shuffler only. batch_layers: the layers that the honest role
        forwards.
        """
        assert self.secret is not None  # noqa: S101 - a shuffler has its key
        bodies = [(letter[0], self._body(plan, letter)) for letter in self._letters]
        if self.hop > 1:
            pieces = [
                body.layers
                for sender, body in bodies
                if isinstance(body, Batch) and sender == plan.openers[self.hop - 2]
            ]
            arrived_layers = [layer for piece in pieces for layer in piece]
            opened = open_layers(plan, self.hop, self.secret, arrived_layers)
            return [layer for layer in opened.inside if layer in batch_layers], []
        sender_envelopes = [
            (sender, body.envelope) for sender, body in bodies if isinstance(body, Submission)
        ]
        inside = open_envelopes(plan, self.secret, [envelope for _, envelope in sender_envelopes])
        by_sender: dict[str, Layers] = {}
        for (sender, _), onions in zip(sender_envelopes, inside, strict=True):
            if not isinstance(onions, Reason) and batch_layers.issuperset(onions):
                by_sender.setdefault(sender, onions)
        return [onion for onions in by_sender.values() for onion in onions], list(by_sender)

    def _body(self, plan: Round, letter: Letter) -> Body | None:
        """Return the body of a received message of this round; None for other messages."""
        try:
            message = decode_message(letter[1])
        except Refused:
            return None
        return message.body if message.round == plan.call.round else None

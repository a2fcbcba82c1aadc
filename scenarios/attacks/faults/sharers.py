"""The misbehaviour of a user that sends a false secret share to the group of its row.

The output that `randomness` returns to the honest role is for this role alone. So the network
access sends a request of its own in the user's name, and seals a ballot from the answer. The honest
role gets no answer, and stays silent.
"""

from collections.abc import Sequence

from ....crypto.entropy import Entropy
from ....crypto.padding import pad, unpad
from ....crypto.threshold import Sealer, spoiled
from ....errors import Refused
from ....protocol.rounds import threshold
from ....protocol.rounds.ballots import VALUES, Phrasebook, salts, submit_all
from ....protocol.rounds.registered_users import submission
from ....protocol.rounds.round_context import Round, sealing
from ....protocol.wire.messages import Body, Kind
from ....protocol.wire.token_messages import Evaluated, Query
from ....roles.mint import mint_key
from ....roles.network.memory_network import INBOX, Bag, Endpoint, Fault, Letter, Network
from ....roles.occasions import Note, no_note


class JunkSender(Endpoint):
    """The network access of a user that sends a share which lies on no polynomial of its group.

    row: the user's row. entropy: the randomness of request and ballot. note: records the deed.
    """

    def __init__(
        self, network: Network, party: str, row: Sequence[str], entropy: Entropy, note: Note
    ) -> None:
        """Join the network as a user that sends a false share. Arguments as in the class."""
        super().__init__(network, party)
        self.row, self.entropy, self.note = row, entropy, note
        self.pending_query: tuple[Round, threshold.PendingOutputs] | None = None

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send a message, but replace the user's request to `randomness` by another request."""
        if isinstance(body, Query):
            asking = threshold.ask(plan, self.row, self.entropy.fork("rows"))
            self.pending_query, body = (plan, asking), asking.body
        await super().send(plan, receiver, body)

    async def receive(self, *kinds: Kind, limit: int = INBOX) -> Bag:
        """Return received messages without the answer to the false request, which is used here."""
        while True:
            letters = await super().receive(*kinds, limit=limit)
            remaining_letters = [letter for letter in letters if not await self._takes(letter)]
            if remaining_letters:
                return remaining_letters

    async def _takes(self, letter: Letter) -> bool:
        """Whether a message is the answer to the attacker's request.

        The false share is then sent.
        """
        if self.pending_query is None:
            return False
        plan, asking = self.pending_query
        try:
            answer = self.accept(plan, letter).body
        except Refused:
            return False
        if not isinstance(answer, Evaluated):
            return False
        self.pending_query = None
        await self._hand_in(plan, asking, answer)
        return True

    async def _hand_in(
        self, plan: Round, asking: threshold.PendingOutputs, answer: Evaluated
    ) -> None:
        """Send a ballot with a false share, made from the answer of `randomness`."""
        public = await mint_key(self, plan)
        if public is None or plan.shape is None:
            return
        levels = threshold.take(plan, asking, answer, public)
        entropy = sealing(self.entropy, plan.session)
        (salt,) = salts(plan, entropy)
        ballot = unpad(threshold.write(plan, Sealer(plan.shape), levels, salt, entropy))
        junk = pad(ballot[:VALUES] + spoiled(plan.shape, ballot[VALUES:]), plan.ballot)
        (sealed,) = submit_all(Phrasebook(plan), [self.row], [self.entropy], written=[junk])
        self.note(self.network.instruments)
        await self.send(plan, plan.openers[0], submission(plan, sealed.envelope, self.signer))


def junk_sender(row: Sequence[str], entropy: Entropy, note: Note = no_note) -> Fault:
    """Return the fault of a user that sends a false share to the group of its row.

    note: records that the attack is carried out.
    """
    return lambda network, party: JunkSender(network, party, row, entropy, note)

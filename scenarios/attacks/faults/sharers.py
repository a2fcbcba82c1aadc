"""The misbehaviour of a user that submits a false secret share, in the release program `threshold`.

In this program, ballots with the same row form a group. Each ballot holds a share of the group's
key, and k shares open the group. The party `randomness` computes the key material of a row.

Its answer is for the honest role alone. So the user's network access replaces the role's request by
a request of its own, and seals a ballot with a false share from the answer. The honest role gets no
answer, and stays silent.
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
    """The network access of a user that submits a false share of its group's key.

    Ballots with the same row form a group, which k correct shares open. A correct share is a point
    on the polynomial of the group, and a false share is not.

    row: the user's row. entropy: the randomness of the request and the ballot. note: function that
    records that the attack is carried out.
    """

    def __init__(
        self, network: Network, party: str, row: Sequence[str], entropy: Entropy, note: Note
    ) -> None:
        """Join the network as a user that sends a false share of its group's key.

        row: the user's row. entropy: the randomness of the request and the ballot. note: function
        that records that the attack is carried out.
        """
        super().__init__(network, party)
        self.row, self.entropy, self.note = row, entropy, note
        self.pending_query: tuple[Round, threshold.PendingOutputs] | None = None

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Send a message, but replace the user's request for key material by another request.

        The party `randomness` answers such requests. The replacement is for the same row, but only
        this network access can use the answer.
        """
        if isinstance(body, Query):
            asking = threshold.ask(plan, self.row, self.entropy.fork("rows"))
            self.pending_query, body = (plan, asking), asking.body
        await super().send(plan, receiver, body)

    async def receive(self, *kinds: Kind, limit: int = INBOX) -> Bag:
        """Return received messages, except `randomness`'s answer to the attacker's request.

        The answer is used here to submit a ballot with a false share.
        """
        while True:
            letters = await super().receive(*kinds, limit=limit)
            remaining_letters = [letter for letter in letters if not await self._takes(letter)]
            if remaining_letters:
                return remaining_letters

    async def _takes(self, letter: Letter) -> bool:
        """Whether a message is `randomness`'s answer to the attacker's request for key material.

        If it is, a ballot with a false share of its group's key is submitted at once.
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
        """Submit a ballot with a false share of its group's key.

        asking: the secret part of the request. answer: the key material from the party
        `randomness`.
        """
        public = await mint_key(self, plan)
        if public is None or plan.shape is None:
            return
        levels = threshold.make_levels(plan, asking, answer, public)
        entropy = sealing(self.entropy, plan.session)
        (salt,) = salts(plan, entropy)
        ballot = unpad(threshold.write(plan, Sealer(plan.shape), levels, salt, entropy))
        junk = pad(ballot[:VALUES] + spoiled(plan.shape, ballot[VALUES:]), plan.ballot)
        (sealed,) = submit_all(Phrasebook(plan), [self.row], [self.entropy], written=[junk])
        self.note(self.network.instruments)
        await self.send(plan, plan.openers[0], submission(plan, sealed.envelope, self.signer))


def junk_sender(row: Sequence[str], entropy: Entropy, note: Note = no_note) -> Fault:
    """Return the fault of a user that submits a false share of its group's key.

    Ballots with the same row form a group, which k correct shares open. row: the user's row.
    entropy: the randomness of the request and the ballot. note: function that records that the
    attack is carried out.
    """
    return lambda network, party: JunkSender(network, party, row, entropy, note)

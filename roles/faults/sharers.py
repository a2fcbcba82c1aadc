"""A user who sends its group a share that is junk, and else does all that others do.

The answer to an honest question is for whoever asked it, so this place asks a question of its own
in the name of its user, and seals what it makes of the answer itself. Its user, which cannot use
that answer, stays silent.
"""

from collections.abc import Sequence

from ...crypto.entropy import Entropy
from ...crypto.padding import pad, unpad
from ...crypto.threshold import Sealer, spoiled
from ...errors import Reason
from ...protocol import threshold
from ...protocol.ballots import VALUES, Phrasebook, salts, submit_all
from ...protocol.frames import Message
from ...protocol.messages import Body
from ...protocol.registry import submission
from ...protocol.session import Round, sealing
from ...protocol.token_messages import Evaluated, Query
from ..mint import mint_key
from ..network import Endpoint, Fault, Letter, Network, Rounds


class JunkSender(Endpoint):
    """A user's place that sends a share which is on no polynomial of its group."""

    def __init__(self, network: Network, party: str, row: Sequence[str], entropy: Entropy) -> None:
        super().__init__(network, party)
        self.row, self.entropy = row, entropy
        self.asking: threshold.PendingOutputs | None = None
        self.answered: tuple[Round, Evaluated] | None = None

    def rounds(self) -> Rounds:
        """Each round; before the next one, junk is sent in the last."""
        return _Between(self)

    def refuse(self, plan: Round, reason: Reason, count: int = 1) -> None:
        """Say nothing of its own answers, which do not fit what its user asked."""
        if self.answered is None:
            super().refuse(plan, reason, count)

    async def send(self, plan: Round, receiver: str, body: Body) -> None:
        """Ask its own question in place of its user's."""
        if isinstance(body, Query):
            self.asking = threshold.ask(plan, self.row, self.entropy.fork("rows"))
            body = self.asking.body
        await super().send(plan, receiver, body)

    def accept(self, plan: Round, letter: Letter) -> Message:
        """Keep the answer."""
        message = super().accept(plan, letter)
        if isinstance(message.body, Evaluated):
            self.answered = plan, message.body
        return message

    async def hand_in(self) -> None:
        """Send what is junk, once there is an answer."""
        if self.answered is None or self.asking is None:
            return
        (plan, answer), self.answered = self.answered, None
        public = await mint_key(self, plan)
        if public is None or plan.shape is None:
            return
        levels = threshold.take(plan, self.asking, answer, public)
        entropy = sealing(self.entropy, plan.session)
        (salt,) = salts(plan, entropy)
        ballot = unpad(threshold.write(plan, Sealer(plan.shape), levels, salt, entropy))
        junk = pad(ballot[:VALUES] + spoiled(plan.shape, ballot[VALUES:]), plan.ballot)
        (sealed,) = submit_all(Phrasebook(plan), [self.row], [self.entropy], written=[junk])
        await self.send(plan, plan.openers[0], submission(plan, sealed.envelope, self.signer))


class _Between(Rounds):
    """Rounds between which a place still has something to send."""

    def __init__(self, place: JunkSender) -> None:
        super().__init__(place.network, place.party)
        self._place = place

    async def __anext__(self) -> Round:
        """Hand in what is due in the last round, then wait for the next."""
        await self._place.hand_in()
        return await super().__anext__()


def junk_sender(row: Sequence[str], entropy: Entropy) -> Fault:
    """Give the fault of a user that sends junk to the group of its row."""
    return lambda network, party: JunkSender(network, party, row, entropy)

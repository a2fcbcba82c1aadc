"""What whoever keeps the board may do wrong: show one person another board than everybody else.

Whoever does so holds the wires as well: the board is where people learn to whom they seal. On the
other board every party has a key that the liar made, so that it reads whatever is sealed there. It
signs what it shows with the board's own identity, or nobody would believe it, and everybody else's
posts with identities that it made: it has no others.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ...crypto.entropy import Entropy
from ...crypto.keys import KeyPair, SecretKey
from ...crypto.signing import Signer
from ...crypto.suites import suite_by_code
from ...errors import Refused
from ...protocol import parties
from ...protocol.announcement import Announcement
from ...protocol.board import Board, Entry
from ...protocol.frames import Message
from ...protocol.messages import Body, Consent, Head, Key, Roster
from ...protocol.parties import Role
from ...protocol.phases import BOARD
from ...protocol.session import Round
from ...protocol.signed_posts import sealed_post, sign_head
from ..network import Endpoint, Fault, Network, Rounds


@dataclass(slots=True)
class Forgery:
    """Another board, made of what stands on the true one, with keys of the liar's own.

    Attributes:
        entropy: what keys and identities are drawn from.
        notary: the identity of whoever keeps the board; None where nothing is signed.
        board: what is shown.
        pairs: the keys that take the place of those of the parties, by name.
    """

    entropy: Entropy
    notary: Signer | None
    board: Board = field(default_factory=Board)
    pairs: dict[str, KeyPair] = field(default_factory=dict)

    def follow(self, true: Board) -> None:
        """Show what has come onto the true board since the last time, as far as that can be done.

        What is proved of the true session alone, such as a share of a lock, has no like on another
        board: whoever is shown that one sees it stop there, and answers no more.
        """
        for entry in true.entries[len(self.board.entries) :]:
            author, number = entry.author, entry.message.round
            message = Message(self.board.session, number, self._instead(entry))
            try:
                self.board.post(author, self._sealed(author, message))
            except Refused:
                return

    def _instead(self, entry: Entry) -> Body:
        """What stands there instead of an entry."""
        match entry.message.body:
            case Key(key=key):
                scheme = suite_by_code(key.suite, lesson=True)
                self.pairs[entry.author] = scheme.keypair(self.entropy.fork(f"key {entry.author}"))
                return Key(self.pairs[entry.author].public)
            case Announcement() as told:
                return self._announced(told)
            case Consent():
                return Consent(self.board.session)
            case Roster() as roster:
                return self._signers(roster)
            case Head(place=place) if self.notary is not None and self.board.roster is not None:
                return sign_head(self.board.roster, place, self.board.state, self.notary)
            case body:
                return body

    def _announced(self, told: Announcement) -> Announcement:
        scheme = suite_by_code(told.suite, lesson=True)
        self.pairs[parties.CURATOR] = scheme.keypair(self.entropy.fork("key curator"))
        hops = [self.pairs[parties.shuffler(hop + 1)].public for hop in range(len(told.shufflers))]
        return replace(
            told,
            shufflers=tuple(hops),
            curator=self.pairs[parties.CURATOR].public,
            analyst=self.pairs[parties.ANALYST].public,
        )

    def _identity(self, author: str) -> Signer:
        return Signer(self.entropy.fork(f"identity {author}"))

    def _signers(self, roster: Roster) -> Roster:
        """Another roster of the same opening: all identities but the board's are made up."""
        hops = tuple(
            self._identity(parties.shuffler(hop + 1)).public for hop in range(len(roster.shufflers))
        )
        curator, analyst = (self._identity(role).public for role in (Role.CURATOR, Role.ANALYST))
        return replace(roster, curator=curator, analyst=analyst, shufflers=hops)

    def _sealed(self, author: str, message: Message) -> bytes:
        body = message.body
        roster = body if isinstance(body, Roster) else self.board.roster
        if roster is None or author == BOARD or parties.role(author) is Role.USER:
            return message.encode()
        return sealed_post(message, roster, author, self._identity(author), self.board.witness)


class MisledUser(Endpoint):
    """The place of an honest user who is shown a forged board."""

    def __init__(self, network: Network, party: str, entropy: Entropy) -> None:
        super().__init__(network, party)
        self.forgery = Forgery(entropy, network.notary)
        network.shown[party] = self.forgery.board

    def rounds(self) -> "Rounds":
        """Each round as it is called, once the forged board has it too."""
        return _ForgedRounds(self)


class _ForgedRounds(Rounds):
    """The rounds of a session as somebody is shown them who is lied to."""

    def __init__(self, place: MisledUser) -> None:
        super().__init__(place.network, place.party)
        self._place = place

    async def __anext__(self) -> Round:
        """Wait for the next round; the liar adds it to what it shows."""
        call = await self._network.call(self._number + 1)
        if call is not None:
            forgery = self._place.forgery
            forgery.follow(self._network.board)
            shown, keys = forgery.board, dict(forgery.pairs)
            self._network.instruments.tell(
                lambda instrument: instrument.misled(shown, _secrets_of(keys))
            )
        return await super().__anext__()


def _secrets_of(pairs: Mapping[str, KeyPair]) -> dict[str, SecretKey]:
    """The secret keys, by the party whose place they take."""
    return {party: pair.secret for party, pair in pairs.items()}


def misled(entropy: Entropy) -> Fault:
    """Give the place of a user to whom the board lies."""
    return lambda network, party: MisledUser(network, party, entropy)

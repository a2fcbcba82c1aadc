"""Misbehaviour of the bulletin board's keeper: it shows one user a forged board.

Users take the keys that they seal to from the board. On the forged board every party has a key that
the keeper made, so the keeper can open all ballots that this user seals. Such a keeper controls the
network as well.

The keeper signs the forged board with its own identity, because the user checks the board's
signature. It signs the posts of all other parties with identities that it made, because it does not
have their signing keys.
"""

from collections.abc import Mapping
from dataclasses import replace

from ....crypto.entropy import Entropy
from ....crypto.keys import KeyPair, SecretKey
from ....crypto.signing import Signer
from ....crypto.suites import suite_by_code
from ....errors import Refused
from ....protocol.board.board import Board, Entry
from ....protocol.board.phases import BOARD
from ....protocol.wire import parties
from ....protocol.wire.announcement import Announcement
from ....protocol.wire.frames import Message
from ....protocol.wire.messages import Body, Consent, Head, Key, Roster
from ....protocol.wire.parties import Role
from ....protocol.wire.signed_posts import sealed_post, sign_head
from ....roles.network.board_stream import BoardStream, OwnStream
from ....roles.network.instruments import Instruments
from ....roles.network.memory_network import Endpoint, Fault, Network
from ....roles.occasions import Note, no_note


class Forgery(OwnStream):
    """A forged bulletin board, made from the posts of the true board, with keys of the attacker.

    entropy: the source of the attacker's keys and identities. notary: the signing identity of the
    board's keeper; None if posts are not signed. instruments: observers that receive the forged
    board and its secret keys. pairs: party -> the attacker's key pair that replaces the party's
    key. note: function that records that a changed post was shown.
    """

    def __init__(
        self,
        true: BoardStream,
        entropy: Entropy,
        notary: Signer | None,
        instruments: Instruments,
        note: Note = no_note,
    ) -> None:
        """Begin an empty forged board that follows the true board.

        true: the common stream. entropy: the source of the attacker's keys. notary: the signing
        identity of the board's keeper; None if posts are not signed. instruments: observers that
        receive the forged board. note: function that records that a changed post was shown.
        """
        super().__init__(true)
        # The forged board accepts any roster (list of identities), because only the deceived user
        # compares the roster with the true list.
        self._board = Board()
        self.entropy = entropy
        self.notary = notary
        self.instruments = instruments
        self.note = note
        self.pairs: dict[str, KeyPair] = {}
        self._stopped = False

    def hear(self, entry: Entry) -> None:
        """Add the counterpart of a true post to the forged board, as long as a counterpart exists.

        A post with a proof for the true session has no counterpart, because the proof does not hold
        for the forged session. An example is a share of a lock, the common key that delays opening.
        The forged board ends at such a post, so its reader sends no more.
        """
        author, number = entry.author, entry.message.round
        if not self._stopped:
            message = Message(self.board.session, number, self._instead(entry))
            try:
                self.board.post(author, self._sealed(author, message))
                if message.body != entry.message.body:
                    self.note(self.instruments)
            except Refused:
                self._stopped = True
        if self._stopped:
            return
        self.wake(entry.message.kind)
        board, keys = self.board, _secrets_of(self.pairs)
        self.instruments.notify(lambda instrument: instrument.misled(board, keys))

    def _instead(self, entry: Entry) -> Body:
        """Return the body of the post that replaces a true entry on the forged board."""
        match entry.message.body:
            case Key(key=key):
                scheme = suite_by_code(key.suite, lesson=True)
                self.pairs[entry.author] = scheme.keypair(self.entropy.fork(f"key {entry.author}"))
                return Key(self.pairs[entry.author].public)
            case Announcement() as announcement:
                return self._announced(announcement)
            case Consent():
                return Consent(self.board.session)
            case Roster() as roster:
                return self._signers(roster)
            case Head(place=place) if self.notary is not None and self.board.roster is not None:
                return sign_head(self.board.roster, place, self.board.state, self.notary)
            case body:
                return body

    def _announced(self, announcement: Announcement) -> Announcement:
        """Return the announcement with an attacker's key in place of every party's key."""
        scheme = suite_by_code(announcement.suite, lesson=True)
        self.pairs[parties.CURATOR] = scheme.keypair(self.entropy.fork("key curator"))
        return announced_with(announcement, self.pairs)

    def _identity(self, author: str) -> Signer:
        """Return the signing key that the attacker made for a party."""
        return Signer(self.entropy.fork(f"identity {author}"))

    def _signers(self, roster: Roster) -> Roster:
        """Return a roster (the parties' signing identities), invented except for the board's."""
        hops = tuple(
            self._identity(parties.shuffler(hop + 1)).public for hop in range(len(roster.shufflers))
        )
        curator, analyst = (self._identity(role).public for role in (Role.CURATOR, Role.ANALYST))
        return replace(roster, curator=curator, analyst=analyst, shufflers=hops)

    def _sealed(self, author: str, message: Message) -> bytes:
        """Return the bytes of a post on the forged board, signed with a made-up identity.

        Without a roster of identities, and for users and the board itself, the bytes are not
        signed.
        """
        body = message.body
        roster = body if isinstance(body, Roster) else self.board.roster
        if roster is None or author == BOARD or parties.role(author) is Role.USER:
            return message.encode()
        return sealed_post(message, roster, author, self._identity(author), self.board.witness)


def announced_with(announcement: Announcement, pairs: Mapping[str, KeyPair]) -> Announcement:
    """Return an announcement with other public keys. pairs: party -> the key pair to use."""
    hops = [parties.shuffler(hop + 1) for hop in range(len(announcement.shufflers))]
    return replace(
        announcement,
        shufflers=tuple(pairs[hop].public for hop in hops),
        curator=pairs[parties.CURATOR].public,
        analyst=pairs[parties.ANALYST].public,
    )


def _secrets_of(pairs: Mapping[str, KeyPair]) -> dict[str, SecretKey]:
    """Return the secret keys of the attacker's key pairs, by the party that each pair replaces."""
    return {party: pair.secret for party, pair in pairs.items()}


def misled(entropy: Entropy, note: Note = no_note) -> Fault:
    """Return the fault of an honest user that is shown a forged board.

    note: function that records that a false post was shown.
    """

    def place(network: Network, party: str) -> Endpoint:
        """Return the honest user's network access, with the forged board as its bulletin board."""
        forgery = Forgery(network.stream, entropy, network.notary, network.instruments, note)
        network.show(party, forgery)
        return network.join(party)

    return place

"""A forged bulletin board that one party sees instead of the true board, for the attack search.

    left out   posts of a kind are missing from the forged board
    changed    a field of a post has another value: if posts are not signed, or if the author is in
               the coalition, which can sign the changed post
    own keys   the coalition's keys replace all keys (board.py); the curator can also show a person
               an announcement with such keys, and leave the board as it is

The forged board follows the true board post by post. Data that depend on changed posts are made
again: signed tree heads (the board's signatures over all posts), and signatures of members. After a
post that the reader's copy of the board refuses, no further post is shown.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from ....crypto.entropy import Entropy
from ....crypto.keys import KeyPair
from ....crypto.suites import suite_by_code
from ....errors import Refused
from ....protocol.board.board import Entry
from ....protocol.board.phases import BOARD
from ....protocol.knowledge.adversary_view import AdversaryView
from ....protocol.knowledge.exploits import on_the_forged_board
from ....protocol.search.changes import changed
from ....protocol.search.deviation import OWN_KEYS, Deviation
from ....protocol.wire import parties
from ....protocol.wire.announcement import Announcement
from ....protocol.wire.frames import Message
from ....protocol.wire.messages import Body, Consent, Head
from ....protocol.wire.parties import Role
from ....protocol.wire.signed_posts import sealed_post, sign_head
from ....roles.network.board_stream import BoardStream, OwnStream, Retold
from ....roles.network.memory_network import Endpoint, Network
from .board import Forgery, announced_with
from .deviation import Deviations

LABEL = "another board"


class OtherBoard(OwnStream):
    """A forged bulletin board, shown to one party, on which some posts are left out or changed.

    shows: the deviations of kind `show` that this board carries out; each leaves out or changes
    posts. deviations: the coalition's whole strategy; its record holds the members' signing keys.
    network: the session's network; its `notary` is the board's signing identity, which signs the
    tree heads.
    """

    def __init__(
        self,
        true: BoardStream,
        shows: Sequence[Deviation],
        deviations: Deviations,
        network: Network,
    ) -> None:
        """Begin an empty forged board that follows the true board.

        shows: the deviations that leave out or change posts on this board. deviations: the
        coalition's whole strategy. network: the session's network, with the board's signing
        identity.
        """
        super().__init__(true)
        self._shows = shows
        self._deviations = deviations
        self._network = network
        self._stopped = False

    def hear(self, entry: Entry) -> None:
        """Add a true post or its replacement to this forged board, or leave the post out."""
        body = None if self._stopped else self._instead(entry)
        if body is None:
            return
        try:
            self._board.post(entry.author, self._written(entry, body))
        except Refused:
            self._stopped = True
            return
        self.wake(entry.message.kind)

    def _instead(self, entry: Entry) -> Body | None:
        """Return the body of a true post on this forged board; None: the post is left out."""
        body = entry.message.body
        for show in self._shows:
            if show.message is not entry.message.kind or not show.is_in(entry.message.round):
                continue
            if not show.field:
                self._deviations.note(show, self._network.instruments)
                return None
            if self._may_change(entry.author):
                self._deviations.note(show, self._network.instruments)
                is_target = self._deviations.entry_test(show, self._network.board)
                body = changed(body, show.field, show.change, is_target) or body
        return self._following(body)

    def _may_change(self, author: str) -> bool:
        """Whether the coalition can post in an author's name.

        It can if the author is a member, or if posts are not signed.
        """
        return self._network.known_roster is None or author in self._deviations.coalition

    def _following(self, body: Body) -> Body:
        """Return the body of a post, made again if it depends on this forged board's posts.

        Two posts depend on earlier posts: the tree head (a signature over all posts), and a
        consent, which names the session by the digest of its announcement.
        """
        roster, notary = self._board.roster, self._network.notary
        match body:
            case Head(place=place) if roster is not None and notary is not None:
                return sign_head(roster, place, self._board.state, notary)
            case Consent() if self._network.known_roster is None:
                return Consent(self._board.session)
            case _:
                return body

    def _written(self, entry: Entry, body: Body) -> bytes:
        """Return the bytes of a post on this forged board.

        The bytes are the author's own if they still fit. Otherwise a member's post is signed again
        with the member's key, and a post that needs no signature is encoded again.
        """
        message = Message(self._board.session, entry.message.round, body)
        is_same = (message.session, body) == (entry.message.session, entry.message.body)
        signer = self._deviations.record.signers.get(entry.author)
        roster = self._network.known_roster
        if is_same and self._board.witness == self._network.board.witness:
            return entry.data
        if roster is None or entry.author == BOARD:
            return message.encode()
        if signer is None or entry.author not in self._deviations.coalition:
            return entry.data
        return sealed_post(message, roster, entry.author, signer, self._board.witness)


def is_shown_to(show: Deviation, party: str) -> bool:
    """Whether a deviation shows a forged board to a party.

    It does if the deviation names the party, or if the party is a user that the deviation affects.
    """
    named = party in show.people
    return named or (show.means(party) and parties.role(party) is Role.USER)


def misled(
    deviations: Deviations, shows: Sequence[Deviation], network: Network, party: str
) -> Endpoint:
    """Return the network access of an honest party that reads a forged board.

    shows: the deviations that leave out or change posts for this party, or replace all keys.
    """
    forging = next((show for show in shows if show.change == OWN_KEYS), None)
    if forging is not None:
        entropy = deviations.entropy.fork(f"{LABEL} {party}")
        note = partial(deviations.note, forging)
        forgery = Forgery(network.stream, entropy, network.notary, network.instruments, note)
        network.show(party, forgery)
        deviations.record.other_sessions.append(on_the_forged_board)
    else:
        other_board = OtherBoard(network.stream, shows, deviations, network)
        network.show(party, other_board)
        deviations.record.other_sessions.append(lambda loot: replace(loot, board=other_board.board))
    return Endpoint(network, party)


def retell(deviations: Deviations, show: Deviation, network: Network, body: Announcement) -> None:
    """Let the curator show some users an announcement that differs from the board's.

    show: the deviation, which names the users and the change. body: the true announcement.
    """
    announcement, pairs = body, dict[str, KeyPair]()
    if show.change == OWN_KEYS:
        announcement, pairs = with_own_keys(body, deviations.entropy.fork(LABEL))
    else:
        is_target = deviations.entry_test(show, network.board)
        changed_body = changed(body, show.field, show.change, is_target)
        announcement = changed_body if isinstance(changed_body, Announcement) else body
    for person in map(parties.user, range(deviations.people)):
        if is_shown_to(show, person):
            network.show(person, Retold(network.stream, announcement))
    deviations.note(show, network.instruments)
    keys = {party: pair.secret for party, pair in pairs.items()}

    def other_session(loot: AdversaryView) -> AdversaryView:
        """Return the coalition's view, with the false announcement and its secret keys.

        The curator showed the false announcement to the deceived users.
        """
        return replace(loot, shown_announcement=announcement, keys={**loot.keys, **keys})

    deviations.record.other_sessions.append(other_session)


def with_own_keys(
    announcement: Announcement, entropy: Entropy
) -> tuple[Announcement, dict[str, KeyPair]]:
    """Return an announcement with attacker's keys for all parties, and the key pairs by party.

    entropy: the source of the keys.
    """
    scheme = suite_by_code(announcement.suite, lesson=True)
    hops = [parties.shuffler(hop + 1) for hop in range(len(announcement.shufflers))]
    pairs = {
        party: scheme.keypair(entropy.fork(f"key {party}"))
        for party in (*hops, parties.CURATOR, parties.ANALYST)
    }
    return announced_with(announcement, pairs), pairs

"""The record of the attackers: every byte that they see, and every secret that they hold.

A transcript holds hashes of ciphertexts, and no keys. An attack that a simulation carries out needs
the bytes and the keys. This observer keeps them for protocol/knowledge/exploits.py. Roles do not
use it: the session hands it the secrets of each party when the party starts.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from ..crypto.entropy import Entropy
from ..crypto.keys import SecretKey
from ..crypto.signing import Signer
from ..crypto.voprf import OprfKey
from ..protocol.board.board import Board, Entry
from ..protocol.board.phases import BOARD
from ..protocol.knowledge import exploits
from ..protocol.knowledge.adversary_view import AdversaryView, Letter
from ..protocol.knowledge.transcript import SealedAnswers
from ..protocol.wire import parties
from ..protocol.wire.messages import Kind
from .challenge import Keyring
from .mint import TokenDesk
from .occasions import OccasionRecord

T = TypeVar("T")


@dataclass(slots=True)
class AdversaryRecord(OccasionRecord):
    """An observer that keeps every message and secret; `loot` returns the accomplices' part.

    Attributes:
        letters: the messages that the network carried, in order.
        times: the time of each letter, in seconds of the session.
        post_times: times of the posts, in seconds of the session.
        keys: secret keys, by party.
        rings: each keyholder's secret shares of the keys that lock ballots, and of audit coins.
        desks: keys and memory of each token issuer.
        signers: signing keys, by party.
        functions: keys of the oblivious function that `randomness` evaluates, by round.
        sealed_answers: the sealed answers of users.
        entropy_of: the source of randomness of a user, by name; None: unknown.
        forged, forged_keys: the forged board that an attacker shows to a party, and the secret keys
            of its forger on it, by party.
        answering: by user index, the `[[fault]]` entries (places in the file) that count as carried
            out once the user answers.
        posting: by kind of post, the `[[fault]]` entries that count as carried out with such a
            post.
        struck: by `[[fault]]` entry, the users whose messages the network drops.
    """

    letters: list[Letter] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    post_times: list[float] = field(default_factory=list)
    keys: dict[str, SecretKey] = field(default_factory=dict)
    rings: dict[str, Keyring] = field(default_factory=dict)
    desks: dict[str, TokenDesk] = field(default_factory=dict)
    signers: dict[str, Signer] = field(default_factory=dict)
    functions: dict[int, OprfKey] = field(default_factory=dict)
    sealed_answers: list[SealedAnswers] = field(default_factory=list)
    entropy_of: Callable[[str], Entropy] | None = None
    forged: Board | None = None
    forged_keys: dict[str, SecretKey] = field(default_factory=dict)
    answering: dict[int, set[int]] = field(default_factory=dict)
    posting: dict[Kind, set[int]] = field(default_factory=dict)
    struck: dict[int, frozenset[str]] = field(default_factory=dict)

    def confide(self, party: str, secret: SecretKey) -> None:
        """Keep a party's secret key, so that a later search can use the keys of a coalition."""
        self.keys[party] = secret

    def seat(self, party: str, ring: Keyring, desk: TokenDesk, identity: Signer | None) -> None:
        """Keep the secrets of a party other than a user.

        ring: its shares of the keys that lock ballots. desk: its token keys. identity: its signing
        key; None if posts are not signed.
        """
        self.rings[party], self.desks[party] = ring, desk
        if identity is not None:
            self.signers[party] = identity

    def people(self, entropy_of: Callable[[str], Entropy], signers: Mapping[int, Signer]) -> None:
        """Keep users' randomness (label -> its source) and signing keys. signers: by user index."""
        self.entropy_of = entropy_of
        self.signers |= {parties.user(index): signer for index, signer in signers.items()}

    def misled(self, board: Board, secrets: Mapping[str, SecretKey]) -> None:
        """Keep a forged board that was shown to a party, and the forger's secret keys on it."""
        self.forged, self.forged_keys = board, dict(secrets)

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        """Keep a message between two parties, and its time.

        A post is not kept, because `loot` receives the whole board when the session is over.
        """
        if receiver != BOARD:
            self.letters.append(Letter(sender, receiver, data))
            self.times.append(time)

    def posted(self, time: float, entry: Entry) -> None:
        """Keep the time of a post, and note the attacks that count as carried out with it."""
        self.post_times.append(time)
        self.occasions |= self.posting.get(entry.message.kind, set())

    def sealed(self, sealed_answers: SealedAnswers) -> None:
        """Keep a user's sealed answers, and note the attacks that its answer carries out."""
        self.sealed_answers.append(sealed_answers)
        self.occasions |= self.answering.get(sealed_answers.user, set())

    def loot(self, board: Board, accomplices: Collection[str]) -> AdversaryView:
        """Return the attackers' joint view: messages that accomplices saw, and their secrets.

        The network as an accomplice sees every message. Call this when the session is over.
        """
        wires = parties.NETWORK in accomplices
        letter_places = [
            at
            for at, letter in enumerate(self.letters)
            if wires or letter.sender in accomplices or letter.receiver in accomplices
        ]
        mine = _accomplice_part(self.keys, accomplices)
        if wires:
            mine |= {exploits.FORGED + party: key for party, key in self.forged_keys.items()}
        rings = _accomplice_part(self.rings, accomplices)
        users = [
            accomplice
            for accomplice in accomplices
            if parties.role(accomplice) is parties.Role.USER
        ]
        indices = {parties.index(user) for user in users}
        shares = _by_round({party: ring.shares for party, ring in rings.items()})
        user_entropy = self.entropy_of
        return AdversaryView(
            board,
            tuple(self.letters[at] for at in letter_places),
            mine,
            self.forged if wires else None,
            {place: share.secret for place, share in shares.items()},
            self.functions if parties.RANDOMNESS in accomplices else {},
            tuple(self.times[at] for at in letter_places),
            tuple(self.post_times),
            _by_round(
                {
                    accomplice: desk.keys
                    for accomplice, desk in _accomplice_part(self.desks, accomplices).items()
                }
            ),
            _by_round({accomplice: ring.purse.tosses for accomplice, ring in rings.items()}),
            _accomplice_part(self.signers, accomplices),
            {user: user_entropy(user) for user in users} if user_entropy else {},
            tuple(answers for answers in self.sealed_answers if answers.user in indices),
        )


def _accomplice_part(by_party: Mapping[str, T], accomplices: Collection[str]) -> dict[str, T]:
    """Return the part of a table by party that accomplices hold."""
    return {party: value for party, value in by_party.items() if party in accomplices}


def _by_round(by_party: Mapping[str, Mapping[int, T]]) -> dict[tuple[str, int], T]:
    """Merge tables into one with the keys (party, round). by_party: party -> round -> value."""
    return {
        (party, number): value
        for party, rounds in by_party.items()
        for number, value in rounds.items()
    }

"""Sessions between machines, played in one process with all keys known, and posts signed anew.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import session_kit as KIT
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.identity import Identity
from veilmix.crypto.signing import Signer
from veilmix.machines.saved_posts import POSTS, post_line
from veilmix.protocol.board.board import Board
from veilmix.protocol.board.phases import BOARD
from veilmix.roles.cast import Cast
from veilmix.roles.compute.event_loop import run_loop
from veilmix.roles.compute.simulated_clock import VirtualClock
from veilmix.roles.keyholder import SLOW, longest_round
from veilmix.roles.network.instruments import Instrument, Instruments
from veilmix.roles.network.memory_network import Network
from veilmix.roles.session import PEOPLE, keyholders, make_key, perform
from veilmix.scenarios.deployment import place
from veilmix.scenarios.deployment.people_keys import signers_of
from veilmix.scenarios.deployment.session_file import SessionFile, read_session
from veilmix.scenarios.records.identity_files import read_identity

SEED = 7
PUBLIC = KIT.HEAD.replace("[policy]\n", "[policy]\npublish_marginals = true\n")
NOISY = KIT.HEAD.partition("[policy]")[0] + (
    '[policy]\nkind = "histogram"\n[local]\nmechanism = "grr"\nepsilon = 2\n'
)
REGISTERED = "[defence]\nregistered = true\n"
KINDS: Mapping[str, tuple[str, str]] = {
    "secret": (KIT.HEAD, REGISTERED),
    "public": (PUBLIC, REGISTERED),
    "noisy": (NOISY, REGISTERED),
    "anyone": (PUBLIC, ""),
    "wide": (KIT.HEAD.replace("0.05", "0.2"), REGISTERED),  # both columns, by prices
    "tokens": (KIT.HEAD, REGISTERED + "tokens = true\n"),
    "challenge": (KIT.HEAD, REGISTERED + "challenge = true\n"),
    "verified": (KIT.HEAD, '[mix]\nkind = "verified"\n' + REGISTERED),
    "verified-noisy": (NOISY, '[mix]\nkind = "verified"\n' + REGISTERED),
    "once": (PUBLIC, '[mix]\nkind = "verified"\nsubmit = "once"\n' + REGISTERED),
}  # kind of session -> what is asked, and its guards
WIDE = [
    *[("meat", "Monday")] * 30,
    *[("meat", "Friday")] * 8,
    *[("plants", "Monday")] * 9,
    *[("plants", "Friday")] * 5,
]  # both columns can be released
Post = tuple[str, bytes]


@dataclass(frozen=True)
class Saved:
    """A session that was played, with every identity.

    Attributes:
        folder: of the session file and the identities.
        session: the file.
        identities: with their secrets, by name.
        posts: author and bytes, in order.
        letters: what parties sent to each other.
        keys: the secret key of each keyholder.
    """

    folder: Path
    session: SessionFile
    identities: Mapping[str, Identity]
    posts: Sequence[Post]
    letters: Sequence[bytes]
    keys: Sequence[bytes]

    @property
    def session_path(self) -> Path:
        """The session file."""
        return self.folder / "session.toml"

    def secrets(self) -> Iterator[bytes]:
        """Every key and seed, and a piece of every letter: ballots that are not read yet."""
        yield from self.keys
        for own in self.identities.values():
            yield own.seed
            yield from (line.encode() for line in own.tls_key.splitlines() if "---" not in line)
            yield from (signer._secret[:32] for signer in signers_of(own, 20))
        yield from (letter[60:124] for letter in self.letters if len(letter) > 124)

    def save(self, folder: Path, posts: Sequence[Post] | None = None) -> Path:
        """Write posts, its own if none are given, as a place saves them; returns the folder."""
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / POSTS).open("wb") as file:
            for post in self.posts if posts is None else posts:
                file.write(post_line(*post))
        return folder


def play(folder: Path, kind: str = "secret", rows: Sequence[Sequence[str]] = KIT.ROWS) -> Saved:
    """Play a session of a kind with these people, in simulated time and from a seed."""
    head, more = KINDS[kind]
    hall = KIT.Hall(1, rows, listens="tokens" in more)
    played = KIT.Session(folder, _nothing, more, head, {"hall": hall})
    session = read_session(played.path)
    names = (*KIT.PARTIES, "hall")
    identities = {name: read_identity(folder / f"{name}.key.toml") for name in names}
    cast = _cast(session, identities, rows)
    heard = Letters()
    run = partial(_hold, cast, session, signers_of(identities["hall"], len(rows)), heard)
    posts = [(entry.author, entry.data) for entry in run_loop(run, clock=VirtualClock()).entries]
    keys = [make_key(cast, party).pair.secret._raw for party in keyholders(cast)]
    return Saved(folder, session, identities, posts, heard.letters, keys)


class Letters(Instrument):
    """Keeps every message that is not for the board."""

    def __init__(self) -> None:
        self.letters: list[bytes] = []

    def carried(self, time: float, sender: str, receiver: str, data: bytes) -> None:
        if receiver != BOARD:
            self.letters.append(data)


def _nothing(*_given: object, **_more: object) -> None:
    """Start no process."""


def _cast(
    session: SessionFile, identities: Mapping[str, Identity], rows: Sequence[Sequence[str]]
) -> Cast:
    """All parties of a session, who sign by their identities, and draw from a seed."""
    cast = place._cast(session, SeededEntropy(SEED), range(len(rows)), rows)
    return replace(cast, identities={name: own.signer for name, own in identities.items()})


async def _hold(
    cast: Cast, session: SessionFile, people: Sequence[Signer], heard: Instrument
) -> Board:
    """Play all parties, who know the session file beforehand, in one process."""
    assert cast.identities
    network = Network(Instruments([heard], _fail), session.roster, cast.identities[BOARD])
    network.patience = SLOW * longest_round(cast.shufflers, cast.rules)
    network.terms = cast.terms
    signing = dict(enumerate(people)) if session.registry else {}
    await perform(cast, network, {*keyholders(cast), PEOPLE}, signing, partial(make_key, cast))
    return network.board


def _fail(why: str) -> None:
    raise AssertionError(why)

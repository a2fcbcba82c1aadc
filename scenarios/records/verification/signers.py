"""Checks of the signatures on a run: the parties' on their posts, the recorder's on the folder.

A signature shows the signer only to a reader that knows the signer's key beforehand. To other
readers it shows only consistency: one key signed all posts of a party. If the parties' keys were
drawn from the run's own seed, every reader of the seed has the private keys.
"""

from collections.abc import Mapping

from ....crypto.entropy import SeededEntropy
from ....crypto.identity import PublicIdentity
from ....crypto.signing import Signer
from ....errors import VerificationError
from ....protocol.board.board import END
from ....protocol.board.phases import BOARD
from ....protocol.wire import parties
from ....protocol.wire.messages import Roster
from ...programs.evidence import NoGround
from .evidence import RecordEvidence

KnownIdentities = Mapping[str, PublicIdentity]


class Authentic(str):
    """The finding of a check that shows the author of the record, not only its consistency."""

    __slots__ = ()


def folder(evidence: RecordEvidence) -> str:
    """Check that the files are as they were written; return a finding that names a known recorder.

    The recorder, who wrote the folder, is known if its key is among the known identities.
    """
    run = evidence.run
    if run.seal is None:
        raise VerificationError(
            "seal.json is missing: an older version recorded this run, or the file was removed"
        )
    run.seal.check(run.files)
    files, recorder = len(run.seal.files), run.seal.recorder
    if recorder is None:
        return f"{files} files as they were written; the folder is not signed"
    name = _owner_name(bytes.fromhex(recorder.key), evidence.known_identities)
    if name is None:
        return f"{files} files as they were written; signed by an unknown key ({recorder.name}?)"
    return Authentic(f"{files} files as {name} recorded them")


def posts(evidence: RecordEvidence) -> str:
    """Check the authors' signatures on posts, and the board's on its log; return the finding.

    The board signs all posts so far at every call and at the end (a head). The finding names the
    signers with known keys.
    """
    board = evidence.board
    signed = evidence.run.scenario.defence.signed
    if (board.roster is not None) != signed:
        state = "signed" if board.roster is not None else "not signed"
        raise VerificationError(f"[defence] signed = {str(signed).lower()}, and posts are {state}")
    if board.roster is None:
        raise NoGround("posts are not signed; any party could have written them")
    due = [*(call.round for call in board.calls), END]
    if list(board.heads) != due:
        raise VerificationError("the board has not signed a tree head at every call and at the end")
    posts_text = f"{len(board.entries)} posts and heads, each signed"
    if drawn(board.roster, evidence.result.seed):
        return f"{posts_text} by keys from the run's seed: every reader of it could sign"
    return _signers_text(posts_text, board.roster, evidence.known_identities)


def _signers_text(posts_text: str, roster: Roster, identities: KnownIdentities) -> str:
    """Return a finding that names the signers with known keys.

    posts_text: the beginning of the finding. roster: the parties' public keys. identities: the
    known identities.
    """
    parties_by_name = {name: _owner_name(key, identities) for name, key in signers(roster).items()}
    strange = [name for name, party in parties_by_name.items() if party is None]
    if len(strange) == len(parties_by_name):
        return f"{posts_text} by one key for each party; no key is known (give --identities)"
    known_text = ", ".join(
        f"{name} is {party}" for name, party in parties_by_name.items() if party is not None
    )
    if strange:
        return f"{posts_text}; {known_text}; nobody known: {', '.join(strange)}"
    return Authentic(f"{posts_text}; {known_text}")


def _owner_name(key: bytes, identities: KnownIdentities) -> str | None:
    """Return the name of a public key's owner; None if no known identity has the key."""
    return next((identity.name for identity in identities.values() if identity.key == key), None)


def signers(roster: Roster) -> Mapping[str, bytes]:
    """Return the public signing key of each party on the roster, by the party's name."""
    hops = {parties.shuffler(hop): key for hop, key in enumerate(roster.shufflers, start=1)}
    party_keys = {
        BOARD: roster.board,
        parties.CURATOR: roster.curator,
        parties.ANALYST: roster.analyst,
    }
    return party_keys | hops


def drawn(roster: Roster, seed: int | None) -> bool:
    """Whether a signer's private key follows from the run's seed, so any reader can sign.

    roster: the public keys of the signers. seed: the seed in the run's record; None: no seed.
    """
    if seed is None:
        return False
    root = SeededEntropy(seed)
    return any(
        Signer(root.fork(parties.identity_label(name))).public == key
        for name, key in signers(roster).items()
    )

"""Whose signatures are on a run: the parties' on their posts, the recorder's on the folder.

A signature shows who has signed only to somebody who knows the key beforehand. Without that it
shows that all posts of a party were signed by one key, whoever has it: consistency. Where keys were
drawn from the run's own seed, everybody who reads the seed has them.
"""

from collections.abc import Mapping

from ...crypto.entropy import SeededEntropy
from ...crypto.identity import PublicIdentity
from ...crypto.signing import Signer
from ...errors import VerificationError
from ...protocol import parties
from ...protocol.board import END
from ...protocol.messages import Roster
from ...protocol.phases import BOARD
from ..programs.evidence import NoGround
from .evidence import Evidence

Known = Mapping[str, PublicIdentity]


class Authentic(str):
    """What a check found, where it shows who has said it."""

    __slots__ = ()


def folder(evidence: Evidence) -> str:
    """The files are as they were written; by whom, if they are signed by somebody known."""
    run = evidence.run
    if run.seal is None:
        raise VerificationError(
            "seal.json is missing: an older version recorded this run, or somebody took it away"
        )
    run.seal.check(run.files)
    many, who = len(run.seal.files), run.seal.recorder
    if who is None:
        return f"{many} files as they were written; nobody has signed them"
    named = _named(bytes.fromhex(who.key), evidence.known)
    if named is None:
        return f"{many} files as they were written; signed by a key nobody known has ({who.name}?)"
    return Authentic(f"{many} files as {named} recorded them")


def posts(evidence: Evidence) -> str:
    """Every post is signed by its author, every head by the board; by whom, if they are known."""
    board = evidence.board
    signed = evidence.run.scenario.defence.signed
    if (board.roster is not None) != signed:
        what = "signed" if board.roster is not None else "not signed"
        raise VerificationError(f"[defence] signed = {str(signed).lower()}, and posts are {what}")
    if board.roster is None:
        raise NoGround("posts are not signed; anybody could have written them")
    due = [*(call.round for call in board.calls), END]
    if list(board.heads) != due:
        raise VerificationError("the board has not signed its head at every call and at the end")
    said = f"{len(board.entries)} posts and heads, each signed"
    if drawn(board.roster, evidence.result.seed):
        return f"{said} by keys that the run's own seed gives: anybody could have"
    return _whose(said, board.roster, evidence.known)


def _whose(said: str, roster: Roster, known: Known) -> str:
    """Say which of those who sign are known."""
    named = {name: _named(key, known) for name, key in signers(roster).items()}
    strange = [name for name, party in named.items() if party is None]
    if len(strange) == len(named):
        return f"{said} by one key a party, none of which is known (give --identities)"
    told = ", ".join(f"{name} is {party}" for name, party in named.items() if party is not None)
    if strange:
        return f"{said}; {told}; nobody known: {', '.join(strange)}"
    return Authentic(f"{said}; {told}")


def _named(key: bytes, known: Known) -> str | None:
    """The name of whom a key belongs to, if it is known."""
    return next((identity.name for identity in known.values() if identity.key == key), None)


def signers(roster: Roster) -> Mapping[str, bytes]:
    """The identity of each that signs, by the party's name."""
    hops = {parties.shuffler(hop): key for hop, key in enumerate(roster.shufflers, start=1)}
    named = {BOARD: roster.board, parties.CURATOR: roster.curator, parties.ANALYST: roster.analyst}
    return named | hops


def drawn(roster: Roster, seed: int | None) -> bool:
    """Whether those who sign have keys that follow from a seed, which is no secret."""
    if seed is None:
        return False
    root = SeededEntropy(seed)
    return any(
        Signer(root.fork(parties.identity_label(name))).public == key
        for name, key in signers(roster).items()
    )

"""Words that people read aloud to compare a session or a key; phones show the same words.

static/words.js has the list.
"""

import hashlib
import re
from functools import cache
from pathlib import Path

from ..protocol.board.board import Board
from ..protocol.wire.signed_posts import roster_digest

SESSION, KEY = 6, 4  # number of words for a session, and for a key
LABEL = b"veilmix words 1\0"
PARTIES_LABEL = b"veilmix parties 1\0"
LIST = Path(__file__).parent / "static" / "words.js"


@cache
def words() -> tuple[str, ...]:
    """Return the 256 words, by the byte that each stands for."""
    match = re.search(r"WORDS = `([a-z\s]+)`", LIST.read_text("utf-8"))
    return tuple(match[1].split()) if match else ()


def session_words(digest: bytes) -> str:
    """Return the words of a session, from the digest of its announcement."""
    return " ".join(words()[byte] for byte in digest[:SESSION])


def key_words(encoded: bytes) -> str:
    """Return the words of a party's public key, from its encoding."""
    return " ".join(words()[byte] for byte in hashlib.sha256(LABEL + encoded).digest()[:KEY])


def compared_digest(board: Board) -> bytes:
    """Return the hash that the compared words encode: of the announcement and perhaps the keys.

    Ballots of a verified mix are encrypted for keys in later, signed posts. So the digest then
    includes the signing keys of all parties.
    """
    announcement, roster = board.announcement, board.roster
    if announcement is None or roster is None or not announcement.rules.verified:
        return board.session
    return hashlib.sha256(PARTIES_LABEL + board.session + roster_digest(roster)).digest()


def to_compare(board: Board) -> list[str]:
    """Return the lines to read out and compare with phones: words of the session, and of keys."""
    announcement = board.announcement
    if announcement is None:
        return []
    keys = {f"shuffler {hop}": key for hop, key in enumerate(announcement.shufflers, start=1)}
    keys |= {"curator": announcement.curator, "analyst": announcement.analyst}
    lines = [f"read aloud: {session_words(compared_digest(board))}"]
    if announcement.rules.verified:  # in a verified mix, ballots are not encrypted with these keys
        return lines
    return lines + [f"  key of {name}: {key_words(key.encode())}" for name, key in keys.items()]

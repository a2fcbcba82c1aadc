"""Words that people read aloud to compare the digest of a session or of a key with their phones.

Phones show the same words, because static/words.js holds the one list of 256 words.
"""

import hashlib
import re
from functools import cache
from pathlib import Path

from ..protocol.board.board import Board
from ..protocol.wire.signed_posts import roster_digest

# number of words, of 8 bits each, for a session's digest, and for a party's key
SESSION, KEY = 6, 4
LABEL = b"veilmix words 1\0"
PARTIES_LABEL = b"veilmix parties 1\0"
LIST = Path(__file__).parent / "static" / "words.js"


@cache
def words() -> tuple[str, ...]:
    """Return the list of 256 words; the word at index b stands for the byte b."""
    match = re.search(r"WORDS = `([a-z\s]+)`", LIST.read_text("utf-8"))
    return tuple(match[1].split()) if match else ()


def session_words(digest: bytes) -> str:
    """Return the six words of a session, one for each of the first six bytes of a digest.

    digest: the digest of the session's announcement, or `compared_digest`.
    """
    return " ".join(words()[byte] for byte in digest[:SESSION])


def key_words(encoded: bytes) -> str:
    """Return the four words of a party's public key, from a hash of its encoding."""
    return " ".join(words()[byte] for byte in hashlib.sha256(LABEL + encoded).digest()[:KEY])


def compared_digest(board: Board) -> bytes:
    """Return the digest that the six words of a session encode.

    It is the digest of the announcement. In a verified mix it also covers the signing keys of all
    parties: there ballots are encrypted for keys in later posts, which these signing keys sign.
    """
    announcement, roster = board.announcement, board.roster
    if announcement is None or roster is None or not announcement.rules.verified:
        return board.session
    return hashlib.sha256(PARTIES_LABEL + board.session + roster_digest(roster)).digest()


def to_compare(board: Board) -> list[str]:
    """Return the lines for the terminal that people compare with their phones.

    The lines hold the words of the session and, without a verified mix, the words of each party's
    key. Empty before the announcement.
    """
    announcement = board.announcement
    if announcement is None:
        return []
    keys = {f"shuffler {hop}": key for hop, key in enumerate(announcement.shufflers, start=1)}
    keys |= {"curator": announcement.curator, "analyst": announcement.analyst}
    lines = [f"read aloud: {session_words(compared_digest(board))}"]
    # words of these keys are not needed in a verified mix: its ballots are encrypted with other
    # keys
    if announcement.rules.verified:
        return lines
    return lines + [f"  key of {name}: {key_words(key.encode())}" for name, key in keys.items()]

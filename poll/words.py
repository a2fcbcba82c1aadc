"""Words to compare aloud, the same as phones show (static/words.js, which has the list)."""

import hashlib
import re
from functools import cache
from pathlib import Path

from ..protocol.board import Board

SESSION, KEY = 6, 4  # words
LABEL = b"veilmix words 1\0"
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


def to_compare(board: Board) -> list[str]:
    """Return the lines to read out and compare with phones: words of the session, and of keys."""
    told = board.announcement
    if told is None:
        return []
    keys = {f"shuffler {hop}": key for hop, key in enumerate(told.shufflers, start=1)}
    keys |= {"curator": told.curator, "analyst": told.analyst}
    lines = [f"read aloud: {session_words(board.session)}"]
    return lines + [f"  key of {name}: {key_words(key.encode())}" for name, key in keys.items()]

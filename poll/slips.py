"""Slips of paper: each has a secret code, which admits a phone once.

They are printed before the session (sheet.py) and handed out unordered, so this computer knows the
codes and not their holders. During the session it stores which codes are used. It does not store
with which phone or name a code came. A phone that comes back is recognized by a secret of its own
(classroom.py).

    NAME.slips.toml     mode 0600: any reader of the file can join in a pupil's place
    version = 1
    title = "canteen"                        of the questions
    host = "192.168.1.20"                    the address that is printed on the slips
    port = 8766
    codes = ["K7M2PX4Q9RTA", ..]             12 of 32 letters, drawn uniformly: 60 bits each
    check = "<64 hexadecimal digits>"        SHA-256 of the rest: detects accidents, no forgery
"""

import hashlib
import re
import secrets
from collections.abc import Sequence
from hmac import compare_digest
from pathlib import Path

import msgspec
from msgspec import Struct

from .. import systems
from ..errors import StorageError
from ..machines.gate import LETTERS, names_of
from ..scenarios.serialization.bounded_file import read_bounded
from ..strict_text import Unreadable, from_toml
from .refusal import Unwelcome

LENGTH, GROUP = 12, 4  # letters of a code, and of each printed group
MOST_SLIPS = 1_000
LARGEST = 1 << 17  # largest number of bytes of a file of slips; a longer file is refused
# characters after which a typed code is cut before it is compared with the slips' codes
LONGEST = 64
NON_OWNER_BITS = 0o077  # permission bits of users other than the owner
CODE = re.compile(f"[{LETTERS}]{{{LENGTH}}}")
KIND = "file of slips"


class SlipsFile(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The contents of a file of slips: the printed codes, each of which admits one phone.

    Attributes:
        version: the version of the file's form: 1.
        title: the title of the questions.
        host, port: the address on the slips.
        codes: sorted, so that their order is not the order on the printed sheets.
        check: the SHA-256 of the other fields, in hexadecimal digits.
    """

    version: int
    title: str
    host: str
    port: int
    codes: tuple[str, ...]
    check: str = ""

    def __repr__(self) -> str:
        """Return the number of slips, without codes: a holder of a code can join as a pupil."""
        return f"SlipsFile({self.title!r}, {len(self.codes)} slips)"

    @property
    def address(self) -> str:
        """The address on the slips; a slip's code follows it as a fragment (`#code`)."""
        return f"http://{names_of(self.host, self.port)[0]}/"

    @property
    def sum(self) -> str:
        """The SHA-256 of the other fields; in an unchanged file `check` has this value."""
        rest = [self.version, self.title, self.host, self.port, list(self.codes)]
        return hashlib.sha256(msgspec.json.encode(rest)).hexdigest()

    @property
    def text(self) -> str:
        """The text of the file, in TOML."""
        codes = "".join(f'  "{code}",\n' for code in self.codes)
        return (
            "# Slips of `veilmix poll`. Any reader of this file can join in a pupil's place: keep "
            "it to yourself,\n# and delete it, and the printed page, after the session.\n"
            f"version = {self.version}\ntitle = {msgspec.json.encode(self.title).decode()}\n"
            f"host = {msgspec.json.encode(self.host).decode()}\nport = {self.port}\n"
            f'codes = [\n{codes}]\ncheck = "{self.sum}"\n'
        )


def fresh_slips(title: str, host: str, port: int, count: int) -> SlipsFile:
    """Draw the secret codes of new slips, with the system's randomness.

    title: the title of the questions. host, port: the address on the slips. count: number of slips.
    """
    codes: set[str] = set()
    while len(codes) < count:
        codes.add("".join(secrets.choice(LETTERS) for _ in range(LENGTH)))
    return SlipsFile(version=1, title=title, host=host, port=port, codes=tuple(sorted(codes)))


def read_slips(path: Path, title: str) -> SlipsFile:
    """Read a file of slips: papers with a secret code each, which admit one phone each.

    title: the title of the questions for which the slips must be printed.

    Raises:
        StorageError: the file is incomplete, was changed, or is for questions with another title;
            or other users of this computer can read it. The error text quotes no code.
    """
    data = read_bounded(path, LARGEST, KIND)
    if systems.OWNER_MODES and path.stat().st_mode & NON_OWNER_BITS:
        raise StorageError(f"{path}: other users can read these codes; say chmod 600 {path}")
    try:
        slips = from_toml(data, SlipsFile)
    except Unreadable as bad:
        raise StorageError(
            f"{path}:{bad.line}: cut short, or no {KIND} (veilmix poll --slips N writes one)"
        ) from None
    if slips.version != 1:
        raise StorageError(f"{path}: version: found {slips.version}; 1 is accepted")
    if slips.check != slips.sum:
        raise StorageError(f"{path}: was changed after it was written; write new slips")
    if not 1 <= len(set(slips.codes)) == len(slips.codes) <= MOST_SLIPS or not all(
        map(CODE.fullmatch, slips.codes)
    ):
        raise StorageError(f"{path}: codes: from 1 to {MOST_SLIPS} different codes are accepted")
    if slips.title != title:
        raise StorageError(f'{path}: slips of "{slips.title}"; slips of "{title}" are accepted')
    return slips


def printed(code: str) -> str:
    """Return a code in the form in which it is printed: in groups of letters, to be typed."""
    return "-".join(code[at : at + GROUP] for at in range(0, len(code), GROUP))


class Slips:
    """The slips of a session (papers with a secret code each), and which of them have been used.

    Each code admits one phone, once. codes: the codes of all slips.
    """

    def __init__(self, codes: Sequence[str]) -> None:
        """Start with all slips unused. codes: the secret codes of all slips."""
        self._codes = tuple(code.encode() for code in codes)
        self._used: set[int] = set()

    @property
    def number(self) -> int:
        """The number of slips of the session, used and unused."""
        return len(self._codes)

    @property
    def used(self) -> int:
        """The number of slips that have admitted a phone."""
        return len(self._used)

    def place_of(self, typed: str) -> int:
        """Return the index of the slip with a typed code; Unwelcome if the code is wrong or used.

        A slip is a printed paper with a code that admits one phone. The typed code is compared with
        every slip's code, each in constant time. Wrong codes have no
        limit of their own: with a limit, a pupil behind the router of a class could keep all other
        pupils out. All requests have a limit (machines/gate.py). At that limit, an attacker needs
        10^5 years on average to guess one of 1,000 codes of 60 bits.
        """
        letters = "".join(sign for sign in typed[:LONGEST].upper() if sign not in " -")
        tried = letters.encode("utf-8", "replace")
        places = [at for at, code in enumerate(self._codes) if compare_digest(code, tried)]
        if not places:
            raise Unwelcome(403, "slip-unknown" if tried else "slip-missing")
        if places[0] in self._used:
            raise Unwelcome(409, "slip-used")
        return places[0]

    def use(self, place: int) -> None:
        """Mark the slip at an index as used, so that its code admits no other phone."""
        self._used.add(place)

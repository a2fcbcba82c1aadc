"""The guesses of a class: a guess of each phone, without names, shown when the teacher closes them.

A phone is known by a secret that it draws; the page keeps it as long as its tab lives. A
phone that draws further secrets guesses again, so an address has a limit, and the wall shows the
largest number of guesses from an address.
"""

import re
from collections import Counter
from dataclasses import dataclass, field

from ..strict_text import Unreadable, from_json
from .lesson import Guess, Lesson

SECRET = re.compile(r"[0-9a-f]{32}")  # of a phone
MAX_GUESSES = 1_000  # guesses of a lesson
MOST_OF_ONE = 60  # from one address: a class behind one router


class Unwanted(Exception):
    """A guess that is refused.

    Args:
        status: of HTTP.
        key: of the sentence that says why.
    """

    def __init__(self, status: int, key: str) -> None:
        super().__init__(status, key)
        self.status = status
        self.key = key


@dataclass(slots=True)
class ClassGuesses:
    """The guesses for a lesson.

    Attributes:
        closed: whether they are shown, and further guesses refused.
        by_phone: secret -> guess.
        devices: the number of guesses from each address.
    """

    closed: bool = False
    by_phone: dict[str, int | float] = field(default_factory=dict)
    devices: Counter[str] = field(default_factory=Counter)

    def take(self, lesson: Lesson, body: bytes, device: str) -> None:
        """Store the guess of a phone; its repetition has no effect. Unwanted if it is refused.

        body: {"phone": its secret, "guess": a number on the axis, or the place of an answer}.
        """
        phone, guess = _read(body, lesson.guess)
        if self.by_phone.get(phone) == guess:
            return
        if self.closed:
            raise Unwanted(409, "guess-closed")
        if phone in self.by_phone:
            raise Unwanted(409, "guess-again")
        if len(self.by_phone) >= MAX_GUESSES or self.devices[device] >= MOST_OF_ONE:
            raise Unwanted(409, "guess-full")
        self.by_phone[phone] = guess
        self.devices[device] += 1

    @property
    def state(self) -> dict[str, object]:
        """The state for the wall: the number of guesses; when closed, the guesses, sorted."""
        return {
            "n": len(self.by_phone),
            "most": max(self.devices.values(), default=0),
            "closed": self.closed,
            "guesses": sorted(self.by_phone.values()) if self.closed else [],
        }


def _read(body: bytes, guess_kind: Guess) -> tuple[str, int | float]:
    """Return the secret of a phone and its guess; Unwanted for another body."""
    try:
        fields = from_json(body)
    except Unreadable:
        fields = None
    if not isinstance(fields, dict) or set(fields) != {"phone", "guess"}:
        raise Unwanted(400, "guess-form")
    phone, guess = fields["phone"], fields["guess"]
    if (
        not isinstance(phone, str)
        or SECRET.fullmatch(phone) is None
        or not guess_kind.accepts(guess)
    ):
        raise Unwanted(400, "guess-form")
    return phone, guess

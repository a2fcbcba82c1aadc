"""The guesses of a class: a guess of each phone, without names, shown when the teacher closes them.

A phone is identified by a random secret that it draws. The page in the phone keeps the secret until
its tab is closed. A phone that draws a new secret can guess again. So the number of guesses from a
network address is limited, and the page on the class's computer shows the largest such number.
"""

import re
from collections import Counter
from dataclasses import dataclass, field

from ..strict_text import Unreadable, from_json
from .lesson import Guess, Lesson

SECRET = re.compile(r"[0-9a-f]{32}")  # the random secret of a phone
MAX_GUESSES = 1_000  # most guesses of a lesson; further guesses are refused
MOST_OF_ONE = 60  # most guesses from one network address; a class may share the address of a router


class Unwanted(Exception):
    """The error for a request that is refused, such as a second guess.

    Args:
        status: the HTTP status of the response.
        key: the key of the sentence in the language files that tells the pupil the reason.
    """

    def __init__(self, status: int, key: str) -> None:
        """Set the HTTP status, and the key of the sentence that tells the pupil the reason."""
        super().__init__(status, key)
        self.status = status
        self.key = key


@dataclass(slots=True)
class ClassGuesses:
    """The guesses of a class for one lesson.

    Attributes:
        closed: whether the guesses are shown, and further guesses refused.
        by_phone: random secret of a phone -> its guess.
        devices: network address -> number of guesses from it.
    """

    closed: bool = False
    by_phone: dict[str, int | float] = field(default_factory=dict)
    devices: Counter[str] = field(default_factory=Counter)

    def store_guess(self, lesson: Lesson, body: bytes, device: str) -> None:
        """Store the guess of a phone; the same guess again has no effect.

        body: JSON, {"phone": its secret, "guess": a number on the axis, or the number of an
        answer}. device: the phone's network address. Raises Unwanted if the guess is refused.
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
        """The state for the page on the class's projector: the numbers of guesses, and the guesses.

        The guesses are left out until the teacher has closed them. `most` is the largest number of
        guesses from one network address.
        """
        return {
            "n": len(self.by_phone),
            "most": max(self.devices.values(), default=0),
            "closed": self.closed,
            "guesses": sorted(self.by_phone.values()) if self.closed else [],
        }


def _read(body: bytes, guess_kind: Guess) -> tuple[str, int | float]:
    """Return the secret of a phone and its guess, from the body of a request.

    guess_kind: the kind of guess of the lesson, a number or one of several answers. Raises Unwanted
    if the body has another form.
    """
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

"""The offers of other computers to run a shuffler, until the session begins.

The first computer that offers to run a shuffler gets that shuffler. A computer repeats its offer
every few seconds (mix.py). After 20 seconds without a repetition the offer lapses, so another
computer can take the place of a computer that has left.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import trio

from ..protocol.wire import parties
from .enrolment import MixOffer, Papers, PartySeat
from .refusal import Unwelcome

OWN_NAMES = ("class", "people")  # identity names of the class's computer, which no other may use
SILENCE = 20.0  # seconds without a repetition after which an offer lapses


@dataclass(frozen=True, slots=True)
class Offered:
    """A valid offer of a computer to run a shuffler.

    Attributes:
        seat: the identity and the address of the offering computer.
        repeat_time: the time of the last repetition of the offer, in seconds.
    """

    seat: PartySeat
    repeat_time: float


class Mixers:
    """The present offers of other computers to run a shuffler.

    shufflers: the number of shufflers. changed: called when a new computer offers to run a
    shuffler.
    """

    def __init__(self, shufflers: int, changed: Callable[[], None]) -> None:
        """Start without offers of computers to run a shuffler.

        shufflers: the number of shufflers. changed: called when a new computer offers to run one.
        """
        self._party_names = tuple(parties.shuffler(hop + 1) for hop in range(shufflers))
        self._offers: dict[str, Offered] = {}
        self._changed = changed
        self._begun = trio.Event()
        self.papers: Papers | None = None

    @property
    def present_seats(self) -> Mapping[str, PartySeat]:
        """The identity and address of each computer with a recent offer, by shuffler, in hop order.

        After the session has begun: the computers that run its shufflers.
        """
        if self.papers is not None:
            return dict(zip(self._party_names, self.papers.shufflers, strict=True))
        old = trio.current_time() - SILENCE
        offers = ((name, self._offers.get(name)) for name in self._party_names)
        return {name: offer.seat for name, offer in offers if offer and offer.repeat_time > old}

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of the shufflers that no computer offers to run at present."""
        present_seats = self.present_seats
        return tuple(name for name in self._party_names if name not in present_seats)

    def begin(self, papers: Papers) -> None:
        """Begin the session: give each computer that runs a shuffler the session's data.

        papers: the questions, addresses and keys on which all parties agree.
        """
        self.papers = papers
        self._begun.set()

    async def offer(self, offer: MixOffer, address: str, patience: float) -> Papers | None:
        """Accept an offer to run a shuffler; return the session's data once the session begins.

        None if the session has not begun in time.

        address: the network address from which the offer comes. patience: seconds to wait.

        Raises:
            Unwelcome: there is no such shuffler, another computer runs it, or the identity is
                taken.
        """
        seat = PartySeat(who=offer.who, host=address, port=offer.port)
        self._take_seat(offer.party, seat)
        with trio.move_on_after(patience):
            await self._begun.wait()
        if self.papers is not None:
            self._take_seat(offer.party, seat)
        return self.papers

    def _take_seat(self, name: str, seat: PartySeat) -> None:
        """Keep a computer's offer to run a shuffler; Unwelcome if the offer cannot be accepted.

        It is refused if there is no such shuffler, another computer runs it, the session has begun
        without this computer, or another party uses the computer's identity.

        name: the shuffler. seat: the identity and address of the computer.
        """
        if name not in self._party_names:
            accepted = ", ".join(self._party_names)
            raise Unwelcome(409, words=f"There is no {name} here; this session has {accepted}.")
        present_seat, now = self.present_seats.get(name), trio.current_time()
        if present_seat is not None and present_seat != seat:
            raise Unwelcome(
                409,
                words=f"{present_seat.who.name} at {present_seat.host} is {name} already; "
                f"run another shuffler, or wait {SILENCE:g} seconds after it has left.",
            )
        if self.papers is not None and present_seat is None:
            raise Unwelcome(409, words="This session has begun without this computer.")
        used_names = {"the class's computer": OWN_NAMES}
        used_names |= {
            other_party: (other_seat.who.name, other_seat.who.key)
            for other_party, other_seat in self.present_seats.items()
            if other_party != name
        }
        for other_party, facts in used_names.items():
            if not {seat.who.name, seat.who.key}.isdisjoint(facts):
                raise Unwelcome(
                    409, words=f"{seat.who.name} is {other_party} already; use another identity."
                )
        self._offers[name] = Offered(seat, now)
        if present_seat is None:
            self._changed()

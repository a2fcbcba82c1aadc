"""Requests for tokens that stand on the board, because no answer to a letter came.

    ask            a person posts the request that it has sent in a letter: signed, and blinded
    granted        the reader of the round answers it there, with the proof of a letter

A request that was lost and one that was refused look alike, so both are treated alike: the person
asks again where everybody sees it, before any ballot of the round has left the first shuffler. Both
posts are blinded: they show that the person takes part, and nothing of what it says.

A round in which such a request stays without an answer burns (`check_answered`). Without that rule
the reader, or the party that holds the wires, takes one person out of a round of its choice: with
`min_dropout` - 1 others who stay away, the difference of two rounds then holds one unknown row. A
person that is cut off from the board as well cannot make such a request.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from ..crypto.montgomery import point
from ..errors import Refused, RoundBurned
from . import parties
from .messages import Body, Registry
from .session import Round
from .token_messages import Ask, PublicGrant
from .tokens import check_asks, check_grant


@dataclass(slots=True)
class PublicAsks:
    """By round and person, the requests that stand on the board, and their answers.

    Attributes:
        asks: requests, by round and the index of the person.
        grants: answers, likewise.
    """

    asks: dict[int, dict[int, Ask]] = field(default_factory=dict)
    grants: dict[int, dict[int, PublicGrant]] = field(default_factory=dict)

    def may_ask(self, author: str, asked: Ask, plan: Round, registry: Registry | None) -> bool:
        """Board: whether a request is the author's first of the round; Refused if it is none.

        Its elements are checked here, so that the reader can answer whatever stands on the board.
        """
        if registry is None or parties.index(author) in self.asks.get(plan.call.round, ()):
            return False
        (wrong,) = check_asks(plan, registry, [(author, asked)])
        if wrong:
            raise Refused(wrong)
        for element in asked.elements:
            point(element)
        return True

    def may_grant(self, granted: PublicGrant, number: int, public: bytes) -> bool:
        """Board: whether an answer is due; Refused unless it is of the key on the board."""
        asked = self.asks.get(number, {}).get(granted.person)
        if asked is None or granted.person in self.grants.get(number, ()):
            return False
        check_grant(asked, granted.grant, public)
        return True

    def learn(self, author: str, number: int, body: Body) -> None:
        """Keep a post that was right."""
        match body:
            case Ask():
                self.asks.setdefault(number, {})[parties.index(author)] = body
            case PublicGrant(person=person):
                self.grants.setdefault(number, {})[person] = body

    def granted(self, number: int, person: int) -> PublicGrant | None:
        """The answer to a person's request of a round; None: there is none."""
        return self.grants.get(number, {}).get(person)

    def unanswered(self, number: int) -> dict[str, Ask]:
        """The requests of a round that have no answer, by the name of the person, in order."""
        granted = self.grants.get(number, {})
        asked = sorted(self.asks.get(number, {}).items())
        return {parties.user(person): ask for person, ask in asked if person not in granted}

    def check_answered(self, number: int, may_ask: Callable[[str], bool]) -> None:
        """Shuffler: RoundBurned if a person asked on the board for tokens that it was due.

        may_ask: whether a person takes part in this round; others are answered by nobody.
        """
        for person in filter(may_ask, self.unanswered(number)):
            raise RoundBurned(f"{person} asked for tokens on the board, and was given none")

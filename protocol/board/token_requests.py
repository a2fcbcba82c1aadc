"""Requests for tokens (blind credentials) on the board, after a private request got no answer.

    ask        a person posts its private request again: signed, and blinded
    granted    the reader of the round answers on the board, with a proof that it used
               the key on the board (tokens.py)

A lost request and a refused request look alike, so both have the same remedy. The person asks again
on the board, before any ballot of the round has left the first shuffler. Both posts are blinded:
they show that the person takes part, but not the answers.

A round with such a request and no answer is aborted (`check_answered`). Without this rule the
reader, or a party that controls the network, could exclude one person from a round. If
`min_dropout` - 1 accomplices stay away too, the difference of two rounds has one unknown row: the
row of this person. A person without access to the board cannot make such a request.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from ...crypto.montgomery import point
from ...errors import Refused, RoundBurned
from ..rounds.round_context import Round
from ..rounds.tokens import check_asks, check_grant
from ..wire import parties
from ..wire.messages import Body, Registry
from ..wire.token_messages import Ask, PublicGrant


@dataclass(slots=True)
class PublicAsks:
    """Requests for tokens (blind credentials) on the board and their answers, by round and person.

    Attributes:
        asks: requests, by round and the person's index in the registry.
        grants: answers, by round and the person's index in the registry.
    """

    asks: dict[int, dict[int, Ask]] = field(default_factory=dict)
    grants: dict[int, dict[int, PublicGrant]] = field(default_factory=dict)

    def may_ask(self, author: str, request: Ask, plan: Round, registry: Registry | None) -> bool:
        """Board: whether a request for tokens may be posted: False if users are not registered.

        Refused if the request is invalid. The group elements in a request are checked here, so that
        the curator or analyst can answer every posted request.
        """
        if registry is None:
            return False
        (wrong,) = check_asks(plan, registry, [(author, request)])
        if wrong:
            raise Refused(wrong)
        for element in request.elements:
            point(element)
        return True

    def may_grant(self, granted: PublicGrant, number: int, public: bytes) -> bool:
        """Board: whether the curator's or analyst's answer to a request for tokens is due.

        Refused if the answer was made with another key than the round's token key. number: the
        round. public: the public token key on the board.
        """
        request = self.asks.get(number, {}).get(granted.person)
        if request is None or granted.person in self.grants.get(number, ()):
            return False
        check_grant(request, granted.grant, public)
        return True

    def learn(self, author: str, number: int, body: Body) -> None:
        """Store a request or an answer that passed its checks.

        author: the party that posted it. number: the round.
        """
        match body:
            case Ask():
                self.asks.setdefault(number, {})[parties.index(author)] = body
            case PublicGrant(person=person):
                self.grants.setdefault(number, {})[person] = body

    def granted(self, number: int, person: int) -> PublicGrant | None:
        """Return the curator's or analyst's answer to a person's request for tokens in a round.

        None if no answer is posted. person: the person's index in the registry.
        """
        return self.grants.get(number, {}).get(person)

    def unanswered(self, number: int) -> dict[str, Ask]:
        """Return the requests of a round without an answer, by user name, in registry order."""
        granted = self.grants.get(number, {})
        requests = sorted(self.asks.get(number, {}).items())
        return {parties.user(person): ask for person, ask in requests if person not in granted}

    def check_answered(self, number: int, may_ask: Callable[[str], bool]) -> None:
        """Shuffler: RoundBurned if a posted request of a participant has no answer.

        number: the round. may_ask: returns whether the person of this name takes part in the round;
        other persons get no answer.
        """
        for person in filter(may_ask, self.unanswered(number)):
            raise RoundBurned(f"{person} asked for tokens on the board, and was given none")

"""Waiting for letters, for as long as a round allows.

A user waits for one answer of one party; whoever answers everybody waits for all that has come.
"""

from typing import TypeVar

import trio

from ..errors import Reason, Refused
from ..protocol.messages import Kind
from ..protocol.session import Round
from .network import Bag, Endpoint

T = TypeVar("T")


async def reply(me: Endpoint, plan: Round, party: str, kind: type[T]) -> T | None:
    """User: the answer of a party; None if none comes in time. What else comes is refused."""
    with trio.move_on_after(plan.announcement.rules.deadline):
        return await heard(me, plan, party, kind)
    return None


async def heard(me: Endpoint, plan: Round, party: str, kind: type[T]) -> T:
    """User: the answer of a party, however long it takes. What else comes is refused."""
    while True:
        for letter in await me.receive(most=1):
            try:
                body = me.accept(plan, letter).body
                if not isinstance(body, kind) or letter[0] != party:
                    raise Refused(Reason.UNEXPECTED)  # noqa: TRY301 - one way out
            except Refused as refusal:
                me.refuse(plan, refusal.reason)
            else:
                return body


async def letters_until(close: float, me: Endpoint, *kinds: Kind) -> Bag:
    """Return letters that have come; none when it is time to close, or the session has ended.

    kinds: those of an inbox apart.
    """
    letters: Bag = ()
    with trio.move_on_at(close):
        async with me.while_open():
            letters = await me.receive(*kinds)
    return letters

"""Waiting for messages, for as long as a round allows.

A user waits for an answer of a certain party; a party that answers all users waits for all letters.
"""

from typing import TypeVar

import trio

from ..errors import Reason, Refused
from ..protocol.rounds.round_context import Round
from ..protocol.wire.messages import Kind
from .network.memory_network import Bag, Endpoint

T = TypeVar("T")


async def reply(me: Endpoint, plan: Round, party: str, kind: type[T]) -> T | None:
    """User: wait for the answer of a party; None if it is late. Other letters are refused.

    kind: the type of the answer.
    """
    with trio.move_on_after(plan.announcement.rules.deadline):
        return await await_answer(me, plan, party, kind)
    return None


async def await_answer(me: Endpoint, plan: Round, party: str, kind: type[T]) -> T:
    """User: wait without limit for the answer of a party; other letters are refused.

    kind: the type of the answer.
    """
    while True:
        for letter in await me.receive(limit=1):
            try:
                body = me.accept(plan, letter).body
                if not isinstance(body, kind) or letter[0] != party:
                    raise Refused(Reason.UNEXPECTED)  # noqa: TRY301 - one way out
            except Refused as refusal:
                me.refuse(plan, refusal.reason)
            else:
                return body


async def letters_until(close: float, me: Endpoint, *kinds: Kind) -> Bag:
    """Return the waiting letters; empty at the time `close`, or when the session has ended.

    kinds: the kinds whose separate inbox is read; none: the main inbox.
    """
    letters: Bag = ()
    with trio.move_on_at(close):
        async with me.while_open():
            letters = await me.receive(*kinds)
    return letters

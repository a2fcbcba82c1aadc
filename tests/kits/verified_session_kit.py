"""Small sessions with a verified mix, honest or with one party that cheats."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

import role_kit as KIT
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Rules, Setting
from veilmix.protocol.wire.messages import Body, Burned
from veilmix.protocol.wire.schema import Feature, Schema
from veilmix.protocol.wire.verified_messages import OpeningShares, ShuffledLists
from veilmix.roles.cast import Cast, Guards
from veilmix.roles.network.memory_network import Endpoint, Fault, Network

RULES = Rules(min_batch=3, min_dropout=2, verified=True)
ONE = Schema((Feature("grown", ("yes", "no")),))
SECRET, PUBLISHED = (
    AnnouncedPolicy(2, 0.5, "fixed"),
    AnnouncedPolicy(2, 0.5, "fixed", publish_marginals=True),
)

Posting = Callable[[Body], Awaitable[None]]
Act = Callable[["Cheat", Body, Posting], Awaitable[None]]


def cast(people: int = 6, **changes: Any) -> Cast:
    """A session of so many people, all of them registered."""
    fields: dict[str, Any] = {
        "shufflers": 2,
        "rules": RULES,
        "policy": SECRET,
        "guards": Guards(registered=people),
        "threads": 0,
    }
    return KIT.cast(KIT.people(people), **fields | changes)


def small(people: int = 5, **changes: Any) -> Cast:
    """A session about one column."""
    rows = [("yes",), ("no",)] * people
    one = {"schema": ONE, "decide": KIT.keep(0), "row": rows.__getitem__}
    return cast(people, **one | changes)


class Cheat(Endpoint):
    """A place that posts otherwise than its role does, and burns nothing: others have to."""

    def __init__(self, network: Network, party: str, act: Act) -> None:
        super().__init__(network, party)
        self.act = act
        self.kept: dict[type, Body] = {}

    async def post(self, body: Body) -> None:
        """Let the cheat post."""
        if not isinstance(body, Burned):
            await self.act(self, body, super().post)


def cheat(act: Act) -> Fault:
    """Return the fault that posts so."""
    return lambda network, party: Cheat(network, party, act)


def changing(kind: type, change: Callable[[Any], Body | None], number: int = 1) -> Fault:
    """Return the fault that changes posts of a kind in a round; None: it posts nothing."""

    async def act(me: Cheat, body: Body, post: Posting) -> None:
        if isinstance(body, kind) and len(me.board.calls) == number:
            changed = change(body)
            if changed is None:
                return
            body = changed
        await post(body)

    return cheat(act)


def with_rows(change: Callable[[list[bytes]], Sequence[bytes]]) -> Callable[[Any], ShuffledLists]:
    """Return the change of the rows of the first list; its head says how many there are then."""

    def changed(body: ShuffledLists) -> ShuffledLists:
        head, data = body.lists[0][:5], body.lists[0][5:]
        rows = change([data[at : at + 64] for at in range(0, len(data), 64)])
        first = len(rows).to_bytes(4, "big") + head[4:] + b"".join(rows)
        return replace(body, lists=(first, *body.lists[1:]))

    return changed


def with_proof(change: Callable[[bytes], bytes]) -> Callable[[Any], ShuffledLists]:
    """Return the change of the first proof."""
    return lambda body: replace(body, proofs=(change(body.proofs[0]), *body.proofs[1:]))


def with_share(change: Callable[[bytes], bytes]) -> Callable[[Any], OpeningShares]:
    """Return the change of the first record of shares."""
    return lambda body: replace(body, shares=(change(body.shares[0]), *body.shares[1:]))


def statistical() -> dict[str, Any]:
    """Half of the people answer round 1, the others round 2."""
    policy = AnnouncedPolicy(2, 0.5, "fixed", setting=Setting.STATISTICAL, delta=0.1)
    return {"policy": policy, "rounds": lambda index: (1 + index % 2,)}

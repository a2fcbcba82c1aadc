"""What a place has to say: a post that its author has given up is not said any more."""

from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest
import trio
from veilmix.machines.directory import SessionPlace
from veilmix.machines.http import Client
from veilmix.machines.inputs import PostInput
from veilmix.machines.outbox import Outbox
from veilmix.machines.remote import RemoteNetwork
from veilmix.machines.trouble import Troubles
from veilmix.roles.compute.simulated_clock import VirtualClock
from veilmix.roles.network.instruments import Instruments

BOARD = SessionPlace("board", "")


class Board:
    """A board that takes all posts, and remembers them."""

    def __init__(self) -> None:
        self.taken: list[bytes] = []

    async def ask(self, _method: str, _path: str, data: bytes) -> tuple[int, bytes]:
        """Take a post."""
        self.taken.append(PostInput.decode(data).data)
        await trio.lowlevel.checkpoint()
        return 204, b""

    async def close(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize(("now", "taken"), [(1.0, [b"late", b"any"]), (2.0, [b"any"])])
def test_a_post_is_not_said_after_its_time(now: float, taken: list[bytes]) -> None:
    """Whoever keeps the board could let it wait until a complaint gives something away."""
    board, lost = Board(), list[int]()

    async def reach(_place: SessionPlace) -> Client:
        await trio.lowlevel.checkpoint()
        return cast("Client", board)

    async def say() -> None:
        told = lambda *_: None, lambda _why, many: lost.append(many), Troubles(print, {})
        outbox = Outbox(BOARD, reach, *told, lambda: now)
        emptied = trio.Event()
        outbox.emptied = emptied.set
        outbox.put(PostInput("user-1", b"late", b"1" * 16, until=2.0))
        outbox.put(PostInput("user-1", b"any", b"2" * 16))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(outbox.run)
            await emptied.wait()
            nursery.cancel_scope.cancel()
        assert outbox.sent_count == len(taken)

    trio.run(say)
    assert board.taken == taken
    assert lost == [1] * (2 - len(taken))


def test_a_post_is_said_as_long_as_its_author_waits_for_it() -> None:
    network = RemoteNetwork(Instruments([], lambda _: None), None, lambda _: None)

    async def wait(post: Callable[[], Awaitable[None]], seconds: float) -> None:
        with trio.move_on_after(seconds):
            await post()

    async def both() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait, lambda: network.post("user-1", b"one"), 5.0)
            nursery.start_soon(wait, lambda: network.post("user-1", b"two"), float("inf"))
            await trio.sleep(1.0)
            nursery.cancel_scope.cancel()

    trio.run(both, clock=VirtualClock())
    posts = cast("list[Any]", network.outputs)
    assert {post.data: post.until for post in posts} == {b"one": 5.0, b"two": float("inf")}

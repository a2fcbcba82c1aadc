"""The network of a soak: a proxy before each place that listens, with a fate for each connection.

It runs in a copy of the soak's process until that ends. Connections are counted; all that a fate
depends on is the number of the connection and the bytes it has carried.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain, repeat

import trio
from soak_plan import Fate

PIECE = 4_096  # bytes read at once
BROKEN = (OSError, trio.BrokenResourceError, trio.ClosedResourceError)


class Bridge:
    """A connection between a place that talks and one that listens. left: bytes until it breaks."""

    def __init__(self, fate: Fate) -> None:
        self._fate = fate
        self._left = fate.breaks

    async def run(self, stream: trio.SocketStream, port: int) -> None:
        """Carry bytes both ways until either end, or the fate, ends it."""
        await trio.sleep(self._fate.late)
        try:
            other = await trio.open_tcp_stream("127.0.0.1", port)
            async with other, trio.open_nursery() as nursery:
                nursery.start_soon(self._pump, stream, other)
                nursery.start_soon(self._pump, other, stream)
        except* BROKEN:
            pass

    async def _pump(self, source: trio.SocketStream, to: trio.SocketStream) -> None:
        while data := await source.receive_some(PIECE):
            await trio.sleep(self._fate.pause)
            if self._left is not None:
                self._left -= len(data)
                if self._left < 0:
                    raise trio.BrokenResourceError
            await to.send_all(data)
        await to.send_eof()


async def run(ports: Mapping[int, tuple[int, Sequence[Fate]]]) -> None:
    """Forward until cancelled. ports: public port -> where the place listens, and the fates."""
    async with trio.open_nursery() as nursery:
        for public, (port, fates) in ports.items():
            drawn = chain(fates, repeat(Fate()))

            async def serve(stream: trio.SocketStream, drawn=drawn, port: int = port) -> None:
                fate = next(drawn)
                try:
                    if not fate.refused:
                        await Bridge(fate).run(stream, port)
                finally:
                    await trio.aclose_forcefully(stream)

            listeners = await trio.open_tcp_listeners(public, host="127.0.0.1")
            nursery.start_soon(partial(trio.serve_listeners, serve, listeners))

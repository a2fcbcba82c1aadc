"""A place that listens elsewhere than at its public address, behind a proxy that forwards TCP."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import saved_kit as kit
import session_kit as KIT
import trio
from veilmix.errors import ParameterError, StorageError
from veilmix.machines.directory import parse_address
from veilmix.machines.journal import Durable
from veilmix.machines.service import Site, run_board
from veilmix.protocol.board.board import Board
from veilmix.scenarios.deployment.place import site
from veilmix.scenarios.deployment.session_file import read_session
from veilmix.scenarios.deployment.status import _look
from veilmix.scenarios.records.identity_files import read_identity

pytestmark = pytest.mark.tls


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:8440", ("127.0.0.1", 8440)),
        ("[::1]:1", ("::1", 1)),
        ("board.example:65535", ("board.example", 65535)),
    ],
)
def test_addresses_that_are_read(text: str, address: tuple[str, int]) -> None:
    assert parse_address(text, "--listen") == address


@pytest.mark.parametrize("text", ["8440", ":8440", "localhost:", "localhost:0", "localhost:65536"])
def test_addresses_that_are_none(text: str) -> None:
    with pytest.raises(ParameterError, match=r"--listen: found .*HOST:PORT is accepted"):
        parse_address(text, "--listen")


def board_site(folder: Path, told: list[Mapping[str, Any]]) -> Site:
    """Return the board of a session that nobody plays."""
    played = KIT.Session(folder, kit._nothing)
    session = read_session(played.path)
    own = read_identity(folder / "board.key.toml")

    def log(what: str, detail: str = "", **_: Any) -> None:
        told.append({what: detail})

    return site(session, "board", own, log, Durable.OFF, folder)


async def forward(stream: trio.SocketStream, to: tuple[str, int]) -> None:
    """Forward a connection byte by byte, as a proxy does that ends no TLS."""

    async def pump(source: trio.SocketStream, target: trio.SocketStream) -> None:
        try:
            async for data in source:
                await target.send_all(data)
            await target.send_eof()
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return

    async with await trio.open_tcp_stream(*to) as other, trio.open_nursery() as nursery:
        nursery.start_soon(pump, stream, other)
        nursery.start_soon(pump, other, stream)


def test_a_board_is_reached_through_a_proxy(tmp_path: Path) -> None:
    """At its public address stands the proxy; the board itself listens at another."""
    told: list[Mapping[str, Any]] = []
    (port,) = KIT.free_ports(1)
    place = replace(board_site(tmp_path, told), listen=("127.0.0.1", port))
    public = place.directory.board

    async def play() -> Board:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run_board, place, 0.0)
            while not any("ready" in event for event in told):  # noqa: ASYNC110
                await trio.sleep(0.01)
            serve = lambda stream: forward(stream, ("127.0.0.1", port))  # noqa: E731
            listeners = await trio.open_tcp_listeners(public.port, host=public.host)
            nursery.start_soon(trio.serve_listeners, serve, listeners)
            seen = await _look((public.host, public.port), place.identity.public)
            nursery.cancel_scope.cancel()
            return seen.board

    assert trio.run(play).entries == []
    (ready,) = [event["ready"] for event in told if "ready" in event]
    assert ready == f"https://127.0.0.1:{public.port}, listens at 127.0.0.1:{port}"


def test_an_address_of_another_machine_is_refused(tmp_path: Path) -> None:
    place = replace(board_site(tmp_path, []), listen=("192.0.2.1", 8440))
    with pytest.raises(StorageError, match=r"192.0.2.1:8440 cannot be listened on .*--listen"):
        trio.run(place.listeners)

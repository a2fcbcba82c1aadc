"""A place notices another process of its identity; a board, another version of veilmix."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import session_kit as KIT
from veilmix import __version__
from veilmix.crypto.identity import make_identity
from veilmix.errors import DataError
from veilmix.machines.board_service import OTHER_VERSION, VERSION, BoardService
from veilmix.machines.clocks import RealTime
from veilmix.machines.directory import Directory, SessionPlace
from veilmix.machines.host import Host
from veilmix.machines.http import Request, ServerLimits
from veilmix.machines.inputs import Posted, Tick
from veilmix.machines.journal import Durable, Journal
from veilmix.machines.role_step import World

OWN = make_identity("curator")
DIRECTORY = Directory({"curator": SessionPlace("curator", OWN.public.certificate)})


def host(log: Journal | None) -> Host:
    """Give a place whose role has not made any post."""
    world = World(pytest.fail, pytest.fail)
    limits = ServerLimits(body=1_000)
    return Host("curator", OWN, DIRECTORY, world, RealTime(float), limits=limits, journal=log)


def test_a_post_in_the_name_of_a_place_that_it_has_not_made_ends_it(tmp_path: Path) -> None:
    written = Journal(tmp_path / "a", Durable.DISK)
    here = host(written)
    here._check_own(Tick())
    here._check_own(Posted("analyst", b"x"))
    with pytest.raises(DataError, match=r"was not made here: .*without the journal"):
        here._check_own(Posted("curator", b"x"))
    assert not list(tmp_path.iterdir())  # nothing in it is of use
    with pytest.raises(DataError):
        host(None)._check_own(Posted("curator", b"x"))


async def test_a_board_refuses_a_place_of_another_version_by_name() -> None:
    service_ = BoardService(speaks=lambda *_: True)
    for path, method in (("/posts", "POST"), ("/posts/0", "GET")):
        request = Request(method, path, {VERSION: "9.9.9"}, b"", "curator")
        answer = await service_.answer(request)
        assert (answer.status, answer.body) == (OTHER_VERSION, __version__.encode())
        same = replace(request, headers={VERSION: __version__})
        assert (await service_.answer(same)).status != OTHER_VERSION
        assert (await service_.answer(replace(request, peer=""))).status != OTHER_VERSION


OTHER = (
    "from veilmix.machines import host, journal; host.__version__ = journal.__version__ = '9.9'\n"
)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="types bash")
def test_a_place_of_another_version_leaves_and_its_journal_is_no_obstacle(
    tmp_path: Path, started: Any
) -> None:
    session = KIT.Session(tmp_path, started)
    disk = ("--durable", "disk", "--journal", ".")
    session.start("board", *disk)
    session.heard("board", "ready")
    session.start("shuffler-1", *disk, before=OTHER)
    assert session.processes["shuffler-1"].wait() == 2
    assert f"the board has veilmix {__version__}, and shuffler-1 has veilmix 9.9" in session.said(
        "shuffler-1"
    )
    assert [path.name.split("-")[1] for path in tmp_path.glob("*.journal")] == ["board"]
    session.start("shuffler-1", *disk)
    session.heard("shuffler-1", "ready", times=2)

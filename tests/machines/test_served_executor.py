"""A party of a session whose work others do: it says what it would have said, or why it cannot."""

import json
import re
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import session_kit as KIT
from veilmix.errors import ParameterError
from veilmix.roles.compute import backends as workplaces
from veilmix.roles.compute.backend import Helpers, Workplace

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="types bash")]

# What a place does first: few are many, all is seeded, and what is posted is told. Two sessions of
# one file and the same identities then say the same.
SEEDED = """
import hashlib
from veilmix.crypto.entropy import SeededEntropy
from veilmix.machines import gauge as gauges, service
from veilmix.roles.compute import worker_pool
worker_pool.CHUNK = 8
service.OSEntropy = lambda: SeededEntropy(7)
told = gauges.Gauge.entry
def entry(gauge, entry, board):
    told(gauge, entry, board)
    said = hashlib.sha256(entry.message.encode()).hexdigest()
    gauge.log("digest", f"{entry.author} {entry.message.kind.name} {said}")
gauges.Gauge.entry = entry
"""
NOTHING = """
from concurrent.futures import Executor, Future
class Nothing(Executor):
    def submit(self, fn, /, *args, **given):
        future = Future()
        future.set_result(None)
        return future
"""


NEVER = """
from concurrent.futures import Executor, Future
from pathlib import Path
class Never(Executor):
    given = []
    def submit(self, fn, /, *args, **more):
        self.given.append(Future())
        Path("given").touch()
        return self.given[-1]
    def shutdown(self, wait=True, *, cancel_futures=False):
        Path("left").write_text(" ".join(str(one.cancelled()) for one in self.given))
"""


def posted(session: KIT.Session) -> list[str]:
    """What the board was told by parties, in words and digests; the order may vary."""
    text = session.said("board")
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return sorted(line["detail"] for line in lines if line["event"] == "digest")


def play(session: KIT.Session, **more: tuple[str, ...]) -> list[str]:
    """Play a session to its end, some parties with more options; gives what was posted."""
    places = ("hall", "board", "shuffler-1", "shuffler-2", "analyst", "curator")
    for place in places:
        if place == "curator":
            for other in places[:-1]:
                session.heard(other, "ready")
        session.start(place, *more.get(place.replace("-", "_"), ()), before=SEEDED)
    for place in places:
        assert session.ended(place) == 0, session.said(place)
    assert session.out("curator") == KIT.RELEASED
    posts = posted(session)
    for place in places:
        for kind in ("out", "log"):
            (session.folder / f"{place}.{kind}").unlink()
    return posts


def await_curator(session: KIT.Session, code: str, executor: str) -> None:
    """Start all but the curator; shuffler-1 has an executor of its own, of this code."""
    (session.folder / "own_executor.py").write_text(code)
    others = ("hall", "board", "shuffler-2", "analyst")
    for place in others:
        session.start(place, before=SEEDED)
    session.start("shuffler-1", "--executor", f"own_executor:{executor}", before=SEEDED)
    for place in (*others, "shuffler-1"):
        session.heard(place, "ready")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed", reason="extra: cluster")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as made:
        yield made


def tasks(cluster: Any) -> int:
    """How many calls the workers of a cluster have made."""
    import distributed

    def count(dask_worker: Any) -> int:
        return int(dask_worker.state.executed_count)

    with distributed.Client(cluster.scheduler_address, set_as_default=False) as client:
        return sum(client.run(count).values())


@pytest.mark.filterwarnings("default")
def test_a_shuffler_on_a_cluster_of_its_own_says_the_same(
    tmp_path: Path, started: Any, cluster: Any
) -> None:
    session = KIT.Session(tmp_path, started)
    here = play(session)
    assert sum(" MIXED " in post for post in here) >= 2
    address = f"dask:{cluster.scheduler_address}"
    before = tasks(cluster)
    there = play(session, shuffler_1=("--executor", address))
    assert there == here
    assert tasks(cluster) > before


def test_whose_a_cluster_is_is_said_and_what_gives_back_nothing_ends_the_place(
    tmp_path: Path, started: Any
) -> None:
    session = KIT.Session(tmp_path, started)
    await_curator(session, NOTHING, "Nothing")
    session.heard("shuffler-1", "executor", "whoever runs it can read what shuffler-1 can")
    session.start("curator", before=SEEDED)
    assert session.ended("shuffler-1") == 2
    *_, last = session.said("shuffler-1").splitlines()
    assert re.match(r"--executor own_executor:Nothing: it gave back NoneType for a piece", last)
    for place in ("curator", "analyst", "hall"):
        assert session.ended(place) == 3, session.said(place)
        assert "no batch that could be taken came from shuffler-1 to" in session.said(place)


def test_ctrl_c_while_others_work_calls_it_back(tmp_path: Path, started: Any) -> None:
    session = KIT.Session(tmp_path, started)
    await_curator(session, NEVER, "Never")
    session.start("curator", before=SEEDED)
    session.until((tmp_path / "given").exists)
    session.processes["shuffler-1"].send_signal(signal.SIGINT)
    assert session.ended("shuffler-1") == 130, session.said("shuffler-1")
    *_, last = session.said("shuffler-1").splitlines()
    assert last == "stopped; what was not finished was not written"
    assert set((tmp_path / "left").read_text().split()) == {"True"}


def test_the_board_has_no_work_to_give(tmp_path: Path, started: Any) -> None:
    session = KIT.Session(tmp_path, started)
    session.start("board", "--executor", "thread")
    assert session.ended("board") == 2
    assert "the board, which decrypts no messages" in session.said("board")


def test_a_party_whose_workers_are_all_others_hears_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would do the work by itself, and nobody would know."""
    others = {"shuffler-2": ThreadPoolExecutor(1)}
    place = Workplace(helpers=Helpers("--executor dask:x", 1, others["shuffler-2"], others))
    monkeypatch.setattr(workplaces, "workplace", lambda _: nullcontext(place))
    wanted = (
        r'none works for shuffler-1; start one with `dask worker \.\.\. --resources "shuffler-1=1"`'
    )
    with pytest.raises(ParameterError, match=wanted), workplaces.own_workplace("x", "shuffler-1"):
        pass

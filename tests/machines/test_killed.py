"""Whoever is killed, wherever, and started again: the session ends as if nothing had happened.

Sessions are small, so that each process is killed at twenty random points of both rounds in some
seconds.
"""

import random
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import role_kit as KIT
import verified_session_kit as VERIFIED
from veilmix import systems
from veilmix.crypto.entropy import OSEntropy
from veilmix.errors import ParameterError, StorageError
from veilmix.machines import journal as journals
from veilmix.machines import processes
from veilmix.machines.journal import Durable, Journal
from veilmix.machines.processes import LostProcess, play_apart
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.protocol.wire.announcement import Program
from veilmix.roles.cast import Guards
from veilmix.roles.network.instruments import TranscriptRecorder

pytestmark = pytest.mark.tls
PLACES = ("board", "shuffler-1", "shuffler-2", "curator", "analyst", "people")
TOLD = 150  # what all places tell in a session of these, about; some tell fewer
FAULTS = KIT.attack(user_3="late", user_5="duplicate", user_8="malformed")


def played(stage: Any, many: int, **changes: Any) -> tuple[Any, ...]:
    """What a session ends with, and all that was recorded of it."""
    cast = KIT.cast(KIT.people(many), shufflers=2, faults=FAULTS, **changes)
    transcript = Transcript.sized(many)
    board = stage(cast, [TranscriptRecorder(transcript)])
    refused = sorted(map(repr, transcript.refusals))
    return board.digest(), board.burned, transcript.reads, KIT.happened(transcript), refused


class Killer:
    """Says who is to be killed when: after so many things that were told, and a moment more."""

    def __init__(self, when: dict[int, str], seed: int) -> None:
        self.when = when
        self.struck: Counter[str] = Counter()
        self._rng = random.Random(seed)
        self._told = 0

    def __call__(self) -> str | None:
        self._told += 1
        name = self.when.get(self._told)
        if name is not None:
            time.sleep(self._rng.uniform(0, 0.004))  # in the middle of what it does now
            self.struck[name] += 1
        return name


def killing(due: Counter[str], seed: int) -> Killer:
    """Who is killed in one session: ten of those still due, each at a moment of its own."""
    rng = random.Random(seed)
    names = list(due.elements())
    some = rng.sample(names, min(10, len(names)))
    return Killer(dict(zip(rng.sample(range(1, TOLD), len(some)), some, strict=True)), seed)


def durable(killer: Callable[[], str | None], how: Durable = Durable.TMPFS) -> Any:
    """A stage on which parties are killed."""
    return lambda cast, watching: play_apart(cast, watching, durable=how, strike=killer)


@pytest.mark.slow
def test_killed_at_twenty_points_each_all_is_as_undisturbed() -> None:
    undisturbed = played(KIT.STAGES["memory"], 12)
    due = Counter(dict.fromkeys(PLACES, 20))
    for session in range(40):  # twelve would do, were none over before its last is struck
        killer = killing(due, session)
        assert played(durable(killer), 12) == undisturbed, killer.when
        due -= killer.struck
        if not due:
            break
    assert not due, f"after 40 sessions there are still to be killed: {due}"


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("program", [Program.TWO_ROUND, Program.TWO_ROUND_ONCE])
def test_a_verified_session_ends_as_if_nobody_was_killed(program: Program) -> None:
    """Keys, orders and salts follow from what a party keeps: what it posted stays what it is."""
    changes = {"rules": VERIFIED.RULES, "guards": Guards(registered=6), "program": program}
    undisturbed = played(play_apart, 6, **changes)
    assert undisturbed[1] is None
    for seed in range(3):
        killer = killing(Counter(PLACES), seed)
        assert played(durable(killer), 6, **changes) == undisturbed, killer.when
        assert killer.struck


@pytest.mark.slow
def test_without_a_seed_keys_are_kept_and_the_results_are_the_same() -> None:
    entropy = OSEntropy()
    killer = Killer({8: "shuffler-1", 20: "people", 40: "shuffler-2", 60: "analyst"}, 1)
    _, burned, reads, _, refused = played(durable(killer, Durable.DISK), 12, entropy=entropy)
    outcome = played(KIT.STAGES["memory"], 12, entropy=entropy)
    assert (burned, reads, refused) == (outcome[1], outcome[2], outcome[4])
    assert sum(killer.struck.values()) == 4


@pytest.mark.slow
def test_a_burned_round_is_burned_for_the_same_reason() -> None:
    rules = KIT.Rules(min_batch=99)
    killer = Killer({8: "shuffler-1", 20: "people", 30: "curator"}, 1)
    outcome = played(durable(killer), 12, rules=rules)
    assert outcome == played(KIT.STAGES["memory"], 12, rules=rules)
    assert "smallest batch" in outcome[1]


@pytest.mark.slow
def test_without_a_journal_who_is_killed_is_lost() -> None:
    with pytest.raises(LostProcess, match="curator"):
        played(lambda cast, watching: play_apart(cast, watching, strike=Once("curator")), 6)


class Once:
    """Kills a process without saying so to who started it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.told = 0

    def __call__(self) -> None:
        self.told += 1
        if self.told == 20:
            KILL[0](self.name)


KILL: list[Callable[[str], None]] = []


@pytest.fixture(autouse=True)
def reach(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tests kill a process behind the back of who started it."""
    import os
    import signal

    begin = processes._Stage.begin

    def began(self: Any, *given: Any) -> None:
        begin(self, *given)
        KILL[:] = [lambda name: os.kill(self._processes[name].pid, signal.SIGKILL)]

    monkeypatch.setattr(processes._Stage, "begin", began)


@pytest.mark.slow
def test_who_ends_by_itself_is_started_again_and_that_is_said(tmp_path: Path) -> None:
    said: list[str] = []
    cast = KIT.cast(KIT.people(6))
    once = Once("shuffler-1")
    board = play_apart(cast, report=said.append, durable=Durable.DISK, folder=tmp_path, strike=once)
    assert board.digest() == KIT.run(cast).board.digest()
    assert [line for line in said if "shuffler-1" in line and "started again" in line]


@pytest.mark.slow
@pytest.mark.parametrize("how", [Durable.DISK, Durable.TMPFS])
def test_at_the_end_keys_and_letters_are_gone_from_the_bytes(
    how: Durable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second name of each file keeps its bytes in sight when it is deleted."""
    kept: list[Path] = []
    seen: list[bytes] = []

    def strike() -> None:
        for path in tmp_path.glob("veilmix-*/*"):
            link = tmp_path / path.name
            if not link.exists() and "-shm" not in path.name:
                with suppress(FileNotFoundError):  # sqlite's own, which is there for a moment
                    link.hardlink_to(path)
                    kept.append(link)
        seen[:] = [link.read_bytes() for link in kept]

    cast = KIT.cast(KIT.people(6), entropy=OSEntropy())
    play_apart(cast, durable=how, folder=tmp_path, strike=strike)
    assert len(kept) >= 10  # a file and its log for five places
    assert any(b"vm\x01" in data for data in seen)  # or there was nothing to find
    for link in kept:  # that of the first moment, before there was anything, is sqlite's
        left = link.read_bytes()
        assert not any(left) or (link.name.endswith("-journal") and b"vm" not in left)
    assert not list(tmp_path.glob("veilmix-*"))


def test_a_journal_gives_back_what_was_written(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "a", Durable.DISK)
    assert journal.fact("kept", b"x") == b"x"
    journal.write("people", b"1")
    journal.write("", b"2")
    journal.acknowledge([b"a", b"b"])
    journal.acknowledge([b"b"])
    journal.close()
    other = Journal(tmp_path / "a", Durable.DISK)
    assert other.fact("kept", b"y") == b"x"
    assert list(other.inputs()) == [("people", b"1"), ("", b"2")]
    assert other.acknowledged() == {b"a", b"b"}
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600
    other.close()


def test_a_full_disk_is_said_in_words_and_what_stood_there_stands(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "a", Durable.DISK)
    journal.write("", b"before")
    journal._database.execute("PRAGMA max_page_count = 1")  # as large as it is
    with pytest.raises(StorageError, match=r"full.*make room"):
        journal.write("", bytes(1 << 20))
    journal._database.execute("PRAGMA max_page_count = 1000")
    journal.write("", b"after")
    assert [data for _, data in journal.inputs()] == [b"before", b"after"]
    journal.close()


def test_what_is_no_journal_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a text" * 1000)
    with pytest.raises(StorageError, match="not a database"):
        Journal(tmp_path / "a", Durable.DISK)
    assert (tmp_path / "a").read_bytes() == b"a text" * 1000
    with pytest.raises(StorageError):
        Journal(tmp_path / "no folder" / "a", Durable.DISK)


def test_memory_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systems, "MEMORY_FOLDER", False)
    with pytest.raises(StorageError, match="choose off or disk"):
        journals.memory_folder()


def test_a_kept_secret_is_the_stream_it_was() -> None:
    from veilmix.crypto.entropy import SeededEntropy

    stream, other = (SeededEntropy.from_secret(bytes(32)).fork("x").random(9) for _ in range(2))
    assert stream == other != SeededEntropy(0).fork("x").random(9)
    with pytest.raises(ParameterError):
        SeededEntropy.from_secret(bytes(31))

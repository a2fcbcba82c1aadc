"""Sessions of the same people whose first shuffler and curator keep a ledger each, over TLS.

Both keepers are killed where they have just noted a batch, and started again by the same command.
"""

import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import session_kit as KIT
from veilmix.cli import main
from veilmix.scenarios.deployment.ledger_heads import LedgerHead, write_head
from veilmix.scenarios.deployment.people_keys import create_people
from veilmix.scenarios.lab.ledger.book import read
from veilmix.scenarios.lab.ledger.entry import NEVER_ENDED
from veilmix.scenarios.records.identity_files import read_identity

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="types bash")]

KEEPERS = {"shuffler-1": "people.json", "curator": "asked.json"}
KILLED = """
import os, signal
from veilmix.scenarios.lab.ledger.book import Ledger
noted = Ledger.hand_on
def hand_on(self, batch):
    noted(self, batch)
    if batch.public is {public}:
        os.kill(os.getpid(), signal.SIGKILL)
Ledger.hand_on = hand_on
"""
REGISTERED = "[defence]\nregistered = true\n"
KEPT = {place: ("--ledger", book, "--durable", "disk") for place, book in KEEPERS.items()}


def begin_again(session: KIT.Session, title: str, many: int, *heads: str) -> None:
    """Make the next session file: fewer of the same people, who have the keys that they had."""
    folder = session.folder
    for pattern in ("*.log", "*.out", "*.stands", "ahead", "over", "hall.people.toml"):
        for path in folder.glob(pattern):
            path.unlink()
    create_people(folder, read_identity(folder / "hall.key.toml"), many)
    rows = (folder / "hall.csv").read_text().splitlines()[: many + 1]
    (folder / "hall.csv").write_text("\n".join(rows) + "\n")
    text = re.sub('title = ".*"', f'title = "{title}"', session.path.read_text())
    text = re.sub(r"users = \[1, \d+\]", f"users = [1, {many}]", text)
    for place in heads:
        line = f'[place.{place}]\nledger = "{KEEPERS[place]}.head.toml"\n'
        text = text.replace(f"[place.{place}]\n", line)
    session.path.write_text(text)
    session.processes, session.ahead = {}, 0.0


def put_away(folder: Path, place: str) -> None:
    """Take a ledger away, with its key and its head: the next is empty."""
    for path in folder.glob(f"{KEEPERS[place]}*"):
        path.rename(path.with_name(f"away-{path.name}"))


def put_back(folder: Path, place: str) -> None:
    for path in folder.glob(f"away-{KEEPERS[place]}*"):
        shutil.copyfile(path, path.with_name(path.name.removeprefix("away-")))


def refused_by(session: KIT.Session, place: str) -> None:
    """One person less than in the first session: this place alone has the ledger of it."""
    session.start_all(own=KEPT)
    for name in (*KIT.PARTIES, "hall"):
        assert session.ended(name) == 3, session.said(name)
    assert "1 people took part in other rounds" in session.said("hall")
    posts = [event["detail"] for event in session.log("board") if event["event"] == "entry"]
    assert f"{place}: burned" in posts
    assert "curator: tally" not in posts


def all_ended(session: KIT.Session) -> None:
    """The first session is released, and stands once in both ledgers."""
    for place in (*KIT.PARTIES, "hall"):
        assert session.ended(place) == 0, session.said(place)
    for book in KEEPERS.values():
        (entry,) = read(session.folder / book)
        assert (entry.burned, entry.shown, entry.cells) == (None, 2, (10, 10))
        assert [batch.public for batch in entry.handed] == [False, True]


def test_keepers_that_are_killed_go_on_and_contradict_nobody(
    tmp_path: Path, started: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """One is killed before its first batch is handed on, the other before a release is called for.

    Then the curator's head is that of a ledger that was lost: no place begins the next session.
    """
    session = KIT.Session(tmp_path, started, REGISTERED)
    dies = {"shuffler-1": KILLED.format(public=False), "curator": KILLED.format(public=True)}
    session.start_all(before=dies, own=KEPT)
    for place, batches in (("shuffler-1", 1), ("curator", 2)):
        session.until(lambda place=place: session.processes[place].poll() is not None)  # type: ignore[misc]
        assert session.processes[place].returncode == -9
        (entry,) = read(tmp_path / KEEPERS[place])
        assert (entry.burned, len(entry.handed)) == (NEVER_ENDED, batches)
        session.start(place, *KEPT[place])
    all_ended(session)

    begin_again(session, "second", 19, "shuffler-1", "curator")
    curator = read_identity(tmp_path / "curator.key.toml")
    lost = LedgerHead("curator", "0" * 64, {})
    write_head(tmp_path / f"{KEEPERS['curator']}.head.toml", lost, curator.signer)
    for place in ("board", "shuffler-1"):
        key = str(tmp_path / f"{place}.key.toml")
        assert main(["serve", place, str(session.path), "--key", key]) == 2
        said = capsys.readouterr().err
        assert "shuffler-1 saw 2 tallies" in said
        assert "the ledger of curator has 0 of its batches" in said


@pytest.mark.long
def test_each_keeper_refuses_alone(tmp_path: Path, started: Any) -> None:
    """The other has lost its ledger, and the session file shows none."""
    session = KIT.Session(tmp_path, started, REGISTERED)
    session.start_all(own=KEPT)
    all_ended(session)
    begin_again(session, "second", 19)
    put_away(tmp_path, "curator")
    refused_by(session, "shuffler-1")
    begin_again(session, "third", 19)
    put_away(tmp_path, "shuffler-1")
    put_back(tmp_path, "curator")
    refused_by(session, "curator")

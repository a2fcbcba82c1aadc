"""Two ledgers of one session: each refuses by itself, they are signed, and they are compared."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from keeper_kit import CURATOR, GONE, IDENTITIES, UNKNOWN, held, keeper, session
from msgspec import UNSET
from veilmix.errors import ParameterError, StorageError
from veilmix.scenarios.deployment.ledger import with_ledger
from veilmix.scenarios.deployment.ledger_heads import (
    LedgerHead,
    disagreement,
    head_of,
    read_head,
    read_heads,
    write_head,
)
from veilmix.scenarios.lab.ledger.book import Ledger, opened, read, read_book
from veilmix.scenarios.lab.ledger.entry import NEVER_ENDED, LedgerBatch
from veilmix.scenarios.lab.ledger.keep import begin
from veilmix.scenarios.lab.ledger.people import crowd_of_keys

EVERYBODY = range(60)
STAY = [person for person in EVERYBODY if person not in GONE]
ABSENT = [{"attack": "absent", "by": "user-1"}]


def test_the_curator_refuses_by_itself(tmp_path: Path) -> None:
    """It notes whom a session asks; ten who are not asked again are a group that nothing proves."""
    book = tmp_path / "curator.json"
    board, _ = held(book, tmp_path, EVERYBODY, CURATOR)
    assert board.burned is None
    board, account = held(book, tmp_path, STAY, CURATOR)
    assert (board.burned or "").startswith("10 people are told apart by adding and subtracting")
    assert UNKNOWN in (board.burned or "")
    assert len(board.tallies) == 1
    assert account.refused == board.burned
    first, second = read(book)
    assert [batch.unsure for batch in first.handed] == [UNSET, UNSET]
    assert (first.cells, first.shown, second.shown) == ((15, 15, 15, 15), 2, 1)
    assert len(second.handed) == 1


def test_few_who_are_not_asked_are_refused_before_a_tally(tmp_path: Path) -> None:
    book = tmp_path / "curator.json"
    held(book, tmp_path, EVERYBODY, CURATOR)
    board, _ = held(book, tmp_path, range(59), CURATOR)
    assert (board.burned or "").startswith("1 people took part in other rounds")
    assert (board.tallies, read(book)[-1].handed) == ([], ())


def test_who_did_not_answer_is_unknown_to_the_curator(tmp_path: Path) -> None:
    """A first session is released; then it cannot show whom the next would tell apart."""
    book = tmp_path / "curator.json"
    board, _ = held(book, tmp_path, EVERYBODY, CURATOR, fault=ABSENT)
    assert board.burned is None
    (entry,) = read(book)
    assert [batch.unsure for batch in entry.handed] == [True, True]
    board, _ = held(book, tmp_path, STAY, CURATOR)
    assert (board.burned or "").startswith("some people of an earlier session did not answer")


def test_a_release_is_noted_before_it_is_called_for(tmp_path: Path) -> None:
    """A curator that is killed then finds it there, as unsure, once."""
    book = tmp_path / "curator.json"

    class Killed(BaseException):
        """The end of a process."""

    noted = Ledger.hand_on

    def hand_on(self: Ledger, batch: LedgerBatch) -> None:
        noted(self, batch)
        if batch.public:
            raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ledger, "hand_on", hand_on)
        with pytest.raises(Killed):
            held(book, tmp_path, EVERYBODY, CURATOR)
    (entry,) = read(book)
    assert (entry.burned, entry.shown) == (NEVER_ENDED, UNSET)
    assert [(batch.public, batch.unsure) for batch in entry.handed] == [
        (False, UNSET),
        (True, True),
    ]
    board, account = held(book, tmp_path, EVERYBODY, CURATOR)
    assert (board.burned, account.sessions) == (None, 1)
    (entry,) = read(book)
    assert [batch.unsure for batch in entry.handed] == [UNSET, UNSET]
    assert entry.cells == (15, 15, 15, 15)


@pytest.mark.parametrize("call", ["open", "fsync", "chmod", "replace"])
def test_a_book_is_that_before_or_after_a_writing(tmp_path: Path, call: str) -> None:
    """Whichever step of a writing is the last of a process."""
    book = tmp_path / "book.json"
    held(book, tmp_path, EVERYBODY)
    before = read(book)
    batch = before[0].handed[0]

    class Killed(BaseException):
        """The end of a process."""

    for place in range(8):
        steps = iter(range(place))
        real = getattr(os, call)

        def step(*given: Any, real: Any = real, steps: Any = steps, **more: Any) -> Any:
            if next(steps, None) is None:
                raise Killed
            return real(*given, **more)

        with opened(book) as ledger, pytest.MonkeyPatch.context() as patch:
            ledger.signer = IDENTITIES["shuffler-1"].signer
            patch.setattr(os, call, step)
            try:
                ledger.hand_on(LedgerBatch(round=9 + place, asks=batch.asks, public=False))
            except Killed:
                patch.undo()
                after = (before[0].handed, (*before[0].handed, ledger.entries[0].handed[-1]))
                assert read(book)[0].handed in after
            else:
                return
        before = read(book)
    pytest.fail("a writing has no end")


def test_a_ledger_belongs_to_the_place_that_signed_it(tmp_path: Path) -> None:
    """Also one that was edited by a holder of its key, and one that nobody signed."""
    book = tmp_path / "book.json"
    held(book, tmp_path, EVERYBODY)
    other = IDENTITIES["analyst"]
    served, _ = session(tmp_path, STAY)
    with pytest.raises(StorageError, match=r"signed by the key .*--predecessor OLD.pub.toml"):
        with_ledger(served, replace(keeper(book), identity=other), never)
    with opened(book) as ledger:  # it is written without a signer
        ledger.hand_on(replaced_round(ledger))
    with pytest.raises(StorageError, match="was signed by no place"):
        with_ledger(served, keeper(book), never)
    text = book.read_text().replace('"digest"', f'"keeper": "{"0" * 64}", "digest"')
    book.write_text(text)
    with pytest.raises(StorageError, match="was signed by the key 0000000000000000"):
        with_ledger(served, keeper(book), never)


def replaced_round(ledger: Ledger) -> LedgerBatch:
    (entry,) = ledger.entries
    return LedgerBatch(round=3, asks=entry.handed[0].asks, public=False)


def never(_: Any) -> Any:
    raise AssertionError("the session has begun")


def test_a_successor_takes_a_ledger_over(tmp_path: Path) -> None:
    book = tmp_path / "book.json"
    held(book, tmp_path, EVERYBODY)
    served, _ = session(tmp_path, STAY)
    new = replace(
        keeper(book), identity=IDENTITIES["analyst"], predecessor=IDENTITIES["shuffler-1"].public
    )
    with pytest.raises(AssertionError, match="has begun"):
        with_ledger(served, new, never)
    kept = read_book(book)
    assert kept is not None
    assert kept.keeper == IDENTITIES["analyst"].public.key.hex()


def test_one_of_an_earlier_version_is_signed_from_now_on(tmp_path: Path) -> None:
    book = tmp_path / "book.json"
    with opened(book) as ledger:
        ledger._write()
    book.write_text(book.read_text().replace('"schema": 7', '"schema": 6'))
    held(book, tmp_path, EVERYBODY)
    kept = read_book(book)
    assert kept is not None
    assert kept.signature


def test_a_session_that_has_ended_is_not_played_again(tmp_path: Path) -> None:
    """Nor one in whose middle another has begun: its batches would be judged by what came later."""
    book = tmp_path / "book.json"
    held(book, tmp_path, EVERYBODY)
    with pytest.raises(StorageError, match="has this session already; it has ended"):
        held(book, tmp_path, EVERYBODY)
    served, scenario = session(tmp_path, range(60, 120))
    with opened(book) as ledger:
        ledger.signer = IDENTITIES["shuffler-1"].signer
        crowd = crowd_of_keys(served.registry.keys if served.registry else (), ledger.secret())
        begin(ledger, scenario, served.schema, crowd, None, served.roster.opening.hex())
    held(book, tmp_path, range(1, 61), policy__ledger="warn")
    with pytest.raises(StorageError, match="or another has begun since"):
        held(book, tmp_path, range(60, 120))


def head(book: Path, place: str) -> LedgerHead:
    return read_head(book.with_name(book.name + ".head.toml"), place, IDENTITIES[place].public)


def test_a_session_begins_from_the_ledger_that_its_file_shows(tmp_path: Path) -> None:
    """An older copy, or an empty one, is refused by its own keeper before it talks."""
    book = tmp_path / "book.json"
    held(book, tmp_path, EVERYBODY)
    older = {path.name: path.read_bytes() for path in tmp_path.glob("book.json*")}
    shown = head(book, "shuffler-1")
    assert list(shown.sessions.values()) == [(2, 2)]
    held(book, tmp_path, range(60, 120), heads=[shown])
    assert list(head(book, "shuffler-1").sessions.values()) == [(2, 2), (2, 2)]
    newest = head(book, "shuffler-1")
    for name, data in older.items():
        (tmp_path / name).write_bytes(data)
    with pytest.raises(StorageError, match=r"it has 1 sessions, and place.shuffler-1.ledger shows"):
        held(book, tmp_path, STAY, heads=[newest])
    for digest in ("0" * 64, "f" * 64):  # whichever is the larger
        other = replace(shown, book=digest)
        with pytest.raises(StorageError, match="or other entries"):
            held(book, tmp_path, STAY, heads=[other])
    book.unlink()
    with pytest.raises(StorageError, match="it has 0 sessions"):
        held(book, tmp_path, STAY, heads=[newest])


SHOWN = {"a" * 32: (2, 2), "b" * 32: (1, 0)}


@pytest.mark.parametrize(
    ("other", "wrong"),
    [
        (SHOWN, None),
        ({"a" * 32: (2, 1)}, None),  # it was killed before the end
        ({"a" * 32: (2, 2), "c" * 32: (1, 0)}, None),  # begun by one alone, and nothing shown
        ({}, "the ledger of curator has 0 of its batches"),
        ({"a" * 32: (1, 1), "b" * 32: (1, 1)}, "the ledger of curator has 1 of its batches"),
        ({**SHOWN, "c" * 32: (1, 1)}, "the ledger of shuffler-1 has 0 of its batches"),
    ],
)
def test_what_either_has_seen_stands_in_both(other: dict[str, Any], wrong: str | None) -> None:
    heads = [LedgerHead("shuffler-1", "", SHOWN), LedgerHead(CURATOR, "", other)]
    said = disagreement(heads)
    assert (said is None) == (wrong is None)
    assert (wrong or "") in (said or "")


def test_heads_are_read_by_every_place(tmp_path: Path) -> None:
    """Signed by the keeper, one for each, and in agreement; else no place begins."""
    known = {name: identity.public for name, identity in IDENTITIES.items()}
    files = {name: f"{name}.head.toml" for name in ("shuffler-1", CURATOR)}

    def write(name: str, sessions: dict[str, Any], signer: str = "") -> None:
        made = LedgerHead(name, "0" * 64, sessions)
        write_head(tmp_path / files[name], made, IDENTITIES[signer or name].signer)

    def both() -> Sequence[str]:
        return list(read_heads(tmp_path / "session.toml", files, known))

    write("shuffler-1", SHOWN)
    write(CURATOR, SHOWN)
    assert both() == list(files)
    write(CURATOR, SHOWN, signer="analyst")
    with pytest.raises(StorageError, match="was not signed by curator"):
        both()
    write(CURATOR, {})
    with pytest.raises(ParameterError, match="it was lost, or an old copy was put back"):
        both()
    for name, other in (("shuffler-1", CURATOR), (CURATOR, "shuffler-1")):
        write(other, SHOWN)
        (tmp_path / files[name]).write_bytes((tmp_path / files[other]).read_bytes())
        with pytest.raises(StorageError, match=f"is no head of the ledger of {name}"):
            both()
        write(name, SHOWN)
    text = (tmp_path / files[CURATOR]).read_text()
    twice = text.replace("sessions = [", f'sessions = [\n  ["{"a" * 32}", 2, 2],')
    (tmp_path / files[CURATOR]).write_text(twice)
    with pytest.raises(StorageError, match="is no head of the ledger of curator"):
        both()
    (tmp_path / files[CURATOR]).write_text("name = 3\n")
    with pytest.raises(StorageError, match=r"curator.head.toml:1: no head of a ledger"):
        both()
    with pytest.raises(ParameterError, match=r"place.analyst.ledger: shuffler-1 and curator keep"):
        read_heads(tmp_path / "session.toml", {"analyst": "x"}, known)


def test_a_head_leaves_out_the_session_that_is_resumed(tmp_path: Path) -> None:
    book = tmp_path / "book.json"
    held(book, tmp_path, EVERYBODY)
    with opened(book) as ledger:
        (entry,) = ledger.entries
        assert head_of(ledger, "shuffler-1", entry.session).sessions == {}
        assert list(head_of(ledger, "shuffler-1").sessions) == [entry.session]

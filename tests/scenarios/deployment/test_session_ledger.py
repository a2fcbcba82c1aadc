"""The ledgers of a first shuffler and of a curator: people are keys, counts those of the board.

The parties of a session are real, in one process; only the machines between them are left out.
"""

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from keeper_kit import CURATOR, GONE, UNKNOWN, held, keeper, session
from veilmix.errors import DataError, ParameterError
from veilmix.protocol.board.board import Board
from veilmix.protocol.history.shuffler_history import History
from veilmix.scenarios.deployment.ledger import check_kept, check_named, with_ledger
from veilmix.scenarios.deployment.ledger_heads import LedgerHead
from veilmix.scenarios.lab.ledger.book import opened, read
from veilmix.scenarios.lab.ledger.entry import NEVER_ENDED
from veilmix.scenarios.lab.ledger.keep import begin
from veilmix.scenarios.lab.ledger.people import crowd_of_keys


def test_ten_who_left_are_refused_by_published_counts(tmp_path: Path) -> None:
    """The shuffler has the counts of round 1 from the board, and the release of before as well."""
    book, shown = tmp_path / "book.json", {"policy__publish_marginals": True}
    board, account = held(book, tmp_path, range(60), **shown)
    assert board.burned is None
    assert account.groups == 0
    stay = [person for person in range(60) if person not in GONE]
    board, account = held(book, tmp_path, stay, **shown)
    assert (board.burned or "").startswith("10 people are told apart by adding and subtracting")
    assert UNKNOWN not in (board.burned or "")
    assert [(group.people, group.at_most) for group in account.subtractions] == [(10, 10)]
    first, second = read(book)
    assert (first.cells, first.source) == ((15, 15, 15, 15), ("signing key",))
    assert second.released == ()
    assert not any(word in book.read_text() for word in ("red", "blue", "cat", "dog"))


def test_secret_counts_prove_nothing(tmp_path: Path) -> None:
    """Whoever knows who took part has no counts: the difference is refused, however many it has."""
    book = tmp_path / "book.json"
    held(book, tmp_path, range(60))
    board, account = held(book, tmp_path, range(0, 60, 2))
    assert UNKNOWN in (board.burned or "")
    assert [(group.people, group.at_most) for group in account.subtractions] == [(30, None)]
    assert (account.refused, account.union) == (board.burned, None)


def test_a_session_that_was_killed_before_it_told_anything_is_begun_again(tmp_path: Path) -> None:
    """The same command is given again: nobody was counted, and nothing stands twice."""
    book = tmp_path / "book.json"
    served, scenario = session(tmp_path, range(60))
    name = served.roster.opening.hex()
    with opened(book) as ledger:
        ledger.signer = keeper(book).identity.signer
        crowd = crowd_of_keys(served.registry.keys if served.registry else (), ledger.secret())
        begin(ledger, scenario, served.schema, crowd, None, name)
    with pytest.raises(KeyboardInterrupt):
        with_ledger(served, keeper(book), killed)
    (entry,) = read(book)
    assert (entry.burned, entry.session) == (NEVER_ENDED, name)


def killed(_: History) -> Board:
    raise KeyboardInterrupt


def test_one_key_is_one_person() -> None:
    keys = [bytes([number]) * 32 for number in range(3)]
    crowd = crowd_of_keys(keys, b"key of a ledger")
    assert len(set(crowd.people)) == 3
    assert crowd_of_keys(keys[1:], b"key of a ledger").people == crowd.people[1:]
    assert set(crowd_of_keys(keys, b"another").people).isdisjoint(crowd.people)


def test_where_no_ledger_is_kept_between_machines(tmp_path: Path) -> None:
    served, _ = session(tmp_path, range(60))
    check_kept(served, "shuffler-1")
    check_kept(served, CURATOR)
    with pytest.raises(ParameterError, match="found analyst; the first shuffler"):
        check_kept(served, "analyst")
    heads = {place: LedgerHead(place, "", {}) for place in ("shuffler-1", CURATOR)}
    check_named(replace(served, heads=heads), "analyst")
    for place in heads:
        with pytest.raises(ParameterError, match=f"says that {place} keeps a ledger"):
            check_named(replace(served, heads=heads), place)
    with pytest.raises(ParameterError, match="without registered keys nobody can tell who"):
        check_kept(replace(served, registry=None), "shuffler-1")
    opens, _ = session(tmp_path, range(60), policy__kind="threshold")
    with pytest.raises(DataError, match="this scenario opens rows"):
        check_kept(opens, "shuffler-1")
    noisy = msgspec.structs.replace(
        served.scenario,
        policy=msgspec.structs.replace(served.scenario.policy, kind="histogram"),
        local=msgspec.structs.replace(served.scenario.local, mechanism="grr", epsilon=1.0),
    )
    with pytest.raises(ParameterError, match="is not added up between machines"):
        check_kept(replace(served, scenario=noisy), "shuffler-1")

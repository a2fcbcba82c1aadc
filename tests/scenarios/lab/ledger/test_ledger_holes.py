"""Sequences of runs that would tell of somebody what no run of them tells, each refused.

Every sequence ends with a run that must not pass; the runs before it must, or nothing is shown.
"""

import os
import signal
from collections.abc import Sequence
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import msgspec
import pytest
from veilmix.errors import RoundBurned
from veilmix.protocol.knowledge.transcript import Read
from veilmix.roles.network.instruments import Instrument
from veilmix.scenarios.lab.ledger.account import Account
from veilmix.scenarios.lab.ledger.book import key_of, opened, read
from veilmix.scenarios.lab.ledger.entry import NEVER_ENDED
from veilmix.scenarios.lab.ledger.keep import keep
from veilmix.scenarios.lab.ledger.people import crowd_of, fingerprints
from veilmix.scenarios.lab.play.fault_schedule import draw_faults
from veilmix.scenarios.lab.play.real import play_real
from veilmix.scenarios.lab.play.session_plan import SessionPlan
from veilmix.scenarios.lab.validation.load import check, resolve
from veilmix.scenarios.programs.interface import Played
from veilmix.scenarios.programs.registry import samples
from veilmix.scenarios.schema.model import Scenario

ALONE = "took part in other rounds than everybody else"
MORE = "columns more than in an earlier release"
UNSAID = "left unsaid"
COINS = "left blank with other coins"
COLUMNS = ("shoe", "sport", "town")
Row = tuple[str, ...]


def people(many: int) -> list[Row]:
    """Rows, no two of them the same; of each tenth person a value that is rare."""
    return [
        (str(30 + i // 6), f"sport {i % 6}", "Ur" if i % 20 == 7 else f"town {i % 2}")
        for i in range(many)
    ]


ALL = people(60)


def write(
    path: Path, rows: Sequence[Sequence[str]], columns: Sequence[str] = COLUMNS, end: str = ""
) -> Path:
    path.write_text("\n".join(",".join(row) for row in (columns, *rows)) + "\n" + end)
    return path


def scenario(source: Path | str, *keep: str, **switches: Any) -> Scenario:
    """Release columns of a file's people; `defence__min_dropout=1` is the key defence.min_dropout.

    gone: people who say nothing, by number from 1.
    """
    gone: Sequence[int] = switches.pop("gone", ())
    data: dict[str, Any] = {
        "scenario": {"name": "asked"},
        "population": {"source": str(source)},
        "policy": {"kind": "fixed", "k": 1, "max_exposure": 1.0, "keep": list(keep or ("sport",))},
        "fault": [{"attack": "absent", "by": f"user-{number}"} for number in gone],
    }
    for key, value in switches.items():
        table, _, inner = key.partition("__")
        data.setdefault(table, {})[inner] = value
    if data["policy"]["kind"] != "fixed":
        del data["policy"]["keep"]
    made = msgspec.convert(data, Scenario)
    check(made)
    return made


def play(
    book: Path, setting: Scenario, seed: int | None = 7, *watching: Instrument
) -> tuple[Played, Account]:
    """A session as `run` plays it, without what is worked out about it afterwards."""
    drawn = samples(setting, seed)
    chosen = resolve(setting, drawn.first, drawn.people.schema.names, drawn.round2_people)
    faults = draw_faults(chosen, drawn.people.n, seed)
    with opened(book) as ledger:
        plan = SessionPlan.from_scenario(chosen, drawn, faults)
        session = partial(play_real, plan, seed, watching, lambda _: None)
        return keep(ledger, setting, drawn, seed, session)


def passes(book: Path, setting: Scenario, seed: int | None = 7) -> Played:
    played, account = play(book, setting, seed)
    assert played.release is not None, played.burned
    assert account.refused is None
    return played


def refuses(book: Path, setting: Scenario, why: str, seed: int | None = 7) -> None:
    played, account = play(book, setting, seed)
    assert played.release is None
    assert why in (played.burned or "")
    assert account.refused == played.burned


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "people.csv", ALL)


# Combining: A and B share one person, whose row is T(all) - T(all less A) - T(all less B)
# + T(all less A and B)

A, B = range(1, 21), range(20, 40)


def test_a_tracker_of_four_sessions_is_refused(book: Path, file: Path) -> None:
    passes(book, scenario(file))
    passes(book, scenario(file, gone=A))
    refuses(book, scenario(file, gone=B), f"1 people {ALONE}")


def test_so_it_is_in_any_order(book: Path, file: Path) -> None:
    passes(book, scenario(file, gone=range(1, 40)))
    passes(book, scenario(file, gone=A))
    passes(book, scenario(file, gone=B))  # of number 20 nothing was counted yet
    refuses(book, scenario(file), f"1 people {ALONE}")


@pytest.mark.slow
def test_a_tracker_of_large_groups_tells_of_a_large_group(book: Path, file: Path) -> None:
    """A and B share ten: whatever is added and subtracted, nobody is among fewer."""
    b = range(11, 31)
    passes(book, scenario(file))
    passes(book, scenario(file, gone=A))
    passes(book, scenario(file, gone=b))
    passes(book, scenario(file, gone=range(1, 31)))


def test_the_largest_min_dropout_ever_asked_is_the_rule(book: Path, file: Path) -> None:
    """A session that asks for less does not get it."""
    passes(book, scenario(file))
    refuses(book, scenario(file, gone=[4], defence__min_dropout=1), f"1 people {ALONE}")


def test_so_is_one_that_was_asked_of_a_session_that_was_refused(book: Path, file: Path) -> None:
    passes(book, scenario(file, defence__min_dropout=1))
    refuses(book, scenario(file, gone=range(1, 6), defence__min_dropout=9), f"5 people {ALONE}")
    refuses(book, scenario(file, gone=range(1, 6), defence__min_dropout=1), f"5 people {ALONE}")


# The same people by another name


def test_a_sample_of_everybody_is_everybody(book: Path, tmp_path: Path) -> None:
    six = write(tmp_path / "six.csv", ALL[:6])
    passes(book, scenario(six, defence__min_dropout=2))
    less = scenario(six, population__users=6, gone=[3], population__source=str(six))
    refuses(book, less, f"1 people {ALONE}")


RENAMED: dict[str, Any] = {
    "a newline at its end": ({}, {"end": "\n"}, {}),
    "other quotes": ({"quoted": True}, {}, {}),
    "its rows in another order": ({"reverse": True}, {}, {}),
    "its columns in another order": ({"turn": True}, {}, {}),
    "another word for missing": ({}, {}, {"population__missing": "nothing"}),
    "another name": ({}, {}, {}),
    "our own names": ({}, {}, {"population__columns": {"sport": "sport", "size": "shoe"}}),
    "another seed": ({}, {}, {}),
}


@pytest.mark.parametrize("name", RENAMED)
def test_a_file_less_one_row_is_the_same_people_less_one(
    name: str, book: Path, file: Path, tmp_path: Path
) -> None:
    change, how, switches = RENAMED[name]
    rows, columns = [list(row) for row in ALL if row != ALL[40]], list(COLUMNS)
    if "reverse" in change:
        rows.reverse()
    if "turn" in change:
        rows, columns = [row[::-1] for row in rows], columns[::-1]
    if "quoted" in change:
        rows = [[f'"{cell}"' for cell in row] for row in rows]
    passes(book, scenario(file))
    other = write(tmp_path / "other.csv", rows, columns, **how)
    seed = 8 if name == "another seed" else 7
    refuses(book, scenario(other, **switches), f"1 people {ALONE}", seed)


@pytest.mark.slow
def test_an_empty_cell_is_empty_whatever_it_is_called(book: Path, tmp_path: Path) -> None:
    rows = [(*row[:2], "" if i in (5, 6, 7) else row[2]) for i, row in enumerate(ALL)]
    holes = write(tmp_path / "holes.csv", rows)
    passes(book, scenario(holes, population__missing="unknown"))
    refuses(book, scenario(holes, population__missing="?", gone=[2]), f"1 people {ALONE}")
    passes(book, scenario(holes, population__missing="not said"))
    refuses(book, scenario(holes, population__missing="drop-row"), f"3 people {ALONE}")


def test_two_samples_that_share_a_few_people_are_refused(book: Path, file: Path) -> None:
    passes(book, scenario(file, population__users=30), 7)
    refuses(book, scenario(file, population__users=20), ALONE, 9)


def test_people_alike_in_every_column_are_as_many_as_they_are(book: Path, tmp_path: Path) -> None:
    twins = write(tmp_path / "twins.csv", [("40", "chess", "Ur")] * 30)
    passes(book, scenario(twins))
    fewer = write(tmp_path / "fewer.csv", [("40", "chess", "Ur")] * 29)
    refuses(book, scenario(fewer), f"1 people {ALONE}")


def test_of_other_columns_nobody_can_tell_whose_they_are(book: Path, tmp_path: Path) -> None:
    passes(book, scenario(write(tmp_path / "people.csv", ALL)))
    wide = write(tmp_path / "wide.csv", [(*row, "x") for row in ALL], (*COLUMNS, "more"))
    refuses(book, scenario(wide), "the source has other columns (more)")
    wider = scenario(wide, policy__ledger="warn", policy__kind="all")
    assert any("other columns" in line for line in play(book, wider)[1].warnings)


def test_a_ledger_without_its_key_tells_no_row(book: Path, file: Path) -> None:
    passes(book, scenario(file))
    text = book.read_text()
    assert not any(value in text for row in ALL for value in row if value.startswith("town"))
    ours = set(fingerprints(COLUMNS, ALL, bytes.fromhex(key_of(book).read_text())))
    guessed = set(fingerprints(COLUMNS, ALL, bytes(32)))
    assert set(read(book)[0].people) == ours
    assert len(ours) == 60
    assert not ours & guessed


# Blanks


def blanks(source: Path, **switches: Any) -> Scenario:
    return scenario(
        source,
        **{"policy__kind": "local-suppression", "policy__k": 5, "policy__ledger": "refuse"}
        | switches,
    )


@pytest.mark.slow
def test_what_was_left_blank_is_not_named_afterwards(book: Path, file: Path) -> None:
    first = passes(book, blanks(file))
    assert first.decision is not None
    assert any(rule.values == ("Ur",) for rule in first.decision.hidden)  # type: ignore[union-attr]
    refuses(book, scenario(file, policy__kind="all"), UNSAID)
    refuses(book, scenario(file, "town"), UNSAID)
    refuses(book, scenario(file, "sport", policy__publish_marginals=True), "its counts would name")
    passes(book, scenario(file, "sport"))


@pytest.mark.slow
def test_a_cover_is_not_drawn_twice(book: Path, file: Path) -> None:
    first = passes(book, blanks(file), None)
    assert any(rule.cover for rule in first.decision.hidden)  # type: ignore[union-attr]
    for seed in (None, 7):
        refuses(book, blanks(file), COINS, seed)


@pytest.mark.slow
def test_the_same_draw_is_the_same_release(book: Path, file: Path) -> None:
    first, again = passes(book, blanks(file), 7), passes(book, blanks(file), 7)
    assert first.release == again.release
    refuses(book, blanks(file), COINS, 8)


@pytest.mark.slow
def test_everything_may_be_covered_that_is_known_already(book: Path, file: Path) -> None:
    passes(book, scenario(file, policy__kind="all"))
    passes(book, blanks(file), None)
    passes(book, blanks(file), None)


# Sessions that die


class Dying(Instrument):
    """Kills the process, as nobody can prevent, once somebody has read a batch."""

    def __init__(self, party: str) -> None:
        self.party = party

    def read(self, read: Read) -> None:
        if read.reader == self.party:
            os.kill(os.getpid(), signal.SIGKILL)


def _die(book: Path, setting: Scenario, party: str) -> None:
    play(book, setting, 7, Dying(party))


def killed(book: Path, setting: Scenario, party: str) -> None:
    """Play a run in a process of its own that does not survive this party's reading."""
    process = get_context("fork").Process(target=_die, args=(book, setting, party))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL


@pytest.mark.slow
def test_what_a_killed_session_released_is_released(book: Path, file: Path) -> None:
    killed(book, scenario(file, "sport", "shoe"), "analyst")
    (entry,) = read(book)
    assert entry.burned == NEVER_ENDED
    assert entry.columns == ("shoe", "sport")
    refuses(book, scenario(file, "town"), f"1 {MORE}")
    refuses(book, scenario(file, "sport", gone=[5]), f"1 people {ALONE}")
    passes(book, scenario(file, "shoe"))


@pytest.mark.slow
def test_what_a_killed_session_left_blank_is_not_named(book: Path, file: Path) -> None:
    killed(book, blanks(file), "analyst")
    refuses(book, scenario(file, policy__kind="all"), UNSAID)
    refuses(book, blanks(file), COINS, 8)


@pytest.mark.slow
def test_who_was_counted_by_a_killed_session_was_counted(book: Path, file: Path) -> None:
    """It died after round 1: nothing was released, but its people were counted."""
    killed(book, scenario(file, gone=A), "curator")
    (entry,) = read(book)
    assert entry.columns == ()
    assert entry.handed[0].missing == tuple(range(20))
    refuses(book, scenario(file, gone=range(1, 20)), f"1 people {ALONE}")
    passes(book, scenario(file, "town", gone=A))


def test_what_the_analyst_has_but_does_not_publish_is_released(
    book: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release that is burned by its reader has been read."""

    def burn(*_: Any, **__: Any) -> None:
        raise RoundBurned("found wanting")

    with monkeypatch.context() as patch:
        patch.setattr("veilmix.roles.analyst.publish", burn)
        assert play(book, scenario(file, "sport"))[0].burned == "found wanting"
    refuses(book, scenario(file, "town"), f"1 {MORE}")


def test_nothing_is_handed_on_that_cannot_be_written(
    book: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The release is on the disk before the analyst has it; if the disk is full, it has nothing."""
    seen: list[str] = []

    class Seeing(Instrument):
        def read(self, read: Read) -> None:
            seen.append(read.reader)

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("veilmix.scenarios.lab.ledger.book.Ledger.hand_on", full)
        with pytest.raises(OSError, match="No space"):
            play(book, scenario(file), 7, Seeing())
    assert seen == []


# What is useful passes


@pytest.mark.slow
def test_honest_sequences_pass(book: Path, file: Path, tmp_path: Path) -> None:
    passes(book, scenario(file, "sport", "shoe"))
    passes(book, scenario(file, "sport", "shoe"))  # the same question
    passes(book, scenario(file, "shoe"))  # a part of it
    others = write(tmp_path / "others.csv", [(*row[:2], f"{row[2]}, abroad") for row in ALL])
    others.write_text(others.read_text().replace(", abroad", " abroad"))
    passes(book, scenario(others, "town", "sport"))  # other people, other columns
    passes(book, scenario(file, "sport", gone=range(1, 16)))  # many have left
    both = write(tmp_path / "both.csv", [*ALL, *people(80)[60:]])
    passes(book, scenario(both, "sport"))  # many have come


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["exposure", "hierarchical", "local-suppression", "all"])
def test_every_program_may_be_run_again_on_the_same_people(
    kind: str, book: Path, tmp_path: Path
) -> None:
    """As it was: the curator asks the same groups again, and gets the same answers."""
    rows = [(f"shoe {i % 3}", f"sport {i % 2}", f"town {i // 15}") for i in range(60)]
    setting = scenario(
        write(tmp_path / "alike.csv", rows),
        policy__kind=kind,
        policy__k=5,
        policy__max_exposure=0.5,
    )
    first = passes(book, setting)
    assert passes(book, setting).release == first.release
    hierarchical = kind == "hierarchical"
    assert any(len(ask) > 1 for call in first.calls[:-1] for ask in call.asks) == hierarchical


def test_people_are_those_of_the_file_as_it_was_read(tmp_path: Path) -> None:
    file = write(tmp_path / "people.csv", ALL)
    setting = scenario(file, population__users=50)
    drawn = samples(setting, 7)
    before = crowd_of(setting, drawn, bytes(32))
    write(file, ALL[:20])
    assert crowd_of(setting, drawn, bytes(32)) == before

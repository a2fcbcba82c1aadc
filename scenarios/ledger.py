"""The ledger: who took part in which session, and what was released about them, from run to run.

    {"schema": 1, "entries": [...], "digest": "..."}

One file of JSON, an entry a session in the order in which they began, and the SHA-256 of the
entries: a file that was cut, mixed up or edited is not read. It is written whole, under a lock that
is held while a session is played: of two runs at a time the second waits for the first. An entry is
there before its session begins: one that never ends has counted everybody whom it asked.

A crowd is named by what draws it: its source (of a file, its content), how many people, and the
seed where anything is drawn. Two sessions of one crowd are about the same people, by index. Without
a seed a drawn crowd cannot be told from others, and each is new.

Only its owner may read it (mode 0600): it says who was missing.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import asdict
from msgspec.structs import replace as changed

from ..analysis.exposure import joint_counts, users_below
from ..errors import DataError, ParameterError, RoundBurned, StorageError
from ..protocol import parties
from ..protocol.ledger import History
from .model import Feature, Scenario
from .plainjson import pretty
from .populations import population
from .populations.build import offer, where
from .samples import Samples
from .wholefile import write_whole

if TYPE_CHECKING:
    from ..analysis.union import Together
    from .play import Played

SCHEMA = 1
PATIENCE = 10.0  # seconds to wait for another run that has the file
STEP = 0.05  # seconds between two looks
NEVER_ENDED = "the session never ended"


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One session. crowd: who was asked; people: how many, user-1 to user-n.

    missing: users, by index, who were not counted in round 1. counted: people counted in each
    round. columns, cells: the release, by the names of the source: its columns, and the people in
    each cell, fewest first; empty if there was none. burned: why it was not completed. k: the crowd
    that was promised.
    """

    scenario: str
    crowd: str
    people: int
    seed: int | None
    session: str = ""
    missing: tuple[int, ...] = ()
    counted: tuple[int, ...] = ()
    k: int
    columns: tuple[str, ...] = ()
    cells: tuple[int, ...] = ()
    burned: str | None = None

    @property
    def came(self) -> frozenset[str]:
        """The names of those who took part."""
        gone = set(self.missing)
        return frozenset(parties.user(i) for i in range(self.people) if i not in gone)


class Book(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole file."""

    schema: int
    entries: tuple[Entry, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class Account:
    """What the ledger says of the people of a run, the run included.

    sessions: of these people, so far. refused: why this one was. warnings: what would have been a
    reason to refuse it. releases: the columns of each release. together: bounds on the exposure on
    all of them together, from the cells alone, for k; None if fewer than two releases are of the
    same number of people. exposed: how many really are; the laboratory knows.
    """

    sessions: int
    refused: str | None
    warnings: tuple[str, ...]
    releases: tuple[tuple[str, ...], ...]
    k: int
    together: "Together | None" = None
    exposed: int | None = None

    def plain(self) -> dict[str, Any]:
        """As it stands in result.json."""
        both = self.together
        return {
            "sessions": self.sessions,
            "refused": self.refused,
            "warnings": list(self.warnings),
            "releases": [list(one) for one in self.releases],
            "union": None
            if both is None
            else {
                "k": both.k,
                "people": both.n,
                "at_least": both.low,
                "at_most": both.high,
                "true": self.exposed,
            },
        }


@dataclass(slots=True)
class Ledger:
    """An open ledger file: what it says, and what is added to it."""

    path: Path
    entries: list[Entry] = field(default_factory=list)

    def of(self, crowd: str) -> list[Entry]:
        """The sessions of a crowd."""
        return [one for one in self.entries if one.crowd == crowd]

    def begin(self, entry: Entry) -> None:
        """Note a session before it is played, as one that never ended."""
        self.entries.append(changed(entry, burned=NEVER_ENDED))
        self._write()

    def end(self, entry: Entry) -> None:
        """Say how the last session ended."""
        self.entries[-1] = entry
        self._write()

    def _write(self) -> None:
        entries = [asdict(one) for one in self.entries]
        book = {"schema": SCHEMA, "entries": entries, "digest": _digest(entries)}
        write_whole(self.path, pretty(book), force=True, private=True)


def _digest(entries: Sequence[dict[str, Any]]) -> str:
    text = json.dumps(entries, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


@contextmanager
def opened(path: Path, patience: float = PATIENCE) -> Iterator[Ledger]:
    """Open a ledger, and keep others out until it is closed. A file that is not there is begun.

    StorageError if it is damaged, or another run keeps it for longer than `patience` seconds.
    """
    with _locked(path, patience):
        yield Ledger(path, list(read(path)))


@contextmanager
def _locked(path: Path, patience: float) -> Iterator[None]:
    import fcntl

    lock = path.with_name(f".{path.name}.lock")
    try:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as bad:
        raise StorageError(f"{lock}: cannot be written: {bad.strerror}") from None
    try:
        until = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise StorageError(
                        f"{path}: another run has it, for more than {patience:g} seconds; wait "
                        "until that has ended"
                    ) from None
                time.sleep(STEP)
        yield
    finally:
        os.close(handle)


def read(path: Path) -> tuple[Entry, ...]:
    """Read a ledger; () if there is none. StorageError, which says what is wrong with it."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return ()
    except OSError as bad:
        raise StorageError(f"{path}: cannot be read: {bad.strerror}") from None
    try:
        book = msgspec.json.decode(data, type=Book)
    except (msgspec.DecodeError, UnicodeDecodeError) as bad:
        raise _damaged(path, f"no ledger: {bad}") from None
    if book.schema != SCHEMA:
        raise StorageError(f"{path}: schema {book.schema}; this version reads {SCHEMA}")
    for number, entry in enumerate(book.entries, start=1):
        if wrong := _wrong(entry):
            raise _damaged(path, f"entry {number}: {wrong}")
    if _digest([asdict(one) for one in book.entries]) != book.digest:
        raise _damaged(path, "its entries are not those that were written")
    return book.entries


def _damaged(path: Path, what: str) -> StorageError:
    return StorageError(
        f"{path}: {what}; without it nobody can tell what may still be released about whom: put "
        "back a copy, or name a new file and release nothing about the same people"
    )


def _wrong(entry: Entry) -> str | None:
    if entry.people < 1:
        return f"people: found {entry.people}; at least 1 is accepted"
    if list(entry.missing) != sorted({i for i in entry.missing if 0 <= i < entry.people}):
        return f"missing: not ascending indices below {entry.people}"
    if bool(entry.cells) != bool(entry.columns) or list(entry.cells) != sorted(entry.cells):
        return "cells: not the people of a release, fewest first"
    if any(one < 1 for one in entry.cells) or sum(entry.cells) > entry.people:
        return f"cells: not of at most {entry.people} people"
    return None


def crowd_of(scenario: Scenario, seed: int | None) -> str:
    """Name the people whom a scenario asks: equal for the same people, whatever they are asked."""
    section = scenario.population
    source = section.source
    there = offer(section)
    if not source.startswith("builtin:"):
        source = hashlib.sha256(where(section).read_bytes()).hexdigest()
    drawn = there.generated or section.users is not None or section.setting != "fixed"
    shape: object = None
    if section.missing == "drop-row" or there.columns is None:
        shape = msgspec.to_builtins(scenario.feature)
    what = [
        source, section.users, section.round2_users, section.missing, section.setting, shape,
        (token_hex(16) if seed is None else seed) if drawn else None,
    ]  # fmt: skip
    text = json.dumps(what, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def history(past: Sequence[Entry], scenario: Scenario, names: Sequence[str]) -> History:
    """What the first shuffler is to remember of earlier sessions of the same people.

    names: of the features, in their order. If the policy only warns, it refuses nothing.
    """
    refuse = scenario.policy.ledger == "refuse"
    theirs = [_theirs(scenario, name) for name in names]
    releases = [
        frozenset(theirs.index(one) for one in entry.columns if one in theirs)
        for entry in past
        if entry.columns
    ]
    return History([entry.came for entry in past], releases, burn=refuse, union=refuse)


def _theirs(scenario: Scenario, name: str) -> str:
    """What the source calls a feature."""
    return scenario.population.columns.get(name, name)


def warnings(past: Sequence[Entry], now: Entry, least: int) -> tuple[str, ...]:
    """What a first shuffler that refuses would have refused of this session."""
    found = []
    memory = History([one.came for one in past], [], burn=True)
    try:
        memory.take_part(now.came, least, first=True)
    except RoundBurned as why:
        found.append(str(why))
    for one in past:
        more = set(now.columns) - set(one.columns)
        if one.columns and more:
            found.append(
                f"{', '.join(sorted(more))}: released besides {', '.join(one.columns)}, which were "
                f"released about these people by the scenario {one.scenario}"
            )
    return tuple(found)


def account(
    past: Sequence[Entry], now: Entry, scenario: Scenario, crowd: Samples, seed: int | None
) -> Account:
    """What is to be said of a session and those before it. crowd: the people, for the truth."""
    every = [*past, now]
    released = [one for one in every if one.columns]
    distinct = list({one.columns: one for one in released}.values())
    warned = warnings(past, now, scenario.defence.min_dropout) if now.burned is None else ()
    both = _together([one.cells for one in distinct], now.k)
    columns = tuple(dict.fromkeys(name for one in distinct for name in one.columns))
    exposed = _true(columns, scenario, crowd, seed, now.k) if both else None
    refused = now.burned if now.burned and past else None
    shown = tuple(one.columns for one in released)
    return Account(len(every), refused, warned, shown, now.k, both, exposed)


def _together(cells: Sequence[Sequence[int]], k: int) -> "Together | None":
    """The bounds, where there are several releases of the same number of people."""
    if len(cells) < 2 or len({sum(one) for one in cells}) > 1:
        return None
    from ..analysis.union import together

    return together(cells, k)


def _true(
    columns: Sequence[str], scenario: Scenario, crowd: Samples, seed: int | None, k: int
) -> int | None:
    """People really exposed on these columns of the source; None if it has not all of them."""
    names = [_theirs(scenario, name) for name in crowd.people.schema.names]
    if set(columns) <= set(names):
        table, places = crowd.people.codes, [names.index(one) for one in columns]
    else:
        asked = tuple(Feature(name=one) for one in columns)
        try:
            section = changed(scenario.population, columns={})
            everybody = population(section, asked, seed)
        except (DataError, ParameterError):
            return None
        if everybody.n != crowd.people.n:
            return None
        table, places = everybody.codes, list(range(len(columns)))
    return int(users_below(joint_counts(table, places), k))


def check_suited(scenario: Scenario, mode: str) -> None:
    """DataError if a run of this scenario keeps no ledger."""
    from .local import RANDOMIZED

    if mode != "real" or scenario.mix.peers:
        here = "a mix of peers" if scenario.mix.peers else "an ideal run"
        raise DataError(f"--ledger: the first shuffler keeps it, and {here} has none")
    if scenario.policy.kind in RANDOMIZED or scenario.population.setting != "fixed":
        raise DataError(
            "--ledger: it holds releases about the same people; this scenario asks other people "
            'in round 2, or releases reports with noise (setting = "fixed" and a kind that '
            "releases values are accepted)"
        )


def keep(
    ledger: Ledger,
    scenario: Scenario,
    crowd: Samples,
    seed: int | None,
    play: Callable[[History], "Played"],
) -> tuple["Played", Account]:
    """Play a session that the ledger knows of before it begins, and note how it ended."""
    names = crowd.people.schema.names
    who = crowd_of(scenario, seed)
    past = ledger.of(who)
    memory = history(past, scenario, names)
    entry = Entry(
        scenario=scenario.scenario.name,
        crowd=who,
        people=crowd.people.n,
        seed=seed,
        k=scenario.policy.k,
    )
    ledger.begin(entry)
    played = play(memory)
    came = memory.sessions[-1] if len(memory.sessions) > len(past) else frozenset()
    columns = played.decision.kept if played.decision and played.release is not None else ()
    ended = changed(
        entry,
        session=played.digest.hex(),
        missing=tuple(i for i in range(crowd.people.n) if parties.user(i) not in came),
        counted=tuple(max(sum(one.values()) for one in tally) for tally in played.tallies),
        columns=tuple(_theirs(scenario, names[one]) for one in columns),
        cells=tuple(sorted((played.release or {}).values())) if columns else (),
        burned=played.burned,
    )
    ledger.end(ended)
    return played, account(past, ended, scenario, crowd, seed)

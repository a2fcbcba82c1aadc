"""What a place does in a session: the board is kept, a party plays its role, people answer."""

import csv
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import trio

from ...crypto.entropy import Entropy
from ...crypto.identity import Identity
from ...errors import DataError, ParameterError
from ...machines.journal import Durable, memory_folder
from ...machines.remote import RemoteNetwork
from ...machines.service import Log, Site, run_board, run_party
from ...protocol.board import Board
from ...protocol.phases import BOARD
from ...roles.session import PEOPLE, Cast, make_key, only, perform
from ..play.announcement import announced_policy, announced_rules
from ..programs.registry import strategy, wire
from .file import SessionFile

Rows = Sequence[Sequence[str]]


def site(
    session: SessionFile, name: str, own: Identity, log: Log, durable: Durable, folder: Path
) -> Site:
    """Give a place of a session; ParameterError unless it is there, and this its identity.

    folder: where a journal on disk is.
    """
    if name not in session.identities:
        accepted = ", ".join(session.identities)
        raise ParameterError(f"place: found {name!r}; this session has {accepted}")
    if own.public != session.identities[name]:
        raise ParameterError(
            f"the key file holds {own.public.name}, {own.public.fingerprint}; the session file "
            f"says that {name} is {session.identities[name].fingerprint}"
        )
    where = memory_folder() if durable is Durable.TMPFS else folder
    journal = where / f"veilmix-{name}-{session.roster.opening.hex()[:12]}.journal"
    return Site(name, own, session.directory, session.roster, log, durable, journal)


def keep_board(place: Site, linger: float) -> Board:
    """Keep the board until the session is over."""
    return _run(partial(run_board, place, linger))


def take_part(session: SessionFile, place: Site, rows: Rows = ()) -> Board:
    """Play a keyholder, or the people of a place who answer `rows`, to the end of the session."""
    users = session.directory.places[place.name].users
    if len(rows) != len(users):
        raise ParameterError(
            f"{place.name} speaks for {len(users)} people; found {len(rows)} answers"
        )
    who = {PEOPLE} if users else {place.name}

    async def role(network: RemoteNetwork, entropy: Entropy) -> None:
        cast = _cast(session, entropy, users, rows)
        cast = replace(cast, identities={place.name: place.own.signer})
        await perform(cast, network, who, (), partial(make_key, cast))

    return _run(partial(run_party, place, role))


def _run(live: Callable[[], Any]) -> Board:
    try:
        found: Board = trio.run(live)
    except BaseExceptionGroup as group:
        raise only(group) from None
    return found


def _cast(session: SessionFile, entropy: Entropy, users: range, rows: Rows) -> Cast:
    scenario = session.scenario
    return Cast(
        scenario.scenario.name,
        session.schema,
        announced_policy(scenario),
        announced_rules(scenario),
        scenario.mix.suite,
        scenario.mix.shufflers,
        users.stop,
        lambda index: rows[index - users.start],
        strategy(scenario),
        entropy,
        program=wire(scenario),
        first=users.start,
    )


def read_answers(path: Path, session: SessionFile) -> Rows:
    """Read the answers of people from a CSV file with a header; DataError if one is none."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            table = list(csv.DictReader(lines))
    except (OSError, UnicodeDecodeError, csv.Error) as bad:
        raise DataError(f"{path}: cannot be read as CSV in UTF-8: {bad}") from None
    rows = []
    for number, line in enumerate(table, start=2):
        rows.append(check_answer(line, session, f"{path}:{number}"))
    return rows


def check_answer(said: Mapping[str, Any], session: SessionFile, where: str) -> Sequence[str]:
    """Give one person's values in the order of the features; DataError, naming no other value."""
    row = []
    for feature in session.schema.features:
        value, domain = said.get(feature.name), feature.values or ()
        if value not in domain:
            raise DataError(
                f"{where}: {feature.name}: found {value!r:.60}; {', '.join(domain)} are accepted"
            )
        row.append(str(value))
    return row


def released(board: Board, names: Collection[str]) -> Mapping[tuple[str, ...], int] | None:
    """The counts that a session has released; None if it has released none."""
    if board.burned is not None or board.decision is None or not board.decision.kept:
        return None
    if len(board.tallies) < len(board.calls) or board.tallies[-1].counts is None:
        return None
    assert len(names) > max(board.decision.kept)  # noqa: S101 - the board has checked it
    return board.tallies[-1].counts[0]


def places_to_serve(session: SessionFile) -> tuple[str, ...]:
    """The places that listen."""
    return (BOARD, *session.shufflers, "curator", "analyst")

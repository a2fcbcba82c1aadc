"""The session file: what is asked, what is promised, and who is where. Everybody has the same.

    title = "canteen"

    [[feature]]
    name = "meals"
    values = ["meat", "fish", "plants"]

    [policy]            as in a scenario
    [mix]               as in a scenario, without `shufflers` and `suite = "textbook"`
    [defence]           as in a scenario: min_dropout

    [place.board]       also curator, analyst, shuffler-1, shuffler-2, ...
    address = "192.0.2.1:8440"
    identity = "board.pub.toml"

    [place.hall]        any other name: people
    identity = "hall.pub.toml"
    users = [1, 30]     it speaks for user-1 to user-30

Paths start from the file's folder. Who has another file, if only by a space, is in another session:
the hash of the file is in every signature (its opening).
"""

import tomllib
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from ...crypto.identity import PublicIdentity
from ...errors import ParameterError, ScenarioError, StorageError
from ...machines.directory import Directory, Place
from ...protocol import parties
from ...protocol.messages import OPENING, Roster
from ...protocol.phases import BOARD
from ...protocol.schema import Feature as Column
from ...protocol.schema import Schema
from ..programs.registry import program_of
from ..programs.topology import topology_of
from ..records.identity_files import read_known
from ..schema.model import About, Defence, Feature, Mix, Policy, Population, Scenario

LABEL = b"veilmix.session"  # BLAKE2b personalisation
LARGEST = 1 << 20  # bytes
KEYHOLDERS = (parties.CURATOR, parties.ANALYST)


class PlaceTable(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """[place.NAME]: where a place is, and who it is. users: the first and last it speaks for."""

    identity: str
    address: str | None = None
    users: tuple[Annotated[int, Meta(ge=1)], Annotated[int, Meta(ge=1)]] | None = None


class SessionTable(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole file."""

    title: Annotated[str, Meta(min_length=1, max_length=80)]
    feature: Annotated[tuple[Feature, ...], Meta(min_length=1)]
    place: dict[str, PlaceTable]
    policy: Policy = Policy()
    mix: Mix = Mix()
    defence: Defence = Defence()


@dataclass(frozen=True, slots=True)
class SessionFile:
    """A session, ready to take part in. scenario: what is asked and promised, of nobody yet."""

    scenario: Scenario
    schema: Schema
    directory: Directory
    roster: Roster
    identities: dict[str, PublicIdentity]

    @property
    def shufflers(self) -> tuple[str, ...]:
        """The shufflers, in the order of their hops."""
        return hops(self.identities)


def hops(names: object) -> tuple[str, ...]:
    """The shufflers among some names, in the order of their hops."""
    found = [one for one in names if one.startswith("shuffler-")]  # type: ignore[attr-defined]
    return tuple(sorted(found, key=parties.index))


def read_session(path: Path) -> SessionFile:
    """Read a session file, and the public identities that it names.

    Raises:
        ScenarioError: what is wrong with it, in lines.
        StorageError: it, or an identity, cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError as bad:
        raise StorageError(f"{path}: cannot be read: {bad.strerror or bad}") from None
    if len(data) > LARGEST:
        raise StorageError(f"{path}: larger than {LARGEST:,} bytes, so no session file")
    try:
        table = msgspec.convert(tomllib.loads(data.decode()), SessionTable)
    except (ValueError, msgspec.ValidationError) as wrong:
        raise ScenarioError([f"{path}: {wrong}"]) from None
    try:
        return _session(table, path, blake2b(data, digest_size=OPENING, person=LABEL).digest())
    except ParameterError as wrong:
        raise ScenarioError([f"{path}: {wrong}"]) from None


def _session(table: SessionTable, path: Path, opening: bytes) -> SessionFile:
    missing = [one for one in (BOARD, *KEYHOLDERS, "shuffler-1") if one not in table.place]
    if missing:
        raise ParameterError(f"place: {', '.join(missing)} missing; every session has them")
    identities = {name: _identity(path, name, one) for name, one in table.place.items()}
    places = {name: _place(name, one, identities[name]) for name, one in table.place.items()}
    found = hops(table.place)
    if [parties.shuffler(hop + 1) for hop in range(len(found))] != list(found):
        raise ParameterError(
            f"place: found {', '.join(found)}; shufflers count from 1, none left out"
        )
    if len({one.certificate for one in identities.values()}) < len(identities):
        raise ParameterError("place: two places have the same identity; each needs its own")
    _check_users(places)
    board, curator, analyst, *keys = (identities[name].key for name in (BOARD, *KEYHOLDERS, *found))
    roster = Roster(opening, board, curator, analyst, tuple(keys))
    scenario = _scenario(table, len(found))
    columns = tuple(_column(one) for one in table.feature)
    return SessionFile(scenario, Schema(columns), Directory(places), roster, identities)


def _identity(path: Path, name: str, one: PlaceTable) -> PublicIdentity:
    known = read_known(path.parent / one.identity)
    if len(known) != 1:
        raise ParameterError(f"place.{name}.identity: {one.identity} holds {len(known)} identities")
    (found,) = known.values()
    if not found.certificate:
        raise ParameterError(f"place.{name}.identity: {one.identity} holds no certificate")
    return found


def _place(name: str, one: PlaceTable, identity: PublicIdentity) -> Place:
    party = name in (BOARD, *KEYHOLDERS) or name.startswith("shuffler-")
    if party != (one.address is not None) or party == (one.users is not None):
        raise ParameterError(
            f"place.{name}: board, curator, analyst and shufflers have an address, others `users`"
        )
    if one.users is not None:
        first, last = one.users
        return Place(name, identity.certificate, users=range(first - 1, last))
    host, _, port = (one.address or "").rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise ParameterError(f"place.{name}.address: found {one.address!r}; HOST:PORT is accepted")
    return Place(name, identity.certificate, host.strip("[]"), int(port))


def _check_users(places: dict[str, Place]) -> None:
    """ParameterError if two places speak for one person, or none for anybody."""
    seen: set[int] = set()
    for name, place in places.items():
        if len(place.users) > 1_000_000 or not seen.isdisjoint(place.users):
            raise ParameterError(f"place.{name}.users: others speak for some of them, or too many")
        seen |= set(place.users)
    if not seen:
        raise ParameterError("place: nobody takes part; a place with `users` is needed")


def _scenario(table: SessionTable, shufflers: int) -> Scenario:
    """The scenario that this would be, whose people nobody has."""
    mix = msgspec.structs.replace(table.mix, shufflers=shufflers)
    if mix.lesson:
        raise ParameterError("mix.lesson: what is only for a lesson is not played with people")
    asked = table.defence
    if asked.registered or asked.receipts or asked.tokens or asked.challenge:
        raise ParameterError(
            "defence: registered, receipts, tokens and challenge cannot be had between machines yet"
        )
    found = Scenario(
        scenario=About(name=table.title),
        population=Population(source="session"),
        feature=table.feature,
        mix=mix,
        policy=table.policy,
        defence=table.defence,
    )
    if topology_of(found).untold or program_of(found).reports:
        raise ParameterError(
            f"policy.kind: found {table.policy.kind!r}; between machines values are asked for as "
            "they are, by a curator"
        )
    return found


def _column(one: Feature) -> Column:
    if one.values is None:
        raise ParameterError(f"feature {one.name}: values are needed: nobody has data to look at")
    return Column(one.name, one.values)

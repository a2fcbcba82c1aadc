"""The session file: features, promises, and addresses of parties. All parties have the same file.

    title = "canteen"

    [[feature]]         as in a scenario; rules for coarser values may not depend on data
    name = "meals"
    values = ["meat", "fish", "plants"]

    [policy]            as in a scenario
    [local]             as in a scenario: noise before sealing, with policy.kind = "histogram"
    [mix]               as in a scenario, without `shufflers` and `suite = "textbook"`; with
                        `kind = "verified"` every step is proved (docs/verified.md)
    [defence]           as in a scenario: min_dropout, receipts, registered, tokens, challenge,
                        balance, recompute

    [place.board]       also curator, analyst, shuffler-1, shuffler-2, ...
    address = "192.0.2.1:8440"
    identity = "board.pub.toml"

    [place.hall]        any other name: people
    identity = "hall.pub.toml"
    users = [1, 30]     it speaks for user-1 to user-30
    people = "hall.people.toml"       the keys that they sign by; with them `registered` is on,
                                      unless the file says false
    address = "192.0.2.7:8450"        with `tokens`: where these come to

At shuffler-1 and the curator `ledger = "people.json.head.toml"` shows the head (signed digest) of
the ledger that the place keeps (ledger_heads.py): every place checks that the two do not contradict
each other. Paths start from the file's folder. A file that differs by a space alone is of another
session: the hash of the file is in every signature (its opening).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import asdict

from ...crypto.identity import PublicIdentity
from ...errors import DataError, ParameterError, ScenarioError, UnknownParty
from ...machines.directory import Directory, SessionPlace, parse_address
from ...protocol.board.phases import BOARD
from ...protocol.wire import parties
from ...protocol.wire.messages import OPENING, Registry, Roster
from ...protocol.wire.schema import Schema
from ...strict_text import Unreadable, from_toml
from ..attacks.catalogue.guard import value_at
from ..attacks.catalogue.registry import GUARDS
from ..lab.play.verified_mix import check_answers
from ..lab.validation.verified_mix import submitted_once, verified
from ..populations.facts import ScenarioFacts
from ..programs.capability import AnswerKind
from ..programs.people_source import SetPopulation
from ..programs.randomized.check import unannounced, undrawable
from ..programs.registry import answers_for, program_of
from ..programs.topology import topology_of
from ..records.identity_files import read_known
from ..schema.model import (
    About,
    Defence,
    FeatureSection,
    Local,
    Mix,
    Policy,
    PopulationSection,
    Scenario,
)
from ..schema.parties import PartyNames
from ..serialization.bounded_file import read_bounded
from .features import column_of
from .ledger_heads import LedgerHead, read_heads
from .people_keys import read_people

LABEL = b"veilmix.session"  # BLAKE2b personalisation
LARGEST = 1 << 20  # bytes: larger session files are refused
KEYHOLDERS = (parties.CURATOR, parties.ANALYST)
SERVED = PartyNames((BOARD, *KEYHOLDERS), {parties.Role.SHUFFLER.value: None})
NEEDED = (*SERVED.single, parties.shuffler(1))
OBSERVED = (
    "min_dropout",
    "receipts",
    "registered",
    "tokens",
    "challenge",
    "balance",
    "recompute",
)


class PlaceTable(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [place.NAME] of a session file: address and identity of a machine.

    Attributes:
        identity: the file of its identity.
        address: HOST:PORT, where it listens; None: it only connects to other places.
        people: the file of the keys of its users.
        ledger: the file of the head of the ledger that it keeps; None: the file shows no head.
        users: the first and last user it answers for.
    """

    identity: str
    address: str | None = None
    people: str | None = None
    ledger: str | None = None
    users: tuple[Annotated[int, Meta(ge=1)], Annotated[int, Meta(ge=1)]] | None = None


class SessionTable(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The content of a session file, as TOML gives it, before it is checked.

    Attributes:
        title: the name of the session.
        feature: the features that people are asked for.
        place: by name.
        policy: the promise.
        local: the noise that people add.
        mix: the way of the messages.
        defence: the guards.
    """

    title: Annotated[str, Meta(min_length=1, max_length=80)]
    feature: Annotated[tuple[FeatureSection, ...], Meta(min_length=1)]
    place: dict[str, PlaceTable]
    policy: Policy = Policy()
    local: Local = Local()
    mix: Mix = Mix()
    defence: Defence = Defence()


@dataclass(frozen=True, slots=True)
class SessionFile:
    """A checked session file: all that a party needs to take part in the session.

    Attributes:
        scenario: the session's features and promises, without people so far.
        schema: the features that people are asked for.
        directory: the address of each party.
        roster: the keys of the parties that sign.
        identities: the public identity of each party, by name.
        registry: the users that may send; None: all users in the directory.
        heads: the heads of the ledgers that places keep, by place.
    """

    scenario: Scenario
    schema: Schema
    directory: Directory
    roster: Roster
    identities: dict[str, PublicIdentity]
    registry: Registry | None = None
    heads: Mapping[str, LedgerHead] = field(default_factory=dict)

    @property
    def shufflers(self) -> tuple[str, ...]:
        """The shufflers, in the order of their hops."""
        return hops(self.identities)


def hops(names: object) -> tuple[str, ...]:
    """Return the shufflers among some names, in the order of their hops."""
    shufflers = [name for name in names if name.startswith("shuffler-")]  # type: ignore[attr-defined]
    return tuple(sorted(shufflers, key=parties.index))


def read_session(path: Path) -> SessionFile:
    """Return a checked session file, with the public identities that it names.

    Raises:
        ScenarioError: the file is wrong; its lines say where and why.
        StorageError: the file, or an identity, cannot be read.
    """
    data = read_bounded(path, LARGEST, "session file")
    try:
        table = from_toml(data, SessionTable)
    except Unreadable as bad:
        raise ScenarioError([f"{path}:{bad.line}: {bad.why}"]) from None
    try:
        return _session(table, path, blake2b(data, digest_size=OPENING, person=LABEL).digest())
    except ParameterError as wrong:
        raise ScenarioError([f"{path}: {wrong}"]) from None


def _session(table: SessionTable, path: Path, opening: bytes) -> SessionFile:
    """Return the checked session of a parsed file. opening: the hash of the file.

    Raises ParameterError at the first mistake.
    """
    check_names({name: place.users is not None for name, place in table.place.items()})
    identities = {name: _identity(path, name, place) for name, place in table.place.items()}
    places = {name: _place(name, place, identities[name]) for name, place in table.place.items()}
    shufflers = hops(table.place)
    if [parties.shuffler(hop + 1) for hop in range(len(shufflers))] != list(shufflers):
        raise ParameterError(
            f"place: found {', '.join(shufflers)}; shufflers count from 1, none left out"
        )
    if len({identity.certificate for identity in identities.values()}) < len(identities):
        raise ParameterError("place: two places have the same identity; each needs its own")
    scenario = _scenario(table, len(shufflers))
    _check_users(places)
    _check_listening(scenario, places)
    registry = _registry(table, path, identities) if scenario.registered else None
    board, curator, analyst, *keys = (
        identities[name].key for name in (BOARD, *KEYHOLDERS, *shufflers)
    )
    roster = Roster(opening, board, curator, analyst, tuple(keys))
    schema = Schema(tuple(column_of(feature, path.parent) for feature in table.feature))
    _check_lengths(scenario, schema)
    ledger_files = {name: place.ledger for name, place in table.place.items() if place.ledger}
    heads = read_heads(path, ledger_files, identities)
    return SessionFile(scenario, schema, Directory(places), roster, identities, registry, heads)


def _identity(path: Path, name: str, place: PlaceTable) -> PublicIdentity:
    """Return the public identity of a place, from the file that its table names.

    Raises ParameterError unless that file has a single identity with a certificate.
    """
    identities = read_known(path.parent / place.identity)
    if len(identities) != 1:
        raise ParameterError(
            f"place.{name}.identity: {place.identity} holds {len(identities)} identities"
        )
    (identity,) = identities.values()
    if not identity.certificate:
        raise ParameterError(f"place.{name}.identity: {place.identity} holds no certificate")
    return identity


def _place(name: str, place: PlaceTable, identity: PublicIdentity) -> SessionPlace:
    """Return the address and the users of a place, with its certificate.

    Raises ParameterError if a party that must listen has no address.
    """
    if name in SERVED and place.address is None:
        raise ParameterError(
            f"place.{name}: address missing; board, curator, analyst and shufflers listen"
        )
    users = range(0) if place.users is None else range(place.users[0] - 1, place.users[1])
    if place.address is None:
        return SessionPlace(name, identity.certificate, users=users)
    host, port = parse_address(place.address, f"place.{name}.address")
    return SessionPlace(name, identity.certificate, host, port, users)


def _check_users(places: dict[str, SessionPlace]) -> None:
    """Raise ParameterError if two places answer for the same user, or no place answers for any."""
    claimed_users: set[int] = set()
    for name, place in places.items():
        if len(place.users) > 1_000_000 or not claimed_users.isdisjoint(place.users):
            raise ParameterError(
                f"place.{name}.users: overlap with another place, or are more than 1,000,000"
            )
        claimed_users |= set(place.users)
    if not claimed_users:
        raise ParameterError(
            "place: no place has `users`; at least one is needed, which answers for people"
        )


def _scenario(table: SessionTable, shufflers: int) -> Scenario:
    """Return the scenario of this session, without people. shufflers: their number.

    Raises ParameterError for a setting that a session between machines does not support.
    """
    mix = msgspec.structs.replace(table.mix, shufflers=shufflers)
    if mix.lesson:
        raise ParameterError(
            "mix.lesson: allowed in simulations only; remove it for real participants"
        )
    _check_defence(table.defence)
    scenario = Scenario(
        scenario=About(name=table.title),
        population=PopulationSection(source="session"),
        feature=table.feature,
        mix=mix,
        policy=table.policy,
        local=table.local,
        defence=_defence(table),
    )
    if topology_of(scenario).untold:
        raise ParameterError(
            "mix.peers: peers post all they say on one board, to which a session between machines "
            "has no way yet; play them in one process: veilmix run"
        )
    _check_noise(scenario)
    _check_wanted(scenario)
    for wrong in (*verified(scenario, ScenarioFacts()), *submitted_once(scenario, ScenarioFacts())):
        raise ParameterError(wrong.line())
    return scenario


def _defence(table: SessionTable) -> Defence:
    """Return the countermeasures.

    `registered` is on if the file names keys, unless it says otherwise.
    """
    named = any(place.people is not None for place in table.place.values())
    registered = table.defence.registers(possible=named)
    return msgspec.structs.replace(table.defence, registered=registered)


def _check_defence(defence: Defence) -> None:
    """Raise ParameterError for a `[defence]` setting that is fixed between machines."""
    defaults = asdict(Defence())
    unsupported_keys = [
        name
        for name, value in asdict(defence).items()
        if name not in OBSERVED and value != defaults[name]
    ]
    if unsupported_keys:
        raise ParameterError(
            f"defence: {', '.join(unsupported_keys)}: these are on in every session between "
            "machines, or "
            f"need a memory that no party there has; {', '.join(OBSERVED)} can be set"
        )


def _check_wanted(scenario: Scenario) -> None:
    """Raise ParameterError if a guard lacks a setting that it needs."""
    for guard in GUARDS.values():
        for requirement in guard.wanted if guard.is_on(scenario) else ():
            if value_at(scenario, requirement.key) != requirement.value:
                raise ParameterError(f"{guard.key}: {requirement.message}")


def _check_noise(scenario: Scenario) -> None:
    """Raise ParameterError unless local noise and release program fit together, as in a scenario.

    Programs without a form between machines are refused as well. programs/randomized/check.py has
    the same rule for scenarios.
    """
    program, local = program_of(scenario), scenario.local
    if program.capability(SetPopulation):
        raise ParameterError(
            f"policy.kind: found {scenario.policy.kind!r}: sets of places are read from a table of "
            "all people, which no machine has here; run it in one process: veilmix run"
        )
    if answers_for(program) is AnswerKind.OPENED:
        raise ParameterError(
            f"policy.kind: found {scenario.policy.kind!r}: it needs the party `randomness`, which "
            "has no place between machines; play it in one process: veilmix run"
        )
    for name, message in unannounced(scenario):
        raise ParameterError(f"feature {name}: {message}")
    if wrong := undrawable(scenario):
        raise ParameterError(f"local.features: {wrong}")
    noisy = answers_for(program) is AnswerKind.REPORTS
    if noisy != (local.mechanism != "none") or noisy != bool(local.epsilon):
        raise ParameterError(
            'local: mechanism and epsilon belong to policy.kind = "histogram", and it needs both'
        )


def _check_lengths(scenario: Scenario, schema: Schema) -> None:
    """Raise ParameterError if an answer may be too long for a ballot of a verified mix."""
    try:
        check_answers(scenario, schema)
    except DataError as wrong:
        raise ParameterError(str(wrong)) from None


def _check_listening(scenario: Scenario, places: dict[str, SessionPlace]) -> None:
    """Raise ParameterError if tokens would come to people at a place without an address."""
    deaf = [name for name, place in places.items() if place.users and not place.port]
    if scenario.defence.tokens and deaf:
        raise ParameterError(
            f"place.{deaf[0]}: address missing; with `tokens` people are answered, so they listen"
        )


def _registry(
    table: SessionTable, path: Path, identities: dict[str, PublicIdentity]
) -> Registry | None:
    """Return the registered keys of all users, in the order of their numbers.

    Raises ParameterError if the keys of a place are missing, or do not fit its users.
    """
    every: list[bytes] = []
    halls = [(place.users, name) for name, place in table.place.items() if place.users is not None]
    for (first, last), name in sorted(halls):
        file = table.place[name].people
        if file is None:
            raise ParameterError(
                f"place.{name}: people missing; with `registered` their keys are known beforehand: "
                f"veilmix keys {name} --people {last - first + 1}"
            )
        keys = read_people(path.parent / file, identities[name])
        if first != len(every) + 1 or last - first + 1 != len(keys):
            raise ParameterError(
                f"place.{name}: users {first} to {last}, and {file} has {len(keys)} keys; "
                "registered people are numbered from 1, without holes, a key for each"
            )
        every += keys
    return Registry(tuple(every))


def check_names(has_users: Mapping[str, bool]) -> None:
    """Raise an error if a party has no place, or the name of a place is misspelt.

    Args:
        has_users: the name of a place -> whether the place speaks for users.

    Raises:
        UnknownParty: a place without users is no party of a session.
        ParameterError: a party speaks for users, or a party is missing.
    """
    for name, speaks in has_users.items():
        is_party = name in SERVED or name.partition("-")[0] in SERVED.largest
        if speaks and is_party:
            raise ParameterError(f"place.{name}: found users; {name} speaks for no people")
        if not speaks and name not in SERVED:
            owner = "without `users` a place is one of"
            raise UnknownParty(f"place: {SERVED.refusal(name, owner, 'party of a session')}")
    missing = [name for name in NEEDED if name not in has_users]
    if missing:
        raise ParameterError(f"place: {', '.join(missing)} missing; every session has them")

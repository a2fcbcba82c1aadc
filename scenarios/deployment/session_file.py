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

    [place.board]       a place is a machine; also curator, analyst, shuffler-1, shuffler-2, ...
    address = "192.0.2.1:8440"
    identity = "board.pub.toml"

    [place.hall]        any other name: a machine that answers for users
    identity = "hall.pub.toml"
    users = [1, 30]     this machine answers for user-1 to user-30
    people = "hall.people.toml"       the users' public keys; with this line `registered` is on,
                                      unless the file sets it to false
    address = "192.0.2.7:8450"        needed with `tokens`: the tokens are sent to this address

At shuffler-1 and the curator, `ledger = "people.json.head.toml"` names the head (signed digest) of
the ledger that this machine keeps (ledger_heads.py). Every machine checks that the two ledgers do
not contradict each other. Paths start from the file's folder.

The hash of the file (its opening) is in every signature. So a file that differs in a single byte
belongs to another session.
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

LABEL = b"veilmix.session"  # BLAKE2b personalization: separates this hash from other hashes
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
        identity: the path of the file with the machine's public identity.
        address: HOST:PORT, where the machine listens; None: it only connects to other machines.
        people: the path of the file with its users' public keys; None: no keys are listed.
        ledger: the path of the file with the head (signed digest) of the ledger that the machine
            keeps; None: the session file names no ledger of this machine.
        users: the first and the last user that the machine answers for, from 1; None: no user.
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
        feature: the features (columns) that people are asked for.
        place: name -> address and identity of a machine, which runs a party or answers for users.
        policy: the limits of the curator's release.
        local: the noise that people add to their answers.
        mix: the settings of the mix, which carries the ballots.
        defence: the settings of the guards (countermeasures).
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
    """A checked session file: all data that a party needs to take part in the session.

    Attributes:
        scenario: the session's features and promises, without people.
        schema: the features that people are asked for.
        directory: the address of each machine.
        roster: the keys of the parties that sign.
        identities: the public identity of each machine, by name.
        registry: the users that may send, with their keys; None: all users in the directory.
        heads: the heads (signed digests) of ledgers, by the name of the machine that keeps the
            ledger.
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
        """The names of the shufflers, in the order of their positions in the mix."""
        return hops(self.identities)


def hops(names: object) -> tuple[str, ...]:
    """Return the shufflers among some names, in the order of their positions in the mix."""
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
    """Return the checked session of a parsed file.

    path: the file. opening: the hash of the file. Raises ParameterError at the first mistake.
    """
    check_names({name: place.users is not None for name, place in table.place.items()})
    identities = {name: _identity(path, name, place) for name, place in table.place.items()}
    places = {name: _place(name, place, identities[name]) for name, place in table.place.items()}
    shufflers = hops(table.place)
    if [parties.shuffler(hop + 1) for hop in range(len(shufflers))] != list(shufflers):
        raise ParameterError(
            f"place: found {', '.join(shufflers)}; shufflers are numbered from 1 without gaps"
        )
    if len({identity.certificate for identity in identities.values()}) < len(identities):
        raise ParameterError(
            "place: two machines (tables [place.NAME]) have the same identity; each needs its own"
        )
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
    """Return the public identity of a machine, from the file that its table names.

    path: the session file. name: the machine's name. Raises ParameterError unless the named file
    has a single identity with a certificate.
    """
    identities = read_known(path.parent / place.identity)
    if len(identities) != 1:
        raise ParameterError(
            f"place.{name}.identity: {place.identity} holds {len(identities)} identities; "
            "a file with one public identity is accepted"
        )
    (identity,) = identities.values()
    if not identity.certificate:
        raise ParameterError(f"place.{name}.identity: {place.identity} holds no certificate")
    return identity


def _place(name: str, place: PlaceTable, identity: PublicIdentity) -> SessionPlace:
    """Return the address, certificate and users of a machine (a place of the session).

    Raises ParameterError if a party that must listen has no address. name: the name of the machine.
    """
    if name in SERVED and place.address is None:
        raise ParameterError(
            f"place.{name}: address missing; board, curator, analyst and shufflers need an "
            "address, because other parties connect to them"
        )
    users = range(0) if place.users is None else range(place.users[0] - 1, place.users[1])
    if place.address is None:
        return SessionPlace(name, identity.certificate, users=users)
    host, port = parse_address(place.address, f"place.{name}.address")
    return SessionPlace(name, identity.certificate, host, port, users)


def _check_users(places: dict[str, SessionPlace]) -> None:
    """Raise ParameterError unless each user belongs to one machine, and there is at least one user.

    places: the machines, by name, each with the users that it answers for.
    """
    claimed_users: set[int] = set()
    for name, place in places.items():
        if len(place.users) > 1_000_000 or not claimed_users.isdisjoint(place.users):
            raise ParameterError(
                f"place.{name}.users: a user belongs to one machine, and a machine answers for at "
                "most 1,000,000 users"
            )
        claimed_users |= set(place.users)
    if not claimed_users:
        raise ParameterError(
            "place: no table [place.NAME] has `users`; at least one machine must answer for people"
        )


def _scenario(table: SessionTable, shufflers: int) -> Scenario:
    """Return the scenario of this session, without people. shufflers: the number of shufflers.

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
            "mix.peers: peers post all messages on one board, for which a session between machines "
            "has no way yet; play them in one process: veilmix run"
        )
    _check_noise(scenario)
    _check_wanted(scenario)
    for wrong in (*verified(scenario, ScenarioFacts()), *submitted_once(scenario, ScenarioFacts())):
        raise ParameterError(wrong.line())
    return scenario


def _defence(table: SessionTable) -> Defence:
    """Return the settings of the guards (countermeasures).

    `registered` is on if the file names users' keys, unless the file states another value.
    """
    named = any(place.people is not None for place in table.place.values())
    registered = table.defence.registers(possible=named)
    return msgspec.structs.replace(table.defence, registered=registered)


def _check_defence(defence: Defence) -> None:
    """Raise ParameterError for a setting of `[defence]` that cannot be changed between machines."""
    defaults = asdict(Defence())
    unsupported_keys = [
        name
        for name, value in asdict(defence).items()
        if name not in OBSERVED and value != defaults[name]
    ]
    if unsupported_keys:
        raise ParameterError(
            f"defence: {', '.join(unsupported_keys)}: fixed between machines: always on, or it "
            "needs a memory of earlier sessions that no party has; "
            f"{', '.join(OBSERVED)} can be set"
        )


def _check_wanted(scenario: Scenario) -> None:
    """Raise ParameterError if a guard lacks a setting that it needs."""
    for guard in GUARDS.values():
        for requirement in guard.wanted if guard.is_on(scenario) else ():
            if value_at(scenario, requirement.key) != requirement.value:
                raise ParameterError(f"{guard.key}: {requirement.message}")


def _check_noise(scenario: Scenario) -> None:
    """Raise ParameterError unless local noise and release program fit together, as in a scenario.

    Programs that run only in a single process are refused as well, because no machine has the data
    or the party that they need. programs/randomized/check.py has the same rules for scenarios.
    """
    program, local = program_of(scenario), scenario.local
    if program.capability(SetPopulation):
        raise ParameterError(
            f"policy.kind: found {scenario.policy.kind!r}: this kind reads each person's set "
            "from a table of all people, and no machine of the session has this table; "
            "run it in one process: veilmix run"
        )
    if answers_for(program) is AnswerKind.OPENED:
        raise ParameterError(
            f"policy.kind: found {scenario.policy.kind!r}: this kind needs the party `randomness`, "
            "which no machine of a session can run yet; play it in one process: veilmix run"
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
    """Raise ParameterError if users would get tokens on a machine without an address.

    places: the machines, by name. A token is a blind credential, which is sent to the user's
    machine.
    """
    deaf = [name for name, place in places.items() if place.users and not place.port]
    if scenario.defence.tokens and deaf:
        raise ParameterError(
            f"place.{deaf[0]}: address missing; with `tokens` the users here receive "
            "tokens, so the machine needs an address"
        )


def _registry(
    table: SessionTable, path: Path, identities: dict[str, PublicIdentity]
) -> Registry | None:
    """Return the registered public keys of all users, in the order of their numbers.

    path: the session file. Raises ParameterError if a machine with users names no file of keys, or
    the keys are not as many as its users. identities: the public identity of each machine, by name.
    """
    every: list[bytes] = []
    halls = [(place.users, name) for name, place in table.place.items() if place.users is not None]
    for (first, last), name in sorted(halls):
        file = table.place[name].people
        if file is None:
            raise ParameterError(
                f"place.{name}: `people` is missing, the file with its users' public keys; with "
                "`registered` every user's key is known beforehand. Write the file with: "
                f"veilmix keys {name} --people {last - first + 1}"
            )
        keys = read_people(path.parent / file, identities[name])
        if first != len(every) + 1 or last - first + 1 != len(keys):
            raise ParameterError(
                f"place.{name}: users {first} to {last}, and {file} has {len(keys)} keys; "
                "registered people are numbered from 1 without gaps, with a key for each"
            )
        every += keys
    return Registry(tuple(every))


def check_names(has_users: Mapping[str, bool]) -> None:
    """Raise an error if no machine runs a required party, or the name of a machine is wrong.

    Args:
        has_users: the name of a machine -> whether the machine answers for users.

    Raises:
        UnknownParty: a machine without users has a name that is no party's.
        ParameterError: the machine of a party also answers for users, or a party is missing.
    """
    for name, speaks in has_users.items():
        is_party = name in SERVED or name.partition("-")[0] in SERVED.largest
        if speaks and is_party:
            raise ParameterError(f"place.{name}: found users; {name} answers for no people")
        if not speaks and name not in SERVED:
            owner = "without `users` a place is one of"
            raise UnknownParty(f"place: {SERVED.refusal(name, owner, 'party of a session')}")
    missing = [name for name in NEEDED if name not in has_users]
    if missing:
        raise ParameterError(f"place: {', '.join(missing)} missing; every session has them")

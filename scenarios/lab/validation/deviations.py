"""Checks of a scenario's deviations: departures of malicious parties from the protocol.

They check that the party can carry out the deviation, and that its kind reads the given keys.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from ....protocol.wire import parties
from ....protocol.wire.parties import Role
from ...populations.facts import ScenarioFacts
from ...programs.registry import max_rounds
from ...programs.topology import topology_of
from ...schema.model import DeviationSection, Scenario
from ...schema.parties import PartyNames, user_names
from ...schema.problems import Path, Problem, did_you_mean, listed, problem, quoted

OWNER = "this scenario has"
# value of `change`: the attackers' keys replace all keys. A copy of the constant in
# protocol/search/deviation.py, which is not imported because that would slow down loading
OWN_KEYS = "own keys"
ROLES = (Role.CURATOR, Role.ANALYST, Role.SHUFFLER, Role.RANDOMNESS)


@dataclass(frozen=True, slots=True)
class Reads:
    """The keys that a kind of deviation reads besides `by`, `do` and `rounds`, and its parties.

    Attributes:
        needed: keys that must be given.
        may: keys that may be given.
        by: the roles that can carry out the deviation.
    """

    needed: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    by: tuple[Role, ...] = ROLES


PEOPLE_KEYS = ("people", "all_but")
KEYS = (
    "message", "field", "change", "people", "all_but", "row", "places", "until", "until_by",
    "deadlines",
)  # fmt: skip
ACTIONS: Mapping[str, Reads] = {
    "omit": Reads(("message",), PEOPLE_KEYS, (*ROLES, Role.NETWORK, Role.USER)),
    "delay": Reads(("message", "deadlines"), PEOPLE_KEYS, (*ROLES, Role.NETWORK, Role.USER)),
    "change": Reads(("message", "field", "change"), (*PEOPLE_KEYS, "row")),
    "ignore": Reads(("message",), PEOPLE_KEYS),
    "drop": Reads((), (*PEOPLE_KEYS, "places"), (Role.SHUFFLER,)),
    "double": Reads((), (*PEOPLE_KEYS, "places"), (Role.SHUFFLER,)),
    "replace": Reads((), (*PEOPLE_KEYS, "places", "row", "message"), (Role.SHUFFLER, Role.NETWORK)),
    "add": Reads((), (), (Role.SHUFFLER,)),
    "hold": Reads(("message", "until", "until_by"), PEOPLE_KEYS, (Role.NETWORK,)),
    "say": Reads(("row",), (), (Role.USER,)),
    "react": Reads(("message", "until"), ("change",)),
    "ask": Reads((), (), (Role.CURATOR,)),
    "show": Reads(
        ("people",),
        ("message", "field", "change", "all_but", "row"),
        (Role.NETWORK, Role.CURATOR),
    ),
}


def deviations(scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield the deviations that no party can carry out, and the keys that they do not read."""
    if not scenario.deviation:
        return
    path: Path = ("deviation",)
    if topology_of(scenario).untold:
        yield problem(path, "only central parties can deviate; this scenario has peers")
        return
    if scenario.fault:
        yield problem(
            path, "found [[fault]] too; use [[deviation]] or [[fault]], because both state attacks"
        )
    names = topology_of(scenario).names(scenario, facts.shufflers, facts.people)
    for place, deviation in enumerate(scenario.deviation):
        yield from _keys((*path, place), deviation)
        yield from _parties((*path, place), deviation, names, user_names(facts.people))
        yield from _field((*path, place), deviation)
        yield from _row((*path, place), deviation, facts)
        yield from _rounds((*path, place), deviation, scenario, facts)


def _keys(path: Path, deviation: DeviationSection) -> Iterator[Problem]:
    """Yield the keys of a deviation that are missing, or that its kind does not read."""
    reads = ACTIONS[deviation.do]
    for key in reads.needed:
        if not getattr(deviation, key):
            yield problem((*path, key), f"missing; do = {quoted(deviation.do)} needs it")
    for key in KEYS:
        if getattr(deviation, key) and key not in (*reads.needed, *reads.may):
            accepted = listed(("by", "rounds", *reads.needed, *reads.may))
            message = f"do = {quoted(deviation.do)} does not read {key}; it reads {accepted}"
            yield problem((*path, key), message)


def _parties(
    path: Path, deviation: DeviationSection, names: PartyNames, users: PartyNames
) -> Iterator[Problem]:
    """Yield the parties of a deviation that do not exist, or that cannot carry it out.

    names: all parties. users: the users.
    """
    if deviation.by not in names:
        yield problem((*path, "by"), names.refusal(deviation.by, OWNER))
    elif parties.role(deviation.by) not in ACTIONS[deviation.do].by:
        able = listed([role.value for role in ACTIONS[deviation.do].by])
        message = f"found {quoted(deviation.by)}; do = {quoted(deviation.do)} is done by: {able}"
        yield problem((*path, "by"), message)
    if deviation.until_by not in (None, Role.BOARD) and deviation.until_by not in names:
        yield problem((*path, "until_by"), names.refusal(deviation.until_by, OWNER))
    accepted, noun = users, "user"
    if deviation.do == "show" and deviation.by == parties.NETWORK:
        reader_names = tuple(name for name in names.single if name != parties.NETWORK)
        accepted, noun = PartyNames(reader_names, names.largest), "reader of the board"
    for place, person in enumerate(deviation.people):
        if person not in accepted:
            yield problem((*path, "people", place), accepted.refusal(person, OWNER, noun))


def _field(path: Path, deviation: DeviationSection) -> Iterator[Problem]:
    """Yield the fields that a kind of message does not have, and unknown changes of a field."""
    if deviation.do == "show":
        yield from _check_shown_board(path, deviation)
    if deviation.do not in ("change", "show") or (deviation.do, deviation.change) == (
        "show",
        OWN_KEYS,
    ):
        return
    from ....protocol.search.changes import CHANGES, parsed
    from ....protocol.wire.bodies import TABLE
    from ....protocol.wire.messages import Kind

    if deviation.change is not None and deviation.change not in CHANGES:
        message = (
            f"found {quoted(deviation.change)}; of a field, {listed(CHANGES, 20)} are accepted"
        )
        yield problem((*path, "change"), message)
    if deviation.message is None or deviation.field is None:
        return
    body: Any = TABLE[Kind[deviation.message.upper()]].body
    names = [field.name for field in fields(body)]
    steps = parsed(deviation.field)
    if steps is None or steps[0] not in names:
        hint = did_you_mean(deviation.field, names)
        message = f"found {quoted(deviation.field)}; {deviation.message} has {listed(names)}{hint}"
        yield problem((*path, "field"), message)


def _check_shown_board(path: Path, deviation: DeviationSection) -> Iterator[Problem]:
    """Yield the mistakes of a deviation that shows a party another board (equivocation).

    The shown board must differ from the true board, and the deviating party must be able to show
    it.
    """
    changes_announcement = deviation.message == "announcement" and deviation.change is not None
    if deviation.by == parties.CURATOR and not changes_announcement:
        message = (
            'the curator can show only another announcement: say message = "announcement", and '
            "give a change"
        )
        yield problem((*path, "message"), message)
    if deviation.by == parties.NETWORK and (deviation.message is None) != (
        deviation.change == OWN_KEYS
    ):
        message = (
            f"message must name the changed post; change = {quoted(OWN_KEYS)} takes no message"
        )
        yield problem((*path, "message"), message)
    if (deviation.field is None) != (deviation.change in (None, OWN_KEYS)):
        yield problem((*path, "field"), "give both field and change, or neither")


def _row(path: Path, deviation: DeviationSection, facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a mistake if a deviation's row has more or fewer values than there are features."""
    if deviation.row and facts.features is not None and len(deviation.row) != len(facts.features):
        feature_count = len(facts.features)
        message = (
            f"found {len(deviation.row)} values; this scenario asks about {feature_count} features"
        )
        yield problem((*path, "row"), message)


def _rounds(
    path: Path, deviation: DeviationSection, scenario: Scenario, facts: ScenarioFacts
) -> Iterator[Problem]:
    """Yield the rounds of a deviation that the session cannot have. path: the deviation's place."""
    limit = max_rounds(scenario.policy, len(facts.features or ()))
    for place, number in enumerate(deviation.rounds):
        if facts.features is not None and number > limit:
            message = f"found {number}; this scenario has {limit} rounds at most"
            yield problem((*path, "rounds", place), message)

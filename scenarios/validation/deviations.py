"""The deviations of a scenario: the parties able to do each, and the keys that each kind reads."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

from ...protocol import parties
from ...protocol.parties import Role
from ..populations.facts import ScenarioFacts
from ..programs.registry import program_of
from ..programs.topology import topology_of
from ..schema.model import DeviationSection, Scenario
from ..schema.parties import PartyNames, user_names
from ..schema.problems import Path, Problem, did_you_mean, listed, problem, quoted

OWNER = "this scenario has"
OWN_KEYS = "own keys"  # as in protocol/search/deviation.py, not imported to keep loading fast
ROLES = (Role.CURATOR, Role.ANALYST, Role.SHUFFLER, Role.RANDOMNESS)


@dataclass(frozen=True, slots=True)
class Reads:
    """The keys of a kind of deviation, besides by, do and rounds, and the roles that can do it.

    Attributes:
        needed: keys that it requires.
        may: keys that it reads too.
        by: the roles that can do it.
    """

    needed: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    by: tuple[Role, ...] = ROLES


WHOSE = ("people", "all_but")
KEYS = (
    "message", "field", "change", "people", "all_but", "row", "places", "until", "until_by",
    "deadlines",
)  # fmt: skip
ACTIONS: Mapping[str, Reads] = {
    "omit": Reads(("message",), WHOSE, (*ROLES, Role.NETWORK, Role.USER)),
    "delay": Reads(("message", "deadlines"), WHOSE, (*ROLES, Role.NETWORK, Role.USER)),
    "change": Reads(("message", "field", "change"), (*WHOSE, "row")),
    "ignore": Reads(("message",), WHOSE),
    "drop": Reads((), (*WHOSE, "places"), (Role.SHUFFLER,)),
    "double": Reads((), (*WHOSE, "places"), (Role.SHUFFLER,)),
    "replace": Reads((), (*WHOSE, "places", "row", "message"), (Role.SHUFFLER, Role.NETWORK)),
    "add": Reads((), (), (Role.SHUFFLER,)),
    "hold": Reads(("message", "until", "until_by"), WHOSE, (Role.NETWORK,)),
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
    """Report deviations that no party can carry out, and keys that are not read."""
    if not scenario.deviation:
        return
    path: Path = ("deviation",)
    if topology_of(scenario).untold:
        yield problem(path, "deviations are of central parties; this scenario has peers")
        return
    if scenario.fault:
        yield problem(
            path, "found [[fault]] too; say one of them, so that it is clear who does what"
        )
    names = topology_of(scenario).names(scenario, facts.shufflers, facts.people)
    for place, one in enumerate(scenario.deviation):
        yield from _keys((*path, place), one)
        yield from _parties((*path, place), one, names, user_names(facts.people))
        yield from _field((*path, place), one)
        yield from _row((*path, place), one, facts)
        yield from _rounds((*path, place), one, scenario, facts)


def _keys(path: Path, one: DeviationSection) -> Iterator[Problem]:
    reads = ACTIONS[one.do]
    for key in reads.needed:
        if not getattr(one, key):
            yield problem((*path, key), f"missing; do = {quoted(one.do)} needs it")
    for key in KEYS:
        if getattr(one, key) and key not in (*reads.needed, *reads.may):
            accepted = listed(("by", "rounds", *reads.needed, *reads.may))
            message = f"do = {quoted(one.do)} does not read {key}; it reads {accepted}"
            yield problem((*path, key), message)


def _parties(
    path: Path, one: DeviationSection, names: PartyNames, users: PartyNames
) -> Iterator[Problem]:
    """Report parties that do not exist, or that cannot do this."""
    if one.by not in names:
        yield problem((*path, "by"), names.refusal(one.by, OWNER))
    elif parties.role(one.by) not in ACTIONS[one.do].by:
        able = listed([role.value for role in ACTIONS[one.do].by])
        message = f"found {quoted(one.by)}; do = {quoted(one.do)} is done by: {able}"
        yield problem((*path, "by"), message)
    if one.until_by not in (None, Role.BOARD) and one.until_by not in names:
        yield problem((*path, "until_by"), names.refusal(one.until_by, OWNER))
    accepted, noun = users, "user"
    if one.do == "show" and one.by == parties.NETWORK:
        others = tuple(name for name in names.single if name != parties.NETWORK)
        accepted, noun = PartyNames(others, names.largest), "reader of the board"
    for place, person in enumerate(one.people):
        if person not in accepted:
            yield problem((*path, "people", place), accepted.refusal(person, OWNER, noun))


def _field(path: Path, one: DeviationSection) -> Iterator[Problem]:
    """Report fields that a kind of message does not have, and changes that no field takes."""
    if one.do == "show":
        yield from _check_shown_board(path, one)
    if one.do not in ("change", "show") or (one.do, one.change) == ("show", OWN_KEYS):
        return
    from ...protocol.bodies import FORMS
    from ...protocol.messages import Kind
    from ...protocol.search.changes import CHANGES, parsed

    if one.change is not None and one.change not in CHANGES:
        message = f"found {quoted(one.change)}; of a field, {listed(CHANGES, 20)} are accepted"
        yield problem((*path, "change"), message)
    if one.message is None or one.field is None:
        return
    names = [field.name for field in fields(FORMS[Kind[one.message.upper()]].body)]
    steps = parsed(one.field)
    if steps is None or steps[0] not in names:
        hint = did_you_mean(one.field, names)
        message = f"found {quoted(one.field)}; {one.message} has {listed(names)}{hint}"
        yield problem((*path, "field"), message)


def _check_shown_board(path: Path, one: DeviationSection) -> Iterator[Problem]:
    """Report a second board that does not differ, or that its maker cannot show."""
    tells = one.message == "announcement" and one.change is not None
    if one.by == parties.CURATOR and not tells:
        message = 'the curator tells of another announcement: message is "announcement" and changes'
        yield problem((*path, "message"), message)
    if one.by == parties.NETWORK and (one.message is None) != (one.change == OWN_KEYS):
        message = f"message names the post, but for change = {quoted(OWN_KEYS)}, which is of all"
        yield problem((*path, "message"), message)
    if (one.field is None) != (one.change in (None, OWN_KEYS)):
        yield problem((*path, "field"), "a field and its change are said together, or neither")


def _row(path: Path, one: DeviationSection, facts: ScenarioFacts) -> Iterator[Problem]:
    if one.row and facts.features is not None and len(one.row) != len(facts.features):
        many = len(facts.features)
        message = f"found {len(one.row)} values; this scenario asks about {many} features"
        yield problem((*path, "row"), message)


def _rounds(
    path: Path, one: DeviationSection, scenario: Scenario, facts: ScenarioFacts
) -> Iterator[Problem]:
    most = program_of(scenario).rounds(len(facts.features or ()), scenario.policy)
    for place, number in enumerate(one.rounds):
        if facts.features is not None and number > most:
            message = f"found {number}; this scenario has {most} rounds at most"
            yield problem((*path, "rounds", place), message)

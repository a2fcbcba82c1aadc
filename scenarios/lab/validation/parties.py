"""Checks of the parties of a scenario: unknown names, and the attackers and targets of a fault."""

from collections.abc import Iterator
from fnmatch import translate
from re import compile as pattern
from typing import TYPE_CHECKING

from ....protocol.wire import parties
from ...attacks.catalogue.attack import OPENED, REPORTS, SHUFFLER, USER
from ...attacks.catalogue.registry import ATTACKS
from ...populations.facts import ScenarioFacts
from ...programs.registry import PROGRAMS, answers_for, answers_in
from ...programs.topology import CENTRAL, topology_of
from ...schema.kinds import KIND as HISTOGRAM
from ...schema.model import Fault, Scenario
from ...schema.parties import WILD, PartyNames, user_names
from ...schema.problems import Path, Problem, listed, problem, quoted

if TYPE_CHECKING:
    from numpy.random import Generator

# keys of a fault, without the key `by`
KEYS = ("users", "share", "rate", "round", "target", "into", "bit")
# attacks that a threshold release (which opens rows that k people share) allows too
OF_ANY_ROUND = ("absent", "late", "duplicate", "malformed")
OWNER = "this scenario has"


def by_users(fault: Fault) -> bool:
    """Whether users, and no other party, commit the attack of an entry [[fault]]."""
    return ATTACKS[fault.attack].by == USER


def users_matching(by: str, people: int) -> list[int]:
    """Return the indices (from 0) of the users that match a name or a pattern such as `user-1*`.

    by: the name or pattern; for peers an exact name only. people: the number of users.
    """
    if by.startswith("peer-"):
        return [parties.index(by)]
    if not any(sign in by for sign in WILD):
        return [parties.index(by)] if by in user_names(people) else []
    matches = pattern(translate(by)).match
    return [i for i in range(people) if matches(parties.user(i))]


def struck(fault: Fault, people: int, rng: "Generator") -> list[int]:
    """Return the indices (from 0) of the users that commit a fault of users, in ascending order.

    The key `by` names these users. Otherwise `users` (a number) or `share` (rounded to whole
    people) states how many users are drawn without replacement.
    """
    if fault.by is not None:
        return users_matching(fault.by, people)
    struck_count = fault.users if fault.users is not None else round((fault.share or 0) * people)
    return sorted(rng.choice(people, size=struck_count, replace=False).tolist())


def coalitions(scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield the parties in coalitions that do not exist, or that a coalition names twice."""
    names = topology_of(scenario).names(scenario, facts.shufflers, facts.people)
    for i, coalition in enumerate(scenario.coalition):
        for j, party in enumerate(coalition.parties):
            path = ("coalition", i, "parties", j)
            if party not in names:
                yield problem(path, names.refusal(party, OWNER))
            elif party in coalition.parties[:j]:
                yield problem(path, f"{quoted(party)} occurs twice; once is enough")


def faults(scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield the mistakes in the faults of a session with central parties.

    Examples: no party can commit the attack, or the attackers are stated twice.
    """
    names = CENTRAL.names(scenario, facts.shufflers, facts.people)
    users = user_names(facts.people)
    for i, fault in enumerate(scenario.fault):
        path = ("fault", i)
        yield from _misplaced(path, fault, scenario)
        yield from _unread(path, fault)
        given_keys = [key for key in ("by", "users", "share") if getattr(fault, key) is not None]
        if len(given_keys) > 1 and by_users(fault):
            yield problem(
                (*path, given_keys[1]),
                f"{' and '.join(given_keys)} exclude each other; give only one of these keys",
            )
        elif by_users(fault):
            yield from _struck(path, fault, facts)
        else:
            yield from _committed(path, fault, names)
        if fault.target is not None and fault.target not in users:
            yield problem((*path, "target"), users.refusal(fault.target, OWNER, "user"))


def _misplaced(path: Path, fault: Fault, scenario: Scenario) -> Iterator[Problem]:
    """Yield a mistake if an attack needs another type of answers than this scenario has.

    Types of answers: randomized reports, threshold-opened rows, and exact values. path: the place
    of the fault in the scenario file.
    """
    about, answers = ATTACKS[fault.attack].about, answers_in(scenario)
    if about == REPORTS and answers != REPORTS:
        message = f"{fault.attack} attacks randomized reports; kind = {quoted(HISTOGRAM)} has them"
        yield problem((*path, "attack"), message)
    elif about == OPENED and answers != OPENED:
        kind = next(kind for kind, each in PROGRAMS.items() if answers_for(each) == OPENED)
        message = (
            f"{fault.attack} attacks the opening of rows by k people; kind = {quoted(kind)} has it"
        )
        yield problem((*path, "attack"), message)
    elif answers == OPENED and about != OPENED and fault.attack not in OF_ANY_ROUND:
        names = (
            *OF_ANY_ROUND,
            *(name for name, attack in ATTACKS.items() if attack.about == OPENED),
        )
        kind_text = f"kind = {quoted(scenario.policy.kind)}"
        message = f"{kind_text} is not attacked by {fault.attack}; {', '.join(names)} are accepted"
        yield problem((*path, "attack"), message)


def _unread(path: Path, fault: Fault) -> Iterator[Problem]:
    """Yield the keys of a fault that its attack does not read. path: the place of the fault."""
    reads = ATTACKS[fault.attack].reads
    for key in KEYS:
        if getattr(fault, key) is not None and key not in reads and not by_users(fault):
            message = f"{fault.attack} does not read {key}; it reads {listed(('by', *reads))}"
            yield problem((*path, key), message)
    if by_users(fault):
        for key in ("target", "into", "bit"):
            if getattr(fault, key) is not None:
                yield problem((*path, key), f"{fault.attack} acts on users; name them with `by`")
        if fault.round is not None and "round" not in reads:
            yield problem((*path, "round"), f"{fault.attack} is for all rounds; leave round out")


def _committed(path: Path, fault: Fault, names: PartyNames) -> Iterator[Problem]:
    """Yield a mistake if the party that a fault names cannot commit the attack.

    path: the fault's place in the file. names: all parties of the scenario.
    """
    role = ATTACKS[fault.attack].by
    if fault.by is None:
        if role == SHUFFLER:
            message = f'missing; say which shuffler commits it: by = "{parties.shuffler(1)}"'
            yield problem((*path, "by"), message)
        return
    if fault.by not in names:
        yield problem((*path, "by"), names.refusal(fault.by, OWNER))
    elif not role:
        yield problem((*path, "by"), f"{fault.attack} needs no party; leave `by` out")
    elif parties.role(fault.by).value != role:
        committer = "a shuffler" if role == SHUFFLER else f"the {role}"
        message = f"found {quoted(fault.by)}; {fault.attack} is committed by {committer}"
        yield problem((*path, "by"), message)
    elif ATTACKS[fault.attack].first_only and fault.by != parties.shuffler(1):
        message = f"found {quoted(fault.by)}; only shuffler-1 knows whose answers belong together"
        yield problem((*path, "by"), message)


def _struck(path: Path, fault: Fault, facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a mistake if a fault of users names no users, or users that do not take part.

    path: the fault's place in the file.
    """
    if fault.rate is not None:
        message = f"{fault.attack} acts on a share of users, not of messages; write share instead"
        yield problem((*path, "rate"), message)
    if fault.by is None and fault.users is None and fault.share is None:
        message = f'missing; say who is {fault.attack}: by = "user-3", users = 5 or share = 0.1'
        yield problem((*path, "by"), message)
    if facts.people is None:
        return
    if fault.users is not None and fault.users > facts.people:
        message = f"found {fault.users:,}; only {facts.people:,} people take part"
        yield problem((*path, "users"), message)
    if fault.by is not None and not users_matching(fault.by, facts.people):
        users = user_names(facts.people)
        yield problem((*path, "by"), users.refusal(fault.by, OWNER, "user"))

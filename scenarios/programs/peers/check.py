"""What a scenario among peers may say, and what it cannot mean."""

from collections.abc import Iterator

from ....protocol import parties
from ...populations.facts import Facts
from ...schema.model import Defence, Mix, Scenario
from ...schema.problems import Problem, listed, problem, quoted

KINDS = ("exposure", "fixed", "all")
ATTACKS = ("absent", "drop", "tag", "lie")  # those of roles/faults/peer.py
FIXED = ("suite", "pad", "salt", "order", "lesson")  # keys of [mix] that have one value here
MOST = 2_000  # peers: all of them read all that is said
CENTRAL = ("curator_links_at_most",)


def fits(scenario: Scenario, _facts: Facts) -> Iterator[Problem]:
    """Report what peers cannot do."""
    kind = scenario.policy.kind
    if kind not in KINDS:
        message = f"{quoted(kind)} needs a curator; peers decide by {listed(KINDS)}"
        yield problem(("policy", "kind"), message)
    if scenario.population.setting != "fixed":
        message = 'peers answer both rounds themselves; setting is "fixed"'
        yield problem(("population", "setting"), message)
    usual = Mix()
    for key in FIXED:
        if getattr(scenario.mix, key) != getattr(usual, key):
            message = f"peers always mix with {key} = {_said(getattr(usual, key))}; leave it out"
            yield problem(("mix", key), message)


def _said(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else quoted(str(value))


def paths(scenario: Scenario, facts: Facts) -> Iterator[Problem]:
    """Report paths that are longer than there are peers for."""
    path, people = scenario.mix.path, facts.people
    if people is not None and path > people - 1:
        yield problem(
            ("mix", "path"),
            f"found {path}; a message passes others than its sender, and there are {people - 1:,}",
        )
    if people is not None and people > MOST:
        message = f"{people:,} people; at most {MOST:,} peers are accepted"
        yield problem(("population", "users"), message)


def faults(scenario: Scenario, facts: Facts) -> Iterator[Problem]:
    """Report faults that no peer commits."""
    for i, fault in enumerate(scenario.fault):
        path = ("fault", i)
        if fault.attack not in ATTACKS:
            message = f"{quoted(fault.attack)} is nothing that peers do; they do {listed(ATTACKS)}"
            yield problem((*path, "attack"), message)
        for key in ("target", "into", "bit"):
            if getattr(fault, key) is not None:
                yield problem((*path, key), f"{fault.attack} among peers does not read {key}")
        if fault.rate is not None and fault.attack != "drop":
            yield problem((*path, "rate"), f"{fault.attack} does not read rate; drop does")
        said = [key for key in ("by", "users", "share") if getattr(fault, key) is not None]
        if len(said) != 1:
            message = 'say once who it is: by = "peer-3", users = 5 or share = 0.1'
            yield problem((*path, said[1] if said else "by"), message)
        if fault.by is not None and not _peer(fault.by, facts):
            last = "..." if facts.people is None else parties.peer(facts.people - 1)
            message = f"no peer is called {quoted(fault.by)}; this scenario has peer-1 to {last}"
            yield problem((*path, "by"), message)
        if fault.users is not None and facts.people is not None and fault.users > facts.people:
            message = f"found {fault.users:,}; only {facts.people:,} peers take part"
            yield problem((*path, "users"), message)


def _peer(name: str, facts: Facts) -> bool:
    from ...schema.parties import exists

    is_peer = name.startswith("peer-")
    return is_peer and exists(name, None, facts.people, peers=True)


def unread(scenario: Scenario, _facts: Facts) -> Iterator[Problem]:
    """Report guards and expectations that are about a central party."""
    for key in CENTRAL:
        if getattr(scenario.expect, key) is not None:
            yield problem(("expect", key), f"there is no central party here to expect {key} of")
    usual = Defence()
    for key in Defence.__struct_fields__:
        if getattr(scenario.defence, key) != getattr(usual, key):
            message = f"peers guard themselves, and do not read {key}; leave it out"
            yield problem(("defence", key), message)

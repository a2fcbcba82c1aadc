"""Checks of a scenario among peers: keys that peers do not read, and impossible values."""

from collections.abc import Iterator

from msgspec.structs import replace

from ...populations.facts import ScenarioFacts
from ...schema.model import Defence, Mix, Scenario
from ...schema.problems import Problem, listed, problem, quoted
from ..curated.program import TWO_ROUND
from ..registry import PROGRAMS, program_of

FIXED = (
    "suite",
    "pad",
    "salt",
    "order",
    "lesson",
)  # keys of [mix] that have one accepted value among peers
MAX_PEERS = 2_000  # most peers in a session, because each peer reads all posts
CENTRAL = ("curator_links_at_most",)


def fits(scenario: Scenario, _facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a problem for each request of a scenario that a session among peers cannot meet.

    Such requests are a release program that needs a curator, other people in round 2, and keys of
    [mix] that have a fixed value among peers.
    """
    # peers see only the counts of single columns, so they decide from these
    if program_of(scenario).wire != TWO_ROUND:
        kinds = [kind for kind, program in PROGRAMS.items() if program.wire == TWO_ROUND]
        kind = quoted(scenario.policy.kind)
        message = f"{kind} needs a curator; peers decide by {listed(kinds, len(kinds))}"
        yield problem(("policy", "kind"), message)
    if scenario.population.setting != "fixed":
        message = 'peers answer both rounds themselves; setting is "fixed"'
        yield problem(("population", "setting"), message)
    usual = Mix()
    for key in FIXED:
        if getattr(scenario.mix, key) != getattr(usual, key):
            message = (
                f"peers always mix with {key} = {_value_text(getattr(usual, key))}; leave it out"
            )
            yield problem(("mix", key), message)


def _value_text(value: object) -> str:
    """Return a value as a scenario file writes it."""
    return str(value).lower() if isinstance(value, bool) else quoted(str(value))


def paths(scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a problem if messages should pass more peers than there are besides the sender.

    Also if there are more people than a session among peers can have.
    """
    path, people = scenario.mix.path, facts.people
    if people is not None and path > people - 1:
        yield problem(
            ("mix", "path"),
            f"found {path}; a message passes other peers than its sender: {people - 1:,} at most",
        )
    if people is not None and people > MAX_PEERS:
        message = f"{people:,} people; at most {MAX_PEERS:,} peers are accepted"
        yield problem(("population", "users"), message)


def unread(scenario: Scenario, _facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a problem for each countermeasure or expectation that peers do not read.

    These keys of [defence] and [expect] are about central parties, such as a curator, which peers
    lack.
    """
    for key in CENTRAL:
        if getattr(scenario.expect, key) is not None:
            yield problem(
                ("expect", key), f"peers have no central party, so {key} is not read; leave it out"
            )
    usual = Defence(registered=False)
    chosen = replace(scenario.defence, registered=scenario.registered)
    for key in Defence.__struct_fields__:
        if getattr(chosen, key) != getattr(usual, key):
            message = f"peers guard themselves, and do not read {key}; leave it out"
            yield problem(("defence", key), message)

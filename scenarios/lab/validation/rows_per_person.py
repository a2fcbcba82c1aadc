"""Checks of a scenario in which persons have several rows (`population.rows`)."""

from collections.abc import Iterator

from ...populations.facts import ScenarioFacts
from ...schema.model import Defence, Policy, Scenario
from ...schema.problems import Problem, listed, problem, quoted

KEY = "population.rows"
# Most tokens of a person in a round. A copy of the constant in crypto/tokens.py, which is not
# imported to keep loading fast.
MOST_TOKENS = 1_024
KINDS = ("exposure", "fixed", "all")  # release programs that bound the exposure of persons
# attacks that can be played if persons have several rows
FAULTS = ("absent", "late", "duplicate", "malformed")
DEFENCES = {
    "audit": "an audit opens single ballots of a person",
}  # countermeasures that assume one ballot per person -> reason
MIX = {"pad": True, "salt": True, "order": "sorted", "peers": False, "kind": "onion"}


def several_rows(scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield the settings that are not supported if persons have several rows."""
    if scenario.population.rows is None:
        return
    yield from _program(scenario)
    for key, accepted in MIX.items():
        if (setting := getattr(scenario.mix, key)) != accepted:
            yield _refused(("mix", key), setting, accepted)
    tokens = scenario.population.rows * len(facts.features or ())
    if scenario.defence.tokens and tokens > MOST_TOKENS:
        message = (
            f"{tokens:,} tokens of a person in a round; at most {MOST_TOKENS:,} are accepted: "
        )
        yield problem(("defence", "tokens"), message + f"lower {KEY}, or ask fewer features")
    for key, why in DEFENCES.items():
        if getattr(scenario.defence, key, False):
            yield problem(("defence", key), f"{KEY} excludes this guard: {why}; leave it out")
    # These countermeasures assume one ballot per person. With several ballots, attacks on them
    # would have other effects, so only the default is accepted.
    for key in ("unbundle", "bind", "dedupe", "fresh_salt", "fresh_key"):
        usual = getattr(Defence(), key, None)
        if getattr(scenario.defence, key, None) != usual:
            yield _refused(("defence", key), getattr(scenario.defence, key), usual)
    for place, fault in enumerate(scenario.fault):
        if fault.attack not in FAULTS:
            message = f"{quoted(fault.attack)} is not played with {KEY}; it plays {listed(FAULTS)}"
            yield problem(("fault", place, "attack"), message)
    if scenario.deviation:
        yield problem(("deviation",), f"{KEY} excludes deviations; leave [[deviation]] out")
    if scenario.attacker.knows:
        message = f"with {KEY} an attacker knows one whole released row; leave knows out"
        yield problem(("attacker", "knows"), message)


def _program(scenario: Scenario) -> Iterator[Problem]:
    """Yield release programs, settings and rules that have no exposure bound for persons."""
    population, policy = scenario.population, scenario.policy
    if population.builtin or population.answered:
        message = f"people of {population.source} have one row each; leave rows out"
        yield problem(("population", "rows"), message)
    if policy.kind not in KINDS:
        yield _refused(("policy", "kind"), policy.kind, *KINDS)
    if population.setting != "fixed":
        yield _refused(("population", "setting"), population.setting, "fixed")
    if policy.rule != Policy().rule:
        message = f"found {quoted(policy.rule)}; {KEY} has one bound, for persons; leave rule out"
        yield problem(("policy", "rule"), message)
    if scenario.local.mechanism != "none":
        yield _refused(("local", "mechanism"), scenario.local.mechanism, "none")


def _refused(path: tuple[str, ...], setting: object, *accepted: object) -> Problem:
    """Return the mistake of a setting that is not supported if persons have several rows.

    path: the key. setting: the value found. accepted: the values that are accepted.
    """
    words = listed([_word(value) for value in accepted])
    return problem(path, f"found {_word(setting)}; with {KEY} accepted: {words}")


def _word(value: object) -> str:
    """Return a value as TOML text."""
    return quoted(value) if isinstance(value, str) else str(value).lower()

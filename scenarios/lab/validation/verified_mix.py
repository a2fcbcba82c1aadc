"""Checks of a scenario with `mix.kind = "verified"`: release programs, faults and countermeasures.

A verified mix proves every step in zero knowledge, so most countermeasures of the onion mix are not
needed.
"""

from collections.abc import Iterator

from ...populations.facts import ScenarioFacts
from ...programs.topology import topology_of
from ...schema.model import Defence, Mix, Scenario
from ...schema.problems import Path, Problem, listed, problem, quoted

KIND = 'mix.kind = "verified"'
ONCE = 'mix.submit = "once"'
KINDS = (
    *("exposure", "pairs", "informative", "fixed", "all"),
    *("hierarchical", "local-suppression", "histogram"),
)  # release programs that a verified mix supports
# attacks that can be played against a verified mix
FAULTS = ("absent", "late", "duplicate", "malformed")
PROVED = "every keyholder checks every ballot and every step of the mix before it gives a share"
UNREAD = {
    "receipts": f"{PROVED}, so people need not check",
    "challenge": f"{PROVED}, so people need not check",
    "tokens": "ballots are posted under registered names, one for each",
    "audit": f"{PROVED}, not half of the steps",
    "balance": "sums follow from lists that are proved",
}  # countermeasures of the onion mix -> reason why a verified mix does not need them
# deviations that a keyholder (a shuffler of the verified mix) can carry out
DEVIATIONS = ("omit", "delay", "change")
# posts of a keyholder (shuffler of a verified mix) in a round
POSTS = ("keys", "handed", "checked", "shuffled", "shared")
# keys of [mix] that a verified mix accepts with their default value only
FIXED = ("suite", "pad", "salt", "order", "lesson")
MANY_READINGS = {
    "hierarchical": "users mask rare values in its later queries, by the counts of earlier ones",
    "local-suppression": "users suppress values in round 2, by rules that follow from round 1",
    "histogram": "it has a single round, so all answers are submitted at once anyway",
}  # release programs for which `mix.submit = "once"` is refused -> reason
LESSONS = ("bind", "dedupe", "unbundle", "fresh_salt", "fresh_key")


def verified(scenario: Scenario, _facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield the keys that a verified mix does not support, or does not read."""
    if scenario.mix.kind != "verified":
        return
    kind = scenario.policy.kind
    if kind not in KINDS:
        message = f"{quoted(kind)} is not played with {KIND}; it plays {listed(KINDS, len(KINDS))}"
        yield problem(("policy", "kind"), message)
    yield from _people(scenario)
    yield from _guards(scenario)
    for place, fault in enumerate(scenario.fault):
        if fault.attack not in FAULTS:
            message = f"{quoted(fault.attack)} is not played with {KIND}; it plays {listed(FAULTS)}"
            yield problem(("fault", place, "attack"), message)
    for place, deviation in enumerate(scenario.deviation):
        if deviation.do not in DEVIATIONS or deviation.message not in POSTS:
            message = (
                f"{KIND} accepts {listed(DEVIATIONS)} of the posts {listed(POSTS)}; "
                "other deviations need onions"
            )
            yield problem(("deviation", place), message)


def submitted_once(scenario: Scenario, _facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield the keys that contradict `mix.submit = "once"`: one submission for both rounds."""
    yield from misfits_of_once(scenario)


def misfits_of_once(scenario: Scenario) -> Iterator[Problem]:
    """Yield the keys that contradict `mix.submit = "once"`: one submission for both rounds.

    The checks of polls use this function too.
    """
    if scenario.mix.submit != "once":
        return
    path: Path = ("mix", "submit")
    if scenario.mix.kind != "verified":
        message = f"{ONCE} needs {KIND}: an onion has a single reader; leave it out"
        yield problem(path, message)
    if why := MANY_READINGS.get(scenario.policy.kind):
        yield problem(path, f"{ONCE} is not played with {quoted(scenario.policy.kind)}: {why}")
    if scenario.population.setting != "fixed":
        message = f'{ONCE} takes setting = "fixed": a statistical round 2 asks other users'
        yield problem(path, message)
    for place, fault in enumerate(scenario.fault):
        if fault.round is not None and fault.round > 1:
            message = f"found {fault.round}: with {ONCE} users submit in round 1 alone"
            yield problem(("fault", place, "round"), message)


def _people(scenario: Scenario) -> Iterator[Problem]:
    """Yield a mistake for peers, and for users that are not registered before the session."""
    path: Path = ("mix", "kind")
    if topology_of(scenario).is_symmetric:
        yield problem(path, "peers mix with onions; leave kind or peers out")
    elif scenario.population.answered:
        message = "a session of phones cannot be replayed with it, because no answers are kept"
        yield problem(path, f"{message}; leave kind out")
    elif not scenario.registered:
        message = f"with {KIND} ballots are posted under registered names; leave it out"
        yield problem(("defence", "registered"), message)


def _guards(scenario: Scenario) -> Iterator[Problem]:
    """Yield countermeasures and parameters of the onion mix that a verified mix does not read."""
    for key, why in UNREAD.items():
        if getattr(scenario.defence, key):
            yield problem(("defence", key), f"{KIND} does not need it: {why}; leave it out")
    for key in FIXED:
        usual = getattr(Mix(), key)
        if getattr(scenario.mix, key) != usual:
            yield problem(
                ("mix", key), f"only onion mixes read this key, and here {KIND}; leave it out"
            )
    for key in LESSONS:
        if getattr(scenario.defence, key) != getattr(Defence(), key):
            yield problem(("defence", key), f"{KIND} always has this countermeasure; leave it out")

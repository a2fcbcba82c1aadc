"""Checks of the noise of a scenario: missing, unread and impossible parameters in [local].

Only the release programs of `policy.kind = "histogram"` and `"incidence"` ask for randomized
reports; they ask for no true values.
"""

from collections.abc import Iterator, Sequence

from ....errors import LocalError
from ....protocol.wire.schema import MAX_WIDTH
from ...populations.coarsening import is_coarser
from ...populations.facts import ScenarioFacts
from ...populations.people import WIDTH
from ...schema.kinds import KIND
from ...schema.mechanisms import mechanisms
from ...schema.model import Scenario
from ...schema.problems import Problem, problem, quoted
from ..capabilities import LocalNoise
from ..interface import ReleaseProgram
from ..noisy_questions import feature_budget, is_sampled
from ..people_source import SetPopulation
from ..registry import capability, program_of
from .value_numbers import number

BITS = "bit-flip"  # the only mechanism for sets
UNARY = (
    "rappor",
    "oue",
    "blh",
    "subset",
    "memoized",
    "memoized-rappor",
)  # mechanisms with reports of a bit for each value
# The mechanism whose reports have two bits for each key. The limit on bits is checked with two bits
# for each value, because a feature has at most as many keys as values.
TWO_BITS = "pckv-ue"
# most bits of a report: a text of MAX_WIDTH hexadecimal digits, with four bits each
MOST_VALUES = 4 * MAX_WIDTH
# most bytes of a text of an open domain in reports of text prefixes; a larger `width` is refused
MOST_BYTES = 64
# Mechanisms that estimate shares, with which a person may report one feature drawn at random.
SAMPLED = ("grr", "rappor", "oue", "blh", "local-hash", "subset", "hadamard", "projective")
ROOM = 16  # bits of a hexadecimal report that hold the number of the drawn feature
ON_REPORTS = ("poison-reports", "inside-reports")
# Limits of the minimum batch for mechanisms that split numbers into shares, because only the mix
# protects the shares. No more people may take part than the second number.
LEAST_CROWD, MOST_CROWD = 16, 131_072
MIN_EPSILON, MAX_EPSILON = (
    1e-6,
    30.0,
)  # nats for one feature: a report with less is all noise, with more it is the true value
UNMET = ("kept_at_least", "kept", "suppressed", "true_exposure_at_most", "promised_at_most")


def needed(scenario: Scenario, _facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a problem for missing noise, or noise that the release program does not read."""
    kind, mechanism = scenario.policy.kind, scenario.local.mechanism
    if noise := capability(scenario, LocalNoise):
        yield from noise.problems(scenario)
    elif mechanism != "none":
        yield problem(
            ("local", "mechanism"),
            f"{quoted(mechanism)} makes reports that only policy.kind = {quoted(KIND)} counts; "
            f"kind is {quoted(kind)}",
        )


def _reports_features(program: "ReleaseProgram") -> bool:
    """Whether people of a release program send noisy reports about features, not about sets."""
    return bool(program.capability(LocalNoise)) and not program.capability(SetPopulation)


def coarser(scenario: Scenario, _facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a problem for each feature with rules for coarser values that cannot be announced.

    A rule maps values to coarser values, such as ages to decades. The announcement has no place for
    rules if one report is about several features.
    """
    message = dict(unannounced(scenario))
    for i, feature in enumerate(scenario.feature):
        if feature.name in message:
            yield problem(("feature", i), message[feature.name])


def unannounced(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Yield each feature with rules for coarser values that cannot be announced, and the reason.

    A report about several features at once has no place in the announcement for the rules of each.
    """
    if capability(scenario, LocalNoise) is None:
        return
    if scenario.local.mechanism == BITS:
        message = (
            f"{quoted(BITS)} makes one report of all features, where the rules of one have no "
            "place; take grr, oue or local-hash, which report each by itself"
        )
    elif is_sampled(scenario.local, len(scenario.feature)):
        message = (
            'features = "sample" makes one report about any feature, where the rules of one have '
            'no place; take features = "split"'
        )
    else:
        return
    for feature in scenario.feature:
        if is_coarser(feature):
            yield feature.name, message


def budget(scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a problem for a missing epsilon, or for an epsilon of a feature out of range."""
    local = scenario.local
    if local.mechanism == "none":
        return
    if local.epsilon is None:
        message = f'missing; mechanism = "{local.mechanism}" needs a privacy budget in nats'
        yield problem(("local", "epsilon"), message)
        return
    # Each element of a set is reported with the whole epsilon, which the elements do not share.
    count = 1 if capability(scenario, SetPopulation) else len(facts.features or ())
    each = feature_budget(scenario.local, count) if count else MIN_EPSILON
    if not MIN_EPSILON <= each <= MAX_EPSILON:
        divided = "" if each == local.epsilon else f", {each:.3g} for each of {count}"
        yield problem(
            ("local", "epsilon"),
            f"found {local.epsilon:g} nats{divided}; {MIN_EPSILON:g} to {MAX_EPSILON:g} for each "
            "feature are "
            "accepted",
        )


def sampled(scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a problem if people shall report one feature drawn at random, and the mechanism cannot.

    The key is `features = "sample"` of [local]. With this key, attacks that need reports of every
    feature, and features with too many values for a report, are problems too.
    """
    at, local = ("local", "features"), scenario.local
    if local.features == "split":
        return
    if message := undrawable(scenario):
        yield problem(at, message)
        return
    yield from _no_crafting(scenario, 'every feature; take features = "split"')
    widest = max(facts.sizes or (0,))
    if local.mechanism in UNARY and MOST_VALUES - ROOM < widest <= MOST_VALUES:
        message = f"a report names its feature, so it holds {MOST_VALUES - ROOM:,} values at most"
        yield problem(at, message)


def undrawable(scenario: Scenario) -> str | None:
    """Return the reason why people cannot each report one feature drawn at random, or None."""
    local = scenario.local
    if local.features == "split" or (
        local.mechanism in SAMPLED and not capability(scenario, SetPopulation)
    ):
        return None
    return (
        f'found "sample" with mechanism = {quoted(local.mechanism)}; one feature of several is '
        f"reported by {', '.join(SAMPLED[:-1])} or {SAMPLED[-1]}"
    )


def run_limits(scenario: Scenario, _facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a problem for a limit on the epsilon of many runs that is not read, or too small.

    The keys are `forever`, `spend` and `spend_shuffled` of [local]; each must allow one report.
    """
    local, mechanism = scenario.local, mechanisms().get(scenario.local.mechanism)
    if local.forever is not None and not (mechanism and mechanism.remembers):
        message = f"{quoted(local.mechanism)} keeps no noise from run to run; take memoized"
        yield problem(("local", "forever"), message)
    elif local.forever is not None and local.epsilon and local.forever <= local.epsilon:
        message = (
            f"found {local.forever:g} nats; more than one report's {local.epsilon:g} is accepted"
        )
        yield problem(("local", "forever"), message)
    for limit in ("spend", "spend_shuffled"):
        if getattr(local, limit) is None:
            continue
        if mechanism is None or not local.epsilon:
            yield problem(
                ("local", limit),
                "not read: people add no noise, so no epsilon is spent; leave it out",
            )
        elif mechanism.split:
            yield problem(
                ("local", limit),
                "not read: privacy by the mix alone is not added up over runs; leave it out",
            )
    if mechanism is None or mechanism.split:
        return
    if local.spend is not None and local.epsilon and local.spend < local.epsilon:
        message = f"found {local.spend:g} nats; one run costs {local.epsilon:g}"
        yield problem(("local", "spend"), message)


def relied_on(scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a problem for `relied_on` without shuffled reports, or above the number of people.

    relied_on is the number of people assumed to keep their reports secret.
    """
    honest, program, where = scenario.local.relied_on, program_of(scenario), ("local", "relied_on")
    if honest is None:
        return
    if not (_reports_features(program) and scenario.local.mechanism in mechanisms()):
        message = (
            f"found {honest:,}; epsilon after shuffling is of reports about features "
            f"(policy.kind = {quoted(KIND)}): leave relied_on out"
        )
        yield problem(where, message)
    elif facts.people and honest > facts.people:
        yield problem(where, f"found {honest:,}; 1 to {facts.people:,} people are accepted")


def reportable(scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a problem for each feature that the mechanism cannot report.

    Its values may be no numbers, no texts `key=number`, unlisted, too many, or all equal.
    """
    mechanism = scenario.local.mechanism
    program = program_of(scenario)
    if not _reports_features(program) or mechanism == "none":
        return
    yield from _numbers(scenario)
    yield from _pairs(scenario)
    opened = [feature.name for feature in scenario.feature if feature.open]
    for i, feature in enumerate(scenario.feature):
        if feature.open and not mechanisms()[mechanism].finds:
            message = (
                f"{mechanism} blurs values it knows; list them in values, leave open out, or take "
                "prefix-hash, which finds them"
            )
            yield problem(("feature", i, "open"), message)
        elif feature.open and (feature.width or WIDTH) > MOST_BYTES:
            message = f"{mechanism} reports texts of at most {MOST_BYTES} bytes; write width"
            yield problem(("feature", i, "width"), message)
    for name, size in zip(facts.features or (), facts.sizes or (), strict=False):
        if name not in opened and (wrong := _misfit(mechanism, size)):
            yield problem(("local", "mechanism"), f"{quoted(name)} has {wrong}")


def crowd(scenario: Scenario, facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield problems of mechanisms with shares of numbers, or for features without listed values.

    Such mechanisms split a number into shares, or find the frequent values of a feature. Shares are
    protected by the mix alone, so the minimum batch must be neither too small nor too large.
    Attacks that craft reports work only on other mechanisms.
    """
    mechanism = mechanisms().get(scenario.local.mechanism)
    if mechanism is None or not (mechanism.split or mechanism.finds):
        return
    report_kind = "one message" if mechanism.split else "listed values"
    yield from _no_crafting(scenario, f"{report_kind}; take another mechanism")
    if mechanism.finds:
        return
    min_batch = scenario.mix.min_batch
    if not LEAST_CROWD <= min_batch <= MOST_CROWD:
        message = (
            f"found {min_batch:,}; {quoted(scenario.local.mechanism)} hides people in a crowd and "
            "by "
            f"nothing else: {LEAST_CROWD} to {MOST_CROWD:,} people are accepted"
        )
        yield problem(("mix", "min_batch"), message)
    if facts.people and facts.people > MOST_CROWD:
        message = f"found {facts.people:,} people; sums of at most {MOST_CROWD:,} are accepted"
        yield problem(("population", "users"), message)


def _no_crafting(scenario: Scenario, report_kind: str) -> Iterator[Problem]:
    """Yield a problem for each attack that crafts reports, because the mechanism excludes it.

    Such attacks need reports about one listed value of one feature. report_kind: a clause on the
    reports that they need, for the message.
    """
    for i, fault in enumerate(scenario.fault):
        if fault.attack in ON_REPORTS:
            message = f"{fault.attack} is about reports of {report_kind}"
            yield problem(("fault", i, "attack"), message)


def _numbers(scenario: Scenario) -> Iterator[Problem]:
    """Yield a problem for each feature with a value that is no number, if numbers are needed."""
    if not mechanisms()[scenario.local.mechanism].numbers:
        return
    for feature in scenario.feature:
        wrong = [value for value in feature.values or () if number(value) is None]
        if feature.levels is not None:
            wrong = ["v1"]
        if wrong:
            message = (
                f"{quoted(scenario.local.mechanism)} is for numbers, and a value of "
                f"{quoted(feature.name)} is {quoted(wrong[0])}; list numbers in values, or take "
                "grr or oue"
            )
            yield problem(("local", "mechanism"), message)


def _pairs(scenario: Scenario) -> Iterator[Problem]:
    """Yield a problem for each feature with other values than `key=number`, if pairs are needed."""
    if not mechanisms()[scenario.local.mechanism].pairs:
        return
    from ....analysis.randomizers import PckvGRR

    for i, feature in enumerate(scenario.feature):
        if feature.values is None and feature.levels is None:
            continue  # the values are in a data file, which is read later
        try:
            PckvGRR(tuple(feature.values or ("v1",)), 1.0)
        except LocalError as error:
            message = f"{quoted(scenario.local.mechanism)} is for texts key=number: {error}"
            yield problem(("feature", i, "values"), message)


def too_wide(mechanism: str, size: int) -> bool:
    """Whether a report about `size` values has more bits than a line of text may hold.

    mechanism: its name in a scenario.
    """
    bits = {**dict.fromkeys(UNARY, 1), TWO_BITS: 2}.get(mechanism, 0)
    return size * bits > MOST_VALUES


def _misfit(mechanism: str, size: int) -> str | None:
    """Return the reason why a feature with `size` values has no report; None if it has reports.

    mechanism: its name in a scenario.
    """
    if mechanism == BITS and size != 2:
        return f'{_values(size)}; "{BITS}" needs two, take grr, oue or local-hash'
    if size < 2:
        return "one value only, so there is nothing to randomize; leave the feature out"
    if too_wide(mechanism, size):
        return (
            f'{size:,} values; a report of "{mechanism}" holds at most {MOST_VALUES:,} bits, '
            "take local-hash or grr"
        )
    return None


def _values(size: int) -> str:
    """Return the number of values with its noun, such as `3 values`."""
    return "1 value" if size == 1 else f"{size:,} values"


def one_round(scenario: Scenario, _facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a problem for a key about round 2 if the release program has a single round."""
    kind = scenario.policy.kind
    if capability(scenario, LocalNoise) is None:
        return
    if scenario.population.setting != "fixed":
        message = f'kind = "{kind}" asks once, so there are no other people; leave setting out'
        yield problem(("population", "setting"), message)


def pointless(scenario: Scenario, _facts: ScenarioFacts) -> Iterator[Problem]:
    """Yield a problem for each expectation about released columns, if estimates are released."""
    kind = scenario.policy.kind
    if capability(scenario, LocalNoise) is None:
        return
    for key in _set_keys(scenario, UNMET):
        message = f'kind = "{kind}" releases estimates and no columns, so it does not read {key}'
        yield problem(("expect", key), message)


def _set_keys(scenario: Scenario, keys: Sequence[str]) -> Iterator[str]:
    """Yield each of some keys that the scenario sets in [expect], the expected results.

    keys: the keys to look for.
    """
    return (key for key in keys if getattr(scenario.expect, key) is not None)

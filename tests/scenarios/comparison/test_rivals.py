"""The rivals: the same answers as the program they rival, what they see, and who is refused."""

import hashlib
from math import log2

import numpy as np
import pytest
from msgspec.structs import replace as changed
from veilmix.crypto.layer import open_layer
from veilmix.errors import ParameterError
from veilmix.protocol.hiding import Mask, Redact
from veilmix.protocol.shares import AGGREGATOR_1, AGGREGATOR_2
from veilmix.scenarios.comparison import direct, local, shares, trusted
from veilmix.scenarios.comparison.case import SAMPLE, SAMPLES, Case, scaled
from veilmix.scenarios.comparison.utility import left_blank
from veilmix.scenarios.play.presence import draw_faults
from veilmix.scenarios.play.run import run
from veilmix.scenarios.programs.registry import samples
from veilmix.scenarios.validation.load import loads

TEXT = """
[scenario]
name = "rivals"
[population]
source = "builtin:titanic"
users  = {users}
[mix]
shufflers = {shufflers}
min_batch = {least}
[policy]
k            = 3
max_exposure = {target}
prefer       = ["survived", "sex"]
[defence]
min_dropout = 2
"""


def case(
    faults: str = "",
    users: int = 60,
    least: int = 2,
    target: float = 0.2,
    shufflers: int = 2,
    seed: int = 3,
    *,
    messages: bool = True,
) -> Case:
    text = TEXT.format(users=users, least=least, target=target, shufflers=shufflers)
    scenario = loads(text + faults)
    people = samples(scenario, seed).people
    return Case(scenario, people, draw_faults(scenario, people.n, seed), seed, messages)


def fault(attack: str, who: str, number: int) -> str:
    return f'[[fault]]\nattack = "{attack}"\nby = "{who}"\nround = {number}\n'


@pytest.mark.slow
@pytest.mark.parametrize("shufflers", [1, 2, 3])
@pytest.mark.parametrize("target", [0.05, 0.2, 1.0])
def test_shares_decide_and_release_what_two_round_does(shufflers: int, target: float) -> None:
    one = case(shufflers=shufflers, target=target)
    played, silent = shares.play(one), shares.ideal(one)
    outcome = run(one.scenario, one.seed, "real", worst_case_seconds=0)
    assert played.decision == silent.decision == outcome.decision
    assert played.release == silent.release == outcome.release
    assert played.marginals == silent.marginals == outcome.marginals
    assert played.burned is silent.burned is None


FAULTS = {
    "absent in round 1": (fault("absent", "user-5", 1), {}),
    "late": (fault("late", "user-5", 1), {"late": 2}),
    "malformed share": (fault("malformed", "user-1?", 1), {"does-not-open": 20}),
    "twice": (fault("duplicate", "user-5", 1), {"duplicate": 2}),
    "three absent in round 2": (fault("absent", "user-1[0-2]", 2), {}),
    "malformed in round 2": (fault("malformed", "user-1[0-2]", 2), {"does-not-open": 3}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_shares_with_faults_are_the_ideal_with_them(name: str) -> None:
    faults, refused = FAULTS[name]
    one = case(faults)
    played, silent = shares.play(one), shares.ideal(one)
    assert played.marginals == silent.marginals
    assert played.release == silent.release is not None
    assert played.purse.refused == refused
    outcome = run(one.scenario, one.seed, "ideal", worst_case_seconds=0)
    assert played.release == outcome.release


@pytest.mark.slow
def test_one_person_missing_in_round_2_burns_it() -> None:
    one = case(fault("absent", "user-5", 2))
    played, silent = shares.play(one), shares.ideal(one)
    assert played.burned == silent.burned
    assert "1 of 60 people are missing" in (played.burned or "")
    assert played.release is silent.release is None


def test_too_few_people_burn_every_program() -> None:
    one = case(fault("absent", "user-*", 1), users=6, least=5)
    found = [
        *shares.shares(one), *trusted.trusted(one), *trusted.cells(one),
        *local.local(Case(with_epsilon(one), one.people, one.faults, 3, messages=True)),
    ]  # fmt: skip
    assert len(found) == 5
    assert all("0 people" in (one.burned or "") for one in found)
    assert all(one.utility.columns == () and one.utility.cells == 0 for one in found)
    assert "arrived at both aggregators" in (found[0].burned or "")


def with_epsilon(one: Case, epsilon: float = 2.0, mechanism: str = "none"):
    noise = changed(one.scenario.local, epsilon=epsilon, mechanism=mechanism)
    return changed(one.scenario, local=noise)


def test_who_links_whom_by_shares_comes_from_the_shares_themselves() -> None:
    one = case(fault("malformed", "user-7", 1))
    seen, told = shares.play(one), shares.ideal(one)
    assert seen.linked is not None
    assert len(seen.linked) == 59
    assert all(tuple(row.values()) == one.people.row(user) for user, row in seen.linked.items())
    from_messages = {r.parties: r for r in shares.learnt(one, seen)}
    by_rule = {r.parties: r for r in shares.learnt(one, told)}
    assert from_messages.keys() == by_rule.keys()
    both = (AGGREGATOR_1, AGGREGATOR_2)
    assert from_messages[both].linked == by_rule[both].linked == 59
    for parties, received in from_messages.items():
        assert received.linked == by_rule[parties].linked
        end = {"analyst", "shuffler-1", "shuffler-2"}
        breaks = set(both) <= set(parties) or end <= set(parties)
        assert bool(received.linked) == breaks


def test_one_aggregator_and_everybody_else_learn_no_more_than_the_counts() -> None:
    one = case()
    found = {r.parties: r for r in shares.learnt(one, shares.play(one))}
    curator = found["curator",]
    more = found["aggregator-1", "curator", "shuffler-1", "shuffler-2"]
    assert more.bits == curator.bits
    assert found["aggregator-1",].bits == found[()].bits  # the release alone


def test_open_domains_are_not_for_shares() -> None:
    text = TEXT.format(users=20, least=2, target=0.2, shufflers=2)
    scenario = loads(
        text.replace('prefer       = ["survived", "sex"]', "")
        + '[[feature]]\nname = "class"\nopen = true\n'
    )
    people = samples(scenario, 1).people
    with pytest.raises(ParameterError, match="only public domains"):
        list(shares.shares(Case(scenario, people, {}, 1, messages=True)))


def test_a_reader_has_what_people_sent() -> None:
    one = case(fault("malformed", "user-5", 1) + fault("duplicate", "user-6", 1))
    rows = [one.people.row(i) for i in range(one.n)]
    widths = [feature.width for feature in one.people.schema.features]
    read, purse = direct.hand_in(one, rows, widths)
    assert read == {user: row for user, row in enumerate(rows) if user != 4}
    assert purse.refused == {"does-not-open": 1, "duplicate": 1}
    assert purse.bytes % one.n == 0  # every message has one size


def test_the_trusted_curator_knows_everything_and_the_analyst_the_release() -> None:
    one = case()
    found = next(iter(trusted.trusted(one)))
    most = found.trust.most_trusted
    assert most.parties == ("curator",)
    assert most.bits_per_person == pytest.approx(sum(log2(size) for size in one.sizes))
    assert most.verdict == "everything"
    assert found.trust.smallest == (("curator",),)
    assert found.privacy.true == found.privacy.promised
    assert found.privacy.true <= 0.2
    two_round = run(one.scenario, 3, "ideal", worst_case_seconds=0)
    assert len(found.utility.columns) >= len(two_round.kept)


@pytest.mark.slow
def test_blanked_rows_expose_nobody() -> None:
    one = case()
    found = next(iter(trusted.cells(one)))
    assert found.privacy.true == found.privacy.promised == 0
    assert found.utility.cells < 1
    analyst = next(c for c in found.trust.coalitions if c.parties == ("analyst",))
    assert analyst.bits_are == "at least"
    assert 0 < analyst.bits_per_person < found.trust.most_trusted.bits_per_person


@pytest.mark.parametrize("kind", ["fixed", "all"])
def test_a_policy_that_does_not_choose_is_not_chosen_for(kind: str) -> None:
    one = case()
    policy = changed(one.scenario.policy, kind=kind, keep=("sex",) if kind == "fixed" else ())
    one = Case(changed(one.scenario, policy=policy), one.people, {}, 3, messages=False)
    found = next(iter(trusted.trusted(one)))
    assert found.utility.columns == (("sex",) if kind == "fixed" else one.people.schema.names)


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
def test_what_a_joint_report_tells_is_that_of_its_matrix(epsilon: float) -> None:
    one = case()
    asked = local.joint(one, epsilon)
    Q = asked[0].randomizer.matrix
    cells = np.ravel_multi_index(tuple(one.codes().T), one.sizes)
    p = np.bincount(cells, minlength=Q.shape[1]) / one.n
    y = Q @ p
    truth = float((Q * np.log2(Q / y[:, None])).sum(axis=0) @ p)
    assert local.tell(one, "joint", asked) == pytest.approx(truth)


def test_more_epsilon_is_less_error_and_more_told() -> None:
    one = case(users=600)
    for how, ask in (("joint", local.joint), ("features", local.features)):
        worth = []
        for epsilon in (0.5, 16.0):
            asked = ask(one, epsilon)
            errors = local.draws(one, how, asked)
            worth.append((np.mean([e.mean for e in errors]), local.tell(one, how, asked)))
        assert worth[1][0] < worth[0][0]
        assert worth[1][1] > worth[0][1]


def test_without_noise_the_joint_tables_are_right_and_the_products_are_products() -> None:
    one = case(users=300)
    errors = local.draws(one, "joint", local.joint(one, 30.0))
    assert max(e.largest for e in errors) < 1e-9
    products = local.draws(one, "features", local.features(one, 120.0))
    assert products[0].distances == pytest.approx(products[1].distances)
    assert products[0].mean > 0.01  # sex and survival are far from independent


@pytest.mark.parametrize("mechanism", ["grr", "rappor", "oue", "blh", "local-hash"])
def test_every_mechanism_answers_without_a_mix(mechanism: str) -> None:
    one = case(users=40)
    noisy = Case(with_epsilon(one, 4.0, mechanism), one.people, {}, 3, messages=True)
    found = {one.program: one for one in local.local(noisy)}
    assert set(found) == {"local joint e=4", "local features e=4"}
    features = found["local features e=4"]
    assert features.trust.most_trusted.linked == 40
    assert features.trust.most_trusted.reports
    assert features.privacy.epsilon == 4
    assert features.utility.mean_limits is not None
    low, high = features.utility.mean_limits
    assert low <= features.utility.mean <= high


def test_costs_of_samples_are_scaled_with_students_interval() -> None:
    found = scaled([1.0, 2.0, 3.0, 2.0], [10.0] * SAMPLES, SAMPLE, 2, 0.5)
    assert found.cpu == 2.5
    assert found.cpu_limits is not None
    reach = 3.182446 * np.std([1, 2, 3, 2], ddof=1) / 2
    assert found.cpu_limits[1] - found.cpu == pytest.approx(reach, rel=1e-3)
    assert (found.people, found.samples, found.bytes, found.rounds) == (SAMPLE, 4, 10.0, 2)


@pytest.mark.slow
def test_a_sample_costs_as_many_bytes_as_everybody() -> None:
    one = case(users=500)
    whole = next(iter(shares.shares(one)))
    part = next(iter(shares.shares(Case(one.scenario, one.people, {}, 3, messages=False))))
    assert part.cost.samples == SAMPLES
    assert part.cost.bytes == whole.cost.bytes
    assert part.utility == whole.utility
    assert part.trust == whole.trust


def test_how_many_rows_a_report_gives_away_is_what_guessing_finds() -> None:
    """Against an analyst who guesses 200 times, with the posterior worked out row by row."""
    one = case(users=80)
    for how, asked in (("joint", local.joint(one, 3.0)), ("features", local.features(one, 6.0))):
        rows, place, people = np.unique(
            one.codes(), axis=0, return_inverse=True, return_counts=True
        )
        right = []
        for seed in range(200):
            rng = np.random.default_rng(seed)
            likely = np.tile(people / 80, (80, 1))
            for question in asked:
                told = question.randomizer.sample(
                    local.symbols(one, how, question, one.codes()), rng
                )
                own = local.symbols(one, how, question, rows)
                likely *= question.randomizer.matrix[told][:, own]
            right.append(float((likely.argmax(axis=1) == place.ravel()).mean()))
        error = np.std(right) / np.sqrt(200)
        found = local.guessed(one, how, asked)
        assert found == pytest.approx(np.mean(right), abs=4 * error)
        assert people.max() / 80 < found < 1


def test_guessing_has_its_ends() -> None:
    one = case(users=80)
    people = np.unique(one.codes(), axis=0, return_counts=True)[1]
    assert local.guessed(one, "joint", local.joint(one, 1e-6)) == pytest.approx(people.max() / 80)
    assert local.guessed(one, "features", local.features(one, 200.0)) == pytest.approx(1)
    bits = Case(with_epsilon(one, 2.0, "oue"), one.people, {}, 3, messages=False)
    assert local.guessed(bits, "features", local.features(bits, 2.0)) is None
    assert next(iter(trusted.trusted(one))).trust.most_trusted.rows_guessed == pytest.approx(1)


def test_rules_of_hiding_are_probabilities_of_a_blank() -> None:
    one = case()
    column = one.people.schema.column("class")
    texts = one.people.values[column]
    rules = [Redact(column, tuple(sorted(texts[:2])), 1 << 30)]
    assert left_blank(one, rules) == {column: [1.0, 1.0, *[0.25] * (len(texts) - 2)]}
    masks = [Mask(column, (texts[0],))]
    assert left_blank(one, masks) == {column: [0.0, *[1.0] * (len(texts) - 1)]}


def test_a_direct_message_is_that_of_the_document() -> None:
    """docs/wire.md, read without the module."""
    one = case(users=3)
    line = direct.Line.open(one, [3, 4], one.entropy("document"))
    layer = line.seal(1, ("abc", "é"), one.entropy("person"))
    plain = open_layer(line.reader.secret, layer, line.context(1))
    assert plain == b"\0\x02\0\x03abc\0\x02\xc3\xa9\x80\0\0"
    assert len(plain) == 3 + 2 + 3 + 2 + 4
    context = hashlib.sha256(b"veilmix direct 1\0" + line.session + b"\0\0\0\x01").digest()
    assert line.context(1) == context
    assert line.read(1, layer) == ("abc", "é")

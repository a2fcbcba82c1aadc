"""The rivals: the same answers as the program they rival, what they see, and who is refused."""

import hashlib
from math import log2

import numpy as np
import pytest
from msgspec.structs import replace as changed
from veilmix.crypto.layer import open_layer
from veilmix.errors import ParameterError
from veilmix.protocol.rounds.shares import AGGREGATOR_1, AGGREGATOR_2
from veilmix.protocol.wire.hiding_rules import Mask, Redact
from veilmix.scenarios.lab.play.fault_schedule import draw_faults
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import loads
from veilmix.scenarios.programs.registry import samples
from veilmix.scenarios.studies.comparison import direct, local, shares, trusted
from veilmix.scenarios.studies.comparison.case import SAMPLE, SAMPLES, Case, scaled
from veilmix.scenarios.studies.comparison.utility import left_blank

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
    trial = case(shufflers=shufflers, target=target)
    played, silent = shares.play(trial), shares.ideal(trial)
    outcome = run(trial.scenario, trial.seed, "real", worst_case_nodes=0)
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
    trial = case(faults)
    played, silent = shares.play(trial), shares.ideal(trial)
    assert played.marginals == silent.marginals
    assert played.release == silent.release is not None
    assert played.purse.refused == refused
    outcome = run(trial.scenario, trial.seed, "ideal", worst_case_nodes=0)
    assert played.release == outcome.release


@pytest.mark.slow
def test_one_person_missing_in_round_2_burns_it() -> None:
    trial = case(fault("absent", "user-5", 2))
    played, silent = shares.play(trial), shares.ideal(trial)
    assert played.burned == silent.burned
    assert "1 of 60 people are missing" in (played.burned or "")
    assert played.release is silent.release is None


def test_too_few_people_burn_every_program() -> None:
    trial = case(fault("absent", "user-*", 1), users=6, least=5)
    programs = [
        *shares.shares(trial), *trusted.trusted(trial), *trusted.cells(trial),
        *local.local(Case(with_epsilon(trial), trial.people, trial.faults, 3, messages=True)),
    ]  # fmt: skip
    assert len(programs) == 5
    assert all("0 people" in (program.burned or "") for program in programs)
    assert all(program.utility.columns == () and program.utility.cells == 0 for program in programs)
    assert "arrived at both aggregators" in (programs[0].burned or "")


def with_epsilon(trial: Case, epsilon: float = 2.0, mechanism: str = "none"):
    noise = changed(trial.scenario.local, epsilon=epsilon, mechanism=mechanism)
    return changed(trial.scenario, local=noise)


def test_who_links_whom_by_shares_comes_from_the_shares_themselves() -> None:
    trial = case(fault("malformed", "user-7", 1))
    seen, told = shares.play(trial), shares.ideal(trial)
    assert seen.linked is not None
    assert len(seen.linked) == 59
    assert all(tuple(row.values()) == trial.people.row(user) for user, row in seen.linked.items())
    from_messages = {r.parties: r for r in shares.learnt(trial, seen)}
    by_rule = {r.parties: r for r in shares.learnt(trial, told)}
    assert from_messages.keys() == by_rule.keys()
    both = (AGGREGATOR_1, AGGREGATOR_2)
    assert from_messages[both].linked == by_rule[both].linked == 59
    for parties, received in from_messages.items():
        assert received.linked == by_rule[parties].linked
        end = {"analyst", "shuffler-1", "shuffler-2"}
        breaks = set(both) <= set(parties) or end <= set(parties)
        assert bool(received.linked) == breaks


def test_one_aggregator_and_everybody_else_learn_no_more_than_the_counts() -> None:
    trial = case()
    coalitions = {r.parties: r for r in shares.learnt(trial, shares.play(trial))}
    curator = coalitions["curator",]
    more = coalitions["aggregator-1", "curator", "shuffler-1", "shuffler-2"]
    assert more.bits == curator.bits
    assert coalitions["aggregator-1",].bits == coalitions[()].bits  # the release alone


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
    trial = case(fault("malformed", "user-5", 1) + fault("duplicate", "user-6", 1))
    rows = [trial.people.row(i) for i in range(trial.n)]
    widths = [feature.width for feature in trial.people.schema.features]
    read, purse = direct.hand_in(trial, rows, widths)
    assert read == {user: row for user, row in enumerate(rows) if user != 4}
    assert purse.refused == {"does-not-open": 1, "duplicate": 1}
    assert purse.bytes % trial.n == 0  # every message has one size


def test_the_trusted_curator_knows_everything_and_the_analyst_the_release() -> None:
    trial = case()
    program = next(iter(trusted.trusted(trial)))
    most = program.trust.largest_party_leakage
    assert most.parties == ("curator",)
    assert most.bits_per_person == pytest.approx(sum(log2(size) for size in trial.sizes))
    assert most.verdict == "everything"
    assert program.trust.smallest == (("curator",),)
    assert program.privacy.true == program.privacy.promised
    assert program.privacy.true <= 0.2
    two_round = run(trial.scenario, 3, "ideal", worst_case_nodes=0)
    assert len(program.utility.columns) >= len(two_round.released_columns)


@pytest.mark.slow
def test_blanked_rows_expose_nobody() -> None:
    trial = case()
    program = next(iter(trusted.cells(trial)))
    assert program.privacy.true == program.privacy.promised == 0
    assert program.utility.cells < 1
    analyst = next(c for c in program.trust.coalitions if c.parties == ("analyst",))
    assert analyst.bits_are == "at least"
    assert 0 < analyst.bits_per_person < program.trust.largest_party_leakage.bits_per_person


@pytest.mark.parametrize("kind", ["fixed", "all"])
def test_a_policy_that_does_not_choose_is_not_chosen_for(kind: str) -> None:
    trial = case()
    policy = changed(trial.scenario.policy, kind=kind, keep=("sex",) if kind == "fixed" else ())
    trial = Case(changed(trial.scenario, policy=policy), trial.people, {}, 3, messages=False)
    program = next(iter(trusted.trusted(trial)))
    assert program.utility.columns == (("sex",) if kind == "fixed" else trial.people.schema.names)


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
def test_what_a_joint_report_tells_is_that_of_its_matrix(epsilon: float) -> None:
    trial = case()
    asked = local.joint(trial, epsilon)
    Q = asked[0].randomizer.matrix
    cells = np.ravel_multi_index(tuple(trial.codes().T), trial.sizes)
    p = np.bincount(cells, minlength=Q.shape[1]) / trial.n
    y = Q @ p
    truth = float((Q * np.log2(Q / y[:, None])).sum(axis=0) @ p)
    assert local.report_leakage(trial, "joint", asked) == pytest.approx(truth)


def test_more_epsilon_is_less_error_and_more_told() -> None:
    trial = case(users=600)
    for how, ask in (("joint", local.joint), ("features", local.features)):
        worth = []
        for epsilon in (0.5, 16.0):
            asked = ask(trial, epsilon)
            errors = local.draws(trial, how, asked)
            worth.append(
                (np.mean([e.mean for e in errors]), local.report_leakage(trial, how, asked))
            )
        assert worth[1][0] < worth[0][0]
        assert worth[1][1] > worth[0][1]


def test_without_noise_the_joint_tables_are_right_and_the_products_are_products() -> None:
    trial = case(users=300)
    errors = local.draws(trial, "joint", local.joint(trial, 30.0))
    assert max(e.largest for e in errors) < 1e-9
    products = local.draws(trial, "features", local.features(trial, 120.0))
    assert products[0].distances == pytest.approx(products[1].distances)
    assert products[0].mean > 0.01  # sex and survival are far from independent


@pytest.mark.parametrize("mechanism", ["grr", "rappor", "oue", "blh", "local-hash"])
def test_every_mechanism_answers_without_a_mix(mechanism: str) -> None:
    trial = case(users=40)
    noisy = Case(with_epsilon(trial, 4.0, mechanism), trial.people, {}, 3, messages=True)
    programs = {program.program: program for program in local.local(noisy)}
    assert set(programs) == {"local joint e=4", "local features e=4"}
    features = programs["local features e=4"]
    assert features.trust.largest_party_leakage.linked == 40
    assert features.trust.largest_party_leakage.reports
    assert (features.privacy.epsilon, features.privacy.adjacency) == (4, "replace one")
    assert features.utility.mean_limits is not None
    low, high = features.utility.mean_limits
    assert low <= features.utility.mean <= high


def test_costs_of_samples_are_scaled_with_students_interval() -> None:
    cost = scaled([1.0, 2.0, 3.0, 2.0], [10.0] * SAMPLES, SAMPLE, 2, 0.5)
    assert cost.cpu == 2.5
    assert cost.cpu_limits is not None
    reach = 3.182446 * np.std([1, 2, 3, 2], ddof=1) / 2
    assert cost.cpu_limits[1] - cost.cpu == pytest.approx(reach, rel=1e-3)
    assert (cost.people, cost.samples, cost.bytes, cost.rounds) == (SAMPLE, 4, 10.0, 2)


@pytest.mark.slow
def test_a_sample_costs_as_many_bytes_as_everybody() -> None:
    trial = case(users=500)
    whole = next(iter(shares.shares(trial)))
    part = next(iter(shares.shares(Case(trial.scenario, trial.people, {}, 3, messages=False))))
    assert part.cost.samples == SAMPLES
    assert part.cost.bytes == whole.cost.bytes
    assert part.utility == whole.utility
    assert part.trust == whole.trust


def test_how_many_rows_a_report_gives_away_is_what_guessing_finds() -> None:
    """Against an analyst who guesses 200 times, with the posterior worked out row by row."""
    trial = case(users=80)
    for how, asked in (
        ("joint", local.joint(trial, 3.0)),
        ("features", local.features(trial, 6.0)),
    ):
        rows, place, people = np.unique(
            trial.codes(), axis=0, return_inverse=True, return_counts=True
        )
        right = []
        for seed in range(200):
            rng = np.random.default_rng(seed)
            likely = np.tile(people / 80, (80, 1))
            for question in asked:
                told = question.randomizer.sample(
                    local.symbols(trial, how, question, trial.codes()), rng
                )
                own = local.symbols(trial, how, question, rows)
                likely *= question.randomizer.matrix[told][:, own]
            right.append(float((likely.argmax(axis=1) == place.ravel()).mean()))
        error = np.std(right) / np.sqrt(200)
        share = local.guessed(trial, how, asked)
        assert share == pytest.approx(np.mean(right), abs=4 * error)
        assert people.max() / 80 < share < 1


def test_guessing_has_its_ends() -> None:
    trial = case(users=80)
    people = np.unique(trial.codes(), axis=0, return_counts=True)[1]
    assert local.guessed(trial, "joint", local.joint(trial, 1e-6)) == pytest.approx(
        people.max() / 80
    )
    assert local.guessed(trial, "features", local.features(trial, 200.0)) == pytest.approx(1)
    bits = Case(with_epsilon(trial, 2.0, "oue"), trial.people, {}, 3, messages=False)
    assert local.guessed(bits, "features", local.features(bits, 2.0)) is None
    assert next(
        iter(trusted.trusted(trial))
    ).trust.largest_party_leakage.rows_guessed == pytest.approx(1)


def test_rules_of_hiding_are_probabilities_of_a_blank() -> None:
    trial = case()
    column = trial.people.schema.column("class")
    texts = trial.people.values[column]
    rules = [Redact(column, tuple(sorted(texts[:2])), 1 << 30)]
    assert left_blank(trial, rules) == {column: [1.0, 1.0, *[0.25] * (len(texts) - 2)]}
    masks = [Mask(column, (texts[0],))]
    assert left_blank(trial, masks) == {column: [0.0, *[1.0] * (len(texts) - 1)]}


def test_a_direct_message_is_that_of_the_document() -> None:
    """The docstring of the module, read without its code."""
    trial = case(users=3)
    line = direct.DirectWay.open(trial, [3, 4], trial.entropy("document"))
    layer = line.seal(1, ("abc", "é"), trial.entropy("person"))
    plain = open_layer(line.reader.secret, layer, line.context(1))
    assert plain == b"\0\x02\0\x03abc\0\x02\xc3\xa9\x80\0\0"
    assert len(plain) == 3 + 2 + 3 + 2 + 4
    context = hashlib.sha256(b"veilmix direct 1\0" + line.session + b"\0\0\0\x01").digest()
    assert line.context(1) == context
    assert line.read(1, layer) == ("abc", "é")

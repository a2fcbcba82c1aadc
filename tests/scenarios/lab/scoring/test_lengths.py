"""Messages that are not padded: what their length alone tells, and what it tells with counts."""

from collections import Counter
from math import log, log2
from pathlib import Path

import pytest
from veilmix.analysis.trust.best_guesses import Method
from veilmix.analysis.trust.fiber import log_multinomial
from veilmix.protocol.wire.messages import Kind
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.views import learnt_in

SCHOOL = {"none": 4, "HS-grad": 14, "Masters": 5, "Doctorate": 2, "Bachelors": 9, "Some-college": 6}
FILE = """
[scenario]
name = "lengths"
seed = 3
[population]
source = "people.csv"
[mix]
pad = {pad}
[policy]
kind = "all"
k = 2
max_exposure = 1.0
[[coalition]]
name = "listener"
parties = ["network"]
[[coalition]]
name = "listener and curator"
parties = ["network", "curator"]
"""


def rows(*, two: bool) -> list[tuple[str, ...]]:
    schools = [school for school, people in SCHOOL.items() for _ in range(people)]
    kinds = ("adults", "kid")
    return [(school, kinds[i % 3 > 0]) if two else (school,) for i, school in enumerate(schools)]


def played(folder: Path, *, two: bool = False, pad: bool = False) -> Outcome:
    names = ("school", "grown")[: 1 + two]
    text = "\n".join(",".join(row) for row in (names, *rows(two=two)))
    (folder / "people.csv").write_text(text + "\n", "utf-8")
    (folder / "lengths.toml").write_text(FILE.format(pad=str(pad).lower()), "utf-8")
    return run(load(folder / "lengths.toml"), worst_case_nodes=0)


@pytest.mark.slow
def test_the_best_guess_from_a_length_is_the_commonest_value_that_long(tmp_path: Path) -> None:
    outcome = played(tmp_path)
    coalitions = learnt_in(read(save(outcome, tmp_path)), "marginals")
    network = next(coalition for coalition in coalitions if coalition.parties == ("network",))
    best: Counter[int] = Counter()
    for school, people in SCHOOL.items():
        best[len(school)] = max(best[len(school)], people)
    assert network.cells_guessed == pytest.approx(sum(best.values()))
    assert network.cells_guessed_before == pytest.approx(max(SCHOOL.values()))
    assert network.cells_certain == SCHOOL["none"] + SCHOOL["Some-college"]
    assert dict(network.sets) == {4: 1, 6: 1, 11: 1, 19: 1}
    assert network.linked == 0


@pytest.mark.slow
def test_lengths_and_counts_together_are_exact(tmp_path: Path) -> None:
    """Each length class has its own counts: multinomials by class."""
    coalition = played(tmp_path).coalition("network", "curator")
    classes = [(4,), (14, 5), (2, 9), (6,)]
    left = sum(log_multinomial(some) for some in classes) / log(2)
    assert coalition.exact
    assert coalition.bits == pytest.approx(40 * log2(6) - left)


@pytest.mark.slow
def test_two_answers_show_their_sum_to_who_listens_and_each_to_the_shuffler(tmp_path: Path) -> None:
    outcome = played(tmp_path, two=True)
    assert outcome.transcript is not None
    sizes = {
        event.sender: event.size
        for event in outcome.transcript.events
        if event.kind is Kind.SUBMISSION and event.round == 1
    }
    long = {f"user-{i + 1}": sum(map(len, row)) for i, row in enumerate(rows(two=True))}
    assert len({sizes[user] - long[user] for user in sizes}) == 1  # the bytes say what is assumed
    network, first = outcome.coalition("network"), outcome.coalition("shuffler-1")
    assert network.cells_certain <= first.cells_certain
    assert network.bits < first.bits
    both = outcome.coalition("network", "curator")
    assert both.bits > outcome.coalition("curator").bits
    assert both.method in (Method.EXACT, Method.SAMPLED)
    guessed, alone = both.cells_guessed, outcome.coalition("curator").cells_guessed
    assert guessed is not None
    assert alone is not None
    assert guessed > alone


@pytest.mark.slow
def test_padding_hides_all_of_it(tmp_path: Path) -> None:
    outcome = played(tmp_path, pad=True)
    assert outcome.coalition("network").bits == outcome.coalition().bits
    assert outcome.coalition("network").sets == ((40, 1),)

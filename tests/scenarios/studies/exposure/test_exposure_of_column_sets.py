"""What can be asked of a recorded run: its sets of columns, exposure at every k, its traffic."""

from pathlib import Path

import pytest
from claims_kit import claiming
from veilmix.analysis.composition import best_bound
from veilmix.analysis.exposure import joint_counts, users_below
from veilmix.presentation.sections.crowds import exposure_figure
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.protocol.wire.messages import Kind
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.populations.tables import shipped
from veilmix.scenarios.records.run_folder import Run, read, save
from veilmix.scenarios.records.traffic import traffic
from veilmix.scenarios.records.verification.population import people
from veilmix.scenarios.studies.exposure.column_sets import choices
from veilmix.scenarios.studies.exposure.exposure_curves import curves, grid


@pytest.fixture(scope="module")
def played() -> Outcome:
    return run("blood-type", 7, worst_case_nodes=10)


@pytest.fixture(scope="module")
def recorded(played: Outcome, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return read(save(played, tmp_path_factory.mktemp("told")))


@pytest.fixture(scope="module")
def titanic(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return read(save(run("titanic", 3, "ideal", worst_case_nodes=10), tmp_path_factory.mktemp("t")))


def test_every_set_is_there_with_the_promise_of_the_run(played: Outcome, recorded: Run) -> None:
    options = choices(recorded)
    assert options is not None
    assert options.every
    said = {
        candidate.columns: (candidate.promised, candidate.safe) for candidate in played.considered
    }
    assert {
        chosen.columns: (chosen.promised / chosen.bound_population, chosen.safe)
        for chosen in options.sets
    } == said
    assert options.dropped == played.dropped
    assert [chosen.columns for chosen in options.sets if chosen.released] == [
        played.released_columns
    ]


@pytest.mark.slow
def test_truth_is_counted_in_the_people(titanic: Run) -> None:
    """The truth of every set, for whole tables, is that of the shipped table."""
    options = choices(titanic)
    assert options is not None
    table = shipped("titanic")
    for chosen in options.sets:
        columns = [table.columns.index(name) for name in chosen.columns]
        assert chosen.truth == users_below(joint_counts(table.codes, columns), 5)
        assert chosen.counted == 2201
        assert chosen.truth <= chosen.promised
    released = next(chosen for chosen in options.sets if chosen.released)
    assert released.truth == round(titanic.result.exposure.true * 2201)


def test_entropy_grows_with_columns_and_is_that_of_the_counts(recorded: Run) -> None:
    options = choices(recorded)
    assert options is not None
    bits = {chosen.columns: chosen.entropy for chosen in options.sets}
    assert bits["A",] is not None
    assert bits["A",] == pytest.approx(0.99679, abs=1e-5)  # 16 and 14 of 30
    for chosen in options.sets:
        for other in options.sets:
            if set(chosen.columns) <= set(other.columns):
                assert (chosen.entropy or 0) <= (other.entropy or 0) + 1e-12


@pytest.mark.slow
def test_a_real_run_and_an_ideal_one_tell_the_same(recorded: Run, tmp_path: Path) -> None:
    ideal = read(save(run("blood-type", 7, "ideal", worst_case_nodes=10), tmp_path))
    assert choices(ideal) == choices(recorded)
    assert curves(ideal, choices(ideal), 0) == curves(recorded, choices(recorded), 0)


def test_people_who_do_not_fit_the_counts_are_not_the_people(recorded: Run) -> None:
    assert people(recorded) is not None
    lying = claiming(recorded, lambda data: data["marginals"].update(A={"N": 17, "Y": 13}))
    assert people(lying) is None


def test_an_unseeded_ideal_run_knows_the_truth_of_what_was_released(tmp_path: Path) -> None:
    scenario = tmp_path / "mine.toml"
    scenario.write_text(
        '[scenario]\nname = "mine"\n[population]\nsource = "builtin:blood-type"\nusers = 300\n'
        '[policy]\nkind = "fixed"\nkeep = ["A", "B"]\nk = 2\nmax_exposure = 1.0\n',
        "utf-8",
    )
    options = choices(read(save(run(scenario, None, "ideal", worst_case_nodes=0), tmp_path)))
    assert options is not None
    known = {chosen.columns for chosen in options.sets if chosen.truth is not None}
    assert known == {("A",), ("B",), ("A", "B")}


@pytest.mark.slow
def test_the_curves_are_the_bounds_and_the_truth(recorded: Run) -> None:
    graph = curves(recorded, choices(recorded), 100)
    assert graph is not None
    assert graph.columns == ("A", "B")
    marginals = [list(recorded.result.marginals[name].values()) for name in graph.columns]
    for rule, bounds in graph.bounds.items():
        assert bounds == tuple(best_bound(marginals, k, rule).people for k in graph.ks)
    cells = recorded.result.release.crowds
    assert graph.truth is not None
    worst = {bound.k: bound for bound in graph.worst}
    assert graph.k in worst
    for at, k in enumerate(graph.ks):
        assert graph.truth(k) == users_below(cells, k)
        assert graph.truth(k) <= graph.bounds["coverage"][at] <= graph.bounds["refined"][at]
        if k in worst:
            assert graph.truth(k) <= worst[k].attained_people <= worst[k].proven
            assert worst[k].attained_people <= graph.bounds["coverage"][at]


def test_k_is_on_the_grid() -> None:
    assert grid(30, 7)[0] == 2
    assert grid(30, 7)[-1] == 30
    assert 7 in grid(30, 7)
    assert 999 in grid(10**6, 999)
    assert grid(2, 5) == (2, 3)


@pytest.mark.slow
def test_a_randomized_run_has_no_sets(tmp_path: Path) -> None:
    record = read(save(run("randomized-class", 7, "ideal"), tmp_path))
    assert choices(record) is None
    assert curves(record, None) is None


def test_traffic_is_what_was_recorded(played: Outcome) -> None:
    transcript = played.transcript
    assert transcript is not None
    totals = traffic(transcript)
    assert totals is not None
    assert totals.messages == len(transcript.events)
    assert totals.size == sum(event.size for event in transcript.events)
    assert {(f.kind, f.round): (f.messages, f.size) for f in totals.flows} == {
        (kind.name.lower() if kind else "", number): both
        for (kind, number), both in transcript.traffic().items()
    }
    assert [sum(size.values()) for size in totals.sizes.values()] == [30, 30]
    assert all(len(size) == 1 for size in totals.sizes.values())
    assert traffic(None) is None


def test_submissions_of_other_lengths_are_counted_apart() -> None:
    from veilmix.protocol.knowledge.transcript import Event

    events = [
        Event(i, 0.0, f"user-{i + 1}", "shuffler-1", Kind.SUBMISSION, 1, size)
        for i, size in enumerate((100, 100, 120))
    ]
    transcript = Transcript(3)
    transcript.events.extend(events)
    totals = traffic(transcript)
    assert totals is not None
    assert totals.sizes == {1: {100: 2, 120: 1}}
    assert (totals.flows[0].smallest, totals.flows[0].largest) == (100, 120)


def test_beside_the_curves_stands_what_the_run_promised(titanic: Run) -> None:
    """By its own rule, which may be sharper than all of them; and in the figure."""
    drawn = curves(titanic, choices(titanic), 0)
    assert drawn is not None
    assert titanic.result.decision is not None
    proof = titanic.result.decision.certificate
    assert drawn.promised == (proof.rule, proof.people)
    assert proof.rule == "margins"
    assert proof.people <= drawn.bounds["coverage"][drawn.ks.index(drawn.k)]
    figure = exposure_figure(drawn)
    assert figure.svg.count('class="promised"') == 2  # the mark, and its line of the legend
    assert f"promised by the run (margins): at most {proof.people:,}" in figure.svg

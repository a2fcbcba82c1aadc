"""`policy.ask = "best"`: one group after the other, chosen from what is known, and checked."""

from dataclasses import replace as exchanged
from pathlib import Path
from typing import Any

import pytest
from checks_kit import require
from msgspec.structs import replace
from sample_kit import sampled
from veilmix.analysis.trust.certain_cells import Certain
from veilmix.analysis.trust.side import Side
from veilmix.errors import ScenarioError
from veilmix.languages.language import english
from veilmix.presentation.presenters.hierarchical import row
from veilmix.presentation.presenters.registry import presenter_for
from veilmix.protocol.board.strategies import BEST, MOST_CHOSEN, RoundResult
from veilmix.protocol.wire.hiding_rules import Mask, Redact
from veilmix.protocol.wire.messages import Call
from veilmix.protocol.wire.parties import Role
from veilmix.report.make import make
from veilmix.scenarios.lab.play.announcement import announced_policy
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import change, load
from veilmix.scenarios.programs.hierarchical.program import (
    HierarchicalProgram,
)
from veilmix.scenarios.programs.hierarchical.round_counts import masked, standings
from veilmix.scenarios.programs.hierarchical.rounds import RoundRecord
from veilmix.scenarios.programs.hierarchical.strategy import HierarchicalStrategy
from veilmix.scenarios.programs.registry import max_rounds
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.checks import verify
from veilmix.scenarios.records.verification.views import learnt_in
from veilmix.scenarios.schema.model import Expect, Scenario
from veilmix.scenarios.studies.cheating.coalition_study import AttemptTrial, attempts, play

CLASS = {"policy.ask": "best", "policy.max_exposure": 0.1}


def scenario(name: str, **terms: Any) -> Scenario:
    base = replace(load(name), expect=Expect())
    dotted = {key.replace("__", "."): value for key, value in terms.items()}
    return change(base, {"policy.kind": "hierarchical", "policy.ask": "best"} | dotted)


def asked(outcome: Outcome) -> list[tuple[str, ...]]:
    return [record.groups[0] for record in outcome.findings.rounds[1:]]


def path(outcome: Outcome) -> list[tuple[float, int]]:
    """Bits a person, and what is promised of all columns, after each question."""
    return [(record.bits_per_person, record.promised) for record in outcome.findings.rounds]


@pytest.mark.slow
@pytest.mark.parametrize("limit", [None, 0.1])
def test_real_is_ideal_and_verifies(limit: float | None, tmp_path: Path) -> None:
    terms = {} if limit is None else {"policy__curator_exposure": limit}
    chosen = scenario("hierarchical-class", **terms)
    real, ideal = (run(chosen, 2, mode, worst_case_nodes=0) for mode in ("real", "ideal"))
    assert real.findings.rounds == ideal.findings.rounds
    assert (real.decision, real.release) == (ideal.decision, ideal.release)
    assert len(asked(real)) > 1 or limit is not None
    assert all(len(record.groups) == 1 for record in real.findings.rounds[1:])
    if limit is not None:
        assert all(record.certain.high <= limit * 30 for record in real.findings.rounds[1:])
    require(verify(read(save(real, tmp_path)), wants_replay=True))


@pytest.mark.slow
def test_a_curator_that_asks_for_another_group_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It asks for a safe group that the board takes, but not the one that the counts lead to."""
    chosen = scenario("hierarchical-class")
    honest = HierarchicalStrategy.ask

    def another(self: HierarchicalStrategy, schema: Any, heard: Any) -> Call | None:
        call = honest(self, schema, heard)
        if call is None or len(heard) > 1:
            return call
        others = [(a, b) for a in range(4) for b in range(a + 1, 4) if (a, b) not in call.asks]
        return exchanged(call, asks=(others[0],))

    with monkeypatch.context() as cheating:
        cheating.setattr(HierarchicalStrategy, "ask", another)
        record = read(save(run(chosen, 2, worst_case_nodes=0), tmp_path))
    verdict = {check.name: check for check in verify(record, wants_replay=False)}["decision"]
    assert verdict.ok is False
    assert "asked in round 2" in verdict.detail


def test_the_way_of_asking_is_announced_and_belongs_to_hierarchical() -> None:
    chosen = scenario("hierarchical-class", policy__curator_exposure=0.25)
    assert announced_policy(chosen).rule == f"hierarchical {BEST} curator_exposure=0.25"
    levels = change(chosen, {"policy.ask": "levels"})
    assert announced_policy(levels).rule == "hierarchical curator_exposure=0.25"
    with pytest.raises(ScenarioError, match="does not read ask"):
        change(load("titanic"), {"policy.ask": "best"})
    with pytest.raises(ScenarioError, match="ask"):
        change(chosen, {"policy.ask": "worst"})


def test_a_session_has_a_round_for_each_group_that_may_be_chosen() -> None:
    few, many = scenario("hierarchical-class"), scenario("census")
    program = HierarchicalProgram()
    assert max_rounds(few.policy, 4) == 13  # all 11 groups
    assert max_rounds(many.policy, 10) == 2 + MOST_CHOSEN
    schema = run(few, 2, "ideal", worst_case_nodes=0).schema
    calls = program.rounds(few.policy, schema)
    assert [call.round for call in calls] == list(range(1, 14))
    assert [len(call.asks[0]) for call in calls[1:-1]] == [2] * 6 + [3] * 4 + [4]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "k", "target"),
    sampled(
        [
            ("hair-eye", 5, 0.1),
            ("hair-eye", 10, 0.2),
            ("admissions", 5, 0.01),
            ("admissions", 30, 0.02),
            ("admissions", 60, 0.1),
            ("titanic", 5, 0.05),
        ],
        5,
    ),
)
def test_the_path_is_never_above_whole_levels(name: str, k: int, target: float) -> None:
    terms = {"policy__k": k, "policy__max_exposure": target}
    chosen, levels = (
        run(scenario(name, policy__ask=ask, **terms), mode="ideal", worst_case_nodes=0)
        for ask in ("best", "levels")
    )
    enough = int(target * chosen.findings.rounds[0].people)
    for bits, promised in path(levels):
        reached = min(people for more, people in path(chosen) if more <= bits + 1e-9)
        assert reached <= max(promised, enough)
    assert chosen.released_columns == levels.released_columns


@pytest.mark.long
def test_census_from_race_and_work_to_all_four() -> None:
    """The promise after each question, and what each question was, k = 10 at 1 %."""
    outcome = run(scenario("hierarchical-census"), mode="ideal", worst_case_nodes=0)
    promised = [people for _, people in path(outcome)]
    assert promised == sorted(promised, reverse=True)
    assert promised[:2] == [1218, 817]
    assert asked(outcome)[0] == ("race", "workclass")
    assert {575, 363} < set(promised)
    assert promised[-1] == 307
    assert outcome.released_columns == ("sex", "income", "race", "workclass")


@pytest.mark.slow
def test_what_is_asked_follows_from_what_was_read() -> None:
    """Asked again from the record of rounds 1 to r, the same group comes out."""
    from veilmix.protocol.board.board import replay
    from veilmix.protocol.board.strategies import RoundResult

    chosen = scenario("hierarchical-class")
    outcome = run(chosen, 2, worst_case_nodes=0)
    assert outcome.transcript is not None
    board = replay(outcome.transcript.posts)
    reads = [reading for reading in outcome.transcript.reads if reading.reader == "curator"]
    heard = [RoundResult(c, r.counts) for c, r in zip(board.calls, reads, strict=False)]
    strategy = HierarchicalStrategy(chosen.policy)
    again = [strategy.ask(outcome.schema, heard[:number]) for number in range(1, len(heard) + 1)]
    assert again == [*(result.call for result in heard[1:]), None]
    promised = [standing.promised for standing in standings(outcome.schema, heard, 2)]
    assert promised == [record.promised for record in outcome.findings.rounds]


@pytest.mark.slow
def test_what_the_curator_saw_on_the_chosen_path_is_what_leak_scores(tmp_path: Path) -> None:
    """Real and ideal give every coalition the same; the curator's bits are those of its path."""
    chosen = scenario("hierarchical-class")
    real, ideal = (run(chosen, 2, mode, worst_case_nodes=0) for mode in ("real", "ideal"))
    mine = {
        coalition.parties: (coalition.bits, coalition.linked, coalition.crowd)
        for coalition in real.coalitions
    }
    assert mine == {
        coalition.parties: (coalition.bits, coalition.linked, coalition.crowd)
        for coalition in ideal.coalitions
    }
    bits, linked, crowd = mine["curator",]
    assert (linked, crowd) == (0, 30)
    assert bits / 30 >= real.findings.rounds[-1].bits_per_person - 1e-9  # and the release
    told = {
        coalition.parties: coalition.bits for coalition in learnt_in(read(save(real, tmp_path)))
    }
    assert told["curator",] == pytest.approx(bits)


@pytest.mark.slow
def test_coalitions_that_cheat_are_measured_on_the_chosen_path() -> None:
    """What reads a row takes the curator and the first shuffler, as with whole levels."""
    chosen = scenario("hierarchical-class", population__users=20)
    tried = {attempt.row: attempt for attempt in attempts(chosen)}
    for name in ("single-out", "swap"):
        assert {"curator", "shuffler-1"} <= set(tried[name].party_names)
        assert play(AttemptTrial(tried[name], 3)).read, name
    for name in ("equivocate", "split-view", "intersect", "delay", "forward"):
        assert not play(AttemptTrial(tried[name], 3)).read, name


@pytest.mark.parametrize(
    ("ask", "words"), sampled([("best", "lower"), ("levels", "one more feature")], 1)
)
def test_report_and_stage_say_how_it_asked(ask: str, words: str, tmp_path: Path) -> None:
    chosen = scenario("hierarchical-class", policy__ask=ask)
    outcome = run(chosen, 2, "ideal", worst_case_nodes=0)
    presenter = presenter_for(HierarchicalProgram())
    assert words in presenter.stage_rule(chosen.policy, english().part("theatre"))
    (part,) = presenter.section(chosen, outcome)
    assert words in part.lead
    first, last = outcome.findings.rounds[0].promised, outcome.findings.rounds[-1].promised
    assert f"at most {first:,} people" in part.lead
    assert f"at most {last:,}." in part.lead
    assert len(part.blocks[0].rows) == len(outcome.findings.rounds)
    assert "What the curator asked" in make(save(outcome, tmp_path)).html


def test_a_mask_leaves_the_values_that_are_still_named() -> None:
    """`masked` reads all rounds; a later mask of a column replaces an earlier one."""
    names = (("a", "b", "c"), ("x", "y"))
    calls = (
        Call(2, Role.CURATOR, ((0, 1),), (Mask(0, ("a", "c")),)),
        Call(3, Role.CURATOR, ((0, 1),), (Redact(1, ("x",), 0),)),
        Call(4, Role.CURATOR, ((0, 1),), (Mask(0, ("c",)),)),
    )
    heard = [RoundResult(call, ({},)) for call in calls]
    assert masked(heard[:2], names) == {0: (0, 2)}
    assert masked(heard, names) == {0: (2,)}


@pytest.mark.parametrize(
    ("groups", "text"),
    [
        ((("sex",), ("age",)), "every feature by itself"),
        ((("sex", "age"), ("age", "job")), "sex x age, age x job"),
        (tuple(("sex", f"job {at}") for at in range(5)), "5 groups of 2"),
    ],
)
def test_few_groups_of_a_round_are_named(groups: tuple[tuple[str, ...], ...], text: str) -> None:
    certain = Certain(0, 0, 9, exact=True)
    record = RoundRecord(2, groups, {}, 9, 4, 0, 0, certain, 0.5, exact=True, bits_are=Side.EXACT)
    assert row(record)[1] == text

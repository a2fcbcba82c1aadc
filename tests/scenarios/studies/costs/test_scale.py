"""Bytes of every link are those of a run; what else is estimated follows from the model."""

from collections import Counter
from dataclasses import replace
from typing import Any

import make_scale as TOOL
import pytest
from click.testing import CliRunner
from generated import block
from veilmix.analysis.scaling import Cluster
from veilmix.cli import main
from veilmix.cli.commands.check import command
from veilmix.errors import ParameterError
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.roles.network.instruments import TranscriptRecorder
from veilmix.roles.session import play
from veilmix.scenarios.lab.play.real import cast_of
from veilmix.scenarios.lab.play.session_plan import SessionPlan
from veilmix.scenarios.lab.validation.gallery import attacks, shipped
from veilmix.scenarios.lab.validation.load import change, load, resolve
from veilmix.scenarios.programs.registry import samples
from veilmix.scenarios.programs.topology import topology_of
from veilmix.scenarios.studies.costs.scale import scale
from veilmix.scenarios.studies.costs.traffic import PEOPLE, TrafficTerms, traffic

FEW = 20
LEFT_OUT = {"tally", "decision", "committed", "certificate"}  # lengths of answers
SMALL: dict[str, dict[str, int]] = {  # where fewer people, or none, can be asked for
    "noise-sum": {"population.users": 80},
    "randomized-crowd": {"population.users": 1_000},
    "statistical": {"population.users": FEW, "population.round2_users": 2 * FEW},
    "incidence-class": {},
    "incidence-places": {},
}
GUARDED: dict[str, dict[str, Any]] = {
    "tokens": {"defence.registered": True, "defence.tokens": True},
    "challenge": {"defence.registered": True, "defence.challenge": True},
    "receipts": {"defence.registered": True, "defence.receipts": 0.5},
    "unsigned": {"defence.signed": False},
    "post-quantum": {"mix.suite": "hpke-pq"},
    "one": {"mix.shufflers": 1},
}
ONIONS = [name for name in (*shipped(), *attacks()) if load(name).mix.kind == "onion"]
CENTRAL = [name for name in shipped() if topology_of(load(name)).name == "central"]
CENTRAL = [name for name in CENTRAL if name in ONIONS]

Links = Counter[tuple[int, str, str, str]]


def compared(name: str, changes: dict[str, Any]) -> tuple[Links, Links]:
    """Bytes by round, sender, receiver and kind: of a run with few people, and worked out."""
    scenario = change(load(name), {**SMALL.get(name, {"population.users": FEW}), **changes})
    crowd = samples(scenario, 5)
    scenario = resolve(scenario, crowd.first, crowd.people.schema.names, crowd.round2_people)
    cast = cast_of(SessionPlan.from_scenario(scenario, crowd, {}), 5)
    transcript = Transcript.sized(crowd.people.n)
    board = play(cast, [TranscriptRecorder(transcript)])
    assert board.announcement is not None
    assert not board.burned
    counted, worked_out = Links(), Links()
    for event in transcript.events:
        assert event.kind is not None
        ends = (PEOPLE if end.startswith("user") else end for end in (event.sender, event.receiver))
        counted[event.round, *ends, event.kind.name.lower()] += event.size  # type: ignore[index]
    people = [max(tally.totals) for tally in board.tallies]
    terms = TrafficTerms(people, cast.guards.registered or 0, cast.guards.signed)
    for flow in traffic(board.announcement, board.calls, terms):
        worked_out[flow.round, flow.sender, flow.receiver, flow.kind] += flow.bytes
    for link in list(counted):
        if link[-1] in LEFT_OUT:
            del counted[link]
    return counted, worked_out


@pytest.mark.parametrize("name", CENTRAL)
@pytest.mark.slow
def test_bytes_of_every_link_are_those_of_a_run(name: str) -> None:
    counted, worked_out = compared(name, {})
    assert len(counted) > 14
    assert counted == worked_out


@pytest.mark.parametrize("guard", GUARDED)
@pytest.mark.slow
def test_bytes_with_guards_are_those_of_a_run(guard: str) -> None:
    counted, worked_out = compared("blood-type", GUARDED[guard])
    assert counted == worked_out


@pytest.mark.slow
def test_an_audit_opens_half_of_the_layers_in_expectation() -> None:
    counted, worked_out = compared(
        "blood-type", {"defence.registered": True, "defence.audit": True, "population.users": 150}
    )
    opened = [link for link in counted if link[-1] == "opened"]
    assert len(opened) == 4
    whole = sum(counted.pop(link) for link in opened)
    assert sum(worked_out.pop(link) for link in opened) == pytest.approx(whole, rel=0.1)
    assert counted == worked_out


@pytest.mark.parametrize("name", ONIONS)
def test_there_is_an_estimate_of_every_scenario_or_words(name: str) -> None:
    scenario = load(name)
    crowd = samples(scenario, 1)
    estimate = scale(scenario, crowd, 10**8, Cluster())
    assert estimate.unsaid
    if estimate.costs is None:
        assert topology_of(scenario).name == "peers" or "not padded" in estimate.unsaid[0]
        return
    tenth = scale(scenario, crowd, 10**7, Cluster())
    assert tenth.costs is not None
    assert 9.9 < estimate.costs.cpu / tenth.costs.cpu < 10.1
    assert estimate.limits == tenth.limits
    assert tenth.people < estimate.people
    assert set(tenth.broken) <= set(estimate.broken)
    assert estimate.broken


@pytest.mark.parametrize("registered", [True, False])
def test_a_list_of_keys_that_is_too_long_says_what_to_do(registered: bool) -> None:
    scenario = change(load("blood-type"), {"defence.registered": registered})
    broken = scale(scenario, samples(scenario, 1), 524_287, Cluster()).broken
    assert [(limit.people, limit.consequence.rpartition("; ")[2]) for limit in broken] == (
        [(524_286, "ask fewer people, or say defence.registered = false")] if registered else []
    )


def test_more_of_a_cluster_takes_less_time() -> None:
    scenario = load("blood-type")
    crowd = samples(scenario, 1)
    whole = scale(scenario, crowd, 10**6, Cluster(1, 1.0, 1.0))
    twice = scale(scenario, crowd, 10**6, Cluster(2, 4.0, 2.0))
    assert whole.costs is not None
    assert twice.costs is not None
    assert twice.costs.working == pytest.approx(whole.costs.working / 2)
    assert twice.costs.sending == pytest.approx(whole.costs.sending / 4)
    assert len(twice.broken) <= len(whole.broken)
    assert replace(twice.costs, working=0, sending=0) == replace(whole.costs, working=0, sending=0)


@pytest.mark.parametrize("people", [1, 10**12 + 1])
def test_numbers_of_people_have_bounds(people: int) -> None:
    scenario = load("blood-type")
    with pytest.raises(ParameterError, match="people: found"):
        scale(scenario, samples(scenario, 1), people, Cluster())


@pytest.mark.parametrize(
    "cluster", [{"cores": 0}, {"gigabits": 0.0}, {"gigabytes": float("nan")}, {"cores": 1.5}]
)
def test_a_cluster_has_something(cluster: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(cluster))):
        Cluster(**cluster)


@pytest.mark.parametrize("text", ["1e8", "100000000", "100_000_000", "1E+8", "0.1e9"])
def test_a_number_of_people_is_read(text: str) -> None:
    done = CliRunner().invoke(command, ["blood-type", "--people", text, "--format", "csv"])
    assert done.exit_code == 0
    assert ",people,shuffler-1,100000000," in done.output


@pytest.mark.parametrize(
    "text", ["lots", "nan", "inf", "1.5", "1", "-1e8", "1e13", "1e999999999", "9" * 99, ""]
)
def test_anything_else_is_one_clear_error(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "blood-type", "--people", text]) == 2
    said = capsys.readouterr().err
    assert said.count("Error:") == 1
    assert "'--people': found" in said
    assert "as 1e8 or 100000000" in said


def test_the_table_of_the_page_is_what_is_worked_out() -> None:
    """If this fails, the page is to be written again: python tools/make_scale.py."""
    written = block(TOOL.PAGE.read_text("utf-8"), TOOL.BLOCK)
    assert written == TOOL.table(TOOL.estimates())
    assert written.count("\n") > 8

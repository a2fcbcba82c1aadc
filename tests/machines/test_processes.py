"""Parties that are processes end with what parties in one process end with, and leave nothing."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import role_kit as KIT
from process_kit import children
from veilmix import systems
from veilmix.errors import ParameterError
from veilmix.machines.process_reports import portable
from veilmix.machines.processes import LostProcess, play_apart
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.protocol.wire.messages import Mixed
from veilmix.roles.cast import Guards
from veilmix.roles.network.instruments import Instrument, TranscriptRecorder
from veilmix.roles.network.memory_network import Endpoint
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import change, load, loads

pytestmark = pytest.mark.tls
ROWS = KIT.people(24)
FAULTS = KIT.attack(user_3="late", user_5="duplicate", user_8="malformed", user_9="absent")


@pytest.mark.slow
@pytest.mark.parametrize(
    "changes",
    [
        {"shufflers": 2, "faults": FAULTS},
        {"shufflers": 3},
        {"rules": KIT.Rules(min_batch=99)},
        {"rules": KIT.Rules(tokens=True), "guards": Guards(registered=len(ROWS))},
    ],
    ids=["faults", "three shufflers", "burned", "tokens"],
)
def test_everything_recorded_is_as_in_one_process(changes: dict[str, Any]) -> None:
    runs = []
    for stage in KIT.STAGES.values():
        transcript = Transcript.sized(len(ROWS))
        board = stage(KIT.cast(ROWS, **changes), [TranscriptRecorder(transcript)], pytest.fail)
        runs.append((board, transcript))
    (board, record), (other_board, other) = runs
    assert board.digest() == other_board.digest()
    assert board.burned == other_board.burned
    assert KIT.happened(record) == KIT.happened(other)
    assert sorted(record.sealed_answers) == sorted(other.sealed_answers)
    assert record.reads == other.reads
    assert sorted(map(repr, record.refusals)) == sorted(map(repr, other.refusals))
    assert [post for _, post in sorted(record.posts)] == [post for _, post in sorted(other.posts)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "blood-type",
        "hierarchical-class",
        "randomized-class",
        "incidence-class",
        "attack-substitute",
    ],
)
def test_a_scenario_ends_with_the_same_result(name: str) -> None:
    here = run(name, 5, worst_case_nodes=0)
    apart = run(name, 5, worst_case_nodes=0, processes=True)
    assert apart.result() == here.result()


ASKED = {
    "registered": {"defence.registered": True},
    "receipts": {"defence.registered": True, "defence.receipts": 0.5},
    "tokens": {"defence.registered": True, "defence.tokens": True},
    "challenge": {"defence.registered": True, "defence.challenge": True},
    "unsigned": {"mix.lesson": True, "defence.signed": False},
    "pairs": {"policy.kind": "pairs"},
    "three shufflers": {"mix.shufflers": 3},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ASKED)
def test_whatever_a_scenario_asks_for_ends_with_the_same_digest(name: str) -> None:
    scenario = change(load("blood-type"), {**ASKED[name], "mix.min_batch": 10})
    here = run(scenario, 5, worst_case_nodes=0)
    apart = run(scenario, 5, worst_case_nodes=0, processes=True)
    assert apart.digest == here.digest
    assert apart.result() == here.result()


COARSER = """
[scenario]
name = "coarser"
[population]
source = "builtin:titanic"
users = 40
[[feature]]
name = "class"
merge = { "crew or third" = ["Crew", "3rd"] }
[[feature]]
name = "sex"
fold = ["case"]
[policy]
k = 2
max_exposure = 0.5
"""


@pytest.mark.slow
def test_coarser_values_end_with_the_same_digest() -> None:
    scenario = loads(COARSER)
    here = run(scenario, 5, worst_case_nodes=0)
    assert here.schema.features[0].rules
    assert run(scenario, 5, worst_case_nodes=0, processes=True).result() == here.result()


DEVIATIONS = {
    "a ballot replaced": 'by = "shuffler-1"\ndo = "replace"\npeople = ["user-1"]',
    "a letter lost": 'by = "network"\ndo = "omit"\nmessage = "submission"\nrounds = [1]',
    "another row": 'by = "user-3"\ndo = "say"\nrow = ["1st", "male"]',
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DEVIATIONS)
def test_a_deviation_finds_its_occasion_in_another_process(name: str) -> None:
    text = COARSER + f"[defence]\nmin_dropout = 1\n[[deviation]]\n{DEVIATIONS[name]}\n"
    here = run(loads(text), 5, worst_case_nodes=0)
    assert run(loads(text), 5, worst_case_nodes=0, processes=True).result() == here.result()


def test_what_needs_a_shared_memory_is_refused_before_anything_is_played() -> None:
    for name, word in [
        ("attack-rerun", "two sessions"),
        ("attack-split-view", "past the bulletin board"),
        ("attack-equivocate", "past the bulletin board"),
        ("village", "peers"),
    ]:
        with pytest.raises(ParameterError, match=word):
            run(load(name), processes=True)
    with pytest.raises(ParameterError, match="off, tmpfs, disk"):
        run("blood-type", processes=True, durable="stone")
    with pytest.raises(ParameterError, match="ideal"):
        run("blood-type", mode="ideal", processes=True)


def test_without_fork_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(systems, "FORKS", False)
    with pytest.raises(ParameterError, match="Linux"):
        play_apart(KIT.cast(ROWS))


class Posing(Endpoint):
    """A user's place that sends in the analyst's name."""

    async def send(self, plan: Any, receiver: str, body: Any) -> None:
        self.party = "analyst"
        await super().send(plan, receiver, body)


@pytest.mark.slow
def test_nobody_sends_in_a_name_that_its_certificate_does_not_bear() -> None:
    """And the messages that go with it, of others, arrive."""
    notes: list[str] = []
    board = play_apart(KIT.cast(ROWS, faults={"user-3": Posing}), report=notes.append)
    assert [tally.totals[0] for tally in board.tallies] == [len(ROWS) - 1] * 2
    assert [note.split(":")[0] for note in notes] == ["shuffler-1"] * 2


class Broken(Endpoint):
    """A shuffler's place with a bug."""

    async def post(self, body: Any) -> None:
        if isinstance(body, Mixed):
            raise ZeroDivisionError("a bug of a party's")
        await super().post(body)


@pytest.mark.slow
def test_a_bug_in_a_process_surfaces_here_and_nothing_is_left() -> None:
    before = children()
    with pytest.raises(ZeroDivisionError, match="a bug of a party's"):
        play_apart(KIT.cast(ROWS, faults={"shuffler-1": Broken}))
    assert children() - before <= set()


@pytest.mark.slow
def test_what_went_wrong_travels_without_what_led_to_it() -> None:
    """As `distributed`, once imported, pickles an exception with its traceback and its causes."""
    pytest.importorskip("distributed.utils")
    wrong = ZeroDivisionError("a bug")
    wrong.__context__ = ValueError(lambda: None)  # which cannot be pickled
    assert isinstance(portable(wrong), ZeroDivisionError)


class Dying(Endpoint):
    """A shuffler whose process is killed."""

    async def post(self, body: Any) -> None:
        if isinstance(body, Mixed):
            os.kill(os.getpid(), signal.SIGKILL)
        await super().post(body)


@pytest.mark.slow
def test_a_process_that_is_lost_is_named() -> None:
    with pytest.raises(LostProcess, match="shuffler-2"):
        play_apart(KIT.cast(ROWS, shufflers=2, faults={"shuffler-2": Dying}))


class Crashing(Instrument):
    """Raises at the first message."""

    def carried(self, *_: Any) -> None:
        raise ValueError("no paper")


@pytest.mark.slow
def test_an_instrument_that_crashes_is_taken_off() -> None:
    said: list[str] = []
    board = play_apart(KIT.cast(ROWS), [Crashing()], said.append)
    assert board.burned is None
    assert "Crashing" in said[0]


ALONE = """
import sys
sys.path.insert(0, "tests/kits")
import time
import role_kit as KIT
from veilmix.machines.processes import play_apart
from veilmix.roles.network.instruments import Instrument

class Watch(Instrument):
    def posted(self, time, entry):
        print("posted", flush=True)
        import time as real
        real.sleep(10_000)

play_apart(KIT.cast(KIT.people(8)), [Watch()])
"""


def group(leader: int) -> Iterator[int]:
    """The processes of a session of the system's."""
    listing = subprocess.run(["ps", "-eo", "pid=,sid=,stat="], capture_output=True, text=True)
    for line in listing.stdout.splitlines():
        pid, sid, state = line.split()
        if int(sid) == leader and not state.startswith("Z"):
            yield int(pid)


@pytest.mark.place
@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_however_it_ends_no_process_is_left(started: Any, end: int) -> None:
    root = Path(__file__).parents[2]
    process = started(sys.executable, "-c", ALONE, cwd=root)
    assert process.stdout.readline() == "posted\n"
    assert len(list(group(process.pid))) >= 6  # board, shuffler, analyst, curator, people, itself
    process.send_signal(end)
    process.wait()
    while list(group(process.pid)):
        time.sleep(0.02)

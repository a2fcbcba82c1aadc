"""The moves of runs in which something goes wrong: told as it happens, and from the record."""

from collections import Counter
from typing import Any

import pytest
import role_kit as KIT
from veilmix.crypto.entropy import SeededEntropy
from veilmix.protocol.rounds.opened_prefixes import WHOLE, ByThreshold
from veilmix.protocol.wire.announcement import AnnouncedPolicy, Flaw, Program, Rules
from veilmix.scenarios.attacks.faults.shuffler import Deed, cheat
from veilmix.scenarios.attacks.faults.wire import Replay
from veilmix.scenarios.programs.registry import PROGRAMS
from veilmix.scenarios.serialization.record import plain
from veilmix.scenarios.serialization.transcripts import ordered
from veilmix.theatre.move_recorder import MoveRecorder
from veilmix.theatre.page import compact
from veilmix.theatre.recorded import read_out

PEOPLE = 12


def deed(attack: str, **how: Any) -> dict[str, Any]:
    """What changes in a cast of which shuffler 1 does this in round 1."""
    done = Deed(KIT.act(attack), SeededEntropy(9), rounds=(1,), **how)
    return {"faults": {"shuffler-1": cheat(done)}, "rules": Rules(min_dropout=1)}


def onions(moves: list[dict[str, Any]], sender: str) -> list[int]:
    """The onions that a party sent on in round 1."""
    return [
        number
        for move in moves
        if move["what"] == "batch" and move["by"] == sender and move["round"] == 1
        for number in move["onions"]
    ]


RUNS: dict[str, dict[str, Any]] = {
    "honest": {},
    "drop": deed("drop", users=3),
    "drop-people": deed("drop-people", users=2),
    "substitute": deed("substitute", users=1),
    "tag": deed("tag", users=2, bit=0),
    "forward": deed("forward"),
    "replay": {"wire": Replay("user-3", "round", "user-5"), "rules": Rules(min_dropout=1)},
    "bundled": {"rules": Rules(lesson=True, flaws=(Flaw.BUNDLED,))},
    "users": {
        "faults": KIT.attack(user_2="absent", user_4="duplicate", user_6="malformed"),
        "rules": Rules(min_dropout=1),
    },
}


@pytest.fixture(scope="module")
def told() -> dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]], Any]]:
    """Per run: the moves told while it was played, those read out of its record, the run."""
    runs = {}
    for name, changes in RUNS.items():
        live: list[dict[str, Any]] = []
        run = KIT.run(
            KIT.people(PEOPLE),
            [MoveRecorder(PROGRAMS["exposure"], lambda move, live=live: live.append(plain(move)))],
            shufflers=2,
            **changes,
        )
        read: list[dict[str, Any]] = []
        read_out(
            ordered(run.transcript),
            MoveRecorder(PROGRAMS["exposure"], lambda move, read=read: read.append(plain(move))),
        )
        runs[name] = (live, read, run)
    return runs


@pytest.mark.parametrize("name", RUNS)
def test_every_message_is_told_both_ways(told, name: str) -> None:
    live, read, run = told[name]
    assert run.reports == []  # or the recorder had crashed, and been taken off
    events = Counter((e.sender, e.receiver, e.round) for e in run.transcript.events)
    for moves in (live, read):
        sent = Counter(
            (m["by"], m.get("to", "board"), m["round"])
            for m in moves
            if m["what"] in (*("post", "send", "batch"),)
        )
        assert sent == events

    def lasting(moves: list[dict[str, Any]]) -> Counter[str]:
        # Which of two copies was the second depends on their order, which the record may change.
        return Counter(compact(m) for m in moves if m["what"] not in ("send", "refuse"))

    assert lasting(live) == lasting(read)
    for moves in (live, read):
        refused = sum(m["number"] for m in moves if m["what"] == "refuse")
        assert refused == sum(refusal.count for refusal in run.transcript.refusals)


@pytest.mark.parametrize(
    ("name", "known", "unknown"),
    [
        ("honest", 36, 0),
        ("drop", 33, 0),
        ("drop-people", 30, 0),
        ("substitute", 33, 3),
        ("tag", 34, 2),
        ("forward", 36, 0),
        ("bundled", 12, 0),
    ],
)
def test_what_a_shuffler_loses_or_forges_is_told(told, name: str, known: int, unknown: int) -> None:
    for moves in told[name][:2]:
        sent = onions(moves, "shuffler-1")
        assert (sum(onion >= 0 for onion in sent), sent.count(-1)) == (known, unknown)
        assert len(set(sent) - {-1}) == known


def test_a_copied_envelope_is_told(told) -> None:
    """Somebody sends what another person has sealed, and says it is its own."""
    record = ordered(told["honest"][2].transcript)
    sent = {e.sender: e for e in record.events if e.round == 1 and e.sender.startswith("user-")}
    record.events[sent["user-5"].number] = sent["user-5"]._replace(names=sent["user-3"].names)
    moves: list[dict[str, Any]] = []
    read_out(record, MoveRecorder(PROGRAMS["exposure"], lambda move: moves.append(plain(move))))
    (copied,) = [m for m in moves if m.get("fault") == "copied"]
    assert (copied["by"], copied["copies"], copied["unlinked"]) == ("user-5", 2, True)
    assert [m["by"] for m in moves if m["what"] == "silent"] == ["user-5"]


def test_questions_to_randomness_are_no_envelopes() -> None:
    """Everybody sends one letter to the first shuffler, as it sealed it, and nothing is forged."""
    run = KIT.run(
        KIT.people(PEOPLE),
        program=Program.THRESHOLD,
        policy=AnnouncedPolicy(2, 0.0, WHOLE),
        decide=ByThreshold(2, WHOLE),
        shufflers=1,
    )
    moves: list[dict[str, Any]] = []
    recorder = MoveRecorder(PROGRAMS["threshold"], lambda move: moves.append(plain(move)))
    read_out(ordered(run.transcript), recorder)
    sent = [move for move in moves if move["what"] == "send"]
    assert sorted(move["person"] for move in sent) == list(range(PEOPLE))
    assert {move["to"] for move in sent} == {"shuffler-1"}
    assert not any(move.get("fault") or move.get("unlinked") for move in sent)

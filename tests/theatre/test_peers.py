"""Peers on the stage: posts are moves, onions go where they went, eyes know what the view says."""

from collections import defaultdict
from itertools import chain, combinations
from typing import Any

import pytest
from veilmix.analysis.trust import cells_certain
from veilmix.protocol.peers.agreement import Agreement
from veilmix.protocol.peers.board import PeerBoard
from veilmix.protocol.peers.view import PeerRecord
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.programs.peers.record import reckoned

PEERS = [f"peer-{number}" for number in range(1, 13)]
KNOWN = """([coalitions, at]) => coalitions.map(eyes => window.veilmix.knows(eyes, at))"""
POSTED = ("key", "share", "agreed", "secret", "accusation")


def record(outcome: Outcome) -> PeerRecord:
    """The run, as everybody works it out."""
    assert outcome.peers
    assert outcome.transcript
    seen = reckoned(outcome.scenario, outcome.peers.agreement, outcome.transcript.posts)
    return PeerRecord(outcome.transcript, seen)


def ways(moves: list[dict[str, Any]], number: int) -> dict[int, list[int]]:
    """Who had each onion of a round, as the moves have it: its sender first."""
    holders: dict[int, list[int]] = defaultdict(list)
    for move in moves:
        if move["what"] == "relay" and move["round"] == number:
            for receiver, onions in move["bags"]:
                for onion in onions:
                    if move["step"] == 1:
                        holders[onion] = [move["person"]]
                    assert holders[onion][-1] == move["person"], "who hands it on has got it"
                    holders[onion].append(receiver)
    return holders


@pytest.mark.parametrize("name", ["village", "tagged", "left"])
def test_every_post_is_one_move(shown, name: str) -> None:
    run = shown(name)
    moves = [m for m in run.data["moves"] if m["by"] != "everybody" and m["what"] != "silent"]
    assert run.outcome.transcript
    assert sorted(m["by"] for m in moves) == sorted(who for who, _ in run.outcome.transcript.posts)
    assert {m["kind"] for m in moves if m["what"] == "post"} <= set(POSTED)
    assert run.data["moves"][-1]["kind"] == "closed"


def test_onions_go_where_they_went(shown) -> None:
    run = shown("village")
    seen = record(run.outcome)
    for number, routes in seen.routes.items():
        paths = ways(run.data["moves"], number)
        assert sorted(paths.values()) == sorted([route.origin, *route.stops] for route in routes)
        for onion, way in paths.items():
            assert onion // 7 == way[0]


def test_ballots_counts_and_the_decision_are_those_of_the_run(shown) -> None:
    run = shown("village")
    moves, outcome = run.data["moves"], run.outcome
    counts = {m["round"]: m["counts"] for m in moves if m["what"] == "count"}
    read = [
        {tuple(values): people for values, people in table} for table in (*counts[1], *counts[2])
    ]
    assert read == [*map(dict, outcome.marginals), dict(outcome.release)]
    assert sum(m["number"] for m in moves if m["what"] == "found") == 2 * 12 * 7
    (decision,) = [m for m in moves if m.get("kind") == "decision"]
    assert [run.data["bill"]["columns"][column] for column in decision["kept"]] == ["A"]
    assert len(run.data["choices"]) == 7


def test_who_is_named_is_told_and_who_accuses(shown) -> None:
    for name, how in (("tagged", "as its sender proves"), ("left", "posted nothing")):
        moves = shown(name).data["moves"]
        (burned,) = [m for m in moves if m.get("kind") == "burned"]
        assert (burned["named"], how in burned["says"]) == (["peer-3"], True)
    left = shown("left").data["moves"]
    assert not [m for m in left if m["what"] == "relay" and m["round"] == 2]  # no key to seal to
    assert {m["by"] for m in shown("tagged").data["moves"] if m.get("kind") == "accusation"}
    assert any(-1 in o for m in shown("tagged").data["moves"] for _, o in m.get("bags", ()))


def keyed(rows: Any) -> dict[str, Any]:
    return {str(who): {str(j): v for j, v in row.items()} for who, row in rows.items()}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["village", "tagged", "left", "provoked"])
def test_every_coalition_knows_what_the_view_says(name: str, shown, page_of, tab) -> None:
    run = shown(name)
    seen = record(run.outcome)
    some = [*combinations(PEERS[:7], 3), *combinations(PEERS[3:10], 5), PEERS[1:9], PEERS[1:], ()]
    coalitions = [list(coalition) for coalition in chain(some, ([peer] for peer in PEERS))]
    total = len(run.data["moves"])
    page = tab.open(page_of(name))
    for eyes, said in zip(coalitions, page.evaluate(KNOWN, [coalitions, total]), strict=True):
        view = seen.view(eyes)
        assert said["byRound"] == {str(n): keyed(rows) for n, rows in view.by_round.items()}, eyes
        assert said["pinned"] == keyed(view.pinned)
        assert said["seen"] == len(view.events)
        assert said["counted"] == [
            [
                count.round,
                list(count.columns),
                [[list(v), n] for v, n in sorted(count.counts.items())],
            ]
            for count in view.counted
        ]
        certain = cells_certain(view, run.outcome.sizes)
        assert said["certain"] == certain if said["sure"] else said["certain"] <= certain


@pytest.mark.slow
def test_eyes_know_no_more_before_ballots_open(shown, page_of, tab) -> None:
    """Of others nothing is pinned before these eyes have all secrets that are not shown."""
    run = shown("village")
    moves = run.data["moves"]
    page = tab.open(page_of("village"))
    secrets = [i for i, m in enumerate(moves) if m.get("kind") == "secret" and m["round"] == 1]
    eyes = PEERS[3:]
    own = {str(index) for index in range(3, 12)}
    for at in (secrets[0], secrets[1], secrets[2] + 1):  # three more are needed than they have
        known = page.evaluate(KNOWN, [[eyes], at])[0]
        assert (set(known["pinned"]) > own) is (at == secrets[2] + 1)
        assert bool(known["counted"]) is (at == secrets[2] + 1)


@pytest.mark.slow
def test_a_way_ends_where_the_eyes_lose_it(shown, page_of, tab) -> None:
    run = shown("village")
    seen = record(run.outcome)
    page = tab.open(page_of("village"))
    total = len(run.data["moves"])
    told = "([eyes, at, who]) => window.veilmix.way(eyes, at, who)"
    for eyes in (PEERS[:2], PEERS[:6], PEERS[:10]):
        linked = seen.view(eyes).pinned
        for who in (8, 11):
            way = page.evaluate(told, [eyes, total, who])
            assert way["linked"] == (who in linked)
            told_linked = way["ending"].startswith(f"peer-{who + 1} is linked by ")
            assert told_linked == (who in linked)
            assert not set(way["missing"]) & set(eyes)
    own = page.evaluate(told, [["peer-9"], total, 8])
    assert own["linked"]
    assert set(own["rules"]) == {"path"}


def test_the_recorder_keeps_to_what_was_agreed_on(shown) -> None:
    """Its own board takes every post that the board of the run has taken."""
    outcome = shown("village").outcome
    assert outcome.peers
    assert outcome.transcript
    board = PeerBoard(Agreement.decode(bytes.fromhex(outcome.peers.agreement)))
    for author, data in outcome.transcript.posts:
        board.post(author, data)
    assert board.digest().hex() == outcome.digest

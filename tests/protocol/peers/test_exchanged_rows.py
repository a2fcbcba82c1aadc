"""Peers who exchange their rows: why the test of the search for attacks does not fit them."""

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product

import pytest
from peer_kit import ROWS, TERMS, cast
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.protocol.peers.view import PeerRecord
from veilmix.roles.network.instruments import TranscriptRecorder
from veilmix.roles.peer import play_peers

Bags = Counter[tuple[int, int, int, int, int]]


def played(rows: tuple[tuple[str, str], ...]) -> PeerRecord:
    transcript = Transcript.sized(len(rows))
    session = replace(cast(), row=rows.__getitem__)
    return PeerRecord(
        transcript, play_peers(session, [TranscriptRecorder(transcript)], pytest.fail)
    )


def bags(record: PeerRecord) -> Bags:
    """Layers by round, step, sender and receiver, as they stand on the board."""
    return Counter(
        (number, step, author, receiver, len(layers))
        for number in (1, 2)
        for step in range(1, TERMS.path + 1)
        for author, relay in record.board.relays(number, step).items()
        for receiver, layers in relay.bags
    )


def found(record: PeerRecord) -> Counter[tuple[int, object]]:
    """Answers by the peer at the end of their paths."""
    routes = (route for there in record.routes.values() for route in there)
    return Counter((route.stops[-1], route.answer) for route in routes)


def test_paths_stay_and_other_values_come_to_their_ends() -> None:
    """With the same draws, rows that go round change an honest session for all who look at it."""
    first, second = played(ROWS), played((*ROWS[1:], *ROWS[:1]))
    assert bags(first) == bags(second)
    assert first.reckoning.tallies == second.reckoning.tallies
    assert found(first) != found(second)


def guessed(peers: int, path: int) -> tuple[Fraction, Fraction]:
    """Rates of the best guess of one value, by the board and by the counts alone.

    Each peer has one onion with one of two values; all tables and all paths are equally likely.
    """
    tables = list(product((0, 1), repeat=peers))
    everybody = range(peers)
    ways = [list(permutations([q for q in everybody if q != me], path)) for me in everybody]
    board = defaultdict[object, Counter[int]](Counter)
    counts = defaultdict[object, Counter[int]](Counter)
    for drawn in product(*ways):
        stops = [(me, *way) for me, way in enumerate(drawn)]
        steps = tuple(tuple(sorted(way[at : at + 2] for way in stops)) for at in range(path))
        for table in tables:
            ends = tuple(sorted((way[-1], value) for way, value in zip(drawn, table, strict=True)))
            board[steps, ends][table[0]] += 1
            counts[sum(table)][table[0]] += 1
    return _rate(board.values()), _rate(counts.values())


def _rate(cases: Collection[Counter[int]]) -> Fraction:
    right = sum(max(case.values()) for case in cases)
    return Fraction(right, sum(case.total() for case in cases))


def test_a_board_of_four_peers_tells_more_than_the_counts() -> None:
    """No peer draws itself, and a lone onion is followed: so it is although nobody deviates."""
    board, counts = guessed(4, 2)
    assert float(board) == pytest.approx(0.8565, abs=5e-5)
    assert counts == Fraction(11, 16)

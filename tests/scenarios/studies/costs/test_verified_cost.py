"""The cost of a verified mix before it is played: the counted work, and the bytes of a session."""

from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import pytest
from sample_kit import sampled
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.verified.ballots import check_ballot, make_ballot
from veilmix.crypto.verified.generators import generators
from veilmix.crypto.verified.group import RISTRETTO255, Ristretto255
from veilmix.crypto.verified.keys import make_key
from veilmix.crypto.verified.rows import ballot_rows, remix
from veilmix.crypto.verified.shares import check_shares, make_shares
from veilmix.crypto.verified.shuffle_checker import check_shuffle
from veilmix.crypto.verified.shuffle_prover import prove_shuffle
from veilmix.crypto.verified.submit_once import ReaderKeys, check_once, make_once
from veilmix.crypto.verified.transcript import ProofContext
from veilmix.protocol.board.board import Board, Entry
from veilmix.protocol.board.verified_record import check_record
from veilmix.protocol.rounds.round_context import Round
from veilmix.roles import verified_mix
from veilmix.roles.compute.worker_pool import WorkerPool
from veilmix.roles.network.instruments import Instrument
from veilmix.roles.network.memory_network import Endpoint
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import change, load
from veilmix.scenarios.programs.registry import samples
from veilmix.scenarios.studies.comparison.mixed import Meter
from veilmix.scenarios.studies.costs.cost import SessionCost, cost
from veilmix.scenarios.studies.costs.verified_cost import (
    BALLOT,
    BALLOT_CHECK,
    CHECK,
    CHECK_PAIR,
    ONCE,
    ONCE_CHECK,
    PROVE,
    PROVE_PAIR,
    REMIX,
    SHARES,
    SHARES_CHECK,
)

ROWS, FRESH = 40, SeededEntropy(2)


def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Count the multiplications of the group from now on."""
    count = Counter[str]()
    for name in ("base_multiples", "multiples", "weighted_sum"):
        real = getattr(Ristretto255, name)

        def counting(self, scalars, *more, real=real):
            listed = list(scalars)
            count["all"] += len(listed)
            return real(self, listed, *more)

        monkeypatch.setattr(Ristretto255, name, counting)
    return count


@pytest.mark.slow
def test_each_step_takes_as_many_multiplications_as_are_counted(monkeypatch) -> None:
    """A step has a few more, whatever the number of rows."""
    context = ProofContext(RISTRETTO255, bytes(32), 1, 0, b"place")
    key = make_key(context, FRESH)
    generators(RISTRETTO255).rows(ROWS)
    count = counted(monkeypatch)

    def per_row(step: Callable[[], object], due: int) -> object:
        count.clear()
        made = step()
        assert due <= count["all"] / ROWS <= due + 0.5
        return made

    element = RISTRETTO255.embed(bytes(30))
    made = per_row(
        lambda: [make_ballot(context, key.public, element, FRESH).ballot for _ in range(ROWS)],
        BALLOT,
    )
    per_row(lambda: [check_ballot(context, key.public, own) for own in made], BALLOT_CHECK)
    both = ReaderKeys(key.public, make_key(replace(context, place=b"other"), FRESH).public)
    twice = per_row(
        lambda: [make_once(context, both, element, FRESH).ballot for _ in range(ROWS)], ONCE
    )
    per_row(lambda: [check_once(context, both, own) for own in twice], ONCE_CHECK)
    old = ballot_rows([[(own.first, own.second)] for own in made])
    mixed = per_row(lambda: remix(context, key.public, old, FRESH), REMIX)
    proof = per_row(
        lambda: prove_shuffle(context, key.public, old, mixed, FRESH), PROVE + PROVE_PAIR
    )
    rows = mixed.rows
    per_row(lambda: check_shuffle(context, key.public, old, rows, proof, FRESH), CHECK + CHECK_PAIR)
    shares = per_row(lambda: make_shares(context, key, rows.firsts, FRESH), SHARES)
    per_row(lambda: check_shares(context, key.public, rows.firsts, shares), SHARES_CHECK)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 2, 5])
def test_a_wide_row_takes_more_for_each_ciphertext(width: int, monkeypatch) -> None:
    """A shuffle and shares of rows, as a release of ballots that were submitted once has them."""
    context = ProofContext(RISTRETTO255, bytes(32), 2, 0, b"place")
    key = make_key(context, FRESH)
    generators(RISTRETTO255).rows(ROWS)
    element = RISTRETTO255.embed(bytes(30))
    old = ballot_rows([[(element, key.public)] * width] * ROWS)
    count = counted(monkeypatch)

    def per_row(step: Callable[[], object], due: int) -> object:
        count.clear()
        made = step()
        assert due <= count["all"] / ROWS <= due + 1
        return made

    mixed = per_row(lambda: remix(context, key.public, old, FRESH), width * REMIX)
    due = PROVE + width * PROVE_PAIR
    proof = per_row(lambda: prove_shuffle(context, key.public, old, mixed, FRESH), due)
    due, rows = CHECK + width * CHECK_PAIR, mixed.rows
    per_row(lambda: check_shuffle(context, key.public, old, rows, proof, FRESH), due)
    shares = per_row(lambda: make_shares(context, key, rows.firsts, FRESH), width * SHARES)
    due = width * SHARES_CHECK
    per_row(lambda: check_shares(context, key.public, rows.firsts, shares), due)


CASES: dict[str, dict[str, Any]] = {
    "secret": {},
    "public": {"policy.publish_marginals": True},
    "once": {"mix.submit": "once"},
    "once, public": {"mix.submit": "once", "policy.publish_marginals": True},
    "once, two of three columns": {
        "mix.submit": "once",
        "policy.kind": "fixed",
        "policy.keep": ["A", "Rh"],
    },
}


def played(case: str, people: int, *instruments: Instrument) -> SessionCost:
    """Play a session of so many people whose release is opened; return its cost beforehand."""
    changes = {"mix.kind": "verified", "policy.kind": "all", "population.users": people}
    asked = change(load("classroom"), changes | CASES[case])
    price = cost(asked, samples(asked, 3).people.schema, (people, people))
    outcome = run(asked, 3, instruments=instruments, worst_case_nodes=0)
    assert outcome.release
    return price


class Posts(Instrument):
    """The board of all posts, as its readers have it."""

    def __init__(self) -> None:
        self.board = Board()

    def posted(self, time: float, entry: Entry) -> None:
        self.board.post(entry.author, entry.data)


@pytest.fixture
def _apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each party of this process checks for itself, as in a process of its own."""
    who = ContextVar("who", default="")
    in_turn, once = verified_mix.in_turn, WorkerPool.once

    @asynccontextmanager
    async def named(me: Endpoint, plan: Round) -> AsyncIterator[None]:
        who.set(me.party)
        async with in_turn(me, plan):
            yield

    async def by_itself(pool: WorkerPool, key: bytes, work: Callable[[], object]) -> object:
        return await once(pool, who.get().encode() + key, work)

    monkeypatch.setattr(verified_mix, "in_turn", named)
    monkeypatch.setattr(WorkerPool, "once", by_itself)


@pytest.mark.slow
@pytest.mark.usefixtures("_apart")
@pytest.mark.parametrize("case", sampled(CASES, 1, 4))
def test_a_session_multiplies_as_often_as_is_counted(case: str, monkeypatch) -> None:
    """By the difference of two sessions: some multiplications do not depend on the people."""
    count, found = counted(monkeypatch), []
    for people in (16, 32):
        count.clear()
        price = played(case, people)
        found.append((count["all"], price.multiplications))
    (few, few_due), (many, many_due) = found
    assert many - few == many_due - few_due == few_due
    assert few_due < few < 1.2 * few_due


@pytest.mark.slow
@pytest.mark.parametrize("case", sampled(CASES, 1, 4))
def test_a_checker_of_everything_multiplies_as_often_as_is_counted(case: str, monkeypatch) -> None:
    """By the difference of two sessions, as above. Its checker is that of `veilmix verify`."""
    boards, prices, found = (Posts(), Posts()), [], []
    for board, people in zip(boards, (16, 32), strict=True):
        prices.append(played(case, people, board).checks)
    count = counted(monkeypatch)
    for board in boards:
        count.clear()
        check_record(board.board, FRESH)
        found.append(count["all"])
    assert found[1] - found[0] == prices[1] - prices[0] == prices[0]
    assert prices[0] < found[0] < 1.2 * prices[0]


@pytest.mark.slow
@pytest.mark.parametrize("case", sampled(CASES, 1, 4))
def test_the_bytes_are_those_of_a_session(case: str) -> None:
    """Heads of posts, and posts before the first round, are beside them."""
    meter = Meter()
    price = played(case, 40, meter)
    assert meter.user_bytes == 40 * sum(planned.person or 0 for planned in price.rounds)
    carried = sum(planned.carried or 0 for planned in price.rounds)
    assert 0.9 * meter.total < carried < meter.total
    assert price.layers == 0
    assert price.seconds > 0


def test_each_keyholder_checks_for_itself() -> None:
    """Two shufflers and a reader: 3 + 4 * 2 a ballot, 2 * (10 + 3 * 8) for shuffles, then shares.

    Round 1 is secret: 2 * 4 + 1, of 36 ballots. Round 2 is public, and followed by the curator:
    2 * 8 more for shuffles, and 3 * 2 + (2 + 3) * 2 for shares, of 12 ballots.
    """
    asked = change(load("classroom"), {"mix.kind": "verified"})
    price = cost(asked, samples(asked, 3).people.schema, (12, 12))
    assert [planned.multiplications for planned in price.rounds] == [36 * 88, 12 * 111]
    assert [planned.onions for planned in price.rounds] == [36, 12]
    assert price.multiplications == 36 * 88 + 12 * 111


def test_users_who_submit_once_send_nothing_in_round_2() -> None:
    """Ballots: 5 + 4 * 4. Round 2: 3 * 4 for the analyst, then rows of three ciphertexts.

    A shuffle takes 3 * 4 + 6 and each of four checks 3 * 4 + 4; shares as of three ballots.
    """
    asked = change(load("classroom"), {"mix.kind": "verified", "mix.submit": "once"})
    first, second = cost(asked, samples(asked, 3).people.schema, (12, 12)).rounds
    assert first.multiplications == 36 * (21 + 68 + 9)
    assert second.multiplications == 12 * (12 + 2 * (18 + 4 * 16) + 3 * 16)
    assert (first.onions, second.onions, second.person) == (36, 0, 0)

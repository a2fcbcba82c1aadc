"""The cost of a verified mix before it is played: the counted work, and the bytes of a session."""

from collections import Counter
from collections.abc import Callable

import pytest
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.verified.ballots import check_ballot, make_ballot
from veilmix.crypto.verified.generators import generators
from veilmix.crypto.verified.group import RISTRETTO255, Ristretto255
from veilmix.crypto.verified.keys import make_key
from veilmix.crypto.verified.rows import ballot_rows, remix
from veilmix.crypto.verified.shares import check_shares, make_shares
from veilmix.crypto.verified.shuffle_checker import check_shuffle
from veilmix.crypto.verified.shuffle_prover import prove_shuffle
from veilmix.crypto.verified.transcript import ProofContext
from veilmix.scenarios.comparison.mixed import Meter
from veilmix.scenarios.play.run import run
from veilmix.scenarios.programs.registry import samples
from veilmix.scenarios.studies.cost import cost
from veilmix.scenarios.studies.verified_cost import (
    BALLOT,
    BALLOT_CHECK,
    CHECK,
    PROVE,
    REMIX,
    SHARES,
    SHARES_CHECK,
)
from veilmix.scenarios.validation.load import change, load

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
    old = ballot_rows([[(own.first, own.second)] for own in made])
    mixed = per_row(lambda: remix(context, key.public, old, FRESH), REMIX)
    proof = per_row(lambda: prove_shuffle(context, key.public, old, mixed, FRESH), PROVE)
    rows = mixed.rows
    per_row(lambda: check_shuffle(context, key.public, old, rows, proof, FRESH), CHECK)
    shares = per_row(lambda: make_shares(context, key, rows.firsts, FRESH), SHARES)
    per_row(lambda: check_shares(context, key.public, rows.firsts, shares), SHARES_CHECK)


@pytest.mark.slow
@pytest.mark.parametrize("public", [False, True], ids=["secret", "public"])
def test_the_bytes_are_those_of_a_session(public: bool) -> None:
    """Heads of posts, and posts before the first round, are beside them."""
    changes = {"mix.kind": "verified", "policy.kind": "all", "population.users": 40}
    asked = change(load("classroom"), changes | {"policy.publish_marginals": public})
    people = samples(asked, 3).people
    price = cost(asked, people.schema, (40, 40))
    meter = Meter()
    outcome = run(asked, 3, instruments=(meter,), worst_case_nodes=0)
    assert outcome.release
    assert meter.sent == 40 * sum(planned.person or 0 for planned in price.rounds)
    carried = sum(planned.carried or 0 for planned in price.rounds)
    assert 0.9 * meter.total < carried < meter.total
    assert price.layers == 0
    assert price.seconds > 0


def test_each_keyholder_checks_for_itself() -> None:
    """Two shufflers and a reader: 3 + 3 * 2 a ballot, 2 * (10 + 3 * 8) for shuffles, then shares.

    Round 1 is secret: 2 * 4 + 1, of 36 ballots. Round 2 is public: 3 * (2 + 3 * 2), of 12.
    """
    asked = change(load("classroom"), {"mix.kind": "verified"})
    price = cost(asked, samples(asked, 3).people.schema, (12, 12))
    assert [planned.multiplications for planned in price.rounds] == [36 * 86, 12 * 101]
    assert [planned.onions for planned in price.rounds] == [36, 12]
    assert price.multiplications == 36 * 86 + 12 * 101

"""One forged proof for each equation of a shuffle, which only that equation refuses."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
import verified_kit as kit
from veilmix.crypto.verified.shuffle import ShuffleProof, ShuffleStatement
from veilmix.crypto.verified.shuffle_checker import check_shuffle, equations
from veilmix.errors import VerificationError
from verified_forgeries import FORGERIES, IDENTITY, forged

GROUP, KEY = kit.GROUP, kit.reader().public


def failing(statement: ShuffleStatement, proof: ShuffleProof) -> Iterator[str]:
    for name, left, right in equations(statement, proof, kit.entropy("checker")):
        if left != right:
            yield name


@pytest.mark.parametrize("name", FORGERIES)
def test_only_its_equation_refuses_a_forged_proof(name: str) -> None:
    """A checker that forgets the equation accepts; the whole checker refuses, by its name."""
    statement, proof = FORGERIES[name]()
    assert list(failing(statement, proof)) == [name]
    with pytest.raises(VerificationError) as refusal:
        check_shuffle(kit.HOP, KEY, statement.old, statement.new, proof, kit.entropy("checker"))
    assert f"equation {name} does not hold" in str(refusal.value)


def test_the_forger_is_able_to_prove_what_is_true() -> None:
    """So that a forgery is refused for what it changes alone."""
    statement, proof = forged(IDENTITY, IDENTITY, IDENTITY)
    check_shuffle(kit.HOP, KEY, statement.old, statement.new, proof, kit.entropy("checker"))


def chain_side(proof: ShuffleProof, label: str) -> bytes:
    """Return the left side of the equation of the chain, which no response to a link is in."""
    old, mixed_rows, _ = kit.shuffled()
    statement = ShuffleStatement(kit.HOP, KEY, old, mixed_rows.rows)
    *_, (name, left, _) = equations(statement, proof, kit.entropy(label))
    assert name == "T"
    return left


def test_faults_of_two_links_cannot_cancel_out_even_if_the_checker_is_seeded() -> None:
    """The weights follow from the proof too, so that its last bytes cannot be fitted to them."""
    proof = kit.shuffled()[2]
    responses = ((proof.chain_responses[0] + 1) % GROUP.order, *proof.chain_responses[1:])
    changed = replace(proof, chain_responses=responses)
    assert chain_side(proof, "checker") != chain_side(changed, "checker")


def test_each_checker_weighs_the_chain_by_its_own_randomness() -> None:
    proof = kit.shuffled()[2]
    assert chain_side(proof, "checker") != chain_side(proof, "another checker")

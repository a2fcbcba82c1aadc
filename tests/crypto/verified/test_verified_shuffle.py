"""A proof of a shuffle holds for its own session, hop, key and lists, and for nothing else."""

from collections.abc import Callable
from dataclasses import fields, replace

import pytest
import verified_kit as kit
from veilmix.crypto.verified.rows import CiphertextRows, Remix, random_order, remix
from veilmix.crypto.verified.shares import opened_elements, partial_decryptions
from veilmix.crypto.verified.shuffle import (
    ShuffleProof,
    ShuffleStatement,
    final_challenge,
    row_exponents,
)
from veilmix.crypto.verified.shuffle_checker import check_shuffle
from veilmix.crypto.verified.shuffle_prover import prove_shuffle
from veilmix.crypto.verified.transcript import ProofContext
from veilmix.errors import VerificationError

KEY = kit.reader().public
CHECKER = kit.entropy("checker")
Columns = list[list[bytes]]


def check(
    new: CiphertextRows,
    proof: ShuffleProof,
    *,
    context: ProofContext = kit.HOP,
    key: bytes = KEY,
    old: CiphertextRows | None = None,
) -> None:
    check_shuffle(context, key, old or kit.shuffled()[0], new, proof, CHECKER)


def opened(rows: CiphertextRows) -> list[bytes | None]:
    """Return the values of all ciphertexts, column after column."""
    shares = partial_decryptions(kit.GROUP, kit.reader(), rows.firsts)
    return list(kit.VALUES.decode_all(opened_elements(kit.GROUP, rows.seconds, [shares])))


@pytest.mark.parametrize(("count", "width"), [(1, 1), (2, 1), (6, 1), (3, 2)])
def test_an_honest_shuffle_is_accepted_and_holds_the_same_values(count: int, width: int) -> None:
    old, mixed, proof = kit.shuffled(count, width)
    check(mixed.rows, proof, old=old)
    before, after = opened(old), opened(mixed.rows)
    for at in range(0, count * width, count):
        column = after[at : at + count]
        assert column == [before[at + place] for place in mixed.order]
    assert not set(mixed.rows.firsts + mixed.rows.seconds) & set(old.firsts + old.seconds)


def test_seeded_shuffles_are_reproducible_and_lists_never_share_an_order_or_a_nonce() -> None:
    old, mixed, proof = kit.shuffled(2)
    again = remix(kit.HOP, KEY, old, kit.entropy("remix"))
    assert again == mixed
    assert prove_shuffle(kit.HOP, KEY, old, again, kit.entropy("proof")) == proof
    other = remix(kit.HOP, KEY, kit.rows(2, label="other"), kit.entropy("remix"))
    assert not set(other.salts[0]) & set(mixed.salts[0])
    different = prove_shuffle(kit.HOP, KEY, mixed.rows, other, kit.entropy("proof"))
    assert not set(different.commitments + different.masks) & set(proof.commitments + proof.masks)


def test_every_order_is_drawn() -> None:
    drawn = {tuple(random_order(3, kit.entropy(f"order {i}"))) for i in range(60)}
    assert len(drawn) == 6


def known() -> tuple[bytes, bytes]:
    """Return a ciphertext of the shuffler's own."""
    ((_, ballot),) = kit.ballots([b"known"], KEY)
    return ballot.first, ballot.second


def replace_ballot(columns: Columns) -> None:
    columns[0][3], columns[1][3] = known()


def drop_and_double(columns: Columns) -> None:
    columns[0][3] = kit.add(columns[0][5], kit.times(7, kit.GENERATOR))
    columns[1][3] = kit.add(columns[1][5], kit.times(7, KEY))


def exchange_first_halves(columns: Columns) -> None:
    columns[0][3], columns[0][4] = columns[0][4], columns[0][3]


def exchange(columns: Columns) -> None:
    for column in columns:
        column[3], column[4] = column[4], column[3]


def tag(columns: Columns) -> None:
    columns[1][3] = kit.add(columns[1][3])


def double(columns: Columns) -> None:
    for column in columns:
        column[3] = kit.add(column[3], column[3])


def shift_two(columns: Columns) -> None:
    columns[1][3] = kit.add(columns[1][3])
    columns[1][4] = kit.add(columns[1][4], kit.times(-1, kit.GENERATOR))


CHEATS = [replace_ballot, drop_and_double, exchange_first_halves, exchange, tag, double, shift_two]


@pytest.mark.parametrize("cheat", CHEATS)
def test_a_list_that_was_changed_is_refused(cheat: Callable[[Columns], None]) -> None:
    """Also if the proof is made for the changed list."""
    old, mixed, _ = kit.shuffled()
    columns = [list(column) for column in mixed.rows.columns]
    cheat(columns)
    changed = replace(mixed, rows=CiphertextRows(tuple(map(tuple, columns))))
    proof = prove_shuffle(kit.HOP, KEY, old, changed, kit.entropy("cheat"))
    with pytest.raises(VerificationError, match="equation t4"):
        check(changed.rows, proof)


def test_a_ballot_twice_is_refused_if_the_commitments_say_so_too() -> None:
    old, mixed, _ = kit.shuffled()
    columns = [list(column) for column in mixed.rows.columns]
    drop_and_double(columns)
    order, salts = list(mixed.order), list(mixed.salts[0])
    order[3], salts[3] = order[5], salts[5] + 7
    doubled = Remix(CiphertextRows(tuple(map(tuple, columns))), tuple(order), (tuple(salts),))
    proof = prove_shuffle(kit.HOP, KEY, old, doubled, kit.entropy("cheat"))
    with pytest.raises(VerificationError, match="equation t"):
        check(doubled.rows, proof)


@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize(("half", "name"), [(0, "A"), (1, "B")])
def test_one_column_of_rows_in_another_order_is_refused(at: int, half: int, name: str) -> None:
    old, mixed, _ = kit.shuffled(3, 2)
    columns = list(mixed.rows.columns)
    first, second, third = columns[2 * at + half]
    columns[2 * at + half] = second, first, third
    changed = replace(mixed, rows=CiphertextRows(tuple(columns)))
    proof = prove_shuffle(kit.HOP, KEY, old, changed, kit.entropy("cheat"))
    with pytest.raises(VerificationError, match=rf"equation t4 \({name} of ciphertext {at}\)"):
        check(changed.rows, proof, old=old)


@pytest.mark.parametrize("length", [5, 7])
def test_a_list_of_another_length_is_refused(length: int) -> None:
    _, mixed, proof = kit.shuffled()
    columns = tuple(
        (*column, mine)[:length] for column, mine in zip(mixed.rows.columns, known(), strict=True)
    )
    shorter, other = CiphertextRows(columns), kit.shuffled(2)[2]
    with pytest.raises(VerificationError, match="differ in shape"):
        check(shorter, proof)
    with pytest.raises(VerificationError, match="differ in shape"):
        check(mixed.rows, proof, old=shorter)
    with pytest.raises(VerificationError, match="differ in shape"):
        check(mixed.rows, other)


@pytest.mark.parametrize("name", [field.name for field in fields(ShuffleProof)])
def test_each_part_of_a_proof_counts(name: str) -> None:
    _, mixed, proof = kit.shuffled()
    part = getattr(proof, name)
    for at, item in enumerate(part):
        other = kit.add(item) if isinstance(item, bytes) else (item + 1) % kit.GROUP.order
        changed = replace(proof, **{name: (*part[:at], other, *part[at + 1 :])})
        with pytest.raises(VerificationError, match="equation"):
            check(mixed.rows, changed)
    for length in (part[:-1], part + part[:1]):
        with pytest.raises(VerificationError, match=r"proof of a shuffle|shape"):
            check(mixed.rows, replace(proof, **{name: length}))


@pytest.mark.parametrize("context", kit.ELSEWHERE.values(), ids=kit.ELSEWHERE)
def test_a_proof_of_another_place_is_refused(context: ProofContext) -> None:
    _, mixed, proof = kit.shuffled()
    with pytest.raises(VerificationError, match="equation"):
        check(mixed.rows, proof, context=context)


def test_a_proof_for_another_key_or_other_lists_is_refused() -> None:
    old, mixed, proof = kit.shuffled()
    with pytest.raises(VerificationError, match="equation"):
        check(mixed.rows, proof, key=kit.add(KEY))
    with pytest.raises(VerificationError, match="equation"):
        check(old, proof, old=mixed.rows)


def test_challenges_follow_from_the_whole_statement() -> None:
    """Weak Fiat-Shamir would let a prover choose a part after the challenge."""
    old, mixed, proof = kit.shuffled()
    honest = ShuffleStatement(kit.HOP, KEY, old, mixed.rows)
    statements = [
        honest,
        replace(honest, key=kit.add(KEY)),
        replace(honest, old=mixed.rows),
        replace(honest, new=old),
    ]
    commitments = [proof.commitments] * len(statements) + [proof.commitments[::-1]]
    exponents = {
        tuple(row_exponents(statement.transcript(), committed))
        for statement, committed in zip([*statements, honest], commitments, strict=True)
    }
    assert len(exponents) == 5
    parts = [proof.chain, proof.masks, proof.chain_masks]
    changed = [parts] + [
        [part[::-1] if at == place else part for place, part in enumerate(parts)] for at in range(3)
    ]
    challenges = {
        final_challenge(kit.GROUP, honest.transcript(), *different) for different in changed
    }
    assert len(challenges) == 4


def test_secrets_of_a_shuffler_are_in_no_repr() -> None:
    _, mixed, _ = kit.shuffled()
    assert "order" not in repr(mixed)
    assert "salts" not in repr(mixed)

"""The row `verified` of a comparison: the same release by a mix whose every step is proved."""

from dataclasses import replace

import pytest
from veilmix.report.compare import page
from veilmix.scenarios.lab.validation.load import change, load
from veilmix.scenarios.studies.comparison.compare import compare, party_names
from veilmix.scenarios.studies.comparison.frames import HEADINGS, rows
from veilmix.scenarios.studies.comparison.mixed import PROOF_PARTIES
from veilmix.scenarios.studies.comparison.result import Comparison

ONLY = ("exposure", "verified", "trusted")


@pytest.fixture(scope="module")
def both() -> Comparison:
    """Twelve people with onions and with proofs; the scenario asks for a verified mix."""
    return compare(change(load("classroom"), {"mix.kind": "verified"}), 3, only=ONLY)


@pytest.mark.slow
def test_onions_and_proofs_release_the_same_and_one_coalition_differs(both: Comparison) -> None:
    onions, proved = both.program("exposure"), both.program("verified")
    assert (proved.utility, proved.privacy) == (onions.utility, onions.privacy)
    assert not proved.burned
    for one, other in zip(proved.trust.coalitions, onions.trust.coalitions, strict=True):
        assert one.parties == other.parties
        if not {"shuffler-1", "shuffler-2"} <= set(one.parties):
            assert one == other
    readers = {coalition[0] for coalition in onions.trust.smallest}
    assert readers == {"analyst", "curator"}  # with both shufflers each
    assert proved.trust.smallest == (("shuffler-1", "shuffler-2"),)


@pytest.mark.slow
def test_the_proof_is_of_the_verified_mix_alone(both: Comparison) -> None:
    proofs = [program.trust.proof for program in both.programs]
    assert proofs == [None, PROOF_PARTIES, None]
    place = HEADINGS.index("proof_sketch_covers")
    assert [row[place] for row in rows(both)] == proofs
    text = repr(page(both))
    assert PROOF_PARTIES in text
    assert "a coalition of all these, also if it cheats" in text
    others = replace(both, programs=(both.program("exposure"), both.program("trusted")))
    assert "also if it cheats" not in repr(page(others))


@pytest.mark.slow
def test_a_proof_costs_bytes(both: Comparison) -> None:
    """A user hands its ballots to each keyholder, and lists with proofs stand on the board."""
    onions, proved = both.program("exposure").cost, both.program("verified").cost
    assert onions.total is not None
    assert proved.total is not None
    assert proved.bytes > onions.bytes
    assert proved.total > onions.total > onions.bytes
    assert proved.rounds == onions.rounds
    assert both.program("trusted").cost.total is None


@pytest.mark.slow
def test_a_single_submission_is_compared_with_onions_of_each_round(both: Comparison) -> None:
    once = compare(load("submit-once"), 3, only=("exposure", "verified"))
    onions, proved = once.programs
    assert not once.skipped
    assert proved.utility == onions.utility
    assert "users submit once, and all shufflers with the analyst" in proved.note
    assert "submit" not in onions.note + both.program("verified").note
    assert proved.cost.bytes < both.program("verified").cost.bytes
    assert proved.trust.smallest == (("shuffler-1", "shuffler-2"),)


@pytest.mark.slow
def test_samples_count_bytes_in_all(both: Comparison) -> None:
    sampled = compare(load("classroom"), 3, only=("exposure",), messages=False)
    assert sampled.program("exposure").cost.total == pytest.approx(
        both.program("exposure").cost.total, rel=0.05
    )


def test_guards_of_onions_leave_the_row_out_with_a_reason() -> None:
    asked = change(load("classroom"), {"defence.receipts": 1.0})
    comparison = compare(asked, 3, only=("trusted", "verified"))
    assert [program.program for program in comparison.programs] == ["trusted"]
    assert "receipts" in comparison.skipped["verified"]


def test_its_parties_are_those_of_a_mix() -> None:
    names = party_names(load("classroom"), ("verified",))
    assert "shuffler-2" in names
    assert "aggregator-1" not in names

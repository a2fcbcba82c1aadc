"""A run with messages is the one without, for programs whose findings depend on no message."""

import pytest
from veilmix.scenarios.lab.scoring.outcome import Outcome


def check_same(real: Outcome, ideal: Outcome) -> None:
    """The release, what is found and what it exposes, and what every coalition learns."""
    assert real.release == ideal.release
    assert real.decision == ideal.decision
    assert real.findings == ideal.findings
    assert real.exposure == ideal.exposure
    assert real.exposure.true == real.exposure.promised
    by_party = {coalition.parties: coalition for coalition in ideal.coalitions}
    for coalition in real.coalitions:
        other = by_party[coalition.parties]
        assert coalition.bits == pytest.approx(other.bits), coalition.parties
        assert coalition.linked == other.linked, coalition.parties

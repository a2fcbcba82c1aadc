"""Sessions of processes with random faults, as tools/soak.py plays them."""

from pathlib import Path

import pytest
import soak
import soak_plan
from veilmix import systems

needs_fork = pytest.mark.skipif(not systems.FORKS, reason="copies of this process are needed")


def test_the_faults_of_a_session_follow_from_the_seed_and_its_number() -> None:
    plans = [soak_plan.plan(seed, number) for seed in (1, 2) for number in range(50)]
    assert plans == [soak_plan.plan(seed, number) for seed in (1, 2) for number in range(50)]
    assert len({repr(replayed.faults) for replayed in plans}) > 90
    kinds = {fault.kind for each in plans for faults in each.faults.values() for fault in faults}
    assert kinds == {"kill", "killed", "full", "clock"}
    fates = [fate for each in plans for drawn in each.fates.values() for fate in drawn]
    assert any(fate.refused for fate in fates)
    assert any(fate.breaks for fate in fates)
    assert {each.gone for each in plans} == {"", *soak_plan.PLACES}


@needs_fork
@pytest.mark.slow
@pytest.mark.tls
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_session_with_faults_ends_as_it_should(seed: int, tmp_path: Path) -> None:
    assert soak.soak(seed, 0, tmp_path / "session").wrong == []


@needs_fork
@pytest.mark.slow
@pytest.mark.long
@pytest.mark.tls
def test_a_hundred_sessions_with_faults_end_as_they_should(tmp_path: Path) -> None:
    for number in range(100):
        folder = tmp_path / f"{number}"
        assert soak.soak(4, number, folder).wrong == [], soak.again(4, number)

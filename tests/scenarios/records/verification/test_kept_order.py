"""A run in which batches keep their order: what was recorded still says who came when."""

from pathlib import Path

import pytest
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.validation.load import load
from veilmix.scenarios.records.run_folder import read, save
from veilmix.scenarios.records.verification.views import learnt_in

FILE = """
[scenario]
name = "kept"
seed = 5
[population]
source = "builtin:blood-type"
[mix]
order = "kept"
lesson = true
[policy]
k = 2
max_exposure = 0.1
[[coalition]]
name = "who listens, and the curator"
parties = ["network", "curator"]
"""


@pytest.mark.slow
def test_everybody_is_linked_by_arrival_in_the_saved_run_too(tmp_path: Path) -> None:
    (tmp_path / "kept.toml").write_text(FILE, "utf-8")
    outcome = run(load(tmp_path / "kept.toml"), worst_case_nodes=0)
    coalition = outcome.coalition("network", "curator")
    assert (coalition.linked, coalition.cells_certain) == (30, 90)
    assert outcome.coalition("shuffler-2", "curator").linked == 0
    again = learnt_in(read(save(outcome, tmp_path)))
    assert again == outcome.coalitions

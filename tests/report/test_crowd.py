"""Participants who do not exist are part of the crowd among which people are linked."""

from pathlib import Path

import pytest
from veilmix.number_text import sentence
from veilmix.report.make import make
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.records.run_folder import save
from veilmix.scenarios.records.verification.deviations import NOT_BY_WATCHING


@pytest.mark.slow
def test_a_flooded_run_links_no_more_than_all(tmp_path: Path) -> None:
    page = make(save(run("attack-flood", worst_case_nodes=0), tmp_path), 0).html
    assert sentence(NOT_BY_WATCHING) in page  # the first shuffler did not follow the protocol
    assert "1000.0" not in page

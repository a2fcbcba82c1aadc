"""Sessions that a ledger knows of."""

from pathlib import Path

from veilmix.scenarios.lab.ledger.book import opened
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.schema.model import Scenario


def played(book: Path, scenario: Scenario, seed: int = 7) -> Outcome:
    """A run that this ledger is asked about."""
    with opened(book) as ledger:
        return run(scenario, seed, worst_case_nodes=0, ledger=ledger)

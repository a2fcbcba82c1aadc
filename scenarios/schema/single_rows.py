"""The error of commands that do not support persons with several rows."""

from ...errors import DataError
from .model import Scenario


def require_single_rows(scenario: Scenario, command: str) -> None:
    """Raise DataError if persons have several rows, which a command does not support.

    command: the name of the command, with options.
    """
    if scenario.population.rows is not None:
        raise DataError(
            f"{command}: population.rows = {scenario.population.rows}, and {command} needs persons "
            'with one row each: in place of rows set one_row = "first", "last", "earliest:COLUMN" '
            'or "latest:COLUMN"; run, check, sweep, verify, leak, show and report allow several'
            " rows"
        )

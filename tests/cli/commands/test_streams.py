"""Every command with closed standard streams, and with a standard output that has no room."""

from pathlib import Path

import click
import pytest
from command_copies import LINES, every_command, play
from veilmix import systems
from veilmix.cli.app import COMMANDS, group

pytestmark = pytest.mark.skipif(not systems.FORKS, reason="makes copies of the process")


def test_the_table_has_every_command() -> None:
    assert set(LINES) == set(COMMANDS) == set(group.list_commands(click.Context(group)))


@pytest.mark.slow
def test_closed_streams_change_no_exit_code(folder: Path, tmp_path: Path) -> None:
    wanted = every_command(folder)
    assert {done.line: done.code for done in play(wanted, tmp_path, "- -")} == wanted


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device without room")
def test_a_standard_output_without_room_is_one_sentence(folder: Path, tmp_path: Path) -> None:
    wanted = every_command(folder)
    for done in play(wanted, tmp_path, "/dev/full err"):
        assert done.code == 2, (done.line, done.err)
        assert "Traceback" not in done.err, done.line
        assert "bug" not in done.err, done.line
        if wanted[done.line] == 0:
            assert done.err.splitlines()[-1] == (
                "the output could not be written: No space left on device; make room on the disk"
            ), done.line

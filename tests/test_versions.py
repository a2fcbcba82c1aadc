"""Both ends of the versions that pyproject.toml allows are recorded, and tried by every command."""

import re
import subprocess
from pathlib import Path

import click
import machine_formats
import pytest
import versions
from packaging.requirements import Requirement
from packaging.version import Version
from veilmix.cli.app import group

ROOT = Path(__file__).parent.parent
GREETING = "Running HiGHS 1.16.0: Copyright (c) 2026 under MIT licence terms\n"
OUTPUTS = {
    "run a --format json": '{"k": 5}\n',
    "run a --format csv": "A,count\nN,5\n",
    "show a --format mermaid": "sequenceDiagram\n  a->>b: c\n",
    "run a --quiet": "runs/a\n",
}


def pinned(kind: str) -> dict[str, Version]:
    """Return the libraries of a record, as Python 3.11 has them."""
    lines = versions.record(kind).read_text("utf-8").splitlines()
    pins = [match for line in lines if (match := re.match(r"([\w.-]+)==([^ ]+)(.*)", line))]
    return {name: Version(version) for name, version, more in map(re.Match.groups, reversed(pins))}


def test_every_machine_format_of_every_command_is_run() -> None:
    found = {*machine_formats.forms(group)}
    assert {
        ("run", "--format", "json"),
        ("run", "--quiet", ""),
        ("serve", "--log", "json"),
    } <= found
    assert machine_formats.uncovered(group) == []


def test_a_new_format_without_a_line_is_found() -> None:
    option = click.Option(["--format"], type=click.Choice(["table", "json"]))
    quiet = click.Option(["--quiet"], is_flag=True)
    new = click.Group(commands=[click.Command("tally", params=[option, quiet])])
    assert machine_formats.uncovered(new) == ["tally --format json", "tally --quiet"]


@pytest.mark.parametrize("line", OUTPUTS)
def test_a_library_that_prints_is_found(tmp_path: Path, line: str) -> None:
    """A greeting before the output (highspy 1.16.0), after it or in its place; no output."""
    (tmp_path / "runs" / "a").mkdir(parents=True)
    right = OUTPUTS[line]

    def fault(said: str, code: int = 0) -> str | None:
        return machine_formats.fault(
            line, subprocess.CompletedProcess([], code, said, ""), tmp_path
        )

    assert fault(right) is None
    for wrong in (GREETING + right, right + GREETING, GREETING, ""):
        assert line in (fault(wrong) or "")
    assert "exit code 3" in (fault(right, 3) or "")


def test_numbers_that_are_not_json_are_found(tmp_path: Path) -> None:
    done = subprocess.CompletedProcess([], 0, '{"k": NaN}', "")
    assert "NaN is not JSON" in (machine_formats.fault("run a --format json", done, tmp_path) or "")


@pytest.mark.parametrize("kind", versions.RESOLUTIONS)
def test_the_record_is_of_what_is_allowed(kind: str) -> None:
    pins = pinned(kind)
    for line in versions.allowed().splitlines():
        wanted = Requirement(line)
        assert wanted.specifier.contains(pins[wanted.name]), f"{line}: make lock"


def test_lower_bounds_are_versions_that_were_tried() -> None:
    """A bound that cannot be had, beside the other bounds, is no bound: `make versions` tells."""
    pins = pinned("oldest")
    for line in versions.allowed().splitlines():
        wanted = Requirement(line)
        (bound,) = (part.version for part in wanted.specifier if part.operator == ">=")
        assert Version(bound) == pins[wanted.name], f"{line}: {pins[wanted.name]} was tried"


def test_ci_tries_the_record_and_leaves_out_tests_that_are_there() -> None:
    assert all((ROOT / name).is_file() for name in versions.LONG)
    newest, oldest = map(versions.part, ("newest", "oldest"))
    assert not {*newest} & {*oldest}
    files = {str(path.relative_to(ROOT)) for path in (ROOT / "tests/analysis").rglob("test_*.py")}
    tried = files - {*versions.LONG}
    assert {*newest, *oldest} <= tried
    assert len(newest) >= len(tried) // versions.SHARE <= len(oldest)
    assert re.search(r"^make .*\brecorded\b", (ROOT / ".ci/run").read_text("utf-8"), re.MULTILINE)
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert "tools/versions.py --recorded" in makefile
    assert "tools/versions.py --record\n" in makefile.partition("\nlock:")[2]

"""`veilmix --help` answers at once: it imports no command and no heavy library."""

import subprocess
import sys
from pathlib import Path

import pytest
from veilmix.cli.app import COMMANDS

HEAVY = (
    "numpy",
    "scipy",
    "trio",
    "cryptography",
    "nacl",
    "rich",
    "msgspec",
    "duckdb",
    "matplotlib",
)
PROBE = """
import sys
from pathlib import Path
from veilmix.cli import main
code = main({arguments!r})
print("\\n".join(sorted(sys.modules)))
sys.exit(code)
"""


def modules(*arguments: str) -> tuple[str, set[str]]:
    """Run a command in a fresh interpreter; what it printed, and every module it imported."""
    probe = PROBE.format(arguments=list(arguments))
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return done.stdout, set(done.stdout.split())


@pytest.mark.place
@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("--help",), (), ("--version",)])
def test_the_first_screen_imports_nothing_heavy(arguments: tuple[str, ...]) -> None:
    _, imported = modules(*arguments)
    assert not {name for name in imported if name.split(".")[0] in HEAVY}
    room = {name for name in imported if name.startswith("veilmix.cli.")}
    assert room == {"veilmix.cli.app", "veilmix.cli.exit_now", "veilmix.cli.lazy"}
    assert "veilmix.scenarios" not in imported


@pytest.mark.place
@pytest.mark.slow
def test_the_gallery_needs_no_cryptography() -> None:
    out, imported = modules("new", "--format", "csv")
    assert "blood-type" in out
    assert not {"scipy", "trio", "cryptography", "nacl", "duckdb"} & imported


def test_the_first_screen_names_every_command_and_every_exit_code(typed) -> None:
    said = typed()
    assert said.code == 0
    assert all(f"\n  {name} " in said.out for name in COMMANDS)
    assert "130 Ctrl-C" in said.out
    assert typed("--help").out == said.out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_it_does(typed, name: str) -> None:
    said = typed(name, "--help")
    assert said.code == 0
    assert said.out.startswith(f"Usage: veilmix {name} ")


def test_wrong_usage_is_2_and_suggests(typed) -> None:
    assert typed("rnu").code == 2
    said = typed("rum", "blood-type")
    assert "did you mean `run`?" in said.err
    assert typed("run").code == 2
    assert typed("run", "blood-type", "--seed", "-1").code == 2
    assert typed("run", "blood-type", "--format", "xml").code == 2


def test_a_bug_is_1_and_says_how_to_report_it(typed, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("of the test")

    monkeypatch.setattr("veilmix.scenarios.lab.play.run.run", broken)
    said = typed("run", "blood-type", "--seed", "5", "--no-save")
    assert said.code == 1
    assert "ZeroDivisionError: of the test" in said.err
    assert "veilmix run blood-type --seed 5 --no-save" in said.err
    details = said.err.split("details")[1].strip()
    assert "Traceback" in Path(details).read_text("utf-8")

"""`veilmix new --package`: the project is built, installed, tested, and used by commands."""

import ast
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from page_packages import register
from veilmix.cli import main
from veilmix.errors import ParameterError
from veilmix.scenarios.serialization.new_package import package_files, write_package

TESTED = ("-m", "pytest", "-q", "-p", "no:cacheprovider")


def run(*words: str | Path, cwd: Path, path: Path | None = None) -> str:
    """Run a Python of this environment; the output of a run that succeeds."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    if path is not None:
        env["PYTHONPATH"] = str(path)
    done = subprocess.run(
        [sys.executable, *words],
        cwd=cwd,
        env={**env, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_file_is_whole() -> None:
    files = package_files("my-lab")
    assert len(files) == 14
    assert not [name for name, text in files.items() if "$" in text]
    for name, text in files.items():
        if name.endswith(".py"):
            ast.parse(text)
        if name.endswith(".toml"):
            tomllib.loads(text)
    points = tomllib.loads(files["pyproject.toml"])["project"]["entry-points"]
    for place in (at for group in points.values() for at in group.values()):
        module, _, attribute = place.partition(":")
        text = files[f"src/{module.replace('.', '/')}.py"]
        assert f"{attribute} = " in text or f"class {attribute}(" in text


def test_the_command_writes_it_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["new", "--package", "my-lab"]) == 0
    said = capsys.readouterr().out
    assert "wrote my-lab/ (14 files)" in said
    # A new environment has neither pytest nor a setuptools that builds the package.
    assert "pip install --editable my-lab pytest\n" in said
    assert "isolation" not in said
    readme = (tmp_path / "my-lab" / "README.md").read_text("utf-8")
    assert "\npip install --editable . pytest\n" in readme
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert main(["new", "--package", "my-lab"]) == 2
    assert "my-lab: is there already" in capsys.readouterr().err
    assert main(["new", "titanic", "--package", "other"]) == 2
    assert "--package is not accepted with NAME" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "at most 40 lower-case letters"),
        ("My-Lab", "lower-case letters"),
        ("../up", "lower-case letters"),
        ("a" * 41, "at most 40"),
        ("veilmix", "module 'veilmix' already"),
        ("json", "module 'json' already"),
        ("numpy", "module 'numpy' already"),
        ("class", "module 'class' already"),
    ],
)
def test_a_name_that_cannot_be_is_one_error(name: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=why):
        write_package(name, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_its_own_tests_pass(tmp_path: Path) -> None:
    folder, _ = write_package("my-lab", tmp_path)
    about = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    register(folder / "src", about)
    assert "10 passed" in run(*TESTED, cwd=folder, path=folder / "src")


@pytest.mark.long
def test_it_is_built_installed_tested_and_used(tmp_path: Path) -> None:
    folder, _ = write_package("my-lab", tmp_path)
    offline = ("--quiet", "--no-deps", "--no-build-isolation", "--no-index")
    pip = ("-m", "pip")
    run(*pip, "wheel", *offline, "--wheel-dir", tmp_path / "dist", folder, cwd=tmp_path)
    (wheel,) = (tmp_path / "dist").glob("my_lab-0.1.0-*.whl")
    site = tmp_path / "site"
    run(*pip, "install", *offline, "--target", site, wheel, cwd=tmp_path)
    assert "10 passed" in run(*TESTED, cwd=folder, path=site)
    veilmix = ("-m", "veilmix")
    assert "my-lab-attack" in run(*veilmix, "check", "release.toml", cwd=folder, path=site)
    assert "people not counted" in run(
        *veilmix, "run", "release.toml", "--no-save", cwd=folder, path=site
    )
    assert "my-lab-randomizer" in run(
        *veilmix, "run", "reports.toml", "--no-save", cwd=folder, path=site
    )
    programs = ("--programs", "my-lab-program,exposure", "--no-save")
    assert "the safest column alone" in run(
        *veilmix, "compare", "release.toml", *programs, cwd=folder, path=site
    )
    attacks = ("--attacks", "my-lab-attack", "--defences", "dropout", "--repeats", "1")
    assert "my-lab-attack" in run(
        *(*veilmix, "attack", "release.toml", *attacks, "--workers", "1", "--no-save"),
        cwd=folder,
        path=site,
    )

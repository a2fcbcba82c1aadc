"""What is missing is named with a command that works here; the environment mends itself."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from importlib import metadata
from pathlib import Path

import environment
import pytest
from veilmix import installation

ROOT = Path(__file__).parent.parent
EXTRAS = {"cluster", "data", "dev", "fast", "report", "teach", "web"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def asked(level: str) -> set[str]:
    """What `requirements/LEVEL.in` asks for, and those that it builds upon."""
    packages: set[str] = set()
    for line in (ROOT / "requirements" / f"{level}.in").read_text("utf-8").splitlines():
        if line.startswith("-r "):
            packages |= asked(line[3:].removesuffix(".in"))
        elif not line.startswith("#"):
            packages.add(re.split(r"[\[;]", line)[0])
    return packages


def test_every_extra_is_installed_by_the_target_that_is_advised() -> None:
    assert set(PROJECT["optional-dependencies"]) == EXTRAS
    assert {*EXTRAS, "core"} == set(installation.TARGETS)
    targets = (ROOT / "Makefile").read_text("utf-8")
    for extra, target in installation.TARGETS.items():
        names = {
            installation.library(requirement) for requirement in installation.requirements(extra)
        }
        assert names <= asked(target), extra
        assert re.search(rf"^[a-z ]*\b{target}\b[a-z ]*:", targets, re.MULTILINE), target


def test_a_level_has_the_versions_of_all() -> None:
    pins = {
        path.stem: set(re.findall(r"^[\w.-]+==[^ ]+", path.read_text("utf-8"), re.MULTILINE))
        for path in (ROOT / "requirements").glob("*.txt")
        if path.stem not in {"bench", "peers", "newest", "oldest"}  # of environments of their own
    }
    assert {"core", "demo", "data", "teach", "cluster", "fast", "dev"} == set(pins)
    asked_for = pins.pop("fast") - pins["demo"]  # under terms of its maker's own: only if asked for
    assert {pin.partition("==")[0] for pin in asked_for} == {"intel-cmplr-lib-rt", "ipp-crypto"}
    assert all(some and some <= pins["dev"] for some in pins.values())


@pytest.mark.place
def test_in_a_checkout_make_is_advised(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(installation, "PROJECT_FOLDER", tmp_path / "a folder")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "a folder" / ".venv"))
    (tmp_path / "a folder" / ".venv").mkdir(parents=True)
    (tmp_path / "a folder" / "Makefile").touch()
    (tmp_path / "a folder" / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    monkeypatch.chdir(tmp_path / "a folder")
    assert installation.advice("data") == "make data"
    said = installation.missing("web", "--live")
    assert said == "--live needs h11 and segno; to install that: make demo"
    monkeypatch.chdir(tmp_path)
    assert shlex.split(installation.advice("web")) == ["make", "-C", f"{tmp_path}/a folder", "demo"]
    monkeypatch.setattr(shutil, "which", lambda _: None)  # no make
    script = f"{tmp_path}/a folder/tools/environment.py"
    assert shlex.split(installation.advice("web")) == [sys.executable, script, "demo"]
    monkeypatch.chdir(tmp_path / "a folder")
    script = "tools/environment.py"
    assert shlex.split(installation.advice("data")) == [sys.executable, script, "data"]
    monkeypatch.setattr(sys, "prefix", str(tmp_path))  # the checkout, but another environment
    assert "-m pip install" in installation.advice("web")


def test_a_command_is_quoted_for_the_shell_of_its_system(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("C:\\a folder\\python.exe", "-m", "pip", "install", "h11>=0.14")
    assert shlex.split(installation.typed(*words)) == list(words)
    monkeypatch.setattr(sys, "platform", "win32")
    assert installation.typed(*words[:4]) == '"C:\\a folder\\python.exe" -m pip install'


@pytest.mark.place
def test_elsewhere_the_libraries_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(installation, "PROJECT_FOLDER", tmp_path)
    needs = ["click>=8.1", 'h11>=0.14; extra == "web"', "jinja2>=3.1 ; extra == 'report'"]
    monkeypatch.setattr(metadata, "requires", lambda name: needs if name == "veilmix" else None)
    python, *rest = shlex.split(installation.advice("web"))
    assert (python, rest) == (sys.executable, ["-m", "pip", "install", "h11>=0.14"])
    assert installation.requirements("core") == ["click>=8.1"]
    assert installation.requirements("report") == ["jinja2>=3.1"]
    monkeypatch.setattr(installation, "find_spec", lambda _: None)
    assert shlex.split(installation.advice("web"))[:3] == ["uv", "pip", "install"]


@pytest.mark.place
def test_nobody_is_told_to_install_veilmix_from_an_index() -> None:
    said = re.compile(r"pip install[^\n`]*\bveilmix\b")
    shown = [top for top in ROOT.iterdir() if not top.name.startswith(".")]  # no environment
    for path in [file for top in shown for file in (top, *top.rglob("*"))]:
        here = path.relative_to(ROOT).parts
        ours = not any(part.startswith(".") or part in ("_build", "build") for part in here)
        if ours and path.suffix in (".py", ".md", ".toml", ".html") and path != Path(__file__):
            assert not said.search(path.read_text("utf-8")), path


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh clone, with what `make demo` installs and no more."""
    folder = tmp_path_factory.mktemp("first hour") / "veilmix"
    run(sys.executable, ROOT / "tools" / "clone.py", folder, "demo", cwd=ROOT)
    return folder


def run(*command: object, cwd: Path, **variables: str) -> str:
    """Run a command that must end well; gives what it printed."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env={**outside, **variables},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


WHERE = ("-c", "import veilmix; print(veilmix.__file__)")


@pytest.mark.slow
def test_a_copy_that_was_installed_does_not_hide_the_checkout(fresh: Path, tmp_path: Path) -> None:
    """`pip install .` in the checkout's own environment, and its removal, break nothing."""
    python, environment = fresh / ".venv/bin/python", fresh / "tools/environment.py"
    install = (python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", ".")
    run(*install, "--no-index", cwd=fresh)
    assert list((fresh / ".venv").glob("lib/*/site-packages/veilmix/__init__.py"))
    home = str(fresh / ".venv" / "checkout" / "veilmix" / "__init__.py")
    assert run(python, *WHERE, cwd=tmp_path).strip() == home
    run(sys.executable, environment, "demo", cwd=fresh)
    assert "veilmix" in run(fresh / ".venv/bin/veilmix", "--help", cwd=tmp_path)
    run(python, "-m", "pip", "uninstall", "--quiet", "--yes", "veilmix", cwd=fresh)
    assert not (fresh / ".venv/bin/veilmix").exists()
    run(sys.executable, environment, "demo", cwd=fresh)
    assert "veilmix" in run(fresh / ".venv/bin/veilmix", "--help", cwd=tmp_path)
    assert run(python, *WHERE, cwd=tmp_path).strip() == home


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="has the paths of POSIX")
def test_without_make_the_next_line_is_said(fresh: Path, tmp_path: Path) -> None:
    script = fresh / "tools/environment.py"
    said = run(sys.executable, script, "demo", cwd=fresh)
    assert said == "next: .venv/bin/veilmix run titanic\n"
    program, *arguments = shlex.split(said.removeprefix("next: "))
    assert "titanic" in run(fresh / program, "check", arguments[-1], cwd=fresh)
    own = fresh / ".venv/bin/python"  # which does not make itself again
    said = run(own, script, "demo", cwd=tmp_path)
    assert said == f"next: {shlex.quote(str(fresh / program))} run titanic\n"
    assert run(sys.executable, script, "demo", cwd=fresh, MAKELEVEL="1") == ""


@pytest.mark.place
def test_the_environment_of_windows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With its layout of folders, and where a user may not make a link; the rest is as here."""
    root, home = tmp_path / "a checkout", tmp_path / "a checkout" / ".venv"
    there = {"base": str(home), "platbase": str(home), "installed_base": str(home)}
    layout = sysconfig.get_paths("nt_venv", vars=there)
    for folder in ("purelib", "scripts"):
        Path(layout[folder]).mkdir(parents=True)
    for name, value in {"ROOT": root, "HOME": home, "WINDOWS": True}.items():
        monkeypatch.setattr(environment, name, value)
    monkeypatch.setattr(environment, "places", lambda: layout)
    typed: list[tuple[str | Path, ...]] = []
    make_link = Path.symlink_to

    def refuse(*_: object, **__: object) -> None:
        raise OSError(0, "A required privilege is not held by the client")

    def junction(*words: str | Path) -> None:
        typed.append(words)
        make_link(Path(words[-2]), words[-1])

    monkeypatch.setattr(Path, "symlink_to", refuse)
    monkeypatch.setattr(environment, "run", junction)
    for _ in range(2):  # the second time it only looks
        environment.link_checkout()
    link = home / "checkout" / "veilmix"
    assert typed == [("cmd", "/d", "/c", "mklink", "/J", link, root)]
    lines = Path(layout["purelib"], "veilmix-checkout.pth").read_text("ascii").splitlines()
    assert Path(layout["purelib"], lines[0]).resolve() == home / "checkout"
    assert ascii(str(home / "checkout")) in lines[1]
    command = home / "Scripts" / "veilmix.cmd"
    assert command.read_bytes() == b'@"%~dp0python.exe" "%~dp0veilmix" %*\r\n'
    assert "from veilmix.cli import main" in command.with_suffix("").read_text("utf-8")
    assert environment.interpreter() == home / "Scripts" / "python.exe"
    monkeypatch.chdir(root)
    path = Path(".venv", "Scripts")
    assert environment.next_line("demo") == f"{path / 'veilmix'} run titanic"
    assert environment.next_line("teach") == f"{path / 'python'} -m marimo run notebooks"
    assert environment.next_line("data") == f"{path / 'veilmix'} doctor"


def test_a_link_that_cannot_be_made_elsewhere_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        environment.make_link(tmp_path / "no folder" / "veilmix")


@pytest.mark.slow
def test_what_was_taken_away_is_missed(fresh: Path) -> None:
    """The note of what was installed is held against what is there."""
    look = "import environment; print(environment.whole('demo'), environment.whole('dev'))"
    command = (sys.executable, "-c", f"import sys; sys.path.insert(0, 'tools'); {look}")
    assert run(*command, cwd=fresh) == "True False\n"
    (library,) = (fresh / ".venv").glob("lib/*/site-packages/jinja2-*.dist-info")
    away = library.rename(library.with_suffix(".away"))
    assert run(*command, cwd=fresh) == "False False\n"
    away.rename(library)
    assert run(*command, cwd=fresh) == "True False\n"


@pytest.mark.slow
def test_nothing_is_announced_that_is_not_there(fresh: Path, tmp_path: Path) -> None:
    """Without matplotlib: a picture that nobody drew is not named, but what would draw it."""
    without = "import sys; sys.modules['matplotlib'] = None; from veilmix.cli import main; "
    line = "['attack', 'classroom', '--attacks', 'drop', '--defences', 'receipts', '--repeats', '1'"
    script = f"{without}sys.exit(main({line}, '--workers', '1']))"
    said = run(fresh / ".venv/bin/python", "-c", script, cwd=tmp_path)
    assert "matrix.png" not in said
    told = " ".join(said.split())
    assert "a picture needs jinja2 and matplotlib; to install that: make -C " in told
    assert not list(tmp_path.rglob("*.png"))


@pytest.mark.slow
def test_the_doctor_has_no_complaint_of_what_make_demo_brings(fresh: Path) -> None:
    said = json.loads(run(fresh / ".venv/bin/veilmix", "doctor", "--format", "json", cwd=fresh))
    assert not [row for row in said if "tested with" in row["advice"]]
    extras = {row["what"].removeprefix("extra: "): row for row in said}
    assert "jinja2" in extras["report"]["found"]
    assert "h11" in extras["web"]["found"]
    for extra in ("data", "teach", "cluster", "fast"):
        assert extras[extra]["advice"].endswith(f": make {extra}")

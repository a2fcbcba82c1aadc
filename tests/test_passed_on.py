"""Fit to be passed on: the sdist has every file; the wheel does everything outside a checkout."""

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BUILD = "import sys; from setuptools import build_meta as b; print(b.build_{}(sys.argv[1]))"
pytestmark = pytest.mark.slow


def run(*command: object, cwd: Path, **environment: str) -> str:
    """Run a command that must end well; gives what it printed."""
    line = list(map(str, command))
    known = {**os.environ, **environment}
    done = subprocess.run(line, cwd=cwd, capture_output=True, text=True, env=known)
    assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone without an environment: a build leaves files behind."""
    folder = tmp_path_factory.mktemp("build") / "copy"
    run(sys.executable, ROOT / "tools" / "clone.py", folder, cwd=ROOT)
    return folder


@pytest.fixture(scope="module")
def wheel(copy: Path) -> Path:
    """The wheel, made from the sdist alone."""
    name = run(sys.executable, "-c", BUILD.format("sdist"), "dist", cwd=copy).splitlines()[-1]
    with tarfile.open(copy / "dist" / name) as archive:
        archive.extractall(copy.parent, filter="data")
    there = copy.parent / name.removesuffix(".tar.gz")
    made = run(sys.executable, "-c", BUILD.format("wheel"), copy / "dist", cwd=there)
    return copy / "dist" / made.splitlines()[-1]


def test_the_sdist_has_every_file_that_git_tracks(copy: Path, wheel: Path) -> None:
    (archive,) = wheel.parent.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    tracked = set(
        run("git", "ls-files", "-z", "-c", "-o", "--exclude-standard", cwd=copy).split("\0")
    )
    tracked = {name for name in tracked if name and (copy / name).is_file()}
    ours = {
        name for name in tracked if not name.startswith(("dist/", "build/", "veilmix.egg-info"))
    }
    assert len(ours) > 500
    assert not ours - names
    folders = {str(parent) for name in ours for parent in Path(name).parents}
    more = {name for name in names - ours - folders if "egg-info" not in name}
    assert more == {"", "PKG-INFO", "setup.cfg"}


def test_the_wheel_has_what_the_package_reads(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
    for suffix in (".toml", ".csv", ".js", ".json", ".mjs", ".css", ".html"):
        here = {
            f"veilmix/{path.relative_to(ROOT)}"
            for room in (
                "lessons",
                "own_data",
                "poll",
                "scenarios",
                "report",
                "theatre",
                "workbench",
            )
            for path in (ROOT / room).rglob(f"*{suffix}")
            if path.name != "guards.toml"  # of `make mutants`
        }
        assert here <= names
    assert not [name for name in names if name.startswith(("veilmix/tests", "veilmix/docs"))]


@pytest.fixture(scope="module")
def outside(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment outside any checkout, with the wheel and what its extras ask for.

    The libraries are those of this environment; pip looks whether they are what the wheel wants.
    """
    home = tmp_path_factory.mktemp("outside")
    run(sys.executable, "-m", "venv", "--without-pip", home / "env", cwd=home)
    python = home / "env" / "bin" / "python"
    where = run(python, "-c", "import site; print(site.getsitepackages()[0])", cwd=home).strip()
    ours = Path(sys.modules["pytest"].__file__ or "").parent.parent
    Path(where, "libraries.pth").write_text(f"{ours}\n", "utf-8")
    install = ("-m", "pip", "install", "--quiet", "--no-index", "--no-warn-script-location")
    run(python, *install, f"{wheel}[report,web,data]", cwd=home)
    return home


COMMANDS = [
    "new",
    "new titanic mine.toml",
    "check mine.toml",
    "run blood-type --seed 7 --worst-case 10",
    "leak runs/blood-type-0007",
    "show runs/blood-type-0007 --as curator+shuffler-1",
    "verify runs/blood-type-0007",
    "report runs/blood-type-0007",
    "theatre runs/blood-type-0007",
    "sweep blood-type --set policy.k=2,5 --mode ideal --workers 1",
    "attack classroom --attacks drop --defences receipts --repeats 1",
    "compare blood-type --programs exposure,trusted",
    "reproduce 000 3",
    "doctor",
]


@pytest.mark.long  # CI installs the wheel twice, and runs more commands: tools/versions.py
def test_the_wheel_does_everything_outside_a_checkout(outside: Path) -> None:
    veilmix = outside / "env" / "bin" / "veilmix"
    where = run(
        outside / "env/bin/python", "-c", "import veilmix; print(veilmix.__file__)", cwd=outside
    )
    assert "site-packages" in where
    assert str(ROOT) not in where
    said = {line: run(veilmix, *line.split(), cwd=outside) for line in COMMANDS}
    assert (outside / "runs" / "blood-type-0007" / "report.html").is_file()
    for picture in re.findall(r"picture: (\S+)", "".join(said.values())):
        assert (outside / picture).is_file()


def test_what_is_missing_outside_a_checkout_is_named(outside: Path) -> None:
    python = outside / "env" / "bin" / "python"
    script = "from veilmix.installation import advice; print(advice('teach'))"
    assert run(python, "-c", script, cwd=outside).startswith(f"{python} -m pip install 'marimo>=")


def test_who_may_change_it_and_how_it_is_cited_is_said() -> None:
    for name, words in {
        "CONTRIBUTING.md": ("make check", "under 72 characters", "Body"),
        "SECURITY.md": ("not secret", "Privately"),
        "CITATION.cff": ("cff-version: 1.2.0", "authors:", "license: MIT"),
    }.items():
        text = (ROOT / name).read_text("utf-8")
        assert all(word in text for word in words), name
    import veilmix

    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    released = re.search(rf"\nversion: {veilmix.__version__}\ndate-released: (\S+)\n", citation)
    assert released
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    headings = re.findall(r"^## (?!Unreleased$).*$", changes, re.MULTILINE)
    assert headings[0] == f"## {veilmix.__version__} ({released[1]})"


def test_numbers_of_decisions_that_were_never_given_are_accounted_for() -> None:
    folder = ROOT / "docs" / "adr"
    given = {int(page.name[:4]) for page in folder.glob("0*.md")}
    *others, last = sorted({*range(1, max(given))} - given)
    sentence = f"Numbers {', '.join(map(str, others))} and {last} were never given."
    assert sentence in " ".join((folder / "README.md").read_text("utf-8").split())


def test_every_decision_is_in_the_index_once_with_its_title() -> None:
    folder = ROOT / "docs" / "adr"
    titles = {
        page.name: page.read_text("utf-8").partition("\n")[0].removeprefix("# ")
        for page in folder.glob("0*.md")
    }
    index = re.findall(
        r"^\* \[(.*)\]\((.*)\)$", (folder / "README.md").read_text("utf-8"), re.MULTILINE
    )
    assert len(index) == len(titles)
    assert {name: title for title, name in index} == titles
    for name, title in titles.items():
        assert title.startswith(f"{int(name[:4])}. ")

"""What README and documentation tell a newcomer to type works in what `make demo` leaves behind.

A fresh clone in a folder `veilmix`, with the libraries of `make demo` and no others (by links:
tools/clone.py), is what the commands are typed in. Every command of the README runs to its end; of
a large one a smaller is typed that needs the same libraries (typed_commands.toml). So does every
command of the documentation's pages, but for those whose examples other tests execute and compare.
"""

import csv
import os
import re
import shlex
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.request import urlopen

import pytest
from examples import blocks
from sample_kit import sampled

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
# By test_site.py, test_extending.py and machines/test_deploy.py.
EXECUTED = ("deploy.md", "extending.md", "howto.md", "scale.md", "steward.md", "tutorial.md")
PAGES = sorted(page for page in (ROOT / "docs").glob("*.md") if page.name not in EXECUTED)
TYPED = re.compile(r"`(?:\.venv/bin/)?(veilmix [a-z][^`]*|make [a-z ]+)`")
LINE = re.compile(r"^(?:\$ )?(?:\.venv/bin/)?(veilmix [a-z].*|make [a-z]+)", re.MULTILINE)
TABLE = tomllib.loads((Path(__file__).parent / "typed_commands.toml").read_text("utf-8"))
WHOLE = {"doctor", "new"}  # commands of one word; of others, alone, a page only speaks


def commands(text: str) -> list[str]:
    """Return the commands of a page: of its blocks of code, and between back quotes, each once."""
    snippets = [
        *TYPED.findall(text),
        *LINE.findall("\n".join(block.text for block in blocks(text))),
    ]
    return list(dict.fromkeys(re.split(r"\s{2,}|\s#", snippet)[0].strip() for snippet in snippets))


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh clone after `make demo`; what that printed is in demo.txt."""
    folder = tmp_path_factory.mktemp("hour") / "veilmix"
    line = [sys.executable, ROOT / "tools" / "clone.py", folder, "demo"]
    subprocess.run(line, check=True)
    # As typed at a prompt: what `make test` hands to its children would make this make talk.
    typed_here = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    made = subprocess.run(
        ["make", "demo", f"PYTHON={sys.executable}"],
        cwd=folder,
        env=typed_here,
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stderr
    (folder / "demo.txt").write_text(made.stdout, "utf-8")
    table = "age,city\n" + "".join(f"{n % 9},{'AB'[n % 2]}\n" for n in range(200))
    (folder / "people.csv").write_text(table, "utf-8")
    return folder


def typed(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Type a command of veilmix, or the smaller one that stands for it, where the README is."""
    run = min(folder.glob("runs/titanic-????????"), default=None)
    rest = command.removeprefix("veilmix ")
    words = shlex.split(TABLE["smaller"].get(rest, rest))
    words = [TABLE["stands_for"].get(word, word) for word in words]
    if len(words) == 1 and rest not in WHOLE:
        words.append("--help")
    words = [str(run) if word == "runs/titanic-..." else word for word in words]
    line = [folder / ".venv" / "bin" / "veilmix", *words]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True)


def test_the_readme_has_what_make_demo_prints(fresh: Path) -> None:
    """Line by line; `...` stands for any lines, or any letters of a line."""
    sample = README.partition("print")[2].partition("```\n")[2].partition("```")[0]
    lines = [" ".join(line.split()) for line in sample.splitlines() if line.strip()]
    wanted = "".join(
        "(?:.*\n)*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n"
        for line in lines
    )
    wanted = re.sub(r"titanic\\-[0-9a-f]{8}", "titanic-[0-9a-f]{8}", wanted)
    text = (fresh / "demo.txt").read_text("utf-8")
    printed = "".join(" ".join(line.split()) + "\n" for line in text.splitlines() if line.strip())
    assert re.fullmatch(wanted, printed), printed


@pytest.mark.slow
def test_every_command_of_the_readme(fresh: Path) -> None:
    examples = commands(README)
    assert len(examples) > 14
    assert typed("run blood-type --seed 7", fresh).returncode == 0  # what RUN stands for
    makefile = (fresh / "Makefile").read_text("utf-8")
    for command in examples:
        if command.startswith("make"):
            for target in command.split()[1:]:
                assert re.search(rf"^[a-z ]*\b{target}\b[a-z ]*:", makefile, re.MULTILINE), command
        else:
            done = typed(command, fresh)
            assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
            for file in re.findall(r"(?:picture: |saved |drawn +|written +)(\S+/\S*)", done.stdout):
                assert (fresh / file).exists(), f"{command} names {file}"


@pytest.mark.slow
def test_the_theatre_is_live(fresh: Path, started) -> None:
    show = started(
        fresh / ".venv/bin/veilmix", "theatre", "classroom", "--live", "--port", "0", cwd=fresh
    )
    address = re.search(r"http://\S+/", show.stdout.readline())
    with urlopen(address[0]) as page:
        assert page.status == 200
    show.send_signal(signal.SIGINT)
    show.communicate()
    assert show.returncode == 130


def kind(line: str) -> tuple[str, bool]:
    """Return the command, and whether it is alone."""
    words = line.split()
    return words[0], len(words) > 1


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("whole", sampled([False, True], 0), ids=["a line of a kind", "all"])
def test_every_command_of_the_pages(fresh: Path, *, whole: bool) -> None:
    """Exit code 3 is that of an attack that was found out: its round is burned, or refused.

    `make long` types every line; else one of each kind, and all that others read.
    """
    _without_somebody(fresh)
    lines = [*TABLE["typed"]["before"]]
    for page in PAGES:
        for command in commands(page.read_text("utf-8")):
            rest = command.removeprefix("veilmix ")
            if command.startswith("make") or "--live" in rest or rest in TABLE["typed"]["parts"]:
                continue  # what stays open has a test of its own
            lines.append(rest)
    lines = list(dict.fromkeys(TABLE["smaller"].get(line, line) for line in lines))
    if not whole:
        first = {kind(line): line for line in reversed(lines)}
        lines = [
            line for line in lines if line in first.values() or line in TABLE["typed"]["before"]
        ]
    for line in lines:
        done = typed(line, fresh)
        allowed = (0, 3) if line.startswith("run attack-") else (3 * ("without-one" in line),)
        assert done.returncode in allowed, f"{line}\n{done.stdout}{done.stderr}"


def test_the_table_is_of_commands_that_are_there() -> None:
    typed_here = {
        command
        for page in [ROOT / "README.md", *PAGES]
        for command in commands(page.read_text("utf-8"))
    }
    listed = {*TABLE["smaller"], *TABLE["typed"]["parts"]}
    assert {f"veilmix {command}" for command in listed} <= typed_here


def _without_somebody(folder: Path) -> None:
    """without-one.toml: the people of the Titanic as a table of their own, less one of them."""
    text = (folder / "analysis/shipped_tables/titanic.csv").read_text("utf-8")
    names, *cells = csv.reader(line for line in text.splitlines() if line[:1] != "#")
    rows = [cell[:-1] for cell in cells for _ in range(int(cell[-1]))]
    lines = [",".join(row) for row in [names[:-1], *rows[1:]]]
    (folder / "titanic.csv").write_text("\n".join([*lines, ""]), "utf-8")
    scenario = (folder / "scenarios/gallery/titanic.toml").read_text("utf-8")
    scenario = scenario.partition("[expect]")[0].replace("builtin:titanic", "titanic.csv")
    (folder / "without-one.toml").write_text(scenario, "utf-8")

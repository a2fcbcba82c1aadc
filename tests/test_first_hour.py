"""What README and documentation tell a newcomer to type works in what `make demo` leaves behind.

A fresh clone in a folder `veilmix`, with the libraries of `make demo` and no others (by links:
tools/clone.py), is what the commands are typed in. Every command of the README runs to its end; of
a large one a smaller is typed that needs the same libraries. Of the other pages each command of
`veilmix` must be one that there is, with options that there are.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
PAGES = sorted((ROOT / "docs").glob("*.md"))
TYPED = re.compile(r"`(?:\.venv/bin/)?(veilmix [a-z][^`]*|make [a-z ]+)`")
LINE = re.compile(r"^(?:\$ )?(?:\.venv/bin/)?(veilmix [a-z].*|make [a-z]+)", re.MULTILINE)
SMALLER = {
    "veilmix compare titanic": "veilmix compare blood-type --programs two-round,trusted",
    "veilmix attack classroom": (
        "veilmix attack classroom --attacks drop --defences receipts --repeats 1"
    ),
    "veilmix reproduce 000": "veilmix reproduce 000 3",
    "veilmix sweep titanic --set policy.k=2,5,10 --mode ideal": (
        "veilmix sweep blood-type --set policy.k=2,5,10 --mode ideal --workers 1"
    ),
    "veilmix verify runs/titanic-...": "veilmix verify --no-replay runs/titanic-...",
}
WHOLE = {"veilmix doctor", "veilmix new"}  # of one word


def commands(text: str) -> list[str]:
    """The commands in a page: in its lines of code, and between back quotes, each once."""
    found = [*TYPED.findall(text), *LINE.findall(text)]
    return list(dict.fromkeys(re.split(r"\s{2,}|\s#", one)[0].strip() for one in found))


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
    """Type a command where the README is."""
    run = min(folder.glob("runs/titanic-*"))
    line = command.replace("runs/titanic-...", str(run.relative_to(folder)))
    program, *rest = shlex.split(line)
    place = folder / ".venv" / "bin" / program
    return subprocess.run([place, *rest], cwd=folder, capture_output=True, text=True)


def test_the_readme_has_what_make_demo_prints(fresh: Path) -> None:
    """Line by line; `...` stands for any lines, or any letters of a line."""
    sample = README.partition("print")[2].partition("```\n")[2].partition("```")[0]
    lines = [" ".join(line.split()) for line in sample.splitlines() if line.strip()]
    wanted = "".join(
        "(?:.*\n)*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n"
        for line in lines
    )
    # A search that is given two seconds; where the machine is busy it says how far it came.
    wanted = re.sub(r"worst\\ possible.*\n", r"worst possible.*\n(?:.*\n)??", wanted)
    wanted = re.sub(r"titanic\\-[0-9a-f]{8}", "titanic-[0-9a-f]{8}", wanted)
    text = (fresh / "demo.txt").read_text("utf-8")
    printed = "".join(" ".join(line.split()) + "\n" for line in text.splitlines() if line.strip())
    assert re.fullmatch(wanted, printed), printed


@pytest.mark.slow
def test_every_command_of_the_readme(fresh: Path) -> None:
    found = commands(README)
    assert len(found) > 14
    makefile = (fresh / "Makefile").read_text("utf-8")
    for command in found:
        if command.startswith("make"):
            for target in command.split()[1:]:
                assert re.search(rf"^[a-z ]*\b{target}\b[a-z ]*:", makefile, re.MULTILINE), command
        else:
            alone = command.count(" ") == 1 and command not in WHOLE  # only mentioned
            done = typed(SMALLER.get(command, command) + " --help" * alone, fresh)
            assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
            for file in re.findall(r"(?:picture: |saved |drawn +|written +)(\S+/\S*)", done.stdout):
                assert (fresh / file).exists(), f"{command} names {file}"
    assert SMALLER.keys() <= set(found)


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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_a_page_is_one(page: Path) -> None:
    from click import Context
    from veilmix.cli.app import group

    for command in commands(page.read_text("utf-8")):
        program, name, *rest = shlex.split(command)
        if program != "veilmix" or not re.fullmatch("[a-z]+", name):
            continue
        found = group.get_command(Context(group), name)
        assert found is not None, command
        known = {option for one in found.params for option in (*one.opts, *one.secondary_opts)}
        assert {part.partition("=")[0] for part in rest if part.startswith("--")} <= known, command

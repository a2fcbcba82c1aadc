"""Run every command that has a machine format, as a user does, and parse the output.

The formats come from the commands themselves: each choice of JSON, CSV or Mermaid, and each
`--quiet`, which prints a path alone. `uncovered` returns the formats without a line below, so a
new command without a line is an error (tests/test_versions.py).
"""

import csv
import json
import re
import subprocess
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from shlex import split

import click

# A line reads files of the lines above. Sizes are small: importing libraries is most of the work.
LINES = (
    "doctor --format json",
    "doctor --format csv",
    "new --format json",
    "new --format csv",
    "new blood-type mine.toml",
    "keys ada --format json",
    "keys ben --format csv",
    "check mine.toml --format json",
    "check mine.toml --format csv",
    "check mine.toml --people 1e6 --format json",
    "check mine.toml --people 1e6 --format csv",
    "run blood-type --seed 7 --format json",
    "run blood-type --seed 8 --format csv",
    "run blood-type --seed 9 --quiet",
    "run randomized-class --seed 7 --figures --format json",
    "run blood-type --seed 10 --processes --no-save --format json",
    "show runs/blood-type-0007 --as curator+shuffler-1 --format json",
    "show runs/blood-type-0007 --as curator+shuffler-1 --format mermaid",
    "show runs/blood-type-0007 --as curator --why user-3 --format json",
    "leak runs/blood-type-0007 --format json",
    "leak runs/blood-type-0007 --format csv",
    "verify runs/blood-type-0007 --format json",
    "verify runs/blood-type-0007 --format csv",
    "sweep blood-type --set policy.k=2,5 --mode ideal --workers 1 --out a.jsonl --format json",
    "sweep blood-type --set policy.k=2,5 --mode ideal --workers 1 --out b.jsonl --format csv",
    "sweep blood-type --set policy.k=2 --mode ideal --workers 1 --out c.jsonl --quiet",
    "attack blood-type --seed 7 --attacks drop --defences receipts --repeats 1 --format json",
    "attack blood-type --seed 8 --attacks drop --defences receipts --repeats 1 --format csv",
    "compare blood-type --seed 7 --programs exposure,trusted --format json",
    "compare blood-type --seed 8 --programs exposure,trusted --format csv",
    "score people.csv --k 3 --table people.xlsx --anyway --counts counts.parquet --format json",
    "score people.xlsx --k 3 --table people.parquet --anyway --format csv",
    "score people.parquet --k 3 --save score.json --figure score.svg --format json",
    "advise people.csv --k 3 --figure advice.png --format json",
    "advise people.csv --k 3 --format csv",
    "counts people.csv age,city --k 3 --table ages.xlsx --format json",
    "counts people.csv age,city --round 5 --table ages.csv --format csv",
    "counts runs/blood-type-0007 A,B --format json",
    "worst people.csv --k 3 --rounds 100 --nodes 100 --format json",
    "worst people.csv --k 3 --rounds 100 --nodes 100 --format csv",
    "reproduce 001 coverage --format json",
    "reproduce --format csv",
    "report runs/blood-type-0007",
    "report a.jsonl",
    "report score.json",
    "theatre runs/blood-type-0007",
)
# Lines of a session's places, side by side: tools/served_session.py runs them.
SERVED = (
    "status URL --known board.pub.toml --format json",
    "status URL --known board.pub.toml --format csv",
    "observe URL --known board.pub.toml --save posts --log json",
    "serve PLACE session.toml --key PLACE.key.toml --log json",
    "answer PLACE session.toml --key PLACE.key.toml --from answers.csv --log json",
)
PEOPLE = "age,city\n" + "".join(f"{20 + n % 9},{'ABC'[n % 3]}\n" for n in range(120))

Form = tuple[str, str, str]  # command, option, choice


class Unreadable(ValueError):
    """An output that violates its format."""


def forms(group: click.Group) -> Iterator[Form]:
    """Yield every machine format of every command."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        for option in command.params if command else ():
            choices = option.type.choices if isinstance(option.type, click.Choice) else ()
            for choice in sorted({*choices} & {*READERS}):
                yield name, option.opts[0], choice
            if "--quiet" in option.opts:
                yield name, "--quiet", ""


def uncovered(group: click.Group) -> list[str]:
    """Return the machine formats without a line."""
    lines = [split(line) for line in (*LINES, *SERVED)]
    run = {(words[0], word, value) for words in lines for word, value in _pairs(words)}
    return [" ".join(form).strip() for form in forms(group) if form not in run]


def _pairs(words: list[str]) -> Iterator[tuple[str, str]]:
    for word, value in zip(words, [*words[1:], ""], strict=True):
        yield word, value
        yield word, ""


def _json(text: str, _: Path) -> None:
    def refuse(constant: str) -> None:
        raise Unreadable(f"{constant} is not JSON")

    json.loads(text, parse_constant=refuse)


def _csv(text: str, _: Path) -> None:
    rows = list(csv.reader(StringIO(text), strict=True))
    widths = {len(row) for row in rows}
    if len(rows) < 2 or len(widths) != 1:  # headings, and a row at least
        raise Unreadable(f"{len(rows)} rows of {sorted(widths)} cells")


def _mermaid(text: str, _: Path) -> None:
    first, *others = text.splitlines() or [""]
    if first != "sequenceDiagram" or not others or not all(map(DRAWN.match, others)):
        raise Unreadable("not a sequence diagram")


def _path(text: str, folder: Path) -> None:
    if text.count("\n") != 1 or not (folder / text.strip()).exists():
        raise Unreadable("not the path of a file that is there")


def _anything(_text: str, _folder: Path) -> None:
    pass


DRAWN = re.compile(r" +\S")
Reader = Callable[[str, Path], None]
READERS: dict[str, Reader] = {"json": _json, "csv": _csv, "mermaid": _mermaid}


def reader(line: str) -> Reader:
    """Return the function that parses the output of a line."""
    if "--quiet" in split(line):
        return _path
    form = re.search(r"--format (\w+)", line)
    return READERS[form[1]] if form else _anything


def fault(line: str, done: subprocess.CompletedProcess[str], folder: Path) -> str | None:
    """Return the fault in the output of a line; None for an output in its format."""
    if done.returncode:
        return f"veilmix {line}\n  exit code {done.returncode}\n{_beginning(done.stderr)}"
    try:
        reader(line)(done.stdout, folder)
    except (ValueError, csv.Error) as wrong:
        return f"veilmix {line}\n  {wrong}; it printed\n{_beginning(done.stdout)}"
    return None


def _beginning(text: str) -> str:
    return "\n".join(f"    {line[:120]}" for line in text.splitlines()[:8])


def play(veilmix: Path, folder: Path) -> Iterator[str]:
    """Run all lines in a folder with a command `veilmix`; yields the faults."""
    (folder / "people.csv").write_text(PEOPLE, "utf-8")
    for line in LINES:
        command = [str(veilmix), *split(line)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if wrong := fault(line, done, folder):
            yield wrong

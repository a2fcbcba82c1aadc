"""Run commands as their own process does, and print what they wrote for programs, as JSON.

    python environment_commands.py     in a folder with t.csv, t.xlsx and t.parquet

For each command: its exit code, its standard output and its standard error; then each file that it
wrote. Output is written to real files, so that the encoding is that of the environment.
"""

import json
import os
import sys
from pathlib import Path

COMMANDS = (
    "run blood-type --worst-case 0 --format json --out runs",
    "run noise-mean --seed 4 --worst-case 0 --format csv --out runs",
    "leak runs/blood-type-0007 --format json",
    "score t.csv --k 2 --format csv --figure score.svg --save score.json",
    "score t.xlsx --k 2 --format json",
    "score t.parquet --k 2 --format csv --table o.xlsx --anyway",
    "worst t.csv --k 2 --format json",
    "sweep blood-type --set policy.k=2,5 --mode ideal --executor thread --workers 1 --format csv",
    "report runs/blood-type-0007 --out - --worst-case 0",
    "new titanic",
)
GIVEN = ("t.csv", "t.xlsx", "t.parquet")
# With the versions of libraries, or the time; and what said() keeps of the streams.
MADE_NOW = ("versions.json", "o.xlsx", ".out", ".err")


def said(command: str) -> tuple[int, str, str]:
    """The exit code of a command, and what it wrote to both streams."""
    from veilmix.cli import main

    sys.argv = ["veilmix", *command.split()]
    kept = [os.dup(stream) for stream in (1, 2)]
    for stream, name in ((1, ".out"), (2, ".err")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
    try:
        code = main()
    finally:
        for stream, old in zip((1, 2), kept, strict=True):
            os.dup2(old, stream)
    out, err = (Path(name).read_bytes().decode("latin-1") for name in (".out", ".err"))
    return code, out, err


def everything() -> dict[str, object]:
    """All commands, and all files."""
    found: dict[str, object] = {command: said(command) for command in COMMANDS}
    for path in sorted(Path().rglob("*")):
        if path.is_file() and path.name not in (*GIVEN, *MADE_NOW):
            found[str(path)] = path.read_bytes().decode("latin-1")
    return found


if __name__ == "__main__":
    Path("found.json").write_text(json.dumps(everything()), "ascii")

"""A day on a system that is not at hand: `day_elsewhere.py win32|darwin FOLDER`.

Simulates the system (other_systems.py), imports every file of veilmix, and plays, scores, sweeps,
reports and polls in FOLDER. Prints the results as one line of JSON. Processes of a pool read this
file first, so they see that system, too.
"""

import io
import json
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import quote

import other_systems

SYSTEM, FOLDER = sys.argv[1], Path(sys.argv[2])
ROOT = Path(__file__).resolve().parents[2]
other_systems.become(SYSTEM)


def modules() -> list[str]:
    """The names of all files of the package, without its command."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    names = []
    for package in project["tool"]["setuptools"]["packages"]:
        folder = ROOT.joinpath(*package.split(".")[1:])
        names += [package, *(f"{package}.{path.stem}" for path in folder.glob("*.py"))]
    return sorted(name for name in names if not name.endswith(("__init__", "__main__")))


def typed(*words: object) -> tuple[int, str, str]:
    """Run a command; return its exit code, standard output and standard error."""
    from veilmix.cli import main

    said, complained = io.StringIO(), io.StringIO()
    with redirect_stdout(said), redirect_stderr(complained):
        code = main(list(map(str, words)))
    return code, said.getvalue(), complained.getvalue()


def commands() -> dict[str, Any]:
    """The commands that failed, the digest of the run, and the number of runs of the sweep."""
    people = FOLDER / "people.csv"
    rows = "".join(f"{n % 3},{'AB'[n % 2]}\n" for n in range(60))
    people.write_text(f"age,city\n{rows}", "utf-8")
    runs, sweep = FOLDER / "runs", FOLDER / "sweep.jsonl"
    folder = runs / "blood-type-0007"
    points = ("--set", "policy.k=2,3", "--repeats", 1, "--seed", 1, "--mode", "ideal", "--quiet")
    lines = (
        ("run", "blood-type", "--seed", 7, "--out", runs, "--ledger", FOLDER / "book.json"),
        ("verify", folder),
        ("leak", folder),
        ("report", folder),
        ("theatre", folder, "--out", FOLDER / "theatre.html"),
        ("score", people, "--save", FOLDER / "score.json"),
        ("worst", people),
        ("sweep", "blood-type", *points, "--workers", 100, "--out", sweep),
        ("sweep", "blood-type", *points, "--executor", "thread", "--out", FOLDER / "other.jsonl"),
        ("report", sweep),
        ("keys", "anna", "--in", FOLDER),
    )
    failed = {}
    for line in lines:
        code, said, complained = typed(*line)
        if code:
            failed[" ".join(map(str, line))] = said + complained
    result = json.loads((folder / "result.json").read_text("utf-8"))
    swept = len(sweep.read_text("utf-8").splitlines())
    return {"failed": failed, "digest": result["digest"], "swept": swept}


def refusals() -> list[tuple[int, str]]:
    """The refusals of options that need a missing facility."""
    lines = [("run", "blood-type", "--processes", "--no-save")]
    return [(code, complained) for code, _, complained in (typed(*line) for line in lines)]


def doctor() -> list[list[str]]:
    """The rows of `veilmix doctor` about the system."""
    _, said, _ = typed("doctor", "--format", "json")
    rows = json.loads(said)
    return [[row["found"], row["state"], row["advice"]] for row in rows if row["what"] == "system"]


def large_batches() -> list[int]:
    """The sum of a long list of work, and the bytes of a spool that lie on disk."""
    import trio
    from veilmix.roles.compute import spool, worker_pool
    from veilmix.roles.network.instruments import Instruments

    worker_pool.COPY_ABOVE, spool.MEMORY_LIMIT = 10, 10

    async def play() -> list[int]:
        async with worker_pool.worker_pool(2, Instruments([], str)) as pool:
            return await pool.spread("curator opens", len, range(1000))

    kept = spool.Spool(bytes(5) for _ in range(8))
    assert kept[7] == bytes(5)
    return [sum(trio.run(play)), kept.on_disk]


def transcript_ahead() -> bool:
    """Whether a transcript that a copy would write ahead is written when it is asked for."""
    import veilmix
    from veilmix.scenarios.records import transcript_writer as ahead

    ahead.LONG = 10
    transcript = veilmix.run("blood-type", seed=7).transcript
    with ahead.writing_ahead(copies=True) as writer:
        writer.begin(transcript, 30, (1,))
        return writer.text is not None and len(writer.text()) > 0


def journal() -> list[str]:
    """The refusal of a folder in memory, and the files that an erased journal leaves."""
    from veilmix.errors import StorageError
    from veilmix.machines.journal import Durable, Journal, memory_folder

    written = Journal(FOLDER / "journal", Durable.DISK)
    written.write("", b"a secret")
    written.erase()
    try:
        return [str(memory_folder())]
    except StorageError as refused:
        return [str(refused), *(path.name for path in FOLDER.glob("journal*"))]


def second_waits() -> list[str]:
    """The refusal of a run that does not wait for a ledger, and what a waiting run reads."""
    from veilmix.errors import StorageError
    from veilmix.scenarios.lab.ledger.book import opened

    path, seen = FOLDER / "book.json", []

    def second() -> None:
        with opened(path, patience=600.0) as book:
            seen.append(book.entries[-1].burned)

    with opened(path) as book:
        waiting = Thread(target=second)
        waiting.start()
        try:
            with opened(path, patience=0.0):
                pass
        except StorageError as refused:
            seen.append(str(refused))
        book.begin(book.entries[-1])
        book.end("", (), "the first has ended")
    waiting.join()
    return seen


def poll() -> int:
    """The number of phones that were counted in both rounds of a poll."""
    from msgspec.structs import replace
    from phone_kit import Class, Client, together
    from veilmix.poll.questions import DEMO, read_questions

    scenario = read_questions(DEMO)
    scenario = replace(scenario, mix=replace(scenario.mix, deadline=600))
    with Class(scenario, 6) as room:
        rows = [("on foot", "yes", "never"), ("by car", "no", "once")]
        clients = [Client(room.address, f"pupil {i}", rows[i % 2]) for i in range(6)]
        together(clients)
    return sum(client.counted() == [True, True] for client in clients)


def pool() -> int:
    """The number of processes of a pool for which a hundred were asked."""
    from veilmix.roles.compute.executors import processes

    with processes(100) as made:
        many: int = made._max_workers
    return many


def keys() -> int:
    """The number of certificates that a TLS context trusts, made with a key from a file."""
    from veilmix.crypto.identity import make_identity
    from veilmix.machines.tls import server_context

    own, other = make_identity("board"), make_identity("curator")
    return len(server_context(own, {"curator": other.public.certificate}).get_ca_certs())


def own_table() -> dict[str, Any]:
    """What a page of `veilmix open` shows and writes."""
    from workbench_server import workbench

    handed = FOLDER / "handed"
    handed.mkdir()
    rows = "".join(f"{20 + n % 7},{'fm'[n % 2]}\n" for n in range(70))
    with workbench(handed) as asker:
        for name in ("C:\\Data\\first.csv", "C:\\Data\\my table.csv"):
            asker.ask("POST", f"upload/{quote(name, safe='')}", f"age,sex\n{rows}".encode())
            state = asker.settled()
        paths = [FOLDER / f"released.{kind}" for kind in ("csv", "xlsx", "parquet")]
        for path in paths:
            asker.post("save", what="table", path=str(path), replace=False)
    return {
        "command": state["command"][1],
        "handed": [path.name for path in handed.rglob("*.*")],
        "saved": [path.name for path in paths if path.stat().st_size],
    }


PARTS: tuple[Callable[[], Any], ...] = (
    commands, refusals, doctor, large_batches, transcript_ahead, journal, second_waits, poll, pool,
    keys, own_table,
)  # fmt: skip

if __name__ == "__main__":
    for module in modules():
        import_module(module)
    json.dump({part.__name__: part() for part in PARTS}, sys.stdout)

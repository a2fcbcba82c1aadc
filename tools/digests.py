"""Hold seeded runs of the shipped scenarios against those of another commit.

    python tools/digests.py record before.json           in the checkout of then
    python tools/digests.py compare before.json          in the checkout of now

Every scenario of the gallery is played with its own seed (SEED where it has none), with messages
and without. Three hashes of a run are kept, so that a change that is meant to change what is posted
(an entropy, a signature) can be seen to leave the rest:

    digest      the run's own: every byte that is announced and posted
    answer      what was counted, decided and released, or why nothing was, and what was refused
    knowledge   what each coalition can link, and of what it is certain

A scenario that only one side has is named and not compared; nor is one that has more people than
MANY played with messages (`--all` plays those too). The script reads nothing of a checkout but its
gallery, and plays it with `veilmix.load` and `veilmix.run`, so that the script of today records a
checkout of long ago:
`THEN/.venv/bin/python NOW/tools/digests.py record before.json`.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import veilmix
from veilmix.errors import VeilmixError

SEED = 7
MANY = 5_000  # people; with more, messages take longer than a few seconds
MODES = ("ideal", "real")
KEPT = ("digest", "answer", "knowledge")
Digests = dict[str, dict[str, str]]  # mode -> what is kept of the run


def gallery(parts: list[str]) -> Iterator[Path]:
    """The files of the shipped scenarios whose name has one of the parts; all without parts."""
    folder = Path(str(veilmix.__file__)).parent / "scenarios" / "gallery"
    for path in sorted(folder.rglob("*.toml")):
        if not parts or any(part in path.stem for part in parts):
            yield path


def short(thing: object) -> str:
    """A hash of plain data."""
    return hashlib.sha256(repr(thing).encode()).hexdigest()[:16]


def hashes(outcome: veilmix.Outcome) -> dict[str, str]:
    """What is kept of a run."""
    counts = [*(outcome.marginals or ()), outcome.release or {}]
    kept = outcome.decision and outcome.decision.kept
    refused = sorted(outcome.refused.items())
    answer = ([sorted(count.items()) for count in counts], kept, outcome.burned, refused)
    knowledge = [
        (view.parties, view.linked, view.cells_certain, view.crowd) for view in outcome.coalitions
    ]
    return {
        "digest": outcome.digest[:16],
        "answer": short(answer),
        "knowledge": short(knowledge),
    }


def played(path: Path, *, everything: bool) -> Digests:
    """The digests of a scenario, by mode. An error that it is meant to end in is all of them."""
    digests: Digests = {}
    seed = veilmix.load(path).scenario.seed
    seed = SEED if seed is None else seed
    many = False
    for mode in MODES:
        if many and mode == "real" and not everything:
            continue
        try:
            outcome = veilmix.run(path, seed, mode, worst_case_nodes=0)
        except VeilmixError as error:
            digests[mode] = dict.fromkeys(KEPT, type(error).__name__)
        else:
            many = outcome.users > MANY
            digests[mode] = hashes(outcome)
    return digests


def record(parts: list[str], *, everything: bool) -> dict[str, Digests]:
    """The digests of the gallery, by scenario and mode; each is told of as it is done."""
    digests = {}
    for path in gallery(parts):
        digests[path.stem] = played(path, everything=everything)
        print(path.stem, *digests[path.stem], file=sys.stderr)
    return digests


def differences(before: dict[str, Digests], after: dict[str, Digests]) -> Iterator[str]:
    """What differs, in lines: scenario, mode, and which of the hashes."""
    for name in sorted(before.keys() & after.keys()):
        for mode in sorted(before[name].keys() & after[name].keys()):
            old, new = before[name][mode], after[name][mode]
            if other := [what for what in KEPT if old[what] != new[what]]:
                yield f"{name} ({mode}): another {', '.join(other)}"


def main(arguments: list[str] | None = None) -> int:
    """Record, or compare; 1 if anything differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("does", choices=("record", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("parts", nargs="*", help="only scenarios with one of these in their name")
    parser.add_argument("--all", action="store_true", help="messages for large scenarios too")
    asked = parser.parse_args(arguments)
    digests = record(asked.parts, everything=asked.all)
    if asked.does == "record":
        asked.file.write_text(json.dumps(digests, indent=1) + "\n", "utf-8")
        return 0
    before = json.loads(asked.file.read_text("utf-8"))
    lines = list(differences(before, digests))
    for line in lines:
        print(line)
    for name in sorted(before.keys() ^ digests.keys()):
        print(f"{name}: only {'before' if name in before else 'now'}; not compared")
    both = before.keys() & digests.keys()
    runs = sum(len(before[name].keys() & digests[name].keys()) for name in both)
    print(f"{len(both)} scenarios, {runs} runs compared: {len(lines)} differences")
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())

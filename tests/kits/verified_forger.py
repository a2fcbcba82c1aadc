"""Sessions with a verified mix, and forged copies: posts changed, and signed by stolen keys.

Imported by its name: tests/kits is on the path of the tests (pyproject.toml).
"""

import base64
import gzip
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import forgery_kit
from veilmix.crypto.entropy import SeededEntropy
from veilmix.crypto.signing import Signer
from veilmix.protocol.board.board import replay
from veilmix.protocol.wire import parties
from veilmix.protocol.wire.messages import Body, Kind
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.validation.load import change, load, loads
from veilmix.scenarios.records.result_file import TRANSCRIPT

SEED = 3
Post = tuple[str, bytes]
VERIFIED, PUBLIC = {"mix.kind": "verified"}, {"policy.publish_marginals": True}
SUPPRESSED = {**VERIFIED, "policy.k": 2, "population.users": 12}
STATISTICAL = {
    "population.setting": "statistical",
    "population.round2_users": 10,
    "policy.delta": 0.1,
    "policy.max_exposure": 0.9,
}
KINDS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "secret": ("verified-class", {}),
    "public": ("verified-class", PUBLIC),
    "fixed": ("verified-class", {"policy.kind": "fixed", "policy.keep": ["A", "B"]}),
    "pairs": ("verified-class", {"policy.kind": "pairs"}),
    "one-shuffler": ("verified-class", {"mix.shufflers": 1}),
    "once": ("submit-once", {}),
    "once-public": ("submit-once", PUBLIC),
    "histogram": ("randomized-class", VERIFIED),
    "hierarchical": ("hierarchical-class", VERIFIED),
    "hierarchical-public": ("hierarchical-class", {**VERIFIED, **PUBLIC}),
    "suppressed": ("local-suppression-class", SUPPRESSED),
    "suppressed-public": ("local-suppression-class", {**SUPPRESSED, **PUBLIC}),
    "nothing-released": ("local-suppression-class", {**SUPPRESSED, "policy.k": 5}),
    "statistical": ("verified-class", STATISTICAL),
}  # kind -> scenario, and its changes
LEFT = """
[scenario]
name = "left"
seed = 3
[population]
source = "builtin:blood-type"
users = 14
[mix]
kind = "verified"
[policy]
k = 2
max_exposure = 1
publish_marginals = true
[defence]
min_dropout = 2
[[fault]]
attack = "absent"
users = 2
round = 2
"""


@cache
def play(kind: str) -> Outcome:
    """Return a session of a kind, played from a seed."""
    if kind == "left":
        return run(loads(LEFT), SEED, worst_case_nodes=0)
    name, changes = KINDS[kind]
    return run(change(load(name), dict(changes)), SEED, worst_case_nodes=0)


def posts_of(kind: str) -> list[Post]:
    """Return author and bytes of each post of a session."""
    return list(play(kind).transcript.posts)


@dataclass(frozen=True)
class Stolen:
    """A session of a kind, and every key that signed it: they follow from the seed.

    Attributes:
        kind: of the session.
    """

    kind: str

    @property
    def posts(self) -> Sequence[Post]:
        """Author and bytes of each post."""
        return posts_of(self.kind)

    @property
    def board(self) -> Any:
        """The board with all posts."""
        return replay(list(self.posts))

    @property
    def session(self) -> Any:
        """The roster, as forgery_kit reads it."""
        return SimpleNamespace(roster=self.board.roster)

    @property
    def identities(self) -> Mapping[str, Any]:
        """The signer of each party, by name."""
        root = SeededEntropy(SEED)
        names = ("board", "curator", "analyst", "shuffler-1", "shuffler-2")
        return {
            name: SimpleNamespace(signer=Signer(root.fork(parties.identity_label(name))))
            for name in names
        }

    def forge(
        self,
        changes: Mapping[int, Body | None],
        added: Mapping[int, tuple[str, Body]] | None = None,
    ) -> list[Post]:
        """Return the posts with other bodies, signed again by all parties."""
        return forgery_kit.forge(self, changes, added=added)  # type: ignore[arg-type]

    def find(self, kind: type[Any], which: int = 0) -> tuple[int, Any]:
        """Return the place and the body of a post of a kind; the last one for -1."""
        return forgery_kit.find(self, kind, which)  # type: ignore[arg-type]

    def signer(self, person: int) -> Signer:
        """The signer of a user, by place in the registry."""
        return Signer(SeededEntropy(SEED).fork(f"signer of {parties.user(person)}"))


def with_posts(folder: Path, posts: Sequence[Post], copy: Path) -> Path:
    """Return a copy of a run folder whose transcript has these posts instead of its own."""
    shutil.copytree(folder, copy, dirs_exist_ok=True)
    text = gzip.decompress((folder / TRANSCRIPT).read_bytes())
    head, *lines, end = [json.loads(line) for line in text.splitlines()]
    lines = [*map(_line, posts), *(line for line in lines if line.get("to") != "board")]
    end["lines"] = len(lines) + 2
    whole = "".join(json.dumps(line) + "\n" for line in (head, *lines, end))
    (copy / TRANSCRIPT).write_bytes(gzip.compress(whole.encode(), 1))
    return copy


def _line(post: Post) -> dict[str, Any]:
    """Return the line of a transcript for a post."""
    author, data = post
    kinds = {kind.value: kind.name.lower() for kind in Kind}
    about = {"kind": kinds.get(data[3]), "round": data[36], "bytes": len(data)}
    names = {"what": "message", "time": 0.0, "from": author, "to": "board"}
    return {**names, **about, "data": base64.b64encode(data).decode()}

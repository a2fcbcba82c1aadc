"""What a session is about, where its parties have agreed on that before it begins.

A curator announces; whoever holds a session file knows what is to be announced. A party compares,
and takes no part in anything else: nobody answers other questions, or for a weaker promise, because
a curator has changed its mind.
"""

from dataclasses import dataclass

from .announcement import Announcement, Policy, Program, Rules
from .messages import Registry
from .registry import registry_root
from .schema import Schema


@dataclass(frozen=True, slots=True)
class Terms:
    """What was agreed on: everything of an announcement but its keys and its nonce.

    Attributes:
        title: of the session, as people read it.
        schema: the features that people are asked for.
        policy: what the curator may release.
        rules: what parties keep to on the way: sizes, times, guards.
        shufflers: how many there are.
        program: which way to release is played.
        registry: who may send; None: anybody.
    """

    title: str
    schema: Schema
    policy: Policy
    rules: Rules
    shufflers: int
    program: Program
    registry: Registry | None = None

    def differing(self, announced: Announcement) -> tuple[str, ...]:
        """Any party: the names of what is announced otherwise than was agreed on."""
        pairs = {
            "title": (self.title, announced.title),
            "schema": (self.schema, announced.schema),
            "policy": (self.policy, announced.policy),
            "rules": (self.rules, announced.rules),
            "shufflers": (self.shufflers, len(announced.shufflers)),
            "program": (self.program, announced.program),
            "registry": (registry_root(self.registry), announced.registry),
        }
        return tuple(name for name, (agreed, told) in pairs.items() if agreed != told)

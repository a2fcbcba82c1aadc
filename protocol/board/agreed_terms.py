"""The terms of a session, if its parties have agreed on them before it begins.

A curator announces; a holder of a session file knows the terms to expect. A party compares them,
and
takes part in no other session: no user answers other queries, or under a weaker promise, because a
curator has changed its mind.
"""

from dataclasses import dataclass

from ..rounds.registered_users import registry_root
from ..wire.announcement import AnnouncedPolicy, Announcement, Program, Rules
from ..wire.messages import Registry
from ..wire.schema import Schema


@dataclass(frozen=True, slots=True)
class Terms:
    """The agreed terms: all fields of an announcement but its keys and its nonce.

    Attributes:
        title: the title of the session, in words for users.
        schema: the columns that users are asked for.
        policy: the limits of the curator's release.
        rules: the rules of the rounds: sizes, times, guards.
        shufflers: the number of shufflers.
        program: the release program.
        registry: the users that may send; None: all users.
    """

    title: str
    schema: Schema
    policy: AnnouncedPolicy
    rules: Rules
    shufflers: int
    program: Program
    registry: Registry | None = None

    def differing(self, announced: Announcement) -> tuple[str, ...]:
        """Any party: return the names of the terms in which an announcement differs."""
        pairs = {
            "title": (self.title, announced.title),
            "schema": (self.schema, announced.schema),
            "policy": (self.policy, announced.policy),
            "rules": (self.rules, announced.rules),
            "shufflers": (self.shufflers, len(announced.shufflers)),
            "program": (self.program, announced.program),
            "registry": (registry_root(self.registry), announced.registry),
        }
        return tuple(
            name for name, (agreed, announced_value) in pairs.items() if agreed != announced_value
        )

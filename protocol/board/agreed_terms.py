"""The terms of a session, if its parties have agreed on them before it begins.

The curator posts an announcement (the signed parameters of the session). A party with a session
file knows the expected terms, and compares them with the announcement. It takes part in no session
with other terms. So the curator cannot later change the queries or the promised bound on exposure.
"""

from dataclasses import dataclass

from ..rounds.registered_users import registry_root
from ..wire.announcement import AnnouncedPolicy, Announcement, Program, Rules
from ..wire.messages import Registry
from ..wire.schema import Schema


@dataclass(frozen=True, slots=True)
class Terms:
    """The agreed terms: all fields of an announcement except its public keys and its nonce.

    Attributes:
        title: the title of the session, in words for users.
        schema: the columns that users are asked for.
        policy: the limits of the curator's release.
        rules: the rules of the rounds: sizes, times, countermeasures.
        shufflers: the number of shufflers.
        program: the release program, which fixes the sequence of rounds.
        registry: the public keys of the users that may submit; None: users need no registration.
    """

    title: str
    schema: Schema
    policy: AnnouncedPolicy
    rules: Rules
    shufflers: int
    program: Program
    registry: Registry | None = None

    def differing(self, announced: Announcement) -> tuple[str, ...]:
        """Any party: return the names of the agreed terms, such as `policy`, that differ.

        announced: the announcement with which the terms are compared.
        """
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

"""A party that knows the terms takes no part in anything else (board/agreed_terms.py)."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import role_kit as KIT
from veilmix.protocol.board.agreed_terms import Terms
from veilmix.protocol.wire.announcement import Announcement, Rules
from veilmix.protocol.wire.messages import Body, Call, Kind
from veilmix.roles import session
from veilmix.roles.network.memory_network import Endpoint, Fault

ROWS = KIT.people(12)
BURNED = "finds in the announcement another policy than was agreed on"

pytestmark = pytest.mark.memory


def otherwise(told: Announcement) -> Terms:
    """What was agreed on, if the curator has announced a weaker promise."""
    policy = replace(told.policy, k=told.policy.k + 1)
    many = len(told.shufflers)
    return Terms(told.title, told.schema, policy, told.rules, many, told.program)


def agreeing_before(kind: type) -> Fault:
    """A curator beside which, before such a post of it, everybody learns what was agreed on."""

    class Curator(Endpoint):
        async def post(self, body: Body) -> None:
            told = body if isinstance(body, Announcement) else self.board.announcement
            if isinstance(body, kind) and told is not None:
                self.network.terms = otherwise(told)
            await super().post(body)

    return Curator


def played(kind: type, **changes: Any) -> KIT.Run:
    return KIT.run(ROWS, faults={"curator": agreeing_before(kind)}, shufflers=2, **changes)


def test_a_keyholder_that_finds_something_else_announced_burns_the_session() -> None:
    run = played(Announcement)
    assert run.board.burned is not None
    assert run.board.burned.endswith(BURNED)
    assert not run.board.calls


def alone(_patch: pytest.MonkeyPatch) -> None:
    """Few people are looked after one by one."""


def together(patch: pytest.MonkeyPatch) -> None:
    """Many are looked after by one task."""
    patch.setattr(session, "COHORT_ABOVE", 1)


@pytest.mark.parametrize("many", [alone, together])
def test_people_who_find_something_else_announced_send_nothing(
    many: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where all keyholders have consented: they may all be with the curator."""
    many(monkeypatch)
    rules = Rules(min_batch=1, min_dropout=1)
    run = played(Call, rules=rules)
    assert run.board.calls
    assert not any(event.kind is Kind.SUBMISSION for event in run.transcript.events)

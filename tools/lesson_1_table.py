"""The numbers of lesson 1, envelopes: what each group of parties knows of an answer on its way.

A run of `classroom`; in its first round each answer has a layer for each shuffler and one for the
curator. What a group knows of it at each place follows from the messages that its members saw and
from their keys (protocol/knowledge/derivation.py); nobody breaks a cipher. A group is written as
the sum of its parties' bits, in the order of `PARTIES`.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from veilmix.protocol.knowledge.facts import Answer, Ciphertext, Origin
from veilmix.protocol.wire.parties import CURATOR, NETWORK, shuffler
from veilmix.scenarios.lab.play.run import run
from veilmix.scenarios.programs.topology import topology_of

SCENARIO, SEED = "classroom", 3
PARTIES = (shuffler(1), shuffler(2), CURATOR, NETWORK)
OPENERS = PARTIES[:-1]
GROUPS = range(2 ** len(PARTIES))
ROUND, ASK, ANNA = 1, 0, 0  # the answer that is followed: of a user, by index
SAYS = {"Y": "l1-yes", "N": "l1-no"}

Known = tuple[list[bool], list[bool], list[bool]]


@cache
def record() -> Any:
    """Play the run, and return its record."""
    outcome = run(SCENARIO, SEED, worst_case_nodes=0)
    found = topology_of(outcome.scenario).record(
        outcome.scenario, outcome.result, outcome.transcript
    )
    assert found.openers[ROUND] == OPENERS  # noqa: S101 - the layers are those of the lesson
    return found


def mask(*members: str) -> int:
    """Return the number of a group."""
    return sum(1 << PARTIES.index(name) for name in members)


@cache
def knowledge(group: int) -> Any:
    """Return all facts that follow for a group."""
    return record().derived(frozenset(name for bit, name in enumerate(PARTIES) if group >> bit & 1))


def layers(user: int) -> list[bytes]:
    """Return the names of the ciphertexts around a user's answer, the outermost first."""
    terms = record().terms.by_name
    mine = [t for t in terms.values() if (t.user, t.round) == (user, ROUND)]
    inner = next(t for t in mine if any(ask == ASK for ask, _ in t.answers))
    names = [inner.name]
    while around := [t.name for t in mine if names[0] in t.inside]:
        names.insert(0, around[0])
    return names


def known(group: int, user: int) -> Known:
    """Return what a group knows of a user's answer.

    Returns:
        Whether it has it at each place (the last: opened by the curator); whether it knows there
        whose it is; whether it opens each layer.
    """
    facts, names = knowledge(group).why, layers(user)
    opened = [Ciphertext(name, opened=True) in facts for name in names]
    has = [*(Ciphertext(name) in facts for name in names), opened[-1]]
    whose = [*(Origin(name, user) in facts for name in names), linked(group, user)]
    return has, whose, opened


def linked(group: int, user: int) -> bool:
    """Whether a group knows whose an answer is, and what it says."""
    return Answer(user, ROUND, ASK) in knowledge(group).why


def linked_by(*members: str) -> int:
    """Return the number of people whose answers a group links to them."""
    return sum(linked(mask(*members), user) for user in range(record().transcript.users))


def table() -> dict[str, Any]:
    """Return the table: `lessons/tables.py` says what is in it."""
    people = record().transcript.users
    cells = [known(group, ANNA) for group in GROUPS]
    same = [all(known(group, user) == cells[group] for group in GROUPS) for user in range(people)]
    alone = [linked_by(name) for name in OPENERS]
    (says,) = record().answers[ROUND, ANNA, ASK]
    has, whose, opened = zip(*cells, strict=True)
    return {
        "lesson": 1,
        "source": f"veilmix run {SCENARIO}: facts that follow for each group of parties",
        "seeds": [SEED],
        "truth": next((at for at, many in enumerate(alone, 1) if many), len(alone) + 1),
        "facts": {
            "people": people,
            "others": people - 1,
            "same": sum(same),
            "alone": max(alone),
            "all": linked_by(*OPENERS),
            "ends": linked_by(OPENERS[0], OPENERS[-1]),
            "listener": linked_by(NETWORK),
            "groups": len(GROUPS) - 1,
        },
        "picture": {
            "people": people,
            "says": SAYS[says],
            "has": has,
            "whose": whose,
            "opened": opened,
        },
    }


def samples(known_table: dict[str, Any]) -> Iterator[tuple[object, object]]:
    """Yield cells of a table with the same computed anew: those that cost little."""
    picture = known_table["picture"]
    for group in GROUPS:
        cells = tuple(picture[name][group] for name in ("has", "whose", "opened"))
        yield cells, known(group, ANNA)
    yield known_table["facts"]["all"], linked_by(*OPENERS)

"""Conversion of a batch between the ledger's form and the form of a first shuffler's memory.

The memory (protocol/history/shuffler_history.py) decides whether a batch may follow earlier
batches.
"""

from msgspec import UNSET

from ....protocol.history.release_safety import Release
from ....protocol.history.shuffler_history import HandedBatch
from ....protocol.wire.hiding_rules import Hiding, Mask, Redact
from .entry import NEVER_ENDED, Coarsening, LedgerBatch, LedgerEntry, Suppression
from .people import ScenarioPeople


def session(entry: LedgerEntry) -> list[HandedBatch]:
    """Return the batches of a session in the ledger, as a first shuffler remembers them.

    If the session never ended and has no batch in the ledger, the counted people are unknown. Then
    a single batch of all people asked is returned.
    """
    if entry.burned == NEVER_ENDED and not entry.handed:
        return [HandedBatch(1, frozenset(entry.people), entry.least, ())]
    return [handed_batch(entry, batch) for batch in entry.handed]


def handed_batch(entry: LedgerEntry, batch: LedgerBatch) -> HandedBatch:
    """Return a batch of the ledger in the form that a first shuffler's memory of batches uses.

    entry: the batch's session. batch: the batch, with suppression rules, coarsening rules and
    missing people.
    """
    people = entry.counted(batch)
    rules = {suppression.column: _rule(suppression) for suppression in batch.unsaid}
    words = {coarsening.column: coarsening.rules for coarsening in batch.coarser}
    releases = tuple(
        Release(
            people,
            frozenset(ask),
            {name: rules[name] for name in ask if name in rules},
            batch.coins,
            batch.public or (batch.singles and len(ask) > 1),
            {name: words[name] for name in ask if name in words},
        )
        for ask in batch.asks
    )
    fields = batch.round, people, entry.least, releases, batch.singles, batch.public
    return HandedBatch(*fields, certain=batch.unsure is not True)


def _rule(suppression: Suppression) -> Hiding:
    """Return the protocol's rule for suppressed values of a column, from the ledger's form.

    The column number in the rule is 0, because the ledger identifies columns by name.
    """
    return (
        Mask(0, suppression.said)
        if suppression.said
        else Redact(0, suppression.blank, suppression.cover)
    )


def handed(batch: HandedBatch, crowd: ScenarioPeople) -> LedgerBatch:
    """Return a batch of a first shuffler's memory in the form that the ledger stores.

    crowd: the people of the session.
    """
    crowd_marks = set(crowd.people)
    rules = {name: rule for release in batch.releases for name, rule in release.hidden.items()}
    words = {
        name: column_rules
        for release in batch.releases
        for name, column_rules in release.coarser.items()
    }
    return LedgerBatch(
        round=batch.round,
        missing=tuple(i for i, mark in enumerate(crowd.people) if mark not in batch.people),
        others=tuple(sorted(batch.people - crowd_marks)),
        asks=tuple(tuple(sorted(release.columns)) for release in batch.releases),
        unsaid=tuple(_unsaid(name, rule) for name, rule in sorted(rules.items())),
        coarser=tuple(
            Coarsening(column=name, rules=column_rules)
            for name, column_rules in sorted(words.items())
        ),
        public=batch.public,
        singles=batch.singles,
        coins=batch.releases[0].coins,
        unsure=UNSET if batch.certain else True,
    )


def _unsaid(name: str, rule: Hiding) -> Suppression:
    """Return a rule for suppressed values of a column in the form that the ledger stores.

    name: the column.
    """
    match rule:
        case Mask(named_values=named_values):
            return Suppression(column=name, said=named_values)
        case Redact(values=values, cover=cover):
            return Suppression(column=name, blank=values, cover=cover)

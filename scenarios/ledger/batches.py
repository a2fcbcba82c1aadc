"""A batch as the ledger writes it, and as the first shuffler remembers it (protocol/history.py)."""

from ...protocol.hiding import Hiding, Mask, Redact
from ...protocol.history import HandedBatch
from ...protocol.releases import Release
from .entry import NEVER_ENDED, Coarsening, Entry, LedgerBatch, Suppression
from .people import Crowd


def session(entry: Entry) -> list[HandedBatch]:
    """What a first shuffler remembers of a session.

    Of one that never ended, and of which nothing stands there: that everybody was counted.
    """
    if entry.burned == NEVER_ENDED and not entry.handed:
        return [HandedBatch(1, frozenset(entry.people), entry.least, ())]
    return [handed_batch(entry, batch) for batch in entry.handed]


def handed_batch(entry: Entry, batch: LedgerBatch) -> HandedBatch:
    """A batch of an entry, as it was handed on."""
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
    return HandedBatch(batch.round, people, entry.least, releases, batch.singles, batch.public)


def _rule(suppression: Suppression) -> Hiding:
    return (
        Mask(0, suppression.said)
        if suppression.said
        else Redact(0, suppression.blank, suppression.cover)
    )


def handed(batch: HandedBatch, crowd: Crowd) -> LedgerBatch:
    """A batch as it is written down."""
    asked = set(crowd.people)
    rules = {name: rule for release in batch.releases for name, rule in release.hidden.items()}
    words = {name: some for release in batch.releases for name, some in release.coarser.items()}
    return LedgerBatch(
        round=batch.round,
        missing=tuple(i for i, mark in enumerate(crowd.people) if mark not in batch.people),
        others=tuple(sorted(batch.people - asked)),
        asks=tuple(tuple(sorted(release.columns)) for release in batch.releases),
        unsaid=tuple(_unsaid(name, rule) for name, rule in sorted(rules.items())),
        coarser=tuple(Coarsening(column=name, rules=some) for name, some in sorted(words.items())),
        public=batch.public,
        singles=batch.singles,
        coins=batch.releases[0].coins,
    )


def _unsaid(name: str, rule: Hiding) -> Suppression:
    match rule:
        case Mask(said=said):
            return Suppression(column=name, said=said)
        case Redact(values=values, cover=cover):
            return Suppression(column=name, blank=values, cover=cover)

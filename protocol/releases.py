"""Whether a release tells what an earlier one about overlapping people did not.

A release is the joint counts of some columns of some people, with rules on what they leave unsaid,
and on what they make coarser before. `now` is told by `before` if it follows from it for the people
in both: its columns are among those of `before`, and in each of them `before` says every value that
`now` says, in the same words or in words that are made coarser still. Coins are drawn anew
whenever a value is left blank to cover others, and of two draws the blanks in both are mostly real;
so what was covered is released again only if it is the same draw.

Of two releases neither of which tells the other, somebody may be unique on both together who is
hidden in each: `sex, class` and then `age`; who was left blank is named: everything after a release
with blanks; and who was in an interval is in a smaller one: 30 to 34 and 32 to 36.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .hiding import Hiding, Mask, Redact


@dataclass(frozen=True, slots=True)
class Release:
    """Counts of some people, over some columns together, by the names of the source.

    Attributes:
        people: who was counted, by name.
        columns: their names.
        hidden: by column, what people did to the value.
        coins: which draw of the coins; "" is a draw that nobody can make again.
        public: whether more read it than the curator.
        coarser: by column, the rules that made its values coarser before, in their order; a column
            without is as it stands in the source.
    """

    people: frozenset[str]
    columns: frozenset[str]
    hidden: Mapping[str, Hiding] = field(default_factory=dict)
    coins: str = ""
    public: bool = True
    coarser: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def joint(self) -> bool:
        """Whether it adds to what every curator counts: more than a column, or for more readers."""
        return self.public or len(self.columns) > 1


def tells(before: Release, now: Release) -> bool:
    """Whether, for people in both, `now` follows from `before`, and from coins of its own."""
    if _same(before, now):
        return True
    if not now.columns <= before.columns:
        return False
    return all(_follows(before, now, name) for name in now.columns)


def _same(before: Release, now: Release) -> bool:
    """Whether it is the very same, coins included."""
    if not now.coins or before.coins != now.coins or before.people != now.people:
        return False
    return (
        before.columns == now.columns
        and dict(before.hidden) == dict(now.hidden)
        and dict(before.coarser) == dict(now.coarser)
    )


def worded(before: Release, now: Release, name: str) -> bool:
    """Whether a value as `now` words it follows from what `before` made of it, nothing unsaid."""
    was, said = before.coarser.get(name, ()), now.coarser.get(name, ())
    return said[: len(was)] == was


def _follows(before: Release, now: Release, name: str) -> bool:
    """Whether a column as it is said now follows from the column as it was said."""
    if not worded(before, now, name):
        return False
    if len(now.coarser.get(name, ())) > len(before.coarser.get(name, ())):
        return name not in before.hidden  # what is unsaid may be of several coarser values
    return _coarser(before.hidden.get(name), now.hidden.get(name))


def _coarser(was: Hiding | None, now: Hiding | None) -> bool:
    """Whether a value as it is said now follows from the value as it was said."""
    match was, now:
        case None, _:
            return True
        case Mask(said=named), Mask(said=said):
            return set(said) <= set(named)
        case Redact(values=blank, cover=0), Redact(values=blanks):
            return set(blank) <= set(blanks)
    return False


def unsafe(before: Sequence[Sequence[Release]], now: Release) -> str | None:
    """First shuffler: why a release may not join those of earlier sessions; None: it may.

    before: by session. If it was told of exactly these people, it is nothing new. Else every
    session about any of them must have told it: to the public if it is for the public, and to the
    curator, who is told everything.
    """
    if not now.joint:
        return None
    for readers, public in (("the public", True), ("the curator", False)):
        if public and not now.public:
            continue
        theirs = _news(
            [[release for release in told if release.public >= public] for told in before]
        )
        if any(
            release.people == now.people and tells(release, now)
            for told in theirs
            for release in told
        ):
            continue
        for told in theirs:
            near = [release for release in told if not release.people.isdisjoint(now.people)]
            if near and not any(tells(release, now) for release in near):
                return _why(near, now, readers)
    return None


def _news(before: Sequence[Sequence[Release]]) -> list[list[Release]]:
    """What each session told that none before it had told of exactly the same people."""
    sets: list[list[Release]] = []
    for told in before:
        old = [release for past in sets for release in past]
        sets.append(
            [
                release
                for release in told
                if release.joint
                and not any(past.people == release.people and tells(past, release) for past in old)
            ]
        )
    return sets


def _why(near: Sequence[Release], now: Release, readers: str) -> str:
    closest = max(near, key=lambda release: len(release.columns & now.columns))
    more = now.columns - closest.columns
    if more:
        return (
            f"{len(more)} columns more than in an earlier release about these people to {readers}: "
            "nobody has shown that both together are safe; release no other columns of them"
        )
    name = min(name for name in now.columns if not _follows(closest, now, name))
    if not worded(closest, now, name):
        return (
            f"column {name}: made coarser by other rules than in an earlier release about these "
            f"people to {readers}: both together tell finer values; say it by the same rules, or "
            "by these and others after them"
        )
    if name in now.hidden and isinstance(closest.hidden[name], Redact):
        return (
            f"column {name}: left blank with other coins than in an earlier release about these "
            "people: who is blank in both is not covered; release it with the same seed, or not"
        )
    return (
        f"column {name}: says values that an earlier release about these people to {readers} left "
        "unsaid; leave them unsaid, or release other columns"
    )

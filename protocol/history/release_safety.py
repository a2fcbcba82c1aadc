"""Comparison of releases: whether a release reveals more than an earlier one about the same people.

A release is the joint counts of some columns of some people, with rules that hide values, and rules
that generalize them before. `now` is implied by `before` if it follows from it for the people in
both: its columns are among those of `before`, and in each of them `before` shows every value that
`now` shows, in the same words or in words that `now` generalizes. Coins are drawn anew whenever a
value is suppressed as a cover, and of two draws the values suppressed in both are mostly real; so a
column with covers is released again only with the same draw.

If neither of two releases implies the other, a person may be unique in both together and hidden in
each: `sex, class` and then `age`. Or a suppressed value is shown by a later release without blanks;
or an interval becomes smaller: 30 to 34 and 32 to 36.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..wire.hiding_rules import Hiding, Mask, Redact


@dataclass(frozen=True, slots=True)
class Release:
    """Joint counts of some columns of some people, by the names of the source.

    Attributes:
        people: the counted people, by name.
        columns: their names.
        hidden: by column, the rule that hides values.
        coins: the name of the draw of coins; "" is a draw that cannot be repeated.
        public: whether other parties than the curator read it.
        coarser: by column, the rules that generalized its values before, in order; a column without
            rules is as in the source.
    """

    people: frozenset[str]
    columns: frozenset[str]
    hidden: Mapping[str, Hiding] = field(default_factory=dict)
    coins: str = ""
    public: bool = True
    coarser: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def joint(self) -> bool:
        """Whether it reveals more than each curator's counts: several columns, or other readers."""
        return self.public or len(self.columns) > 1


def implies(earlier_release: Release, now: Release) -> bool:
    """Whether, for people in both, `now` follows from `earlier_release` and independent coins."""
    if _is_same(earlier_release, now):
        return True
    if not now.columns <= earlier_release.columns:
        return False
    return all(_follows(earlier_release, now, name) for name in now.columns)


def _is_same(earlier_release: Release, now: Release) -> bool:
    """Whether both are the same release, coins included."""
    if not now.coins or earlier_release.coins != now.coins or earlier_release.people != now.people:
        return False
    return (
        earlier_release.columns == now.columns
        and dict(earlier_release.hidden) == dict(now.hidden)
        and dict(earlier_release.coarser) == dict(now.coarser)
    )


def worded(earlier_release: Release, now: Release, name: str) -> bool:
    """Whether the values of `now` follow from those of `earlier_release`, hiding aside."""
    was, later_rules = earlier_release.coarser.get(name, ()), now.coarser.get(name, ())
    return later_rules[: len(was)] == was


def _follows(earlier_release: Release, now: Release, name: str) -> bool:
    """Whether a column of `now` follows from the column of `earlier_release`."""
    if not worded(earlier_release, now, name):
        return False
    if len(now.coarser.get(name, ())) > len(earlier_release.coarser.get(name, ())):
        return (
            name not in earlier_release.hidden
        )  # a hidden value may belong to several generalized values
    return _coarser(earlier_release.hidden.get(name), now.hidden.get(name))


def _coarser(was: Hiding | None, now: Hiding | None) -> bool:
    """Whether a value under the rule `now` follows from the value under the rule `was`."""
    match was, now:
        case None, _:
            return True
        case Mask(named_values=named), Mask(named_values=later_values):
            return set(later_values) <= set(named)
        case Redact(values=blank, cover=0), Redact(values=blanks):
            return set(blank) <= set(blanks)
    return False


def unsafe(earlier_releases: Sequence[Sequence[Release]], now: Release) -> str | None:
    """First shuffler: return the reason to refuse a release, given earlier ones; None: permitted.

    earlier_releases: releases by session. A release that is implied by an earlier one about exactly
    these people is not new. Else every session about some of them must imply it: by public releases
    if it is public, and by the curator's counts, because the curator learns all of them.
    """
    if not now.joint:
        return None
    for readers, public in (("the public", True), ("the curator", False)):
        if public and not now.public:
            continue
        theirs = _news(
            [
                [release for release in session_releases if release.public >= public]
                for session_releases in earlier_releases
            ]
        )
        if any(
            release.people == now.people and implies(release, now)
            for session_releases in theirs
            for release in session_releases
        ):
            continue
        for session_releases in theirs:
            near = [
                release for release in session_releases if not release.people.isdisjoint(now.people)
            ]
            if near and not any(implies(release, now) for release in near):
                return _why(near, now, readers)
    return None


def _news(earlier_releases: Sequence[Sequence[Release]]) -> list[list[Release]]:
    """Return each session's releases that no earlier one about the same people implies."""
    sets: list[list[Release]] = []
    for session_releases in earlier_releases:
        old = [release for past in sets for release in past]
        sets.append(
            [
                release
                for release in session_releases
                if release.joint
                and not any(
                    past.people == release.people and implies(past, release) for past in old
                )
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

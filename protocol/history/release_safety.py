"""Comparison of releases: whether a release reveals more than an earlier one about the same people.

A release is the joint counts of some columns of some people. Rules may have generalized the values
before, and may hide some. A release `now` is implied by an earlier release `before` if it can be
computed from it for the people in both. This holds under two conditions. The columns of `now` are
among those of `before`. In each of them `before` shows every value that `now` shows, as exactly or
more exactly.

A value may also be suppressed at random, to hide which values are suppressed for a reason (cover
suppression). Two independent random draws would reveal this: values suppressed in both are mostly
suppressed for a reason. So a column with cover suppression is released again only with the same
draw.

If neither of two releases implies the other, a person may be unique in both together and hidden in
each: `sex, class` and then `age`. Or a later release shows a value that an earlier one suppressed;
or intervals overlap in a smaller interval: 30 to 34 and 32 to 36.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..wire.hiding_rules import Hiding, Mask, Redact


@dataclass(frozen=True, slots=True)
class Release:
    """A release as a first shuffler remembers it: people, columns and rules, without the counts.

    Names of people and columns are names of the data source, so that sessions can be compared.

    Attributes:
        people: the counted people, by name.
        columns: the names of the columns that are counted together.
        hidden: by column, the rule that hides values.
        coins: the name of the random draw that chose the suppressed values; "": the draw has no
            name, so that it cannot be repeated.
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
        """Whether a release reveals more than the counts of one column to the curator.

        It does if it counts several columns together, or if other parties than the curator read it.
        """
        return self.public or len(self.columns) > 1


def implies(earlier_release: Release, now: Release) -> bool:
    """Whether `now` reveals no more than `earlier_release` about the people in both.

    Then `now` can be computed from the earlier release and from randomness independent of the data.
    """
    if _is_same(earlier_release, now):
        return True
    if not now.columns <= earlier_release.columns:
        return False
    return all(_follows(earlier_release, now, name) for name in now.columns)


def _is_same(earlier_release: Release, now: Release) -> bool:
    """Whether two releases agree in everything, including the random draw of suppressed values."""
    if not now.coins or earlier_release.coins != now.coins or earlier_release.people != now.people:
        return False
    return (
        earlier_release.columns == now.columns
        and dict(earlier_release.hidden) == dict(now.hidden)
        and dict(earlier_release.coarser) == dict(now.coarser)
    )


def worded(earlier_release: Release, now: Release, name: str) -> bool:
    """Whether `now` applies all generalization rules of the earlier release to a column first.

    Further rules may follow; then its values are only coarser. Rules that hide values are ignored.
    name: the column.
    """
    was, later_rules = earlier_release.coarser.get(name, ()), now.coarser.get(name, ())
    return later_rules[: len(was)] == was


def _follows(earlier_release: Release, now: Release, name: str) -> bool:
    """Whether one column of `now` can be computed from an earlier release. name: the column."""
    if not worded(earlier_release, now, name):
        return False
    if len(now.coarser.get(name, ())) > len(earlier_release.coarser.get(name, ())):
        return (
            name not in earlier_release.hidden
        )  # the generalized value of a hidden value is unknown, so it cannot be computed
    return _coarser(earlier_release.hidden.get(name), now.hidden.get(name))


def _coarser(was: Hiding | None, now: Hiding | None) -> bool:
    """Whether the earlier rule `was` shows each value that the rule `now` shows.

    If `was` suppresses random values as a cover, the result is False, because another random draw
    would show some of them. None: no value is hidden.
    """
    match was, now:
        case None, _:
            return True
        case Mask(named_values=named), Mask(named_values=later_values):
            return set(later_values) <= set(named)
        case Redact(values=blank, cover=0), Redact(values=blanks):
            return set(blank) <= set(blanks)
    return False


def unsafe(earlier_releases: Sequence[Sequence[Release]], now: Release) -> str | None:
    """First shuffler: return the reason to refuse a release; None: permitted.

    A release is permitted if an earlier release of exactly these people implies it. Otherwise every
    earlier session that counted some of these people must have a release that implies it. If not,
    both together may reveal unique people. A public release must be implied by public releases.
    earlier_releases: releases by session.
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
    """Return, by session, the releases that no release of an earlier session implies.

    A release is implied if it can be computed from an earlier release of the same people.
    """
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
    """Return the message why a release is unsafe after earlier releases about these people.

    near: the earlier releases. readers: the parties that received both releases, as text.
    """
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

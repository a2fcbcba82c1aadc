"""The memory of a first shuffler or a curator between sessions, and the batches that it refuses.

Before a batch is forwarded, three checks compare it with all earlier batches. They concern the
counted people (participation.py) and the released columns and values (release_safety.py). For a
release, the third check concerns groups of people that follow from it and earlier releases by
subtraction (`subtracted`). A permitted batch is written down before it is forwarded. So a shuffler
that fails in between has revealed less than it remembers, never more. Later readers, and the
outcome of the round, change nothing in this memory.

A curator knows the people asked in a session and the number of answers, not the respondents. If all
people answered, it judges as the shuffler does. Otherwise it cannot show that a later batch is
safe, and refuses it (`certain`).
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...errors import RoundBurned
from ..wire.announcement import Announcement
from ..wire.coarsening import rule_digest
from ..wire.messages import Call, Counts
from ..wire.parties import Role
from .participation import CountedPeople, linked, smallest_apart
from .release_safety import Release, unsafe, worded

SingleCounts = Mapping[str, Mapping[str, int]]  # counts: column of the source -> value -> people


def no_groups(_now: "HandedBatch", _singles: SingleCounts | None) -> str | None:
    """Permit every batch: return None as the reason to refuse.

    This is the default if no search is set up for groups that several releases isolate.
    """
    return None


def no_price(_now: "HandedBatch") -> str | None:
    """Permit every batch: return None as the reason to refuse.

    This is the default if the privacy loss (epsilon) of noisy reports is not added up over
    sessions.
    """
    return None


@dataclass(frozen=True, slots=True)
class HandedBatch:
    """The batch of a round as the memory keeps it: counted people and requested releases.

    Attributes:
        round: the number of the round, from 1.
        people: the names of the users with answers in the batch.
        min_dropout: the announced smallest safe number of people by which two batches may differ.
        releases: the counts that the curator or analyst learns, one for each query.
        singles: whether the counts of single columns are published.
        public: whether the batch is for the release, and not for a round of the curator.
        certain: whether it counts exactly these people; False: some of them, unknown which.
    """

    round: int
    people: frozenset[str]
    min_dropout: int
    releases: tuple[Release, ...]
    singles: bool = False
    public: bool = False
    certain: bool = True

    @property
    def counted_people(self) -> CountedPeople:
        """The people of the batch, with `min_dropout`.

        `min_dropout` is the smallest safe number of people by which two counted sets may differ.
        """
        return CountedPeople(self.people, self.min_dropout)


def hand_over(
    announcement: Announcement,
    call: Call,
    people: Collection[str],
    name: Callable[[str], str] = str,
    coins: str = "",
    read: Callable[[str], tuple[str, ...]] = lambda _: (),
) -> HandedBatch:
    """First shuffler: return the batch of a call (a round's query) about these people.

    name: returns the name in the data source of a feature. coins: the name of the session's random
    draw of suppressed values. read: returns the rules that generalized a feature when the source
    was read.
    """
    persons, policy = frozenset(people), announcement.policy
    features = announcement.schema.features
    names = [name(feature.name) for feature in features]
    words = {
        feature_name: worded_by
        for feature_name, feature in zip(names, features, strict=True)
        if (worded_by := (*read(feature.name), *map(rule_digest, feature.rules)))
    }
    rules = {names[rule.column]: replace(rule, column=0) for rule in call.hidden}
    # The name of the draw that suppresses values lists the rules, because each rule draws in turn.
    draw = coins and " ".join((coins, str(call.round), *rules))
    analyst = call.reader is Role.ANALYST
    releases = tuple(
        Release(
            persons,
            columns := frozenset(names[column] for column in ask),
            {column: rules[column] for column in columns if column in rules},
            draw,
            analyst or (policy.publish_marginals and len(ask) > 1),
            {column: words[column] for column in columns if column in words},
        )
        for ask in call.asks
    )
    singles = policy.publish_marginals and not analyst
    return HandedBatch(
        call.round, persons, announcement.rules.min_dropout, releases, singles, analyst
    )


@dataclass(slots=True)
class History:
    """The memory of earlier sessions that decides whether the next batch is safe.

    A first shuffler remembers the batches that it mixed; a curator, the batches that it read.

    Attributes:
        sessions: the batches of each session, in order; the present session last.
        burn: whether to abort a round that is unsafe because of the people it counts; otherwise the
            reason is only added to `warned`.
        union: whether to abort a round that is unsafe because of its columns and values.
        promised: the people asked in earlier sessions, with the smallest safe difference in people
            that was announced to them.
        strange: the reason why the people of this session cannot be identified; None: they can.
        person: returns the lasting name of a user, equal in all sessions.
        column: returns the name in the data source of a feature.
        read: returns the rules that generalized a feature at reading; () if there are no rules.
        coins: the name of the random draw of this session's suppressed values.
        write: stores a batch before it is forwarded.
        counted: returns the counts of round 1 of the present session, if the board does not show
            them and the curator is in the same process; None: unknown here.
        subtracted: returns the reason to refuse a release because of groups that follow by
            arithmetic with earlier releases; None: permitted. Arguments: the release and, if these
            are the people of round 1, the counts of single columns.
        priced: returns the reason to refuse a batch because of the total privacy loss of its
            people's noisy reports; None: permitted.
        warned: reasons that did not refuse, each once.
        refused: the reason why the present round was refused; None: not refused.
    """

    sessions: list[list[HandedBatch]] = field(default_factory=list)
    burn: bool = True
    union: bool = False
    promised: Sequence[CountedPeople] = ()
    strange: str | None = None
    person: Callable[[str], str] = str
    column: Callable[[str], str] = str
    read: Callable[[str], tuple[str, ...]] = lambda _: ()
    coins: str = ""
    write: Callable[[HandedBatch], None] = lambda _: None
    counted: Callable[[], Sequence[Counts] | None] = lambda: None
    subtracted: Callable[[HandedBatch, SingleCounts | None], str | None] = no_groups
    priced: Callable[[HandedBatch], str | None] = no_price
    warned: list[str] = field(default_factory=list)
    refused: str | None = None

    def hand_on(
        self,
        announcement: Announcement,
        call: Call,
        people: Collection[str],
        *,
        first: bool,
        published: Sequence[Counts] | None = None,
        certain: bool = True,
    ) -> None:
        """Remember the batch of a call; RoundBurned if it is unsafe together with earlier batches.

        A call is the query of a round. people: the users with answers. first: whether this is the
        first round of its session. published: the counts of round 1 on the board; None:
        unpublished. certain: whether the batch counts all these people; False: some of them, and a
        curator does not know which.
        """
        persons = [self.person(user) for user in people]
        now = hand_over(announcement, call, persons, self.column, self.coins, self.read)
        now = replace(now, certain=certain)
        singles = None if first else self._singles(announcement, now, published)
        self.admit(now, singles, first=first)

    def admit(self, now: HandedBatch, singles: SingleCounts | None, *, first: bool) -> None:
        """First shuffler: remember a batch; RoundBurned if it is unsafe after earlier batches.

        If the attribute `strange` is set, the batch's people cannot be identified, so it is unsafe.
        For reasons that concern people, the attribute `burn` decides whether to abort the round, or
        only to warn; for columns and values the attribute `union` decides.

        singles: the counts of single columns of the batch's people; None: unknown. first: whether
        this is the first batch of its session.
        """
        if first or not self.sessions:
            self.sessions.append([])
        if first and self.strange:
            self._object(self.strange, refuse=self.burn)
        if why := self._unsure(now):
            self._object(why, refuse=self.burn)
        if why := self._isolation_reason(now):
            self._object(why, refuse=self.burn)
        if why := self._joined(now):
            self._object(why, refuse=self.union)
        if now.public and (why := self.subtracted(now, singles)):
            self._object(why, refuse=self.burn)
        if why := self.priced(now):
            self._object(why, refuse=self.burn)
        self.write(now)
        self.sessions[-1].append(now)

    def _singles(
        self, announcement: Announcement, now: HandedBatch, published: Sequence[Counts] | None
    ) -> SingleCounts | None:
        """Return the counts of single columns of a batch's people; None if they are unknown.

        The key is the column's name in the data source. The counts come from the session's round 1,
        so its people must be the same. published: the counts of round 1 on the board; None:
        unpublished.
        """
        counts = self.counted() if published is None else published
        if counts is None or not self.sessions or not self.sessions[-1]:
            return None
        if self.sessions[-1][0].people != now.people:
            return None
        names = [self.column(feature.name) for feature in announcement.schema.features]
        return {
            name: {value: people for (value,), people in count.items()}
            for name, count in zip(names, counts, strict=True)
        }

    def _object(self, why: str, *, refuse: bool) -> None:
        """Abort the round for a reason; if not `refuse`, only store the reason as a warning.

        why: the reason, which is the message of the abort.
        """
        if refuse:
            self.refused = why
            raise RoundBurned(why)
        if why not in self.warned:
            self.warned.append(why)

    def _unsure(self, now: HandedBatch) -> str | None:
        """Return the reason to refuse a batch because it is unknown which people were counted.

        This matters only if an earlier session shares people with the batch. Then differences of
        counts may isolate people, and this cannot be checked. None: permitted.
        """
        past = [batch for session in self.sessions[:-1] for batch in session]
        near = linked([batch.counted_people for batch in past], now.counted_people)
        unsure = {batch.people for batch in past if not batch.certain}
        if not near or (now.certain and unsure.isdisjoint(counted.people for counted in near)):
            return None
        when = "an earlier session" if now.certain else "this session"
        return (
            f"some people of {when} did not answer, and the curator does not know who: their "
            "absence may tell few people apart from those of another session; ask people of whom "
            "all answer, or people of no earlier session"
        )

    def _isolation_reason(self, now: HandedBatch) -> str | None:
        """Return the reason to refuse a batch that would isolate too few people; None: permitted.

        A group is isolated if combining the counts of the batch with earlier counts singles it out.
        """
        earlier_counts = [batch.counted_people for session in self.sessions for batch in session]
        group_size, safe_size = smallest_apart(earlier_counts, now.counted_people, self.promised)
        if not 0 < group_size < safe_size:
            return None
        return (
            f"{group_size} people took part in other rounds than everybody else: fewer than "
            f"{safe_size} could "
            "be told apart by combining all that was counted of them; ask exactly the people of an "
            f"earlier session, or people of whom {safe_size} or more came or left together"
        )

    def _joined(self, now: HandedBatch) -> str | None:
        """Return the reason to refuse a batch because of its columns and values; None: permitted.

        The batch is compared with the releases of earlier sessions. Together they could reveal
        unique people, or values that an earlier release suppressed.
        """
        earlier_releases = [
            [release for batch in past for release in batch.releases] for past in self.sessions[:-1]
        ]
        for release in now.releases:
            if why := unsafe(earlier_releases, release):
                return why
            if (
                now.singles
                and not self._was_public(release)
                and (why := _named(earlier_releases, release))
            ):
                return why
        return None

    def _was_public(self, now: Release) -> bool:
        """Whether an earlier session published a count of the same columns and the same people."""
        return any(
            batch.singles
            and batch.people == now.people
            and (now.columns, now.coarser) in [(r.columns, r.coarser) for r in batch.releases]
            for past in self.sessions[:-1]
            for batch in past
        )


def _named(earlier_releases: Sequence[Sequence[Release]], now: Release) -> str | None:
    """Return the reason not to publish the counts of a column; None: permitted.

    The counts would name values that an earlier release about some of these people suppressed or
    generalized. earlier_releases: releases by session.
    """
    related_releases = [
        release
        for session_releases in earlier_releases
        for release in session_releases
        if not release.people.isdisjoint(now.people)
    ]
    for name in sorted(now.columns):
        if name not in now.hidden and any(
            release.public and name in release.hidden for release in related_releases
        ):
            return (
                f"column {name}: its counts would name what an earlier release about these people "
                "left blank; leave publish_marginals out"
            )
        if any(
            release.public and name in release.columns and not worded(release, now, name)
            for release in related_releases
        ):
            return (
                f"column {name}: its counts would say finer values than an earlier release about "
                "these people; make it coarser by the same rules, or leave publish_marginals out"
            )
    return None

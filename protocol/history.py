"""What a first shuffler remembers from session to session, and what it does not mix for it.

Before a batch is handed on, it is judged with all that was handed on before: by the people it
counts (participation.py), by what it tells of them (releases.py), and, if it is a release, by the
groups of people that it gives together with earlier ones (`subtracted`). What may pass is written
down, and only then handed on: a shuffler that dies in between has told less than it remembers,
never more. Who reads the batch later, and whether that ends well, changes nothing.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..errors import RoundBurned
from .announcement import Announcement
from .coarsening import rule_digest
from .messages import Call, Counts
from .participation import CountedPeople, smallest_apart
from .parties import Role
from .releases import Release, unsafe, worded

SingleCounts = Mapping[str, Mapping[str, int]]  # column of the source -> value -> people


def no_groups(_now: "HandedBatch", _singles: SingleCounts | None) -> str | None:
    """Refuse nothing: the groups that releases give are not looked for."""
    return None


def no_price(_now: "HandedBatch") -> str | None:
    """Refuse nothing: what reports cost is not counted."""
    return None


@dataclass(frozen=True, slots=True)
class HandedBatch:
    """One batch that is handed on.

    Attributes:
        round: from 1.
        people: whose answers were in it, by name.
        least: fewer may not be told apart (`min_dropout`).
        releases: what its readers count, one a question.
        singles: whether the counts of these are published, those of single columns too.
        public: whether it is a release, or questions of the curator.
    """

    round: int
    people: frozenset[str]
    least: int
    releases: tuple[Release, ...]
    singles: bool = False
    public: bool = False

    @property
    def counted_people(self) -> CountedPeople:
        """Whom it counts."""
        return CountedPeople(self.people, self.least)


def hand_over(
    announcement: Announcement,
    call: Call,
    people: Collection[str],
    name: Callable[[str], str] = str,
    coins: str = "",
    read: Callable[[str], tuple[str, ...]] = lambda _: (),
) -> HandedBatch:
    """First shuffler: what a call tells of these people.

    name: what the source calls a feature. read: how its cells were made coarser as they were read.
    """
    who, policy = frozenset(people), announcement.policy
    features = announcement.schema.features
    names = [name(feature.name) for feature in features]
    words = {
        known: worded_by
        for known, feature in zip(names, features, strict=True)
        if (worded_by := (*read(feature.name), *map(rule_digest, feature.rules)))
    }
    rules = {names[rule.column]: replace(rule, column=0) for rule in call.hidden}
    draw = coins and " ".join((coins, str(call.round), *rules))  # a coin for each rule, in order
    analyst = call.reader is Role.ANALYST
    releases = tuple(
        Release(
            who,
            columns := frozenset(names[column] for column in ask),
            {column: rules[column] for column in columns if column in rules},
            draw,
            analyst or (policy.publish_marginals and len(ask) > 1),
            {column: words[column] for column in columns if column in words},
        )
        for ask in call.asks
    )
    singles = policy.publish_marginals and not analyst
    return HandedBatch(call.round, who, announcement.rules.min_dropout, releases, singles, analyst)


@dataclass(slots=True)
class History:
    """The sessions that a first shuffler has mixed, the present one last.

    Attributes:
        sessions: the batches of each, in order.
        burn, union: whether it refuses a round by the people it counts, or by what it tells of
            them; what it lets pass all the same is in `warned`.
        promised: whom earlier sessions have asked, and their `min_dropout`.
        strange: why nobody can say who these people are, if so.
        person: who a user is, from session to session.
        column: what the source calls a feature.
        read: names how cells of a feature became one as they were read, () if none did.
        coins: the draw of this session's coins.
        write: notes what is about to be handed on.
        counted: the counts of round 1 of the present session, where the board does not show them
            and the curator has them in the same memory; None: nobody here knows them.
        subtracted: why a release may not be made for the groups that it gives by arithmetic with
            earlier ones; None: it may. It is handed the release and, if these are the people of
            round 1, the counts of single columns.
        priced: why a batch may not be handed on for what noisy reports cost its people over all
            sessions; None: it may.
        warned: what would have been a reason to refuse, each once.
        refused: why the present round was refused; None: it was not.
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
    ) -> None:
        """First shuffler: note what is handed on; RoundBurned if earlier batches make it unsafe.

        first: whether this is the first round of its session. published: the counts of round 1 that
        the board shows; None: it shows none.
        """
        who = [self.person(user) for user in people]
        now = hand_over(announcement, call, who, self.column, self.coins, self.read)
        known = None if first else self._singles(announcement, now, published)
        self.admit(now, known, first=first)

    def admit(self, now: HandedBatch, singles: SingleCounts | None, *, first: bool) -> None:
        """First shuffler: note a batch; RoundBurned if earlier batches make it unsafe.

        singles: the counts of single columns of its people, if they are known. first: whether it is
        the first of its session.
        """
        if first or not self.sessions:
            self.sessions.append([])
        if first and self.strange:
            self._object(self.strange, refuse=self.burn)
        if why := self._apart(now):
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
        """The counts of single columns of these people; None: they are not those of round 1."""
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
        if refuse:
            self.refused = why
            raise RoundBurned(why)
        if why not in self.warned:
            self.warned.append(why)

    def _apart(self, now: HandedBatch) -> str | None:
        """Why its people may not be counted besides those who were; None: they may."""
        before = [batch.counted_people for session in self.sessions for batch in session]
        few, least = smallest_apart(before, now.counted_people, self.promised)
        if not 0 < few < least:
            return None
        return (
            f"{few} people took part in other rounds than everybody else: fewer than {least} could "
            "be told apart by combining all that was counted of them; ask exactly the people of an "
            f"earlier session, or people of whom {least} or more came or left together"
        )

    def _joined(self, now: HandedBatch) -> str | None:
        """Why it may not be told besides what earlier sessions told; None: it may."""
        before = [
            [release for told in past for release in told.releases] for past in self.sessions[:-1]
        ]
        for release in now.releases:
            if why := unsafe(before, release):
                return why
            if now.singles and not self._shown(release) and (why := _named(before, release)):
                return why
        return None

    def _shown(self, now: Release) -> bool:
        """Whether everybody saw this count of exactly these people before."""
        return any(
            batch.singles
            and batch.people == now.people
            and (now.columns, now.coarser) in [(r.columns, r.coarser) for r in batch.releases]
            for past in self.sessions[:-1]
            for batch in past
        )


def _named(before: Sequence[Sequence[Release]], now: Release) -> str | None:
    """Why the count of a column may not be seen by all: it names what was left blank, or finer."""
    shown = [
        release for told in before for release in told if not release.people.isdisjoint(now.people)
    ]
    for name in sorted(now.columns):
        if name not in now.hidden and any(
            release.public and name in release.hidden for release in shown
        ):
            return (
                f"column {name}: its counts would name what an earlier release about these people "
                "left blank; leave publish_marginals out"
            )
        if any(
            release.public and name in release.columns and not worded(release, now, name)
            for release in shown
        ):
            return (
                f"column {name}: its counts would say finer values than an earlier release about "
                "these people; make it coarser by the same rules, or leave publish_marginals out"
            )
    return None

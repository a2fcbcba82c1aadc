"""The record of an attack: all facts about it that other modules of veilmix need.

An attack is an action of a party (`[[fault]]` of a scenario), or the use of a design error (a
switch). `roles/faults` holds the actions of parties on their messages,
`protocol/knowledge/exploits.py` the computations of attackers on their views; the record binds them
together.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ....protocol.wire import parties
from ...programs.capability import AnswerKind
from ...programs.topology import CENTRAL, PEERS

if TYPE_CHECKING:
    from ....protocol.board.board import Board
    from ....roles.cast import Cast
    from ....roles.occasions import Notes
    from ...populations.samples import Samples
    from ...schema.model import Fault, Policy
    from ..faults.peer import Doing
    from .scene import PeerScene, Scene
    from .settings import AttackSettings
    from .setup import AttackSetup

USER, SHUFFLER, NETWORK = "user", "shuffler", "network"
CURATOR, ANALYST = "curator", "analyst"
PEER = "peer"  # of a session without central parties
BYSTANDER = ""  # no party breaks a rule; the view has a design error
COMMITTERS = (USER, SHUFFLER, NETWORK, CURATOR, ANALYST, BYSTANDER)  # in the order of every table

# Kinds of answers: rows, answers with noise, rows that k people open; or `PEER`: peers alone.
ROWS, REPORTS, OPENED = AnswerKind.ROWS, AnswerKind.REPORTS, AnswerKind.OPENED

STRIKES = ("users", "share", "round")  # keys of an attack by users
LOSES = ("rate", "users", "round")  # keys of a shuffler's attack on some messages or people


Learns = Callable[[float, float], bool]  # value, largest: whether a row was read


def wholly(value: float, maximum: float) -> bool:
    """Whether all values of a person were read, where the value counts them."""
    return 0 < maximum <= value


def counts_victim(value: float, _maximum: float) -> bool:
    """Whether the row of at least one person was read, where the value counts people."""
    return value >= 1


Keys = dict[str, Any]  # a table of a scenario file
Measured = tuple[float, float]  # value, and its largest possible value
Measure = Callable[["Scene", "Fault"], Measured]
Trial = Callable[[int, int], list[Keys]]  # people, shufflers -> the entries of [[fault]]
Strikes = Callable[["AttackSetup", int, "Notes"], None]  # the session, a user, rounds


@dataclass(frozen=True, slots=True)
class Sequel:
    """The use that an attack makes of several sessions of the same people; the last counts.

    Attributes:
        needs_earlier: whether an entry of `[[fault]]` needs a session before.
        session_count: the number of sessions that it needs.
        change_earlier: changes a session change_earlier: its number, from 0, and the place of the
            entry in the file.
        change_last: changes the session that follows them; `Board` is that of the one just before,
            and last comes the place of the entry.
    """

    needs_earlier: "Callable[[Fault], bool]" = lambda _entry: True
    session_count: "Callable[[Fault], int]" = lambda _entry: 1
    change_earlier: "Callable[[Cast, Fault, int, int], Cast]" = lambda cast, *_: cast
    change_last: "Callable[[Cast, Fault, AttackSettings, Samples, Board, int], Cast]" = (
        lambda cast, *_: cast
    )


def committed(**keys: Any) -> Trial:
    """Return the trial of an attack that is committed once, with these keys."""
    return lambda _people, _shufflers: [keys]


def aimed(**keys: Any) -> Trial:
    """Return the trial of an attack that is aimed at the first person."""
    return committed(target=parties.user(0), **keys)


def tenth_of_people(people: int) -> int:
    """Return a tenth of the people, at least one: the size of an attack by or on several users."""
    return max(1, people // 10)


def by_some(**keys: Any) -> Trial:
    """Return the trial of an attack that a tenth of the people commit, or that strikes a tenth."""
    return lambda people, _shufflers: [{"users": tenth_of_people(people), **keys}]


def by_shuffler(*, last: bool = False, every: bool = False) -> Trial:
    """Return the trial of a shuffler that strikes a tenth of its messages, or people.

    last: the last shuffler instead of the first. every: in all rounds instead of the first.
    """

    def trial(people: int, shufflers: int) -> list[Keys]:
        by = parties.shuffler(shufflers if last else 1)
        return [{"by": by, "users": tenth_of_people(people), **({} if every else {"round": 1})}]

    return trial


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsRead:
    """The people's rows that an attack reads, where its success counts another quantity.

    Attributes:
        unit: the unit of the count.
        measure: counts it, from the attackers' view: (value, the largest possible value).
        learns: whether a whole (released) row of a person was read.
        helpers: the other parties that this needs in the coalition.
    """

    unit: str
    measure: "Measure"
    learns: Learns = wholly
    helpers: "Callable[[Policy, Fault], tuple[str, ...]]" = lambda _policy, _entry: ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackTraits:
    """The facts about an attack that do not depend on the topology.

    Attributes:
        by: the role that commits it; `BYSTANDER`: no party does, it uses a design error.
        does: the action, as a clause after its subject: "the network ...".
        remedy: the countermeasure that stops or shows it, for the documents.
        unit: the unit of its success.
        switches: the settings that make the design error.
        stopped_by: guards that stop or show it. A guard that came later says so itself (`stops`).
        trials: its rows of the attack matrix: name suffix -> entries of `[[fault]]`
            (an entry without `attack` is of this one).
        without: guards that its trials are without besides the guards that stop it.
        unlike_honest: in the matrix, success is the difference of a count from an honest run.
        watchers: the party that reads the view, where no party commits the attack.
        learns: whether its success is that a person's whole (released) row was read; None: it is no
            attack on one person.
        waits: the occasion that it needs, as a noun; empty where it only looks.
        rows_read: the rows it reads, where `measure` counts another quantity.
    """

    by: str
    does: str
    remedy: str
    unit: str
    switches: Mapping[str, object] = field(default_factory=dict)
    stopped_by: tuple[str, ...] = ()
    trials: Mapping[str, Trial] = field(default_factory=lambda: {"": committed()})
    without: tuple[str, ...] = ()
    unlike_honest: bool = False
    watchers: str = "who looks on"
    learns: Learns | None = None
    waits: str = ""
    rows_read: RowsRead | None = None

    @property
    def looks(self) -> bool:
        """Whether the attack is passive: its parties follow the protocol and read their view."""
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerAttack(AttackTraits):
    """The form of an attack that peers commit: there are no central parties to play or to attack.

    The other peers name a deviating peer in every session; a file cannot leave that guard out.

    Attributes:
        by: the party that commits it, where a file does not say.
        trials: for the matrix, by name: the [[fault]] and the party.
        measure: counts its success: (value, the largest possible value).
        act: changes a post of the attacking peer; None: peers only look on.
        rated: whether it reads `rate`.
    """

    by: str = PEER
    trials: Mapping[str, Trial] = field(default_factory=lambda: {"": committed(by=parties.peer(0))})
    measure: "Callable[[PeerScene, Fault], Measured]"
    act: "Doing | None" = None
    rated: bool = False

    @property
    def looks(self) -> bool:
        """Whether the attack is passive: its peers follow the protocol and read their view."""
        return self.act is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack(AttackTraits):
    """An attack in a session with central parties.

    Attributes:
        scenario: the shipped scenario that shows it.
        measure: counts it, from the attackers' view: (value, the largest possible value).
        reads: the keys of `[[fault]]` that it reads besides `by`.
        strike: commits it for a user, by index, in some rounds, each with the note that records
            that it is carried out.
        forges: its users answer with a row that is not theirs.
        commit: commits it for any other party: (setup, entry, the entry's place in the file).
        sequel: its use of several sessions; None: it needs a single session.
        about: the kind of answers it attacks and is measured in: `ROWS`, answers that a curator
            and an analyst read; `REPORTS`, randomized answers; `OPENED`, rows that k people open;
            `PEER`, a session of peers only.
        sybils: it brings `users` invented people.
        first_only: only the first shuffler can commit it.
        helpers: the other parties that its coalition needs, under a policy.
        among_peers: its form among peers; None: they cannot.
    """

    scenario: str
    measure: Measure
    reads: tuple[str, ...] = ()
    strike: "Strikes | None" = None
    forges: bool = False
    commit: "Callable[[AttackSetup, Fault, int], None] | None" = None
    sequel: Sequel | None = None
    about: str = ROWS
    sybils: bool = False
    first_only: bool = False
    helpers: "Callable[[Policy, Fault], tuple[str, ...]]" = lambda _policy, _entry: ()
    among_peers: PeerAttack | None = None

    @property
    def looks(self) -> bool:
        """Whether the attack is passive: its parties follow the protocol and read their view."""
        doing = self.strike, self.commit, self.sequel
        return doing == (None, None, None) and not self.forges and not self.sybils

    def among(self, topology: str) -> "Attack | PeerAttack | None":
        """Return the form of the attack in a topology; None where it cannot be committed."""
        central = None if self.about == PEER else self
        return {CENTRAL.name: central, PEERS.name: self.among_peers}.get(topology)

"""The record of an attack: all facts about it that other modules of veilmix need.

An attack is an action of a party (`[[fault]]` of a scenario). Or it uses a design error that a
setting of the scenario switches on. `scenarios/attacks/faults` holds the actions of parties on
their messages, `protocol/knowledge/exploits.py` the computations of attackers on their views. The
record binds them together.
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
PEER = "peer"  # a user of a session without central parties
# in place of the attacking party: all parties follow the protocol, and the attack uses a design
# error
BYSTANDER = ""
# Roles that commit attacks, in the order in which every table lists them.
COMMITTERS = (USER, SHUFFLER, NETWORK, CURATOR, ANALYST, BYSTANDER)

# Kinds of answers that an attack reads: rows of true values, answers with noise, and encrypted rows
# of which only values that k people share are decrypted. `PEER` marks an attack that only peers
# commit.
ROWS, REPORTS, OPENED = AnswerKind.ROWS, AnswerKind.REPORTS, AnswerKind.OPENED

# keys that the `[[fault]]` entry of an attack by users may have
STRIKES = ("users", "share", "round")
# keys that the entry of a shuffler may have if it drops or replaces messages
LOSES = ("rate", "users", "round")


# (measured success, its largest possible value) -> whether the attack read a whole row
Learns = Callable[[float, float], bool]


def wholly(value: float, maximum: float) -> bool:
    """Whether all values of a person were read: `value` of them out of `maximum`."""
    return 0 < maximum <= value


def counts_victim(value: float, _maximum: float) -> bool:
    """Whether the row of at least one person was read, where `value` is a number of people."""
    return value >= 1


Keys = dict[str, Any]  # keys and values of a table in a scenario file
Measured = tuple[float, float]  # measured success of an attack, and its largest possible value
Measure = Callable[["Scene", "Fault"], Measured]
# (number of people, number of shufflers) -> `[[fault]]` entries with which the attack matrix
# (attacks against guards) tries an attack
Trial = Callable[[int, int], list[Keys]]
# carries an attack out for a user; arguments: the prepared attacks of the session, the user's
# index, and round -> function that records the attack as carried out
Strikes = Callable[["AttackSetup", int, "Notes"], None]


@dataclass(frozen=True, slots=True)
class Sequel:
    """The part of an attack that spans several sessions of the same people; the last is measured.

    Attributes:
        needs_earlier: whether an entry of `[[fault]]` needs a session before.
        session_count: the number of earlier sessions that an entry needs.
        change_earlier: returns the cast (the inputs) of an earlier session with the attack in it;
            takes the cast, the entry, the number of the session from 0, and the place of the entry
            in the file.
        change_last: returns the cast of the last session with the attack in it; `Board` is the
            bulletin board of the session just before, and the last argument is the place of the
            entry.
    """

    needs_earlier: "Callable[[Fault], bool]" = lambda _entry: True
    session_count: "Callable[[Fault], int]" = lambda _entry: 1
    change_earlier: "Callable[[Cast, Fault, int, int], Cast]" = lambda cast, *_: cast
    change_last: "Callable[[Cast, Fault, AttackSettings, Samples, Board, int], Cast]" = (
        lambda cast, *_: cast
    )


def committed(**keys: Any) -> Trial:
    """Return a trial with a single entry of these keys.

    A trial makes the `[[fault]]` entries for a row of the attack matrix, which runs each attack
    with and without guards (countermeasures).
    """
    return lambda _people, _shufflers: [keys]


def aimed(**keys: Any) -> Trial:
    """Return a trial with a single entry of these keys, aimed at the first user.

    A trial makes the `[[fault]]` entries for a row of the attack matrix, which runs each attack
    with and without guards (countermeasures).
    """
    return committed(target=parties.user(0), **keys)


def tenth_of_people(people: int) -> int:
    """Return a tenth of the people, at least one: the size of an attack by or on several users."""
    return max(1, people // 10)


def by_some(**keys: Any) -> Trial:
    """Return a trial with a single entry: a tenth of the users commit the attack, or suffer it.

    A trial makes the `[[fault]]` entries for a row of the attack matrix.
    """
    return lambda people, _shufflers: [{"users": tenth_of_people(people), **keys}]


def by_shuffler(*, last: bool = False, every: bool = False) -> Trial:
    """Return a trial in which a shuffler attacks a tenth of its messages, or of the users.

    A trial makes the `[[fault]]` entries for a row of the attack matrix. last: use the last
    shuffler instead of the first. every: attack all rounds instead of round 1 only.
    """

    def trial(people: int, shufflers: int) -> list[Keys]:
        """Return the only entry of `[[fault]]`: shuffler, number of users, maybe round 1."""
        by = parties.shuffler(shufflers if last else 1)
        return [{"by": by, "users": tenth_of_people(people), **({} if every else {"round": 1})}]

    return trial


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsRead:
    """The rows of users that an attack reads: a second measure of its success.

    The attack matrix uses it to compare all attacks by rows read, where `measure` has another unit.

    Attributes:
        unit: the unit of the count.
        measure: counts the rows from the attackers' view: (value, the largest possible value).
        learns: whether a value and its maximum mean that a whole (released) row of a user was read.
        helpers: the other parties that the coalition needs for this reading.
    """

    unit: str
    measure: "Measure"
    learns: Learns = wholly
    helpers: "Callable[[Policy, Fault], tuple[str, ...]]" = lambda _policy, _entry: ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackTraits:
    """The facts that are recorded about an attack both with central parties and among peers.

    Attributes:
        by: the role that commits the attack; `BYSTANDER`: no party does, it uses a design error.
        does: the action, as a clause after its subject: "the network ...".
        remedy: the countermeasure that stops or shows the attack, for the documents.
        unit: the unit of the measured success.
        switches: the settings that make the design error.
        stopped_by: names of guards (countermeasures) that stop or show the attack. A guard that is
            added to the catalogue later lists the attack in its own record (`Guard.stops`) instead.
        trials: the rows of the attack in the attack matrix (attacks against guards): name suffix ->
            entries of `[[fault]]` (an entry without the key `attack` means this attack).
        without: guards that the trials switch off besides the guards that stop the attack.
        unlike_honest: whether success in the matrix is the difference from an honest run.
        watchers: the party that reads the view, where no party commits the attack.
        learns: whether a value and its maximum mean that a whole (released) row of a person was
            read; None: it is no attack on one person.
        waits: the occasion that the attack needs, as a noun; empty for a passive attack.
        rows_read: the measure of rows read, where `measure` counts another quantity.
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
    """The form of an attack in a session of peers, where there are no central parties.

    In every session the peers detect a deviating peer, and name it. No key of a scenario file
    switches this countermeasure off.

    Attributes:
        by: the party that commits the attack, where a scenario file does not say.
        trials: the rows of the attack in the attack matrix (attacks against countermeasures):
            suffix of the row's name -> function that makes its entries of `[[fault]]`.
        measure: counts the success: (value, the largest possible value).
        act: changes a post of the attacking peer; None: the peers follow the protocol and only look
            on.
        rated: whether the attack reads the key `rate`, the share of messages that it changes.
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
    """An attack in a session with central parties (shufflers, curator, analyst).

    Attributes:
        scenario: the shipped scenario that shows the attack.
        measure: counts the success, from the attackers' view: (value, the largest possible value).
        reads: the keys of `[[fault]]` that the attack reads besides `by`.
        strike: carries the attack out for a user, by index, in some rounds, each with the note that
            records that this happened.
        forges: whether users of the attack answer with a row that is not theirs.
        commit: carries the attack out for any other party: (setup, entry, the entry's place in the
            file).
        sequel: the part that spans several sessions; None: the attack needs a single session.
        about: the kind of answers that the attack is measured in: `ROWS`, answers that a curator
            and an analyst read; `REPORTS`, randomized answers; `OPENED`, rows that k people open;
            `PEER`, a session of peers only.
        sybils: the attack adds `users` invented people.
        first_only: only the first shuffler can commit the attack.
        helpers: the other parties that the coalition needs, under a policy.
        among_peers: the form of the attack among peers; None: peers cannot commit it.
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
        """Return the form of the attack in a topology: central parties, or peers.

        topology: its name. None where the attack cannot be committed.
        """
        central = None if self.about == PEER else self
        return {CENTRAL.name: central, PEERS.name: self.among_peers}.get(topology)

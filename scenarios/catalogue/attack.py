"""What an attack is: one record, which says all that the rest of veilmix asks of it.

An attack is something that a party does (`[[fault]]` of a scenario), or a design error that
somebody uses (a switch). What a party does with its messages is in `roles/faults`, what an attacker
makes of what it saw in `protocol/exploits.py`; the record binds them together.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...protocol import parties
from ..programs.topology import CENTRAL, PEERS

if TYPE_CHECKING:
    from ...protocol.board import Board
    from ...roles.cast import Cast
    from ...roles.faults.peer import Doing
    from ...roles.occasions import Notes
    from ..populations.samples import Samples
    from ..programs.interface import ReleaseProgram
    from ..schema.model import Fault, Scenario
    from .scene import PeerScene, Scene
    from .session import AttackSetup

USER, SHUFFLER, NETWORK = "user", "shuffler", "network"
CURATOR, ANALYST = "curator", "analyst"
PEER = "peer"  # of a session without central parties
BYSTANDER = ""  # nobody breaks a rule; somebody uses a design error
COMMITTERS = (USER, SHUFFLER, NETWORK, CURATOR, ANALYST, BYSTANDER)  # in the order of every table

# What people hand on: rows, answers with noise, rows that k people open; or `PEER`: peers alone.
ROWS, REPORTS, OPENED = "rows", "reports", "opened rows"

STRIKES = ("users", "share", "round")  # keys of an attack by users
LOSES = ("rate", "users", "round")  # keys of a shuffler's attack on some messages or people


def handed_on(program: "ReleaseProgram") -> str:
    """What people hand on where this program asks them."""
    return REPORTS if program.reports else OPENED if program.opens else ROWS


Learns = Callable[[float, float], bool]  # value, and the most: whether somebody's row was read


def wholly(value: float, most: float) -> bool:
    """Whether all of one person's values were read, where the value counts them."""
    return 0 < most <= value


def somebody(value: float, _most: float) -> bool:
    """Whether anybody's row was read, where the value counts people."""
    return value >= 1


Keys = dict[str, Any]  # a table of a scenario file
Measured = tuple[float, float]  # value, and the most it could be
Measure = Callable[["Scene", "Fault"], Measured]
Trial = Callable[[int, int], list[Keys]]  # people, shufflers -> the entries of [[fault]]
Strikes = Callable[["AttackSetup", int, "Notes"], None]  # the session, a user, rounds


@dataclass(frozen=True, slots=True)
class Sequel:
    """How an attack uses several sessions of the same people, of which the last counts.

    Attributes:
        wanted: whether an entry of `[[fault]]` needs a session before.
        many: how many it needs.
        before: changes a session before: its number, from 0, and the place of the entry in the
            file.
        after: changes the session that follows them; `Board` is that of the one just before, and
            last comes the place of the entry.
    """

    wanted: "Callable[[Fault], bool]" = lambda _entry: True
    many: "Callable[[Fault], int]" = lambda _entry: 1
    before: "Callable[[Cast, Fault, int, int], Cast]" = lambda cast, *_: cast
    after: "Callable[[Cast, Fault, Scenario, Samples, Board, int], Cast]" = lambda cast, *_: cast


def committed(**keys: Any) -> Trial:
    """The trial of an attack that is committed once, with these keys."""
    return lambda _people, _shufflers: [keys]


def aimed(**keys: Any) -> Trial:
    """The trial of an attack that is aimed at the first person."""
    return committed(target=parties.user(0), **keys)


def some(people: int) -> int:
    """A tenth of the people, at least one: how many an attack strikes that strikes several."""
    return max(1, people // 10)


def by_some(**keys: Any) -> Trial:
    """The trial of an attack that a tenth of the people commit, or that strikes a tenth of them."""
    return lambda people, _shufflers: [{"users": some(people), **keys}]


def by_shuffler(*, last: bool = False, every: bool = False) -> Trial:
    """The trial of a shuffler that strikes a tenth of its messages, or people.

    last: the last shuffler instead of the first. every: in all rounds instead of the first.
    """

    def trial(people: int, shufflers: int) -> list[Keys]:
        by = parties.shuffler(shufflers if last else 1)
        return [{"by": by, "users": some(people), **({} if every else {"round": 1})}]

    return trial


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsRead:
    """What an attack reads of people's rows, where its success is something else.

    Attributes:
        unit: what is counted.
        measure: counts it, from what the attackers saw: (value, the most it could be).
        learns: whether a whole (released) row of a person was read.
        helpers: who else has to be in it for that.
    """

    unit: str
    measure: "Measure"
    learns: Learns = wholly
    helpers: "Callable[[Scenario, Fault], tuple[str, ...]]" = lambda _scenario, _entry: ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackTraits:
    """What is said of an attack, whoever carries messages.

    Attributes:
        by: the role that commits it; `BYSTANDER`: nobody does, it uses a design error.
        does: what is done, after the one who does it: "the network ...".
        remedy: what stops or shows it, for the documents.
        unit: what is counted of its success.
        switches: the settings that make the design error.
        stopped_by: guards that stop or show it. A guard that came later says so itself (`stops`).
        trials: its rows of the attack matrix: what stands behind its name -> entries of `[[fault]]`
            (an entry without `attack` is of this one).
        without: guards that its trials are without besides those that stop it.
        unlike_honest: in the matrix, success is by how much a count differs from an honest run.
        watchers: who looks on, where nobody commits it.
        learns: whether its success is that somebody's whole (released) row was read; None: it is no
            attack on one person.
        waits: the occasion that it needs, as a noun; empty where it only looks.
        rows_read: what it reads of people's rows, where `measure` counts something else.
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
        """Whether nobody does anything: it is carried out by looking."""
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerAttack(AttackTraits):
    """How peers commit an attack: they have no central party to be, nor any to turn against.

    That whoever does it is named is no guard that a file could leave out.

    Attributes:
        by: who commits it, where a file does not say.
        trials: for the matrix, by name: the [[fault]] and the party.
        measure: counts its success: (value, the most it could be).
        act: what becomes of a post of whoever commits it; None: peers only look on.
        rated: whether it reads `rate`.
    """

    by: str = PEER
    trials: Mapping[str, Trial] = field(default_factory=lambda: {"": committed(by=parties.peer(0))})
    measure: "Callable[[PeerScene, Fault], Measured]"
    act: "Doing | None" = None
    rated: bool = False

    @property
    def looks(self) -> bool:
        """Whether nobody does anything: it is carried out by looking."""
        return self.act is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack(AttackTraits):
    """One attack.

    Attributes:
        scenario: the shipped scenario that shows it.
        measure: counts it, from what the attackers saw: (value, the most it could be).
        reads: the keys of `[[fault]]` that it reads besides `by`.
        strike: commits it for a user, by index, in some rounds, each with what says that it is
            carried out.
        forges: those who commit it answer with a row that is not theirs.
        commit: commits it for any other party: (setup, entry, the entry's place in the file).
        sequel: how it uses two sessions; None: it needs one.
        about: what it is an attack on, and measured in: `ROWS`, answers that a curator and an
            analyst read; `REPORTS`, randomized answers; `OPENED`, rows that k people open; `PEER`,
            nothing but a session of peers.
        sybils: it brings so many `users` who do not exist.
        first_only: only the first shuffler can commit it.
        helpers: who else has to be in it, in a scenario.
        among_peers: how peers commit it; None: they cannot.
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
    helpers: "Callable[[Scenario, Fault], tuple[str, ...]]" = lambda _scenario, _entry: ()
    among_peers: PeerAttack | None = None

    @property
    def looks(self) -> bool:
        """Whether nobody does anything: it is carried out by looking."""
        doing = self.strike, self.commit, self.sequel
        return doing == (None, None, None) and not self.forges and not self.sybils

    def among(self, topology: str) -> "Attack | PeerAttack | None":
        """How it is committed where messages are carried so; None where nobody can."""
        central = None if self.about == PEER else self
        return {CENTRAL.name: central, PEERS.name: self.among_peers}.get(topology)

"""Preparation of a session's attacks: each attack adds its part, and the parts become one cast.

A cast is the set of inputs of a session: its users, parties, faults and countermeasures.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ....crypto.entropy import Entropy
from ....protocol.wire import parties
from ....protocol.wire.messages import Kind
from ....roles.adversary_record import AdversaryRecord
from ....roles.cast import Cast
from ....roles.network.memory_network import Fault, Wire
from ....roles.occasions import Note, Notes, note_of
from ..faults.curator import Lying, MakeStrategy, OwnStrategy, liar, lying
from ..faults.shuffler import TOP_BIT, Act, Deed, Ignoring, cheat, forward, hears_all
from ..faults.users import faulty
from ..faults.wire import Wires
from .fault_entries import rounds_of

if TYPE_CHECKING:
    from numpy.random import Generator

    from ....roles.people import Randomization
    from ...populations.samples import Samples
    from ...schema.model import Fault as Entry
    from .settings import AttackSettings


@dataclass(slots=True)
class AttackSetup:
    """The attacks of a session while they are prepared; each attack adds its part here.

    Attributes:
        settings: the attacks, and the facts that they need of the session.
        cast: the inputs of the session without attacks.
        crowd: the real people.
        rng: the generator of the attacks' choices, separate from the session's entropy.
        fakes: the number of invented participants.
        forgers: the indices of people that answer with a row that is not theirs.
        guesses: the guessed rows that people answer instead of their own, by index.
        messages: user -> round -> the change to its message (a name in
            `scenarios.attacks.faults.users`).
        notes: user -> round -> the note that records the change.
        deeds: shuffler -> the changes to its layers.
        lies: the curator's deviations (names in `scenarios.attacks.faults.curator`), each with its
            note.
        strategies: attack -> the strategy by which its curator asks and decides, made from the
            announced strategy.
        lied_to: the party that is shown another board; None: every party sees the same.
        wires: the changes to messages on their way.
        places: party -> the function that makes an endpoint in place of the party's own.
        adversary: keeps the attackers' views, and the entries that are carried out.
    """

    settings: "AttackSettings"
    cast: Cast
    crowd: "Samples"
    rng: "Generator"
    fakes: int
    forgers: set[int] = field(default_factory=set)
    guesses: dict[int, tuple[str, ...]] = field(default_factory=dict)
    messages: dict[str, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))
    deeds: dict[str, list[Deed]] = field(default_factory=lambda: defaultdict(list))
    notes: dict[str, dict[int, Note]] = field(default_factory=lambda: defaultdict(dict))
    lies: dict[str, Note] = field(default_factory=dict)
    strategies: dict[str, MakeStrategy] = field(default_factory=dict)
    lied_to: str | None = None
    wires: list[Wire] = field(default_factory=list)
    places: dict[str, Fault] = field(default_factory=dict)
    adversary: AdversaryRecord = field(default_factory=AdversaryRecord)

    @property
    def people(self) -> int:
        """The number of real people."""
        return self.crowd.people.n

    @property
    def stranger(self) -> str:
        """The name of a user that is neither a real person nor an invented participant."""
        return parties.user(self.people + self.fakes)

    def row(self, index: int) -> tuple[str, ...]:
        """Return the row that the user with an index answers.

        It is the row that an attack has guessed for the user. Without a guess, it is the last value
        of each column for a forger or an invented user, and else the user's own row.
        """
        if index in self.guesses:
            return self.guesses[index]
        if index >= self.people or index in self.forgers:
            return tuple(values[-1] for values in self.crowd.people.values)
        return tuple(self.crowd.people.row(index))

    def entropy(self, label: str) -> Entropy:
        """Return a source of randomness for one attack, forked from the session's by a label."""
        return self.cast.entropy.fork(label)

    def message(self, index: int, rounds: Notes, change: str) -> None:
        """Let the user with an index change its message in some rounds.

        rounds: round -> the note that records the deed. change: the change, by its name in
        `scenarios.attacks.faults.users`.
        """
        user = parties.user(index)
        self.messages[user].update(dict.fromkeys(rounds, change))
        self.notes[user].update(rounds)

    def answers(self, index: int, entry: int) -> None:
        """Count an attack as carried out once the user with an index has answered a query.

        entry: the place of the attack's `[[fault]]` entry in the scenario file.
        """
        self.adversary.answering.setdefault(index, set()).add(entry)

    def posts(self, kind: Kind, entry: int) -> None:
        """Count an attack as carried out as soon as the board holds a post of a kind.

        entry: the place of the attack's `[[fault]]` entry in the scenario file.
        """
        self.adversary.posting.setdefault(kind, set()).add(entry)

    def strategy(self, make: MakeStrategy, entry: "Entry", number: int) -> None:
        """Let the curator ask and decide by the attack's strategy, not by the announced strategy.

        The entry counts as carried out when the curator deviates. It then posts a call (query of a
        round) or a decision that the announced strategy would not have made.

        Args:
            make: returns the strategy; called with the announced strategy.
            entry: the entry of `[[fault]]`.
            number: the entry's place in the file.
        """
        self.strategies[entry.attack] = make
        self.lies[entry.attack] = note_of(number)

    def deed(
        self,
        act: Act,
        entry: "Entry",
        number: int,
        row: tuple[str, ...] | None = None,
        aimed: str | None = None,
        ignores: Ignoring = hears_all,
    ) -> None:
        """Let the shuffler of an entry change the layers (encrypted answers) that it handles.

        act: the change. number: the entry's place in the file. row: the row of the shuffler's own
        answers. aimed: the target if the entry has no `target`. ignores: the messages that the
        shuffler pretends not to have received.
        """
        if entry.by is None:
            return
        self.deeds[entry.by].append(
            Deed(
                act,
                self.entropy(f"misdeed {number} of {entry.by}"),
                rounds_of(entry),
                1.0 if entry.rate is None else entry.rate,
                entry.users,
                entry.target or aimed,
                TOP_BIT if entry.bit is None else entry.bit,
                row,
                ignores,
                note_of(number),
            )
        )

    def prepared(self) -> Cast:
        """Return the inputs of the session with the parts of all attacks in it."""
        changed = bool(self.fakes or self.forgers or self.guesses)
        keeps_order = any(deed.act is forward for each in self.deeds.values() for deed in each)
        lies = lying(self.cast.decide, *self.lies, strategies=self.strategies)
        return replace(
            self.cast,
            people=self.people + self.fakes,
            row=self.row if changed else self.cast.row,
            remembering=self._response if self.guesses and self.cast.randomize else None,
            faults=dict(self._faults(lies)),
            paced=keeps_order,
            wire=Wires(self.wires) if self.wires else None,
            lies=lies,
        )

    def _response(self, index: int) -> "Randomization":
        """Return the randomization that the user with an index applies to its answer.

        A guessed row is sent without noise.
        """
        if index in self.guesses or self.cast.randomize is None:
            return lambda row, _entropy: row
        return self.cast.randomize

    def _faults(self, lies: Lying | OwnStrategy | None) -> Mapping[str, Fault]:
        """Return the fault of each attacking party, by name.

        lies: the curator's deviating strategy; None: it follows the announced strategy.
        """
        curator = {}
        if self.lies:
            curator[parties.CURATOR] = liar(
                *self.lies, target=self.lied_to, notes=self.lies, lying=lies
            )
        return {
            **{
                user: faulty(messages, self.notes[user]) for user, messages in self.messages.items()
            },
            **{shuffler: cheat(*deeds) for shuffler, deeds in self.deeds.items()},
            **curator,
            **self.places,
        }


def commits(act: Act) -> Callable[[AttackSetup, "Entry", int], None]:
    """Return the `commit` function of an attack record in which a shuffler performs `act`."""
    return lambda setup, entry, number: setup.deed(act, entry, number)

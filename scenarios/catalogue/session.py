"""What attacks put into a session: each adds its part, and in the end all parts are one cast."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ...crypto.entropy import Entropy
from ...protocol import parties
from ...protocol.messages import Kind
from ...roles.adversary_record import AdversaryRecord
from ...roles.cast import Cast
from ...roles.faults.curator import Lying, liar, lying
from ...roles.faults.shuffler import TOP_BIT, Act, Deed, Ignoring, cheat, forward, hears_all
from ...roles.faults.users import faulty
from ...roles.faults.wire import Wires
from ...roles.network import Fault, Wire
from ...roles.occasions import Note, Notes, note_of
from .entries import rounds_of

if TYPE_CHECKING:
    from numpy.random import Generator

    from ...roles.people import Randomization
    from ..populations.samples import Samples
    from ..schema.model import Fault as Entry
    from ..schema.model import Scenario


@dataclass(slots=True)
class AttackSetup:
    """A session that attacks are prepared in.

    Attributes:
        scenario: what the file says.
        cast: the session, so far.
        crowd: the people who exist.
        rng: for what an attack draws, beside its entropy.
        fakes: how many people take part who do not exist.
        forgers: the indices of people who answer with a row that is not theirs.
        guesses: what people answer who suspect somebody else of it, by index.
        messages: user -> round -> what it does to its message (a name of `roles.faults.users`).
        notes: of these, likewise, what says that it has.
        deeds: shuffler -> what it does to its layers.
        lies: what the curator does (names of `roles.faults.curator`), with what says that it has.
        lied_to: the party that is shown another board; None: nobody is.
        wires: what is done to messages on their way.
        places: party -> the fault that stands in for its place in the network.
        adversary: keeps what attackers see, and which entries are carried out.
    """

    scenario: "Scenario"
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
    lied_to: str | None = None
    wires: list[Wire] = field(default_factory=list)
    places: dict[str, Fault] = field(default_factory=dict)
    adversary: AdversaryRecord = field(default_factory=AdversaryRecord)

    @property
    def people(self) -> int:
        """How many people exist."""
        return self.crowd.people.n

    @property
    def stranger(self) -> str:
        """The name of a user who does not take part."""
        return parties.user(self.people + self.fakes)

    def row(self, index: int) -> tuple[str, ...]:
        """What a person answers; who does not exist, or forges, answers the forged row."""
        if index in self.guesses:
            return self.guesses[index]
        if index >= self.people or index in self.forgers:
            return tuple(values[-1] for values in self.crowd.people.values)
        return tuple(self.crowd.people.row(index))

    def entropy(self, label: str) -> Entropy:
        """A source of randomness of an attack's own."""
        return self.cast.entropy.fork(label)

    def message(self, index: int, rounds: Notes, what: str) -> None:
        """A user does something to its message, in some rounds, which notes it."""
        user = parties.user(index)
        self.messages[user].update(dict.fromkeys(rounds, what))
        self.notes[user].update(rounds)

    def answers(self, index: int, entry: int) -> None:
        """An entry is carried out as soon as a user has answered something."""
        self.adversary.answering.setdefault(index, set()).add(entry)

    def posts(self, kind: Kind, entry: int) -> None:
        """An entry is carried out as soon as a post of a kind stands on the board."""
        self.adversary.posting.setdefault(kind, set()).add(entry)

    def deed(
        self,
        act: Act,
        entry: "Entry",
        number: int,
        row: tuple[str, ...] | None = None,
        aimed: str | None = None,
        ignores: Ignoring = hears_all,
    ) -> None:
        """Let a shuffler do something to its layers.

        row: what its own answers say. aimed: at whom, where no target is written. ignores: the
        letters that it takes no notice of.
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
        """The session with all parts in it."""
        changed = bool(self.fakes or self.forgers or self.guesses)
        keeps_order = any(deed.act is forward for each in self.deeds.values() for deed in each)
        lies = lying(self.cast.decide, *self.lies)
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
        """What a person does to its answer: whoever guesses says the guess, whatever it draws."""
        if index in self.guesses or self.cast.randomize is None:
            return lambda row, _entropy: row
        return self.cast.randomize

    def _faults(self, lies: Lying | None) -> Mapping[str, Fault]:
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
    """Let an attack be a shuffler's deed."""
    return lambda setup, entry, number: setup.deed(act, entry, number)

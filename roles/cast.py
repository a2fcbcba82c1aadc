"""What a session starts from: its people, its parties, what goes wrong and who looks."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from ..crypto.entropy import Entropy
from ..crypto.signing import Signer
from ..protocol.announcement import Policy, Program, Rules
from ..protocol.history import History
from ..protocol.messages import Registry
from ..protocol.programs import DecisionRule, Strategy
from ..protocol.schema import Schema
from ..protocol.terms import Terms
from .adversary_record import AdversaryRecord
from .network import EVERY_ROUND, Fault, Wire
from .people import Randomization, Row
from .workplace import HERE, Workplace


@dataclass(frozen=True, slots=True)
class Guards:
    """Defences that parties observe besides those that are announced (`Rules`).

    Attributes:
        registered: how many users, counted from the first, are in the registry; None: there is
            none.
        looks: whether a user, by index, looks if its ballots have come, where they are locked;
            None: all do.
        balance: whether the analyst adds up totals and accounts.
        recompute: whether the analyst decides again.
        compares: whether users compare what they were told with the board.
        history: what the first shuffler remembers of earlier sessions; None: nothing.
        proves: whether the analyst proves the promise of those who came.
        sums: whether both readers compare what they read of the same people.
        signed: whether posts, and the heads of the board, are signed by identities that everybody
            knows beforehand.
    """

    registered: int | None = None
    looks: Callable[[int], bool] | None = None
    balance: bool = False
    recompute: bool = False
    compares: bool = True
    history: History | None = None
    proves: bool = True
    sums: bool = True
    signed: bool = True


@dataclass(frozen=True, slots=True)
class Cast:
    """Everything a session starts from.

    Attributes:
        title: of the session, as people read it.
        schema: the features that people are asked for.
        policy: what the curator may release.
        rules: what parties keep to on the way: sizes, times, guards.
        suite: the name of the crypto suite of every key.
        shufflers: how many there are.
        people: how many there are.
        row: the values of the person with an index from 0 to people - 1.
        decide: what the curator decides by.
        entropy: the source of every key, salt and nonce.
        rounds: in which rounds the person with an index is asked.
        faults: what a party, by name, does wrong.
        threads: how many a party may use; None: as many as there are processors; 0: none, so that
            work is done in the same order in every run.
        program: which way to release is played.
        randomize: what people do to their answers before they say them; None: nothing.
        remembering: what the person with an index does where noise is kept; None: it is not.
        guards: the defences that parties observe.
        paced: whether a party keeps the order of arrival against the rules. Then, and where the
            rules keep it, people send at moments that are drawn: a seed fixes that order too.
        wire: who holds the wires; None: parties in one process.
        adversary: what keeps what attackers see; None: nothing does.
        identities: what parties, by name, and the board sign posts with; None: drawn for this
            session.
        first: the index of the first person who is here; others are elsewhere.
        registry: who may send, where that is known beforehand; None: it follows from `guards`.
        workplace: where long lists of work are done.
        lies: what the curator decides by, where that is not the announced rule; None: it is.
    """

    title: str
    schema: Schema
    policy: Policy
    rules: Rules
    suite: str
    shufflers: int
    people: int
    row: Callable[[int], Row]
    decide: DecisionRule | Strategy
    entropy: Entropy
    rounds: Callable[[int], Collection[int]] = lambda _: EVERY_ROUND
    faults: Mapping[str, Fault] = field(default_factory=dict)
    threads: int | None = None
    program: Program = Program.TWO_ROUND
    randomize: Randomization | None = None
    remembering: Callable[[int], Randomization] | None = None
    guards: Guards = field(default_factory=Guards)
    paced: bool = False
    wire: Wire | None = None
    adversary: AdversaryRecord | None = None
    identities: Mapping[str, Signer] | None = None
    first: int = 0
    registry: Registry | None = None
    workplace: Workplace = HERE
    lies: Strategy | None = None

    @property
    def terms(self) -> Terms:
        """What everybody with the same cast expects to be announced."""
        told = (self.title, self.schema, self.policy, self.rules, self.shufflers, self.program)
        return Terms(*told, self.registry)

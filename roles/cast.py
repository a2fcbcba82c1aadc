"""The inputs of a session: its users, its parties, their faults and their countermeasures.

A simulation builds a `Cast`, and session.py plays it.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from ..crypto.entropy import Entropy
from ..crypto.signing import Signer
from ..protocol.board.agreed_terms import Terms
from ..protocol.board.strategies import DecisionRule, Strategy
from ..protocol.history.shuffler_history import History
from ..protocol.wire.announcement import AnnouncedPolicy, Program, Rules
from ..protocol.wire.messages import Registry
from ..protocol.wire.schema import Schema
from .adversary_record import AdversaryRecord
from .compute.backend import LOCAL_WORKPLACE, Workplace
from .network.memory_network import EVERY_ROUND, Fault, Wire
from .people import Randomization, Row


@dataclass(frozen=True, slots=True)
class Guards:
    """The countermeasures that parties apply in addition to the announced rules (`Rules`).

    Attributes:
        registered: the number of users in the registry, counted from the first; None: no registry.
        looks: whether a user, by index, checks that its ballots arrived, where ballots are locked
            (open only after this check); None: all users check.
        balance: whether the analyst checks that published numbers of messages and answers add up.
        recompute: whether the analyst repeats the curator's decision from the published counts.
        compares: whether users compare their announcement with that on the board.
        history: the first shuffler's memory of earlier sessions; None: no memory.
        curators: the curator's memory of earlier sessions; None: no memory.
        proves: whether the analyst proves the bound on exposed people for the respondents.
        sums: whether curator and analyst compare their counts of the same people.
        signed: whether posts, and the heads of the board, are signed by identities that all parties
            know beforehand.
    """

    registered: int | None = None
    looks: Callable[[int], bool] | None = None
    balance: bool = False
    recompute: bool = False
    compares: bool = True
    history: History | None = None
    curators: History | None = None
    proves: bool = True
    sums: bool = True
    signed: bool = True


@dataclass(frozen=True, slots=True)
class Cast:
    """The inputs of a session.

    Attributes:
        title: the title of the session, in words for users.
        schema: the columns that users are asked for.
        policy: the limits of the curator's release.
        rules: the rules of the rounds: sizes, times, countermeasures.
        suite: the name of the crypto suite of every key.
        shufflers: the number of shufflers.
        people: the number of users.
        row: the values of the person with an index from 0 to people - 1.
        decide: the curator's decision rule.
        entropy: the source of every key, salt and nonce.
        rounds: the rounds in which the person with an index is asked.
        faults: the misbehaviour of a party, by name.
        threads: the most threads of a party; None: as many as processors; 0: no threads, so that
            work is done in the same order in every run.
        program: the release program.
        randomize: the randomization of answers before users submit them; None: no randomization.
        remembering: returns the randomization of a person, by index, if persons keep their noise
            for later sessions; None: noise is not kept.
        guards: the countermeasures of the parties.
        paced: whether a party keeps the order of arrival against the rules. Then, or if the rules
            keep that order, users send at random times: a seed fixes that order too.
        wire: the attacker on the network; None: no attacker there.
        adversary: the record of the attackers' views; None: no record.
        identities: the signing keys of parties, by name, and of the board; None: drawn for this
            session.
        first: the index of the first person in this process; other persons are in other processes.
        registry: the users that may send, if known beforehand; None: it follows from `guards`.
        workplace: the place of long computations: this process, its copies, or other workers.
        lies: the strategy of a curator that deviates from the announced rule; None: the announced
            rule.
    """

    title: str
    schema: Schema
    policy: AnnouncedPolicy
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
    workplace: Workplace = LOCAL_WORKPLACE
    lies: Strategy | None = None

    @property
    def terms(self) -> Terms:
        """The agreed terms that all parties with this cast expect in the announcement."""
        arguments = (self.title, self.schema, self.policy, self.rules, self.shufflers, self.program)
        return Terms(*arguments, self.registry)

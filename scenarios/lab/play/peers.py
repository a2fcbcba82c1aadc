"""The play of a scenario among peers, with messages or without (protocol/peers/agreement.py).

Peers have no curator. They sign an agreement beforehand, which replaces the curator's announcement.
The release program `two-round` defines the queries, the decision rule and the release.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from ....crypto.entropy import entropy_of
from ....crypto.suites import suite
from ....errors import ParameterError
from ....protocol.board.strategies import final_release
from ....protocol.ideal import PeopleTable, run_through
from ....protocol.ideal_view import Answers, ideal_view
from ....protocol.knowledge.run_record import plain_rows
from ....protocol.knowledge.transcript import SUMMARY_ABOVE, Transcript
from ....protocol.peers.agreement import Agreement
from ....protocol.peers.view import PeerRecord
from ....protocol.wire.announcement import AnnouncedPolicy, Rules
from ....protocol.wire.messages import Call
from ....protocol.wire.parties import peer
from ....protocol.wire.schema import Schema
from ....roles import peer as role
from ....roles.network.instruments import Instrument, TranscriptRecorder
from ....roles.occasions import OccasionRecord, note_of
from ...attacks.catalogue.effects import measure_among_peers
from ...attacks.catalogue.occasions import Ended, unmet
from ...attacks.catalogue.registry import ATTACKS
from ...attacks.catalogue.scene import PeerScene
from ...attacks.faults.peer import Doing, Secrets, faulty_peer
from ...programs.interface import Mode, Played
from ...programs.peer_findings import PeersFound
from ...programs.peers.score import by_size
from ...schema.model import Mix
from .fault_schedule import present, struck_in
from .ideal import rows_of
from .ideal_outcome import imagined
from .session_plan import SessionPlan

NOBODY_LEAVES = (1 << 31) - 1  # min_dropout: so large that every missing peer aborts round 2


def agreement(
    name: str, schema: Schema, policy: AnnouncedPolicy, rules: Rules, mix: Mix
) -> Agreement:
    """Return the agreement of a session's peers: the parameters that all peers sign beforehand.

    name: the name of the scenario. policy, rules, mix: the limits on exposure, the rules of message
    transport, and the settings of the mix.
    """
    return Agreement(
        name,
        schema,
        replace(policy, publish_marginals=True),
        replace(rules, min_batch=max(rules.min_batch, mix.path + 1), min_dropout=NOBODY_LEAVES),
        suite(mix.suite).code,
        mix.path,
        mix.cover,
    )


def _agreement(plan: SessionPlan) -> Agreement:
    """Return the agreement (parameters that all peers sign) for a planned session."""
    return agreement(plan.name, plan.crowd.people.schema, plan.policy, plan.rules, plan.mix)


def play_peers(
    plan: SessionPlan,
    seed: int | None,
    mode: Mode,
    instruments: Sequence[Instrument] = (),
    report: Callable[[str], None] = lambda _: None,
) -> Played:
    """Return the outcome of a session of peers, with messages ("real") or without ("ideal").

    instruments: observers of the messages and events. report: receives lines on the progress.
    """
    if mode == "real":
        return _real(plan, seed, instruments, report)
    return _ideal(plan)


def cast_of(plan: SessionPlan, seed: int | None, secrets: Secrets | None = None) -> role.PeerCast:
    """Return the inputs of the peers of a session.

    secrets: receives the attackers' parts of the decryption key.
    """
    people = plan.crowd.people
    entropy = entropy_of(seed)
    rates = (entry.rate for entry in plan.attacks.entries if entry.rate is not None)
    rate = next(rates, 1.0)
    absent = struck_in(plan.faults, 1, ("absent",))
    seats = {
        peer(person): faulty_peer(
            {number: (_act(strike.attack), rate) for number, strike in strikes.items()},
            secrets,
            {number: note_of(strike.entry) for number, strike in strikes.items()},
        )
        for person, strikes in plan.faults.items()
    }
    return role.PeerCast(
        _agreement(plan),
        people.n,
        people.exact_values,
        plan.strategy,
        entropy,
        absent,
        seats,
    )


def _act(attack: str) -> Doing:
    """Return the action that carries out an attack by a peer; ParameterError if no peer can."""
    among = ATTACKS[attack].among_peers
    if among is None or among.act is None:
        raise ParameterError(f"{attack}: no peer commits it")
    return among.act


def _real(
    plan: SessionPlan,
    seed: int | None,
    instruments: Sequence[Instrument],
    report: Callable[[str], None],
) -> Played:
    """Return the outcome of a session of peers in which every message is posted on the board.

    instruments: observers of the messages and events. report: receives lines on the progress.
    """
    people = plan.crowd.people
    transcript, secrets = Transcript(people.n), Secrets()
    cast = cast_of(plan, seed, secrets)
    terms = cast.agreement
    occasions = OccasionRecord(
        # an absent peer sends nothing, so no event would record its fault as committed: it is
        # recorded here
        {plan.faults[person][1].entry for person in cast.absent}
    )
    reckoning = role.play_peers(
        cast, [TranscriptRecorder(transcript), occasions, *instruments], report
    )
    record = PeerRecord(transcript, reckoning)
    refused: Counter[str] = Counter()
    for refusal in transcript.refusals:
        refused[refusal.reason.value] += refusal.count
    tallies, calls = tuple(reckoning.tallies), tuple(reckoning.calls)
    peer_count = len(reckoning.board.keys)
    sizes = by_size(record, seed)
    ended = Ended(len(reckoning.calls), reckoning.burned, answered=peer_count > 0)
    return Played(
        calls,
        tallies,
        reckoning.decision,
        final_release(calls, tallies, reckoning.decision),
        reckoning.burned,
        dict(sorted(refused.items())),
        reckoning.board.digest(),
        record.view,
        transcript,
        record.truth,
        measure_among_peers(PeerScene(plan.attacks.entries, people, record, secrets)),
        peers=PeersFound(
            terms.encode().hex(), peer_count, terms.path, terms.onions, reckoning.charges, sizes
        ),
        unmet=unmet(plan.attacks, plan.faults, occasions.occasions, ended),
    )


def _ideal(plan: SessionPlan) -> Played:
    """Return the outcome of a session of peers without messages, from the table of people."""
    crowd, people, faults = plan.crowd, plan.crowd.people, plan.faults
    terms = _agreement(plan)

    def answering(call: Call) -> PeopleTable:
        """Return the table of the peers that answer a call (the query of a round)."""
        return PeopleTable(people.values, people.codes[present(crowd, faults, call.round)])

    ideal = run_through(
        *(plan.queries, people.schema, answering),
        *(terms.policy, terms.rules, plan.strategy),
    )

    def answers(call: Call) -> Answers:
        """Return the answers to a call (the query of a round): the rows of all present peers."""
        present_peers = present(crowd, faults, call.round)
        rows = rows_of(answering(call), call, present_peers)
        return Answers(rows, frozenset(rows), frozenset(rows))

    single = answers if people.n <= SUMMARY_ABOVE else None
    about = people.n, ideal, terms.policy, terms.path
    peer_count = len(present(crowd, faults, 1))
    return imagined(
        ideal,
        lambda members: ideal_view(*about, *members, public=True, answers=single),
        truth=plain_rows([answers(call).sealed_rows for call in ideal.posted]) if single else None,
        peers=PeersFound(terms.encode().hex(), peer_count, terms.path, terms.onions),
    )

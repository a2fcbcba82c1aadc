"""The byte strings that a coalition derives from observations: by opening, hashing, unlocking.

Each rule derives byte strings from a byte string:

    opens     the content of a layer, if a member has its key, or an audit has published the key of
              this layer
    unlocks   a ballot sealed to the joint key of a round, if the coalition has all shares of the
              secret key, posted or of members
    digest    the SHA-256 of an envelope, or the hash of a layer in an audit
    mark      the hash by which a reader shows that a locked ballot arrived
    body      the sealed bytes that are equal for all ballots with equal values, in the program
              that opens only values of k people (opened_groups.py)

An opened ballot also gives an answer: the query and its values. Rules apply until no new byte
string follows. Byte strings are not tried as keys, or guessed.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ...crypto.box_key import open_with
from ...crypto.joint_key import OVERHEAD
from ...errors import ParameterError, Reason, Refused
from ..knowledge.adversary_view import AdversaryView
from ..rounds.audit import layer_hash
from ..rounds.ballots import read_ballot
from ..rounds.locks import mark
from ..rounds.mixing import inside, open_envelopes, open_layers
from ..rounds.round_context import Round
from .opened_groups import Answer, groups_of

Says = tuple[int, Answer]  # number of a round, and an answer opened in it
Link = tuple[bytes, str, bytes]


@dataclass(slots=True)
class SearchKnowledge:
    """All byte strings that a coalition derives from its observations, and the answers in them.

    Attributes:
        links: (byte string, rule, byte string that follows from the first by this rule).
        answers: opened ballot -> (number of its round, its answer or the reason of its refusal).
    """

    links: list[Link] = field(default_factory=list)
    answers: dict[bytes, Says] = field(default_factory=dict)

    def traced(self) -> Mapping[bytes, Says]:
        """Return, for every byte string linked to an opened ballot, the answer in that ballot.

        Links join an envelope or layer to its content, a ballot to its hash, and a ballot sealed to
        a joint key to its plaintext. They are followed in both directions.
        """
        traced_answers = dict(self.answers)
        for _ in range(len(self.links)):
            size = len(traced_answers)
            for start, _, end in self.links:
                for source, target in ((start, end), (end, start)):
                    if source in traced_answers:
                        traced_answers.setdefault(target, traced_answers[source])
            if len(traced_answers) == size:
                break
        return traced_answers


def closure(
    view: AdversaryView, observed_bytes: Iterable[bytes], other_views: Iterable[AdversaryView] = ()
) -> SearchKnowledge:
    """Return all byte strings that a coalition derives from its observations, with their answers.

    view: the coalition's board and keys. observed_bytes: the byte strings that it saw. other_views:
    the board and keys of each session in which the coalition has shown a party another board.
    """
    knowledge = SearchKnowledge()
    atoms = set(observed_bytes)
    for each in (view, *other_views):
        _close(each, knowledge, atoms)
    return knowledge


def _close(view: AdversaryView, knowledge: SearchKnowledge, atoms: set[bytes]) -> None:
    """Add to `knowledge` and `atoms` all byte strings that follow in one session.

    atoms: the byte strings known so far. knowledge: collects the derivations and answers.
    """
    for number in range(1, len(view.board.calls) + 1):
        plan = view.plan(number)
        if plan is None:
            continue
        rules = _Rules(view, plan, knowledge, atoms)
        todo = sorted(atoms)
        while todo:
            data = todo.pop()
            for rule, derived_bytes in rules.applied(data):
                knowledge.links.append((data, f"{rule} {number}", derived_bytes))
                if derived_bytes not in atoms:
                    atoms.add(derived_bytes)
                    todo.append(derived_bytes)
        for group in groups_of(view, plan, rules.ballots):
            knowledge.links += [
                (group.ballot, f"body {at} {number}", body) for at, body in group.bodies
            ]
            if group.answer:
                knowledge.answers[group.ballot] = number, group.answer


@dataclass(slots=True)
class _Rules:
    """The derivation rules, applied to the byte strings of one round.

    Attributes:
        view: the coalition's board and keys.
        plan: the round.
        knowledge: collects the answers of opened ballots.
        atoms: the byte strings known so far.
        ballots: the opened ballots of a `threshold` round; their answers open only in groups of k
            people.
    """

    view: AdversaryView
    plan: Round
    knowledge: SearchKnowledge
    atoms: set[bytes]
    # opened ballots; in `threshold`, k people are needed to open the answers in them
    ballots: list[bytes] = field(default_factory=list)

    def applied(self, data: bytes) -> Iterator[tuple[str, bytes]]:
        """Yield (rule, byte string) for each byte string that follows from `data` in one step."""
        plan = self.plan
        size = len(data)
        if not plan.envelope or size == plan.envelope:
            yield from self._observed_hash("digest", hashlib.sha256(data).digest())
            yield from (("opens", onion) for onion in self._onions(data))
        if size in plan.inner[2:] or not plan.envelope:
            yield from self._observed_hash("digest", layer_hash(data))
            yield from self._layer(data)
        if plan.lock and size == plan.ballot + plan.token + OVERHEAD:
            yield from self._ballot(data)

    def _observed_hash(self, rule: str, hashed: bytes) -> Iterator[tuple[str, bytes]]:
        """Yield (rule, hash) if the coalition has observed this hash.

        A hash that it has not observed connects no two observations.
        """
        if hashed in self.atoms:
            yield rule, hashed

    def _onions(self, envelope: bytes) -> Iterator[bytes]:
        """Yield the onions of an envelope, if the coalition can open the envelope.

        It can if a member is the first shuffler, or an audit has published the envelope's key.
        """
        party = self.plan.openers[0]
        if party in self.view.keys:
            (onions,) = open_envelopes(self.plan, self.view.keys[party], [envelope])
            if not isinstance(onions, Reason):
                yield from onions
        plain = self._by_shown_key(1, envelope)
        if plain is not None:
            onions = inside(self.plan, envelope, plain)
            if not isinstance(onions, Reason):
                yield from onions

    def _layer(self, layer: bytes) -> Iterator[tuple[str, bytes]]:
        """Yield (rule, byte string) for the content of a layer, if the coalition can open it.

        Each shuffler, curator or analyst with layers of this size is tried.
        """
        last = len(self.plan.hops)
        for hop in range(2, last + 1):
            if self.plan.envelope and len(layer) != self.plan.inner[hop]:
                continue
            for plain in self._plains(hop, layer):
                yield "opens", plain
                if hop == last:
                    yield from self._ballot(plain)

    def _plains(self, hop: int, layer: bytes) -> Iterator[bytes]:
        """Yield the content of a layer, if the coalition has the key.

        The key is a member's secret key for this layer, or the key that an audit has published for
        the layer.
        """
        party = self.plan.openers[hop - 1]
        if party in self.view.keys:
            yield from open_layers(self.plan, hop, self.view.keys[party], [layer]).inside
        inner_layer = self._by_shown_key(hop, layer)
        if inner_layer is not None:
            yield inner_layer

    def _by_shown_key(self, hop: int, layer: bytes) -> bytes | None:
        """Return the content of a layer, opened with the key that an audit has published for it.

        None if no audit has. hop: the index of the layer's opener in the chain, from 1.
        """
        opened = self.view.board.audited.opened.get(self.plan.call.round, {}).get(hop)
        for link in opened.links if opened is not None else ():
            if link.layer == layer:
                at = self.plan.hops[hop - 1]
                return open_with(link.key, at.public, layer, at.context)
        return None

    def _ballot(self, plain: bytes) -> Iterator[tuple[str, bytes]]:
        """Yield (name of a derivation rule, derived bytes) for the plaintext of an innermost layer.

        The plaintext is a ballot, perhaps locked. If the ballot opens, its answer is added to the
        knowledge; a `threshold` ballot is stored instead, to be opened with equal ballots later.
        """
        if self.plan.lock:
            yield from self._observed_hash("mark", mark(self.plan, plain))
        ballot = self.view.inside(self.plan, plain)
        if ballot is None:
            return
        bare = self.plan.bare(ballot)
        if self.plan.lock:
            yield "unlocks", ballot
        if self.plan.shape is not None:
            self.ballots.append(ballot)
            return
        answer = _ballot_answer(self.plan, bare)
        if ballot not in self.knowledge.answers or not isinstance(answer, str):
            self.knowledge.answers[ballot] = self.plan.call.round, answer


def _ballot_answer(plan: Round, plain: bytes) -> Answer:
    """Return the query and the values of a ballot, or the reason of its refusal."""
    try:
        ballot = read_ballot(plan, plain)
    except Refused as refusal:
        return str(refusal.reason)
    except ParameterError:
        return "unreadable"
    return ballot.ask, ballot.values

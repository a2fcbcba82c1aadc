"""The byte strings that a coalition derives from observed ones: by opening, hashing, unlocking.

    opens     a member has the key of the layer, or an audit has shown the key of this one
    unlocks   all shares of the lock of a round are shown or held by members
    digest    SHA-256 of an envelope; hash of a layer in an audit; mark of a locked ballot
    says      an opened ballot answers a question with these values
    body      a ballot that k people open is of the group with this body (opened_groups.py)

Rules apply until no new byte string follows. Byte strings are not tried as keys, or guessed.
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
    """All byte strings that a coalition derives from its observations.

    Attributes:
        links: (byte string, rule, byte string that follows from the first by this rule).
        answers: opened ballot -> round and its answer.
    """

    links: list[Link] = field(default_factory=list)
    answers: dict[bytes, Says] = field(default_factory=dict)

    def traced(self) -> Mapping[bytes, Says]:
        """Return, for every byte string that leads to an opened ballot, the answer in that ballot.

        Hashes of locked ballots lead to their ballots, and layers to their contents.
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
    """Return all byte strings that follow from observations with the keys of a coalition.

    other_views: the views of sessions in which the coalition has shown a party another board.
    """
    knowledge = SearchKnowledge()
    atoms = set(observed_bytes)
    for each in (view, *other_views):
        _close(each, knowledge, atoms)
    return knowledge


def _close(view: AdversaryView, knowledge: SearchKnowledge, atoms: set[bytes]) -> None:
    """Add to `knowledge` and `atoms` all byte strings that follow in one session.

    atoms: the byte strings known so far.
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
        knowledge: collects the results.
        atoms: the byte strings known so far.
        ballots: the opened ballots.
    """

    view: AdversaryView
    plan: Round
    knowledge: SearchKnowledge
    atoms: set[bytes]
    # opened ballots; in `threshold`, k people are needed to open the answers in them
    ballots: list[bytes] = field(default_factory=list)

    def applied(self, data: bytes) -> Iterator[tuple[str, bytes]]:
        """Yield the byte strings that follow from a byte string in one step, after their rule."""
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
        """Yield a hash, after its rule, if the coalition has seen it: only then it gives a link."""
        if hashed in self.atoms:
            yield rule, hashed

    def _onions(self, envelope: bytes) -> Iterator[bytes]:
        """Yield the onions of an envelope if a member has its key, or an audit has shown it."""
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
        """Yield the content of a layer, at every hop where the coalition can open it."""
        last = len(self.plan.hops)
        for hop in range(2, last + 1):
            if self.plan.envelope and len(layer) != self.plan.inner[hop]:
                continue
            for plain in self._plains(hop, layer):
                yield "opens", plain
                if hop == last:
                    yield from self._ballot(plain)

    def _plains(self, hop: int, layer: bytes) -> Iterator[bytes]:
        """Yield the content of a layer, by its hop's key or the key that an audit has shown."""
        party = self.plan.openers[hop - 1]
        if party in self.view.keys:
            yield from open_layers(self.plan, hop, self.view.keys[party], [layer]).inside
        inner_layer = self._by_shown_key(hop, layer)
        if inner_layer is not None:
            yield inner_layer

    def _by_shown_key(self, hop: int, layer: bytes) -> bytes | None:
        """Return the content of a layer, by the key that an audit has shown for it.

        None without a key.
        """
        opened = self.view.board.audited.opened.get(self.plan.call.round, {}).get(hop)
        for link in opened.links if opened is not None else ():
            if link.layer == layer:
                at = self.plan.hops[hop - 1]
                return open_with(link.key, at.public, layer, at.context)
        return None

    def _ballot(self, plain: bytes) -> Iterator[tuple[str, bytes]]:
        """Yield the byte strings that follow from the content of the innermost layer."""
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
    """Return the query and the values of a ballot, or the reason why it has no values."""
    try:
        ballot = read_ballot(plan, plain)
    except Refused as refusal:
        return str(refusal.reason)
    except ParameterError:
        return "unreadable"
    return ballot.ask, ballot.values

"""The view of a coalition in an ideal run: its knowledge if the mix network were ideal.

An ideal mix links an answer to its sender only for a coalition that has all keys of the mix. A
coalition knows

* the counts that a member reads, also of a round that was aborted after it was read, and the public
  counts;
* the answers of a round, person by person, if all shufflers and the reader of the round are
  members. In a verified mix with public counts all shufflers are enough, since the curator or
  analyst posts its decryption shares. If users submit only once, all shufflers and the analyst are
  enough, too;
* the answers of its own users, whether or not they were counted;
* the users with counted answers, if a member sees the names of respondents (`View.sees_who`).

A run with messages gives the same view (`ViewedRun.view`) if batches are sorted, messages padded
and no round audited. Otherwise order, length and audits reveal properties of messages, which an
ideal run does not have.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .ideal import Ideal
from .knowledge.opened_views import PersonalRecord, as_opened, opened_counts, tries_all
from .knowledge.run_record import CountsSeen, nearest
from .knowledge.transcript import Row, Transcript
from .knowledge.view import CERTIFIED, View, certified_counts
from .rounds.opened_prefixes import by_prefixes, closes_further
from .wire import parties
from .wire.announcement import AnnouncedPolicy, Setting
from .wire.commitment import commits, may_open, public_part
from .wire.messages import Call, Counts, Decision
from .wire.parties import Role

PEOPLE = (Role.USER, Role.PEER)  # the roles of people who answer


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers of an ideal round, person by person; persons are numbered from 0.

    Attributes:
        sealed_rows: by person, the row that the person sealed.
        senders: the users that submitted their row.
        respondents: the users with answers that reached the curator or analyst.
    """

    sealed_rows: Mapping[int, Row]
    senders: frozenset[int]
    respondents: frozenset[int]


def ideal_view(
    users: int,
    ideal: Ideal,
    policy: AnnouncedPolicy,
    shufflers: int,
    *members: str,
    uses_tokens: bool = False,
    public: bool = False,
    once: bool = False,
    whole: Counts | None = None,
    answers: Callable[[Call], Answers] | None = None,
    domains: tuple[int | None, ...] = (),
    verified: bool = False,
) -> View:
    """Return the view of a coalition in an ideal run, in all rounds that users were shown.

    Args:
        users: number of people in the session.
        ideal: the outcome.
        policy: the announced limits of the release.
        shufflers: the number of shufflers.
        members: the parties of the coalition.
        uses_tokens: whether users ask curator and analyst for tokens (blind credentials).
        public: whether the names of respondents are public.
        once: whether users submit once, in ballots for curator and analyst.
        whole: the counts of whole rows, if only values open that k people share; None: all rows
            open.
        answers: returns the answers of a call (a round's query), person by person; None: the run
            records no single people (summary form).
        domains: if rows open in part, the size of each column's domain; None: infinite.
        verified: whether every step of the mix is proved.
    """
    coalition = frozenset(members)
    public_rounds = _public_rounds(ideal, policy) if verified else set()
    linkers = _linkers(ideal, shufflers, public_rounds, once=once)
    broken = [call for call in ideal.posted if any(map(coalition.issuperset, linkers[call.round]))]
    counted = tuple(_counted(ideal, policy, coalition))
    rounds, linked = _rounds(ideal, answers, broken, coalition)
    linked, counted = _opened(policy, coalition, linked, counted, whole, rounds)
    return View(
        coalition,
        users,
        policy.setting is Setting.FIXED,
        linked,
        counted,
        _opened_layers(linkers, coalition, in_turn=not verified),
        {call.round: _columns(call) for call in broken if answers is None},
        Transcript(users, summary=answers is None),
        rounds.respondents,
        decision=_decision(ideal, policy, coalition),
        certified=_certified(ideal, policy, coalition),
        uses_tokens=uses_tokens,
        public=public,
        threshold=whole is not None,
        prefixes=by_prefixes(policy.rule),
        domains=domains,
    )


def _opened_layers(
    linkers: Mapping[int, list[tuple[str, ...]]], coalition: frozenset[str], *, in_turn: bool
) -> dict[int, tuple[int, int]]:
    """Return, by round, the number of layers that a coalition can open, and of all layers.

    In a verified mix, these are the keyholders (the shufflers, and the curator or analyst) in the
    coalition, and all that are needed to link answers. linkers: by round, the sets of parties that
    together link all answers. in_turn: whether layers open from the outside; False for a verified
    mix.
    """
    opened = {}
    for number, sets in linkers.items():
        openers = nearest(sets, coalition)
        layers = _depth(openers, coalition) if in_turn else len(coalition.intersection(openers))
        opened[number] = layers, len(openers)
    return opened


def _linkers(
    ideal: Ideal, shufflers: int, public: Collection[int], *, once: bool
) -> dict[int, list[tuple[str, ...]]]:
    """Return, by round, the sets of parties that together can link all answers to their senders.

    The parties of a set are in the order in which they open layers. public: rounds in which the
    curator or analyst has posted its decryption shares, so that it is not needed. once: whether
    users submit only in round 1; then the analyst's key opens the ballots of round 1, too.
    """
    chain = tuple([parties.shuffler(hop + 1) for hop in range(shufflers)])
    linkers = {}
    for call in ideal.posted:
        linkers[call.round] = [chain if call.round in public else (*chain, call.reader.value)]
        if once and call.reader is not Role.ANALYST:
            linkers[call.round].append((*chain, parties.ANALYST))
    return linkers


def _public_rounds(ideal: Ideal, policy: AnnouncedPolicy) -> set[int]:
    """Return the rounds of a verified mix in which curator or analyst opened public counts."""
    return {
        call.round
        for call in ideal.posted
        if (policy.publish_marginals or call.reader is Role.ANALYST)
        and (call != ideal.burned_call or ideal.burned_counts is not None)
    }


def _rounds(
    ideal: Ideal,
    answers: Callable[[Call], Answers] | None,
    broken: Sequence[Call],
    coalition: frozenset[str],
) -> tuple[PersonalRecord, Mapping[int, Mapping[int, Row]]]:
    """Return the answers of all rounds, and the rows that a coalition links to people.

    broken: the calls (queries of rounds) in which the coalition links all answers. Both results are
    empty if `answers` is None, because then the run records no single people.
    """
    if answers is None:
        return PersonalRecord({}, {}), {}
    answers_by_round = {call.round: answers(call) for call in ideal.posted}
    linked = _linked(answers_by_round, {call.round for call in broken}, coalition)
    rows_by_round = {number: each.sealed_rows for number, each in answers_by_round.items()}
    return PersonalRecord(rows_by_round, _respondents(ideal, answers_by_round)), linked


def _opened(
    policy: AnnouncedPolicy,
    coalition: frozenset[str],
    linked: Mapping[int, Mapping[int, Row]],
    counted: tuple[CountsSeen, ...],
    whole: Counts | None,
    rounds: PersonalRecord,
) -> tuple[Mapping[int, Mapping[int, Row]], tuple[CountsSeen, ...]]:
    """Return a coalition's links and counts, reduced to the values that k people share.

    linked: rows by round and person. counted: counts in the view. whole: the counts of whole rows;
    None: the program opens all rows, and links and counts are returned unchanged. rounds: the
    answers of all people; empty if the run records no single people.
    """
    if whole is None:
        return linked, counted
    if rounds.rows_by_round:
        return as_opened(rounds, coalition, linked, counted, policy)
    rows = tuple(
        CountsSeen(counts_seen.round, counts_seen.columns, whole) for counts_seen in counted
    )
    if tries_all(coalition):
        return linked, (*counted, *rows)
    if parties.ANALYST in coalition and closes_further(policy.rule):
        return linked, tuple(opened_counts(counts_seen, policy) for counts_seen in rows)
    return linked, counted


def _counted(
    ideal: Ideal, policy: AnnouncedPolicy, coalition: frozenset[str]
) -> Iterator[CountsSeen]:
    """Yield the counts in a coalition's view: the counts that members read, and public counts."""
    for call, tally in zip(ideal.calls, ideal.tallies, strict=True):
        if call.reader in coalition or call.reader is Role.ANALYST or policy.publish_marginals:
            yield from _counts_seen(call, tally)
    if ideal.burned_call and ideal.burned_counts and ideal.burned_call.reader in coalition:
        yield from _counts_seen(ideal.burned_call, ideal.burned_counts)


def _decision(ideal: Ideal, policy: AnnouncedPolicy, coalition: frozenset[str]) -> Decision | None:
    """Return the curator's decision, as a coalition knows it; None without a decision.

    If no member has the certificate (the proof of the bound), the bound is the announced limit.
    """
    if ideal.decision is None or coalition & CERTIFIED or not _closed(ideal, policy):
        return ideal.decision
    return public_part(policy, ideal.decision)


def _certified(
    ideal: Ideal, policy: AnnouncedPolicy, coalition: frozenset[str]
) -> tuple[CountsSeen, ...]:
    """Return the counts that prove the decision, if a coalition knows only their proof.

    Only the analyst holds the proof (the certificate) without the counts. Empty if the board
    reveals the certificate, because it then adds no knowledge to the release.
    """
    if not _closed(ideal, policy):
        return ()
    curator_counts = (
        counts_seen
        for call, tally in zip(ideal.calls, ideal.tallies, strict=True)
        if call.reader is Role.CURATOR
        for counts_seen in _counts_seen(call, tally)
    )
    return certified_counts(ideal.decision, coalition, curator_counts)


def _closed(ideal: Ideal, policy: AnnouncedPolicy) -> bool:
    """Whether the certificate (the proof of the decision) is never revealed on the board."""
    if ideal.decision is None or not commits(policy, ideal.decision):
        return False
    totals = (sum(counts.values()) for tally in ideal.tallies for counts in tally)
    released = ideal.burned is None and bool(ideal.calls) and ideal.calls[-1].reader is Role.ANALYST
    return not (released and may_open(policy, ideal.decision.hidden, totals))


def _counts_seen(call: Call, tally: tuple[Counts, ...]) -> Iterator[CountsSeen]:
    """Yield the counts of a round: an item for each set of columns in its call (query)."""
    for columns, counts in zip(call.asks, tally, strict=True):
        yield CountsSeen(call.round, columns, counts, call.hidden)


def _linked(
    answers_by_round: Mapping[int, Answers], broken: set[int], coalition: frozenset[str]
) -> dict[int, Mapping[int, Row]]:
    """Return, by round and person, the values that a coalition links to that person.

    answers_by_round: the answers of all people. broken: the rounds in which the coalition links all
    answers. In other rounds it knows only the answers of its own users.
    """
    mine = {parties.index(party) for party in coalition if parties.role(party) in PEOPLE}
    linked: dict[int, Mapping[int, Row]] = {}
    for number, each in answers_by_round.items():
        submitted_rows = {
            user: row for user, row in each.sealed_rows.items() if user in each.senders
        }
        rows = submitted_rows if number in broken else {}
        rows |= {user: each.sealed_rows[user] for user in mine if user in each.sealed_rows}
        if rows:
            linked[number] = rows
    return linked


def _respondents(
    ideal: Ideal, answers_by_round: Mapping[int, Answers]
) -> dict[tuple[int, tuple[int, ...]], frozenset[int]]:
    """Return, by round and query, the users with answers that reached the curator or analyst.

    A query without counts is left out. answers_by_round: the answers of all people.
    """
    read = ideal.posted if ideal.burned_counts is not None else ideal.calls
    return {
        (call.round, columns): answers_by_round[call.round].respondents
        for call in read
        for columns in call.asks
        if answers_by_round[call.round].respondents
    }


def _depth(openers: tuple[str, ...], coalition: frozenset[str]) -> int:
    """Return the number of layers of a submission that a coalition can open, from the outside.

    openers: the party that opens each layer, outermost first.
    """
    closed = (depth for depth, opener in enumerate(openers) if opener not in coalition)
    return next(closed, len(openers))


def _columns(call: Call) -> tuple[int, ...]:
    """Return the columns of all queries of a call, ascending."""
    return tuple(sorted({column for ask in call.asks for column in ask}))

"""The view of a coalition in an ideal run: what it would know, were the mix network ideal.

An ideal mix links nothing but what keys and members link. A coalition knows

* the counts that a member reads, also of a round that was burned after it was read, and those that
  are public;
* where all shufflers of a round and its reader are members, the answers of that round, person by
  person, of all who handed one in;
* what its own users said, whether or not it was counted;
* whose answers were counted, if a member sees who takes part (`View.sees_who`).

That is `Record.view` of a run with messages (view.py), where batches are sorted, messages padded
and nothing audited: what order, length and audits tell is about messages, of which there are none.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from . import parties
from .announcement import Policy, Setting
from .commitment import commits, may_open, public_part
from .ideal import Ideal
from .messages import Call, Counts, Decision
from .opened_prefixes import by_prefixes, closes_further
from .opened_views import PersonalRecord, as_opened, opened_counts, tries_all
from .parties import Role
from .record import CountsSeen
from .transcript import Row, Transcript
from .view import CERTIFIED, View, certified_counts

PEOPLE = (Role.USER, Role.PEER)  # the parties who answer


@dataclass(frozen=True, slots=True)
class Answers:
    """One round of an ideal session, person by person, by index.

    Attributes:
        made: what each user sealed.
        sent: the users who handed in what they sealed.
        came: the users whose answers reached the reader.
    """

    made: Mapping[int, Row]
    sent: frozenset[int]
    came: frozenset[int]


def ideal_view(
    users: int,
    ideal: Ideal,
    policy: Policy,
    shufflers: int,
    *members: str,
    asked: bool = False,
    public: bool = False,
    whole: Counts | None = None,
    answers: Callable[[Call], Answers] | None = None,
    domains: tuple[int | None, ...] = (),
) -> View:
    """Return the view of these parties of the calls that people were shown.

    Args:
        users: people of the session.
        ideal: what came of it.
        policy: as announced.
        shufflers: how many.
        members: the parties.
        asked: whether people ask curator and analyst for tokens.
        public: whether everybody sees who takes part.
        whole: where only what k people share is opened, the counts of whole rows.
        answers: gives those of a call, person by person; None: the summary form, without people.
        domains: where rows open, the number of values of each column; None: without end.
    """
    coalition = frozenset(members)
    openers = _openers(ideal, shufflers)
    broken = [call for call in ideal.posted if coalition.issuperset(openers[call.round])]
    counted = tuple(_counted(ideal, policy, coalition))
    rounds, linked = _rounds(ideal, answers, broken, coalition)
    linked, counted = _opened(policy, coalition, linked, counted, whole, rounds)
    return View(
        coalition,
        users,
        policy.setting is Setting.FIXED,
        linked,
        counted,
        _opened_layers(openers, coalition),
        {call.round: _columns(call) for call in broken if answers is None},
        Transcript(users, summary=answers is None),
        rounds.came,
        decision=_decision(ideal, policy, coalition),
        certified=_certified(ideal, policy, coalition),
        asked=asked,
        public=public,
        threshold=whole is not None,
        prefixes=by_prefixes(policy.rule),
        domains=domains,
    )


def _opened_layers(
    openers: Mapping[int, tuple[str, ...]], coalition: frozenset[str]
) -> dict[int, tuple[int, int]]:
    """Return per round how many layers of a submission a coalition can open, of how many."""
    return {number: (_depth(chain_, coalition), len(chain_)) for number, chain_ in openers.items()}


def _openers(ideal: Ideal, shufflers: int) -> dict[int, tuple[str, ...]]:
    """Per round, the party that opens each layer of a submission, outermost first."""
    chain = [parties.shuffler(hop + 1) for hop in range(shufflers)]
    return {call.round: (*chain, call.reader.value) for call in ideal.posted}


def _rounds(
    ideal: Ideal,
    answers: Callable[[Call], Answers] | None,
    broken: Sequence[Call],
    coalition: frozenset[str],
) -> tuple[PersonalRecord, Mapping[int, Mapping[int, Row]]]:
    """Return the answers of all rounds, and the rows that members link to people."""
    if answers is None:
        return PersonalRecord({}, {}), {}
    said = {call.round: answers(call) for call in ideal.posted}
    linked = _linked(said, {call.round for call in broken}, coalition)
    made = {number: each.made for number, each in said.items()}
    return PersonalRecord(made, _came(ideal, said)), linked


def _opened(
    policy: Policy,
    coalition: frozenset[str],
    linked: Mapping[int, Mapping[int, Row]],
    counted: tuple[CountsSeen, ...],
    whole: Counts | None,
    rounds: PersonalRecord,
) -> tuple[Mapping[int, Mapping[int, Row]], tuple[CountsSeen, ...]]:
    """What is linked and counted where only what k people share opens. No rounds: a summary.

    whole: None where everything opens.
    """
    if whole is None:
        return linked, counted
    if rounds.rows_by_round:
        return as_opened(rounds, coalition, linked, counted, policy)
    rows = tuple(CountsSeen(seen.round, seen.columns, whole) for seen in counted)
    if tries_all(coalition):
        return linked, (*counted, *rows)
    if parties.ANALYST in coalition and closes_further(policy.rule):
        return linked, tuple(opened_counts(seen, policy) for seen in rows)
    return linked, counted


def _counted(ideal: Ideal, policy: Policy, coalition: frozenset[str]) -> Iterator[CountsSeen]:
    """The counts that members read, and those on the board."""
    for call, tally in zip(ideal.calls, ideal.tallies, strict=True):
        if call.reader in coalition or call.reader is Role.ANALYST or policy.publish_marginals:
            yield from _seen(call, tally)
    if ideal.burned_call and ideal.burned_counts and ideal.burned_call.reader in coalition:
        yield from _seen(ideal.burned_call, ideal.burned_counts)


def _decision(ideal: Ideal, policy: Policy, coalition: frozenset[str]) -> Decision | None:
    """Return the decision, with the announced bound where no member holds the certificate."""
    if ideal.decision is None or coalition & CERTIFIED or not _closed(ideal, policy):
        return ideal.decision
    return public_part(policy, ideal.decision)


def _certified(ideal: Ideal, policy: Policy, coalition: frozenset[str]) -> tuple[CountsSeen, ...]:
    """Return the counts behind a certificate that the analyst holds and the board does not show."""
    if not _closed(ideal, policy):
        return ()
    heard = (
        seen
        for call, tally in zip(ideal.calls, ideal.tallies, strict=True)
        if call.reader is Role.CURATOR
        for seen in _seen(call, tally)
    )
    return certified_counts(ideal.decision, coalition, heard)


def _closed(ideal: Ideal, policy: Policy) -> bool:
    """Whether the certificate is still closed at the end of the session."""
    if ideal.decision is None or not commits(policy, ideal.decision):
        return False
    totals = (sum(counts.values()) for tally in ideal.tallies for counts in tally)
    released = ideal.burned is None and bool(ideal.calls) and ideal.calls[-1].reader is Role.ANALYST
    return not (released and may_open(policy, ideal.decision.hidden, totals))


def _seen(call: Call, tally: tuple[Counts, ...]) -> Iterator[CountsSeen]:
    for columns, counts in zip(call.asks, tally, strict=True):
        yield CountsSeen(call.round, columns, counts, call.hidden)


def _linked(
    said: Mapping[int, Answers], broken: set[int], coalition: frozenset[str]
) -> dict[int, Mapping[int, Row]]:
    """Per round and person the values that a coalition links to that person."""
    mine = {parties.index(party) for party in coalition if parties.role(party) in PEOPLE}
    linked: dict[int, Mapping[int, Row]] = {}
    for number, each in said.items():
        known = {user: row for user, row in each.made.items() if user in each.sent}
        rows = known if number in broken else {}
        rows |= {user: each.made[user] for user in mine if user in each.made}
        if rows:
            linked[number] = rows
    return linked


def _came(
    ideal: Ideal, said: Mapping[int, Answers]
) -> dict[tuple[int, tuple[int, ...]], frozenset[int]]:
    """Per round and question that was read, the users whose answers reached the reader."""
    read = ideal.posted if ideal.burned_counts is not None else ideal.calls
    return {
        (call.round, columns): said[call.round].came
        for call in read
        for columns in call.asks
        if said[call.round].came
    }


def _depth(openers: tuple[str, ...], coalition: frozenset[str]) -> int:
    """How many layers of a submission a coalition can open, from the outside."""
    closed = (depth for depth, opener in enumerate(openers) if opener not in coalition)
    return next(closed, len(openers))


def _columns(call: Call) -> tuple[int, ...]:
    return tuple(sorted({column for ask in call.asks for column in ask}))

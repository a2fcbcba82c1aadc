"""The report of a run: what went round, what was decided, what was released, who is exposed."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from textwrap import fill
from typing import TYPE_CHECKING

from ...scenarios.populations.coarser import coarser_lines
from ...scenarios.programs.registry import program_of
from ...scenarios.verification.views import breaking
from ...scenarios.wording import audited
from . import peers as peers_text
from . import reidentification as found_text
from .cheating import WIDTH
from .layout import Grid, Page, clean, lay_out, many, page, percent, say, show
from .warnings import warnings

if TYPE_CHECKING:
    from ...protocol.messages import Counts
    from ...scenarios.programs.interface import Considered, Effect
    from ...scenarios.scoring.outcome import Outcome

VALUES = 5  # of a feature, told one by one
SETS = 15  # of columns, told one by one
CELLS = 20  # of a release


def tell(outcome: "Outcome") -> None:
    """Print the report."""
    console = page()
    head(console, outcome)
    program = program_of(outcome.scenario)
    if program.reports:
        show(console, program.summary(outcome))
    else:
        _first_round(console, outcome)
        show(console, program.summary(outcome))
        _decision(console, outcome)
        _second_round(console, outcome)
    _scores(console, outcome)
    for line in peers_text.named(outcome.peers) if outcome.peers else ():
        say(console, clean(line), style="bold red")
    if remark := program.remark():
        say(console, clean(remark), style="dim")
    if outcome.reidentification:
        say(console, found_text.NOTE, style="dim")
    for line in _notes(outcome):
        say(console, line)


def randomized(outcome: "Outcome") -> bool:
    """Whether people randomized what they said."""
    return program_of(outcome.scenario).reports


def head(console: Page, outcome: "Outcome") -> None:
    """Print who takes part, and whether any of it is secret."""
    scenario = outcome.scenario
    parts = [
        _people(outcome),
        many(len(outcome.sizes), program_of(scenario).unit),
        f"all of them peers, paths of {scenario.mix.path}"
        if outcome.peers
        else many(scenario.mix.shufflers, "shuffler"),
        "system randomness"
        if outcome.seed is None
        else f"seed {outcome.seed} (seeded: reproducible, not secret)",
    ]
    say(console, f"{scenario.scenario.name}  {', '.join(parts)}")
    for line in warnings(scenario):
        say(console, f"!! {line}", style="bold red")
    if outcome.mode == "ideal":
        say(console, "   ideal: the questions are answered without a message", style="yellow")


def _people(outcome: "Outcome") -> str:
    said = many(outcome.users, *program_of(outcome.scenario).member)
    first, second = asked(outcome)
    if outcome.users == first:
        return said
    return f"{said} ({first:,} in round 1, {second:,} others in round 2)"


def asked(outcome: "Outcome") -> tuple[int, int]:
    """How many people each round asks: the same ones, or in the statistical setting others."""
    section = outcome.scenario.population
    first = section.users or outcome.users
    fixed = section.setting == "fixed"
    return (outcome.users, outcome.users) if fixed else (first, outcome.users - first)


def _first_round(console: Page, outcome: "Outcome") -> None:
    if outcome.marginals is None:
        say(console, f"  round 1  burned: {outcome.burned}\n", style="bold red")
        return
    ballots = sum(sum(count.values()) for count in outcome.marginals)
    say(console, f"  round 1  {_onions(outcome, ballots)} -> {_reader(outcome, 'curator')}")
    say(console)
    rows = [
        (name, _values(counts), f"{min(counts.values(), default=0):,}")
        for name, counts in zip(outcome.schema.names, outcome.marginals, strict=True)
    ]
    lay_out(console, Grid(("feature", "values (share)", "smallest group"), rows, (2,)))
    say(console)


def _onions(outcome: "Outcome", number: int) -> str:
    return many(number, "answer" if outcome.mode == "ideal" else "onion")


def _values(counts: "Counts") -> str:
    """Values with their shares: all in order if they are few, else the most frequent."""
    people = sum(counts.values()) or 1
    held = sorted(counts.items())
    shown = held
    if len(held) > VALUES:
        shown = sorted(held, key=lambda item: -item[1])[: VALUES - 1]
    said = [f"{values[0]} {percent(number / people)}" for values, number in shown]
    if len(held) > len(shown):
        rest = percent(sum(n for _, n in held if (_, n) not in shown) / people)
        said.append(f"and {len(held) - len(shown):,} more {rest}")
    return "  ".join(said)


def _decision(console: Page, outcome: "Outcome") -> None:
    if outcome.decision is None:
        return
    policy = outcome.scenario.policy
    program = program_of(outcome.scenario)
    if program.fixed_columns(policy, outcome.schema) is not None:
        say(
            console,
            f"{_reader(outcome, 'curator')}: releases the columns it was told to "
            f"({policy.kind}), at any bound",
        )
    else:
        say(
            console,
            f"{_reader(outcome, 'curator')}: at most {percent(policy.max_exposure)} of people may "
            f"hide in a crowd smaller than k = {policy.k}{_confidence(outcome)}",
        )
    if not outcome.considered:
        return
    sets = list(shown(outcome.considered, outcome.kept))
    rows = [
        (
            " x ".join(choice.columns),
            percent(choice.promised),
            choice.rule,
            _verdict(choice, outcome),
        )
        for choice in sets
    ]
    say(console)
    lay_out(console, Grid(("columns", "promised exposure", "by", "decision"), rows, (1,)))
    if len(sets) < len(outcome.considered):
        rest = len(outcome.considered) - len(sets)
        say(
            console,
            f" and {rest} more sets: each inside a safe one, or around one that is not",
            style="dim",
        )
    for line in (*program.explained(outcome), *_explanations(outcome)):
        say(console, clean(line))


def _confidence(outcome: "Outcome") -> str:
    """How sure a promise is that was made for people nobody has counted."""
    if outcome.scenario.population.setting == "fixed":
        return ""
    return f" (promised for other people, with confidence {1 - outcome.scenario.policy.delta:g})"


def _explanations(outcome: "Outcome") -> "Iterator[str]":
    """What it would take to release each column that is not released."""
    if outcome.dropped:
        yield ""
    for dropped in outcome.dropped:
        if dropped.forbidden:
            promise = percent(dropped.promised)
            yield f"{dropped.column} is forbidden; with it {promise} could be promised"
            continue
        # k = 1 promises nobody anything: that is no advice
        crowd = f", or k = {dropped.largest_k} or less," if (dropped.largest_k or 0) > 1 else ""
        yield (
            f"with {dropped.column} only {percent(dropped.promised)} could be promised: "
            f"max_exposure = {ceil(dropped.promised * 10_000) / 10_000:g}{crowd} would admit it"
        )


def _verdict(choice: "Considered", outcome: "Outcome") -> str:
    if choice.columns == outcome.kept:
        return "released" if outcome.released else "chosen"
    return "safe" if choice.safe else "suppress"


def shown(considered: "Sequence[Considered]", kept: tuple[str, ...]) -> "Iterator[Considered]":
    """All sets if they are few; else the largest safe and smallest unsafe, and the kept one."""
    if len(considered) <= SETS:
        yield from considered
        return
    safe = [set(choice.columns) for choice in considered if choice.safe]
    unsafe = [set(choice.columns) for choice in considered if not choice.safe]
    for choice in considered:
        columns = set(choice.columns)
        edge = (
            not any(columns < other for other in safe)
            if choice.safe
            else not any(other < columns for other in unsafe)
        )
        if edge or choice.columns == kept:
            yield choice


def _second_round(console: Page, outcome: "Outcome") -> None:
    if outcome.decision is None:
        if outcome.marginals is not None:
            say(console, f"  {_last(outcome)}  burned: {outcome.burned}", style="bold red")
            say(console)
        return
    suppressed = f"   suppressed: {', '.join(outcome.suppressed)}" if outcome.suppressed else ""
    say(console)
    if not outcome.kept:
        line = f"  {_last(outcome)}  none: no column is safe enough{suppressed}"
        say(console, line, style="bold red")
    elif outcome.release is None:
        say(console, f"  {_last(outcome)}  burned: {outcome.burned}", style="bold red")
    else:
        people = sum(outcome.release.values())
        read = f"{_onions(outcome, people)} -> {_reader(outcome, 'analyst')}"
        line = f"  {_last(outcome)}  {read}   released: "
        say(console, line + ", ".join(outcome.kept) + suppressed)
        say(console)
        _release(console, outcome)
    say(console)


def _reader(outcome: "Outcome", party: str) -> str:
    """Who reads a round: that party, or among peers all of them."""
    return "everybody" if outcome.peers else party


def _last(outcome: "Outcome") -> str:
    """The round for the analyst."""
    return f"round {len(outcome.counted)}"


def _release(console: Page, outcome: "Outcome") -> None:
    release = outcome.release or {}
    cells = sorted(release.items())
    k = outcome.scenario.policy.k
    rows = [
        (*values, f"{people:,}", "< k" if people < k else "")
        for values, people in cells[: CELLS if len(cells) > CELLS + 2 else len(cells)]
    ]
    lay_out(console, Grid((*outcome.kept, "people", ""), rows, (len(outcome.kept),)))
    if len(rows) < len(cells):
        say(console, f" and {len(cells) - len(rows):,} more, all in release.csv", style="dim")


def _scores(console: Page, outcome: "Outcome") -> None:
    first = () if randomized(outcome) else _exposures(outcome)
    own = program_of(outcome.scenario).scores(outcome)
    rows = [*first, *own, *found_text.scores(outcome)]
    rows += peers_text.scores(outcome) if outcome.peers else [*_links(outcome)]
    rows += [
        (f"refused: {reason}", f"{number:,}", "messages that were not counted")
        for reason, number in outcome.refused.items()
    ]
    rows += [
        (f"attack: {effect.attack}", _achieved(effect), effect.unit) for effect in outcome.attacks
    ]
    rows += _alarms(outcome)
    rows += _ledger(outcome)
    lay_out(console, Grid(("score", "value", "meaning"), rows, (1,)))
    say(console)
    if outcome.peers is None:
        say(console, smallest(breaking(outcome.coalitions)))
        transcript = outcome.transcript
        recorded = transcript is not None and not transcript.summary
        for line in audited(audit=outcome.scenario.defence.audit, recorded=recorded):
            say(console, fill(line, WIDTH), style="dim")


def _achieved(effect: "Effect") -> str:
    """What an attack has achieved, of what it could."""
    whole = effect.value.is_integer() and effect.of.is_integer()
    achieved, most = (f"{x:,.0f}" if whole else f"{x:.2f}" for x in (effect.value, effect.of))
    return f"{achieved} of {most}"


def _alarms(outcome: "Outcome") -> Iterator[tuple[str, str, str]]:
    """Alarms by what they are about and who raised them; users are not named."""
    counted = Counter(
        (alarm.cause, "users" if alarm.party.startswith("user-") else alarm.party, alarm.borne_out)
        for alarm in outcome.alarms
    )
    for (cause, who, true), number in counted.items():
        kind = "alarm" if true else "false alarm"
        told = "" if true else "; the board does not bear it out"
        yield f"{kind}: {cause}", f"{number:,}", f"raised on the board by {who}{told}"


def _ledger(outcome: "Outcome") -> Iterator[tuple[str, str, str]]:
    """What the ledger says of these people."""
    kept = outcome.ledger
    if kept is None:
        return
    yield "ledger: sessions", f"{kept.sessions:,}", "of these people, this one included"
    yield "ledger: releases", f"{len(kept.releases):,}", "about them"
    if kept.spent is not None:
        limit = "not limited" if kept.spent.limit is None else f"of {kept.spent.limit:g}"
        meaning = f"nats over all runs, {limit}; whoever has spent most, this run included"
        yield "ledger: spent", f"{kept.spent.most:.4g}", meaning
    union = kept.union
    if union is not None:
        proven = "of all their columns together, from their cells: at least, at most"
        yield "exposed by all releases", f"{union.at_least:,} to {union.at_most:,}", proven
        if union.true is not None:
            crowd = f"in a crowd smaller than k = {union.k}"
            yield "", f"{union.true:,}", f"... in truth, of {union.people:,} people, {crowd}"
    for line in kept.warnings:
        yield "ledger warns", "1", line


def smallest(coalitions: Sequence[tuple[str, ...]]) -> str:
    """Say which coalitions link anyone, none of their parts does."""
    said = "; ".join(" + ".join(parties) for parties in coalitions) or "none of those looked at"
    return f"smallest coalitions that link anyone by watching: {said}"


def _exposures(outcome: "Outcome") -> Iterator[tuple[str, str, str]]:
    exposure = outcome.exposure
    if not outcome.released or outcome.decision is None:
        yield "true exposure Q(k/n)", "-", "nothing is released, so nobody is exposed by it"
        return
    true = "people in a crowd smaller than k in the release"
    yield "true exposure Q(k/n)", percent(exposure.true), true
    same = outcome.scenario.population.setting == "fixed"
    proved = (
        f"what {'everybody' if outcome.peers else 'the curator'} proved from {_grounds(outcome)}"
    )
    if not same:
        delta = outcome.scenario.policy.delta
        proved = f"of people nobody had counted; fails with probability {percent(delta)} at most"
    if exposure.promised > outcome.decision.certificate.value:
        proved = f"proved again of the {exposure.people:,} people who came"
    yield "promised", percent(exposure.promised), proved
    if exposure.true > exposure.promised:
        yield "promise", "BROKEN", "more people are exposed than was promised; verify fails"
    worst = exposure.worst_case
    if not same:
        yield "worst possible", "-", "the marginals are other people's"
    elif outcome.decision.hidden:
        yield "worst possible", "-", "values are left blank: another table than the marginals'"
    elif outcome.decision.certificate.proof:
        yield "worst possible", "-", "the curator knows more than the marginals"
    elif worst is None:
        yield "worst possible", "-", "not sought; --worst-case SECONDS seeks it"
    elif worst.found == worst.proven:
        share = percent(worst.proven / exposure.people)
        yield "worst possible", share, "over all tables with these marginals"
    else:
        low, high = (percent(people / exposure.people) for people in (worst.found, worst.proven))
        yield (
            "worst possible",
            f"{low} to {high}",
            f"over all tables with these marginals; {worst.why} (--worst-case SECONDS)",
        )


def _grounds(outcome: "Outcome") -> str:
    """What a promise was proved from."""
    if outcome.decision and any(outcome.decision.hidden):
        sure = f"; it may fail with probability {outcome.scenario.policy.delta:g}"
        covered = outcome.decision.certificate.slack is not None
        return "the marginals and its rules" + (sure if covered else "")
    return "all it was told" if len(outcome.counted) > 2 else "the marginals"


def _links(outcome: "Outcome") -> Iterator[tuple[str, str, str]]:
    shufflers = [f"shuffler-{hop + 1}" for hop in range(outcome.scenario.mix.shufflers)]
    whole = {1: "the shuffler", 2: "both shufflers"}.get(
        len(shufflers), f"all {len(shufflers)} shufflers"
    )
    lying = randomized(outcome)
    curator = "who reads nothing" if lying else "people whose values can be pinned on them"
    reader, reads = ("analyst", "reports") if lying else ("curator", "the release")
    for label, members, meaning in (
        ("linked by the curator alone", ["curator"], curator),
        ("... by the analyst alone", ["analyst"], f"who reads {reads}"),
        (f"... by {whole} alone", shufflers, "who see who sent, and not what"),
        (f"... by {reader} and {whole}", [reader, *shufflers], "the trust assumption, broken"),
    ):
        coalition = outcome.coalition(*members)
        yield label, f"{coalition.linked:,} of {coalition.users:,}", meaning


def _notes(outcome: "Outcome") -> Iterator[str]:
    for line in outcome.notes:
        yield f"data: {clean(line)}"
    for line in coarser_lines(outcome.scenario.feature):
        yield f"coarser: {clean(line)}"
    first, later = asked(outcome)
    for number, came in enumerate(outcome.counted, start=1):
        due = first if number == 1 else later
        if 0 < came < due:
            yield f"missing: {many(due - came, 'person', 'people')} not counted in round {number}"


def summary(outcomes: "Sequence[Outcome]") -> Mapping[tuple[str, ...], int]:
    """How often each set of columns was released, or estimates were; () is nothing."""
    return Counter(
        () if not outcome.released else ("estimates",) if randomized(outcome) else outcome.kept
        for outcome in outcomes
    )

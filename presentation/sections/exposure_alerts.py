"""Checks of a run for exposed people: small crowds, rare values, broken or vacuous bounds.

Each check yields alerts for the page of the run; a crowd is an equivalence class.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import UNSET

from ...number_text import first_few, people, percent, plural
from ...protocol.wire.hiding_rules import HIDDEN
from ..blocks import Alert
from ..equal_people import alike_lines

if TYPE_CHECKING:
    from ..presenters.page_facts import PageFacts


def broken(facts: "PageFacts") -> Iterator[Alert]:
    """Warn if more people are exposed than was promised."""
    exposure = facts.result.exposure
    if facts.crowds and exposure.true > exposure.promised:
        yield Alert(
            "serious",
            "broken",
            "The promise does not hold",
            f"{percent(exposure.true)} of people are in a crowd smaller than {facts.k}; "
            f"{percent(exposure.promised)} at most were promised.",
            _why_broken(facts),
            exposure.true,
        )


def _why_broken(facts: "PageFacts") -> str:
    """Return the explanation of a broken promise, with advice."""
    if not facts.run.scenario.defence.promise:
        return "The scenario switches off `defence.promise`, which keeps such a table back."
    return "Its reader should have kept it back: `veilmix verify` recomputes what was recorded."


def unanimous(facts: "PageFacts") -> Iterator[Alert]:
    """Warn of a column in which all people have the same value, so that it is known of each."""
    released = facts.released_counts
    for name in facts.result.features:
        printed = name in released
        counts = released[name] if printed else facts.result.marginals.get(name, {})
        values = [value for value, people in counts.items() if people]
        if len(values) != 1 or values[0] in HIDDEN:
            continue
        audience = "whoever reads the release" if printed else "whoever reads the counts"
        yield Alert(
            "serious",
            "unanimous",
            f"Everybody has the same {name}",
            f"All {sum(counts.values()):,} people have {values[0]!r} in column {name!r}: "
            f"{audience} "
            "knows it of each of them for certain, and needs to link nobody.",
            "Leave the column out, or ask people of whom some differ.",
            sum(counts.values()),
        )


def homogeneous(facts: "PageFacts") -> Iterator[Alert]:
    """Note people with a value that follows from another of their values.

    Such a value is known even of a person in a large crowd.
    """
    shared_values = facts.shared_values
    if shared_values.widest is not None:
        (line,) = (
            text
            for text in alike_lines(facts.released_columns, shared_values)
            if "follows from" in text
        )
        yield Alert(
            "note",
            "follows",
            f"{people(shared_values.followers)}: a value follows from another",
            f"{line} A large crowd does not hide what all of it have.",
            "",
            shared_values.followers,
        )


def rare_values(facts: "PageFacts") -> Iterator[Alert]:
    """Warn of values that fewer than k people have, in the release or in unreleased counts."""
    released = facts.released_counts
    for name in facts.result.features:
        printed = released.get(name, {})
        yield from _rare(facts, name, printed, "The release shows", serious=True)
        counts = facts.result.marginals.get(name, {})
        unprinted = {value: people for value, people in counts.items() if value not in printed}
        yield from _rare(facts, name, unprinted, _reader_text(facts), serious=False)


def _rare(
    facts: "PageFacts", name: str, counts: Mapping[str, int], source: str, *, serious: bool
) -> Iterator[Alert]:
    """Yield an alert if fewer than k people have some values of a column.

    name: the column. counts: people with each value. source: the first words of the alert, such as
    `The release shows`. serious: whether the alert is serious; otherwise it is a note.
    """
    rare = {value: people for value, people in counts.items() if 0 < people < facts.k}
    if rare:
        printed = [f"{_spelt(value)} ({people:,})" for value, people in sorted(rare.items())]
        # A person with several rows may have several rare values, so people cannot be added up.
        qualifier = "at most " if facts.result.several_rows and len(rare) > 1 else ""
        yield Alert(
            "serious" if serious else "note",
            "rare",
            f"{plural(len(rare), 'value')} of {name} held by fewer than k = {facts.k} people",
            f"{source} {first_few(printed)}: {qualifier}{people(sum(rare.values()))} without a "
            "crowd in this column alone.",
            "Merge rare values into one, or let the policy forbid the column." if serious else "",
            sum(rare.values()),
        )


def _spelt(value: str) -> str:
    """Return a value in quotes; the text of a suppressed (hidden) value without quotes."""
    return value.strip() if value in HIDDEN else repr(value)


def _reader_text(facts: "PageFacts") -> str:
    """Return the first words of an alert on unreleased counts: `The counts on the board show`, ...

    If the counts are not public, the words say that the curator read them.
    """
    public = facts.topology.public(facts.run.scenario.policy)
    return "The counts on the board show" if public else "The curator read, and did not release,"


def exposed(facts: "PageFacts") -> Iterator[Alert]:
    """Warn of people in combinations of the release that fewer than k people have.

    Release programs that open only shared rows are left out; `excluded` warns of their exposed
    people.
    """
    small = [people for people in facts.crowds if people < facts.k]
    # A release program that opens only rows of k people counts the unopened rows together in one
    # cell. Such a cell is no crowd of equal people, so its size shows no exposure.
    if small and not facts.opens:
        share = percent(facts.exposed / facts.released)
        yield Alert(
            "warning",
            "exposed",
            f"{people(facts.exposed)} in a crowd smaller than k = {facts.k}",
            f"{plural(len(small), 'combination')} of the release {_hold(len(small))} fewer than "
            f"{facts.k} people: {share} of those counted.",
            f"max_exposure = {facts.run.scenario.policy.max_exposure:g} allows "
            f"{percent(facts.run.scenario.policy.max_exposure)}.",
            facts.exposed,
        )


def excluded(facts: "PageFacts") -> Iterator[Alert]:
    """Warn of people with encrypted rows that are known by exclusion to be in a small crowd.

    The domain is public, so the reader knows that these people have no decrypted value.
    """
    if facts.opens and facts.exposed:
        share = percent(facts.exposed / facts.released)
        yield Alert(
            "warning",
            "excluded",
            f"{people(facts.exposed)} known by exclusion in a crowd smaller than k = {facts.k}",
            f"The domain is announced, and they have none of the open values: {share} of those "
            "counted.",
            'close = "published" in [policy] keeps further groups unpublished where that helps.',
            facts.exposed,
        )


def _hold(number: int) -> str:
    """Return the verb `hold` in the form for a number of subjects."""
    return "holds" if number == 1 else "hold"


def named(facts: "PageFacts") -> Iterator[Alert]:
    """Warn if an attacker with some known columns re-identifies people with certainty."""
    reidentified = facts.result.reidentification
    scored = reidentified.attacks if reidentified else ()
    released = facts.released_counts
    telling = {name for name, counts in released.items() if not HIDDEN.issuperset(counts)}
    learning = [attack for attack in scored if attack.certain and telling - set(attack.knows)]
    if learning:
        worst = max(learning, key=lambda attack: attack.certain)
        new = [name for name in worst.sees if name in telling and name not in worst.knows]
        blank = any(HIDDEN.intersection(released[name]) for name in new)
        yield Alert(
            "serious",
            "named",
            f"{people(worst.certain)} can be named for certain",
            f"Who knows {', '.join(worst.knows)} of everybody finds these people's rows in the "
            f"release, and learns their {', '.join(new)}"
            + (", where their rows do not leave it blank." if blank else "."),
            "A larger k leaves fewer people alone in their crowd.",
            worst.certain,
        )


def vacuous(facts: "PageFacts") -> Iterator[Alert]:
    """Warn of a bound on exposure of 100 %, of k = 1, or of an interval from 0 to 100 %.

    Such a statement is true of every release.
    """
    decision = facts.result.decision
    promised = facts.result.exposure.promised
    if decision and facts.released_columns and promised >= 1:
        yield Alert(
            "warning",
            "vacuous",
            "The promise is vacuous",
            f"At most {percent(promised)} of people are exposed: that is true of any release.",
            "Ask more people, a smaller k, or release fewer columns.",
            2,
        )
    elif decision and facts.released_columns and facts.k == 1:
        yield Alert(
            "warning",
            "vacuous",
            "k = 1 promises nothing",
            "Nobody can be in a crowd smaller than one: every release keeps this promise.",
            "Choose k = 2 or more.",
            2,
        )
    findings = facts.result.findings
    wide = [] if findings is UNSET else list(findings.vacuous)
    if wide:
        yield Alert(
            "warning",
            "vacuous",
            "An estimate says nothing",
            f"The 95 % interval of {first_few(wide)} holds every share from 0 to 100 %.",
            "Ask more people, or add less noise (a larger epsilon).",
            1,
        )


def above_target(facts: "PageFacts") -> Iterator[Alert]:
    """Warn if the certified bound of a release is above max_exposure."""
    decision, promised = facts.result.decision, facts.result.exposure.promised
    if decision and facts.released_columns and promised > decision.max_exposure:
        yield Alert(
            "warning",
            "above-target",
            "Released although the promise is above max_exposure",
            f"The policy releases {', '.join(facts.released_columns)} whatever the bound says: "
            f"{percent(promised)} may be exposed, {percent(decision.max_exposure)} "
            "were wanted.",
            "Use kind = exposure in [policy] to let the bound decide.",
            promised,
        )

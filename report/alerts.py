"""What a reader of a run must not overlook, worst first. One function a check, one table of them.

A check looks at the facts and yields alerts; it never counts what scenarios/ has not counted.
`serious`: people are, or may be, exposed to more than was promised. `warning`: what was promised
says less than it seems. `note`: good to know.
"""

from collections.abc import Callable, Iterator

from ..scenarios.pages.pieces import Alert, worst_first
from ..scenarios.programs.randomized.score import Randomized
from ..scenarios.scoring.result import own
from ..scenarios.wording import many, percent
from .facts import Facts

Check = Callable[[Facts], Iterator[Alert]]
NAMED = 6  # values or coalitions that are named one by one


def alerts(facts: Facts) -> tuple[Alert, ...]:
    """Run every check."""
    return worst_first([alert for check in CHECKS for alert in check(facts)])


def _coalition(facts: Facts) -> Iterator[Alert]:
    """A coalition that should learn nothing of single people, and does."""
    below = [one for one in facts.breaking if not facts.trusted(one)]
    if below:
        most = max(one.others for one in below)
        yield Alert(
            "serious",
            "coalition",
            "A coalition below the trust line links people",
            f"{_listed([one.name for one in below])}: values of up to {_people(most)} can be "
            f"pinned on them by fewer than {facts.topology.line(facts.run.scenario)}.",
            "Look at the guards that are switched off, and at the faults of this run.",
            most,
        )


def _alarms(facts: Facts) -> Iterator[Alert]:
    """An alarm that a party raised: one that the board bears out, or one about nothing."""
    raised = [one for one in facts.alarms if one.borne_out]
    false = len(facts.alarms) - len(raised)
    if raised:
        yield Alert(
            "serious",
            "alarm",
            many(len(raised), "alarm was", "alarms were") + " raised",
            "A party saw that another one did not do as announced; the faults are listed below.",
            "Do not use the release before each alarm is explained.",
            len(raised),
        )
    if false:
        yield Alert(
            "note",
            "false-alarm",
            many(false, "alarm", "alarms") + " about nothing",
            "A party says that something is wrong, and the board does not bear it out.",
            "Nothing ends by it; the alarms are listed below.",
            false,
        )


def _charged(facts: Facts) -> Iterator[Alert]:
    """A peer that everybody has named."""
    among = facts.result.peers
    if among and among.charges:
        said = [f"{one.peer} {one.why} (round {one.round})" for one in among.charges]
        many_ = len({one.peer for one in among.charges})
        yield Alert(
            "serious",
            "named-peer",
            many(many_, "peer was", "peers were") + " named",
            f"{_listed(said)}. The posts prove it to everybody, and the round was burned.",
            "Agree on another session without them.",
            len(among.charges),
        )


def _broken(facts: Facts) -> Iterator[Alert]:
    """More people are exposed than was promised."""
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


def _why_broken(facts: Facts) -> str:
    if not facts.run.scenario.defence.promise:
        return "The scenario switches off `defence.promise`, which keeps such a table back."
    return "Its reader should have kept it back: `veilmix verify` recomputes what was recorded."


def _unanimous(facts: Facts) -> Iterator[Alert]:
    """A column on which everybody agrees is known of everybody, without linking anyone."""
    for name, counts in facts.result.marginals.items():
        held = [value for value, people in counts.items() if people]
        if len(held) != 1:
            continue
        known = "whoever reads the release" if name in facts.kept else "whoever reads the counts"
        yield Alert(
            "serious",
            "unanimous",
            f"Everybody has the same {name}",
            f"All {sum(counts.values()):,} people have {held[0]!r} in column {name!r}: {known} "
            "knows it of each of them for certain, and needs to link nobody.",
            "Leave the column out, or ask people of whom some differ.",
            sum(counts.values()),
        )


def _rare(facts: Facts) -> Iterator[Alert]:
    """A value that fewer than k people have."""
    for name, counts in facts.result.marginals.items():
        rare = {value: people for value, people in counts.items() if 0 < people < facts.k}
        if not rare:
            continue
        out = name in facts.kept
        told = [f"{value!r} ({people:,})" for value, people in sorted(rare.items())]
        who = "The release shows" if out else _who_read(facts)
        yield Alert(
            "serious" if out else "note",
            "rare",
            f"{many(len(rare), 'value')} of {name} held by fewer than k = {facts.k} people",
            f"{who} {_listed(told)}: {_people(sum(rare.values()))} without a crowd in this column "
            "alone.",
            "Merge rare values into one, or let the policy forbid the column." if out else "",
            sum(rare.values()),
        )


def _who_read(facts: Facts) -> str:
    public = facts.topology.public(facts.run.scenario)
    return "The counts on the board show" if public else "The curator read, and did not release,"


def _exposed(facts: Facts) -> Iterator[Alert]:
    """People in small cells of the release."""
    small = [people for people in facts.crowds if people < facts.k]
    if small:
        share = percent(sum(small) / facts.released)
        yield Alert(
            "warning",
            "exposed",
            f"{_people(sum(small))} in a crowd smaller than k = {facts.k}",
            f"{many(len(small), 'combination')} of the release {_hold(len(small))} fewer than "
            f"{facts.k} people: {share} of those counted.",
            f"max_exposure = {facts.run.scenario.policy.max_exposure:g} allows "
            f"{percent(facts.run.scenario.policy.max_exposure)}.",
            sum(small),
        )


def _hold(number: int) -> str:
    return "holds" if number == 1 else "hold"


def _named(facts: Facts) -> Iterator[Alert]:
    """Somebody who knows some columns names people for certain, and learns the others."""
    found = facts.result.reidentification
    scored = found.attacks if found else ()
    learning = [one for one in scored if one.certain and set(one.sees) - set(one.knows)]
    if learning:
        worst = max(learning, key=lambda one: one.certain)
        new = [name for name in worst.sees if name not in worst.knows]
        yield Alert(
            "serious",
            "named",
            f"{_people(worst.certain)} can be named for certain",
            f"Who knows {', '.join(worst.knows)} of everybody finds these people's rows in the "
            f"release, and learns their {', '.join(new)}.",
            "A larger k leaves fewer people alone in their crowd.",
            worst.certain,
        )


def _sizes(facts: Facts) -> Iterator[Alert]:
    """Messages whose length tells something of what is in them."""
    seen = facts.traffic.sizes if facts.traffic else {}
    uneven = {number: sizes for number, sizes in seen.items() if len(sizes) > 1}
    if uneven:
        said = [f"round {number}: {len(sizes)} lengths" for number, sizes in uneven.items()]
        yield Alert(
            "serious",
            "size",
            "The length of a message tells who said what",
            f"Submissions of one round differ in length ({'; '.join(said)}), and whoever watches "
            "the network sees who sent which.",
            "Switch padding on: pad = true in [mix].",
            max(len(sizes) for sizes in uneven.values()),
        )
    elif not facts.run.scenario.mix.pad:
        yield Alert(
            "warning",
            "padding",
            "Padding is off",
            "The length of an answer shows through every layer of encryption."
            + (" All answers of this run happen to be equally long." if seen else ""),
            "Switch padding on: pad = true in [mix].",
        )


def _textbook(facts: Facts) -> Iterator[Alert]:
    """Encryption for the lesson on salt."""
    if facts.run.scenario.mix.suite == "textbook":
        yield Alert(
            "serious",
            "textbook",
            "Textbook encryption: anyone can read it",
            "Equal answers have equal ciphertexts; whoever encrypts every possible answer reads "
            "everybody's.",
            "For lessons only. Use suite = sealedbox, hpke-x25519 or hpke-pq.",
            2,
        )


def _guards(facts: Facts) -> Iterator[Alert]:
    """Guards that only a lesson may switch off."""
    off = facts.guards_off
    if off:
        yield Alert(
            "serious",
            "guards",
            f"{many(len(off), 'guard is', 'guards are')} switched off: {', '.join(off)}",
            "What such a guard stops can be done here; docs/attacks.md says what that is.",
            "For lessons only.",
            1,
        )


def _achieved(facts: Facts) -> Iterator[Alert]:
    """An attack of the scenario that got something."""
    won = [one for one in facts.result.attacks if one.value > 0]
    if won:
        said = [f"{one.attack}: {one.value:g} of {one.of:g} {one.unit}" for one in won]
        yield Alert(
            "serious",
            "attack",
            f"{many(len(won), 'attack')} succeeded in part or in all",
            f"{_listed(said)}.",
            "The guards that were on, and those that would stop it, are listed below.",
            len(won),
        )


def _kept_order(facts: Facts) -> Iterator[Alert]:
    """Shufflers that do not shuffle."""
    if facts.run.scenario.mix.order == "kept":
        yield Alert(
            "serious",
            "order",
            "The shufflers keep the order of messages",
            "What leaves a shuffler first came in first: nobody is hidden among the others.",
            "For lessons only. Use order = sorted in [mix].",
            1,
        )


def _seeded(facts: Facts) -> Iterator[Alert]:
    """A run whose randomness can be repeated."""
    seed = facts.result.seed
    if seed is not None and facts.result.mode == "real":
        yield Alert(
            "warning",
            "seeded",
            f"Seeded with {seed}: reproducible, and not secret",
            "Every key and salt follows from the seed: whoever knows it opens every layer and "
            "links everybody.",
            "For people who exist, leave the seed out: system randomness is then used.",
        )


def _vacuous(facts: Facts) -> Iterator[Alert]:
    """A bound that says nothing."""
    decision = facts.result.decision
    if decision and facts.kept and decision.bound >= 1:
        yield Alert(
            "warning",
            "vacuous",
            "The promise is vacuous",
            f"At most {percent(decision.bound)} of people are exposed: that is true of any "
            "release.",
            "Ask more people, a smaller k, or release fewer columns.",
            2,
        )
    elif decision and facts.kept and facts.k == 1:
        yield Alert(
            "warning",
            "vacuous",
            "k = 1 promises nothing",
            "Nobody can be in a crowd smaller than one: every release keeps this promise.",
            "Choose k = 2 or more.",
            2,
        )
    local = own(facts.result, Randomized)
    wide = [
        f"{one.feature} = {value}"
        for one in (local.features if local else ())
        for value, low, high in zip(one.values, one.low, one.high, strict=True)
        if low <= 0 and high >= 1
    ]
    if wide:
        yield Alert(
            "warning",
            "vacuous",
            "An estimate says nothing",
            f"The 95 % interval of {_listed(wide)} holds every share from 0 to 100 %.",
            "Ask more people, or add less noise (a larger epsilon).",
            1,
        )


def _above_target(facts: Facts) -> Iterator[Alert]:
    """A release that the promise asked for would not have allowed."""
    decision = facts.result.decision
    if decision and facts.kept and decision.bound > decision.max_exposure:
        yield Alert(
            "warning",
            "above-target",
            "Released although the promise is above max_exposure",
            f"The policy releases {', '.join(facts.kept)} whatever the bound says: "
            f"{percent(decision.bound)} may be exposed, {percent(decision.max_exposure)} "
            "were wanted.",
            "Use kind = exposure in [policy] to let the bound decide.",
            decision.bound,
        )


def _burned(facts: Facts) -> Iterator[Alert]:
    """A round that was not completed."""
    if facts.result.burned:
        yield Alert(
            "warning",
            "burned",
            "A round was burned",
            f"Nothing of it is released: {facts.result.burned}.",
            "Do not ask the same people again without those who failed: the difference names them.",
        )


def _nothing(facts: Facts) -> Iterator[Alert]:
    """No release."""
    decision = facts.result.decision
    if decision and not facts.result.release and not facts.result.burned:
        yield Alert(
            "note",
            "nothing",
            "Nothing was released",
            f"No column is safe enough for k = {facts.k} and at most "
            f"{percent(decision.max_exposure)} of people exposed.",
        )


def _refused(facts: Facts) -> Iterator[Alert]:
    """Messages that were not counted."""
    refused = facts.result.refused
    if refused:
        said = ", ".join(f"{reason} {number:,}" for reason, number in refused.items())
        total = sum(refused.values())
        yield Alert(
            "note",
            "refused",
            f"{many(total, 'message was', 'messages were')} refused",
            f"They were dropped and counted ({said}); the rest went on.",
            weight=total,
        )


def _absent(facts: Facts) -> Iterator[Alert]:
    """The rounds counted different numbers of the same people."""
    if facts.run.scenario.population.setting != "fixed" or not facts.crowds:
        return
    first = max((sum(one.values()) for one in facts.result.marginals.values()), default=0)
    if missing := first - facts.released:
        yield Alert(
            "warning",
            "dropout",
            f"{_people(abs(missing))} counted in one round and not in the other",
            "The difference of the two counts is about these few: the fewer, the more it tells.",
            "min_dropout in [defence] says from how many on a second round is released.",
        )


def _one_shuffler(facts: Facts) -> Iterator[Alert]:
    """A mix of one."""
    if len(facts.shufflers) == 1 and facts.learners:
        yield Alert(
            "note",
            "one-shuffler",
            "One shuffler: two parties are enough",
            "The shuffler and one who reads link everybody, if they work together.",
            "More shufflers make the smallest such coalition larger.",
        )


def _ideal(facts: Facts) -> Iterator[Alert]:
    """A run without messages."""
    if facts.result.mode == "ideal":
        yield Alert(
            "note",
            "ideal",
            "No message was sent",
            "An ideal run answers the same questions by itself: it has the release of a real one, "
            "and no traffic.",
        )


def _people(number: int) -> str:
    return many(number, "person", "people")


def _listed(names: list[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")


CHECKS: tuple[Check, ...] = (
    _coalition,
    _alarms,
    _charged,
    _broken,
    _unanimous,
    _rare,
    _named,
    _sizes,
    _textbook,
    _kept_order,
    _guards,
    _achieved,
    _exposed,
    _above_target,
    _burned,
    _absent,
    _seeded,
    _vacuous,
    _nothing,
    _refused,
    _one_shuffler,
    _ideal,
)

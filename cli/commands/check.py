"""`veilmix check`: validate a scenario, print its plan and estimate its cost, without a run."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click
from msgspec import UNSET

from ...number_text import percent, plural
from ...presentation.presenters import attacks
from ...presentation.presenters.registry import presenter_of
from ...presentation.presenters.unsafe_settings import warnings
from ...presentation.text_blocks import Grid, Line
from ..grid import planned
from ..options import COUNT
from ..text.bases import bases_text
from ..text.layout import format_option, page, say, show, write_csv, write_json
from ..text.trust import trust

if TYPE_CHECKING:
    from ...analysis.scaling import Cluster
    from ...presentation.blocks import Block
    from ...scenarios.populations import Population
    from ...scenarios.schema.model import Scenario
    from ...scenarios.studies.costs.cost import RoundCost, SessionCost
    from ..text.records import CheckedScenario, RoundPrice


SENDERS = {
    True: "only people whose keys are known beforehand (registered): this program draws the keys; "
    "in the world whoever lists them vouches for them",
    False: "anyone: no key is known beforehand (registered is off)",
}  # key: whether the keys of all people are registered; value: the users that may send, in words


@click.command("check")
@click.argument("scenario")
@click.option(
    "--people",
    type=COUNT,
    metavar="N",
    help="Estimate bytes, hours, memory and limits for this number of people, such as 1e8.",
)
@click.option(
    "--cores",
    type=click.IntRange(1, 1_000_000),
    default=64,
    show_default=True,
    help="With --people: cores of each party.",
)
@click.option(
    "--gigabits",
    type=click.FloatRange(0.001, 1_000_000),
    default=10.0,
    show_default=True,
    help="With --people: gigabits per second of each party's network.",
)
@click.option(
    "--gigabytes",
    type=click.FloatRange(1, 1_000_000),
    default=256.0,
    show_default=True,
    help="With --people: gigabytes of memory of each computer.",
)
@format_option
def command(
    scenario: str,
    people: int | None,
    cores: int,
    gigabits: float,
    gigabytes: float,
    form: str,
) -> None:
    """Validate SCENARIO (a file, or a shipped name); print its plan, cost and warnings."""
    from ..text.class_questions import tell_questions

    if tell_questions(scenario, people, form):
        return
    if people is not None:
        from ...analysis.scaling import Cluster

        _estimate(scenario, people, Cluster(cores, gigabits, gigabytes), form)
    else:
        _check(scenario, form)


def _estimate(scenario: str, people: int, cluster: "Cluster", form: str) -> None:
    """Print bytes, time, memory and limits of a scenario, estimated for a number of people.

    cluster: the cores, network and memory of each party. form: `table`, `json` or `csv`.
    """
    from ...scenarios.lab.validation.load import load
    from ...scenarios.programs.registry import samples
    from ...scenarios.studies.costs.scale import scale
    from ..text import scale as scale_text

    loaded = load(scenario)
    estimate = scale(loaded, samples(loaded, loaded.scenario.seed), people, cluster)
    if form == "json":
        write_json(scale_text.record(loaded.scenario.name, estimate))
    elif form == "csv":
        write_csv(scale_text.grid(estimate))
    else:
        show(page(), scale_text.scale_blocks(loaded.scenario.name, estimate))


def _check(scenario: str, form: str) -> None:
    """Print the plan, cost and warnings of a scenario with its own people.

    scenario: the name or file of the checked scenario. form: `table`, `json` or `csv`.
    """
    from ...scenarios.lab.validation.load import load
    from ...scenarios.programs.registry import samples
    from ...scenarios.studies.costs.cost import cost

    loaded = load(scenario)
    grid = planned(loaded)
    crowd = samples(loaded, loaded.scenario.seed)
    people = crowd.people
    price = cost(loaded, people.schema, (crowd.first, crowd.second))
    if form == "json":
        write_json(_record(loaded, people, price))
    elif form == "csv":
        write_csv(_rounds(loaded, people, price))
    else:
        show(page(), _check_blocks(loaded, people, price, scenario))
        if grid:
            say(page(), f"      veilmix sweep {scenario}   plays {grid}")


def _priced(price: "SessionCost") -> "tuple[RoundPrice, ...]":
    """Return the largest possible cost of each round of a session as records for JSON and CSV."""
    from ..text.records import RoundPrice

    return tuple(
        RoundPrice(
            planned.number,
            planned.reader,
            planned.onions,
            planned.layers,
            planned.person,
            planned.carried,
            planned.multiplications,
        )
        for planned in price.rounds
    )


def _rounds(scenario: "Scenario", people: "Population", price: "SessionCost") -> Grid:
    """Return a table of the rounds of a session: requested columns, messages and bytes.

    A number of bytes is None if messages are not padded, because it then differs between people.
    people: the population with its columns. price: the cost of the session.
    """
    from msgspec.structs import astuple

    from ...scenarios.programs.registry import announced_names

    names = announced_names(scenario, people.schema.names)
    rows = [
        (priced.round, _query_text(names, planned.columns), *astuple(priced)[1:])
        for planned, priced in zip(price.rounds, _priced(price), strict=True)
    ]
    headings = (
        "round",
        "asks for",
        "read by",
        "onions",
        "layers",
        "bytes a person",
        "bytes in all",
        "multiplications",
    )
    return Grid(headings, rows, (3, 4, 5, 6, 7))


def _written(grid: Grid, mix: str) -> Grid:
    """Return the table of rounds as text: thousands are separated, an unknown number is "varies".

    mix: the kind of mix. The column of multiplications is shown only for a `verified` mix, the
    column of onion layers only for other kinds.
    """
    left_out = "layers" if mix == "verified" else "multiplications"
    places = [at for at, heading in enumerate(grid.headings) if heading != left_out]
    rows = [tuple(_cell(row[at]) for at in places) for row in grid.rows]
    names = tuple(grid.headings[at] for at in places)
    if mix == "verified":
        names = tuple("ballots" if name == "onions" else name for name in names)
    return Grid(names, rows, tuple(range(3, len(names))))


def _cell(cell: object) -> object:
    """Return a cell of the table of rounds as text: "varies" for None, numbers with separators."""
    return "varies" if cell is None else f"{cell:,}" if isinstance(cell, int) else cell


def _query_text(names: Sequence[str], columns: tuple[tuple[int, ...], ...]) -> str:
    """Return the requested columns of a round in words, such as "age x sex, ward".

    names: the names of all columns. columns: sets of columns that are requested together, as
    indices into `names`.
    """
    return ", ".join(" x ".join(names[column] for column in ask) for ask in columns)


def _check_blocks(
    scenario: "Scenario",
    people: "Population",
    price: "SessionCost",
    called: str,
) -> Iterator["Block"]:
    """Yield the page of `veilmix check`: people, parties, steps, costs, guarantee, warnings.

    price: the cost of the session. called: the scenario as the user named it, for the next command.
    """
    from ...scenarios.populations.coarsening import coarser_lines
    from ...scenarios.programs.registry import unchecked_queries
    from ...scenarios.programs.topology import topology_of

    # One function, because its branches are optional lines of a page, in the order of a session:
    # parties, steps, cost, guarantee. Warnings come last, above the next command, so that a user
    # sees them.
    about, presenter = scenario.scenario, presenter_of(scenario)
    yield Line(f"{about.name}: fine" + (f'   "{about.title}"' if about.title else ""))
    yield Line()
    if about.extended:
        yield Line(f"extends   {bases_text(about)}")
    yield Line(f"people    {people.n:,}, {people.note}")
    for line in _person_rows(people, scenario.policy.k):
        yield Line(line)
    for line in presenter.describe(people):
        yield Line(f"          {line}")
    for line in coarser_lines(scenario.feature):
        yield Line(f"coarser   {line}, as everybody says it before it is sealed")
    plan_text = PLANS[topology_of(scenario).name](scenario, people, price)
    yield Line(f"parties   {plan_text.parties}")
    if plan_text.senders:
        yield Line(f"senders   {plan_text.senders}")
    yield Line()
    for number, step in enumerate(plan_text.steps, start=1):
        yield Line(f"  {number}. {step}")
    yield Line()
    yield _written(_rounds(scenario, people, price), scenario.mix.kind)
    if plan_text.note:
        yield Line(f" {plan_text.note}", "dim")
    yield Line()
    yield Line(f"cost      {plan_text.posts}{_price(price, scenario.mix.suite)}")
    if about.repeat > 1:
        yield Line(f"          {about.repeat:,} independent runs: {about.repeat:,} times that")
    yield Line(f"promise   {presenter.promise(scenario)}")
    for number, line in enumerate(presenter.advice(scenario, people)):
        yield Line(f"{'noise' if number == 0 else '':9} {line}")
    for name, does, guards in attacks.faults(scenario):
        yield Line(f"attack    {name}: {does}")
        if guards:
            yield Line(f"          stopped or shown by: {guards}")
    for line in trust(scenario):
        yield Line(line)
    for line in (*people.warnings, *warnings(scenario), *unchecked_queries(scenario)):
        yield Line(f"warning   {line}", "yellow")
    yield Line(f"\nnext: veilmix run {called}")


def _person_rows(people: "Population", k: int) -> Iterator[str]:
    """Yield lines on persons with several rows: their rows, and the cost of their ballots.

    Each person submits equally many ballots to a question; ballots without an answer are dummies.
    k: the smallest safe equivalence class.
    """
    if (several := people.several) is None:
        return
    yield (
        f"rows      {len(people.codes):,} different ones, up to {several.largest:,} of a person; "
        f"each person submits {several.slots:,} ballots to a question"
    )
    if several.slots >= k:
        yield (
            f"          a malicious person can fill a crowd of k = {k} alone, by "
            f"{several.slots:,} equal ballots"
        )
    min_rows = max(several.largest, 2)
    if several.slots > min_rows:
        share = percent(min_rows / several.slots)
        yield f"          fewer ballots do: rows = {min_rows} costs {share} of these messages"


@dataclass(frozen=True, slots=True)
class SessionText:
    """The plan of a session in words, as `veilmix check` prints it.

    Attributes:
        parties: the parties of the session.
        steps: the steps of the session, a line each.
        note: a line on how to read the table of rounds; None without a note.
        posts: beginning of the line on costs: the number of posts on the board, or "".
        senders: the users that may send answers; "" if all parties are users.
    """

    parties: str
    steps: Sequence[str]
    note: str | None
    posts: str = ""
    senders: str = ""


def _central(scenario: "Scenario", _people: "Population", price: "SessionCost") -> SessionText:
    """Return the plan of a session with shufflers, a curator and an analyst."""
    from ...scenarios.programs.topology import further_parties

    parties = f"{plural(scenario.mix.shufflers, 'shuffler')}, a curator, an analyst"
    parties = ", ".join((parties, *further_parties(scenario)))
    return SessionText(
        parties,
        _steps(scenario, price),
        presenter_of(scenario).largest,
        senders=SENDERS[scenario.registered],
    )


def _peers(scenario: "Scenario", people: "Population", _price: "SessionCost") -> SessionText:
    """Return the plan of a session in which the people themselves are all parties."""
    from ...presentation.presenters import peers

    return SessionText(
        "none but these people: each is user, shuffler, curator and analyst",
        peers.steps(scenario, people.n, len(people.schema.names)),
        peers.POSTED,
        f"{peers.posts(scenario, people.n):,} posts that everybody reads; ",
    )


PLANS: Mapping[str, Callable[["Scenario", "Population", "SessionCost"], SessionText]] = {
    "central": _central,
    "peers": _peers,
}  # name of the topology of a scenario -> function that returns its plan


def _steps(scenario: "Scenario", price: "SessionCost") -> list[str]:
    """Return the steps of a session with shufflers in words, in order.

    price: the cost of the session, with the onions of its first round.
    """
    mix, first = scenario.mix, price.rounds[0]
    reader = f"the {first.reader}"
    hands = [*(f"shuffler-{hop + 1}" for hop in range(mix.shufflers)), reader]
    chain = ", ".join(hands[:-1]) if len(hands) <= 5 else f"{hands[0]} to {hands[-2]}"
    answers = plural(len(first.columns), "question")
    if mix.kind == "verified":
        once = mix.submit == "once"
        words = _verified_steps(hands, answers, first, mix.min_batch, once=once)
        return presenter_of(scenario).steps(scenario, *words)
    onions = plural(len(first.columns), "onion")
    onions_per_question = first.onions // len(first.columns)
    answering = (
        f"Each of {onions_per_question:,} people answers {answers}, one per feature, in one "
        "envelope of "
        f"{onions}; each onion has a layer for {chain} and {reader}."
    )
    if rows := scenario.population.rows:
        answering = (
            f"Each of {onions_per_question // rows:,} persons submits {rows} ballots to each of "
            f"{answers}, in "
            f"one envelope of {plural(rows * len(first.columns), 'onion')}: a ballot for each of "
            "its different answers, the rest dummies; each onion has a layer for "
            f"{chain} and {reader}."
        )
    mixing = (
        "Every shuffler opens its layer, sorts the batch and passes it on at once. With fewer "
        f"than {mix.min_batch:,} people the round is given up."
    )
    return presenter_of(scenario).steps(scenario, answering, mixing)


def _verified_steps(
    hands: Sequence[str], answers: str, first: "RoundCost", min_batch: int, *, once: bool
) -> tuple[str, str]:
    """Return two steps of a session with a verified mix in words: answering and mixing.

    hands: the shufflers and the reader. answers: the number of questions, in words. first: the cost
    of the first round. min_batch: the smallest number of people. once: whether each ballot is also
    encrypted for the release, so that people submit once.
    """
    people, holders = first.onions // len(first.columns), f"{', '.join(hands[:-1])} and {hands[-1]}"
    release_clause = (
        f", and again under keys of {', '.join(hands[:-1])} and the analyst with a proof that both "
        "hold the same"
    )
    answering = (
        f"Each of {people:,} people encrypts its answers to {answers} under keys of which "
        f"{holders} hold a part each{release_clause * once}, signs them and hands them to each of "
        "these."
    )
    mixing = (
        "Every shuffler posts the ballots re-encrypted, in another order, with a proof that they "
        "are the same, and gives its decryption shares after all proofs hold. With fewer than "
        f"{min_batch:,} people, or after a post that does not hold, the round is given up, and who "
        "posted it is named."
    )
    return answering, mixing


def _price(price: "SessionCost", suite: str) -> str:
    """Return the cost of a session's cryptography in words: operations, and seconds of one core.

    suite: name of the cipher suite.
    """
    if price.multiplications:
        return (
            f"{price.multiplications:,} multiplications in the group ristretto255: about "
            f"{_seconds(price.seconds)} of one core, if each keyholder checks for itself "
            f"({price.multiply * 1e6:.0f} us each, measured now). A party that checks everything "
            f"makes {price.checks:,} of them: about {_seconds(price.checks * price.multiply)}"
        )
    return (
        f"{price.layers:,} layers to seal and to open: about {_seconds(price.seconds)} of one core "
        f"({suite}: {price.seal * 1e6:.0f} us to seal, {price.open * 1e6:.0f} us to open, "
        "measured now)"
    )


def _seconds(seconds: float) -> str:
    """Return seconds as text: two digits below 10 s, else whole seconds."""
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:,.0f} s"


def _record(scenario: "Scenario", people: "Population", price: "SessionCost") -> "CheckedScenario":
    """Return the plan and cost of a scenario as the record that `--format json` prints."""
    from ...scenarios.programs.registry import unchecked_queries
    from ...scenarios.programs.topology import topology_of
    from ...scenarios.studies.cheating.trust_table import measured_trust
    from ..text.records import AskedFeature, CheckedScenario, NoiseRecord

    features = (
        AskedFeature(feature.name, len(texts), feature.values is None)
        for feature, texts in zip(people.schema.features, people.values, strict=True)
    )
    return CheckedScenario(
        scenario.scenario.name,
        people.n,
        tuple(features),
        # the number of shufflers: all parties that handle onions, without curator and analyst
        max(0, len(topology_of(scenario).handlers(scenario)) - 2),
        scenario.mix.suite,
        _priced(price),
        price.seconds,
        scenario.policy.k,
        scenario.policy.max_exposure,
        NoiseRecord(scenario.local.mechanism, scenario.local.epsilon),
        (*people.warnings, *warnings(scenario), *unchecked_queries(scenario)),
        measured_trust(scenario),
        UNSET if scenario.scenario.extended is None else scenario.scenario.extended,
    )

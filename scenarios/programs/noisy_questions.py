"""Local noise: the randomization of answers before users seal them (release program `randomized`).

    mechanism              one report                               randomizer of one feature
    grr                    a value of the feature                     GRR(a, e)
    rappor, oue, blh       a bits, a bit per value                  UnaryEncoding.rappor, .oue, .blh
    local-hash             a key, and a hash value under it         LocalHash.olh(a, e)
    subset                 a bits, s of them 1                      SubsetSelection.best(a, e)
    hadamard               a column of a matrix                     Hadamard(a, e)
    hadamard-blocks        a column of the own block                HadamardBlocks.best(a, e)
    projective             a point of a projective space            ProjectiveGeometry.best(a, e)
    bit-flip               d bits, a bit per feature                BitFlip(d, 1 / (1 + exp(e)))
    duchi, piecewise, ...  a level                                  Duchi(numbers, e), ...
    pckv-grr, ...          a key and a sign                         PckvGRR(texts, e), ...
    memoized, ...          a bits, noise kept and fresh             Memoized.from_epsilon(a, e, all)
    prefix-hash, ...       a level, a key and a hash value          PrefixTree(texts, e), ...

a is the number of values of a feature, d the number of features, and e the privacy budget of one
feature. epsilon is the whole budget of a person, in nats. Each of d features is reported by itself
with e = epsilon / d; bit-flip makes one report of all features, in which each bit has e. With
`local.features = "sample"` a person draws one feature and reports only this feature: e = epsilon,
and the report (`SampledFeature`) names the feature. The text format of reports is in `encoding`;
the estimates from reports are in `score`.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from math import exp
from typing import TYPE_CHECKING, Any

from ...errors import DataError
from ...protocol.wire.coarsening import Rule
from ...protocol.wire.schema import MAX_NAME, Feature, Schema
from ..populations.people import WIDTH
from ..schema.mechanisms import Mechanism, mechanisms
from ..schema.model import Local, Scenario
from ..schema.plugs import load
from .randomized.value_numbers import numbers

if TYPE_CHECKING:  # not imported at run time, because checks of a scenario load no cryptography
    from numpy.random import Generator

    from ...crypto.entropy import Entropy
    from ...protocol.ideal import PeopleTable
    from ...protocol.wire.messages import Counts
    from ..populations import Population

SEED = 32  # bytes of a person's entropy that seed all its noise
MAX_LISTED = 1_000  # most different reports in result.json; more are only in the transcript
# most characters of all reports together in result.json; longer lists of reports are only in the
# transcript
LONG = 1 << 17
BLOCK = 1 << 24  # symbols drawn together in a run without a seed, to limit memory

Randomization = Callable[[Sequence[str], "Entropy"], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Question:
    """A question that people answer with noise, as one report.

    Attributes:
        name: the name of the announced feature.
        columns: the columns of the population that the report is about.
        values: the possible values of each of these columns.
        randomizer: the mechanism: an object of analysis/randomizers.
        packed: whether an answer is a piece of a set's bit vector, as hexadecimal digits
            (populations/sets.py); else it is a value.
    """

    name: str
    columns: tuple[int, ...]
    values: tuple[tuple[str, ...], ...]
    randomizer: Any
    packed: bool = False

    @property
    def domain(self) -> tuple[str, ...]:
        """The possible values of the first column; most reports are about this column only."""
        return self.values[0]


def rule(local: Local, features: int) -> str:
    """Return the noise as the announcement states it, as text: equal for equal mechanisms.

    Such as `grr epsilon=1 each of 3`: the whole budget, and the number of features that share it.
    If a person draws one feature, `one of 3`. For sets (0 features) `bit-flip epsilon=1 each
    position`: the budget of one element in one set.
    """
    whole = repr(float(local.epsilon or 0.0)).removesuffix(".0")
    division = "one" if is_sampled(local, features) else "each"
    each = f"{division} of {features}" if features else "each position"
    if (mechanism := mechanisms().get(local.mechanism)) and mechanism.remembers:
        each += f" forever={forever(local)!r}".removesuffix(".0")
    return f"{local.mechanism} epsilon={whole} {each}"


def forever(local: Local) -> float:
    """Return the epsilon (nats) of all reports that a person ever makes about an answer.

    For a mechanism with noise that the person keeps from run to run. Without `forever` in the
    scenario, it is twice the epsilon of one report.
    """
    return float(local.forever or 2 * (local.epsilon or 0.0))


def share(epsilon: float, features: int) -> float:
    """Return the epsilon (nats) of one feature or bit: an equal part of the whole budget."""
    return epsilon / features


def is_sampled(local: Local, features: int) -> bool:
    """Whether each person draws a feature at random and reports only this feature."""
    return features > 1 and local.features == "sample"


def feature_budget(local: Local, features: int) -> float:
    """Return the epsilon (nats) of a report about a single feature.

    features: the number of features; they share the budget unless a person draws a feature at
    random.
    """
    epsilon = local.epsilon or 0.0
    return epsilon if is_sampled(local, features) else share(epsilon, features)


def questions(
    scenario: Scenario, names: Sequence[str], values: Sequence[tuple[str, ...]]
) -> tuple[Question, ...]:
    """Return the questions of a scenario that people answer with noise.

    names, values: the names and the possible values of the people's features.
    """
    each = feature_budget(scenario.local, len(names))
    mechanism = mechanisms()[scenario.local.mechanism]
    making, every = load(mechanism.place), tuple(range(len(names)))
    if mechanism.bits:
        flip = making(len(names), exp(-each) / (1 + exp(-each)))
        return (Question(joined(names), every, tuple(values), flip),)
    if mechanism.split:
        making = partial(making, people=scenario.mix.min_batch)
    if mechanism.remembers:
        making = partial(making, forever=share(forever(scenario.local), len(names)))
    randomizers = [
        making(domain_argument(mechanism, name, domain), each, **room(scenario, mechanism, name))
        for name, domain in zip(names, values, strict=True)
    ]
    if is_sampled(scenario.local, len(names)):
        from ...analysis.randomizers import SampledFeature

        return (Question(joined(names), every, tuple(values), SampledFeature(tuple(randomizers))),)
    return tuple(
        Question(names[column], (column,), (values[column],), randomizer)
        for column, randomizer in enumerate(randomizers)
    )


def domain_argument(mechanism: Mechanism, name: str, domain: Sequence[str]) -> Any:
    """Return the first argument of a randomizer: number of values, numbers, or texts.

    The mechanism determines which. name, domain: name and values of the feature.
    """
    if mechanism.words:
        return tuple(domain)
    return numbers(name, domain) if mechanism.numbers else len(domain)


def room(scenario: Scenario, mechanism: Mechanism, name: str) -> dict[str, int]:
    """Return the argument `width` of a randomizer for a feature without a list of values.

    It is the largest number of bytes of a text. {} for other features, and for mechanisms that
    cannot find unlisted values. name: the feature.
    """
    opened = [feature for feature in scenario.feature if feature.name == name and feature.open]
    return {"width": opened[0].width or WIDTH} if opened and mechanism.finds else {}


def reported_schema(scenario: Scenario, schema: Schema) -> Schema:
    """Return the announced features: a feature for each message of a report.

    Most reports are one message. A report that is split into shares has a message for each share.
    Rules that make values coarser are announced too, because people apply them before the noise.
    """
    values = tuple(feature.values or () for feature in schema.features)
    return Schema(
        tuple(
            Feature(name, question.domain, rules=_rules(schema, question))
            if (wide := question.randomizer.text_width) is None
            else Feature(name, None, wide, _rules(schema, question))
            for question in questions(scenario, schema.names, values)
            for name in pieces(question.name, question.randomizer.messages_per_person)
        )
    )


def _rules(schema: Schema, question: Question) -> tuple[Rule, ...]:
    """Return the rules that make values of a reported feature coarser.

    () for a report about several features, which cannot have rules (randomized/check.py).
    """
    first, *more_columns = question.columns
    return () if more_columns else schema.features[first].rules


def reported_names(scenario: Scenario, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the announced features: a feature for each message of a report.

    names: the people's features. Most reports are a single message; a report split into shares has
    several.
    """
    mechanism = mechanisms()[scenario.local.mechanism]
    if mechanism.split:
        from ...analysis.randomizers.split_mix import shares_needed

        each = share(scenario.local.epsilon or 0.0, len(names))
        copies = shares_needed(scenario.mix.min_batch, each)
        return tuple(piece for name in names for piece in pieces(name, copies))
    is_joint = mechanism.bits or is_sampled(scenario.local, len(names))
    return (joined(names),) if is_joint else tuple(names)


def pieces(name: str, copies: int) -> tuple[str, ...]:
    """Return the names of a question's announced features: a feature for each message of a report.

    copies: messages of a report, such as the shares of a sum. With several, the names end in .1,
    .2.
    """
    return (name,) if copies == 1 else tuple(f"{name}.{place + 1}" for place in range(copies))


def gathered(questions: Sequence[Question], counts: "Sequence[Counts]") -> "list[Counts]":
    """Return the counts of reports to each question, added over the messages of a report.

    A report may be split into several messages, each announced as a feature. counts: the counts of
    each announced feature, as the analyst read them.
    """
    tallies: list[Counts] = []
    first = 0
    for question in questions:
        question_counts = counts[first : first + question.randomizer.messages_per_person]
        tallies.append(
            question_counts[0]
            if len(question_counts) == 1
            else sum((Counter(each) for each in question_counts), Counter())
        )
        first += question.randomizer.messages_per_person
    if first != len(counts):
        raise DataError(
            f"counts of reports: found for {len(counts)} announced features; needed for {first}, "
            "one for each message of a person"
        )
    return tallies


def reports(names: Sequence[str], counts: "Sequence[Counts]") -> "Counts | None":
    """Return people by (feature, report), the release of a run; None if it would be too long.

    names: the names of the announced features. counts: for each of them, how often each report
    arrived.
    """
    if sum(len(count) for count in counts) > MAX_LISTED:
        return None
    if sum(len(text) for count in counts for (text,) in count) > LONG:
        return None
    return {
        (name, text): people
        for name, count in zip(names, counts, strict=True)
        for (text,), people in count.items()
    }


def joined(names: Sequence[str]) -> str:
    """Return the name of a report about several features.

    It is made of the names of the features; of their number if that would be too long.
    """
    name = "+".join(names)
    return name if len(name.encode()) <= MAX_NAME else f"{len(names)} features"


def randomization(
    questions: Sequence[Question], schema: Schema | None = None, memory: bytes = b""
) -> Randomization:
    """User: return the function that randomizes a person's answers with its own entropy.

    schema: the features, with rules that first make the person's values coarser; None: they are
    coarse already. memory: a secret of the person, equal in all runs, that seeds noise kept from
    run to run; b"": the person keeps no noise.
    """
    import numpy as np

    places = [[{v: i for i, v in enumerate(d)} for d in question.values] for question in questions]

    def reports(row: Sequence[str], entropy: "Entropy") -> Sequence[str]:
        """Return the texts of a person's reports. row: the person's true values."""
        row = row if schema is None else schema.coarsen(row)
        rng = np.random.default_rng(int.from_bytes(entropy.random(SEED), "big"))
        texts: list[str] = []
        for question, place in zip(questions, places, strict=True):
            if question.randomizer.finds:
                row_randomizer = question.randomizer.with_words(
                    [row[column] for column in question.columns]
                )
                texts += row_randomizer.encode(row_randomizer.sample([0], rng), ())
                continue
            codes = [
                table[row[column]] for table, column in zip(place, question.columns, strict=True)
            ]
            if memory and question.randomizer.remembers:
                permanent_truth = question.randomizer.permanent(
                    codes, kept_noise(memory, question, row)
                )
                texts += question.randomizer.encode(
                    question.randomizer.fresh(permanent_truth, rng), question.domain
                )
                continue
            texts += sample(question, np.array([codes]), rng)
        return texts

    return reports


def kept_noise(memory: bytes, question: Question, row: Sequence[str]) -> int:
    """Return the seed of the noise that a person keeps for a question and this answer.

    memory: the person's secret. row: its true values. Equal answers to a question get the same
    seed.
    """
    values = [row[column] for column in question.columns]
    seed_text = repr((question.name, question.domain, question.randomizer, values))
    return int.from_bytes(blake2b(seed_text.encode(), key=memory, digest_size=SEED).digest(), "big")


def sample(question: Question, codes: Any, rng: "Generator") -> list[str]:
    """Users: randomize the answers of many people to a question, and return the reports as text.

    codes: indices of the true values in their domains, shape (people, columns of the question).
    """
    if question.packed:
        from ..populations.sets import flip_texts

        texts = [question.domain[code] for code in codes[:, 0].tolist()]
        return flip_texts(texts, question.randomizer, rng)
    randomizer = question.randomizer
    written: list[str] = randomizer.encode(
        randomizer.sample(randomizer.inputs_of(codes), rng), question.domain
    )
    return written


def ideal_reports(
    questions: Sequence[Question], people: "Population", present: Any, entropy: "Entropy"
) -> "PeopleTable":
    """Return the reports of people in a run without messages. present: the people's indices.

    With a seed, each person draws the same noise as in a real run; without a seed, the noise of all
    people is drawn together, which is faster.
    """
    if entropy.seeded:
        from ...protocol.wire.parties import user

        lying = randomization(questions)
        rows = [
            lying(people.row(i), entropy.fork(user(i)).fork("round-1").fork("lie"))
            for i in present.tolist()
        ]
        every = sum(question.randomizer.messages_per_person for question in questions)
        column_texts = [list(column) for column in zip(*rows, strict=True)] or [
            [] for _ in range(every)
        ]
    else:
        question_texts = [
            (question, _report_blocks(question, people.codes[present])) for question in questions
        ]
        column_texts = [
            texts[place :: randomizer.randomizer.messages_per_person]
            for randomizer, texts in question_texts
            for place in range(randomizer.randomizer.messages_per_person)
        ]
    return as_table(column_texts)


def _report_blocks(question: Question, codes: Any) -> list[str]:
    """Return the reports of people to a question, drawn for a block of people at a time.

    Blocks limit memory. codes: indices of all true values in their domains.
    """
    import numpy as np

    rng = np.random.default_rng()
    columns = codes[:, list(question.columns)]
    block = max(1, BLOCK // question.randomizer.positions)
    return [
        text
        for first in range(0, len(columns), block)
        for text in sample(question, columns[first : first + block], rng)
    ]


def as_table(column_texts: Sequence[Sequence[str]]) -> "PeopleTable":
    """Return a table of people from texts. column_texts: for each column, people's texts."""
    import numpy as np

    from ...protocol.ideal import PeopleTable

    values, codes = [], []
    for texts in column_texts:
        place = {text: code for code, text in enumerate(dict.fromkeys(texts))}
        values.append(tuple(place) or ("-",))
        codes.append(np.fromiter((place[text] for text in texts), np.int64, len(texts)))
    return PeopleTable(tuple(values), np.stack(codes, axis=1))

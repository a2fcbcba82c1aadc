"""The grammar of a scenario file: one frozen struct for each table, one field for each key.

A file is TOML. The types here hold every range that concerns a single key, so that one pass over
them reports all such mistakes of a file. Rules about several keys are in `validation/check.py`. A
key that is left out has the default written here; None means that the key has no value.
"""

from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta, Struct

from ...crypto.defaults import SUITE
from ...protocol.wire.crowd_limits import MIN_BATCH
from ...protocol.wire.schema import MAX_FEATURES, MAX_VALUES, MAX_WIDTH
from . import mechanisms
from .attack_names import attack_names
from .kinds import kinds

# Limits of the package `protocol` are repeated here, so that reading a file loads no cryptography.
MAX_PEOPLE = (1 << 31) - 1
MAX_SHUFFLERS = 64
MAX_ROWS = 1_000
MAX_SEED = 2**63 - 1  # the largest whole number of a TOML file
MAX_REPEAT = 1_000_000
BUILTIN = "builtin:"  # prefix of the name of a population that is shipped with veilmix or generated
PHONES = "phones"  # name of a population without a table: people answered on their phones

Name = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
        description="a name of at most 64 letters, digits, '-', '_' and '.'",
    ),
]
Text = Annotated[str, Meta(min_length=1)]
Share = Annotated[float, Meta(ge=0, le=1)]
Count = Annotated[int, Meta(ge=0, le=MAX_PEOPLE)]
People = Annotated[int, Meta(ge=1, le=MAX_PEOPLE)]

Role = Literal["identifier", "text", "quasi", "sensitive", "weight", "other"]
Part = Literal["case", "spaces", "accents"]
Unit = Literal["month", "year", "decade"]
Decimal = Literal[".", ","]
Setting = Literal["fixed", "statistical"]
Division = Literal["split", "sample"]
Suite = Literal["sealedbox", "hpke-x25519", "hpke-pq", "textbook"]
Order = Literal["sorted", "kept"]
MixKind = Literal["onion", "verified"]
Submit = Literal["each-round", "once"]
if TYPE_CHECKING:
    Kind = str
else:  # kinds of other installed packages are accepted too
    Kind = Literal[tuple(kinds())]
Rule = Literal["theorem2", "theorem3", "printed", "refined", "coverage", "margins", "worst-case"]
if TYPE_CHECKING:
    Mechanism = str
else:  # mechanisms of other installed packages are accepted too
    Mechanism = Literal[mechanisms.names()]
Method = Literal[
    "em", "bayes", "likelihood", "minmax", "program", "chebyshev", "analytic", "inverse"
]
if TYPE_CHECKING:
    Attack = str
else:  # built-in attacks, and attacks of other installed packages
    Attack = Literal[attack_names()]

# Names of protocol/wire/messages.py and protocol/search are repeated here, so that reading a file
# loads no cryptography. A test compares them with the originals.
MessageKind = Literal[
    "key", "announcement", "consent", "call", "submission", "batch", "mixed", "tally", "decision",
    "burned", "closed", "registry", "alarm", "relay", "found", "agreed", "accusation",
    "roster", "head", "share", "shown", "mint", "ask", "grant", "issued", "roll", "accepted",
    "heard", "coin", "traced", "toss", "opened", "granted", "query", "evaluated",
    "committed", "certificate", "keys", "handed", "checked", "shuffled", "shared",
]  # fmt: skip
Action = Literal[
    "omit", "delay", "change", "ignore", "drop", "double", "replace", "add", "hold", "say", "react",
    "ask", "show",
]  # fmt: skip
Change = Literal[
    "one more", "one fewer", "turned", "zeros", "empty", "without the first", "without the last",
    "less", "moved", "joined", "doubled", "another", "own keys",
    "exchanged", "repeated", "other key",
    "balance", "accounts", "order", "decision", "announcement", "split", "changed",
]  # fmt: skip

OnLedger = Literal["refuse", "warn"]
Into = Literal["round", "next", "session"]
Ask = Literal["levels", "best"]
Close = Literal["published", "none"]


class About(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [scenario]: name, title, seed and number of runs of a scenario.

    Attributes:
        name: the name of the scenario.
        title: the subject of the scenario, in a line.
        seed: the seed of all randomness; None: the randomness of the operating system.
        repeat: the number of independent runs.
        extended: the files that this file extends, as its `extends` named them; None: no file.
            veilmix writes this key into the scenario of a run, which holds all tables itself.
    """

    name: Name
    title: str = ""
    # None: randomness of the operating system
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED)] | None = None
    repeat: Annotated[int, Meta(ge=1, le=MAX_REPEAT)] = 1  # independent runs
    extended: tuple[Text, ...] | None = None


class PopulationSection(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [population]: the people that take part, and the format of their file.

    Attributes:
        source: `builtin:NAME`, or the file of a table: text, a workbook, Parquet, SPSS, Stata or
            SAS.
        users: the number of people to generate, or to draw from a table without replacement (None:
            all people of the table).
        columns: name in the scenario -> name of the column in the table.
        missing: the value that replaces an empty cell; `drop-row` leaves out the row.
        missing_texts: cell texts that count as an empty cell.
        separator, encoding, sheet, header, decimal, header_row, last_row: the format of the file,
            needed only if veilmix guesses it wrongly.
        roles: the roles of columns for an attacker, needed only if veilmix guesses them wrongly.
            Columns with the roles `identifier`, `text` (free text) and `weight` (sampling weight)
            are not asked about.
        person: the column that identifies persons, if they have several rows; it is not asked
            about.
        each_row: whether each row is a person, although an identifier occurs several times.
        one_row: the row that is taken of each person: `first`, `last`, or `earliest:COLUMN` and
            `latest:COLUMN` by a date or a number; None: all rows.
        sets: column -> the sign between the parts of a cell; each cell is read as a set.
        yes_no: column -> the sign between the parts of a cell. New columns
            replace this column: a column for each part, with the values yes and no.
        as_number: columns in which each number has a single spelling: 67 for 67.0.
        rows: the number of ballots of each person for a question, if persons have several rows: at
            least as many as a person has different rows. None: each person has one row.
        setting: `fixed`: the same people take part in both rounds. `statistical`: other people,
            drawn from the same population, take part in round 2. Without `users`, a table is split
            in halves.
        round2_users: people in round 2, if setting is `statistical`; None: as many as in round 1.
    """

    source: Text
    users: People | None = None
    columns: dict[str, Text] = {}
    missing: Text = "(missing)"
    missing_texts: tuple[Text, ...] = ()
    separator: Text | None = None  # one character, `tab` or `space`
    encoding: Text | None = None
    sheet: Text | None = None
    header: bool | None = None
    decimal: Decimal | None = None
    header_row: Annotated[int, Meta(ge=1)] | None = None
    last_row: Annotated[int, Meta(ge=1)] | None = None
    roles: dict[str, Role] = {}
    person: Text | None = None
    each_row: bool = False
    one_row: Text | None = None
    sets: dict[str, Text] = {}
    yes_no: dict[str, Text] = {}
    as_number: tuple[Text, ...] = ()
    rows: Annotated[int, Meta(ge=2, le=MAX_ROWS)] | None = None
    setting: Setting = "fixed"
    round2_users: People | None = None

    @property
    def builtin(self) -> bool:
        """Whether the source is shipped with veilmix or generated."""
        return self.source.startswith(BUILTIN)

    @property
    def answered(self) -> bool:
        """Whether people answered once, on their own phones, so that no table of people exists."""
        return self.source == PHONES


class BinsSection(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The key `bins` of a feature: intervals of numbers by `edges`, `width` or `quantiles`.

    Exactly one of these three keys is set.

    Attributes:
        edges: the beginnings of the intervals, ascending.
        width: the width of every interval.
        start: the start of the first interval, if `width` is set.
        quantiles: the number of intervals with equally many people.
    """

    edges: Annotated[tuple[float, ...], Meta(min_length=1, max_length=10_000)] | None = None
    width: Annotated[float, Meta(gt=0, le=1e15)] | None = None
    start: float = 0
    quantiles: Annotated[int, Meta(ge=2, le=10_000)] | None = None


class FeatureSection(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [[feature]]: a column that people are asked for, its domain and coarser values.

    A domain is given by `values`, `open` or `levels`, at most one key; otherwise the domain is
    the set of values in the data. People apply coarser values before they answer, in this order:
    fold, merge, at most one of date, prefix, bins and hierarchy, then merge_below.

    Attributes:
        name: the name of the column.
        values: the public domain, in public order.
        open: whether any text of at most `width` bytes of UTF-8 is accepted.
        width: bytes of UTF-8 that an open value may take.
        levels: the number of values in a generated population.
        fold: differences in spelling that are ignored: case, spaces, accents.
        merge: label -> the values that this label replaces.
        date: the part of a date that is kept: month, year or decade.
        day_first: whether the 3 of 3/4/2020 is the day.
        prefix: the number of leading characters of a code that are kept.
        bins: intervals of numbers.
        hierarchy: a CSV file with each value and its coarser values, level by level.
        level: the level of the hierarchy that is used, from 1.
        merge_below: values of fewer people than this number are merged.
    """

    name: Text
    values: Annotated[tuple[Text, ...], Meta(min_length=1, max_length=MAX_VALUES)] | None = None
    open: bool = False
    width: Annotated[int, Meta(ge=1, le=MAX_WIDTH)] | None = None
    levels: Annotated[int, Meta(ge=1, le=MAX_VALUES)] | None = None
    fold: Annotated[tuple[Part, ...], Meta(min_length=1)] | None = None
    merge: dict[str, tuple[Text, ...]] | None = None
    date: Unit | None = None
    day_first: bool | None = None
    prefix: Annotated[int, Meta(ge=1, le=255)] | None = None
    bins: BinsSection | None = None
    hierarchy: Text | None = None
    level: Annotated[int, Meta(ge=1, le=64)] | None = None
    merge_below: People | None = None


class Mix(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [mix]: the mix network, and the form of its messages.

    Attributes:
        kind: `onion`, or `verified`: every step of the mix is proved (docs/verified.md).
        submit: `each-round`, or with a verified mix `once`: round 2 mixes the ballots of round 1.
        shufflers: the number of shufflers.
        suite: the crypto suite that seals messages.
        pad: whether all messages of a round have one size.
        salt: whether every ballot has a salt of its own.
        order: the order of a batch when it leaves a shuffler: `sorted`, or `kept` as it arrived.
        min_batch: the smallest number of users; a round with fewer users is aborted.
        deadline: seconds in which users can answer a query (call).
        lesson: whether settings are allowed that are only safe in a classroom.
        peers: whether all people mix, count and decide themselves, without shufflers, curator and
            analyst.
        path: the number of peers that every message passes.
        cover: the number of blank messages of each peer in round 1. They enlarge the batches that
            are mixed. Round 2 has as many messages as round 1.
    """

    kind: MixKind = "onion"
    submit: Submit = "each-round"
    shufflers: Annotated[int, Meta(ge=1, le=MAX_SHUFFLERS)] = 2
    suite: Suite = SUITE
    pad: bool = True
    salt: bool = True
    order: Order = "sorted"
    min_batch: People = MIN_BATCH  # users; a round with fewer users is aborted
    deadline: Annotated[int, Meta(ge=1, le=MAX_PEOPLE)] = 60  # seconds
    lesson: bool = False
    peers: bool = False
    path: Annotated[int, Meta(ge=1, le=16)] = 3
    cover: Annotated[int, Meta(ge=0, le=64)] = 4


class Policy(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [policy]: the curator's promise, and its rule for the columns to release.

    The promise limits the share of people in an equivalence class smaller than k.

    Attributes:
        kind: the release program.
        k: people in the smallest equivalence class that counts as safe.
        max_exposure: the share of people that may be in a smaller class.
        curator_exposure: for `kind = "hierarchical"`, the share of people with a value that the
            curator may be certain of. It asks no question that could make it certain of more
            people. None: no limit.
        ask: the next question of that curator: `levels` (also None) asks for all safe pairs of
            columns, then triples and so on. `best` asks for the single safe group of columns that
            is expected to lower the certified bound on exposed people most per bit that it reveals.
        delta: in the statistical setting, the probability with which the promise may fail.
        rule: the rule that bounds exposure. `margins` takes the smaller of two bounds: a bound from
            a linear program over the marginals, and the coverage bound. For people who were not
            counted it is the coverage bound.
        prefer, weights: the columns that are worth most, see `column_weights`.
        required, forbidden: columns without which there is no release, and columns never released.
        keep: the columns that `kind = "fixed"` releases.
        publish_marginals: whether the counts of round 1 are public.
        ledger: whether a run that keeps a ledger refuses an unsafe release or warns of it. A
            release is unsafe if it could be subtracted from, or joined with, earlier releases about
            the same people.
        prefixes: whether `kind = "threshold"` opens prefixes of rows, in the order of the features,
            besides whole rows.
        close: the reader's rule against knowledge by exclusion, for `kind = "threshold"`. With
            `published` the reader publishes less than it opens, so that no other party knows a
            person by exclusion. With `none` it publishes all that it opens.
        sample: the probability with which a person takes part in `kind = "threshold"`; any other
            person sends a message that cannot be opened. None: all people take part.
        epsilon: with `sample`, the epsilon (nats) for which the delta of the release is stated;
            None: 1.
    """

    kind: Kind = "exposure"
    k: People = 5
    max_exposure: Share = 0.01
    curator_exposure: Share | None = None
    ask: Ask | None = None
    delta: Annotated[float, Meta(gt=0, lt=1)] = 0.05
    rule: Rule = "margins"
    prefer: tuple[Text, ...] = ()
    weights: dict[str, Annotated[float, Meta(gt=0, le=1e9)]] = {}
    required: tuple[Text, ...] = ()
    forbidden: tuple[Text, ...] = ()
    keep: tuple[Text, ...] = ()
    prefixes: bool = False
    close: Close = "published"
    sample: Annotated[float, Meta(ge=0.001, lt=1)] | None = None
    epsilon: Annotated[float, Meta(gt=0, le=50)] | None = None
    publish_marginals: bool = False
    ledger: OnLedger = "refuse"


class Local(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [local]: the noise that users add before sending; epsilon in nats.

    Attributes:
        mechanism: the name of the mechanism; `none` adds no noise.
        epsilon: the epsilon of one person's whole answer, in nats.
        features: `split`: a person reports every one of d features, each with epsilon / d.
            `sample`: a person draws a single feature, and reports it with the whole epsilon.
        forever: the epsilon of all reports about the same answer, in nats, of a mechanism that
            keeps noise from run to run; None: twice epsilon.
        spend: the total epsilon of a person's reports over all runs of a ledger, in nats. A run in
            which any person would exceed this limit is refused. None: counted without a limit.
        spend_shuffled: the same limit for epsilon after shuffling, of all runs together; each run
            adds 1e-6 to delta.
        relied_on: the number of people who are assumed to keep their reports secret, for epsilon
            after shuffling. None, or more than take part: all people.
    """

    mechanism: Mechanism = "none"
    epsilon: Annotated[float, Meta(gt=0, le=1e6)] | None = None
    features: Division = "split"
    forever: Annotated[float, Meta(gt=0, le=1e6)] | None = None
    spend: Annotated[float, Meta(gt=0, le=1e6)] | None = None
    spend_shuffled: Annotated[float, Meta(gt=0, le=1e6)] | None = None
    relied_on: Annotated[int, Meta(ge=1)] | None = None


class IncidenceSection(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [incidence]: owners that report sets of elements, and the counts' estimator.

    It belongs to `policy.kind = "incidence"`: each owner reports a set, as a vector with a position
    for each element. The counts say how many elements are in exactly 0, 1, 2, ... of the sets.

    Attributes:
        owners: the owners of a file that take part; (): all owners.
        positions: the number of elements that a set may hold; for a file, at least the elements
            that occur (None: just these).
        method: the estimator of the counts.
        beta: the probability with which any of the counts may lie outside its confidence limits.
    """

    owners: tuple[Text, ...] = ()
    positions: Annotated[int, Meta(ge=2, le=MAX_FEATURES * 4 * MAX_WIDTH)] | None = None
    method: Method = "em"
    beta: Annotated[float, Meta(gt=0, lt=1)] = 0.1


class AttackerSection(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [attacker]: the prior knowledge of an attacker that tries to assign rows to people.

    Attributes:
        knows: names of features; the attacker knows their values for all people. This set is tried
            besides the usual sets: each single feature, each set that lacks a single feature, and
            all features.
    """

    knows: tuple[Text, ...] = ()


class Coalition(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [[coalition]]: parties that pool their views and keys; their leakage is measured.

    Attributes:
        name: the name of the coalition in reports.
        parties: the names of the parties in the coalition.
    """

    name: Text
    parties: Annotated[tuple[Text, ...], Meta(min_length=1)]


class Fault(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [[fault]]: a fault or an attack, and the party that commits it.

    Exactly one of by, users and share names the party. The file of an attack in scenarios/attacks
    says which keys it reads, and which party can commit it.

    Attributes:
        attack: the name of the attack.
        by: a party, or a pattern of users such as `user-1*`.
        users, share: the number or the share of users, drawn at random.
        rate: the share of messages that the attack affects.
        round: the round of the attack; None: every round.
        target: the user under attack.
        into: the destination of a `replay`.
        bit: the number of the bit of a layer that a `tag` flips.
    """

    attack: Attack
    by: Text | None = None
    users: People | None = None
    share: Share | None = None
    rate: Share | None = None
    round: Annotated[int, Meta(ge=1, le=255)] | None = None
    target: Text | None = None
    into: Into | None = None
    bit: Annotated[int, Meta(ge=0, le=65_535)] | None = None


class DeviationSection(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [[deviation]]: one action by which a member of a malicious coalition deviates.

    `veilmix leak RUN --search` writes such tables. protocol/search/deviation.py defines the
    actions, the values of `do`; some keys have a special meaning for an action.

    Attributes:
        by: the member.
        do: the action by which it deviates.
        message: the kind of message. With `hold` (posts are withheld from people): the first post
            that is withheld. With `show` (a party reads another board): the post that is changed,
            or left out if no `field` is named.
        field: the field that changes, such as `people` or `asks[0]`.
        change: the change of the field. With `react` (a post without a cause): the cause that an
            alarm states. With `show`, `own keys` needs no `field`.
        people: the people whose messages, ballots or names are affected; (): all. With `show`, the
            parties that read the other board.
        all_but: whether all people except `people` are affected.
        rounds: the rounds of the deviation; (): all rounds; 0: before the first round.
        row: the row that the member answers, or the row of a removed entry of a list.
        places: for a later shuffler, the affected ballots, by place in its batch, from 0.
        until: with `hold`, the kind of post at which all posts are shown; with `react`, the kind of
            the member's own next post.
        until_by: with `hold`, the author of the post in `until`.
        deadlines: with `delay`, the length of the delay, in deadlines of the session.
    """

    by: Text
    do: Action
    message: MessageKind | None = None
    field: Text | None = None
    change: Change | None = None
    people: tuple[Text, ...] = ()
    all_but: bool = False
    rounds: tuple[Annotated[int, Meta(ge=0, le=255)], ...] = ()
    row: tuple[Text, ...] = ()
    places: tuple[Count, ...] = ()
    until: MessageKind | None = None
    until_by: Text | None = None
    deadlines: Annotated[float, Meta(gt=0, le=100)] | None = None


class Defence(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [defence]: the guards (countermeasures) that can be switched, besides [mix].

    The guards from `promise` on can be switched off only if `mix.lesson` is set.

    Attributes:
        receipts: share of users who check that their ballot arrived, before it is opened.
        registered: whether only users known beforehand may send. None: yes, if a list of their keys
            can be made beforehand (`Scenario.can_register`).
        min_dropout: a second round is released only if no user left, or at least this number.
        balance: whether totals and accounts on the board are added up and compared.
        recompute: whether the analyst decides again from published marginals.
        compare: whether users compare the messages that they received with the board.
        burn: whether a session is not run again on the same people with a few missing.
        union: whether a session of the same people is not run again for other columns.
        sums: whether two readers compare their counts of the same people, and abort the round if
            the counts differ.
        signed: whether identities known beforehand sign their posts, and the board signs its log.
        tokens: whether a ballot counts only with a token given to a registered person, and all
            tokens are spent.
        challenge: as `receipts`, but every user checks, and can prove a lost ballot before opening.
        audit: whether half of the layers of every pair of shufflers are opened in public.
        promise: whether the analyst makes no release without a proof that the promise on exposure
            holds for its respondents.
        bind: whether a layer opens only in its session, round and hop.
        dedupe: whether repeated messages are dropped.
        unbundle: whether the first shuffler separates a person's answers.
        fresh_salt, fresh_key: whether every answer has a new salt, and a new ephemeral key.
    """

    receipts: Share = 0.0
    registered: bool | None = None  # None: on if a list of users' keys can be made beforehand
    min_dropout: People = 10
    balance: bool = False
    recompute: bool = False
    compare: bool = True
    burn: bool = True
    union: bool = False
    sums: bool = True
    signed: bool = True
    tokens: bool = False
    challenge: bool = False
    audit: bool = False
    promise: bool = True
    bind: bool = True
    dedupe: bool = True
    unbundle: bool = True
    fresh_salt: bool = True
    fresh_key: bool = True

    def registers(self, *, possible: bool) -> bool:
        """Whether only users with keys listed beforehand may send.

        The setting `registered` decides. If the setting is None, the result is `possible`:
        whether a list of the users' keys can be made before the session.
        """
        return possible if self.registered is None else self.registered

    @property
    def locks(self) -> bool:
        """Whether ballots stay sealed until users (all or a share) check their arrival."""
        return self.challenge or self.receipts > 0


class Expect(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [expect]: the expected outcome; if a run differs, it ends with exit code 3.

    Shares are 0 to 1.

    Attributes:
        kept_at_least: the least number of released columns.
        kept: exactly these columns are released.
        suppressed: these columns, and possibly more, are left out.
        curator_links_at_most: the largest number of people whom the curator may link to values.
        true_exposure_at_most: the largest share of exposed people in the release.
        promised_at_most: the largest share of exposed people that the certificate allows.
        alarms_at_least: the least number of alarms on the board.
        attack_at_most, attack_at_least: limits of the success of every attack, in the unit that the
            attack's file names.
    """

    kept_at_least: Count | None = None
    kept: tuple[Text, ...] | None = None
    suppressed: tuple[Text, ...] | None = None
    curator_links_at_most: Count | None = None
    true_exposure_at_most: Share | None = None
    promised_at_most: Share | None = None
    alarms_at_least: Count | None = None
    attack_at_most: Annotated[float, Meta(ge=0)] | None = None
    attack_at_least: Annotated[float, Meta(ge=0)] | None = None


Swept = Annotated[
    tuple[bool | int | float | str, ...],
    Meta(
        min_length=1,
        description='a list of values for a key in quotes, such as "mix.shufflers" = [1, 2],',
    ),
]


class Scenario(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A whole scenario file, with the tables of the files that it extends.

    Scenarios are equal if all their tables are equal.

    Attributes:
        scenario: the name of the scenario, and its seed.
        population: the people who take part.
        feature: the columns that are asked about; (): all columns of the source.
        mix: the mix network, and the form of its messages.
        policy: the promise on exposure, and the rule that chooses columns.
        local: the noise that users add before sending.
        incidence: the owners of sets, if sets are counted.
        attacker: the prior knowledge of an attacker that tries to find people.
        coalition: parties that pool their views, scored besides the coalitions that every run
            scores.
        fault: faults and attacks, with their parties.
        deviation: actions by which members of a coalition deviate, as the search for attacks writes
            them.
        defence: the guards (countermeasures) that can be switched.
        expect: the expected outcome.
        sweep: dotted key -> the values that a sweep gives to this key.
    """

    scenario: About
    population: PopulationSection
    feature: tuple[FeatureSection, ...] = ()
    mix: Mix = Mix()
    policy: Policy = Policy()
    local: Local = Local()
    incidence: IncidenceSection = IncidenceSection()
    attacker: AttackerSection = AttackerSection()
    coalition: tuple[Coalition, ...] = ()
    fault: tuple[Fault, ...] = ()
    deviation: tuple[DeviationSection, ...] = ()
    defence: Defence = Defence()
    expect: Expect = Expect()
    sweep: dict[str, Swept] = {}

    @property
    def can_register(self) -> bool:
        """Whether a list of users' keys can be made before the session.

        False among peers, which have their own guards (countermeasures), and for people on phones,
        because their keys are unknown before they join.
        """
        return not (self.mix.peers or self.population.answered)

    @property
    def registered(self) -> bool:
        """Whether only users known beforehand may send."""
        return self.defence.registers(possible=self.can_register)

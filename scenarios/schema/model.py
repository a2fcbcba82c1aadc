"""The grammar of a scenario file: one frozen struct for each table, one field for each key.

A file is TOML. Every range that can be judged without a second key stands here, so that one walk
over these types can report all mistakes of a file; all other rules are in `validation/check.py`. A
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

# Limits of the package `protocol`, repeated so that reading a file loads no cryptography.
MAX_PEOPLE = (1 << 31) - 1
MAX_SHUFFLERS = 64
MAX_ROWS = 1_000
MAX_SEED = 2**63 - 1  # the largest whole number of a TOML file
MAX_REPEAT = 1_000_000
BUILTIN = "builtin:"  # prefix of the name of a shipped or generated source
PHONES = "phones"  # source without a table: people answered on their phones

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
else:  # an attack for each file of scenarios/attacks/entries
    Attack = Literal[attack_names()]

# Names of protocol/wire/messages.py and protocol/search, repeated so that reading a file loads no
# cryptography. A test compares them.
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
    """The table [scenario]: name, title, and seed of a scenario.

    Attributes:
        name: the name of the scenario.
        title: the subject of the scenario, in a line.
        seed: the seed of all randomness; None: the system's.
        repeat: the number of independent runs.
        extended: the bases of the file, as `extends` names them, if it has some; veilmix writes
            them into the scenario of a run, which holds all tables itself.
    """

    name: Name
    title: str = ""
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED)] | None = None  # None: system randomness
    repeat: Annotated[int, Meta(ge=1, le=MAX_REPEAT)] = 1  # independent runs
    extended: tuple[Text, ...] | None = None


class PopulationSection(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [population]: the people that take part, and the format of their file.

    Attributes:
        source: `builtin:NAME`, or a table's file: text, a workbook, Parquet, of SPSS, Stata or SAS.
        users: the number of people to generate, or to draw from a table without replacement (None:
            all of it).
        columns: name in the scenario -> column of the table.
        missing: the value of an empty cell, or `drop-row`.
        missing_texts: cells that mean the same as an empty cell.
        separator, encoding, sheet, header, decimal, header_row, last_row: the format of the file,
            if it is not guessed correctly.
        roles: the roles of columns for an attacker, if they are not guessed correctly; no person is
            asked for an `identifier`, for `text`, which is free, or for a sampling `weight`.
        person: the column that identifies persons, if they have several rows; no person is asked
            for it.
        each_row: whether each row is a person, although an identifier occurs several times.
        one_row: the row of each person that is taken: `first`, `last`, or `earliest:COLUMN` and
            `latest:COLUMN` by a date or a number; None: all.
        sets: column -> the sign between the parts of a cell; each cell is read as a set.
        yes_no: column -> the sign between the parts of a cell; a column for each part, with the
            values yes and no, replaces it.
        as_number: columns in which each number has a single spelling: 67 for 67.0.
        rows: ballots of each person to a question, if persons have several rows: at least as many
            as a person has different rows; None: each person has one row.
        setting: `fixed`, the same people in both rounds, or `statistical`: `users` in round 1 and
            `round2_users` other people (None: as many; without `users` a table is split in halves)
            in round 2, all drawn from one population.
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
        """Whether people answered on phones of their own, once, so that no table of them exists."""
        return self.source == PHONES


class BinsSection(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The key `bins` of a feature: intervals of numbers by `edges`, `width` or `quantiles`.

    Exactly one of the three is set; with `width`, intervals start from `start`.

    Attributes:
        edges: ascending, each the beginning of an interval.
        width: the width of every interval.
        start: the start of the first interval.
        quantiles: the number of intervals with equally many people.
    """

    edges: Annotated[tuple[float, ...], Meta(min_length=1, max_length=10_000)] | None = None
    width: Annotated[float, Meta(gt=0, le=1e15)] | None = None
    start: float = 0
    quantiles: Annotated[int, Meta(ge=2, le=10_000)] | None = None


class FeatureSection(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [[feature]]: a column that people are asked for, its domain and coarser values.

    A domain is given by `values`, `open` or `levels`, at most one of them; else it is the values in
    the data. Coarser values are applied by people before they answer, in this order: fold, merge,
    at most one of date, prefix, bins and hierarchy, then merge_below.

    Attributes:
        name: the name of the column.
        values: the public domain, in public order.
        open: any text of at most `width` bytes of UTF-8.
        width: bytes of UTF-8 that an open value may take.
        levels: the number of values in a generated population.
        fold: parts of spelling that do not distinguish values.
        merge: label -> the values that become it.
        date: the part of a date that is kept.
        day_first: whether the 3 of 3/4/2020 is the day.
        prefix: the number of leading characters of a code that are kept.
        bins: intervals of numbers.
        hierarchy: a CSV file of the values, level by level.
        level: the level of the hierarchy, from 1.
        merge_below: values that fewer people have are merged.
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

    `lesson` allows settings that are only safe in a classroom.

    Attributes:
        kind: `onion`, or `verified`: every step of the mix is proved (docs/verified.md).
        submit: `each-round`, or with a verified mix `once`: round 2 mixes the ballots of round 1.
        shufflers: their number.
        suite: the crypto suite that seals messages.
        pad: whether all messages of a round have one size.
        salt: whether every ballot has a salt of its own.
        order: the order in which batches leave a hop.
        min_batch: a round with fewer users is aborted.
        deadline: seconds from a query (call) to the close of its collection.
        lesson: allows settings that are only safe in a classroom.
        peers: there is no shuffler, curator or analyst; all people mix, count and decide.
        path: peers that every message passes.
        cover: blank messages of each peer in round 1; round 2 has as many messages as round 1.
    """

    kind: MixKind = "onion"
    submit: Submit = "each-round"
    shufflers: Annotated[int, Meta(ge=1, le=MAX_SHUFFLERS)] = 2
    suite: Suite = SUITE
    pad: bool = True
    salt: bool = True
    order: Order = "sorted"
    min_batch: People = MIN_BATCH  # a round with fewer users is burned
    deadline: Annotated[int, Meta(ge=1, le=MAX_PEOPLE)] = 60  # seconds
    lesson: bool = False
    peers: bool = False
    path: Annotated[int, Meta(ge=1, le=16)] = 3
    cover: Annotated[int, Meta(ge=0, le=64)] = 4


class Policy(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [policy]: the curator's promise, and its rule for the columns to release.

    Attributes:
        kind: the release program.
        k: people in the smallest equivalence class that counts as safe.
        max_exposure: the share of people that may be in a smaller class.
        curator_exposure: the share of people that the curator of `kind = "hierarchical"` may be
            certain of; it asks no question that could make it certain of more. None: it is not
            limited.
        ask: the next question of that curator: `levels` (None too), all safe pairs, then triples
            and so on, or `best`, the one safe group that should lower the promise most per bit.
        delta: in the statistical setting, the probability with which the promise may fail.
        rule: the rule that bounds exposure: `margins` is the smaller of the bound by prices and the
            coverage bound; of people who were not counted it is the coverage bound.
        prefer, weights: the columns that are worth most, see `column_weights`.
        required, forbidden: columns without which there is no release, and columns never released.
        keep: the columns that `kind = "fixed"` releases.
        publish_marginals: whether the counts of round 1 are public.
        ledger: whether a run that keeps a ledger refuses a release that could be subtracted from,
            or joined with, earlier releases about the same people, or warns of it.
        prefixes: whether `kind = "threshold"` opens prefixes of rows, in the order of the features,
            and not whole rows alone.
        close: the reader's rule so that no person is known by exclusion: with `published` it
            publishes less than it opens, which protects against every party but the reader; with
            `none` it publishes all.
        sample: the probability with which a person takes part in `kind = "threshold"`; any other
            person sends a message that cannot be opened. None: all take part.
        epsilon: the epsilon at which the delta of such a release is stated, in nats; None: 1.
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
        features: `split`: every feature is reported, with epsilon / d of d features; `sample`: a
            person draws one of them, and reports it with the whole epsilon.
        forever: the epsilon of all reports about the same answer, in nats, of a mechanism that
            keeps noise from run to run; None: twice epsilon.
        spend: nats that a person may spend over all runs of a ledger; a run in which any person
            would pass it is refused. None: it is counted, and not limited.
        spend_shuffled: the limit of epsilon after shuffling, composed over runs at the sum of their
            deltas, 1e-6 each.
        relied_on: people in the batch who are assumed to keep their reports secret; epsilon after
            shuffling relies on these. If fewer take part: on these. None: on all.
    """

    mechanism: Mechanism = "none"
    epsilon: Annotated[float, Meta(gt=0, le=1e6)] | None = None
    features: Division = "split"
    forever: Annotated[float, Meta(gt=0, le=1e6)] | None = None
    spend: Annotated[float, Meta(gt=0, le=1e6)] | None = None
    spend_shuffled: Annotated[float, Meta(gt=0, le=1e6)] | None = None
    relied_on: Annotated[int, Meta(ge=1)] | None = None


class IncidenceSection(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [incidence]: the owners of counted sets, and the estimator of the counts.

    It belongs to `policy.kind = "incidence"`, in which each owner reports a set of positions.

    Attributes:
        owners: the owners of a file that take part; (): all.
        positions: the number of elements that a set may hold; of a file at least the elements that
            occur (None: just these).
        method: the estimator of the counts.
        beta: probability with which the limits of all counts together may fail.
    """

    owners: tuple[Text, ...] = ()
    positions: Annotated[int, Meta(ge=2, le=MAX_FEATURES * 4 * MAX_WIDTH)] | None = None
    method: Method = "em"
    beta: Annotated[float, Meta(gt=0, lt=1)] = 0.1


class AttackerSection(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [attacker]: the prior knowledge of an attacker that tries to assign rows to people.

    Attributes:
        knows: features that the attacker knows of all people, by name; (): every single feature,
            all but a single feature, and all are tried.
    """

    knows: tuple[Text, ...] = ()


class Coalition(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [[coalition]]: parties that pool their views and keys, so that leakage is measured.

    Attributes:
        name: the name of the coalition in reports.
        parties: the names of the parties in the coalition.
    """

    name: Text
    parties: Annotated[tuple[Text, ...], Meta(min_length=1)]


class Fault(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [[fault]]: a fault or an attack, and its party: exactly one of by, users, share.

    The file of an attack in scenarios/attacks says which keys it reads, and which party commits it.

    Attributes:
        attack: the name of the attack.
        by: a party, or a pattern of users such as `user-1*`.
        users, share: the number or the share of users, drawn at random.
        rate: share of messages.
        round: None is every round.
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

    `veilmix leak RUN --search` writes them; protocol/search/deviation.py defines each.

    Attributes:
        by: the member.
        do: the kind of the deviation.
        message: the kind of message; of `hold`, the first post that is withheld; of `show`, the
            post that is shown otherwise.
        field: the field that changes, such as `people` or `asks[0]`.
        change: the change of the field; of `react`, the cause of an alarm.
        people: people, to select their messages, ballots or names; (): all. Of `show`, the parties
            that read another board.
        all_but: all people but `people` are selected.
        rounds: the rounds of the deviation; (): all; 0: before the first.
        row: the row of the member's own answers, or the row of a removed entry.
        places: for a later shuffler, the selected ballots, by place in its batch, from 0.
        until: for `hold`, the post at which all is shown; for `react`, the member's next post.
        until_by: for `hold`, the author of the post in `until`.
        deadlines: for `delay`, the length of the delay, in deadlines of the session.
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

    The guards from `promise` on are switched off in a lesson only.

    Attributes:
        receipts: share of users who check that their ballot arrived, before it is opened.
        registered: only users known beforehand may send. None: if a list of their keys can be made
            beforehand (`Scenario.can_register`).
        min_dropout: a second round is released only if no user, or at least so many, left.
        balance: totals and accounts on the board are added up.
        recompute: the analyst decides again from published marginals.
        compare: users compare the messages that they received with the board.
        burn: a session is not run again on the same people less a few.
        union: a session of the same people is not run again for other columns.
        sums: two readers compare their counts of the same people, and abort the round if these
            differ.
        signed: posts and the board's heads (digests of its log) are signed by identities known
            beforehand.
        tokens: a ballot counts only with a token given to a registered person, and all tokens are
            spent.
        challenge: as `receipts`, but every user checks, and can prove a lost ballot before opening.
        audit: half of the layers of every pair of shufflers are opened in public.
        promise: the analyst makes no release without a proof of the promise for its respondents.
        bind: layers open in one session, round and hop.
        dedupe: repeats are dropped.
        unbundle: the first shuffler takes a person's answers apart.
        fresh_salt, fresh_key: every answer has a new salt, and a new ephemeral key.
    """

    receipts: Share = 0.0
    registered: bool | None = None  # None: on if a list is possible (`registers`)
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
        """Whether only users known beforehand may send: the only place that resolves None.

        possible: whether there can be a list of their keys, so that it is made by default.
        """
        return possible if self.registered is None else self.registered

    @property
    def locks(self) -> bool:
        """Whether ballots stay locked until users, all or a share, have checked their arrival."""
        return self.challenge or self.receipts > 0


class Expect(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table [expect]: the expected outcome, else the run ends with exit code 3.

    Shares are 0 to 1.

    Attributes:
        kept_at_least: the least number of released columns.
        kept: exactly these columns are released.
        suppressed: these columns, and possibly more, are left out.
        curator_links_at_most: people whom the curator links to values.
        true_exposure_at_most: share of exposed people in the release.
        promised_at_most: share of exposed people that the certificate allows.
        alarms_at_least: alarms on the board.
        attack_at_most, attack_at_least: the success of every attack, in the unit that its file
            names.
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
    """A whole scenario file, with the tables of the file that it extends.

    Files with equal tables are equal scenarios.

    Attributes:
        scenario: the name of the scenario, and its seed.
        population: the people who take part.
        feature: the columns that are asked about; (): all of the source.
        mix: the mix network, and the form of its messages.
        policy: the promise, and the rule that chooses columns.
        local: the noise that users add before sending.
        incidence: the owners of sets, if sets are counted.
        attacker: the prior knowledge of an attacker that tries to find people.
        coalition: parties that pool their views; (): the coalitions that are of interest in any
            scenario.
        fault: faults and attacks, with their parties.
        deviation: actions by which members of a coalition deviate, as the search for attacks writes
            them.
        defence: the guards that can be switched.
        expect: the expected outcome.
        sweep: dotted key -> the values it takes.
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
        """Whether there can be a list of users' keys made beforehand.

        Not among peers, which have their own guards, nor on phones: their keys are unknown before
        they join.
        """
        return not (self.mix.peers or self.population.answered)

    @property
    def registered(self) -> bool:
        """Whether only users known beforehand may send."""
        return self.defence.registers(possible=self.can_register)

"""Old names work, warn once, and mean the same as the new ones.

The table is written by hand: without an alias of it, tests fail.
"""

import dataclasses
import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from importlib import import_module
from types import SimpleNamespace
from typing import Any, NamedTuple, Self

import msgspec
import numpy as np
import pytest
from veilmix.analysis.composition import Bound, WorstCase, worst_case
from veilmix.analysis.exposure import Crowds
from veilmix.analysis.figures import Check, popular_places_figure, session_error_figure
from veilmix.analysis.frames import Frame
from veilmix.analysis.information import Budget
from veilmix.analysis.randomizers import (
    GRR,
    Bloom,
    Estimate,
    KeyValue,
    LocalHash,
    Memoized,
    PckvGRR,
    PckvUE,
    PrefixTree,
    PrivKV,
    SubsetSelection,
    as_randomizer,
)
from veilmix.analysis.randomizers.expected_limits import ExpectedLimits
from veilmix.analysis.randomizers.neighbour_laws import PairLaw
from veilmix.analysis.reidentification import (
    Identified,
    LargeDomain,
    Sequences,
    find_in,
    find_people,
)
from veilmix.analysis.release_risks import (
    Inference,
    Linkability,
    ReleaseAttack,
    ask,
    singling_out,
    table_risks,
)
from veilmix.analysis.release_risks.guesses import CellCounts, neighbours
from veilmix.analysis.release_risks.unchanged_table import EVERY
from veilmix.analysis.scoring import score_table
from veilmix.analysis.scoring.set_scores import SetChoice
from veilmix.analysis.scoring.table_score import TableScore
from veilmix.analysis.shuffled import Level, SampledDelta, largest_local_epsilon
from veilmix.analysis.trust import received_reports
from veilmix.analysis.trust.best_guesses import PersonPosteriors
from veilmix.analysis.trust.evidence import Crowd
from veilmix.analysis.trust.fiber import CrowdPosterior
from veilmix.deprecated import Replaced, accepts_old, keeps_old, renamed
from veilmix.own_data.advise import Advised, ChoiceCost
from veilmix.protocol.knowledge.transcript import Transcript
from veilmix.protocol.knowledge.view import View
from veilmix.scenarios.lab.scoring.outcome import Outcome
from veilmix.scenarios.lab.scoring.worst_case import WorstCaseBracket
from veilmix.scenarios.populations.roles import ColumnRole, JudgedColumn
from veilmix.scenarios.programs.peer_findings import OfSize
from veilmix.scenarios.programs.randomized.score import Randomized
from veilmix.scenarios.records.result_file import Run
from veilmix.scenarios.records.verification.checks import CheckResult
from veilmix.scenarios.studies.api import SweepStopped
from veilmix.scenarios.studies.comparison.result import Learnt, Trust
from veilmix.scenarios.studies.sweeps.sweep_runs import SweptRuns

MARGINALS = [[3, 2], [4, 1]]
JOINT = {(0, 1): [[3, 0], [1, 1]]}
TABLE = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]])
SCORE = score_table(TABLE, ("a", "b", "c"), 2)
PAIRS = ("a=1", "a=-1", "b=1", "b=-1")
MEMOIZED = Memoized.from_epsilon(3, 1.0)
TREE = PrefixTree(("ab", "cd"), 1.0)
LINKED = {person: {0: "101"} for person in range(3)}
PARTIES = frozenset({"curator", "analyst", "shuffler-1"})
VIEW = View(PARTIES, 4, True, {1: LINKED}, (), {}, {}, Transcript(4))


class OldParameter(NamedTuple):
    """An old keyword: the callable, its other arguments, both names, and a value for both."""

    function: Callable[..., Any]
    others: Sequence[Any]
    old: str
    new: str
    value: Any
    keywords: dict[str, Any] = {}  # noqa: RUF012 - a constant


PARAMETERS = [
    OldParameter(worst_case, [MARGINALS, 2], "known", "known_joints", JOINT),
    OldParameter(worst_case(MARGINALS, 2).verify, [MARGINALS], "known", "known_joints", {}),
    OldParameter(
        popular_places_figure, [[50, 20, 10, 5]], "shown", "frequent_places", 3,
        {"epsilon": 40.0, "error": 0.3},
    ),
    OldParameter(
        session_error_figure, [{"three": [30, 6, 3, 1], "one": [35, 5]}], "shown", "shown_title",
        "one", {"shown_epsilon": 30.0, "methods": ("minmax",), "epsilons": (30.0,), "runs": 1},
    ),
    OldParameter(MEMOIZED.fresh, [], "kept", "permanent_bits", [[1, 0, 0]], {"rng": 7}),
    OldParameter(TREE.share_variance, [0.5], "many", "level_people", 10, {"people": 20}),
    OldParameter(as_randomizer, [], "given", "mechanism", GRR(3, 1.0)),
    OldParameter(find_in, [], "known", "known_table", TABLE, {"released": TABLE}),
    OldParameter(find_people, [TABLE], "known", "known_columns", [0]),
    OldParameter(ask, [[Inference(2, (0, 1))], TABLE, TABLE], "most", "max_comparisons", 1e6),
    OldParameter(singling_out, [TABLE, TABLE, 2], "most", "max_counted", 1e6),
    OldParameter(table_risks, [TABLE], "asked", "column_roles", EVERY),
    OldParameter(
        largest_local_epsilon, [lambda local: GRR(3, local), 1_000, 0.5], "most", "max_epsilon", 3.0
    ),
    OldParameter(
        Level.from_value, ["epsilon", "hockey-stick", 1.0], "other", "partner", 1e-6,
        {"n": 10, "q": 0.1},
    ),
    OldParameter(received_reports, [VIEW, (2, 2, 1)], "told", "report_bits", 0.5),
]  # fmt: skip


def filled(cls: Any) -> Any:
    """Return a record with a different value in each field."""
    if issubclass(cls, msgspec.Struct):
        return cls(**{name: name for name in cls.__struct_fields__})
    return cls(**{field.name: field.name for field in dataclasses.fields(cls) if field.init})


UNDECIDED = dataclasses.replace(filled(Outcome), curated=None)
UNDECIDED_RUN = dataclasses.replace(filled(Run), result=SimpleNamespace(decision=None))
LEARNT = dataclasses.replace(filled(Learnt), parties=("curator",), bits_per_person=1.0)

FIELDS: list[tuple[Any, dict[str, str]]] = [
    (filled(Check), {"what": "subject", "said": "claim", "found": "result"}),
    (filled(Budget), {"together": "joint"}),
    (GRR(3, 1.0), {"said_values": "reported_values"}),
    (LocalHash(8, 4, 1.0), {"said_values": "reported_values"}),
    (SubsetSelection(8, 2, 1.0), {"said_bits": "reported_bits"}),
    (Bloom(("a", "b"), 1.0), {"many": "cohort_count"}),
    (PckvGRR(PAIRS, 1.0), {"own": "own_key_chance", "other": "other_key_chance"}),
    (PckvUE(PAIRS, 1.0), {"own": "own_key_chance", "other": "other_key_chance"}),
    (PrivKV(PAIRS, 1.0), {"own": "own_key_chance", "other": "other_key_chance"}),
    (MEMOIZED, {"kept": "permanent_truth", "made": "permanent_lie"}),
    (filled(LargeDomain), {"kept": "supported_symbols", "least": "base_support"}),
    (filled(ExpectedLimits), {"least": "min_share"}),
    (filled(PairLaw), {"own": "u_ratios", "other": "v_ratios"}),
    (filled(Identified), {"found": "expected_matches", "known": "known_columns"}),
    (filled(ReleaseAttack), {"known": "known_columns"}),
    (filled(Inference), {"known": "known_columns"}),
    (filled(SetChoice), {"kept": "kept_columns"}),
    (SCORE, {"most": "people_limit"}),
    (filled(PersonPosteriors), {"told": "leakage"}),
    (filled(CrowdPosterior), {"told": "leakage"}),
    (filled(Crowd), {"known": "known_values", "own": "is_member"}),
    (
        JudgedColumn("age", ColumnRole.QUASI, "a reason"),
        {"said": "is_stated", "shown": "label"},
    ),
    (filled(OfSize), {"all_": "coalition_count"}),
    (filled(Randomized), {"told": "privacy"}),
    (UNDECIDED, {"kept": "released_columns"}),
    (UNDECIDED_RUN, {"kept": "released_columns"}),
    (Trust((LEARNT,), ()), {"most_trusted": "largest_party_leakage"}),
    (filled(WorstCaseBracket), {"found": "attained_people"}),
    (
        filled(Advised),
        {
            "most": "people_limit",
            "found": "advice",
            "before": "exposed_before",
            "known": "knowledge",
            "kept": "row_mask",
            "asked": "requested_choice",
        },
    ),
    (filled(ChoiceCost), {"kept": "released_bits"}),
    (filled(CheckResult), {"what": "requirement"}),
    (SweepStopped(SweptRuns((), ()), 3), {"found": "swept_runs"}),
]

COUNTS, NEAR = CellCounts(TABLE, TABLE), next(neighbours(TABLE, TABLE))
INFERENCE, LINKABILITY = Inference(2, (0, 1)), Linkability((0,), (1,))
LEVEL = ("epsilon", "hockey-stick", 1.0, 1e-6)
DELTA = {"change": "removed", "k": 2, "rate": 0.5, "epsilon": 1.0, "people": 9, "crowd": 3}
METHODS: list[tuple[Any, str, str, Sequence[Any], dict[str, Any]]] = [
    (Frame, "of", "from_rows", [[{"a": 1}, {"a": 2}]], {}),
    (Bound, "of", "from_fractions", [Fraction(1, 3), Fraction(2, 3)], {}),
    (Crowds, "of_cells", "from_cells", [[1, 2, 0]], {}),
    (Crowds, "of_rows", "from_rows", [[1, 2], [1, 2]], {}),
    (
        Estimate, "of", "from_noise", [np.ones(1), np.ones(1), 9, "GRR"],
        {"kind": "bits", "population": False},
    ),
    (Memoized, "of", "from_epsilon", [3, 1.0], {}),
    (GRR(3, 1.0), "least_error", "smallest_error", [5], {}),
    (TREE, "least_share", "smallest_share", [100], {}),
    (TREE, "of", "with_words", [["xy"]], {}),
    (Sequences, "of", "from_people", [[[0, 1], [1]]], {}),
    (Sequences.from_people([[0, 1], [1]]), "of_people", "select_people", [[1]], {}),
    (INFERENCE, "of_cells", "rate_by_cells", [COUNTS], {}),
    (INFERENCE, "of_rows", "rate_by_rows", [NEAR], {}),
    (LINKABILITY, "of_cells", "rate_by_cells", [COUNTS], {}),
    (LINKABILITY, "of_rows", "rate_by_rows", [NEAR], {}),
    (Level, "of", "from_value", LEVEL, {"n": 10, "q": 0.1}),
    (SampledDelta, "of", "from_value", [0.5], DELTA),
]  # fmt: skip

MEMBERS = [
    ("veilmix.analysis.information", "WorstCase", "WorstReport"),
    ("veilmix.analysis.reidentification", "least_error", "smallest_error"),
    ("veilmix.analysis.release_risks", "Attack", "ReleaseAttack"),
    ("veilmix.analysis.release_risks", "Interval", "ShareInterval"),
    ("veilmix.scenarios.studies.comparison.question", "least_leakage", "rank_programs"),
]


def sentence(old: str, new: str) -> str:
    """Return a pattern of the warning."""
    return f"^{re.escape(Replaced(old, new, '0.2.0', '0.4.0').sentence)}$"


def plain(value: object) -> str:
    """Return a text in which equal results agree."""
    return re.sub(r" at 0x\w+|\d+\.\d+ s\b|seconds=[\d.e-]+", "", repr(value))


@pytest.mark.parametrize(
    "case", PARAMETERS, ids=lambda case: f"{case.function.__name__}.{case.old}"
)
def test_old_parameters_are_accepted(case: OldParameter) -> None:
    with pytest.warns(DeprecationWarning, match=sentence(case.old, case.new)) as warned:
        result = case.function(*case.others, **{case.old: case.value}, **case.keywords)
    assert [warning.filename for warning in warned] == [__file__]
    new = case.function(*case.others, **{case.new: case.value}, **case.keywords)
    assert plain(result) == plain(new)
    assert case.old not in inspect.signature(case.function).parameters
    with pytest.raises(TypeError, match=f"both '{case.old}' and '{case.new}'"):
        case.function(*case.others, **{case.old: 1, case.new: 1}, **case.keywords)


@pytest.mark.parametrize(("record", "names"), FIELDS, ids=lambda part: type(part).__name__)
def test_old_fields_are_readable(record: Any, names: dict[str, str]) -> None:
    for old, new in names.items():
        with pytest.warns(DeprecationWarning, match=sentence(old, new)) as warned:
            value = getattr(record, old)
        assert [warning.filename for warning in warned] == [__file__]
        assert value is getattr(record, new) or value == getattr(record, new)
        assert old not in dir(record)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = record.nothing


@pytest.mark.parametrize(("record", "names"), FIELDS, ids=lambda part: type(part).__name__)
def test_old_fields_are_accepted_by_constructors(record: Any, names: dict[str, str]) -> None:
    if not dataclasses.is_dataclass(record):
        return
    values = {
        field.name: getattr(record, field.name)
        for field in dataclasses.fields(record)
        if field.init
    }
    for old, new in names.items():
        if new in values:
            others = {name: value for name, value in values.items() if name != new}
            with pytest.warns(DeprecationWarning, match=sentence(old, new)) as warned:
                made = type(record)(**others, **{old: values[new]})
            assert [warning.filename for warning in warned] == [__file__]
            assert getattr(made, new) == values[new]
            with pytest.raises(TypeError, match=f"both '{old}' and '{new}'"):
                type(record)(**values, **{old: values[new]})


@pytest.mark.parametrize(("owner", "old", "new", "arguments", "keywords"), METHODS)
def test_old_methods_are_callable(
    owner: Any, old: str, new: str, arguments: Sequence[Any], keywords: dict[str, Any]
) -> None:
    with pytest.warns(DeprecationWarning, match=sentence(old, new)) as warned:
        result = getattr(owner, old)(*arguments, **keywords)
    assert [warning.filename for warning in warned] == [__file__]
    assert plain(result) == plain(getattr(owner, new)(*arguments, **keywords))
    assert inspect.signature(getattr(owner, old)) == inspect.signature(getattr(owner, new))


@pytest.mark.parametrize(("package", "old", "new"), MEMBERS)
def test_old_members_of_packages_are_found(package: str, old: str, new: str) -> None:
    module = import_module(package)
    with pytest.warns(DeprecationWarning, match=sentence(old, new)) as warned:
        member = getattr(module, old)
    assert [warning.filename for warning in warned] == [__file__]
    assert member is getattr(module, new)
    assert old not in dir(module)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = module.nothing


def test_the_table_has_all_old_names() -> None:
    def bare(function: Any) -> str:
        return f"{function.__module__}.{function.__qualname__}"

    def class_of(owner: Any) -> str:
        cls = owner if isinstance(owner, type) else type(owner)
        return bare(KeyValue if issubclass(cls, KeyValue) else cls)

    def definer(owner: Any, method: str) -> str:
        bases = (owner if isinstance(owner, type) else type(owner)).__mro__
        return bare(next(base for base in bases if method in vars(base)))

    table = {(bare(case.function), case.old, case.new) for case in PARAMETERS}
    table |= {
        (class_of(record), old, new) for record, names in FIELDS for old, new in names.items()
    }
    table |= {(definer(owner, old), old, new) for owner, old, new, *_ in METHODS}
    table |= set(MEMBERS)
    kept = {(place, entry.old, entry.new) for place, entry in renamed()}
    own = {entry for entry in kept if not entry[0].startswith(f"{__name__}.")}
    assert own == table
    assert isinstance(SCORE, TableScore)
    assert isinstance(worst_case(MARGINALS, 2), WorstCase)


@pytest.mark.slow
def test_a_command_prints_the_list() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "veilmix.deprecated"], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert len(lines) >= len(PARAMETERS) + len(METHODS)
    old = "veilmix.analysis.composition.exact_worst_case.worst_case: 'known' is now 'known_joints'"
    assert any(line.startswith(old) for line in lines)


@keeps_old("0.3.0", "0.5.0", size="width", grow="widened", unit="one", text="label", make="made")
@dataclasses.dataclass(frozen=True, slots=True)
class Box:
    """A record with each kind of member."""

    width: int

    def widened(self, by: int) -> Self:
        """Return a wider box."""
        return type(self)(self.width + by)

    @classmethod
    def one(cls) -> Self:
        """Return the unit box."""
        return cls(1)

    @staticmethod
    def made(width: int) -> "Box":
        """Return a box."""
        return Box(width)

    @property
    def label(self) -> str:
        """The width in words."""
        return f"{self.width} wide"


class Cube(Box):
    """A subclass without slots."""


class TestMechanism:
    """The two decorators alone."""

    def test_subclasses_have_the_old_names(self) -> None:
        cube: Any = Cube(2)
        uses: list[tuple[Callable[[], Any], object]] = [
            (lambda: cube.size, 2),
            (lambda: cube.text, "2 wide"),
            (lambda: cube.grow(by=1), Cube(3)),
            (lambda: Cube.unit(), Cube(1)),
            (lambda: Cube.make(4), Box(4)),
            (lambda: Cube(size=5), Cube(5)),
        ]
        for use, result in uses:
            with pytest.warns(
                DeprecationWarning, match=r"since 0\.3\.0; .* until 0\.5\.0"
            ) as warned:
                assert use() == result
            assert len(warned) == 1

    def test_an_override_of_an_old_name_overrides_the_new_one(self) -> None:
        with pytest.warns(DeprecationWarning, match="'text' is now 'label' "):

            class Crate(Box):
                @property
                def text(self) -> str:
                    return "a crate"

        assert Crate(1).label == "a crate"

    def test_errors_of_properties_are_their_own(self) -> None:
        @keeps_old(old="new")
        class Broken:
            new = 1

            @property
            def broken(self) -> int:
                raise AttributeError("the reason")

        with pytest.raises(AttributeError, match="the reason"):
            _ = Broken().broken

    def test_functions_keep_name_signature_and_docstring(self) -> None:
        @accepts_old(old="new")
        def sized(new: int = 1) -> int:
            """Return it."""
            return new

        assert (sized.__name__, sized.__doc__) == ("sized", "Return it.")
        assert str(inspect.signature(sized)) == "(new: int = 1) -> int"
        with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
            sized(other=1)  # type: ignore[call-arg]

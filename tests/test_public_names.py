"""Public names: Tab finds them, `help` is readable, and each number in the documents has one."""

import inspect
import pydoc
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
import pytest
import veilmix
from veilmix.deprecated import Replaced
from veilmix.scenarios.studies.comparison.result import REPLACED

ROOT = Path(__file__).parent.parent
ROOMS = dir(veilmix.analysis)
# `<factory>`: a default made anew for each record. `<Name.PART: ...>`: of an Enum.
UNREADABLE = re.compile(r"0x[0-9a-f]+|<(?!factory>|\w+\.\w+: )|numpy\.|collections\.abc|typing\.")


def public() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield each public function, class and method with its dotted name."""
    for room in ("veilmix", *(f"veilmix.analysis.{name}" for name in ROOMS)):
        module = import_module(room)
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if callable(thing):
                yield f"{room}.{name}", thing
            if inspect.isclass(thing):
                for part in dir(thing):
                    if not part.startswith("_") and callable(member := getattr(thing, part)):
                        yield f"{room}.{name}.{part}", member


def test_rooms_complete_before_they_are_imported() -> None:
    assert {"composition", "exposure", "shuffled", "trust", "information"} <= set(ROOMS)
    folders = {path.parent.name for path in (ROOT / "analysis").glob("*/__init__.py")}
    assert set(ROOMS) <= folders
    for name in ROOMS:
        room = getattr(veilmix.analysis, name)
        assert set(getattr(room, "__all__", ())) <= set(dir(room))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        getattr(veilmix.analysis, "nothi" + "ng")


def test_each_room_of_the_documents_completes() -> None:
    """And each that completes has a page, or is part of one."""
    pages = "".join(page.read_text("utf-8") for page in (ROOT / "docs" / "api").glob("*.md"))
    assert {name for name in ROOMS if f"veilmix.analysis.{name}" not in pages} == set()


def test_signatures_are_as_they_are_written() -> None:
    seen = 0
    for name, thing in public():
        if inspect.isclass(thing) and issubclass(thing, msgspec.Struct):
            continue  # msgspec writes the modules of types
        try:
            signature = str(inspect.signature(thing))
        except ValueError:  # a class that is made by its own `of`
            continue
        seen += 1
        assert not UNREADABLE.search(signature), f"{name}{signature}"
        assert len(signature) < 1_500, name
    assert seen > 800


def functions_with_parameters() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the public functions of the rooms of analysis that have parameters."""
    for name, thing in public():
        if (
            name.startswith("veilmix.analysis.")
            and inspect.isfunction(thing)
            and name.count(".") == 3
        ):
            parameters = inspect.signature(thing).parameters
            if parameters and not name.startswith("veilmix.analysis.trust."):
                yield name, thing


def test_functions_of_analysis_explain_each_parameter() -> None:
    """Functions of `trust` are left out: theirs are a view and what `received` takes."""
    seen = 0
    for name, thing in functions_with_parameters():
        text = (inspect.getdoc(thing) or "").partition("Args:\n")[2]
        explained = set(re.findall(r"^    ([\w*, ]+):", text, re.MULTILINE))
        explained = {part.strip(" *") for names in explained for part in names.split(",")}
        missing = set(inspect.signature(thing).parameters) - explained
        assert not missing, f"{name}: {missing}"
        seen += 1
    assert seen > 140


def test_help_shows_no_address() -> None:
    for name in ("best_bound", "worst_case"):
        text = pydoc.plain(pydoc.render_doc(getattr(veilmix.analysis.composition, name)))
        assert re.search(r"marginals: 'Sequence\[(npt\.)?ArrayLike\]',\s+k: 'int'", text)
        assert not re.search(r"0x[0-9a-f]+|lambda", text)
    for name in set(veilmix.__all__) - {"__version__", "analysis", "errors", "Scenario"}:
        assert not re.search(r" at 0x", pydoc.render_doc(getattr(veilmix, name))), name


def test_deprecations_are_announced_where_the_policy_says() -> None:
    """Each old name: its row on the page, its entry among the changes, two versions of time."""
    page = (ROOT / "docs" / "stability.md").read_text("utf-8")
    rows = re.findall(
        r"^\| `(\S+)` \| `(\S+)` \| .* \| ([\d.]+) \| ([\d.]+) \|$", page, re.MULTILINE
    )
    assert [Replaced(*row) for row in rows] == list(REPLACED)
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    for old in REPLACED:
        assert f"`{old.old}`" in changes
        assert int(old.until.split(".")[1]) - int(old.since.split(".")[1]) >= 2
        with pytest.warns(DeprecationWarning, match=re.escape(old.sentence)) as warned:
            old.warn(1)
        assert Path(warned[0].filename) == Path(__file__)

"""A record that a door offers says of each of its fields what it is, one a line."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
RECORDS = ("Record", "Struct", "NamedTuple", "Findings")
FEW = 2  # fields from which a list is asked for
# class -> why it has no list, though a door offers it
EXCEPTED: Mapping[str, str] = {}


def documented(doc: str) -> set[str]:
    """The names that the list of attributes of a docstring explains."""
    _, _, below = doc.partition("Attributes:\n")
    listed, _, _ = below.partition("\n\n")
    heads = re.findall(r"^ {4}(\w+(?:, \w+)*): \S", listed, re.MULTILINE)
    return {name for head in heads for name in head.split(", ")}


def fields(node: ast.ClassDef) -> list[str]:
    """The public fields of a record in their order; [] for a class that is none."""
    plain = any("dataclass" in ast.unparse(one) for one in node.decorator_list)
    if not plain and not any(ast.unparse(base).split(".")[-1] in RECORDS for base in node.bases):
        return []
    return [
        line.target.id
        for line in node.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
        if not line.target.id.startswith("_") and "ClassVar" not in ast.unparse(line.annotation)
    ]


def lacking(source: str) -> dict[str, list[str]]:
    """Per record of a file, the fields that its list does not explain."""
    found = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and len(fields(node)) >= FEW:
            named = documented(ast.get_docstring(node) or "")
            found[node.name] = [name for name in fields(node) if name not in named]
    return found


def offered() -> Iterator[tuple[Path, str]]:
    """The file and the name of every class that a door fetches from inside and offers."""
    for door in sorted(ROOT.rglob("__init__.py")):
        parts = door.relative_to(ROOT).parts
        if any(part.startswith(".") for part in parts) or parts[0] in ("tests", "build"):
            continue
        body = ast.parse(door.read_text("utf-8")).body
        names = {
            name
            for node in body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
            for name in ast.literal_eval(node.value)
        }
        for node in ast.walk(ast.Module(body, [])):
            if isinstance(node, ast.ImportFrom) and node.level and node.module:
                base = door.parents[node.level - 1].joinpath(*node.module.split("."))
                for alias in node.names:
                    if alias.name in names and alias.name[0].isupper():
                        yield base.with_suffix(".py"), alias.name


OFFERED = sorted({(path.relative_to(ROOT).as_posix(), name) for path, name in offered()})


@pytest.mark.parametrize(("path", "name"), OFFERED)
def test_a_record_that_is_offered_explains_its_fields(path: str, name: str) -> None:
    missing = lacking((ROOT / path).read_text("utf-8")).get(name, [])
    assert bool(missing) == (name in EXCEPTED), f"{path}: {name}: {missing}"


def test_a_field_without_a_line_is_found() -> None:
    record = (
        '@dataclass\nclass A:\n    """A.\n\n    Attributes:\n        {}: the first.\n    """\n\n'
    )
    body = "    one: int\n    two: int\n"
    assert lacking(record.format("one") + body) == {"A": ["two"]}
    assert lacking(record.format("one, two") + body) == {"A": []}
    assert lacking(f"class A:\n{body}") == {}
    assert len(OFFERED) > 40

"""A record says of each of its fields what it is, one a line."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
RECORDS = ("Record", "Struct", "NamedTuple", "Findings")
FEW = 2  # fields from which a list is asked for


def documented(doc: str) -> set[str]:
    """The names that the list of attributes of a docstring explains."""
    _, _, below = doc.partition("Attributes:\n")
    listed, _, _ = below.partition("\n\n")
    heads = re.findall(r"^ {4}(\w+(?:, \w+)*): \S", listed, re.MULTILINE)
    return {name for head in heads for name in head.split(", ")}


def fields(node: ast.ClassDef) -> list[str]:
    """The public fields of a record in their order; [] for a class that is none."""
    plain = any("dataclass" in ast.unparse(how) for how in node.decorator_list)
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
    unnamed = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef) and len(fields(node)) >= FEW:
            named = documented(ast.get_docstring(node) or "")
            unnamed[node.name] = [name for name in fields(node) if name not in named]
    return unnamed


def records() -> Iterator[tuple[str, str]]:
    """The file and the name of every public record of several fields."""
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).parts
        if any(part.startswith(".") for part in parts) or parts[0] in ("tests", "build"):
            continue
        for node in ast.parse(path.read_text("utf-8")).body:
            public = isinstance(node, ast.ClassDef) and not node.name.startswith("_")
            if public and len(fields(node)) >= FEW:
                yield "/".join(parts), node.name


PUBLIC = list(records())


def test_a_record_explains_its_fields() -> None:
    for path in sorted({path for path, _ in PUBLIC}):
        missing = lacking((ROOT / path).read_text("utf-8"))
        for name in (name for file, name in PUBLIC if file == path):
            assert not missing[name], f"{path}: {name}: {missing[name]}"


def test_a_field_without_a_line_is_found() -> None:
    record = (
        '@dataclass\nclass A:\n    """A.\n\n    Attributes:\n        {}: the first.\n    """\n\n'
    )
    body = "    one: int\n    two: int\n"
    assert lacking(record.format("one") + body) == {"A": ["two"]}
    assert lacking(record.format("one, two") + body) == {"A": []}
    assert lacking(f"class A:\n{body}") == {}
    assert len(PUBLIC) > 400

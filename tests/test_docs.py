"""What the documentation prints from the code is what the code says."""

import re
from pathlib import Path

from veilmix.protocol.board.phases import diagram

ROOT = Path(__file__).parent.parent


def test_the_diagram_in_the_docs_is_the_phases_table() -> None:
    assert f"```mermaid\n{diagram()}\n```" in (ROOT / "docs" / "protocol.md").read_text("utf-8")


def test_the_version_is_one() -> None:
    import tomllib

    import veilmix

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == veilmix.__version__


def test_what_decides_stands_where_it_is_said_to() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = text.partition("| what | file | by |\n|---|---|---|\n")[2].partition("\n\n")[0]
    rows = [row.strip("|").split("|") for row in table.splitlines()]
    assert len(rows) > 5
    for what, files, names in rows:
        source = "".join((ROOT / path).read_text("utf-8") for path in re.findall("`(.*?)`", files))
        for name in re.findall("`(.*?)`", names):
            defined = rf"^(def|class) {name}\b|^{name}\b.* ="
            assert re.search(defined, source, re.MULTILINE), (what, name)

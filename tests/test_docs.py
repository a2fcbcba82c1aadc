"""What the documentation prints from the code is what the code says."""

from pathlib import Path

from veilmix.protocol.phases import diagram

ROOT = Path(__file__).parent.parent


def test_the_diagram_in_the_docs_is_the_phases_table() -> None:
    assert f"```mermaid\n{diagram()}\n```" in (ROOT / "docs" / "protocol.md").read_text("utf-8")


def test_the_version_is_one() -> None:
    import tomllib

    import veilmix

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == veilmix.__version__

"""A Jupyter notebook as a page of the site: its prose and its code, with a link to the file.

A notebook is converted to Markdown and read like any other page. Cells are not run here and no
output is shown: tests/test_notebooks.py runs them (docs/adr/0116-notebooks-are-run-as-scripts.md).
"""

import json
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_parser.parsers.sphinx_ import MystParser

LINK = "*A notebook: download {{download}}`{name} <{name}>` and open it in Jupyter.*"


def markdown(text: str, name: str) -> str:
    """Return the cells as Markdown, and the link below the title.

    Args:
        text: a notebook, as JSON.
        name: the name of its file.

    Raises:
        ValueError: the text is no notebook, or its first cell is no Markdown with a title.
    """
    cells = json.loads(text)["cells"]
    if not cells or cells[0]["cell_type"] != "markdown" or cells[0]["source"][0][:2] != "# ":
        raise ValueError(f"{name}: found no title in the first cell; expected Markdown with `# `")
    parts = []
    for cell in cells:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
    title, _, rest = parts[0].partition("\n")
    return "\n\n".join([title, LINK.format(name=name), rest.strip(), *parts[1:]]) + "\n"


class NotebookParser(MystParser):
    """A parser of files that end in .ipynb."""

    supported: tuple[str, ...] = ("ipynb",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Read a notebook as Markdown."""
        super().parse(markdown(inputstring, Path(document["source"]).name), document)


def setup(app: Any) -> dict[str, bool]:
    """Sphinx: register the suffix and parser of notebooks."""
    app.add_source_suffix(".ipynb", "ipynb")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True}

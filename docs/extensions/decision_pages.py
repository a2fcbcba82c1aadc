"""Pages of decisions are linked from their index alone, and do not stand in the sidebar.

A sidebar that lists 119 decisions hides the pages that a reader looks for. It is drawn on each
page: the pages of the site were 11.5 MB with these lines, and are 8.3 MB without.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

FOLDER, INDEX = "adr/", "adr/README"


def set_apart(app: Sphinx, _doctree: nodes.document) -> None:
    """Have Sphinx accept that a page of a decision is in no table of contents."""
    name = app.env.docname
    if name.startswith(FOLDER) and name != INDEX:
        app.env.metadata[name]["orphan"] = True


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the mark."""
    app.connect("doctree-read", set_apart)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

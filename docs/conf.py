"""The configuration of Sphinx, which makes a site of the pages of this folder: `make docs`.

Sphinx, furo and MyST; no part of a page is fetched from another computer. The pages are Markdown
that reads as well without Sphinx. Small extensions of our own stand beside this file: diagrams and
formulas are drawn at build time, docstrings, which are plain text, are made fit for Sphinx,
functions show the numbered statements that they compute, and notebooks become pages.
"""

import sys
from pathlib import Path

import veilmix

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "veilmix"
version = release = veilmix.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "decision_pages",
    "mathematics",
    "notebook_pages",
    "parameter_tables",
    "plain_docstrings",
    "statements",
    "state_diagram",
]

exclude_patterns = ["_build", "extensions", "README.md"]
myst_enable_extensions = ["colon_fence", "attrs_block", "dollarmath"]
myst_heading_anchors = 4
myst_fence_as_directive = {"mermaid"}
highlight_language = "none"  # a block of code says its language, or is text

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

html_math_renderer = "mathml"
html_theme = "furo"
html_title = f"veilmix {version}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False

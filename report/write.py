"""The writer of pages: from blocks to a single file of HTML. Templates escape all values.

The content security policy allows only the style sheet, by its SHA-256: a value that slipped
through as markup could still load and run no code.
"""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import TYPE_CHECKING, Any

from ..errors import LocalError
from ..installation import missing
from ..presentation.blocks import Page
from ..presentation.wording import visible

if TYPE_CHECKING:
    from jinja2 import Environment

POLICY = "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'"
IMAGES = "; img-src data:"  # added for pages with pictures of other packages, held in `data:` links


def html(page: Page) -> str:
    """Write a page as HTML. Raises LocalError, with the package to install, if Jinja is missing."""
    block_kinds = (block.kind for section in page.sections for block in section.blocks)
    return write("page.html", "style.css", IMAGES if "picture" in block_kinds else "", page=page)


def write(template: str, style: str, allowed: str = "", **variables: Any) -> str:
    """Fill a template with its style sheet, and return the HTML.

    template, style: names of files in `templates/`. allowed: sources that the content security
    policy allows besides the style sheet. variables: values for the template. Raises LocalError if
    Jinja is missing.
    """
    sheet = file_of(style)
    digest = b64encode(sha256(sheet.encode()).digest()).decode()
    filled = _environment().get_template(template)
    policy = POLICY.format(digest) + allowed
    return visible(filled.render(style=sheet, policy=policy, **variables)) + "\n"


def file_of(name: str) -> str:
    """Return the text of a file in report/templates/."""
    return (resources.files("veilmix.report") / "templates" / name).read_text("utf-8")


@cache
def _environment() -> "Environment":
    """Return the Jinja environment: it escapes all values, and a missing variable is an error."""
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ImportError:
        raise LocalError(missing("report", "a page")) from None
    return Environment(
        loader=FunctionLoader(file_of),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

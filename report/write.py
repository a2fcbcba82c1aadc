"""From a page as data to one file of HTML. The templates escape all they are given.

The content security policy allows nothing but the one style sheet, by its SHA-256: a value that
should slip through as markup could still load nothing and run nothing.
"""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib import resources
from typing import TYPE_CHECKING

from ..errors import LocalError
from .pieces import Page

if TYPE_CHECKING:
    from jinja2 import Environment

POLICY = "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'"


def html(page: Page) -> str:
    """Write a page. Raises LocalError, with what to install, where Jinja is missing."""
    style = _file("style.css")
    digest = b64encode(sha256(style.encode()).digest()).decode()
    template = _environment().get_template("page.html")
    return template.render(page=page, style=style, policy=POLICY.format(digest)) + "\n"


def _file(name: str) -> str:
    return (resources.files("veilmix.report") / "templates" / name).read_text("utf-8")


@cache
def _environment() -> "Environment":
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ImportError:
        raise LocalError(
            'a report needs Jinja; install it with: pip install "veilmix[report]"'
        ) from None
    return Environment(
        loader=FunctionLoader(_file),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )

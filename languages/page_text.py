"""The text of a page: a file of HTML with the sentences of a language in their places."""

import html
import re

from .language import Language

SENTENCE = re.compile(r"\{\{sentence ([a-z0-9-]+)\}\}")  # of a page, by its key


def filled(text: str, language: Language) -> str:
    """Fill in `{{lang}}`, `{{dir}}` and each `{{sentence KEY}}`; KeyError for an unknown key."""
    text = text.replace("{{lang}}", language.tag).replace("{{dir}}", language.direction)
    return SENTENCE.sub(lambda match: html.escape(language.say(match[1])), text)

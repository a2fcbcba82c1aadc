"""The text of a web page: an HTML file with the sentences of a language in place of their keys."""

import html
import re

from .language import Language

SENTENCE = re.compile(r"\{\{sentence ([a-z0-9-]+)\}\}")  # a placeholder: key of a sentence


def filled(text: str, language: Language) -> str:
    """Return HTML with `{{lang}}`, `{{dir}}` and each `{{sentence KEY}}` filled in.

    KeyError for an unknown key.
    """
    text = text.replace("{{lang}}", language.tag).replace("{{dir}}", language.direction)
    return SENTENCE.sub(lambda match: html.escape(language.say(match[1])), text)

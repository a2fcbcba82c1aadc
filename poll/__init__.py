"""People with a browser: what a phone needs to take part, and nothing that knows what they say.

Holds the browser's side of the protocol (`static/`, plain modules) and the crypto library that it
stands on (`vendor/`, as it was published). May import all that the theatre may, and it. Must never
know a key of a party, nor anything of an answer but sealed bytes.
"""

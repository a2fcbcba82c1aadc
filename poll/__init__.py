"""The poll: pages and servers through which people with a browser take part in a session.

Holds the browser's side of the protocol (`static/`, plain modules) and the crypto
library that it needs (`vendor/`, as published). Modules here may import the package
`theatre`, and every package that `theatre` may import. They never hold a party's key,
nor any answer of a person except its encrypted bytes.
"""

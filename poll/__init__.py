"""The poll: pages and servers through which people with a browser take part in a session.

Holds the browser's side of the protocol (`static/`, plain modules) and the crypto library that it
needs (`vendor/`, as published). May import all rooms that the theatre may, and the theatre. Must
never know a key of a party, nor any part of an answer but sealed bytes.
"""

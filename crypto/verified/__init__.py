"""The cryptography of a verified mix: encrypted ballots, proved shuffles, proved decryption shares.

Every step leaves a proof that a stranger can check from public bytes alone (docs/verified.md).
Must never know people, rounds or questions but as bytes and numbers of a context, must never open
a socket or a file, and must never decide which ballots count: that is the protocol's.
"""

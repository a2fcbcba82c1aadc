"""The cryptography of a verified mix: encrypted ballots, proved shuffles, proved decryption shares.

Every step leaves a proof that a stranger can check from public bytes alone (docs/verified.md). This
package knows people, rounds and questions only as bytes and numbers to which a proof is bound. It
must never open a socket or a file, and must never decide which ballots count; the protocol does.
"""

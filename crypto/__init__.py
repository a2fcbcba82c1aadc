"""Keys, suites, one layer, the onion over any number of hops, padding, entropy, the Merkle tree.

May import `errors` and the cryptographic libraries, and numpy where it works on many keys at once.
Must never know users, rounds or values: a context here is 32 bytes that somebody else has derived,
a payload is bytes.
"""

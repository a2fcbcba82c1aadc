"""Keys, suites, single layers, onions of any number of hops, padding, entropy, and the Merkle tree.

May import `errors` and the cryptographic libraries, and numpy if it works on many keys at once.
Must never know users, rounds or values: a context here is 32 bytes from the caller, a payload is
bytes.
"""

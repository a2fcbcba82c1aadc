"""Keys, suites, single layers, onions of any number of hops, padding, entropy, and the Merkle tree.

A suite is a public-key encryption scheme with a fixed format; a layer is one ciphertext; an onion
is a payload in nested layers, a layer for each hop. May import `errors` and the cryptographic
libraries, and numpy if it works on many keys at once. Must never know users, rounds or values: this
package receives a context as 32 bytes, and a payload as bytes.
"""

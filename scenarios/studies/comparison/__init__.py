"""Comparators of a mix: protocols that answer the same scenario, for `veilmix compare`.

    trusted   a curator sees every row
    shares    two aggregators add up secret shares
    local     users answer the analyst themselves, with noise

Each comparator seals, sends and opens real messages, directly and without the roles of the mix.
This package may import the same packages as `scenarios`. It must never know how a comparison is
shown.
"""

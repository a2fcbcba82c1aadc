"""Comparators of a mix: protocols that answer the same scenario, for `veilmix compare`.

The comparators are a curator that sees every row (trusted), two aggregators that add up secret
shares (shares) and users that answer the analyst themselves, with noise (local). Each comparator
seals, sends and opens real messages, directly and without the roles of the mix. This package may
import the same packages as `scenarios`, and must never know how a comparison is shown.
"""

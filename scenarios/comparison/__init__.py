"""The rivals of a mix: the same scenario without one, for `veilmix compare`.

Here live a curator who sees everything (trusted), two aggregators who add up secret shares (shares)
and people who answer the analyst themselves, with noise (local). Each seals, sends and opens real
messages, straight through and without actors. They may import what `scenarios` may, and must never
know how a comparison is shown.
"""

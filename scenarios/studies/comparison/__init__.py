"""The rivals of a mix: the same scenario with other programs, for `veilmix compare`.

Here live a curator that sees every row (trusted), two aggregators that add up secret shares
(shares) and users that answer the analyst themselves, with noise (local). Each seals, sends and
opens real messages, straight through and without actors. They may import the same rooms as
`scenarios`, and must never know how a comparison is shown.
"""

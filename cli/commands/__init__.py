"""The commands of `veilmix`, one file each: parse options, call `scenarios`, print text or data.

May import everything below `cli`, and `cli.text`. Must never know how a table is laid out: that is
`cli.text`.
"""

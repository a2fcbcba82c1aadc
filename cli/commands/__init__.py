"""The commands of `veilmix`, one file each: options in, one call of scenarios, text or data out.

May import everything below `cli`, and `cli.text`. Must never know how a table is laid out: that is
`cli.text`.
"""

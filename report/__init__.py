"""The report: a page of HTML about a saved run, sweep, comparison, attack matrix or score.

A page is a single file without scripts or requests; its content security policy names the hash of
its style sheet. This room holds templates, styles and figures, and puts sections of presentation/
together to pages. It may import all rooms below cli/ and computes no results itself.
"""

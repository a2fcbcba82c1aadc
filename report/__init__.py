"""The report: one page of HTML about a run, a sweep or a comparison, in a single file.

The file has no script and makes no request; its content security policy names the hash of its style
sheet. This room reads run folders and the results that scenarios/ computes from them; it may import
all rooms below cli and must never compute science of its own.
"""

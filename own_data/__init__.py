"""Users' own tables: reading, scores of disclosure risk, coarser values, and written files.

Modules here may import `scenarios.populations` and the packages below it, and
`analysis`. They know no parties and no rounds: this package sends no message.
"""

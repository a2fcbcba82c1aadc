"""The languages: sentences for phones, a class's projector page, the theatre and lessons.

The theatre is the page that shows a run. Each language is a TOML file of sentences. The functions
choose a form, such as the plural, and fill in values. May import only the strict reader of TOML.
Must never know which page shows a sentence, nor when.
"""

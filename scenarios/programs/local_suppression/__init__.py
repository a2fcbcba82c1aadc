"""The release program `local-suppression`: rules suppress values, random covers hide which.

A cover is a random suppression that hides which values a rule suppressed (paper 000, section 8.1).
May import the same packages as `programs`. Must never know other programs.
"""

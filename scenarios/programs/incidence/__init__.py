"""The release program `incidence`: for each t, the number of elements that are in exactly t sets.

Owners of sets flip bits of their vectors at random and send them through the mix (paper 004). May
import the same packages as `programs`. Must never know other programs.
"""

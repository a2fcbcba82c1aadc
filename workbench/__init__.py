"""The web page of `veilmix open`: judge and release a table of your own, on this computer.

Here live the user's choices in six steps, the computations that the choices need, the state that
the page shows, and the page's server. This package may import `report`, and all packages that
`report` may import. It must never compute a number of its own: every number comes from the
functions behind the commands `score` and `advise`.
"""

"""The five sources beside our own measurements: what each prints, what was measured for it, and whether they agree.

`claims.py` reads what is printed (assets/papers) and compares it with what is stored (assets/evidence); `make.py` makes
the stored figures, each by a module of its own here.
"""

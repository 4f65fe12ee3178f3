"""Results in the form that a paper needs: tables as CSV, LaTeX and Markdown, figures as SVG and PDF, all as a ZIP.

>>> import pandas as pd
>>> from engine.report.table import latex
>>> latex(pd.DataFrame({"model": ["a_b"], "fertility": [1.5]})).splitlines()[5]
'a\\\\_b & 1.500 \\\\\\\\'
"""

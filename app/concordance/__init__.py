"""The concordance of a token or a query: its lines (`kwic`) and their collocates, under a token of any page.

`tables` makes both from a text, `query_text` the layers of the text that a query reads.
"""

"""Pictures as SVG text, without a browser: strips of tokens, bars with counts, the lattice of a sentence.

Data in, text out, the same bytes for the same data. A picture is light, dark, or as its reader prefers (`auto`), needs
no script, and can be a file, an image or part of a page.

>>> from engine.pictures.bars import CountBar, bars
>>> bars([CountBar("고구마", 2)], 400, "How many tokens?")[:29]
'<svg xmlns="http://www.w3.org'
"""

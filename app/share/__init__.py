"""Sharing what a page shows: as a link, a picture, a package of files, commands, or a figure alone on another site.

`facts` is the Share menu with what it cannot read off the page, `packages` and `routes` are the files that the server
makes.
"""

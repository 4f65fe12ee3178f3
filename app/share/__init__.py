"""Sharing what a page shows: as a link, a picture, a package of files, commands, or a figure alone on another site.

`menu` is the Share menu, `facts` what it cannot read off the page, `commands` the view as commands to copy, `packages`
and `routes` the files that the server makes, `figure_alone` a refusal in a figure without its page.
"""

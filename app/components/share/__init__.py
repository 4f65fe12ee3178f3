"""The menu that shares a picture: link, image, files, embed code, data, command."""

"""Parts of pages, shared by several pages."""

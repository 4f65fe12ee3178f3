"""The server's routes and headers, and its limits on connections and uploads."""

"""Several files as a ZIP whose bytes depend on their contents only, with the SHA-256 of each."""

import hashlib
import io
import zipfile
from collections.abc import Mapping

SUMS = "SHA256SUMS"
_TIME = (1980, 1, 1, 0, 0, 0)  # the first that the format has
_PLAIN_FILE = 0o644 << 16


def bundle(files: Mapping[str, bytes]) -> bytes:
    """The files by name, and `SHA256SUMS`, as `sha256sum --check` reads it."""
    sums = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items()))
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, data in sorted({**files, SUMS: sums.encode()}.items()):
            about = zipfile.ZipInfo(name, _TIME)
            about.external_attr, about.create_system = _PLAIN_FILE, 3
            archive.writestr(about, data, zipfile.ZIP_DEFLATED, 9)
    return written.getvalue()

"""What addresses for uploads Streamlit issues, and to whom.

Its own endpoint accepts anything, under any name, any number of times: without this, nobody could tell an address that
was issued from one that was made up.

Upstream: https://github.com/streamlit/streamlit/issues/7024
"""

from collections.abc import Callable, Sequence

from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadFileUrlInfo

RELIES_ON = {
    "streamlit/runtime/memory_uploaded_file_manager.py": ("get_upload_urls", "file_storage", "remove_file"),
    "streamlit/runtime/runtime.py": ("uploaded_file_mgr", "is_active_session"),
}


def report_upload_addresses(
    manager: MemoryUploadedFileManager, report: Callable[[str, Sequence[UploadFileUrlInfo]], None]
) -> None:
    """From now on, call `report` with the session and the addresses that the manager issues to it."""
    issue = manager.get_upload_urls

    def issue_and_report(session_id: str, file_names: Sequence[str]) -> list[UploadFileUrlInfo]:
        issued = issue(session_id, file_names)
        report(session_id, issued)
        return issued

    manager.get_upload_urls = issue_and_report  # type: ignore[method-assign]

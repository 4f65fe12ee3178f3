"""What the real server refuses: uploads without its token, and websockets of pages from elsewhere."""

import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol


def test_an_upload_without_the_token_is_refused(app_url: str) -> None:
    request = urllib.request.Request(f"{app_url}/_stcore/upload_file/session/file", data=b"text", method="PUT")
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=60)
    assert refused.value.code == 403
    refused.value.close()


def test_pages_from_elsewhere_may_not_talk_to_the_server(app_url: str) -> None:
    address = f"ws://{urlsplit(app_url).netloc}/_stcore/stream"

    def greet(origin: str) -> None:
        with connect(address, subprotocols=[Subprotocol("streamlit")], origin=Origin(origin)):
            pass

    greet(app_url)
    with pytest.raises(InvalidStatus, match="403"):
        greet("http://elsewhere.example")

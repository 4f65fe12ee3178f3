"""What the real server refuses: uploads without its token, and websockets of pages from elsewhere."""

import urllib.error
import urllib.request
from urllib.parse import urlsplit

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

_FORM = b'--x\r\ncontent-disposition: form-data; name="f"; filename="a.txt"\r\n\r\ntext\r\n--x--\r\n'


def test_an_upload_needs_the_token_and_an_address_that_was_given(app_url: str) -> None:
    with urllib.request.urlopen(f"{app_url}/_stcore/health", timeout=60) as answer:
        token = answer.headers["Set-Cookie"].partition("=")[2].partition(";")[0]

    def put(address: str, *headers: tuple[str, str]) -> tuple[int, bytes]:
        form = {"Content-Type": "multipart/form-data; boundary=x", **dict(headers)}
        request = urllib.request.Request(f"{app_url}{address}", data=_FORM, method="PUT", headers=form)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.read()

    with connect(f"ws://{urlsplit(app_url).netloc}/_stcore/stream", subprotocols=[Subprotocol("streamlit")]) as socket:
        message = BackMsg()
        message.file_urls_request.request_id = "one"
        message.file_urls_request.file_names.append("a.txt")
        socket.send(message.SerializeToString())
        forward = ForwardMsg()
        while not forward.HasField("file_urls_response"):
            forward.ParseFromString(bytes(socket.recv(timeout=60, decode=False)))
        given = forward.file_urls_response.file_urls[0].upload_url
        trusted = (("Cookie", f"_streamlit_xsrf={token}"), ("X-Xsrftoken", token))
        assert put(given) == (403, b"XSRF token missing or invalid")
        assert put(given, *trusted) == (204, b"")
        assert put(given.rpartition("/")[0] + "/any", *trusted) == (403, b"Not asked for")


def test_pages_from_elsewhere_may_not_talk_to_the_server(app_url: str) -> None:
    address = f"ws://{urlsplit(app_url).netloc}/_stcore/stream"

    def greet(origin: str) -> None:
        with connect(address, subprotocols=[Subprotocol("streamlit")], origin=Origin(origin)):
            pass

    greet(app_url)
    with pytest.raises(InvalidStatus, match="403"):
        greet("http://elsewhere.example")


def test_pages_from_elsewhere_may_not_change_anything(app_url: str) -> None:
    for address in ("join/find", "join/answer", "join/withdraw", "figure.pdf", "figure.zip"):
        request = urllib.request.Request(f"{app_url}/{address}", b"{}", {"Origin": "http://elsewhere.example"})
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=60)
        with refused.value as answer:
            assert (answer.code, answer.read()) == (403, b"From another site"), address

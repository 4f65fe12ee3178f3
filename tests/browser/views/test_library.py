"""The library in real browsers: what is mine survives a reload, others see it by the link only."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from tests.browser.actions import at_rest
from tests.browser.conftest import SETTINGS
from tests.browser.walk import menu_link

_NAME = "<img src=x onerror=alert(1)> **실험**"


def _open(page: Page, app_url: str, query: str = "") -> None:
    page.goto(f"{app_url}/train?lang=ko{query}")
    expect(page.get_by_role("button", name="모델 저장")).to_be_visible(timeout=90_000)
    at_rest(page)


@pytest.mark.slow
def test_a_run_is_kept_shared_and_deleted(
    page: Page, app_url: str, browser: Browser, serious: Callable[[Page], list[str]]
) -> None:
    _open(page, app_url)
    page.get_by_label("이름", exact=True).fill(_NAME)
    page.get_by_role("button", name="모델 저장").click()
    expect(page.get_by_text("이름으로 저장했습니다")).to_be_visible()
    at_rest(page)
    assert "library-key" not in page.url
    page.reload()
    expect(page.get_by_role("button", name="링크로 공유하기")).to_be_visible()
    expect(page.get_by_role("combobox", name="모델 선택")).to_have_value(_NAME)
    at_rest(page)
    page.get_by_role("button", name="링크로 공유하기").click()
    code = page.get_by_test_id("stPopoverBody").locator("code")
    expect(code).to_have_text(re.compile(rf"^{app_url}/\?model=run\.[\w-]{{22}}$"))
    link = code.inner_text()
    assert serious(page) == []

    with browser.new_context(locale="ko-KR") as other:
        guest = other.new_page()
        guest.goto(link)
        expect(guest.get_by_test_id("stSidebar")).to_contain_text(_NAME)
        menu_link(guest, "train", "ko").click()
        expect(guest.get_by_text("아직 저장한 모델이 없습니다")).to_be_visible()
        own, other_key = (one.evaluate("localStorage.getItem('thunder-tok.library-key')") for one in (page, guest))
        assert own and other_key and own != other_key

        page.keyboard.press("Escape")
        page.get_by_role("button", name="삭제").click()
        page.get_by_role("button", name="정말 삭제하기").click()
        expect(page.get_by_text("아직 저장한 모델이 없습니다")).to_be_visible()
        guest.goto(link)
        expect(guest.get_by_text("이 링크의 모델은 보관함에 없습니다")).to_be_visible()


@pytest.mark.slow
def test_the_teacher_enters_with_the_password_alone(page: Page, app_url: str) -> None:
    _open(page, app_url)
    page.get_by_text("교사용 화면").click()
    for password, said in (
        ("틀린 것", "비밀번호가 맞지 않습니다"),
        (SETTINGS["THUNDER_TOK_TEACHER_PASSWORD"], "모두 삭제"),
    ):
        page.get_by_label("교사 비밀번호").fill(password)
        page.get_by_role("button", name="들어가기").click()
        expect(page.get_by_text(said)).to_be_visible()
        at_rest(page)


def test_a_wrong_password_is_answered_whatever_the_browser_asks_for_meanwhile(app_url: str) -> None:
    """No browser: its words come so fast that the second asks for a run while the first waits for its answer."""
    ids: dict[str, str] = {}
    with connect(f"ws{app_url[4:]}/_stcore/stream", subprotocols=[Subprotocol("streamlit")], max_size=None) as socket:

        def ask(**states: dict[str, object]) -> None:
            message = BackMsg()
            message.rerun_script.query_string, message.rerun_script.page_name = "lang=ko", "train"
            for name, value in states.items():
                message.rerun_script.widget_states.widgets.add(id=ids[name], **value)
            socket.send(message.SerializeToString())

        def drawn() -> str:
            said, forward = "", ForwardMsg()
            while forward.script_finished or not forward.HasField("script_finished"):
                forward.ParseFromString(bytes(socket.recv(timeout=90, decode=False)))
                element = forward.delta.new_element
                for one in (element.text_input, element.button, element.bidi_component):
                    ids[one.id.rpartition("-")[2].replace(".", "_")] = one.id
                said += element.alert.body
            return said

        ask()
        drawn()
        ask(browser={"json_value": json.dumps({"secret": "a" * 32})})
        drawn()
        wrong = {"teacher_password": {"string_value": "틀린 것"}}
        ask(**wrong, teacher_enter={"trigger_value": True})
        ask(**wrong)
        assert "비밀번호가 맞지 않습니다" in drawn()

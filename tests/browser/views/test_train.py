"""The Train page in a browser: train, cancel, reload, files in and out, keyboard."""

import random
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.actions import at_rest
from tests.browser.walk import menu_link

# Only a training of some seconds can be cancelled: 12 MB of words that are not in any dictionary.
_LONG_TEXT_BYTES = 12_000_000


def _long_text() -> bytes:
    dice = random.Random(7)
    syllables = [chr(0xAC00 + 28 * n) for n in range(399)]
    words = ["".join(dice.choices(syllables, k=dice.randint(1, 4))) for _ in range(30_000)]
    size, lines = 0, []
    while size < _LONG_TEXT_BYTES:
        line = " ".join(dice.choices(words, k=12)) + ".\n"
        lines.append(line)
        size += 3 * len(line)
    return "".join(lines).encode()


def _open(page: Page, app_url: str, query: str = "lang=ko") -> None:
    page.goto(f"{app_url}/train?{query}")
    expect(page.get_by_role("button", name=re.compile("모델 내려받기|Download the model"))).to_be_visible()
    expect(page.locator(".st-key-library-name")).to_be_visible()  # the browser has said whose library it is
    at_rest(page)


def _size(page: Page, size: int) -> None:
    field = page.get_by_label("어휘 크기", exact=True)
    field.fill(str(size))
    field.press("Enter")
    expect(page).to_have_url(re.compile(rf"vocab_size-{size}(~|&|$)"))


def _upload(page: Page, name: str, data: bytes) -> None:
    page.get_by_role("button", name="내 말뭉치").click()
    place = page.get_by_test_id("stPopoverBody").get_by_test_id("stFileUploaderDropzone").first
    expect(place).to_have_text(re.compile("파일 선택.*파일당 [0-9]+MB까지"))  # Streamlit itself writes English only
    chooser = page.locator(".st-key-corpus-file input[type=file]")
    chooser.set_input_files({"name": name, "mimeType": "text/plain", "buffer": data})
    expect(page.get_by_test_id("stPopoverBody")).to_have_count(0)
    page.get_by_role("button", name="내 말뭉치").click()  # says how it was read


def _start(page: Page) -> None:
    at_rest(page)  # a form that is being replaced has its button twice
    button = page.get_by_role("button", name="학습 시작")
    expect(button).to_be_enabled()
    button.click()


def _expect_done(page: Page) -> None:
    expect(page.get_by_text("이제 모든 화면이 이 모델을 표시합니다")).to_be_visible(timeout=120_000)


@pytest.mark.slow
def test_trains_and_every_page_shows_the_model(page: Page, app_url: str) -> None:
    _open(page, app_url)
    _size(page, 1200)
    _start(page)
    _expect_done(page)
    expect(page).to_have_url(re.compile(r"model=ko~vocab_size-1200"))
    expect(page).not_to_have_url(re.compile(r"[?&]job="))
    expect(page.get_by_test_id("stSidebar")).to_contain_text("1,200")
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    page.get_by_role("radio", name="English").click()
    expect(page).to_have_url(re.compile(r"lang=en"))
    expect(page.locator("html")).to_have_attribute("lang", "en")
    menu_link(page, "explore").click()
    expect(page).to_have_url(re.compile(r"lang=en"))
    expect(page).to_have_url(re.compile(r"model=ko~vocab_size-1200"))
    expect(page).not_to_have_url(re.compile(r"[?&]draft="))
    expect(page.get_by_test_id("stSidebar")).to_contain_text("1,200")
    page.go_back()
    expect(page.get_by_role("heading", name="Train", exact=True)).to_be_visible()


@pytest.mark.slow
def test_a_long_training_survives_a_reload_and_is_cancelled(page: Page, app_url: str) -> None:
    _open(page, app_url)
    _upload(page, "긴 글.txt", _long_text())
    expect(page.get_by_text("UTF-8 (1)")).to_be_visible(timeout=60_000)
    page.keyboard.press("Escape")
    _start(page)
    expect(page).to_have_url(re.compile(r"[?&]job=[0-9a-f]{32}"))
    page.reload()
    cancel = page.get_by_role("button", name="학습 중지")
    expect(cancel).to_be_visible()
    cancel.click()
    expect(page.get_by_text("학습을 중지했습니다.")).to_be_visible()
    expect(cancel).to_have_count(0)
    # The page went on working: what was chosen can be changed, and another training starts.
    page.locator(".st-key-corpus-id input").click()  # the reload ended the session, and the text with it
    page.get_by_role("option").first.click()
    _size(page, 900)
    _start(page)
    _expect_done(page)


@pytest.mark.slow
def test_a_model_file_is_downloaded_and_loaded(
    page: Page, app_url: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    _open(page, app_url)
    with page.expect_download() as download:
        page.get_by_role("button", name="모델 내려받기").click()
    path = tmp_path_factory.mktemp("download") / "받은 모델.tok"
    download.value.save_as(path)
    page.get_by_text("모델이나 토크나이저 파일 불러오기").first.click()
    loader = page.locator(".st-key-train-load input[type=file]")
    broken = {"name": "broken.tok", "mimeType": "application/octet-stream", "buffer": path.read_bytes()[:-40]}
    loader.set_input_files(broken)
    expect(page.get_by_text("이 파일은 불러올 수 없습니다.")).to_be_visible()
    expect(page.get_by_text("모델 파일이 손상되어")).to_be_visible()
    loader.set_input_files(path)
    expect(page.get_by_test_id("stSidebar")).to_contain_text("받은 모델.tok")
    expect(page).to_have_url(re.compile(r"model=file\.[0-9a-f]{24}"))


@pytest.mark.slow
def test_settings_are_in_the_url_and_back_undoes_them(page: Page, app_url: str) -> None:
    _open(page, app_url)
    page.get_by_text("세부 설정", exact=True).click()
    page.get_by_role("radio", name="분기 엔트로피(BE)").click()
    expect(page).to_have_url(re.compile(r"draft=ko~score-be$|draft=ko~score-be&"))
    _size(page, 2500)
    expect(page).to_have_url(re.compile(r"draft=ko~vocab_size-2500~score-be"))
    page.reload()
    expect(page.get_by_label("어휘 크기", exact=True)).to_have_value("2500")
    page.get_by_text("세부 설정", exact=True).click()
    expect(page.get_by_role("radio", name="분기 엔트로피(BE)")).to_be_checked()
    page.go_back()
    expect(page.get_by_label("어휘 크기", exact=True)).to_have_value("2000")


@pytest.mark.slow
def test_streamlit_speaks_the_language_of_the_page(page: Page, app_url: str) -> None:
    """Of a number, a file, a list and a menu; in the other language again, what is drawn already too."""
    _open(page, app_url)
    field = page.get_by_label("어휘 크기", exact=True)
    field.fill("9999999999")
    field.press("Enter")
    place = page.get_by_test_id("stNumberInput").first
    expect(place).to_contain_text(re.compile(r"오류: 허용 범위를 벗어났습니다\. \d+~\d+의 수를 입력해 주세요\."))
    expect(place.get_by_role("button", name="늘리기")).to_be_visible()
    page.get_by_role("radio", name="English").click()
    expect(place).to_contain_text(re.compile("Error: Number is outside the allowed range"))
    expect(place.get_by_role("button", name="Increment")).to_be_visible()


def test_trains_by_keyboard_alone(page: Page, app_url: str) -> None:
    _open(page, app_url)
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.innerText").strip().endswith("학습 시작"):
            break
    page.keyboard.press("Enter")
    _expect_done(page)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1280, 720), (390, 844)], ids=["desktop", "phone"])
def test_a_training_is_seen_beside_its_button_and_compared_with_three_clicks(
    page: Page, app_url: str, size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    _open(page, app_url, f"lang=en&draft=ko~vocab_size-{1300 + size[0] % 100}")
    button = page.get_by_role("button", name="Start training")
    button.click()
    progress = page.get_by_role("progressbar")
    expect(progress).to_be_visible()
    for part in (button, progress, page.get_by_role("button", name="Stop")):
        expect(part).to_be_in_viewport()
    link = page.get_by_role("link", name="beside GPT-4o and Thunder-Tok")
    expect(link).to_be_focused(timeout=120_000)
    expect(link).to_be_in_viewport()
    page.keyboard.press("Enter")
    for name in ("Thunder-Tok 32k", "Byte BPE 32k", "GPT-4", "GPT-4o, GPT-5"):
        token = page.get_by_role("button", name=f", {name}, Number 1 /").first
        expect(token).to_be_visible(timeout=60_000)

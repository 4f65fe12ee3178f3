"""How soon a picture follows the keys: `python -m tests.load.keys [--url URL] [--pages explore,lattice]`.

Opens a page in Chromium, types into its field at twelve keys a second, and takes the time from each key to the first
frame with a picture of a text that has its letter. Prints, for each page, how many messages the keys took, and median
and 95th percentile of these times. Without `--url` it starts a server of its own.
"""

import argparse
import statistics
import sys
from contextlib import nullcontext
from time import monotonic

from playwright.sync_api import Page, sync_playwright

from tests.browser.chromium import FLAGS, find_chromium
from tests.load.interaction import percentile, server

_DELAY = 1000 / 12
_PROSE = (
    "세종대왕은 훈민정음을 만들어 백성이 쉽게 글을 읽고 쓰게 하였다. Tokenizers cut text into pieces, and each "
    "piece has a number. 학교에서 배운 것을 오늘 집에서 다시 한번 천천히 읽어 보았습니다. The quick fox jumps over it."
)
_WORDS = "달리다:5 달리고:4 마시고:3 마시면 마시기 달리기 "
# What is typed into the field of a page.
_TYPED = {
    "explore": _PROSE,
    "lattice": _PROSE,
    "rounds": _PROSE[:100],
    "learn_bpe": _WORDS,
    "learn_unigram": "달리시기고마면",
    "learn_bytes": _PROSE[:60],
    "learn_failures": _PROSE[:60],
}
# Times of keys, of messages with a text, and of changes of the picture; all of them end with the frame they are in.
_WATCH = """() => {
  window.times = { keys: [], sent: [], drawn: [] };
  document.addEventListener('beforeinput', (event) => times.keys.push(event.timeStamp), true);
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    if (new TextDecoder().decode(data).includes('"typed"')) times.sent.push(performance.now());
    return send.call(this, data);
  };
  let pending = false;
  const changed = () => {
    if (pending) return;
    pending = true;
    const at = performance.now();
    requestAnimationFrame(() => { pending = false; times.drawn.push([at, performance.now()]); });
  };
  const watched = new WeakSet();
  const watch = (root) => {
    if (watched.has(root)) return;
    watched.add(root);
    new MutationObserver(() => { changed(); find(root); }).observe(
      root, { subtree: true, childList: true, characterData: true, attributes: true });
    find(root);
  };
  const find = (root) => root.querySelectorAll('*').forEach((one) => one.shadowRoot && watch(one.shadowRoot));
  watch(document.querySelector('.st-key-picture'));
}"""
# An answer takes longer than this: what is drawn sooner after a message belongs to the message before it.
_AT_LEAST = 8.0
# Changes within this time complete one picture.
_AT_ONCE = 50.0


def key_times(times: dict[str, list]) -> list[float]:
    """Milliseconds from each key to the frame in which its letter is drawn; without keys that change no picture."""
    answered: dict[int, float] = {}
    for at, frame in times["drawn"]:
        message = sum(sent + _AT_LEAST <= at for sent in times["sent"]) - 1
        if at < answered.get(message, at + 1) + _AT_ONCE:  # not what follows a pause
            answered[message] = frame
    taken = []
    for key in times["keys"]:
        message = next((number for number, sent in enumerate(times["sent"]) if sent >= key), None)
        if message in answered:
            taken.append(answered[message] - key)
    return taken


def type_into(page: Page, url: str, name: str) -> tuple[list[float], int]:
    """The times of the keys typed into the page's field, and the number of messages."""
    page.goto(f"{url}/{name}?lang=ko")
    field = page.locator("textarea.live").first
    field.wait_for(timeout=120_000)
    page.locator(".st-key-picture [data-testid=stBidiComponentRegular], .st-key-picture svg").first.wait_for()
    page.wait_for_timeout(3000)
    field.fill(_TYPED[name][0])  # without a text there may be no picture to watch
    page.wait_for_timeout(2000)
    field.press("End")
    page.evaluate(_WATCH)
    begun = monotonic()
    for number, letter in enumerate(_TYPED[name][1:]):  # `type` does not pause between Hangul and a space
        page.wait_for_timeout(max(0.0, 1000 * (begun - monotonic()) + number * _DELAY))
        page.keyboard.type(letter)
    page.wait_for_timeout(2000)
    assert field.input_value() == _TYPED[name], f"{name}: letters were lost: {field.input_value()!r}"
    times = page.evaluate("() => window.times")
    return key_times(times), len(times["sent"])


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url")
    parser.add_argument("--pages", default=",".join(_TYPED))
    options = parser.parse_args()
    with sync_playwright() as playwright, nullcontext((options.url, None)) if options.url else server() as (url, _):
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        for name in options.pages.split(","):
            page = chromium.new_page(viewport={"width": 1440, "height": 900}, locale="ko-KR")
            taken, n_sent = type_into(page, url, name)
            sys.stdout.write(
                f"{name:<16}{len(_TYPED[name]):>4} keys {n_sent:>4} messages  "
                f"p50 {statistics.median(taken):4.0f}  p95 {percentile(taken, 0.95):4.0f} ms\n"
            )
            sys.stdout.flush()
            page.close()
        chromium.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Texts that want to become something else than text, and whether one of them did."""

from playwright.sync_api import Page

# Each is one token of the vocabularies that the tests make, so none has a space.
TOKENS = (
    "<img/src=x/onerror=window.__hacked=1>",
    "<svg/onload=window.__hacked=1>",
    "</script><script>window.__hacked=1</script>",
    "<a/href=javascript:window.__hacked=1>zqa</a>",
    "[zqlink](javascript:window.__hacked=1)",
    "![zqp](http://evil.example/zq.png)",
    "www.evil.example",
    "zq@evil.example",
    '"onmouseover="window.__hacked=1',
    "'onclick='window.__hacked=1",
    "<b>zqtag</b>",
    "**zqbold**",
    "`zqcode`",
    "$x^{7731}$",
    ":material/skull:",
    ":skull:",
    ":streamlit:",
    ":red[zqred]",
    "%{zqy}",
    "{zqname}",
    "&lt;zqent&gt;",
)
# The same in the name of a file or of a run, which may hold spaces.
NAME = (
    "<img src=x onerror=window.__hacked=1> [zqlink](javascript:a) **zqbold** $x^{7731}$ :material/skull: <b>zqtag</b>"
)

# Everything in the page, in shadow trees too. What a token was turned into would be an element: of its own kind, with
# a handler or an address of its own (in the query of one of ours it is text), or one whose whole text is the token
# without its marks.
_FIND = """() => {
  const MADE = {
    zqa: ["a"], zqlink: ["a"], zqtag: ["b", "tspan"], zqbold: ["strong"], zqcode: ["code"], zqred: ["span"],
  };
  const found = [];
  const say = (element, why) => found.push(`${why}: ${element.outerHTML.slice(0, 300)}`);
  const look = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.shadowRoot) look(element.shadowRoot);
      for (const { name, value } of element.attributes) {
        if (/^on/i.test(name)) say(element, "handler");
        if (/^(href|src|xlink:href|action|formaction|data|poster|background)$/i.test(name)
            && /^\\s*(javascript|vbscript):|^x$|^[^?]*evil\\.example/i.test(value)) say(element, "address");
        if (name === "srcdoc" || (name === "style" && /evil\\.example/.test(value))) say(element, name);
      }
      const text = element.textContent.trim();
      if (element.tagName === "SCRIPT" && /__hacked/.test(text)) say(element, "script");
      if ((MADE[text] ?? []).includes(element.localName)) say(element, "markup");
      if (element.matches(".katex") && /7731/.test(text)) say(element, "formula");
      if (element.matches("em, span, [role=img]") && text === "skull") say(element, "icon");
      if (element.alt === "Streamlit logo") say(element, "logo");
      if (!element.children.length && (text.includes("💀") || text.includes("<zqent>"))) say(element, "sign");
    }
  };
  look(document);
  if (window.__hacked !== undefined) found.push("a script ran");
  return [...new Set(found)];
}"""


def injected(page: Page) -> list[str]:
    """What in the page was made from a text of the tests; empty where all of them stayed text."""
    found: list[str] = page.evaluate(_FIND)
    return found


def hover_figures(page: Page) -> None:
    """Move over every figure: what it says of its points is drawn only then."""
    for figure in page.locator(".js-plotly-plot").all():
        figure.scroll_into_view_if_needed()
        box = figure.bounding_box()
        if box is None:
            continue
        for i in range(24):
            across, down = (i % 8 + 0.5) / 8, (i // 8 + 0.5) / 3
            page.mouse.move(box["x"] + box["width"] * across, box["y"] + box["height"] * down)

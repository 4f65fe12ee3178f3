// A popover at a link to the glossary: the mouse and the keyboard open it in passing and the link stays a link;
// a finger opens it with a tap, and the link in it leads on. Escape and a click elsewhere close it.

const TERM = 'a[href*="glossary?"][href*="term="]';
const GAP = 6;

const termOf = (target) => target.closest?.(`[data-testid=stMain] :is(${TERM}):not(.term-tip a)`);

function nameOf(link) {
  return new URL(link.href).searchParams.get("term");
}

function placeAt(link, tip) {
  // A link may be broken over two lines: its first part is where the term begins.
  const { left, bottom, top } = link.getClientRects()[0];
  const { width, height } = tip.getBoundingClientRect();
  const below = bottom + GAP + height <= innerHeight;
  tip.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
  tip.style.top = `${Math.max(8, below ? bottom + GAP : top - GAP - height)}px`;
}

let endTermTips = () => {};

// In place of what an earlier call offers: Streamlit may end that one late, or not at all.
function offerTermTips(data) {
  endTermTips();
  const tip = html("div", { class: "term-tip", id: "term-tip", popover: "auto", role: "tooltip" });
  // In the app: there its colours follow the theme.
  document.querySelector("[data-testid=stApp]").append(tip);
  let definitions = null;
  let shown = null;

  function load() {
    definitions ??= fetch(`./terms/${data.ui_lang}.json`).then((answer) => (answer.ok ? answer.json() : {}));
    return definitions.catch(() => {
      definitions = null; // the next one asks again
      return {};
    });
  }

  function hide() {
    shown?.removeAttribute("aria-describedby");
    shown = null;
    if (tip.matches(":popover-open")) tip.hidePopover();
  }

  async function show(link, isTapped) {
    hide();
    shown = link;
    const text = (await load())[nameOf(link)];
    if (shown !== link || !text) return;
    tip.replaceChildren(html("span", {}, text));
    if (isTapped) tip.append(html("a", { href: link.href, target: "_blank", rel: "noopener" }, data.more));
    link.setAttribute("aria-describedby", tip.id);
    tip.showPopover();
    placeAt(link, tip);
  }

  const listeners = {
    pointerover: (event) => {
      const link = event.pointerType === "mouse" && termOf(event.target);
      if (link && link !== shown) show(link, false);
    },
    pointerout: (event) => {
      if (event.pointerType === "mouse" && termOf(event.target) && !tip.contains(event.relatedTarget)) hide();
    },
    focusin: (event) => {
      const link = termOf(event.target);
      if (link?.matches(":focus-visible")) show(link, false);
    },
    focusout: (event) => {
      if (termOf(event.target) && !tip.contains(event.relatedTarget)) hide();
    },
    click: (event) => {
      const link = event.pointerType === "touch" && termOf(event.target);
      if (!link) return;
      event.preventDefault();
      show(link, true);
    },
    scroll: () => hide(),
  };
  const ending = new AbortController();
  for (const [name, listen] of Object.entries(listeners)) {
    const capture = name === "click" || name === "scroll";
    document.addEventListener(name, listen, { capture, signal: ending.signal });
  }
  endTermTips = () => {
    ending.abort();
    hide(); // also what waits for its definition
    tip.remove();
  };
}

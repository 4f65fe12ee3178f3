// What the browser keeps or does for every page, without a picture: a secret, the projector mode, the language.

const KEY = "thunder-tok.library-key";
const FORM = /^[A-Za-z0-9_-]{22,64}$/;
const PROJECTOR = "thunder-tok.projector";

// Where Streamlit has texts in English only, by the first part of their names in the labels.
const PLACES = {
  field: "[data-testid=stNumberInput], [data-testid=stFileUploader], [data-testid=stSelectbox], "
    + "[data-testid=stMultiSelect], [data-testid=stTooltipIcon], [data-testid^=stTooltip][data-testid$=Content], "
    + "[data-testid=InputInstructions]",
  list: "[role=listbox]",
  table: "[data-testid=stBaseButton-elementToolbar], [data-testid=stTooltipContent], .gdg-search-bar, "
    + "[data-testid^=stDataFrameColumn][data-testid$=Menu], [data-testid=stDataFrameStatisticsMetrics]",
  chart: ".modebar",
  page: "[data-testid=stHeader], [data-testid=stSidebarHeader], [data-testid=stSkipToContent], "
    + "[data-testid=stHeaderActionElements], [data-testid=stStatusWidget], [role=dialog]",
};
const MOST_SEEN = 1000; // texts of a place whose translation is kept: every change of the page asks for all of them
const ATTRIBUTES = ["aria-label", "title", "placeholder", "data-title"];

let rules; // of every place: its selector, [pattern of a text in any language, the text in the page's], texts seen so far
let language;

// The secret is in localStorage: it survives a reload, and no link or other site can see it.
function keepSecret(data, setStateValue) {
  let secret = data.replace || "";
  try {
    secret = secret || localStorage.getItem(KEY) || "";
    if (!FORM.test(secret)) secret = data.known || data.fresh;
    localStorage.setItem(KEY, secret);
  } catch {
    // Without localStorage the secret lasts as long as the session.
    secret = secret || data.known || data.fresh;
  }
  if (secret !== data.known) setStateValue("secret", secret);
}

// `isOn`: what was chosen in this session; null before. The lecturer's notes are never on the projected screen.
function keepProjector(isOn, setStateValue) {
  try {
    if (isOn) localStorage.setItem(PROJECTOR, "true");
    else if (isOn === false) localStorage.removeItem(PROJECTOR);
    else if (localStorage.getItem(PROJECTOR) && !window.location.search.includes("notes=true")) {
      setStateValue("projector", true);
    }
  } catch {
    // Without localStorage the mode lasts as long as the session.
  }
}

// The language of the document, and texts that Streamlit has in English only.
function setLanguage(data) {
  const seen = { childList: true, subtree: true, characterData: true, attributeFilter: ATTRIBUTES };
  if (!language) new MutationObserver(translate).observe(document.body, seen);
  if (language === data.ui_lang) return;
  language = document.documentElement.lang = data.ui_lang;
  rules = Object.entries(PLACES).map(([place, selector]) => [selector, Object.values(known).flatMap((texts) =>
    Object.entries(data.labels)
      .filter(([name, text]) => name.startsWith(`${place}.`) && texts[name] !== text)
      .map(([name, text]) => [pattern(texts[name]), text])), new Map()]);
  translate();
}

// Of a text with placeholders; in a label, what it is of may follow.
function pattern(text) {
  const parts = text.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{(\w+)\}/g, "(?<$1>.+)");
  return new RegExp(`^${parts}(?<of>: .+)?$`);
}

function translate() {
  for (const [places, own, seen] of rules) {
    for (const element of document.querySelectorAll(`${places}, :is(${places}) *`)) {
      const texts = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
      for (const node of [...texts, ...ATTRIBUTES.map((name) => element.getAttributeNode(name))].filter(Boolean)) {
        const text = node.nodeValue;
        if (!seen.has(text)) seen.set(text, translated(text, own));
        if (text !== seen.get(text)) node.nodeValue = seen.get(text);
      }
    }
    if (seen.size > MOST_SEEN) seen.clear();
  }
}

function translated(text, own) {
  for (const [before, after] of own) {
    const { groups } = before.exec(text) ?? {};
    if (groups) return after.replace(/\{(\w+)\}/g, (_, name) => groups[name]) + (groups.of ?? "");
  }
  return text;
}

export default function ({ data, setStateValue }) {
  setLanguage(data);
  if (!("known" in data)) return; // a figure alone
  keepSecret(data, setStateValue);
  keepProjector(data.projector, setStateValue);
  offerTermTips(data);
}

// What the browser keeps or does for every page, without a picture: a secret, the projector mode, the language.

const KEY = "thunder-tok.library-key";
const FORM = /^[A-Za-z0-9_-]{22,64}$/;
const PROJECTOR = "thunder-tok.projector";

let texts;

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
  document.documentElement.lang = data.language;
  if (!texts) new MutationObserver(translate).observe(document.body, { childList: true, subtree: true });
  texts = data;
  translate();
}

function translate() {
  const all = (selector) => document.querySelectorAll(selector);
  write(all("button[aria-haspopup=listbox]"), "ariaLabel", texts.opens);
  write(all("[data-testid=stFileUploaderDropzone] button p"), "textContent", texts.upload);
  for (const { firstChild } of all("[data-testid=stFileUploaderDropzoneInstructions] span")) {
    // The text node after this one lists the kinds of files.
    const size = /[\d.]+ ?\w?B/.exec(firstChild.nodeValue);
    write([firstChild], "nodeValue", texts.limit.replace("{size}", size));
  }
}

function write(places, property, text) {
  for (const place of places) if (place[property] !== text) place[property] = text;
}

export default function ({ data, setStateValue }) {
  setLanguage(data);
  if (!("known" in data)) return; // a figure alone
  keepSecret(data, setStateValue);
  keepProjector(data.projector, setStateValue);
  offerTermTips(data);
}

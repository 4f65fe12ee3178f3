// What the browser keeps or does for every page, without a picture: a secret, the projector mode, the language.

const KEY = "thunder-tok.library-key";
const FORM = /^[A-Za-z0-9_-]{22,64}$/;
const PROJECTOR = "thunder-tok.projector";

let opens;

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

// The language of the document, and names that Streamlit has in English only.
function setLanguage(data) {
  document.documentElement.lang = data.language;
  document.documentElement.style.setProperty("--upload", JSON.stringify(data.upload));
  if (!opens) new MutationObserver(nameArrows).observe(document.body, { childList: true, subtree: true });
  opens = data.opens;
  nameArrows();
}

function nameArrows() {
  for (const arrow of document.querySelectorAll("button[aria-haspopup=listbox]")) {
    if (arrow.ariaLabel !== opens) arrow.ariaLabel = opens;
  }
}

export default function ({ data, setStateValue }) {
  setLanguage(data);
  if (!("known" in data)) return undefined; // a figure alone
  keepSecret(data, setStateValue);
  keepProjector(data.projector, setStateValue);
  return offerTermTips(data);
}

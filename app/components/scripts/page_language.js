// The language of the document, and names that Streamlit has in English only; and whether this browser projects.

const PROJECTOR = "thunder-tok.projector";

let opens;

function nameArrows() {
  for (const arrow of document.querySelectorAll("button[aria-haspopup=listbox]")) {
    if (arrow.ariaLabel !== opens) arrow.ariaLabel = opens;
  }
}

// `isOn`: what was chosen in this session; null before. The lecturer's notes are never on the projected screen.
function keepProjector(isOn, setStateValue) {
  try {
    if (isOn) localStorage.setItem(PROJECTOR, "true");
    else if (isOn === false) localStorage.removeItem(PROJECTOR);
    else if (localStorage.getItem(PROJECTOR) && !window.location.search.includes("notes=true")) {
      // Not together with what a fragment of the page sends: then only the fragment would run.
      setTimeout(() => setStateValue("projector", true), 100);
    }
  } catch {
    // Without localStorage the mode lasts as long as the session.
  }
}

export default function ({ data, setStateValue }) {
  document.documentElement.lang = data.language;
  document.documentElement.style.setProperty("--upload", JSON.stringify(data.upload));
  if (!opens) new MutationObserver(nameArrows).observe(document.body, { childList: true, subtree: true });
  opens = data.opens;
  nameArrows();
  if (data.projector !== undefined) keepProjector(data.projector, setStateValue);
}

// The language of the document, and names that Streamlit has in English only.

let opens;

function nameArrows() {
  for (const arrow of document.querySelectorAll("button[aria-haspopup=listbox]")) {
    if (arrow.ariaLabel !== opens) arrow.ariaLabel = opens;
  }
}

export default function ({ data }) {
  document.documentElement.lang = data.language;
  document.documentElement.style.setProperty("--upload", JSON.stringify(data.upload));
  if (!opens) new MutationObserver(nameArrows).observe(document.body, { childList: true, subtree: true });
  opens = data.opens;
  nameArrows();
}

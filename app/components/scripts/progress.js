// What a student answered alone, by lesson. It stays in this browser: the server has it only while the page is open.

const NAME = "thunder-tok.lessons";

export default function ({ data, setStateValue }) {
  let kept = {};
  try {
    kept = JSON.parse(localStorage.getItem(NAME)) || {};
  } catch {
    // Nothing is kept, or nothing that can be read.
  }
  const isNew = !data.isRead && Object.keys(kept).length > 0;
  const sent = JSON.stringify(kept);
  Object.assign(kept, data.answers);
  try {
    localStorage.setItem(NAME, JSON.stringify(kept));
  } catch {
    // Without localStorage the answers last as long as the session.
  }
  if (isNew) setStateValue("kept", sent);
}

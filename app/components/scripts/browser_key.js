// The secret is in localStorage: it survives a reload, and no link or other site can see it.

const NAME = "thunder-tok.library-key";
const FORM = /^[A-Za-z0-9_-]{22,64}$/;

export default function ({ data, setStateValue }) {
  let secret = data.replace || "";
  try {
    secret = secret || localStorage.getItem(NAME) || "";
    if (!FORM.test(secret)) secret = data.known || data.fresh;
    localStorage.setItem(NAME, secret);
  } catch {
    // Without localStorage the secret lasts as long as the session.
    secret = secret || data.known || data.fresh;
  }
  if (secret !== data.known) setStateValue("secret", secret);
}

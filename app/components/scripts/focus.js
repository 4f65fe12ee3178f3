// The link that matters now gets the focus, once.

let last;

export default function ({ data }) {
  if (data.once === last) return;
  last = data.once;
  document.querySelector(`.st-key-${data.key} a`)?.focus({ preventScroll: true });
}

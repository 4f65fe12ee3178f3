// The link that matters now gets the focus, once it is there.

const PATIENCE = 10000; // ms

let last;

function focusLink(key, begun) {
  const link = document.querySelector(`.st-key-${key} a`);
  if (link) link.focus({ preventScroll: true });
  else if (performance.now() - begun < PATIENCE) setTimeout(() => focusLink(key, begun), 50);
}

export default function ({ data }) {
  if (data.once === last) return;
  last = data.once;
  focusLink(data.key, performance.now());
}

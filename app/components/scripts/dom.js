// Shared by all components. User text only ever becomes a text node: no markup is built from strings.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

// `onclick` and the like take what the element calls.
function furnish(element, attributes, children) {
  for (const name in attributes) {
    const value = attributes[name];
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  if (children.length) element.append(...children);
  return element;
}

const html = (name, attributes = {}, ...children) => furnish(document.createElement(name), attributes, children);

const svg = (name, attributes = {}, ...children) =>
  furnish(document.createElementNS(SVG_NAMESPACE, name), attributes, children);

// "{shown} of {total}" with its values.
// `{n}` is a value, `{n:way|ways}` the word for one or for any other number, as in engine/messages.py.
const fill = (template, values) =>
  template.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (whole, name, one, many) =>
    one === undefined ? (values[name] ?? whole) : String(values[name]) === "1" ? one : many,
  );

// Streamlit calls the module again for new data, and awaits its import before each call: on a slow machine a call with
// old data may come after one with new data. It keeps only the clean-up of the last call until the end; a call that was
// overtaken is cleaned up at once, before anything else happens. So the view belongs to the parent, and if the last
// call turns out to be overtaken, the one before it is drawn again.
const instances = new WeakMap();

// `create(root)` creates the view of a parent, `update(view)` passes it the data of this call. Returns the clean-up.
function present(parent, create, update) {
  let own = instances.get(parent);
  if (!own?.view.root.isConnected) {
    own?.view.end?.();
    own = { view: create(parent.querySelector(".root")), updates: [] };
    instances.set(parent, own);
  }
  const { view, updates } = own;
  updates.push(update);
  update(view);
  // If it was overtaken, it has been cleaned up by then; otherwise the calls before it are obsolete.
  setTimeout(() => updates.splice(0, Math.max(0, updates.indexOf(update))));
  return () => {
    const at = updates.indexOf(update);
    if (at < 0) return;
    updates.splice(at, 1);
    if (!updates.length || !view.root.isConnected) {
      view.end?.();
      if (instances.get(parent) === own) instances.delete(parent);
    } else if (at === updates.length) updates[at - 1](view);
  };
}

// What a component exports whose `View` draws in its root; `give` passes the view the data of a call.
const shownBy =
  (View, give = (view, data, tell) => view.update(data, tell)) =>
  ({ data, parentElement, setTriggerValue: tell, setStateValue: keep }) =>
    present(parentElement, (root) => new View(root), (view) => give(view, data, tell, keep));

const LOOK = 300; // ms after a drawing

// A length that the page sets, in px, e.g. the least size of letters on a projector (assets/styles/projector.css).
const lengthIn = (style, name) => parseFloat(style.getPropertyValue(name)) || 0;

// What a drawing in `root` depends on beside its data. Calls `draw` once the width is known, and whenever anything of it
// changes. To read it has the browser style and lay out the page anew: drawings while one types use what was read last,
// and a look follows when they rest.
class Surroundings {
  constructor(root, draw) {
    this.root = root;
    this.draw = draw;
    this.known = this.read();
    this.observer = new ResizeObserver(() => {
      // Width 0 is recorded at once: by the next frame it may be visible again, with data that was not drawn.
      if (!root.clientWidth) this.known = this.read();
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => this.look());
    });
    this.observer.observe(root);
    this.fonts = () => {
      measureAgain();
      this.look();
    };
    document.fonts.addEventListener("loadingdone", this.fonts);
  }

  read() {
    const style = getComputedStyle(this.root);
    return {
      width: Math.floor(this.root.clientWidth),
      font: style.fontFamily,
      least: lengthIn(style, "--least-letters"),
      small: lengthIn(style, "--least-small"),
      edition: widthsEdition,
    };
  }

  // For a drawing.
  now() {
    if (!this.known.width) this.known = this.read();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), LOOK);
    return this.known;
  }

  look() {
    const now = this.read();
    const isSame = JSON.stringify(now) === JSON.stringify(this.known);
    this.known = now;
    if (now.width && !isSame) this.draw();
  }

  end() {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    this.observer.disconnect();
    document.fonts.removeEventListener("loadingdone", this.fonts);
  }
}

const NATS_PER_BIT = Math.LN2;

const decimal = (value, digits = 2) => value.toFixed(digits).replace("-", "−");

// A logarithm (nats) in the displayed unit; the server sends null for log 0, which JSON cannot encode.
const logarithm = (nats, unit, digits = 2) =>
  nats === null ? "−∞" : decimal(unit === "bit" ? nats / NATS_PER_BIT : nats, digits);

function probability(value) {
  if (value === 0) return "0";
  if (value >= 0.9995) return value > 0.9999995 ? "1" : "0.999…";
  if (value >= 0.001) return value.toPrecision(3);
  const [mantissa, exponent] = value.toExponential(1).split("e-");
  return `${mantissa}×10⁻${[...exponent].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit]).join("")}`;
}

// A tooltip at the pointer or the focus. It repeats the element's aria-label, so screen readers skip it.
class Tip {
  constructor(root) {
    this.root = root;
    this.element = html("div", { class: "tip", "aria-hidden": "true", hidden: true });
    root.append(this.element);
  }

  show(target, title, rows, language) {
    const box = this.element;
    const list = html("dl");
    for (const [name, value] of rows) list.append(html("dt", {}, name), html("dd", {}, value));
    box.replaceChildren(html("strong", { lang: language }, ...faintSpaces(title, html)), list);
    box.hidden = false;
    const own = this.root.getBoundingClientRect();
    const at = target.getBoundingClientRect();
    const left = Math.min(Math.max(at.left - own.left, 0), Math.max(0, own.width - box.offsetWidth));
    const below = at.bottom + 8 + box.offsetHeight <= window.innerHeight || at.top < box.offsetHeight + 8;
    box.style.left = `${left}px`;
    box.style.top = `${below ? at.bottom - own.top + 8 : at.top - own.top - box.offsetHeight - 8}px`;
  }

  hide() {
    this.element.hidden = true;
  }
}

// Parts of a text, every space as a faint ␣, so that a leading space is visible but unobtrusive.
function faintSpaces(text, make) {
  if (!text.includes(" ")) return [text];
  const space = () => make(make === svg ? "tspan" : "span", { class: "space", "font-size": "70%" }, "␣");
  return text
    .split(/( )/)
    .filter((part) => part !== "")
    .map((part) => (part === " " ? space() : part));
}

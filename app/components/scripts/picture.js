// A part of the page as a standalone SVG file: styles are written into the elements, and text becomes outlines, so that
// every program shows the same letters.

// Outlines of the app's fonts (research/shipped/pictures.py), by weight, and those for Han characters and kana.
const OUTLINES = { regular: "NotoSansKR-Regular", bold: "NotoSansKR-Bold", han: "NotoSansSC-Regular" };
const HAN = /[\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]/;
const OTHER_FONTS = "'Noto Sans KR', 'Noto Sans CJK KR', 'Malgun Gothic', 'Apple SD Gothic Neo', sans-serif";

// Controls, notes on their use and what only shows under the pointer are no part of a picture.
const NOT_DRAWN = [
  ".buttons, .controls, .help, .tip, .unseen, .modebar-container, .hoverlayer, [data-share]",
  '[role="alert"], [role="tooltip"], [data-testid="stElementToolbar"], [data-testid="stIconMaterial"]',
  '[data-testid="stButton"], [data-testid="stSpinner"], [data-testid="stSkeleton"]',
].join();

const SHAPES = /^(path|rect|line|text|tspan|circle|ellipse|polygon|polyline)$/;
// What is written into a shape, unless it has this value.
const STYLES = {
  fill: null,
  "fill-opacity": "1",
  stroke: "none",
  "stroke-width": "1px",
  "stroke-opacity": "1",
  "stroke-dasharray": "none",
  opacity: "1",
};

const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const plainColors = new Map();

// Any CSS colour as [#rrggbb, opacity]: other programs do not support color-mix.
function paintOf(color) {
  if (!plainColors.has(color)) {
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = color;
    pixel.fillRect(0, 0, 1, 1);
    const [r, g, b, alpha] = pixel.getImageData(0, 0, 1, 1).data;
    plainColors.set(color, [`#${[r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("")}`, alpha / 255]);
  }
  return plainColors.get(color);
}

function isDark(color) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(paintOf(color)[0].slice(at, at + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue < 128;
}

function plainColor(color) {
  if (color === "none" || color === "" || color.startsWith("url(")) return color;
  const [hex, opacity] = paintOf(color);
  return opacity ? hex : "none";
}

const short = (value) => String(Math.round(value * 100) / 100);

const loaded = new Map();

// The outlines of a font, by character; none if they cannot be loaded.
function outlinesOf(name) {
  if (!loaded.has(name)) {
    const load = async () => {
      const answer = await fetch(new URL(`app/static/fonts/${name}.outlines`, document.baseURI));
      if (!answer.ok) throw new Error(`${answer.status} ${name}`);
      const text = new Response(answer.body.pipeThrough(new DecompressionStream("gzip")));
      return new Map(Object.entries(await text.json()));
    };
    const failed = () => {
      loaded.delete(name); // next time it may succeed
      return new Map();
    };
    loaded.set(name, load().catch(failed));
  }
  return loaded.get(name);
}

// Writes characters as references to their outlines, each of which is in the file once; or, for PDF, as text.
class Pen {
  constructor(outlines) {
    this.outlines = outlines;
    this.sizes = new Map(); // how many characters there are of each size, in px
    this.shapes = svg("defs");
    this.ids = new Map();
  }

  static async load(text) {
    const names = Object.entries(OUTLINES).filter(([kind]) => kind !== "han" || HAN.test(text));
    const outlines = await Promise.all(names.map(async ([kind, name]) => [kind, await outlinesOf(name)]));
    return new Pen(Object.fromEntries(outlines));
  }

  // Its id; "" for a blank, undefined for a character without an outline.
  idOf(char, isBold) {
    const name = `${isBold ? "b" : "r"}${char}`;
    if (!this.ids.has(name)) {
      const { regular, bold, han } = this.outlines;
      const path = (isBold ? bold : regular).get(char) ?? han?.get(char);
      const id = path ? `${isBold ? "b" : "r"}${char.codePointAt(0).toString(16)}` : path;
      if (path) this.shapes.append(svg("path", { id, d: path }));
      this.ids.set(name, id);
    }
    return this.ids.get(name);
  }

  // Glyphs {char, x, y} of one size and weight, `y` at the base line.
  write(glyphs, size, weight, paint) {
    const group = svg("g", paint);
    this.sizes.set(size, (this.sizes.get(size) ?? 0) + glyphs.length);
    if (!this.outlines) {
      group.append(placed(glyphs, size, weight));
      return group;
    }
    const [isBold, scale] = [weight > 500, String(Math.round(size * 100) / 1e5)];
    let rest = null;
    for (const { char, x, y } of glyphs) {
      const id = this.idOf(char, isBold);
      if (id !== undefined) {
        rest = null;
        if (id) group.append(outlined(id, `matrix(${scale} 0 0 -${scale} ${short(x)} ${short(y)})`));
        continue;
      }
      if (!rest) {
        const font = { "font-size": size, "font-weight": weight, "font-family": OTHER_FONTS };
        rest = svg("text", { x: short(x), y: short(y), ...font });
        group.append(rest);
      }
      rest.textContent += char;
    }
    return group;
  }
}

// Text each of whose characters has its place.
function placed(glyphs, size, weight) {
  const [x, y] = ["x", "y"].map((name) => glyphs.map((glyph) => short(glyph[name])).join(" "));
  const font = { "font-size": size, "font-weight": weight, "font-family": OTHER_FONTS, "xml:space": "preserve" };
  return svg("text", { x, y, ...font }, glyphs.map(({ char }) => char).join(""));
}

// Programs other than browsers know `xlink:href` only.
function outlined(id, transform) {
  const use = svg("use", { transform });
  use.setAttributeNS("http://www.w3.org/1999/xlink", "xlink:href", `#${id}`);
  return use;
}

// ---- SVG in the page

function textPaint(style) {
  const fill = plainColor(style.fill);
  const opacity = Number(style.opacity) * Number(style.fillOpacity);
  return { fill, "fill-opacity": opacity < 1 ? short(opacity) : null };
}

// The code units of a text element, each with its parent; its title is not drawn.
function unitsOf(element) {
  const units = [];
  const visit = (node) => {
    if (node.nodeType === Node.TEXT_NODE) units.push(...node.data.split("").map((unit) => [unit, node.parentElement]));
    else if (node.localName !== "title") node.childNodes.forEach(visit);
  };
  visit(element);
  const isBlank = ([unit]) => /\s/.test(unit);
  while (units.length && isBlank(units[0])) units.shift();
  while (units.length && isBlank(units.at(-1))) units.pop();
  return units;
}

// A text element as outlines; null if the browser does not say where its characters are.
function outlinedText(element, pen) {
  const units = unitsOf(element);
  if (element.getNumberOfChars() !== units.length) return null;
  const group = svg("g", { transform: element.getAttribute("transform") });
  for (let i = 0; i < units.length; ) {
    const parent = units[i][1];
    const glyphs = [];
    while (i < units.length && units[i][1] === parent) {
      const { x, y } = element.getStartPositionOfChar(i);
      const isPair = /[\ud800-\udbff]/.test(units[i][0]) && /[\udc00-\udfff]/.test(units[i + 1]?.[0] ?? "");
      glyphs.push({ char: isPair ? units[i][0] + units[i + 1][0] : units[i][0], x, y });
      i += isPair ? 2 : 1;
    }
    const style = getComputedStyle(parent);
    group.append(pen.write(glyphs, parseFloat(style.fontSize), Number(style.fontWeight), textPaint(style)));
  }
  return group;
}

function writeStyles(from, to, pen) {
  const computed = getComputedStyle(from);
  if (computed.display === "none" || from.matches(NOT_DRAWN)) {
    to.remove();
    return;
  }
  const drawn = from.localName === "text" && outlinedText(from, pen);
  if (drawn) {
    to.replaceWith(drawn);
    return;
  }
  if (SHAPES.test(from.localName)) {
    for (const name in STYLES) {
      const value = computed.getPropertyValue(name);
      to.style.removeProperty(name); // it would win over the attribute
      if (value === STYLES[name]) to.removeAttribute(name);
      else to.setAttribute(name, name === "fill" || name === "stroke" ? plainColor(value) : value);
    }
    if (/^t/.test(from.localName)) {
      for (const name of ["font-size", "font-weight", "text-anchor"]) {
        to.setAttribute(name, computed.getPropertyValue(name));
      }
      to.setAttribute("font-family", OTHER_FONTS);
    }
  }
  for (const { name } of [...to.attributes]) {
    if (/^(role|class|tabindex|lang|pointer-events|aria-|data-)/.test(name)) to.removeAttribute(name);
  }
  for (const name of ["pointer-events", "cursor"]) to.style.removeProperty(name);
  if (!to.getAttribute("style")) to.removeAttribute("style");
  const copies = [...to.children];
  [...from.children].forEach((child, i) => writeStyles(child, copies[i], pen));
}

function drawSvg(element, box, { x, y }, pen) {
  const copy = element.cloneNode(true);
  const { width, height } = element.viewBox.baseVal ?? {};
  writeStyles(element, copy, pen);
  // Where nothing is scaled, a group: not every program supports drawings in a drawing.
  if (!width || Math.abs(width - box.width) + Math.abs(height - box.height) < 1) {
    return svg("g", { transform: `translate(${x} ${y})` }, ...copy.childNodes);
  }
  copy.removeAttribute("style");
  return furnish(copy, { x, y, width: short(box.width), height: short(box.height) }, []);
}

// ---- HTML in the page

// The lines of a text node: its characters with their places, and where the base line is.
function placedText(node, style, origin) {
  pixel.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = pixel.measureText("x");
  const range = document.createRange();
  const glyphs = [];
  let at = 0;
  for (const char of node.data) {
    range.setStart(node, at);
    range.setEnd(node, (at += char.length));
    const box = range.getClientRects()[0];
    if (!box?.width || /\s/.test(char)) continue;
    const y = box.top - origin.top + (box.height - ascent - descent) / 2 + ascent;
    glyphs.push({ char, x: box.left - origin.left, y });
  }
  return glyphs;
}

function drawBox(element, style, origin, into) {
  const box = element.getBoundingClientRect();
  const [fill, opacity] = paintOf(style.backgroundColor);
  const sides = ["Top", "Right", "Bottom", "Left"].map((side) => parseFloat(style[`border${side}Width`]) || 0);
  const [stroke, strokeOpacity] = paintOf(style.borderTopColor);
  const [x, y, { width, height }] = [box.left - origin.left, box.top - origin.top, box];
  if (!width || !height) return;
  const isFramed = sides.every(Boolean) && strokeOpacity > 0;
  if (opacity || isFramed) {
    const inset = isFramed ? sides[0] / 2 : 0;
    const place = { x: x + inset, y: y + inset, width: width - 2 * inset, height: height - 2 * inset };
    const radius = Math.min(parseFloat(style.borderTopLeftRadius) || 0, width / 2, height / 2);
    for (const name in place) place[name] = short(Math.max(0, place[name]));
    const dashes = /^d/.test(style.borderTopStyle) && "4 2";
    const frame = isFramed && { stroke, "stroke-width": sides[0], "stroke-dasharray": dashes };
    const filled = opacity ? { fill, "fill-opacity": opacity < 1 && short(opacity) } : { fill: "none" };
    into.append(svg("rect", { ...place, rx: radius ? short(radius) : null, ...filled, ...frame }));
    return;
  }
  const lines = [
    [0, 0, 1, 0],
    [1, 0, 1, 1],
    [0, 1, 1, 1],
    [0, 0, 0, 1],
  ];
  for (const [i, name] of ["Top", "Right", "Bottom", "Left"].entries()) {
    const [color, shown] = paintOf(style[`border${name}Color`]);
    if (!sides[i] || !shown) continue;
    const [x1, y1, x2, y2] = lines[i];
    const ends = { x1: x + x1 * width, y1: y + y1 * height, x2: x + x2 * width, y2: y + y2 * height };
    into.append(svg("line", { ...ends, stroke: color, "stroke-width": sides[i] }));
  }
}

function drawNode(node, origin, pen, into) {
  if (node.nodeType === Node.TEXT_NODE) {
    if (!node.data.trim()) return;
    const style = getComputedStyle(node.parentElement ?? node.getRootNode().host);
    if (style.visibility === "hidden") return;
    const glyphs = placedText(node, style, origin);
    const [fill, opacity] = paintOf(style.color);
    const paint = { fill, "fill-opacity": opacity < 1 ? short(opacity) : null };
    if (glyphs.length) into.append(pen.write(glyphs, parseFloat(style.fontSize), Number(style.fontWeight), paint));
    return;
  }
  if (node.nodeType === Node.DOCUMENT_FRAGMENT_NODE) {
    node.childNodes.forEach((child) => drawNode(child, origin, pen, into));
    return;
  }
  if (node.nodeType !== Node.ELEMENT_NODE || node.matches(`style, script, ${NOT_DRAWN}`)) return;
  const style = getComputedStyle(node);
  const box = node.getBoundingClientRect();
  if (style.display === "none" || (style.opacity === "0" && node.localName !== "svg")) return;
  const [x, y] = [short(box.left - origin.left), short(box.top - origin.top)];
  if (node.localName === "svg") {
    if (box.width && box.height) into.append(drawSvg(node, box, { x, y }, pen));
    return;
  }
  if (node.localName === "canvas") {
    const size = { x, y, width: short(box.width), height: short(box.height) };
    if (box.width && box.height) into.append(svg("image", { ...size, href: node.toDataURL() }));
    return;
  }
  const group = Number(style.opacity) < 1 ? svg("g", { opacity: style.opacity }) : into;
  if (group !== into) into.append(group);
  drawBox(node, style, origin, group);
  for (const child of (node.shadowRoot ?? node).childNodes) drawNode(child, origin, pen, group);
}

// ---- the file

// Characters that XML cannot represent: a file with them opens nowhere.
const NO_XML = /[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu;

function asXml(picture) {
  const written = new XMLSerializer().serializeToString(picture);
  return written.replace(NO_XML, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// All text below an element, shadow roots included.
function textOf(element) {
  const below = [...element.querySelectorAll("*")].filter((one) => one.shadowRoot);
  return [element.textContent, ...below.map((one) => textOf(one.shadowRoot))].join("");
}

// What an element shows, as {xml, width, height, letters}, the last the size of most characters; null if nothing is
// drawn in it. `isText`: its letters are text, not outlines. `mm`: its width on paper.
async function drawnFile(element, title, paper, { isText = false, mm = 0 } = {}) {
  window.dispatchEvent(new Event("finish-drawing"));
  const pen = isText ? new Pen(null) : await Pen.load(textOf(element));
  const origin = element.getBoundingClientRect();
  const content = svg("g");
  drawNode(element, origin, pen, content);
  if (!content.querySelector("path, rect, use, line, circle, image, text")) return null;
  const [width, height] = [Math.ceil(origin.width) + 24, Math.ceil(origin.height) + 24];
  const viewBox = `-12 -12 ${width} ${height}`;
  const size = mm ? { width: `${mm}mm`, height: `${short((mm * height) / width)}mm` } : { width, height };
  const picture = svg("svg", { xmlns: SVG_NAMESPACE, ...size, viewBox, role: "img" });
  picture.setAttributeNS("http://www.w3.org/2000/xmlns/", "xmlns:xlink", "http://www.w3.org/1999/xlink");
  const sheet = svg("rect", { x: -12, y: -12, width, height, fill: plainColor(paper) });
  picture.append(svg("title", {}, title), pen.shapes, sheet, content);
  const [[letters] = [0]] = [...pen.sizes].sort(([, a], [, b]) => b - a);
  return { xml: asXml(picture), width, height, letters };
}

const MM_PER_POINT = 25.4 / 72;
const LEAST_ROOM = 14; // letters that a width must have room for
const USUAL_LETTERS = 14;

// The picture on paper, `mm` wide with letters of `pt`: laid out anew at the width in px at which they have this size,
// then drawn twice, as {outlined, written}. Null if nothing is drawn, "room" if the letters leave no room.
async function printedFiles(element, title, paper, mm, pt) {
  const before = await drawnFile(element, title, paper);
  if (!before) return null;
  if (mm < LEAST_ROOM * pt * MM_PER_POINT) return "room";
  const width = (mm / (pt * MM_PER_POINT)) * (before.letters || USUAL_LETTERS) - 24;
  const style = element.getAttribute("style");
  element.style.cssText += `; width: ${width}px; min-width: ${width}px; max-width: none; flex: none`;
  try {
    await settled(element);
    fitTitles(element);
    const outlined = await drawnFile(element, title, paper, { mm });
    const written = await drawnFile(element, title, paper, { mm, isText: true });
    return { outlined: outlined.xml, written: written.xml };
  } finally {
    if (style === null) element.removeAttribute("style");
    else element.setAttribute("style", style);
  }
}

// Charts do not break their titles: one that is too wide gets smaller letters until the chart is drawn again.
function fitTitles(element) {
  const right = element.getBoundingClientRect().right;
  for (const title of element.querySelectorAll(".gtitle")) {
    const box = title.getBoundingClientRect();
    const share = (right - box.left) / box.width;
    if (share < 1) title.style.fontSize = `${parseFloat(getComputedStyle(title).fontSize) * share}px`;
  }
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// Until the element has followed a new width: charts and components draw themselves anew, some time later.
async function settled(element) {
  await pause(300);
  let last = "";
  for (let n = 0; n < 20; n++) {
    const boxes = [...element.querySelectorAll("*")].map((one) => one.getBoundingClientRect());
    const now = boxes.map(({ width, height }) => `${width} ${height}`).join();
    if (now === last) return;
    last = now;
    await pause(200);
  }
}

const asSvg = (xml) => new Blob([xml], { type: "image/svg+xml" });

const SHARPNESS = 2;

// The file as pixels.
async function asPng({ xml, width, height }) {
  const image = new Image(width, height);
  image.src = URL.createObjectURL(asSvg(xml));
  try {
    await image.decode();
    const canvas = html("canvas", { width: width * SHARPNESS, height: height * SHARPNESS });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((done) => canvas.toBlob(done));
    if (!blob) throw new Error("too large");
    return blob;
  } finally {
    URL.revokeObjectURL(image.src);
  }
}

function saveFile(blob, name) {
  const link = html("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// A drawing as a standalone SVG file: computed styles are written into the elements, and the fonts are embedded.

// The app's fonts (app/.streamlit/config.toml), and which pictures need them.
const FACES = [
  { family: "Noto Sans KR", weight: 400, file: "NotoSansKR-Regular", isNeeded: () => true },
  { family: "Noto Sans KR", weight: 700, file: "NotoSansKR-Bold", isNeeded: hasBold },
  { family: "Noto Sans SC", weight: 400, file: "NotoSansSC-Regular", isNeeded: hasHan },
];

function hasBold(picture) {
  return [...picture.querySelectorAll("[font-weight]")].some((text) => text.getAttribute("font-weight") > 500);
}

function hasHan(picture) {
  return /[\u2e80-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]/.test(picture.textContent);
}

const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "opacity",
  "font-family",
  "font-weight",
  "text-anchor",
];

const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const plainColors = new Map();

// Any CSS colour as #rrggbb: other programs do not support color-mix.
function plainColor(color) {
  if (color === "none" || color === "" || color.startsWith("url(")) return color;
  if (!plainColors.has(color)) {
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = color;
    pixel.fillRect(0, 0, 1, 1);
    const [r, g, b, alpha] = pixel.getImageData(0, 0, 1, 1).data;
    const hex = `#${[r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
    plainColors.set(color, alpha ? hex : "none");
  }
  return plainColors.get(color);
}

function writeStyles(from, to) {
  if (/^(path|rect|line|text|tspan|circle)$/.test(from.localName)) {
    const computed = getComputedStyle(from);
    for (const name of STYLES) {
      const value = computed.getPropertyValue(name);
      to.setAttribute(name, name === "fill" || name === "stroke" ? plainColor(value) : value);
      to.style.removeProperty(name); // it would win over the attribute
    }
  }
  for (const { name } of [...to.attributes]) {
    if (/^(role|class|tabindex|aria-|data-)/.test(name)) to.removeAttribute(name);
  }
  [...from.children].forEach((child, i) => writeStyles(child, to.children[i]));
}

// A blank picture.
function emptyPicture(width, height, paper) {
  const picture = svg("svg", { xmlns: SVG_NAMESPACE, width, height });
  picture.append(svg("rect", { width: "100%", height: "100%", fill: plainColor(paper) }));
  return picture;
}

// A file of the server as a data URI.
async function embedded(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status} ${address}`);
  const blob = await answer.blob();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

// A style sheet with the fonts of the picture.
async function fontSheet(picture) {
  const needed = FACES.filter(({ isNeeded }) => isNeeded(picture));
  const faces = needed.map(async ({ family, weight, file }) => {
    const data = await embedded(new URL(`app/static/fonts/${file}.woff2`, document.baseURI));
    return `@font-face { font-family: "${family}"; font-weight: ${weight}; src: url("${data}"); }`;
  });
  return svg("style", {}, (await Promise.all(faces)).join("\n"));
}

// Characters that XML cannot represent: a file with them opens nowhere.
const NO_XML = /[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu;

function asXml(picture) {
  const written = new XMLSerializer().serializeToString(picture);
  return written.replace(NO_XML, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// Saves a picture with its fonts, or without if they cannot be loaded.
async function keepPicture(picture, name) {
  const sheet = await fontSheet(picture).catch(() => null);
  if (sheet) picture.prepend(sheet);
  const blob = new Blob([asXml(picture)], { type: "image/svg+xml" });
  const link = html("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

// One picture of several drawings {picture, width, height}, stacked vertically.
function savePicture(drawings, name, gap = 14) {
  const width = Math.max(...drawings.map((drawing) => drawing.width));
  const height = drawings.reduce((sum, drawing) => sum + drawing.height + gap, 0);
  const paper = getComputedStyle(drawings[0].picture).getPropertyValue("--st-background-color") || "white";
  const all = emptyPicture(width + 24, height + 24 - gap, paper);
  let y = 12;
  for (const { picture, height: own } of drawings) {
    const copy = picture.cloneNode(true);
    writeStyles(picture, copy);
    copy.setAttribute("x", 12);
    copy.setAttribute("y", y);
    all.append(copy);
    y += own + gap;
  }
  keepPicture(all, name);
}

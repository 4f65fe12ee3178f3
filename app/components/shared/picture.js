// A drawing as an SVG file of its own: what the style sheet says is written into the elements.

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

// Any CSS colour as #rrggbb: other programs do not know color-mix.
function plainColor(color) {
  if (color === "none" || color === "") return color;
  if (!plainColors.has(color)) {
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = color;
    pixel.fillRect(0, 0, 1, 1);
    const [r, g, b] = pixel.getImageData(0, 0, 1, 1).data;
    plainColors.set(color, `#${[r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("")}`);
  }
  return plainColors.get(color);
}

function writeStyles(from, to) {
  if (/^(path|rect|line|text|tspan|circle)$/.test(from.localName)) {
    const computed = getComputedStyle(from);
    for (const name of STYLES) {
      const value = computed.getPropertyValue(name);
      to.setAttribute(name, name === "fill" || name === "stroke" ? plainColor(value) : value);
    }
  }
  for (const { name } of [...to.attributes]) {
    if (/^(role|class|tabindex|aria-|data-)/.test(name)) to.removeAttribute(name);
  }
  [...from.children].forEach((child, i) => writeStyles(child, to.children[i]));
}

// One picture of several drawings {picture, width, height}, one under the other.
function savePicture(drawings, name, gap = 14) {
  const width = Math.max(...drawings.map((drawing) => drawing.width));
  const height = drawings.reduce((sum, drawing) => sum + drawing.height + gap, 0);
  const paper = getComputedStyle(drawings[0].picture).getPropertyValue("--st-background-color") || "white";
  const all = svg("svg", { xmlns: SVG_NAMESPACE, width: width + 24, height: height + 24 - gap });
  all.append(svg("rect", { width: "100%", height: "100%", fill: plainColor(paper) }));
  let y = 12;
  for (const { picture, height: own } of drawings) {
    const copy = picture.cloneNode(true);
    writeStyles(picture, copy);
    copy.setAttribute("x", 12);
    copy.setAttribute("y", y);
    all.append(copy);
    y += own + gap;
  }
  const blob = new Blob([new XMLSerializer().serializeToString(all)], { type: "image/svg+xml" });
  const link = html("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

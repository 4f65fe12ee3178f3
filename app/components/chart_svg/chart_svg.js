// Adds a button to the toolbar of the chart under the pointer: Plotly rebuilds the toolbar at any time.

// Layers of a chart, bottom first: SVG drawings and WebGL canvases.
function layersOf(chart) {
  return [...chart.querySelectorAll(".svg-container > svg.main-svg, .svg-container > .gl-container canvas")];
}

function draw(layer, width, height) {
  if (layer.localName === "canvas") return svg("image", { href: layer.toDataURL(), width, height });
  const copy = layer.cloneNode(true);
  writeStyles(layer, copy);
  return copy;
}

function save(chart) {
  const { width, height } = chart.querySelector("svg.main-svg").getBoundingClientRect();
  const paper = getComputedStyle(chart).getPropertyValue("--st-background-color") || "white";
  const all = emptyPicture(width, height, paper);
  all.append(...layersOf(chart).map((layer) => draw(layer, width, height)));
  const title = chart.querySelector(".gtitle")?.textContent || "chart";
  keepPicture(all, `${title.replace(/[^\p{L}\p{N}]+/gu, "-")}.svg`);
}

function offer(chart, label) {
  const camera = chart?.querySelector(".modebar-group .modebar-btn");
  if (!camera || chart.querySelector(".save-svg")) return;
  const button = html(
    camera.localName,
    { class: "modebar-btn save-svg", type: "button", role: "button", "aria-label": label, "data-title": label },
    "SVG",
  );
  button.style.cssText = "font-size: 12px; font-weight: 700; width: auto; color: inherit";
  button.addEventListener("click", () => save(chart));
  camera.parentElement.append(button);
}

export default function ({ data }) {
  const look = ({ target }) => offer(target.closest?.(".js-plotly-plot"), data.label);
  document.addEventListener("pointerover", look);
  document.addEventListener("focusin", look);
  return () => {
    document.removeEventListener("pointerover", look);
    document.removeEventListener("focusin", look);
  };
}

// The lattice of a sentence: characters on top, below them a bar for every candidate token over its characters.
//
// data:   chars [display text of each code point], arcs [{b, e, label, m, lp, be, p, hex}], best [arc], runner [arc],
//         selected (arc or null); positions are code points, half-open.
// labels: texts in the session's language.
// Sends:  picked = arc.
//
// User text only ever goes into textContent.

const SVG = "http://www.w3.org/2000/svg";
const MIN_CELL = 25;
const MAX_CELL = 46;

function node(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  if (text !== undefined) element.textContent = text;
  return element;
}

// Lines of the text: [from, to) each, broken where no arc crosses; where all do, where the crossing ones weigh least.
function breakLines(n, perLine, arcs) {
  const crossing = new Float64Array(n + 1);
  for (const arc of arcs) for (let i = arc.b + 1; i < arc.e; i++) crossing[i] += 1e-9 + arc.m;
  const lines = [];
  let from = 0;
  while (n - from > perLine) {
    let best = from + perLine;
    const earliest = from + Math.max(1, Math.floor(perLine * 0.4));
    for (let i = from + perLine; i >= earliest; i--) {
      if (crossing[i] < crossing[best] - 1e-12) best = i;
      if (crossing[best] === 0) break;
    }
    lines.push([from, best]);
    from = best;
  }
  if (n > from || n === 0) lines.push([from, n]);
  return lines;
}

// Rows: the best path alone in row 0, the runner-up's other arcs in row 1 where they fit, the rest first fit by weight.
function packRows(arcs, best, runner) {
  const rank = (arc) => (best.has(arc.i) ? 0 : runner.has(arc.i) ? 1 : 2);
  const rows = [];
  const free = (row, arc) => (rows[row] = rows[row] || []).every((other) => other.to <= arc.from || other.from >= arc.to);
  const place = (arc, first) => {
    let row = first;
    while (!free(row, arc) || (arc.hex && !free(row + 1, arc))) row++;
    rows[row].push(arc);
    if (arc.hex) rows[row + 1].push(arc); // the bytes of a character stand one below the other
    return row;
  };
  const ordered = arcs.slice().sort((x, y) => rank(x) - rank(y) || y.m - x.m || x.from - y.from || x.i - y.i);
  for (const arc of ordered) arc.row = place(arc, rank(arc) === 0 ? 0 : 1);
  return rows.length;
}

function fitText(label, width, size) {
  // Hangul and other wide characters take one em, Latin letters about 0.6.
  let em = 0;
  for (const c of label) em += c.codePointAt(0) > 0x2e7f ? 1 : 0.6;
  return Math.max(7, Math.min(size, (width - 4) / Math.max(em, 0.5)));
}

export default function (component) {
  const { data, setTriggerValue, parentElement } = component;
  const wrap = parentElement.querySelector(".lattice");
  const tip = parentElement.querySelector(".tip");
  const labels = data.labels;
  const best = new Set(data.best);
  const runner = new Set(data.runner);
  let drawnWidth = 0;
  let boxes = [];

  const format = (template, values) => template.replace(/\{(\w+)\}/g, (_, key) => values[key]);
  const describe = (arc) =>
    format(labels.arc, { token: arc.label, p: arc.p, lp: arc.lp, be: arc.be, m: arc.m.toFixed(4) }) +
    (best.has(arc.i) ? ` · ${labels.best}` : runner.has(arc.i) ? ` · ${labels.runner}` : "");

  function showTip(arc, box) {
    tip.replaceChildren();
    const title = document.createElement("strong");
    title.textContent = arc.label;
    tip.append(title);
    for (const [name, value] of [[labels.marginal, arc.m.toFixed(4)], ["P", arc.p], ["log P", arc.lp], ["BE", arc.be]]) {
      const line = document.createElement("div");
      const left = document.createElement("span");
      const right = document.createElement("span");
      left.textContent = name;
      right.textContent = value;
      line.append(left, right);
      tip.append(line);
    }
    tip.style.display = "block";
    const area = wrap.getBoundingClientRect();
    const place = box.getBoundingClientRect();
    const x = Math.min(place.left - area.left, area.width - tip.offsetWidth);
    tip.style.left = `${Math.max(0, x)}px`;
    tip.style.top = `${place.bottom - area.top + 4}px`;
  }
  const hideTip = () => (tip.style.display = "none");

  function drawLine(from, to, cell, first) {
    const rowHeight = Math.round(cell * 0.86);
    const charHeight = Math.round(cell * 1.05);
    const size = cell * 0.56;
    const arcs = [];
    data.arcs.forEach((arc, i) => {
      if (arc.b < to && arc.e > from) {
        arcs.push({ ...arc, i, from: Math.max(arc.b, from), to: Math.min(arc.e, to), torn: arc.b < from || arc.e > to });
      }
    });
    const rows = packRows(arcs, best, runner);
    const width = Math.max(1, to - from) * cell + 4;
    const height = charHeight + rows * rowHeight + 6;
    const svg = node("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": labels.line });
    for (let i = from; i < to; i++) {
      const space = data.chars[i] === " ";
      svg.append(
        node(
          "text",
          {
            x: 2 + (i - from + 0.5) * cell, y: charHeight * 0.68, class: space ? "char space" : "char",
            "font-size": fitText(data.chars[i], cell * 1.2, cell * 0.66), "aria-hidden": "true",
          },
          space ? "␣" : data.chars[i],
        ),
      );
    }
    arcs.sort((x, y) => x.row - y.row || x.from - y.from);
    for (const arc of arcs) {
      const x = 2 + (arc.from - from) * cell + 1;
      const y = charHeight + arc.row * rowHeight + 2;
      const w = (arc.to - arc.from) * cell - 2;
      const h = rowHeight * (arc.hex ? 2 : 1) - 4;
      const kind = best.has(arc.i) ? "best" : runner.has(arc.i) ? "runner" : "other";
      const box = node("g", {
        class: `arc ${kind}${arc.torn ? " torn" : ""}${data.selected === arc.i ? " selected" : ""}`,
        role: "button", tabindex: "-1", "aria-label": describe(arc), "aria-pressed": String(data.selected === arc.i),
      });
      box.append(
        node("rect", {
          x, y, width: w, height: h, rx: 5,
          "fill-opacity": (0.07 + 0.55 * Math.sqrt(arc.m)).toFixed(3),
          "stroke-width": (kind === "best" ? 2.4 : 0.7 + 1.6 * arc.m).toFixed(2),
        }),
      );
      if (kind === "runner") {
        box.append(node("rect", { class: "inner", x: x + 2.5, y: y + 2.5, width: Math.max(1, w - 5), height: h - 5, rx: 3 }));
      }
      const middle = x + w / 2;
      const text = node("text", { x: middle, y: y + h / 2, class: "label" });
      if (arc.hex) {
        const bytes = arc.label.split(" ");
        const step = h / (bytes.length + 0.4);
        text.setAttribute("font-size", Math.min(step, cell * 0.5).toFixed(1));
        bytes.forEach((byte, k) => text.append(node("tspan", { x: middle, y: y + step * (k + 0.7) }, byte)));
      } else {
        text.setAttribute("font-size", fitText(arc.label, w, size).toFixed(1));
        const lead = arc.label.startsWith(" ") ? 1 : 0;
        if (lead) text.append(node("tspan", { class: "space" }, "␣"));
        text.append(node("tspan", {}, arc.label.slice(lead).replaceAll(" ", "␣")));
      }
      box.append(text);
      box.addEventListener("mouseenter", () => showTip(arc, box));
      box.addEventListener("mouseleave", hideTip);
      box.addEventListener("focus", () => showTip(arc, box));
      box.addEventListener("blur", hideTip);
      box.addEventListener("click", () => setTriggerValue("picked", arc.i));
      boxes.push({ box, arc, line: first, row: arc.row, middle: arc.from + (arc.to - arc.from) / 2 });
      svg.append(box);
    }
    return svg;
  }

  function draw() {
    const width = Math.floor(wrap.clientWidth);
    if (!width || width === drawnWidth) return;
    drawnWidth = width;
    hideTip();
    boxes = [];
    const n = data.chars.length;
    const cell = Math.max(MIN_CELL, Math.min(MAX_CELL, (width - 6) / Math.max(n, 1)));
    const lines = breakLines(n, Math.max(1, Math.floor((width - 6) / cell)), data.arcs);
    const drawn = document.createDocumentFragment();
    lines.forEach(([from, to], k) => drawn.append(drawLine(from, to, cell, k)));
    wrap.replaceChildren(drawn);
    const start = boxes.find((entry) => entry.arc.i === data.selected) || boxes[0];
    if (start) start.box.setAttribute("tabindex", "0");
  }

  function move(from, key) {
    const others = boxes.filter((entry) => {
      if (key === "ArrowRight") return entry.line === from.line && entry.row === from.row && entry.middle > from.middle;
      if (key === "ArrowLeft") return entry.line === from.line && entry.row === from.row && entry.middle < from.middle;
      const below = entry.line > from.line || (entry.line === from.line && entry.row > from.row);
      const above = entry.line < from.line || (entry.line === from.line && entry.row < from.row);
      return key === "ArrowDown" ? below : above;
    });
    const steps = (entry) => Math.abs(entry.line - from.line) * 1000 + Math.abs(entry.row - from.row) * 10;
    others.sort((x, y) => steps(x) - steps(y) || Math.abs(x.middle - from.middle) - Math.abs(y.middle - from.middle));
    if (others.length) return others[0];
    const lines = boxes.filter((entry) => entry.row === 0 && entry.line === from.line + (key === "ArrowRight" ? 1 : -1));
    if (key === "ArrowRight") return lines[0];
    return key === "ArrowLeft" ? lines[lines.length - 1] : undefined;
  }

  const onKey = (event) => {
    const at = boxes.find((entry) => entry.box === event.target.closest(".arc"));
    if (!at) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      setTriggerValue("picked", at.arc.i);
    } else if (event.key.startsWith("Arrow")) {
      const next = move(at, event.key);
      event.preventDefault();
      if (!next) return;
      at.box.setAttribute("tabindex", "-1");
      next.box.setAttribute("tabindex", "0");
      next.box.focus();
    } else if (event.key === "Escape") hideTip();
  };

  wrap.setAttribute("aria-label", labels.title);
  wrap.addEventListener("keydown", onKey);
  const observer = new ResizeObserver(draw);
  observer.observe(wrap);
  draw();
  return () => {
    observer.disconnect();
    wrap.removeEventListener("keydown", onKey);
  };
}

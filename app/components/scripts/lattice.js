// The lattice of a sentence: its characters on top, every candidate token as a bar over its characters.

const ZOOMS = [0.7, 0.85, 1, 1.2, 1.45, 1.75];
const BEST = "best";
const RUNNER = "runner";
const OTHER = "other";

const opacityOf = (marginal) => (0.07 + 0.55 * Math.sqrt(marginal)).toFixed(3);

// Rows of a line: the best path in row 0, the runner-up (where it differs) in row 1, the others first-fit below: first
// those on the path with the fewest tokens, then by probability.
function packRows(pieces, n) {
  const taken = [];
  const rows = new Map();
  const first = pieces.some((piece) => piece.arc.kind === RUNNER) ? 2 : 1;
  const order = [...pieces].sort((a, b) => b.arc.isFewest - a.arc.isFewest || b.arc.m - a.arc.m || a.from - b.from || a.to - b.to);
  for (const piece of order) {
    let row = piece.arc.kind === BEST ? 0 : piece.arc.kind === RUNNER ? 1 : first;
    if (row === first) while (isTaken((taken[row] ??= new Uint8Array(n)), piece)) row++;
    (taken[row] ??= new Uint8Array(n)).fill(1, piece.from, piece.to);
    rows.set(piece, row);
  }
  return rows;
}

function isTaken(row, piece) {
  const next = row.indexOf(1, piece.from);
  return next !== -1 && next < piece.to;
}

// Sizes in px at a scale; at 1, a line of 40 characters fits a lecture hall's screen.
const latticeMeasures = (scale) => ({
  char: 21 * scale,
  label: 15 * scale,
  air: 6.5 * scale,
  head: 38 * scale,
  bar: 25 * scale,
  step: 30 * scale,
});

class LatticeView extends Board {
  constructor(root) {
    super(root, "data-arc");
    this.zoom = ZOOMS.indexOf(1);
  }

  // Arcs arrive in columns, a tenth of the size of a list of objects.
  readThings(data) {
    const runner = new Set(data.runner);
    const fewest = new Set(data.fewest);
    this.arcs = data.columns.b.map((b, index) => {
      const arc = { index, name: String(index), b };
      for (const name of ["e", "label", "m", "lp", "be", "id", "fallback"]) arc[name] = data.columns[name][index];
      arc.kind = data.columns.best[index] ? BEST : runner.has(index) ? RUNNER : OTHER;
      arc.isFewest = fewest.has(index);
      arc.pairs = arc.fallback ? hexPairs(arc.label) : null;
      return arc;
    });
    this.hasEntropies = this.arcs.some((arc) => arc.be !== null);
    return this.arcs;
  }

  nameOf(selected) {
    return selected === null ? null : String(selected);
  }

  isLikely(arc) {
    return arc.kind !== OTHER || arc.isFewest || arc.m >= this.data.min_marginal;
  }

  // The selected arc is drawn even if it is too improbable to be shown otherwise.
  shownArcs() {
    return this.arcs.filter((arc) => this.isLikely(arc) || arc.index === this.data.selected);
  }

  show(data, send) {
    const arc = this.arcs?.[data.selected];
    this.update(data, send, () => arc !== undefined && !this.isLikely(arc));
  }

  // ---- drawing

  layOut({ width, small }) {
    const arcs = this.shownArcs();
    const base = width < 560 ? 0.86 : width < 900 ? 0.95 : 1;
    let scale = Math.max(base, small / 12.5) * ZOOMS[this.zoom];
    // A short text is enlarged to fill its line: a projected picture should be as large as possible.
    const natural = this.cells(arcs, latticeMeasures(scale)).reduce((sum, cell) => sum + cell, 0);
    const room = width - this.gutterWidth(scale, width) - 8;
    if (natural < room) scale *= Math.max(1, Math.min(1.6, (0.98 * room) / natural));
    this.scale = scale;
    this.size = latticeMeasures(scale);
    this.gutter = this.gutterWidth(scale, width);
    const spans = arcs.map((arc) => ({ b: arc.b, e: arc.e, weight: arc.m }));
    this.grid = new Grid(this.data.chars, this.cells(arcs, this.size), spans, width - this.gutter - 8);
    this.byLine = Array.from({ length: this.grid.size }, () => []);
    for (const arc of arcs) {
      for (const piece of this.grid.pieces(arc.b, arc.e)) this.byLine[piece.line].push({ ...piece, arc });
    }
  }

  // Width for the names of the two top rows, on a wide screen.
  gutterWidth(scale, width) {
    if (width < 640) return 0;
    const { best, runner_up: runner } = this.data.labels;
    return Math.ceil(Math.max(...[best, runner].map((name) => textWidth(name, 13 * scale, this.font, 700)))) + 14;
  }

  // A character with byte fallback is wide enough for its bytes.
  cells(arcs, size) {
    const cells = cellWidths(this.data.chars, size.char, this.font, size.air);
    for (const arc of arcs) {
      if (arc.pairs && arc.e - arc.b === 1 && (arc.kind !== OTHER || arc.m >= 0.001)) {
        cells[arc.b] = Math.max(cells[arc.b], hexWidth(arc.pairs, size.label * 0.82) + 12);
      }
    }
    return cells;
  }

  planLine(line) {
    const rows = packRows(this.byLine[line], this.grid.n);
    const height = this.size.head + (Math.max(...rows.values(), 0) + 1) * this.size.step + 2;
    return { rows, height, key: [...rows] };
  }

  markHeight() {
    return this.size.head - 5;
  }

  drawBars({ picture, rows, height }, line) {
    // In reading order: the best path, the runner-up, then all others along the text.
    const rank = { [BEST]: 0, [RUNNER]: 1, [OTHER]: 2 };
    const pieces = this.byLine[line].sort(
      (a, b) => rank[a.arc.kind] - rank[b.arc.kind] || a.from - b.from || a.to - b.to,
    );
    picture.prepend(this.drawGuides(pieces, height));
    if (this.gutter) this.drawRowNames(picture, pieces);
    for (const piece of pieces) picture.append(this.drawPiece(piece, rows.get(piece)));
  }

  // Hairlines where the best path cuts, through all rows.
  drawGuides(pieces, height) {
    const group = svg("g", { class: "guides" });
    for (const piece of pieces) {
      if (piece.arc.kind !== BEST || piece.tornRight) continue;
      const x = this.gutter + piece.x + piece.width;
      group.append(svg("line", { x1: x, x2: x, y1: 6, y2: height }));
    }
    return group;
  }

  drawRowNames(picture, pieces) {
    const { labels } = this.data;
    const x = this.gutter - 10;
    const name = (row, text, kind) => {
      const y = this.size.head + row * this.size.step + this.size.bar / 2 + 4.5 * this.scale;
      const look = { class: `row-name ${kind}`, "font-size": 13 * this.scale, "aria-hidden": "true" };
      picture.append(svg("text", { x, y, ...look }, text));
    };
    name(0, labels.best, BEST);
    if (pieces.some((piece) => piece.arc.kind === RUNNER)) name(1, labels.runner_up, RUNNER);
  }

  drawPiece(piece, row) {
    const { arc } = piece;
    const { size } = this;
    const inset = arc.kind === BEST ? 2 : 1.5;
    const box = insetBox(piece, this.gutter, size.head + row * size.step, size.bar, inset);
    const group = svg("g", { class: `arc ${arc.kind}`, lang: this.data.lang });
    group.append(svg("path", { class: "shape", d: outlineOf(box, piece, 0, 5), "fill-opacity": opacityOf(arc.m) }));
    if (arc.kind === RUNNER) group.append(svg("path", { class: "inner", d: outlineOf(box, piece, 3, 5) }));
    group.append(this.drawLabel(piece, box));
    this.drawGauge(group, arc, box);
    if (arc.isFewest) group.append(fewestMark(box));
    this.add(group, arc, { line: piece.line, row, left: box.x, right: box.x + box.width });
    return group;
  }

  drawLabel(piece, box) {
    const { arc } = piece;
    const { size, font } = this;
    const middle = [box.x + box.width / 2, box.y + box.height / 2 - 0.5];
    const room = box.width - (arc.kind === RUNNER ? 8 : 5);
    if (arc.pairs) return hexText(arc.pairs, ...middle, room, size.label * 0.82);
    const weight = arc.kind === BEST ? { "font-weight": 700 } : {};
    return boxText(pieceText(arc.label, this.data.chars, piece), ...middle, room, size.label, font, weight);
  }

  // The marginal again, as a length: on a projector, pale blues are hard to tell apart.
  drawGauge(group, arc, box) {
    const room = box.width - 10;
    if (room * arc.m < 2) return;
    const height = Math.max(2, 2.4 * this.scale);
    const y = box.y + box.height - height - (arc.kind === RUNNER ? 4.2 : 2.6);
    const width = (room * arc.m).toFixed(1);
    group.append(svg("rect", { class: "gauge", x: box.x + 5, y, width, height, rx: 1 }));
  }

  // Values of a candidate, by name.
  facts(arc) {
    const { labels, unit } = this.data;
    const name = unit === "bit" ? labels.bit : labels.nat;
    const kind = { [BEST]: labels.best, [RUNNER]: labels.runner_up, [OTHER]: labels.candidate }[arc.kind];
    return [
      ["", kind],
      ...(arc.isFewest ? [["", labels.fewest]] : []),
      [labels.marginal, probability(arc.m)],
      [labels.p, arc.lp === null ? "0" : probability(Math.exp(arc.lp))],
      [labels.log_p, `${logarithm(arc.lp, unit)} ${name}`],
      ...(this.hasEntropies ? [[labels.be, arc.be === null ? "–" : `${logarithm(arc.be, unit)} ${name}`]] : []),
      ...(arc.id === null ? [] : [[labels.id, String(arc.id)]]),
    ];
  }

  // ---- legend, size, picture

  drawTools() {
    const { labels } = this.data;
    const hasRunner = this.arcs.some((arc) => arc.kind === RUNNER);
    this.tools.replaceChildren(
      legendKey(labels.best, [barSample(BEST, 0.5)]),
      ...(hasRunner ? [legendKey(labels.runner_up, [barSample(RUNNER, 0.1)])] : []),
      ...(this.arcs.some((arc) => arc.isFewest) ? [legendKey(labels.fewest, [fewestSample()])] : []),
      legendKey(labels.candidate, [barSample(OTHER, 0.1)]),
      legendKey(labels.selected, [barSample(`${OTHER} selected`, 0.1)]),
      legendKey(labels.gauge, [0.05, 0.35, 1].map(gaugeSample)),
      html("span", {}, fill(labels.count, { shown: this.shownArcs().length, total: this.arcs.length })),
      html(
        "span",
        { class: "buttons push" },
        toolButton("A−", labels.smaller, () => this.zoomBy(-1)),
        toolButton("A+", labels.larger, () => this.zoomBy(1)),
        ...this.shareButtons(),
      ),
    );
  }

  zoomBy(steps) {
    this.zoom = Math.min(ZOOMS.length - 1, Math.max(0, this.zoom + steps));
    this.draw();
  }
}

function legendKey(text, samples) {
  const picture = svg("svg", { width: 34, height: 18, "aria-hidden": "true" }, ...samples);
  return html("span", { class: "key" }, picture, text);
}

function barSample(kind, marginal) {
  const box = { x: 2, y: 2, width: 30, height: 14 };
  const group = svg("g", { class: `arc ${kind}` });
  group.append(svg("path", { class: "shape", d: outlineOf(box, {}, 0), "fill-opacity": opacityOf(marginal) }));
  if (kind === RUNNER) group.append(svg("path", { class: "inner", d: outlineOf(box, {}, 3) }));
  return group;
}

// The path with the fewest tokens may use all rows: a line along the upper edge of its bars.
function fewestMark({ x, y, width }) {
  return svg("rect", { class: "fewest", x, y: y - 2, width, height: 4, rx: 2 });
}

function fewestSample() {
  const sample = barSample(OTHER, 0.1);
  sample.append(fewestMark({ x: 2, y: 3, width: 30 }));
  return sample;
}

function gaugeSample(marginal, i) {
  const x = 1 + i * 11.5;
  const shape = { class: "shape", x, y: 2, width: 9.5, height: 14, rx: 2, "fill-opacity": opacityOf(marginal) };
  const gauge = { class: "gauge", x: x + 1.5, y: 12.5, width: 6.5 * marginal, height: 2.2 };
  return svg("g", { class: `arc ${OTHER}` }, svg("rect", shape), svg("rect", gauge));
}

export default shownBy(LatticeView, (view, data, tell) => view.show(data, (arc) => tell("picked", arc.index)));

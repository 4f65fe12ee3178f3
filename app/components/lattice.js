// The lattice of a sentence: its characters on top, every candidate token as a bar over its characters.

const ZOOMS = [0.7, 0.85, 1, 1.2, 1.45, 1.75];
const BEST = "best";
const RUNNER = "runner";
const OTHER = "other";

// Arcs arrive in columns: a tenth of the bytes of a list of objects.
function readArcs(data) {
  const runner = new Set(data.runner ?? []);
  return data.columns.b.map((b, index) => {
    const arc = { index, name: String(index), b };
    for (const name of ["e", "label", "m", "lp", "be", "id", "row"]) arc[name] = data.columns[name][index];
    arc.kind = data.columns.best[index] ? BEST : runner.has(index) ? RUNNER : OTHER;
    arc.pairs = arc.row === -1 ? hexPairs(arc.label) : null;
    return arc;
  });
}

const isShown = (arc, data) =>
  arc.kind !== OTHER || arc.index === data.selected || arc.m >= data.min_marginal;

// Rows of a line: the best path in row 0, where the runner-up differs it in row 1, the others first fit below, the
// likely ones first.
function packRows(pieces, n) {
  const taken = [];
  const rows = new Map();
  const first = pieces.some((piece) => piece.arc.kind === RUNNER) ? 2 : 1;
  const order = [...pieces].sort((a, b) => b.arc.m - a.arc.m || a.from - b.from || a.to - b.to);
  for (const piece of order) {
    let row = piece.arc.kind === BEST ? 0 : piece.arc.kind === RUNNER ? 1 : first;
    if (row === first) while (isTaken((taken[row] ??= new Uint8Array(n)), piece)) row++;
    (taken[row] ??= new Uint8Array(n)).fill(1, piece.from, piece.to);
    rows.set(piece, row);
  }
  return rows;
}

const isTaken = (row, piece) => row.indexOf(1, piece.from) !== -1 && row.indexOf(1, piece.from) < piece.to;

// Sizes in px at a scale; `base` is 1 where a line of 40 characters fits a lecture hall's screen.
const measures = (scale) => ({
  char: 21 * scale,
  label: 15 * scale,
  air: 6.5 * scale,
  head: 38 * scale,
  bar: 25 * scale,
  step: 30 * scale,
});

class LatticeView {
  constructor(root) {
    this.root = root;
    this.zoom = ZOOMS.indexOf(1);
    this.items = [];
    this.groups = new Map();
    this.tools = html("div", { class: "bar-tools" });
    this.help = html("p", { class: "help" });
    this.lines = html("div", { class: "lines" });
    root.setAttribute("role", "group");
    root.replaceChildren(this.tools, this.lines, this.help);
    this.tip = new Tip(root);
    this.turns = new Turns();
    this.roving = new Roving(root, () => this.items, {
      pick: (item) => this.pick(item.arc),
      enter: (item) => this.point(item.arc, item.element),
      leave: () => this.unpoint(),
    });
    this.listen();
    this.unfollow = followWidth(root, () => this.data && this.draw());
  }

  listen() {
    const arcOf = (event) => {
      const group = event.target.closest?.("[data-arc]");
      return group ? [this.arcs[Number(group.dataset.arc)], group] : null;
    };
    this.lines.addEventListener("click", (event) => {
      const found = arcOf(event);
      if (!found) return;
      this.pick(found[0]);
      this.items.find((item) => item.arc === found[0])?.element.focus({ preventScroll: true });
    });
    this.lines.addEventListener("pointerover", (event) => {
      const found = arcOf(event);
      if (found && event.pointerType !== "touch") this.point(...found);
    });
    this.lines.addEventListener("pointerout", (event) => {
      if (arcOf(event)) this.unpoint();
    });
  }

  end() {
    this.unfollow();
    this.turns.stop();
  }

  update(data, send) {
    this.send = send;
    const { selected, ...rest } = data;
    const drawing = JSON.stringify(rest);
    this.data = data;
    const isHidden = selected !== null && !isShown(this.arcs?.[selected] ?? {}, { ...data, selected: null });
    this.select(selected);
    if (drawing === this.drawing && !isHidden) return;
    this.drawing = drawing;
    this.arcs = readArcs(data);
    this.drawTools();
    this.draw();
  }

  pick(arc) {
    this.select(arc.index);
    this.send(arc.index);
  }

  // ---- drawing

  draw() {
    const width = Math.floor(this.root.clientWidth);
    if (!width) return;
    const hadFocus = this.items.some((item) => item.element === this.root.getRootNode().activeElement);
    const arcs = this.arcs.filter((arc) => isShown(arc, this.data));
    this.fonts = fontsOf(this.root);
    this.layOut(arcs, width);
    this.items = [];
    this.groups = new Map([[-1, []]]);
    this.unpoint();
    this.drawn = this.byLine.map((pieces) => this.placeLine(pieces));
    this.lines.replaceChildren(...this.drawn.map((drawn) => drawn.box));
    this.turns.start(this.drawn.map((drawn, line) => () => this.drawLine(drawn, line)));
    if (hadFocus) this.turns.finish();
    this.roving.restore(hadFocus);
  }

  layOut(arcs, width) {
    const { labels } = this.data;
    const base = width < 560 ? 0.86 : width < 900 ? 0.95 : 1;
    const cellsAt = (scale) => this.cells(arcs, measures(scale));
    const gutterAt = (scale) => {
      if (width < 640) return 0;
      const names = [labels.best, labels.runner_up].map((name) => textWidth(name, 13 * scale, this.fonts.body, 700));
      return Math.ceil(Math.max(...names)) + 14;
    };
    let scale = base * ZOOMS[this.zoom];
    // A short text may fill its line: what is projected should be as large as it can be.
    const natural = cellsAt(scale).reduce((sum, cell) => sum + cell, 0);
    const room = width - gutterAt(scale) - 8;
    if (natural < room) scale *= Math.min(1.6, (0.98 * room) / natural);
    this.size = measures(scale);
    this.scale = scale;
    this.gutter = gutterAt(scale);
    const spans = arcs.map((arc) => ({ b: arc.b, e: arc.e, weight: arc.m }));
    this.grid = new Grid(this.data.chars, cellsAt(scale), spans, width - this.gutter - 6);
    const pieces = arcs.flatMap((arc) => this.grid.pieces(arc.b, arc.e).map((piece) => ({ ...piece, arc })));
    this.byLine = Array.from({ length: this.grid.size }, () => []);
    for (const piece of pieces) this.byLine[piece.line].push(piece);
  }

  // A character that falls back to its bytes is wide enough for them.
  cells(arcs, size) {
    const cells = cellWidths(this.data.chars, size.char, this.fonts, size.air);
    for (const arc of arcs) {
      if (arc.pairs && arc.e - arc.b === 1 && (arc.kind !== OTHER || arc.m >= 0.001)) {
        cells[arc.b] = Math.max(cells[arc.b], hexWidth(arc.pairs, size.label * 0.82) + 12);
      }
    }
    return cells;
  }

  // The room of a line, before anything is drawn in it.
  placeLine(pieces) {
    const rows = packRows(pieces, this.grid.n);
    const height = this.size.head + (Math.max(...rows.values(), 0) + 1) * this.size.step + 2;
    const box = html("div", { class: "line" });
    box.style.height = `${height}px`;
    return { box, rows, height, marks: svg("g", { class: "marks" }) };
  }

  drawLine(drawn, line) {
    const { size, grid, gutter } = this;
    const { chars, lang } = this.data;
    const pieces = this.byLine[line];
    const { height } = drawn;
    const width = gutter + grid.width(line) + 4;
    const text = chars.slice(grid.cuts[line], grid.cuts[line + 1]).join("");
    const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": text });
    picture.append(drawn.marks);
    this.drawGuides(picture, pieces, height);
    drawCharacters(picture, grid, line, chars, size.char, size.head / 2 - 2, gutter, lang);
    if (gutter) this.drawRowNames(picture, pieces);
    // In the order in which they are read: the best path, the runner-up, then all others along the text.
    const rank = { [BEST]: 0, [RUNNER]: 1, [OTHER]: 2 };
    pieces.sort((a, b) => rank[a.arc.kind] - rank[b.arc.kind] || a.from - b.from || a.to - b.to);
    for (const piece of pieces) picture.append(this.drawPiece(piece, drawn.rows.get(piece)));
    drawn.box.append(picture);
    Object.assign(drawn, { picture, width });
    if (pieces.some((piece) => piece.arc.index === this.selected)) this.select(this.selected);
  }

  // Hairlines where the best path cuts, so that it can be followed through all rows.
  drawGuides(picture, pieces, height) {
    const group = svg("g", { class: "guides" });
    for (const piece of pieces) {
      if (piece.arc.kind !== BEST || piece.tornRight) continue;
      const x = this.gutter + piece.x + piece.width;
      group.append(svg("line", { x1: x, x2: x, y1: 6, y2: height }));
    }
    picture.append(group);
  }

  drawRowNames(picture, pieces) {
    const { labels } = this.data;
    const name = (row, text, kind) =>
      svg(
        "text",
        {
          class: `row-name ${kind}`,
          x: this.gutter - 10,
          y: this.size.head + row * this.size.step + this.size.bar / 2 + 4.5 * this.scale,
          "font-size": 13 * this.scale,
          "aria-hidden": "true",
        },
        text,
      );
    picture.append(name(0, labels.best, BEST));
    if (pieces.some((piece) => piece.arc.kind === RUNNER)) picture.append(name(1, labels.runner_up, RUNNER));
  }

  drawPiece(piece, row) {
    const { arc } = piece;
    const { size } = this;
    const inset = arc.kind === BEST ? 2 : 1.5;
    const box = {
      x: this.gutter + piece.x + (piece.tornLeft ? 0 : inset),
      y: size.head + row * size.step,
      width: piece.width - (piece.tornLeft ? 0 : inset) - (piece.tornRight ? 0 : inset),
      height: size.bar,
    };
    const isHead = !this.groups.has(arc.index);
    const group = svg("g", { class: `arc ${arc.kind}`, "data-arc": arc.index, lang: this.data.lang });
    const outline = (by) =>
      barPath(box.x + by, box.y + by, box.width - 2 * by, box.height - 2 * by, piece.tornLeft, piece.tornRight, 5 - by);
    group.append(svg("path", { class: "shape", d: outline(0), "fill-opacity": (0.07 + 0.55 * Math.sqrt(arc.m)).toFixed(3) }));
    if (arc.kind === RUNNER) group.append(svg("path", { class: "inner", d: outline(3) }));
    this.drawLabel(group, piece, box);
    this.drawGauge(group, arc, box);
    if (isHead) this.makeItem(group, piece, box, row);
    else group.setAttribute("aria-hidden", "true");
    this.groups.set(arc.index, [...(this.groups.get(arc.index) ?? []), { group, piece }]);
    return group;
  }

  drawLabel(group, piece, box) {
    const { arc } = piece;
    const { size, fonts } = this;
    const x = box.x + box.width / 2;
    const y = box.y + box.height / 2 - 0.5;
    const room = box.width - (arc.kind === RUNNER ? 8 : 5);
    if (arc.pairs) {
      group.append(hexText(arc.pairs, x, y, room, size.label * 0.82));
      return;
    }
    const whole = !piece.tornLeft && !piece.tornRight;
    const part = this.data.chars.slice(piece.from, piece.to).join("");
    const text = whole ? arc.label : `${piece.tornLeft ? "…" : ""}${part}${piece.tornRight ? "…" : ""}`;
    const weight = arc.kind === BEST ? { "font-weight": 700 } : {};
    group.append(boxText(text, x, y, room, size.label, fonts.body, weight));
  }

  // The marginal once more, as a length: on a projector a pale blue is hard to tell from a paler one.
  drawGauge(group, arc, box) {
    const room = box.width - 10;
    if (room * arc.m < 2) return;
    const height = Math.max(2, 2.4 * this.scale);
    const y = box.y + box.height - height - (arc.kind === RUNNER ? 4.2 : 2.6);
    group.append(
      svg("rect", { class: "gauge", x: box.x + 5, y, width: (room * arc.m).toFixed(1), height, rx: 1 }),
    );
  }

  makeItem(group, piece, box, row) {
    const { arc } = piece;
    group.setAttribute("role", "button");
    group.setAttribute("tabindex", "-1");
    group.setAttribute("data-item", arc.name);
    group.setAttribute("aria-pressed", "false");
    group.setAttribute("aria-label", this.describe(arc));
    this.items.push({ element: group, name: arc.name, arc, line: piece.line, row, left: box.x, right: box.x + box.width });
  }

  describe(arc) {
    const { labels } = this.data;
    const state = arc.kind === BEST ? labels.best : arc.kind === RUNNER ? labels.runner_up : labels.candidate;
    return [arc.label, state, ...this.facts(arc).map((fact) => fact.join(" "))].join(", ");
  }

  // What is known of a candidate, by name.
  facts(arc) {
    const { labels, unit } = this.data;
    const name = unit === "bit" ? labels.bit : labels.nat;
    return [
      [labels.marginal, probability(arc.m)],
      [labels.p, arc.lp === null ? "0" : probability(Math.exp(arc.lp))],
      [labels.log_p, `${logarithm(arc.lp, unit)} ${name}`],
      [labels.be, arc.be === null ? "–" : `${logarithm(arc.be, unit)} ${name}`],
      ...(arc.id === null ? [] : [[labels.id, String(arc.id)]]),
    ];
  }

  // ---- pointing and selecting

  point(arc, target) {
    this.unpoint();
    const rows = this.facts(arc);
    const { labels } = this.data;
    if (arc.kind !== OTHER) rows.unshift(["", arc.kind === BEST ? labels.best : labels.runner_up]);
    this.tip.show(target, arc.label, rows, this.data.lang);
    for (const { group, piece } of this.groups.get(arc.index)) {
      group.classList.add("pointed");
      const x = this.gutter + piece.x;
      this.drawn[piece.line].marks.append(
        svg("rect", { x, y: 0, width: piece.width, height: this.size.head - 5, rx: 5 }),
      );
    }
  }

  unpoint() {
    this.tip.hide();
    for (const drawn of this.drawn ?? []) if (drawn.marks.firstChild) drawn.marks.replaceChildren();
    for (const group of this.lines.querySelectorAll(".pointed")) group.classList.remove("pointed");
  }

  select(index) {
    this.selected = index;
    for (const group of this.lines.querySelectorAll(".selected")) {
      group.classList.remove("selected");
      if (group.hasAttribute("aria-pressed")) group.setAttribute("aria-pressed", "false");
    }
    for (const { group } of this.groups.get(index ?? -1) ?? []) {
      group.classList.add("selected");
      if (group.hasAttribute("aria-pressed")) group.setAttribute("aria-pressed", "true");
    }
  }

  // ---- legend, size, picture

  drawTools() {
    const { labels, lang, ui_lang: language } = this.data;
    this.root.setAttribute("lang", language);
    this.root.setAttribute("aria-label", labels.title);
    this.help.textContent = labels.keys;
    const shown = this.arcs.filter((arc) => isShown(arc, this.data)).length;
    const button = (text, name, act) => {
      const element = html("button", { type: "button", "aria-label": name, title: name }, text);
      element.addEventListener("click", act);
      return element;
    };
    const hasRunner = this.arcs.some((arc) => arc.kind === RUNNER);
    this.tools.replaceChildren(
      legendKey(BEST, labels.best),
      ...(hasRunner ? [legendKey(RUNNER, labels.runner_up)] : []),
      legendKey(OTHER, labels.candidate),
      legendKey("selected", labels.selected),
      legendKey("scale", labels.gauge),
      html("span", { class: "count" }, fill(labels.count, { shown, total: this.arcs.length })),
      html(
        "span",
        { class: "buttons push" },
        button("A−", labels.smaller, () => this.zoomBy(-1)),
        button("A+", labels.larger, () => this.zoomBy(1)),
        button("SVG", labels.download, () => this.save()),
      ),
    );
  }

  save() {
    this.turns.finish();
    savePicture(this.drawn, this.data.labels.file);
  }

  zoomBy(steps) {
    this.zoom = Math.min(ZOOMS.length - 1, Math.max(0, this.zoom + steps));
    this.draw();
  }
}

function legendKey(kind, text) {
  const sample = svg("svg", { width: 34, height: 18, "aria-hidden": "true" });
  if (kind === "scale") {
    [0.05, 0.35, 1].forEach((m, i) => {
      const shape = { class: "shape", x: 1 + i * 11.5, y: 2, width: 9.5, height: 14, rx: 2 };
      const group = svg("g", { class: `arc ${OTHER}` }, svg("rect", { ...shape, "fill-opacity": 0.07 + 0.55 * Math.sqrt(m) }));
      group.append(svg("rect", { class: "gauge", x: 2.5 + i * 11.5, y: 12.5, width: 6.5 * m, height: 2.2 }));
      sample.append(group);
    });
  } else {
    const group = svg("g", { class: `arc ${kind === "selected" ? OTHER : kind} ${kind === "selected" ? kind : ""}` });
    const opacity = kind === BEST ? 0.55 : 0.2;
    group.append(svg("path", { class: "shape", d: barPath(2, 2, 30, 14, false, false), "fill-opacity": opacity }));
    if (kind === RUNNER) group.append(svg("path", { class: "inner", d: barPath(5, 5, 24, 8, false, false, 2) }));
    sample.append(group);
  }
  return html("span", { class: "key" }, sample, text);
}

export default function ({ data, parentElement, setTriggerValue }) {
  const [view, end] = instanceOf(parentElement, (root) => new LatticeView(root));
  view.update(data, (arc) => setTriggerValue("picked", arc));
  return end;
}

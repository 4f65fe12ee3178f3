// Viterbi step by step: a cell between any two characters, filled from the left; then the backtrace from the end.

const START = "start";
const FILL = "fill";
const TRACE = "trace";

const viterbiMeasures = (scale, small) => ({
  char: 21 * scale,
  label: Math.max(14.5 * scale, 1.15 * small),
  score: Math.max(12.5 * scale, small),
  air: 25 * scale,
  arch: 68 * Math.min(scale, 1) - small,
  node: Math.max(9.5 * scale, 0.9 * small),
  rail: Math.max(38 * scale, 2.9 * small),
  bar: Math.max(24 * scale, 1.6 * small),
  step: Math.max(28 * scale, 1.85 * small),
});

// The frames: the empty table, one per cell (two if it is asked for first), then one per token of the best path, from
// the end to the beginning.
function framesOf(data) {
  const frames = [{ kind: START, position: 0 }];
  data.steps.forEach((step, s) => {
    if (data.hidden) frames.push({ kind: FILL, position: step.end, s, asks: true });
    frames.push({ kind: FILL, position: step.end, s });
  });
  [...data.path].reverse().forEach((arc, k) => frames.push({ kind: TRACE, position: data.arcs.b[arc], arc, k }));
  return frames;
}

class ViterbiView {
  constructor(root) {
    this.root = root;
    this.player = new Player((index, isRunning) => this.show(index, isRunning));
    this.rule = html("p", { class: "rule" });
    this.lines = html("div", { class: "lines scroll", tabindex: "0", role: "group" });
    this.said = html("p", { class: "said" });
    this.table = html("div", { class: "candidates", tabindex: "0", role: "group" });
    this.help = html("p", { class: "help" });
    root.setAttribute("role", "group");
    root.replaceChildren(this.player.element, this.rule, this.said, this.lines, this.table, this.help);
    this.player.listen(root);
    this.around = new Surroundings(root, () => this.data && this.draw());
  }

  end() {
    this.around.end();
    this.player.end();
  }

  update(data, tell) {
    this.tell = tell;
    // `start` follows the reported steps, so a new value does not mean a new lattice.
    const drawing = JSON.stringify({ ...data, start: null });
    if (drawing === this.drawing) return;
    this.drawing = drawing;
    const isNew = !this.data || this.data.chars.join() !== data.chars.join();
    if (isNew) this.player.told = data.start;
    this.data = data;
    this.frames = framesOf(data);
    this.grid = null;
    const { labels } = data;
    this.root.setAttribute("lang", data.ui_lang);
    this.root.setAttribute("aria-label", labels.title);
    this.lines.setAttribute("aria-label", labels.cells);
    this.table.setAttribute("aria-label", labels.candidates);
    this.rule.textContent = labels.rule;
    this.help.textContent = labels.keys;
    this.layOut();
    this.player.update(labels, this.frames.length, isNew ? data.start : null);
  }

  number(nats) {
    return logarithm(nats, this.data.unit);
  }

  // ---- drawing

  draw() {
    this.layOut();
    this.show(this.player.index, this.player.isRunning);
  }

  layOut() {
    const { width, font, small } = this.around.now();
    if (!width) return;
    const { chars, steps } = this.data;
    const base = width < 560 ? 0.88 : width < 900 ? 0.95 : 1;
    // Scores are below the edges between characters: a column is at least as wide as the widest score.
    const widest = (px) => Math.max(...steps.map((step) => textWidth(this.number(step.best), px, font, 700)), 0);
    const cellsAt = (size) => {
      const least = widest(size.score) + 10;
      const cells = cellWidths(chars, size.char, font, size.air).map((cell) => Math.max(cell, least));
      this.data.arcs.label.forEach((label, arc) => {
        const [b, e, pairs] = [this.data.arcs.b[arc], this.data.arcs.e[arc], hexPairs(label)];
        if (pairs && e === b + 1) cells[b] = Math.max(cells[b], hexWidth(pairs, size.label * 0.82) + 12);
      });
      return cells;
    };
    let scale = base;
    let cells = cellsAt(viterbiMeasures(scale, small));
    const margin = (widest(viterbiMeasures(scale, small).score) * 1.25) / 2 + 6;
    const room = width - 2 * margin - 8;
    const natural = cells.reduce((sum, cell) => sum + cell, 0);
    if (natural < room) {
      scale *= Math.min(1.25, room / natural);
      cells = cellsAt(viterbiMeasures(scale, small));
    }
    this.size = viterbiMeasures(scale, small);
    this.margin = margin;
    this.font = font;
    const spans = this.data.path.map((arc) => ({ b: this.data.arcs.b[arc], e: this.data.arcs.e[arc], weight: 0.2 }));
    this.grid = new Grid(chars, cells, spans, room);
    this.drawLines();
  }

  // Rows of bars reserved in a line for its steps: the picture must not jump with every step.
  rowsOf(line) {
    let rows = 1;
    for (const step of this.data.steps) {
      const touches = step.candidates.filter(
        (candidate) => this.data.arcs.b[candidate.arc] < this.grid.cuts[line + 1] && step.end > this.grid.cuts[line],
      );
      rows = Math.max(rows, touches.length);
    }
    return rows;
  }

  drawLines() {
    const { grid, size, margin, data } = this;
    this.nodes = [];
    this.arches = new Map();
    this.railY = size.arch;
    this.barsY = size.arch + size.rail;
    this.drawn = [];
    for (let line = 0; line < grid.size; line++) {
      const width = grid.width(line) + 2 * margin;
      const rows = this.rowsOf(line);
      const height = this.barsY + rows * size.step + 4;
      const text = data.chars.slice(grid.cuts[line], grid.cuts[line + 1]).join("");
      const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": text });
      const arches = svg("g", { class: "arches" });
      const bars = svg("g", { class: "bars" });
      picture.append(arches);
      drawCharacters(picture, grid, line, data.chars, size.char, this.railY, margin, data.lang);
      for (let position = grid.cuts[line]; position <= grid.cuts[line + 1]; position++) {
        picture.append(this.drawNode(position, line));
      }
      picture.append(bars);
      this.drawn.push({ box: html("div", { class: "line" }, picture), arches, bars, rows });
    }
    for (const step of data.steps) this.drawBackPointer(step);
    const open = Math.max(...this.drawn.map((drawn) => drawn.rows));
    const height = grid.size * (this.barsY + size.step + 14) - 10 + (open - 1) * size.step;
    this.lines.style.minHeight = `min(62vh, ${height}px)`;
    this.lines.replaceChildren(...this.drawn.map((drawn) => drawn.box));
  }

  xOf(position, line) {
    return this.margin + this.grid.edges[position] - this.grid.left(line);
  }

  // The cell of a position. At a line break it is drawn twice, at the end and at the start of the next line.
  drawNode(position, line) {
    const x = this.xOf(position, line);
    const { size } = this;
    const group = svg("g", { class: "cell" });
    const small = size.node * (position < 100 ? 1.15 : 0.95);
    group.append(
      svg("circle", { class: "node", cx: x, cy: this.railY, r: size.node }),
      svg("text", { class: "number", x, y: this.railY + small * 0.355, "font-size": small }, String(position)),
      svg("text", { class: "score", x, y: this.railY + size.node + size.score * 1.25, "font-size": size.score }),
    );
    this.nodes.push({ position, line, group, text: group.lastChild });
    return group;
  }

  // An arc from a cell back to the cell where its best candidate begins, with an arrow there.
  drawBackPointer(step) {
    const winner = step.candidates.find((candidate) => candidate.winner);
    if (!winner) return;
    const { size, grid } = this;
    const begin = this.data.arcs.b[winner.arc];
    const y = this.railY - size.node - 2;
    const peak = Math.min(size.arch - size.node - 6, (6 + 10.5 * Math.log2(1 + step.end - begin)) * (size.char / 21));
    const parts = [];
    for (const piece of grid.pieces(begin, step.end)) {
      const left = this.margin + piece.x;
      const right = left + piece.width;
      const top = y - peak;
      const bend = Math.min(piece.width / 2, peak * 1.1);
      const near = 0.4 * bend;
      const rise = `M${right} ${y}C${right} ${top} ${right - near} ${top} ${right - bend} ${top}`;
      const fall = `H${left + bend}C${left + near} ${top} ${left} ${top} ${left} ${y}`;
      const from = piece.tornRight ? `M${right + 6} ${top}` : rise;
      const to = piece.tornLeft ? `H${left - 6}` : fall;
      const group = svg("g", { class: "arch" }, svg("path", { class: "way", d: from + to }));
      if (!piece.tornLeft) group.append(svg("path", { class: "tip-mark", d: `M${left} ${y + 2}l-4 -8h8z` }));
      this.drawn[piece.line].arches.append(group);
      parts.push(group);
    }
    this.arches.set(step.end, { parts, arc: winner.arc });
  }

  // ---- one frame

  show(index, isRunning) {
    if (!this.grid) return;
    const frame = this.frames[index];
    const filled = frame.kind === TRACE ? this.grid.n : frame.position - (frame.asks ? 1 : 0);
    const current = frame.kind === TRACE ? -1 : frame.position;
    const isTrace = (other) => other.kind === TRACE;
    const traced = new Set(this.frames.slice(0, index + 1).filter(isTrace).map((other) => other.arc));
    const onPath = new Set(traced.size ? [this.grid.n, ...[...traced].map((arc) => this.data.arcs.b[arc])] : []);
    const look = (element, ...states) => element.setAttribute("class", states.filter(Boolean).join(" "));
    for (const { position, group, text } of this.nodes) {
      const isKnown = position <= filled;
      const best = position === 0 ? 0 : this.data.steps[position - 1].best;
      look(group, "cell", isKnown && "known", position === current && "current", onPath.has(position) && "path");
      text.textContent = isKnown ? this.number(best) : "";
    }
    for (const [end, { parts, arc }] of this.arches) {
      const states = [end <= filled && "known", end === current && !frame.asks && "current", traced.has(arc) && "path"];
      for (const part of parts) look(part, "arch", ...states);
    }
    this.showBars(frame, traced);
    this.showTable(frame, traced);
    this.said.setAttribute("aria-live", isRunning ? "off" : "polite");
    this.said.textContent = this.sentence(frame);
    this.keepInView(frame);
    if (this.data.tells) this.player.tellRest(isRunning, this.tell);
  }

  showBars(frame, traced) {
    const candidates = frame.kind === FILL ? this.data.steps[frame.s].candidates : [];
    const first = Math.min(...candidates.map((candidate) => this.data.arcs.b[candidate.arc]), frame.position);
    this.drawn.forEach((drawn, line) => {
      drawn.bars.replaceChildren();
      const isOpen = frame.kind === FILL && first < this.grid.cuts[line + 1] && frame.position > this.grid.cuts[line];
      drawn.box.style.height = `${this.barsY + (isOpen ? drawn.rows : 1) * this.size.step + 4}px`;
    });
    if (frame.kind === FILL) {
      candidates.forEach((candidate, row) => {
        const state = frame.asks ? "" : candidate.winner ? "winner" : candidate.tie ? "tie" : "";
        this.drawBar(candidate.arc, row, state, state === "tie" ? "= " : "");
      });
    }
    if (frame.kind === TRACE) for (const arc of traced) this.drawBar(arc, 0, "winner", "");
  }

  drawBar(arc, row, state, mark) {
    const { arcs, chars, lang } = this.data;
    const { size, font } = this;
    const pairs = hexPairs(arcs.label[arc]);
    const weight = { "font-weight": state === "winner" ? 700 : 400 };
    for (const piece of this.grid.pieces(arcs.b[arc], arcs.e[arc])) {
      const box = insetBox(piece, this.margin, this.barsY + row * size.step, size.bar, 2);
      const middle = [box.x + box.width / 2, box.y + box.height / 2];
      const text = mark + pieceText(arcs.label[arc], chars, piece);
      const label = pairs
        ? hexText(pairs, ...middle, box.width - 4, size.label * 0.82)
        : boxText(text, ...middle, box.width - 6, size.label, font, weight);
      const shape = svg("path", { class: "shape", d: outlineOf(box, piece, 0) });
      this.drawn[piece.line].bars.append(svg("g", { class: `arc ${state}`, lang }, shape, label));
    }
  }

  sentence(frame) {
    const { labels, steps, arcs, chars } = this.data;
    const last = frame.kind === TRACE && frame.k === this.data.path.length - 1;
    if (frame.kind === START) return labels.say_start;
    if (last) return fill(labels.say_end, { total: this.number(this.data.total), size: this.data.path.length });
    if (frame.kind === TRACE) return fill(labels.say_trace, { token: arcs.label[frame.arc], position: frame.position });
    const step = steps[frame.s];
    const winner = step.candidates.find((candidate) => candidate.winner);
    const values = { position: step.end, char: chars[step.end - 1], size: step.candidates.length };
    if (frame.asks) return fill(labels.say_ask, values);
    if (!winner) return fill(labels.say_none, values);
    const ties = step.candidates.some((candidate) => candidate.tie);
    return fill(ties ? labels.say_tie : labels.say_fill, {
      ...values,
      token: arcs.label[winner.arc],
      total: this.number(winner.total),
    });
  }

  // ---- the arithmetic

  showTable(frame, traced) {
    const { labels } = this.data;
    const most = Math.max(1, ...this.data.steps.map((step) => step.candidates.length));
    this.table.style.setProperty("--rows", Math.min(8, most));
    const body = frame.kind === TRACE ? this.pathRows(traced) : this.candidateRows(frame);
    const names = [labels.token, labels.from, labels.before, labels.log_p, labels.total, labels.verdict];
    const head = html("tr", {}, ...names.map((name) => html("th", { scope: "col" }, name)));
    const unit = this.data.unit === "bit" ? labels.bit : labels.nat;
    const caption = `${frame.kind === TRACE ? labels.path : labels.candidates} (${unit})`;
    this.table.replaceChildren(
      html("table", {}, html("caption", {}, caption), html("thead", {}, head), html("tbody", {}, ...body)),
    );
  }

  row(arc, before, total, state, verdict) {
    const { arcs, lang, unit } = this.data;
    const label = arcs.label[arc];
    const exact = (nats) => logarithm(nats, unit, 3);
    const own = total === null || before === null ? null : total - before;
    return html(
      "tr",
      { class: state },
      html("th", { scope: "row", lang }, ...faintSpaces(label, html)),
      html("td", {}, String(arcs.b[arc])),
      html("td", {}, exact(before)),
      html("td", {}, `+ (${exact(own)})`),
      html("td", { class: "total" }, `= ${exact(total)}`),
      html("td", { class: "verdict" }, ...verdict),
    );
  }

  candidateRows(frame) {
    const { labels, steps, unit } = this.data;
    if (frame.kind === START) {
      const [name, ...rest] = ["∅", "–", "–", "–", `= ${logarithm(0, unit, 3)}`, "✓"];
      const cells = rest.map((text) => html("td", {}, text));
      return [html("tr", { class: "winner" }, html("th", { scope: "row" }, name), ...cells)];
    }
    return steps[frame.s].candidates.map((candidate) => {
      const state = candidate.winner ? "winner" : candidate.tie ? "tie" : "";
      const sign = candidate.winner ? ["✓ ", html("span", {}, labels.winner)] : ["= ", html("span", {}, labels.tie)];
      if (!frame.asks) return this.row(candidate.arc, candidate.before, candidate.total, state, state ? sign : []);
      const row = this.row(candidate.arc, candidate.before, candidate.total, "", []);
      row.querySelector(".total").textContent = "= ?";
      return row;
    });
  }

  // The best path found so far, from the end backwards.
  pathRows(traced) {
    const { arcs, steps } = this.data;
    return [...traced].map((arc) => {
      const before = arcs.b[arc] === 0 ? 0 : steps[arcs.b[arc] - 1].best;
      return this.row(arc, before, steps[arcs.e[arc] - 1].best, "winner", ["✓"]);
    });
  }

  // Scrolls the box of the lines, never the page.
  keepInView(frame) {
    const line = this.drawn[this.grid.lineOf(Math.max(0, frame.position - (frame.kind === FILL ? 1 : 0)))].box;
    const top = line.offsetTop - this.lines.offsetTop;
    const { scrollTop, clientHeight } = this.lines;
    if (top < scrollTop) this.lines.scrollTop = top - 8;
    else if (top + line.offsetHeight > scrollTop + clientHeight) {
      this.lines.scrollTop = Math.min(top, top + line.offsetHeight - clientHeight + 8);
    }
  }
}

export default shownBy(ViterbiView);

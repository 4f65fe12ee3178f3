// Token strips: one row per tokenizer, aligned to the characters of the text.

const WIDE = 720;
const LOUDEST = 1.3; // scale up to which the counts grow
const FEW = 6; // rows that may grow with a short text
const REST = 1000; // ms without a change until screen readers hear the counts

// The tokens that touch each character; several are parts of it, shown side by side.
function touching(tokens, n) {
  const touches = Array.from({ length: n }, () => []);
  for (const token of tokens) for (let i = token.b; i < token.e; i++) touches[i].push(token);
  return touches;
}

// Runs of characters whose tokens are not whole characters, to be joined by a bracket.
function bracketsOf(tokens) {
  const runs = [];
  for (const token of tokens) {
    const last = runs[runs.length - 1];
    if (last && token.b < last.e) Object.assign(last, { e: Math.max(last.e, token.e), size: last.size + 1 });
    else runs.push({ b: token.b, e: token.e, size: 1 });
  }
  return runs.filter((run) => run.size > 1);
}

// The tokens come in columns, and what only few have by its name and their indices.
function readRows(data) {
  return data.rows.map((row, r) => {
    const { b, e, label, id } = row.tokens;
    const tokens = b.map((_, t) => ({ r, t, name: `${r}.${t}`, b: b[t], e: e[t], label: label[t], id: id[t] }));
    for (const name in row.some) for (const t in row.some[name]) tokens[t][name] = row.some[name][t];
    for (const token of tokens) token.pairs = token.hex ? hexPairs(token.label) : null;
    const touches = touching(tokens, data.chars.length);
    return { ...row, r, tokens, touches, brackets: bracketsOf(tokens), isLayer: row.kind !== "tokens" };
  });
}

const CLASSES = ["morpheme", "stem_ending", "several", "cut", "across"];

const stripMeasures = (scale, small = 0) => ({
  char: 22 * scale,
  label: 20 * scale,
  layerLabel: Math.max(12.5 * scale, small),
  air: 6 * scale,
  head: 36 * scale,
  bar: 28 * scale,
  layerBar: 22 * scale,
  tag: Math.max(10 * scale, small),
  tagBar: Math.max(32 * scale, 2.6 * small),
  gap: 12 * scale,
  name: Math.max(13.5 * Math.min(scale, 1.15), small),
  note: Math.max(12 * Math.min(scale, 1.15), small),
  count: 30 * Math.min(scale, LOUDEST),
});

// Scrolls to a place of the page, once it is there.
function reveal(selector, patience = 40) {
  const place = document.querySelector(selector);
  if (place) place.scrollIntoView({ block: "nearest" });
  else if (patience) setTimeout(() => reveal(selector, patience - 1), 50);
}

class StripView extends Board {
  constructor(root) {
    super(root, "data-token");
    this.counts = html("p", { class: "counts", "aria-hidden": "true" });
    this.heard = html("p", { class: "heard unseen", role: "status" });
    this.lines.before(this.counts, this.heard);
    const { visualViewport: seen } = window;
    this.followKeyboard = () =>
      root.classList.toggle("keyboard", seen.height * seen.scale < 0.75 * window.innerHeight);
    seen.addEventListener("resize", this.followKeyboard);
    this.followKeyboard();
  }

  end() {
    super.end();
    clearTimeout(this.rest);
    window.visualViewport.removeEventListener("resize", this.followKeyboard);
  }

  readThings(data) {
    this.rows = readRows(data);
    this.tell();
    this.morphemes = this.rows.find((row) => row.kind === "morphemes");
    return this.rows.flatMap((row) => row.tokens);
  }

  // A phone shows the counts above the strips while its keyboard is open; screen readers hear them at a pause.
  tell() {
    const named = this.rows.filter((row) => row.count).map((row) => `${row.name} ${row.count}`);
    const isFirst = this.counts.textContent === "";
    this.counts.textContent = named.join(" · ");
    clearTimeout(this.rest);
    if (!isFirst) this.rest = setTimeout(() => (this.heard.textContent = named.join(", ")), REST);
  }

  // On a phone, what the page says of a token is far below it.
  pick(thing) {
    super.pick(thing);
    if (this.gutter === 0) reveal(this.data.details);
  }

  nameOf(selected) {
    return selected === null ? null : selected.join(".");
  }

  // The rings show in the row that is pointed at or in focus.
  listen() {
    super.listen();
    const light = (event) => this.light(event.target.closest?.("[data-row]")?.dataset.row);
    for (const name of ["pointerover", "focusin"]) this.lines.addEventListener(name, light);
    for (const name of ["pointerleave", "focusout"]) this.lines.addEventListener(name, () => this.light());
  }

  light(row) {
    for (const group of this.lines.querySelectorAll(".row")) group.classList.toggle("lit", group.dataset.row === row);
  }

  // ---- drawing

  drawTools() {
    const { labels } = this.data;
    const shown = CLASSES.filter((name) => this.rows.some((row) => row.tokens.some((token) => token.token_class === name)));
    const keys = shown.map((name) => html("span", { class: "key" }, classSample(name), labels[`class_${name}`]));
    this.tools.replaceChildren(...keys, html("span", { class: "buttons push" }, ...this.shareButtons()));
  }

  layOut({ width, least, small }) {
    const base = width < 560 ? 0.86 : width < 900 ? 0.95 : 1;
    let scale = Math.max(base, least / stripMeasures(1).char);
    let cells = this.cells(stripMeasures(scale, small));
    const gutter = width < WIDE ? 0 : this.gutterWidth(stripMeasures(1, small), width);
    const room = width - gutter - 12;
    const natural = cells.reduce((sum, cell) => sum + cell, 0);
    if (natural < room) {
      const most = least ? 1.05 : this.rows.length > FEW ? 1 : 1.45;
      scale *= Math.max(1, Math.min(most, (0.98 * room) / natural));
      cells = this.cells(stripMeasures(scale, small));
    }
    this.size = stripMeasures(scale, small);
    this.scale = scale;
    this.small = small;
    this.gutter = gutter;
    this.width = width;
    // Layers below (a pre-token may be as long as the text) are split rather than tokens.
    const weigh = (row) => row.tokens.map(({ b, e }) => ({ b, e, weight: row.isLayer ? 0.02 : 0.1 }));
    const spans = this.rows.flatMap(weigh);
    this.grid = new Grid(this.data.chars, cells, spans, room);
    this.placeTokens();
  }

  gutterWidth(size, width) {
    const widest = (text, px, weight) => textWidth(text, px, this.font, weight);
    const names = this.rows.map(({ name, note }) => Math.max(widest(name, size.name, 700), widest(note, size.note, 400)));
    const needed = names.map((width) => 1.15 * width);
    const counts = this.rows.map((row) => LOUDEST * widest(row.count, size.count, 700));
    return Math.min(Math.max(60, ...needed) + Math.max(...counts) + 24, width * 0.3);
  }

  labelWidth(token, row, size) {
    if (token.pairs) return hexWidth(token.pairs, size.layerLabel);
    const tag = token.tag ? textWidth(token.tag, size.tag, this.font) : 0;
    return Math.max(tag, this.formWidth(token, row, size));
  }

  formWidth(token, row, size) {
    return textWidth(token.label, row.isLayer ? size.layerLabel : size.label, this.font);
  }

  // Columns are as wide as the characters, wider where labels (`##able`, hex pairs) need it.
  cells(size) {
    const cells = cellWidths(this.data.chars, size.char, this.font, size.air);
    for (const row of this.rows) {
      for (const token of row.tokens) {
        token.need = this.labelWidth(token, row, size) + (token.ringed ? 11 : token.pairs ? 6 : 8);
        token.perChar = token.need / (token.e - token.b);
      }
      for (const token of row.tokens) {
        let present = 0;
        for (let i = token.b; i < token.e; i++) present += cells[i] * shareOf(row, token, i);
        const more = (token.need - present) / (token.e - token.b);
        if (more > 0) for (let i = token.b; i < token.e; i++) cells[i] += more / shareOf(row, token, i);
      }
    }
    return cells;
  }

  // x of every token, over all lines: tokens that are parts of a character share its column.
  placeTokens() {
    const { edges } = this.grid;
    const width = (i) => edges[i + 1] - edges[i];
    for (const row of this.rows) {
      for (const token of row.tokens) {
        const before = row.touches[token.b].slice(0, row.touches[token.b].indexOf(token));
        const last = row.touches[token.e - 1];
        const until = last.slice(0, last.indexOf(token) + 1);
        const sum = (tokens, i) => tokens.reduce((total, other) => total + shareOf(row, other, i), 0);
        token.x0 = edges[token.b] + width(token.b) * sum(before, token.b);
        token.x1 = edges[token.e - 1] + width(token.e - 1) * sum(until, token.e - 1);
      }
    }
  }

  planLine(line) {
    const { size } = this;
    const [tokens, brackets] = ["tokens", "brackets"].map((name) => this.rows.map((row) => this.inLine(row[name], line)));
    const tops = [];
    let height = size.head;
    for (const row of this.rows) {
      if (this.gutter === 0) height += size.name * 1.55;
      tops.push(height);
      height += this.barHeight(row) + (brackets[row.r].length ? 6 * this.scale : 0) + size.gap;
    }
    const heads = this.rows.map(({ name, note, count }) => (line ? name : [name, note, count]));
    return { height, tops, tokens, brackets, key: [height, tops, tokens, brackets, heads, this.data.count] };
  }

  barHeight(row) {
    if (row.tokens.some((token) => token.tag)) return this.size.tagBar;
    return row.isLayer ? this.size.layerBar : this.size.bar;
  }

  // Highlights the columns of a token's characters through all rows, for comparison.
  markHeight(drawn) {
    return drawn.height - 4;
  }

  drawBars({ picture, tops, tokens, brackets }, line) {
    if (line === 0 && this.data.count && this.gutter > 0) this.drawCountTitle(picture);
    this.rows.forEach((row, r) => {
      const bottom = tops[r] + this.barHeight(row) + (brackets[r].length ? 6 * this.scale : 0);
      const reach = { x: 0, y: tops[r], width: this.width, height: bottom - tops[r] };
      const group = svg("g", { class: "row", "data-row": r }, svg("rect", { class: "reach", ...reach }));
      this.drawName(group, row, tops[r], line === 0);
      for (const { span, piece } of tokens[r]) {
        group.append(this.drawToken(row, span, piece, tops[r]));
      }
      for (const { piece } of brackets[r]) group.append(this.drawBracket(row, piece, tops[r]));
      if (this.morphemes && !row.isLayer) this.drawMorphemeLines(group, line, bottom);
      picture.append(group);
    });
  }

  // The morphemes as lines under every strip: a gap between tokens without a gap in the line splits a morpheme.
  drawMorphemeLines(picture, line, bottom) {
    const { scale, gutter } = this;
    for (const { span, piece } of this.inLine(this.morphemes.tokens, line)) {
      const place = { x: gutter + piece.x + 2, y: bottom + 3 * scale, width: Math.max(1, piece.width - 4) };
      picture.append(svg("rect", { class: `underline ${span.part}`, ...place, height: 2.6 * scale, rx: 1.2 }));
    }
  }

  // The parts of a row's spans in a line.
  inLine(spans, line) {
    const [from, to] = [this.grid.cuts[line], this.grid.cuts[line + 1]];
    return spans
      .filter((span) => span.e > from && span.b < to)
      .map((span) => ({ span, piece: this.grid.pieces(span.b, span.e, span.x0, span.x1).find((p) => p.line === line) }))
      .filter(({ piece }) => piece);
  }

  drawName(picture, row, top, isFirst) {
    const { size, gutter, font } = this;
    const add = (text, x, y, px, kind, room, weight) => {
      const shown = shorten(text, room, px, font, weight);
      const element = svg("text", { class: kind, x, y, "font-size": px, "aria-hidden": "true" }, shown);
      if (shown !== text) element.append(svg("title", {}, text));
      picture.append(element);
    };
    // The number of tokens, legible from the last row of a room.
    const countWidth = isFirst ? textWidth(row.count, size.count, font, 700) : 0;
    const addCount = (right, y) => {
      if (countWidth) add(row.count, right - countWidth, y, size.count, "row-name", countWidth, 700);
    };
    if (gutter === 0) {
      const y = top - 0.42 * size.name;
      add(row.name, 1, y, size.name, "row-name", this.width * 0.6, 700);
      addCount(this.width - 2, y);
      if (!isFirst || !row.note) return;
      const used = Math.min(this.width * 0.6, textWidth(row.name, size.name, font, 700));
      add(row.note, used + 10, y, size.note, "row-note", this.width - used - 16, 400);
      return;
    }
    const middle = top + this.barHeight(row) / 2;
    const hasNote = isFirst && row.note;
    add(row.name, 0, middle + size.name * (hasNote ? -0.12 : 0.355), size.name, "row-name", gutter - countWidth - 22, 700);
    addCount(gutter - 14, middle + size.count * 0.355);
    if (hasNote) add(row.note, 0, middle + size.note * 1.05, size.note, "row-note", gutter - countWidth - 22, 400);
  }

  drawCountTitle(picture) {
    const { size, gutter } = this;
    const place = { x: gutter - 14, y: size.head - 8, "font-size": size.note, "aria-hidden": "true" };
    picture.append(svg("text", { class: "row-note count-title", ...place }, this.data.count));
  }

  drawBracket(row, piece, top) {
    const left = this.gutter + piece.x + 3;
    const right = left + piece.width - 6;
    const y = top + this.barHeight(row) + 2.5;
    const d = `M${left} ${piece.tornLeft ? y + 4 : `${y}v4`}H${right}${piece.tornRight ? "" : "v-4"}`;
    return svg("path", { class: "bracket", d });
  }

  drawToken(row, token, piece, top) {
    const { size, font } = this;
    const box = insetBox(piece, this.gutter, top, this.barHeight(row), 1);
    const fill = token.token_class ? `class ${token.token_class}` : token.t % 2 ? "odd" : "even";
    const states = [row.isLayer && "layer", fill, token.part, token.ringed && "ringed", token.kind];
    const group = svg("g", { class: `token ${states.filter(Boolean).join(" ")}`, lang: this.data.lang });
    group.append(svg("path", { class: "shape", d: outlineOf(box, piece, 0) }));
    if (token.ringed) group.append(svg("path", { class: "ring", d: outlineOf(box, piece, 2.8) }));
    const middle = [box.x + box.width / 2, box.y + box.height / 2];
    const room = box.width - (token.ringed ? 9 : token.pairs ? 4 : 6);
    const text = pieceText(token.label, this.data.chars, piece);
    const px = row.isLayer ? size.layerLabel : size.label;
    if (token.pairs) group.append(hexText(token.pairs, ...middle, room, size.layerLabel));
    else if (token.tag) {
      const [x, y] = middle;
      group.append(boxText(token.label, x, y - 0.2 * box.height, room, px, font));
      group.append(boxText(token.tag, x, y + 0.24 * box.height, room, size.tag, font));
    } else group.append(boxText(text, ...middle, room, px, font));
    if (token.ringed && !piece.tornRight) group.append(this.ringMark(box));
    this.add(group, token, { line: piece.line, row: row.r, left: box.x, right: box.x + box.width });
    return group;
  }

  // The mark of a ringed token, which must not rely on colour alone.
  ringMark(box) {
    const radius = Math.max(6.5, 6.5 * this.scale, this.small / 1.75);
    return drawMark(box.x + box.width - 2, box.y + box.height + 1, radius, this.data.labels.mark);
  }

  facts(token) {
    const { labels } = this.data;
    const row = this.rows[token.r];
    const facts = [["", row.name], [labels.number, `${token.t + 1} / ${row.tokens.length}`]];
    if (token.id !== null) facts.push([labels.id, String(token.id)]);
    if (token.tag) facts.push([token.tag, token.about]);
    if (token.token_class) facts.push(["", labels[`class_${token.token_class}`]]);
    if (token.kind) facts.push(["", labels[`kind_${token.kind}`]]);
    if (token.ringed) facts.push(["", `${labels.mark} ${labels.ringed}`]);
    return facts;
  }
}

// Share of a token in the column of a character it touches: proportional to its label's width there.
function shareOf(row, token, i) {
  const here = row.touches[i];
  return here.length === 1 ? 1 : token.perChar / here.reduce((sum, other) => sum + other.perChar, 0);
}

// Truncates a text with … if it does not fit.
function shorten(text, room, size, font, weight) {
  if (textWidth(text, size, font, weight) <= room) return text;
  const letters = [...text];
  while (letters.length > 1 && textWidth(`${letters.join("")}…`, size, font, weight) > room) letters.pop();
  return `${letters.join("")}…`;
}

function drawMark(x, y, r, sign) {
  const text = svg("text", { x, y: y + r * 0.62, "font-size": r * 1.75, "font-weight": 700 }, sign);
  return svg("g", { class: "mark" }, svg("circle", { cx: x, cy: y, r }), text);
}

function classSample(name) {
  const sample = svg("svg", { width: 22, height: 18, "aria-hidden": "true" });
  const group = svg("g", { class: `token class ${name}` });
  group.append(svg("rect", { class: "shape", x: 2, y: 2, width: 18, height: 14, rx: 3 }));
  sample.append(group);
  return sample;
}

export default shownBy(StripView, (view, data, tell) =>
  view.update(data, (token) => tell("picked", { row: token.r, token: token.t })),
);

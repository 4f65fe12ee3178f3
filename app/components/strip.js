// Token strips: one for every tokenizer, one under the other, aligned to the characters of the text.

const WIDE = 720;

// Which tokens touch each character: where there are several, they are parts of it and stand side by side.
function touching(tokens, n) {
  const touches = Array.from({ length: n }, () => []);
  for (const token of tokens) for (let i = token.b; i < token.e; i++) touches[i].push(token);
  return touches;
}

// Runs of characters whose tokens are not whole characters: what a bracket holds together.
function bracketsOf(tokens) {
  const runs = [];
  for (const token of tokens) {
    const last = runs[runs.length - 1];
    if (last && token.b < last.e) Object.assign(last, { e: Math.max(last.e, token.e), size: last.size + 1 });
    else runs.push({ b: token.b, e: token.e, size: 1 });
  }
  return runs.filter((run) => run.size > 1);
}

function readRows(data) {
  return data.rows.map((row, r) => {
    const tokens = row.tokens.map((token, t) => ({
      ...token,
      r,
      t,
      name: `${r}.${t}`,
      pairs: token.hex ? hexPairs(token.label) : null,
    }));
    const brackets = bracketsOf(tokens);
    return { ...row, r, tokens, brackets, touches: touching(tokens, data.chars.length), isLayer: row.kind !== "tokens" };
  });
}

const stripMeasures = (scale) => ({
  char: 21 * scale,
  label: 15 * scale,
  layerLabel: 12.5 * scale,
  air: 6 * scale,
  head: 36 * scale,
  bar: 28 * scale,
  layerBar: 22 * scale,
  gap: 12 * scale,
  name: 13.5 * Math.min(scale, 1.15),
  note: 12 * Math.min(scale, 1.15),
});

class StripView {
  constructor(root) {
    this.root = root;
    this.items = [];
    this.legend = html("div", { class: "bar-tools" });
    this.lines = html("div", { class: "lines" });
    this.help = html("p", { class: "help" });
    root.setAttribute("role", "group");
    root.replaceChildren(this.legend, this.lines, this.help);
    this.tip = new Tip(root);
    this.turns = new Turns();
    this.roving = new Roving(root, () => this.items, {
      pick: (item) => this.pick(item.token),
      enter: (item) => this.point(item.token, item.element),
      leave: () => this.unpoint(),
    });
    this.listen();
    this.unfollow = followWidth(root, () => this.data && this.draw());
  }

  listen() {
    const tokenOf = (event) => {
      const group = event.target.closest?.("[data-token]");
      if (!group) return null;
      const [r, t] = group.dataset.token.split(".").map(Number);
      return [this.rows[r].tokens[t], group];
    };
    this.lines.addEventListener("click", (event) => {
      const found = tokenOf(event);
      if (!found) return;
      this.pick(found[0]);
      this.items.find((item) => item.token === found[0])?.element.focus({ preventScroll: true });
    });
    this.lines.addEventListener("pointerover", (event) => {
      const found = tokenOf(event);
      if (found && event.pointerType !== "touch") this.point(...found);
    });
    this.lines.addEventListener("pointerout", (event) => {
      if (tokenOf(event)) this.unpoint();
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
    this.select(selected);
    if (drawing === this.drawing) return;
    this.drawing = drawing;
    this.rows = readRows(data);
    this.drawFrame();
    this.draw();
  }

  pick(token) {
    this.select([token.r, token.t]);
    this.send({ row: token.r, token: token.t });
  }

  // ---- drawing

  drawFrame() {
    const { labels, ui_lang: language } = this.data;
    this.root.setAttribute("lang", language);
    this.root.setAttribute("aria-label", labels.title);
    this.help.textContent = labels.keys;
    const anyRinged = this.rows.some((row) => row.tokens.some((token) => token.ringed));
    this.legend.hidden = !anyRinged;
    this.legend.replaceChildren(...(anyRinged ? [html("span", { class: "key" }, ringSample(labels.mark), labels.ringed)] : []));
  }

  draw() {
    const width = Math.floor(this.root.clientWidth);
    if (!width) return;
    const hadFocus = this.items.some((item) => item.element === this.root.getRootNode().activeElement);
    this.fonts = fontsOf(this.root);
    this.layOut(width);
    this.items = [];
    this.groups = new Map();
    this.unpoint();
    this.drawn = Array.from({ length: this.grid.size }, (_, line) => this.placeLine(line));
    this.lines.replaceChildren(...this.drawn.map((drawn) => drawn.box));
    this.turns.start(this.drawn.map((drawn, line) => () => this.drawLine(drawn, line)));
    if (hadFocus) this.turns.finish();
    this.roving.restore(hadFocus);
  }

  layOut(width) {
    const base = width < 560 ? 0.86 : width < 900 ? 0.95 : 1;
    let scale = base;
    let cells = this.cells(stripMeasures(scale));
    const gutter = width < WIDE ? 0 : this.gutterWidth(stripMeasures(scale), width);
    const room = width - gutter - 12;
    const natural = cells.reduce((sum, cell) => sum + cell, 0);
    if (natural < room) {
      scale *= Math.min(1.45, (0.98 * room) / natural);
      cells = this.cells(stripMeasures(scale));
    }
    this.size = stripMeasures(scale);
    this.scale = scale;
    this.gutter = gutter;
    this.width = width;
    const spans = this.rows.flatMap((row) => row.tokens.map(({ b, e }) => ({ b, e, weight: 0.1 })));
    this.grid = new Grid(this.data.chars, cells, spans, room);
    this.placeTokens();
  }

  gutterWidth(size, width) {
    const widest = (text, px, weight) => textWidth(text, px * 1.15, this.fonts.body, weight);
    const needed = this.rows.map((row) => Math.max(widest(row.name, size.name, 700), widest(row.note, size.note, 400)));
    return Math.min(Math.max(60, ...needed) + 16, width * 0.24);
  }

  labelWidth(token, row, size) {
    if (token.pairs) return hexWidth(token.pairs, size.layerLabel);
    return textWidth(token.label, row.isLayer ? size.layerLabel : size.label, this.fonts.body);
  }

  // Columns are as wide as the characters, wider where labels (`##able`, hex pairs) need it.
  cells(size) {
    const cells = cellWidths(this.data.chars, size.char, this.fonts, size.air);
    for (const row of this.rows) {
      for (const token of row.tokens) {
        token.need = this.labelWidth(token, row, size) + (token.pairs ? 6 : 8);
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

  // x of every token, over all lines: a character's column is shared by the tokens that are parts of it.
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

  // The room of a line and of the rows in it, before anything is drawn.
  placeLine(line) {
    const { size } = this;
    let y = size.head;
    const tops = [];
    const brackets = this.rows.map((row) => this.inLine(row.brackets, line));
    for (const row of this.rows) {
      if (this.gutter === 0) y += size.name * 1.55;
      tops.push(y);
      const bracket = brackets[row.r].length ? 6 * this.scale : 0;
      y += (row.isLayer ? size.layerBar : size.bar) + bracket + size.gap;
    }
    const box = html("div", { class: "line" });
    box.style.height = `${y}px`;
    return { box, tops, brackets, height: y, marks: svg("g", { class: "marks" }) };
  }

  drawLine(drawn, line) {
    const { size, grid, gutter } = this;
    const { chars, lang } = this.data;
    const { height, tops, brackets } = drawn;
    const width = gutter + grid.width(line) + 8;
    const text = chars.slice(grid.cuts[line], grid.cuts[line + 1]).join("");
    const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": text });
    picture.append(drawn.marks);
    drawCharacters(picture, grid, line, chars, size.char, size.head / 2 - 2, gutter, lang);
    this.rows.forEach((row, r) => {
      this.drawName(picture, row, tops[r], line === 0);
      for (const { span, piece } of this.inLine(row.tokens, line)) picture.append(this.drawToken(row, span, piece, tops[r]));
      for (const { piece } of brackets[r]) picture.append(this.drawBracket(row, piece, tops[r]));
    });
    drawn.box.append(picture);
    if (this.selected) this.select(this.selected);
  }

  // What of a row's spans lies in a line.
  inLine(spans, line) {
    const [from, to] = [this.grid.cuts[line], this.grid.cuts[line + 1]];
    return spans
      .filter((span) => span.e > from && span.b < to)
      .map((span) => ({ span, piece: this.grid.pieces(span.b, span.e, span.x0, span.x1).find((p) => p.line === line) }))
      .filter(({ piece }) => piece);
  }

  drawName(picture, row, top, isFirst) {
    const { size, gutter, fonts } = this;
    const bar = row.isLayer ? size.layerBar : size.bar;
    const add = (text, x, y, px, kind, room, weight) => {
      const shown = shorten(text, room, px, fonts.body, weight);
      const element = svg("text", { class: kind, x, y, "font-size": px, "aria-hidden": "true" }, shown);
      if (shown !== text) element.append(svg("title", {}, text));
      picture.append(element);
    };
    if (gutter === 0) {
      const y = top - 0.42 * size.name;
      add(row.name, 1, y, size.name, "row-name", this.width * 0.6, 700);
      if (!isFirst || !row.note) return;
      const used = Math.min(this.width * 0.6, textWidth(row.name, size.name, fonts.body, 700));
      add(row.note, used + 10, y, size.note, "row-note", this.width - used - 16, 400);
      return;
    }
    const middle = top + bar / 2;
    const hasNote = isFirst && row.note && !row.isLayer;
    add(row.name, 0, middle + size.name * (hasNote ? -0.12 : 0.355), size.name, "row-name", gutter - 14, 700);
    if (hasNote) add(row.note, 0, middle + size.note * 1.05, size.note, "row-note", gutter - 14, 400);
  }

  drawBracket(row, piece, top) {
    const left = this.gutter + piece.x + 3;
    const right = left + piece.width - 6;
    const y = top + (row.isLayer ? this.size.layerBar : this.size.bar) + 2.5;
    const d = `M${left} ${piece.tornLeft ? y + 4 : `${y}v4`}H${right}${piece.tornRight ? "" : "v-4"}`;
    return svg("path", { class: "bracket", d });
  }

  drawToken(row, token, piece, top) {
    const { size, fonts } = this;
    const height = row.isLayer ? size.layerBar : size.bar;
    const left = this.gutter + piece.x + (piece.tornLeft ? 0 : 1);
    const right = this.gutter + piece.x + piece.width - (piece.tornRight ? 0 : 1);
    const box = { x: left, y: top, width: right - left, height };
    const kind = [row.isLayer ? "layer" : "own", token.t % 2 ? "odd" : "even", token.ringed ? "ringed" : "", token.kind];
    const group = svg("g", { class: `token ${kind.join(" ")}`, "data-token": token.name, lang: this.data.lang });
    const outline = (by) =>
      barPath(box.x + by, box.y + by, box.width - 2 * by, box.height - 2 * by, piece.tornLeft, piece.tornRight, 4 - by);
    group.append(svg("path", { class: "shape", d: outline(0) }));
    if (token.ringed) group.append(svg("path", { class: "ring", d: outline(2.8) }));
    const middle = [box.x + box.width / 2, box.y + height / 2];
    if (token.pairs) group.append(hexText(token.pairs, ...middle, box.width - 4, size.layerLabel));
    else {
      const part = this.data.chars.slice(piece.from, piece.to).join("");
      const isWhole = !piece.tornLeft && !piece.tornRight;
      const text = isWhole ? token.label : `${piece.tornLeft ? "…" : ""}${part}${piece.tornRight ? "…" : ""}`;
      group.append(boxText(text, ...middle, box.width - (token.ringed ? 9 : 6), row.isLayer ? size.layerLabel : size.label, fonts.body));
    }
    if (token.ringed && !piece.tornRight) group.append(this.ringMark(box));
    this.register(group, row, token, piece, box);
    return group;
  }

  // The mark of a ringed token: the ring must not be known by its colour.
  ringMark(box) {
    return drawMark(box.x + box.width - 2, box.y + box.height + 1, 6.5 * Math.max(1, this.scale), this.data.labels.mark);
  }

  register(group, row, token, piece, box) {
    const known = this.groups.get(token.name);
    if (known) {
      group.setAttribute("aria-hidden", "true");
      known.push({ group, line: piece.line, box });
      return;
    }
    this.groups.set(token.name, [{ group, line: piece.line, box }]);
    group.setAttribute("role", "button");
    group.setAttribute("tabindex", "-1");
    group.setAttribute("data-item", token.name);
    group.setAttribute("aria-pressed", "false");
    group.setAttribute("aria-label", this.describe(row, token));
    const { line } = piece;
    this.items.push({ element: group, name: token.name, token, line, row: row.r, left: box.x, right: box.x + box.width });
  }

  describe(row, token) {
    return [token.label, row.name, ...this.facts(row, token).map((fact) => fact.join(" ").trim())].join(", ");
  }

  facts(row, token) {
    const { labels } = this.data;
    const facts = [[labels.number, `${token.t + 1} / ${row.tokens.length}`]];
    if (token.id !== null) facts.push([labels.id, String(token.id)]);
    if (token.kind && labels[`kind_${token.kind}`]) facts.push(["", labels[`kind_${token.kind}`]]);
    if (token.ringed) facts.push(["", `${labels.mark} ${labels.ringed}`]);
    return facts;
  }

  // ---- pointing and selecting

  point(token, target) {
    this.unpoint();
    const row = this.rows[token.r];
    this.tip.show(target, token.label, [["", row.name], ...this.facts(row, token)], this.data.lang);
    for (const { group } of this.groups.get(token.name)) group.classList.add("pointed");
    // The columns of its characters light up through all rows: what do the others make of them?
    for (const piece of this.grid.pieces(token.b, token.e)) {
      const drawn = this.drawn[piece.line];
      const x = this.gutter + piece.x;
      drawn.marks.append(svg("rect", { x, y: 0, width: piece.width, height: drawn.height - 4, rx: 5 }));
    }
  }

  unpoint() {
    this.tip.hide();
    for (const drawn of this.drawn ?? []) if (drawn.marks.firstChild) drawn.marks.replaceChildren();
    for (const group of this.lines.querySelectorAll(".pointed")) group.classList.remove("pointed");
  }

  select(place) {
    this.selected = place;
    for (const group of this.lines.querySelectorAll(".selected")) {
      group.classList.remove("selected");
      if (group.hasAttribute("aria-pressed")) group.setAttribute("aria-pressed", "false");
    }
    for (const { group } of this.groups?.get((place ?? []).join(".")) ?? []) {
      group.classList.add("selected");
      if (group.hasAttribute("aria-pressed")) group.setAttribute("aria-pressed", "true");
    }
  }
}

// Share of a token in the column of a character that it touches: by what the labels of its neighbours there need.
function shareOf(row, token, i) {
  const here = row.touches[i];
  return here.length === 1 ? 1 : token.perChar / here.reduce((sum, other) => sum + other.perChar, 0);
}

// A text that fits, its end replaced by … where it must be.
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

function ringSample(sign) {
  const sample = svg("svg", { width: 42, height: 26, "aria-hidden": "true" });
  const group = svg("g", { class: "token own ringed even" });
  group.append(svg("path", { class: "shape", d: barPath(3, 3, 30, 16, false, false) }));
  group.append(svg("path", { class: "ring", d: barPath(5.8, 5.8, 24.4, 10.4, false, false, 2) }));
  group.append(drawMark(31, 19, 6, sign));
  sample.append(group);
  return sample;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const [view, end] = instanceOf(parentElement, (root) => new StripView(root));
  view.update(data, (place) => setTriggerValue("picked", place));
  return end;
}

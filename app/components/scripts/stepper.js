// A player of prepared frames: each has a title, a note, and blocks (tables, tokens, text, bars) with marked parts.

// A mark has a sign as well as a colour.
const SIGNS = { chosen: "▸", new: "+", gone: "−", tie: "=" };

const marked = (mark) => (mark ? { class: `marked ${mark}` } : {});

function sign(mark, labels) {
  if (!mark) return [];
  const word = html("span", { class: "unseen" }, labels[`mark_${mark}`]);
  return [html("span", { class: "sign", "aria-hidden": "true" }, SIGNS[mark]), word];
}

class StepperView {
  constructor(root) {
    this.root = root;
    this.player = new Player((index, isRunning) => this.show(index, isRunning));
    this.title = html("h3", {});
    this.note = html("p", { class: "note" });
    this.head = html("div", { class: "head" }, this.title, this.note);
    this.stage = html("div", { class: "stage", tabindex: "0", role: "group" });
    this.help = html("p", { class: "help" });
    root.setAttribute("role", "group");
    root.replaceChildren(this.player.element, this.head, this.stage, this.help);
    this.player.listen(root);
    this.n_told = null;
    this.around = new Surroundings(root, () => this.beAsTallAs(0));
  }

  end() {
    this.around.end();
    this.player.end();
  }

  // Its step has room, and at least this height.
  beAsTallAs(height) {
    this.stage.style.minHeight = "";
    this.tallest = Math.max(height, this.stage.scrollHeight);
    this.stage.style.minHeight = `${this.tallest}px`;
  }

  update(data, tell) {
    this.n_told ??= data.heard;
    this.tell = (name, value) => tell(name, { value, number: ++this.n_told });
    // `start` follows the reported steps, so a new value does not mean new frames.
    const drawing = JSON.stringify({ ...data, start: null, heard: null });
    if (drawing === this.drawing) return;
    this.drawing = drawing;
    this.data = data;
    this.tallest = 0;
    this.root.setAttribute("lang", data.ui_lang);
    this.root.setAttribute("aria-label", data.labels.title);
    this.stage.setAttribute("aria-label", data.labels.stage);
    this.help.textContent = data.labels.keys;
    // A step not yet known to the server is the visitor's latest choice, unless the server started a new sequence.
    const isHeard = data.heard === this.n_told && data.start !== this.player.told;
    const isKept = data.run !== null && data.run === this.run && !isHeard;
    this.run = data.run;
    const start = isKept ? Math.min(this.player.index, data.frames.length - 1) : data.start;
    if (!isKept) this.player.told = start ?? 0;
    this.player.update(data.labels, data.frames.length, start);
  }

  show(index, isRunning) {
    const frame = this.data.frames[index];
    this.head.setAttribute("aria-live", isRunning ? "off" : "polite");
    this.title.textContent = frame.title;
    this.note.textContent = frame.note;
    this.stage.replaceChildren(...frame.blocks.map((block) => this.drawBlock(block)));
    this.beAsTallAs(this.tallest); // never shrinks: the page below must not jump while it runs
    if (this.data.tells) this.player.tellRest(isRunning, this.tell);
  }

  pick(value) {
    this.player.comeToRest();
    this.tell("picked", { index: this.player.index, value });
  }

  drawBlock(block) {
    const draw = { table: drawTable, tokens: drawTokens, text: drawText, bars: drawBars }[block.kind];
    const section = html("section", { class: `block ${block.kind} ${block.width}` });
    if (block.caption && block.kind !== "table") section.append(html("p", { class: "caption" }, block.caption));
    section.append(draw(block, this.data, (value) => this.pick(value)));
    return section;
  }
}

function drawTable(block, { lang, labels }, pick) {
  const marks = new Map(block.marks.map(({ row, column, mark }) => [`${row}.${column ?? "*"}`, mark]));
  const isPick = ({ picks }, r) => (picks[r] ?? null) !== null;
  const pickButton = (value, parts) =>
    html("button", { type: "button", class: "pick", title: labels.pick, onclick: () => pick(value) }, ...parts);
  const rows = block.rows.map((cells, r) => {
    const whole = marks.get(`${r}.*`);
    const row = html("tr", marked(whole));
    cells.forEach((cell, c) => {
      const mark = marks.get(`${r}.${c}`);
      const isNumber = typeof cell === "number";
      const text = isNumber ? String(cell).replace("-", "−") : cell;
      const attributes = { ...marked(mark), lang: isNumber ? null : lang };
      if (isNumber) attributes.class = `${attributes.class ?? ""} number`;
      const parts = [...sign(mark ?? (c === 0 ? whole : null), labels), ...faintSpaces(text, html)];
      row.append(html("td", attributes, ...(c === 0 && isPick(block, r) ? [pickButton(block.picks[r], parts)] : parts)));
    });
    return row;
  });
  const table = html("table", {});
  if (block.caption) table.append(html("caption", {}, block.caption));
  table.append(html("thead", {}, html("tr", {}, ...block.columns.map((name) => html("th", { scope: "col" }, name)))));
  table.append(html("tbody", {}, ...rows));
  return table;
}

function drawTokens(block, { lang, labels }) {
  const list = html("ul", { class: "words" });
  for (const row of block.rows) {
    const chips = row.tokens.map((token) => {
      const pairs = hexPairs(token.text);
      const text = pairs ? [html("span", { class: "mono" }, pairs.join(" "))] : faintSpaces(token.text, html);
      const { class: classes } = marked(token.mark);
      return html("span", { class: `chip ${classes ?? ""}`, lang }, ...sign(token.mark, labels), ...text);
    });
    // A pair to be merged stays on one line.
    const units = [];
    for (let i = 0; i < chips.length; i++) {
      const isPair = row.tokens[i].mark === "chosen" && row.tokens[i + 1]?.mark === "chosen";
      units.push(isPair ? html("span", { class: "pair" }, chips[i], chips[++i]) : chips[i]);
    }
    const name = row.label ? [html("span", { class: "word-name" }, row.label)] : [];
    list.append(html("li", {}, html("span", { class: "chips" }, ...units), ...name));
  }
  return list;
}

function drawText(block, { lang }) {
  return html("p", { class: "plain", lang }, block.text);
}

function drawBars(block, { lang, labels }) {
  const most = Math.max(block.max ?? 0, ...block.bars.map((bar) => bar.value)) || 1;
  const list = html("dl", { class: "measure" });
  for (const bar of block.bars) {
    const length = html("span", { class: "length" });
    length.style.width = `${(100 * bar.value) / most}%`;
    const { class: classes } = marked(bar.mark);
    list.append(
      html(
        "div",
        { class: classes },
        html("dt", { lang }, ...sign(bar.mark, labels), ...faintSpaces(bar.label, html)),
        html("dd", {}, html("span", { class: "rail" }, length), html("span", { class: "value" }, bar.text)),
      ),
    );
  }
  return list;
}

export default shownBy(StepperView);

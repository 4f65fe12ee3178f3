// Cuts of a sentence as rows of lines over its characters. The utility's row is computed here as lambda changes.

// Greedy maximal matching: at each place the span with the largest U = PMI + lambda x entropy; ties go to the longest.
function matching(pmi, entropy, lam) {
  const steps = [];
  let begin = 0;
  while (begin < pmi.length) {
    const candidates = [];
    let winner = 0;
    for (let k = 0; k < pmi[begin].length; k++) {
      if (pmi[begin][k] === null) continue;
      const utility = pmi[begin][k] + lam * entropy[begin][k];
      candidates.push({ length: k + 1, pmi: pmi[begin][k], entropy: entropy[begin][k], utility });
      if (utility >= candidates[winner].utility) winner = candidates.length - 1;
    }
    steps.push({ begin, candidates, winner });
    begin += candidates[winner].length;
  }
  return steps;
}

const WIDEST_CELL = 56;

class CutBoard {
  constructor(root) {
    this.root = root;
    this.told = null;
    this.n_told = null;
    this.lam = null;
    const move = () => this.move(Number(this.slider.value));
    this.slider = html("input", { type: "range", oninput: move, onchange: () => this.tell(this.lam) });
    this.value = html("output", { class: "counter" });
    this.board = html("div", { class: "board", tabindex: 0, role: "group" });
    this.words = html("p", { class: "words" });
    this.stage = html("div", { class: "stage", "aria-live": "polite" });
    this.player = new Player((index) => this.showStep(index));
    this.name = html("span", { class: "name", "aria-hidden": "true" }, "λ");
    this.wordsHead = html("h4");
    this.stepHead = html("h4");
    root.setAttribute("role", "group");
    root.replaceChildren(
      html("div", { class: "lambda track" }, this.name, this.slider, this.value),
      this.board,
      this.wordsHead,
      this.words,
      this.stepHead,
      this.player.element,
      this.stage,
    );
    this.around = new Surroundings(root, () => this.data && this.draw());
  }

  update(data, tell) {
    this.data = data;
    const { labels } = data;
    this.root.lang = data.ui_lang;
    this.root.setAttribute("aria-label", labels.title);
    this.board.setAttribute("aria-label", labels.title);
    this.slider.setAttribute("aria-label", labels.lambda);
    for (const [name, value] of [["min", 0], ["max", data.max], ["step", data.step]]) this.slider.setAttribute(name, value);
    this.wordsHead.textContent = labels.words;
    this.stepHead.textContent = labels.matching;
    for (const part of [this.stepHead, this.player.element, this.stage]) part.hidden = !data.steps;
    this.n_told ??= data.heard;
    this.tell = (lam) => {
      if (lam === this.told) return;
      this.told = lam;
      tell("chosen", { value: lam, number: ++this.n_told });
    };
    // An answer of the server to an earlier value is outdated once the visitor has moved on.
    if (data.heard === this.n_told && data.lam !== this.told) this.told = this.lam = data.lam;
    this.draw();
  }

  draw() {
    this.build();
    this.move(this.lam, null);
  }

  // Lines as [first, last] character: as many characters as fit, all of equal length but the last.
  breakLines() {
    const n = this.data.characters.length;
    const length = (name) => parseFloat(getComputedStyle(this.board).getPropertyValue(name));
    const room = this.board.clientWidth - length("--label") - 4; // a cut at the end sticks out
    const most = room > 0 ? Math.max(1, Math.floor(room / length("--cell"))) : n;
    const size = Math.ceil(n / Math.ceil(n / most));
    this.board.style.setProperty("--wide", `${Math.min(WIDEST_CELL, Math.max(length("--cell"), room / size))}px`);
    return Array.from({ length: Math.ceil(n / size) }, (_, k) => [k * size, Math.min(n, (k + 1) * size)]);
  }

  // One grid per line: characters on top, then the rows; `move` fills the live one.
  build() {
    const { characters, above, below, lang } = this.data;
    this.bands = this.breakLines();
    this.cells = characters.map((character) => html("span", { class: "char", lang }, character.trim() ? character : "␣"));
    const rows = (kind) => this.bands.map(() => html("div", { class: `row ${kind}` }));
    const filled = (kind) => (row) => this.fillRow(row.label, row.ends, rows(kind));
    this.live = rows("live");
    const heads = rows("heads").map((element, k) => {
      element.append(html("span", { class: "label" }), ...this.cells.slice(...this.bands[k]));
      return element;
    });
    const all = [...above.map(filled("gold")), heads, this.live, ...below.map(filled(""))];
    const bands = this.bands.map((_, k) => html("div", { class: "band" }, ...all.map((elements) => elements[k])));
    this.board.replaceChildren(...bands);
  }

  // A row's cuts, line by line; the first line has the label of the whole row for screen readers.
  fillRow(label, ends, elements) {
    const inner = new Set(ends.slice(0, -1));
    const words = this.split(ends).join(" | ");
    const marks = this.data.characters.map((_, i) => html("span", { class: inner.has(i + 1) ? "cell cut" : "cell" }));
    elements.forEach((element, k) => {
      const said = k ? { "aria-hidden": "true" } : { role: "img", "aria-label": `${label}: ${words}` };
      furnish(element, said, []);
      element.replaceChildren(html("span", { class: "label" }, label), ...marks.slice(...this.bands[k]));
    });
    return elements;
  }

  split(ends) {
    let begin = 0;
    return ends.map((end) => {
      const word = this.data.characters.slice(begin, end).join("");
      begin = end;
      return word;
    });
  }

  move(lam, start = 0) {
    const { labels, pmi, entropy, lang } = this.data;
    this.lam = lam;
    this.steps = matching(pmi, entropy, lam);
    const ends = this.steps.map(({ begin, candidates, winner }) => begin + candidates[winner].length);
    const text = fill(labels.live, { lam: String(lam) });
    this.slider.value = lam;
    this.slider.style.setProperty("--done", `${(100 * lam) / this.data.max}%`);
    this.slider.setAttribute("aria-valuetext", text);
    this.value.textContent = `λ = ${lam}`;
    this.fillRow(text, ends, this.live);
    this.words.lang = lang;
    this.words.replaceChildren(...this.split(ends).map((word) => html("span", { class: "word" }, word)));
    this.player.update(labels, this.steps.length, start);
  }

  showStep(index) {
    const { labels, characters, lang, scale } = this.data;
    const { begin, candidates, winner } = this.steps[index];
    const span = (length) => characters.slice(begin, begin + length).join("");
    const best = candidates[winner];
    this.cells.forEach((cell, i) => cell.classList.toggle("now", i >= begin && i < begin + best.length));
    const heads = ["span", "min_pmi", "min_entropy", "utility"].map((name) => html("th", { scope: "col" }, labels[name]));
    const rows = candidates.map((one, k) => {
      const chosen = k === winner;
      return html(
        "tr",
        { class: chosen ? "chosen" : null },
        html("td", { lang }, span(one.length), chosen ? html("span", { class: "unseen" }, ` (${labels.winner})`) : ""),
        ...[one.pmi, one.entropy, one.utility].map((value) => html("td", { class: "number" }, decimal(scale * value))),
        html("td", { class: "sign", "aria-hidden": "true" }, chosen ? "✓" : ""),
      );
    });
    const place = fill(labels.here, { number: String(begin + 1), span: span(best.length) });
    this.stage.replaceChildren(
      html("p", {}, place),
      html("table", {}, html("thead", {}, html("tr", {}, ...heads, html("td"))), html("tbody", {}, ...rows)),
    );
  }

  end() {
    this.around.end();
    this.player.stop();
  }
}

export default shownBy(CutBoard);

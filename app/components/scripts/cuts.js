// A text to cut: a place to tap between any two characters. Below it the cuts of others, as bars in copies of the text.

// A share of half or more counts as a cut when two rows are compared.
const MOST = 0.5;

class CutsView {
  constructor(root) {
    this.root = root;
    this.n_told = null;
    this.told = null;
    this.text = html("div", { class: "text", role: "group" });
    this.help = html("p", { class: "help" });
    this.others = html("div", { class: "others" });
    root.replaceChildren(this.text, this.help, this.others);
    this.text.addEventListener("click", (event) => this.tap(event.target.closest("button")));
    this.text.addEventListener("keydown", (event) => this.walk(event));
  }

  update(data, tell) {
    this.data = data;
    this.tell = tell;
    this.n_told ??= data.heard;
    // An answer of the server to an earlier tap is outdated once the visitor has tapped again.
    const isOld = data.heard !== this.n_told;
    const cuts = isOld && this.cuts ? this.cuts : new Set(data.cuts);
    const drawing = JSON.stringify({ ...data, cuts: [...cuts], heard: null });
    this.cuts = cuts;
    if (drawing === this.drawing) return;
    this.drawing = drawing;
    this.root.setAttribute("lang", data.ui_lang);
    this.text.setAttribute("aria-label", `${data.labels.title}: ${data.characters.join("")}`);
    this.help.textContent = data.fixed ? "" : data.labels.keys;
    const focused = this.text.querySelector(":focus")?.dataset.place;
    this.text.replaceChildren(...this.line((place) => this.place(place)));
    this.text.classList.toggle("fixed", data.fixed);
    if (focused) this.text.querySelector(`[data-place="${focused}"]`)?.focus();
    this.showCuts();
    this.drawRows();
  }

  // One unit per character, followed by `after` its place; the units of a word stay on one line if possible.
  line(after) {
    const { characters, places, lang } = this.data;
    const isPlace = new Set(places);
    const words = [];
    characters.forEach((character, k) => {
      const isSpace = !character.trim();
      const letter = html("span", { class: isSpace ? "letter blank" : "letter", lang, "aria-hidden": "true" }, character);
      const end = isPlace.has(k + 1) ? after(k + 1) : null;
      if (k === 0 || !characters[k - 1].trim()) words.push(html("span", { class: "word" }));
      words[words.length - 1].append(html("span", { class: "unit" }, letter, ...(end ? [end] : [])));
    });
    return words;
  }

  place(place) {
    const { characters, labels, fixed } = this.data;
    if (fixed) return html("span", { class: "place", "data-place": place });
    const name = fill(labels.cut, { left: characters[place - 1], right: characters[place] });
    return html("button", { class: "place", type: "button", "data-place": place, "aria-label": name, tabindex: -1 });
  }

  showCuts() {
    const all = [...this.text.querySelectorAll(".place")];
    for (const one of all) {
      const isCut = this.cuts.has(Number(one.dataset.place));
      one.classList.toggle("cut", isCut);
      if (!this.data.fixed) one.setAttribute("aria-pressed", String(isCut));
    }
    if (!this.data.fixed && all.length && !all.some((one) => one.tabIndex === 0)) all[0].tabIndex = 0;
  }

  tap(button) {
    if (!button || this.data.fixed) return;
    const place = Number(button.dataset.place);
    if (!this.cuts.delete(place)) this.cuts.add(place);
    this.focus(button);
    this.showCuts();
    this.tell("cut", { value: [...this.cuts].sort((a, b) => a - b), number: ++this.n_told });
  }

  // One tab stop; arrows, Home and End move between places.
  walk(event) {
    const all = [...this.text.querySelectorAll("button.place")];
    const at = all.indexOf(event.target);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    this.focus(all[Math.min(all.length - 1, Math.max(0, to))]);
    event.preventDefault();
    event.stopPropagation();
  }

  focus(button) {
    for (const one of this.text.querySelectorAll("[tabindex='0']")) one.tabIndex = -1;
    button.tabIndex = 0;
    button.focus();
  }

  drawRows() {
    const { rows, labels } = this.data;
    const differs = rows.length ? [html("p", { class: "help" }, labels.differs)] : [];
    this.others.replaceChildren(...rows.map((row) => this.drawRow(row)), ...differs);
  }

  drawRow({ label, shares }) {
    const { characters, lang } = this.data;
    const share = new Map(shares);
    const bar = (place) => {
      const own = this.cuts.has(place);
      const value = share.get(place) ?? 0;
      if (!own && value < 0.02) return null;
      const state = own ? (value >= MOST ? "both" : "mine") : "theirs";
      const element = html("span", { class: `place cut ${state}` });
      element.style.setProperty("--share", state === "mine" ? 1 : value.toFixed(3));
      return element;
    };
    let said = "";
    characters.forEach((character, k) => (said += character + ((share.get(k + 1) ?? 0) >= MOST ? "|" : "")));
    const line = html("div", { class: "text small", role: "img", "aria-label": `${label}: ${said}`, lang }, ...this.line(bar));
    return html("div", { class: "row" }, html("div", { class: "label" }, html("b", {}, label)), line);
  }
}

export default shownBy(CutsView);

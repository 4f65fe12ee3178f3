const FORMS = ["csv", "tex", "md"];
const ACTS = ["link", "image", "png", "svg", "embed", ...FORMS, "command", "cite"];
const PATIENCE = 100; // tenths of a second until a line has opened
const PRINTS = ["pdf", "print_svg", "package"];
const MAIN = ".st-key-picture";
const CHART = ".stPlotlyChart";
// What `data-share` may be about, other than the main picture.
const PICTURES = `${MAIN}, ${CHART}, [data-testid="stBidiComponentRegular"], [data-testid="stBidiComponentIsolated"]`;

// What the server says of the page and its files (app/share/facts.py), in the order of the page.
function factsOfPage() {
  const said = [...document.querySelectorAll('[data-testid="stMain"] [data-facts]')];
  return said.map((element) => ({ element, ...JSON.parse(element.dataset.facts) }));
}

const follows = (element, other) => Boolean(other.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING);

// The file with the data of a picture: the next one, before any other picture; or the one that the page names.
function fileOf(picture, facts) {
  const files = facts.filter((one) => one.csv);
  const named = picture.matches(MAIN) && facts.find((one) => one.data)?.data;
  if (named) return files.find((one) => one.csv === named);
  const isOther = (one) => !one.contains(picture) && !picture.contains(one) && one.offsetHeight > 1;
  const others = [...document.querySelectorAll(`[data-testid="stMain"] :is(${PICTURES})`)].filter(
    (one) => isOther(one) && follows(one, picture),
  );
  return files.find(({ element }) => {
    if (picture.contains(element)) return true;
    return follows(element, picture) && !others.some((other) => follows(element, other));
  });
}

// The picture that a button is for.
function pictureOf(button) {
  const host = button.getRootNode().host ?? button;
  return host.closest(CHART) ?? host.closest(PICTURES) ?? (host === button ? document.querySelector(MAIN) : host);
}

class ShareView {
  constructor(root) {
    this.root = root;
    this.status = html("p", { role: "status" });
    this.text = html("textarea", { readonly: true, rows: 4, hidden: true });
    this.note = html("p", { class: "note" });
    this.menu = html("div", { class: "menu", popover: "auto", role: "dialog" });
    const button = (act) => html("button", { type: "button", onclick: () => this.act(act) });
    const [acts, prints] = [ACTS, PRINTS].map((names) => names.map(button));
    this.buttons = [...acts, ...prints];
    this.menu.append(...acts, this.printForm(prints), this.status, this.text, this.note);
    root.replaceChildren(this.menu);
    this.menu.addEventListener("toggle", ({ newState }) => {
      this.opener?.setAttribute("aria-expanded", newState === "open");
    });
    this.menu.addEventListener("keydown", (event) => this.walk(event));
    // A press outside closes the menu before the click on its button arrives, which must not open it again.
    const press = () => (this.pressed = this.menu.matches(":popover-open") ? this.opener : null);
    const click = (event) => {
      const button = event.composedPath().find((one) => one.dataset?.share !== undefined);
      if (button && button !== this.pressed) this.open(button);
      this.pressed = null;
    };
    const look = ({ target }) => offer(target.closest?.(CHART), this.data);
    this.ending = new AbortController();
    const { signal } = this.ending;
    document.addEventListener("pointerdown", press, { capture: true, signal });
    document.addEventListener("click", click, { signal });
    for (const name of ["pointerover", "focusin"]) document.addEventListener(name, look, { signal });
  }

  // What is for print: the size on paper, and the files.
  printForm(buttons) {
    const [width, letters] = ["any", "any"].map((step) => html("input", { type: "number", step, inputmode: "decimal" }));
    this.sizes = { width, letters };
    this.choices = html("div", { class: "columns" });
    this.fields = [width, letters].map((input) => html("label", {}, html("span"), input));
    this.heading = html("legend");
    return html("fieldset", {}, this.heading, this.choices, html("div", { class: "sizes" }, ...this.fields), ...buttons);
  }

  end() {
    this.ending.abort();
  }

  update(data) {
    this.data = data;
    this.root.setAttribute("lang", data.ui_lang);
    this.menu.setAttribute("aria-label", data.labels.title);
    this.text.setAttribute("aria-label", data.labels.title);
    this.buttons.forEach((button, i) => (button.textContent = data.labels[[...ACTS, ...PRINTS][i]]));
    this.heading.textContent = data.labels.print;
    this.fields.forEach((field, i) => (field.firstChild.textContent = data.labels[["width", "letters"][i]]));
    for (const name of ["width", "letters"]) {
      const [input, { low, high, usual }] = [this.sizes[name], data.sizes[name]];
      Object.assign(input, { min: low, max: high, value: input.value || usual });
    }
    const column = (width, i) => {
      const label = fill(data.labels[["one_column", "two_columns"][i]], { width });
      return html("button", { type: "button", onclick: () => (this.sizes.width.value = width) }, label);
    };
    this.choices.replaceChildren(...data.columns.map(column));
  }

  open(button) {
    this.opener = button;
    this.picture = pictureOf(button) ?? button; // in a button nothing is drawn, which the menu says
    const facts = factsOfPage();
    this.file = fileOf(this.picture, facts);
    this.commands = facts.find((one) => one.commands)?.commands ?? this.file?.trained ?? [];
    this.name = `${this.data.page}_${this.file?.of ?? this.data.of}`;
    this.buttons[ACTS.indexOf("embed")].hidden = !this.data.is_embeddable || !this.picture.matches(MAIN);
    this.menu.showPopover();
    this.say("");
    this.buttons[0].focus();
  }

  // Below its button if there is room, else above it; what it says makes it longer.
  place() {
    const [at, own] = [this.opener.getBoundingClientRect(), this.menu.getBoundingClientRect()];
    const isBelow = at.bottom + 6 + own.height <= window.innerHeight || at.top < window.innerHeight / 2;
    this.menu.style.left = `${Math.max(8, Math.min(at.right, window.innerWidth - 8) - own.width)}px`;
    const top = isBelow ? Math.min(at.bottom + 6, window.innerHeight - own.height - 8) : at.top - own.height - 6;
    this.menu.style.top = `${Math.max(8, top)}px`;
  }

  walk(event) {
    if (event.key === "Escape") {
      this.menu.hidePopover();
      this.opener.focus();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const shown = this.buttons.filter((button) => !button.hidden);
    const at = shown.indexOf(this.root.getRootNode().activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    shown[(at + step + shown.length) % shown.length].focus();
  }

  say(status, text = "", note = "") {
    this.status.textContent = status;
    this.text.hidden = !text;
    this.text.value = text;
    this.note.textContent = note;
    this.place();
    this.status.scrollIntoView({ block: "nearest" });
  }

  async act(act) {
    const { labels } = this.data;
    try {
      await (FORMS.includes(act) ? this.table(act) : this[act](labels));
    } catch (error) {
      console.warn(error);
      this.say(labels.failed);
    }
  }

  // Shows what has been copied, and where the browser does not allow it, what to copy by hand.
  async copy(text, note) {
    const { labels } = this.data;
    const isCopied = await copied(() => navigator.clipboard.writeText(text));
    this.say(isCopied ? labels.copied : labels.blocked, text, note);
    if (!isCopied) this.text.select();
  }

  link() {
    return this.copy(window.location.href);
  }

  embed() {
    const address = new URL(window.location.href);
    for (const [name, value] of [["lang", document.documentElement.lang], ["figure", "picture"], ["embed", "true"]]) {
      address.searchParams.set(name, value);
    }
    const { width, height } = this.picture.getBoundingClientRect();
    const size = `width="${Math.ceil(width) + 24}" height="${Math.ceil(height) + 24}"`;
    const more = `title="${escaped(this.title())}" loading="lazy" style="border: 0"`;
    const note = fill(this.data.labels.embed_note, this.data);
    return this.copy(`<iframe src="${escaped(address.href)}" ${size} ${more}></iframe>`, note);
  }

  command(labels) {
    if (!this.commands.length) return this.say(labels.no_command);
    return this.copy(this.commands.join("\n"), labels.command_note);
  }

  // The data in a form, from the page's own button for it: their classes differ in the form only. A closed line has the
  // button after it was opened.
  async table(form) {
    const { labels } = this.data;
    const name = this.file?.csv.replace("-csv-", `-${form}-`);
    const find = () => name && document.querySelector(`.${CSS.escape(name)} button`);
    if (!find() && this.file?.folded) {
      document.querySelector(`.${CSS.escape(this.file.folded)} summary`)?.click();
      for (let wait = 0; wait < PATIENCE && !find(); wait++) await new Promise((go) => setTimeout(go, 100));
    }
    const button = find();
    if (!button) return this.say(labels.no_data);
    button.click();
    return this.say(labels.saved);
  }

  cite() {
    return this.copy(this.data.citation, this.data.labels.cite_note);
  }

  pdf() {
    const convert = ({ written }) => this.converted("figure.pdf", { title: this.title() }, written);
    return this.savePrinted("pdf", convert);
  }

  print_svg() {
    return this.savePrinted("svg", ({ outlined }) => asSvg(outlined));
  }

  package() {
    const about = { title: this.title(), package: this.data.package, data: this.file?.csv ?? "" };
    const convert = ({ outlined, written }) => this.converted("figure.zip", about, `${outlined}\0${written}`);
    return this.savePrinted("zip", convert);
  }

  // What `make` makes of the picture in its size on paper.
  async savePrinted(ending, make) {
    const files = await this.printed();
    const { saved, saved_dark: savedDark } = this.data.labels;
    this.save(files && (await make(files)), ending, isDark(this.paper()) ? savedDark : saved);
  }

  // Saves what was made, if anything was.
  save(made, ending, said = this.data.labels.saved) {
    if (!made) return;
    saveFile(made, `${this.name}.${ending}`);
    this.say(said);
  }

  // The picture in the size on paper that the form asks for; null, and says why, if there is none.
  async printed() {
    const { labels } = this.data;
    const [mm, pt] = ["width", "letters"].map((name) => this.sizes[name].valueAsNumber);
    const isValid = Object.values(this.sizes).every((input) => input.value && input.checkValidity());
    if (!isValid) return this.say(labels.bad_size);
    this.say(labels.drawing);
    const files = await printedFiles(this.picture, this.title(), this.paper(), mm, pt);
    if (files === "room") return this.say(labels.no_room);
    if (!files) return this.say(labels.nothing);
    return files;
  }

  // What the server makes of a picture; null, and says why, if it refuses.
  async converted(address, about, body) {
    const url = new URL(address, document.baseURI);
    url.search = new URLSearchParams({ ...about, width: this.sizes.width.value, lang: this.data.ui_lang });
    const answer = await fetch(url, { method: "POST", headers: { "Content-Type": "image/svg+xml" }, body });
    if (answer.ok) return answer.blob();
    return this.say(answer.headers.get("X-Said") ? await answer.text() : this.data.labels.failed);
  }

  async svg() {
    const drawn = await this.drawn();
    this.save(drawn && asSvg(drawn.xml), "svg");
  }

  async png() {
    const drawn = await this.drawn();
    this.save(drawn && (await asPng(drawn)), "png");
  }

  async image(labels) {
    const drawn = this.drawn();
    const pixels = drawn.then((file) => (file ? asPng(file) : Promise.reject(new Error("nothing drawn"))));
    pixels.catch(() => {}); // said below, also where the clipboard does not ask for it
    // At once: it must be the visitor's click that writes to the clipboard.
    const isCopied = await copied(() => navigator.clipboard.write([new ClipboardItem({ "image/png": pixels })]));
    if (await drawn) this.say(isCopied ? labels.copied : labels.image_blocked);
  }

  // The picture as SVG; null, and says so, if there is none.
  async drawn() {
    const { labels } = this.data;
    this.say(labels.drawing);
    const drawn = await drawnFile(this.picture, this.title(), this.paper());
    if (!drawn) this.say(labels.nothing);
    return drawn;
  }

  paper() {
    return getComputedStyle(this.root).getPropertyValue("--st-background-color") || "white";
  }

  title() {
    const chart = this.picture.matches(CHART) ? this.picture : this.picture.querySelector(CHART);
    const heading = document.querySelector('[data-testid="stMain"] h1');
    return chart?.getAttribute("aria-label") || heading?.textContent || this.name;
  }
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

async function copied(write) {
  try {
    await write();
    return true;
  } catch {
    return false;
  }
}

// A button in the toolbar of a chart that is not the main picture, whenever the pointer comes: Plotly rebuilds it.
function offer(chart, { labels }) {
  const tool = chart?.querySelector(".modebar-group .modebar-btn");
  if (!tool || chart.closest(MAIN) || chart.querySelector("[data-share]")) return;
  const about = { "data-share": "", "aria-label": labels.title, "data-title": labels.title, "aria-haspopup": "dialog" };
  const button = html(tool.localName, { class: "modebar-btn", type: "button", role: "button", ...about }, labels.title);
  button.style.cssText = "font-size: 12px; font-weight: 700; width: auto; color: inherit";
  tool.parentElement.append(button);
}

export default shownBy(ShareView);

// A text field whose text is sent while one types, a syllable in composition included. At most one message is without an
// answer, so a slow server delays the picture and not the keys. Cursor, selection, undo and composition are the browser's:
// the text is set from outside only when the page changed it.

const REST = 800; // ms without a key until the rest of the page follows
const LONG = 2000; // characters from which a text is sent only after a pause
const PAUSE = 500; // that pause, in ms
const PATIENCE = 2000; // ms until a message counts as lost; twice as long for each that follows it
const BUSY = 250; // ms of an answer from which the next message waits as long again

class LiveText {
  constructor(root) {
    this.root = root;
    const quiet = { autocapitalize: "off", autocomplete: "off", autocorrect: "off", spellcheck: "false" };
    this.field = html("textarea", { class: "live", id: "text", rows: 1, ...quiet });
    this.label = html("label", { for: "text", hidden: true });
    this.note = html("p", { class: "note", hidden: true });
    this.timers = {};
    this.field.addEventListener("input", (event) => this.typed(event.inputType === "insertFromPaste"));
    for (const name of ["compositionstart", "compositionend"])
      this.field.addEventListener(name, () => (this.isComposing = name === "compositionstart"));
    this.field.addEventListener("blur", () => this.isChanged && this.later("rest", 0, () => this.rest()));
    this.field.addEventListener("keydown", (event) => this.pressed(event));
    root.replaceChildren(this.label, this.field, this.note);
  }

  end() {
    Object.values(this.timers).forEach(clearTimeout);
  }

  later(name, wait, act) {
    clearTimeout(this.timers[name]);
    this.timers[name] = setTimeout(act, wait);
  }

  update(data, tell, keep) {
    [this.tell, this.keep] = [tell, keep];
    this.root.setAttribute("lang", data.ui_lang);
    furnish(this.field, { "aria-label": data.label, lang: data.lang, maxlength: data.most, placeholder: data.help }, []);
    this.label.hidden = data.help === null;
    this.label.replaceChildren(data.label, html("span", {}, data.help ?? ""));
    this.hasLines = data.has_lines;
    this.note.textContent = data.labels.long;
    if (this.number === undefined) {
      this.number = data.heard;
      this.sent = this.field.value = data.text;
    }
    if (data.heard < this.number) {
      if (!data.heard && this.begun === undefined) this.sendText(); // another server, which knows none of it
      return;
    }
    clearTimeout(this.timers.lost);
    const took = performance.now() - (this.begun ?? performance.now());
    this.begun = undefined;
    const wait = this.waitAfter(took);
    if (this.field.value !== this.sent && wait) this.later("send", wait, () => this.sendText());
    else if (this.field.value !== this.sent) this.sendText(); // before the picture is drawn
    else if (data.text !== this.sent) this.set(data.text);
  }

  // What the page wants instead: an example, or the text of the address after Back.
  set(text) {
    this.sent = this.field.value = text;
    this.isChanged = false;
    this.showNote();
  }

  waitAfter(took) {
    return this.field.value.length > LONG ? PAUSE : took > BUSY ? took : 0;
  }

  typed(isPasted) {
    this.isChanged = true;
    this.showNote();
    this.later("rest", REST, () => this.rest());
    if (this.begun !== undefined) return;
    if (isPasted || this.field.value.length <= LONG) this.sendText();
    else this.later("send", PAUSE, () => this.sendText());
  }

  pressed(event) {
    if (event.key !== "Enter" || this.hasLines || event.isComposing) return;
    event.preventDefault();
    this.later("rest", 0, () => this.rest());
  }

  showNote() {
    this.note.hidden = this.field.value.length <= LONG;
  }

  sendText(patience = PATIENCE) {
    clearTimeout(this.timers.send);
    this.begun = performance.now();
    this.sent = this.field.value;
    this.number += 1;
    this.keep("typed", { number: this.number, value: this.sent }); // a trigger is sent only after the next frame
    // A run that takes longer is not begun anew for ever.
    this.later("lost", patience, () => this.sendText(2 * patience));
  }

  // The address and the numbers below follow once nothing is typed or composed, and the picture has followed.
  rest() {
    const isWaiting = this.begun !== undefined || this.field.value !== this.sent;
    if (isWaiting || this.isComposing) this.later("rest", REST / 4, () => this.rest());
    else if (this.isChanged) {
      this.isChanged = false;
      this.tell("rested", this.sent);
    }
  }
}

export default shownBy(LiveText, (view, data, tell, keep) => view.update(data, tell, keep));

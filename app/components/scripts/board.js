// A picture of bars over characters that can be hovered, navigated and picked: the lattice and the strip.
// A bar represents a thing {name, b, e, label}; a thing split between lines has several groups.

class Board {
  // `attribute` holds the name of a thing in the picture, e.g. data-arc.
  constructor(root, attribute) {
    this.root = root;
    this.attribute = attribute;
    this.things = new Map();
    this.items = [];
    this.groups = new Map();
    this.drawn = [];
    this.tools = html("div", { class: "bar-tools" });
    this.lines = html("div", { class: "lines" });
    this.help = html("p", { class: "help" });
    root.setAttribute("role", "group");
    root.replaceChildren(this.tools, this.lines, this.help);
    this.tip = new Tip(root);
    this.turns = new TaskQueue();
    this.roving = new Roving(root, () => this.items, {
      pick: (item) => this.pick(item.thing),
      enter: (item) => this.point(item.thing, item.element),
      leave: () => this.unpoint(),
    });
    this.listen();
    this.around = new Surroundings(root, () => this.data && this.draw());
    this.finish = () => this.turns.finish();
    window.addEventListener("finish-drawing", this.finish);
  }

  listen() {
    const at = (event, act) => {
      const group = event.target.closest?.(`[${this.attribute}]`);
      const thing = group && this.things.get(group.getAttribute(this.attribute));
      if (thing) act(thing, group);
    };
    this.lines.addEventListener("click", (event) => at(event, (thing) => this.click(thing)));
    this.lines.addEventListener("pointerover", (event) => {
      if (event.pointerType !== "touch") at(event, (thing, group) => this.point(thing, group));
    });
    this.lines.addEventListener("pointerout", (event) => at(event, () => this.unpoint()));
  }

  end() {
    this.around.end();
    window.removeEventListener("finish-drawing", this.finish);
    this.turns.stop();
  }

  // Draws only if something is new; `mustDraw`: whether a change of selection requires a new drawing.
  update(data, send, mustDraw = () => false) {
    this.send = send;
    const { selected, ...rest } = data;
    const drawing = JSON.stringify(rest);
    const isKnown = drawing === this.drawing && !mustDraw();
    this.data = data;
    this.drawing = drawing;
    this.select(this.nameOf(selected));
    if (isKnown) return;
    const { labels, ui_lang: language } = data;
    this.root.setAttribute("lang", language);
    this.root.setAttribute("aria-label", labels.title);
    this.help.textContent = labels.keys;
    // With several on one page, the first one's help is enough.
    this.help.hidden = data.help === false;
    this.things = new Map(this.readThings(data).map((thing) => [thing.name, thing]));
    this.drawTools();
    this.draw();
  }

  draw() {
    const around = this.around.now();
    const { width, font } = around;
    if (!width) return;
    const hadFocus = this.items.some((item) => item.element === this.root.getRootNode().activeElement);
    this.font = font;
    this.layOut(around);
    this.items = [];
    this.groups = new Map();
    this.unpoint();
    const { size, gutter, data } = this;
    this.look = [size, gutter, width, font, data.lang, data.labels, widthsEdition];
    const before = this.drawn;
    this.drawn = Array.from({ length: this.grid.size }, (_, line) => this.openLine(line, before[line]));
    this.drawn.forEach(({ box }, line) => {
      if (!before[line]) this.lines.append(box);
      else if (before[line].box !== box) before[line].box.replaceWith(box);
    });
    for (const { box } of before.slice(this.drawn.length)) box.remove();
    this.turns.start(this.drawn.map((drawn, line) => () => this.fillLine(drawn, line)));
    if (hadFocus) this.turns.finish();
    uncover();
    this.roving.restore(hadFocus);
  }

  // The space of a line, before anything is drawn in it; or the line as it is drawn, where nothing in it has changed.
  openLine(line, before) {
    const { grid, data, look } = this;
    const plan = this.planLine(line);
    const [from, to] = [grid.cuts[line], grid.cuts[line + 1]];
    const drawing = JSON.stringify([look, data.chars.slice(from, to), [...grid.edges.slice(from, to + 1)], plan.key]);
    if (before?.picture && before.drawing === drawing) return before;
    const box = html("div", { class: "line" });
    box.style.height = `${plan.height}px`;
    return { ...plan, drawing, box, marks: svg("g", { class: "marks" }), parts: [] };
  }

  fillLine(drawn, line) {
    if (drawn.picture) for (const { group, name, place } of drawn.parts) this.list(group, this.things.get(name), place);
    else this.drawLine(drawn, line);
    if (this.selected) this.select(this.selected);
  }

  drawLine(drawn, line) {
    const { grid, gutter, size } = this;
    const { chars, lang } = this.data;
    const { height } = drawn;
    const width = gutter + grid.width(line) + 8;
    const text = chars.slice(grid.cuts[line], grid.cuts[line + 1]).join("");
    const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": text });
    picture.append(drawn.marks);
    drawCharacters(picture, grid, line, chars, size.char, size.head / 2 - 2, gutter, lang);
    Object.assign(drawn, { picture, width });
    this.drawBars(drawn, line);
    drawn.box.append(picture);
  }

  // Adds a thing's group to the picture.
  add(group, thing, place) {
    group.setAttribute(this.attribute, thing.name);
    this.drawn[place.line].parts.push({ group, name: thing.name, place });
    this.list(group, thing, place);
  }

  // The first group of a thing is focusable and read aloud.
  list(group, thing, place) {
    const known = this.groups.get(thing.name);
    if (known) {
      group.setAttribute("aria-hidden", "true");
      known.push(group);
      return;
    }
    this.groups.set(thing.name, [group]);
    const description = [thing.label, ...this.facts(thing).map((fact) => fact.join(" ").trim())].join(", ");
    const button = { role: "button", tabindex: -1, "data-item": thing.name, "aria-pressed": "false" };
    furnish(group, { ...button, "aria-label": description }, []);
    this.items.push({ element: group, name: thing.name, thing, ...place });
  }

  // ---- pointing and picking

  click(thing) {
    this.pick(thing);
    this.items.find((item) => item.thing === thing)?.element.focus({ preventScroll: true });
  }

  pick(thing) {
    this.select(thing.name);
    this.send(thing);
  }

  point(thing, target) {
    this.unpoint();
    this.tip.show(target, thing.label, this.facts(thing), this.data.lang);
    for (const group of this.groups.get(thing.name)) group.classList.add("pointed");
    for (const { line, x, width } of this.grid.pieces(thing.b, thing.e)) {
      const height = this.markHeight(this.drawn[line]);
      this.drawn[line].marks.append(svg("rect", { x: this.gutter + x, y: 0, width, height, rx: 5 }));
    }
  }

  unpoint() {
    this.tip.hide();
    for (const { marks } of this.drawn) if (marks.firstChild) marks.replaceChildren();
    for (const group of this.lines.querySelectorAll(".pointed")) group.classList.remove("pointed");
  }

  select(name) {
    this.selected = name;
    const mark = (group, isSelected) => {
      group.classList.toggle("selected", isSelected);
      if (group.hasAttribute("aria-pressed")) group.setAttribute("aria-pressed", String(isSelected));
    };
    for (const group of this.lines.querySelectorAll(".selected")) mark(group, false);
    for (const group of this.groups.get(name) ?? []) mark(group, true);
  }

  // The main picture of a page has its button below it (app/share/facts.py), one alone has none.
  shareButtons() {
    const { share } = this.data.labels;
    const hasOwn = !this.root.getRootNode().host?.closest(".st-key-picture, .st-key-figure_alone");
    const about = { type: "button", "data-share": "", "aria-haspopup": "dialog" };
    return hasOwn ? [html("button", about, share)] : [];
  }
}

const STILL_FRAMES = 12;

// Removes the picture of the page's HTML (app/server/http/first_picture.py), once what is drawn has stood still for a
// while: late fonts, and what the script still adds, would move it before the visitor's eyes.
function uncover() {
  const picture = document.getElementById("first-picture");
  let [before, still] = ["", 0];
  const look = () => {
    const isRunning = document.querySelector('[data-test-script-state]:not([data-test-script-state="notRunning"])');
    const elements = document.querySelectorAll('[data-testid="stMain"] [data-testid="stElementContainer"]');
    const now = Array.from(elements, (one) => Math.round(one.getBoundingClientRect().top)).join();
    const moves = isRunning || document.fonts.status === "loading" || now !== before;
    [before, still] = [now, moves ? 0 : still + 1];
    if (still < STILL_FRAMES) requestAnimationFrame(look);
    else picture.remove();
  };
  if (picture) requestAnimationFrame(look);
}

const toolButton = (text, name, act) =>
  html("button", { type: "button", "aria-label": name, title: name, onclick: act }, text);

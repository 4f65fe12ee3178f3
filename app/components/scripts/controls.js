// Step, back, run, speed and a slider: the controls of every step-by-step player, entirely in the browser.

const SPEEDS = [0.5, 1, 2, 4];
const STEP_MS = 1000;

// A step is reported to the server after the visitor has stayed on it this long.
const REST_MS = 400;

const ICONS = {
  reset: "M1 2h2v12H1zM9 2v12L3.5 8zM15.5 2v12L10 8z",
  back: "M2 2h2.4v12H2zM13 2v12L5.5 8z",
  run: "M4 2l10 6-10 6z",
  pause: "M3 2h4v12H3zM9 2h4v12H9z",
  step: "M3 2v12l7.5-6zM11.6 2H14v12h-2.4z",
};

const icon = (name) =>
  svg("svg", { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));

// Shows frames in sequence; `show(index, isRunning)` draws one.
class Player {
  constructor(show) {
    this.show = show;
    this.index = 0;
    this.size = 1;
    this.speed = 1;
    this.timer = 0;
    this.told = 0;
    this.element = html("div", { class: "controls", role: "group" });
  }

  // New labels or frames. Without a `start` the position is kept if the number of frames is the same.
  update(labels, size, start = null) {
    this.stop();
    if (start !== null) this.index = start;
    else if (size !== this.size) this.index = 0;
    this.size = size;
    this.labels = labels;
    this.build();
    this.go(Math.min(this.index, size - 1));
  }

  build() {
    const { labels } = this;
    const button = (name, act) => {
      const text = html("span", {}, labels[name]);
      return html("button", { type: "button", class: name, title: labels[name], onclick: act }, icon(name), text);
    };
    this.reset = button("reset", () => this.jump(0));
    this.back = button("back", () => this.jump(this.index - 1));
    this.runner = button("run", () => this.toggle());
    this.step = button("step", () => this.jump(this.index + 1));
    const [ends, jump] = [{ min: 0, max: this.size - 1, step: 1 }, () => this.jump(Number(this.slider.value))];
    this.slider = html("input", { type: "range", ...ends, "aria-label": labels.position, oninput: jump });
    this.counter = html("span", { class: "counter", "aria-hidden": "true" });
    const option = (speed) => html("option", { value: speed, selected: speed === this.speed }, `${speed}×`);
    const choose = ({ target }) => this.setSpeed(Number(target.value));
    const choice = html("select", { onchange: choose }, ...SPEEDS.map(option));
    this.element.setAttribute("aria-label", labels.controls);
    this.element.replaceChildren(
      html("span", { class: "buttons" }, this.reset, this.back, this.runner, this.step),
      html("span", { class: "track" }, this.slider, this.counter),
      html("label", { class: "speed" }, labels.speed, choice),
    );
  }

  // Arrow keys, Home, End and the space bar, anywhere in `root` where they have no other meaning.
  listen(root) {
    root.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select")) return;
      const isButton = event.target.matches("button");
      const act = {
        ArrowRight: () => this.jump(this.index + 1),
        ArrowLeft: () => this.jump(this.index - 1),
        Home: () => this.jump(0),
        End: () => this.jump(this.size - 1),
        " ": isButton ? null : () => this.toggle(),
      }[event.key];
      if (!act) return;
      act();
      event.preventDefault();
      event.stopPropagation();
    });
  }

  get isRunning() {
    return this.timer !== 0;
  }

  jump(index) {
    this.stop();
    this.go(index);
  }

  go(index) {
    this.index = Math.max(0, Math.min(this.size - 1, index));
    this.showState();
    this.show(this.index, this.isRunning);
  }

  toggle() {
    if (this.isRunning) return this.jump(this.index);
    if (this.index === this.size - 1) this.go(0);
    this.timer = setInterval(() => this.tick(), STEP_MS / this.speed);
    return this.showState();
  }

  tick() {
    if (!this.element.isConnected) return this.stop();
    this.go(this.index + 1);
    if (this.index === this.size - 1) {
      this.stop();
      this.show(this.index, false);
    }
    return undefined;
  }

  // Reports the step on which the visitor stays: not while running, and not if the server knows it.
  tellRest(isRunning, tell) {
    clearTimeout(this.rest);
    if (isRunning) return;
    this.rest = setTimeout(() => {
      if (this.told === this.index) return;
      this.told = this.index;
      tell("stepped", this.index);
    }, REST_MS);
  }

  // The step is reported together with something else.
  comeToRest() {
    clearTimeout(this.rest);
    this.stop();
    this.told = this.index;
  }

  end() {
    clearTimeout(this.rest);
    this.stop();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    if (this.runner) this.showState();
  }

  setSpeed(speed) {
    this.speed = speed;
    if (!this.isRunning) return;
    clearInterval(this.timer);
    this.timer = setInterval(() => this.tick(), STEP_MS / speed);
  }

  // A disabled button would lose the focus, so at the ends buttons are aria-disabled instead.
  showState() {
    const { labels, index, size } = this;
    const name = this.isRunning ? "pause" : "run";
    if (this.runner.dataset.name !== name) {
      this.runner.dataset.name = name;
      this.runner.replaceChildren(icon(name), html("span", {}, labels[name]));
      this.runner.title = labels[name];
    }
    for (const button of [this.reset, this.back]) button.setAttribute("aria-disabled", String(index === 0));
    this.step.setAttribute("aria-disabled", String(index === size - 1));
    this.slider.value = index;
    this.slider.style.setProperty("--done", `${size > 1 ? (100 * index) / (size - 1) : 0}%`);
    const place = fill(labels.place, { index, last: size - 1 });
    this.slider.setAttribute("aria-valuetext", place);
    this.counter.textContent = place;
  }
}

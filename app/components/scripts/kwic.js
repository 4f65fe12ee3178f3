// A concordance: the token in the middle of every line, its context fading out on either side.

class KwicView {
  constructor(root) {
    this.root = root;
    this.help = html("p", { class: "help" });
    const listeners = { onclick: (event) => this.clicked(event), onkeydown: (event) => this.pressed(event) };
    this.table = html("div", { class: "kwic", role: "grid", ...listeners });
    root.replaceChildren(this.table, this.help);
  }

  update(data, tell) {
    this.tell = tell;
    const { selected, ...rest } = data;
    const drawing = JSON.stringify(rest);
    if (drawing !== this.drawing) {
      this.drawing = drawing;
      this.data = data;
      this.draw();
      this.mark(selected);
      // A link may have picked a line far down. Only the list scrolls, not the page.
      if (selected !== null) this.body.scrollTop = this.rows[Math.max(0, selected - 2)].offsetTop - this.rows[0].offsetTop;
    } else this.mark(selected);
  }

  draw() {
    const { data } = this;
    const { labels } = data;
    this.root.setAttribute("lang", data.ui_lang);
    this.table.setAttribute("aria-label", labels.title);
    this.table.setAttribute("aria-rowcount", String(data.line.length + 1));
    this.table.classList.toggle("with-file", data.file.length > 0);
    this.help.textContent = labels.keys;
    const heading = (order, name) =>
      html(
        "span",
        { class: `cell ${name}`, role: "columnheader", "aria-sort": this.sortOf(order) },
        html(
          "button",
          { type: "button", "data-order": order, title: fill(labels.sort, { name: labels[name] }) },
          labels[name],
          html("span", { class: "arrow", "aria-hidden": "true" }, this.arrowOf(order)),
        ),
      );
    const head = html(
      "div",
      { class: "row head", role: "row", "aria-rowindex": 1 },
      heading("corpus", "corpus"),
      heading("left", "left"),
      heading("token", "token"),
      heading("right", "right"),
    );
    // Sorting by keyboard keeps the focus on the heading.
    const focused = this.root.getRootNode().activeElement?.dataset?.order;
    this.rows = data.line.map((_, index) => this.row(index));
    this.body = html("div", { class: "body", role: "rowgroup" }, ...this.rows);
    this.table.replaceChildren(head, this.body);
    this.current = 0;
    if (focused) head.querySelector(`[data-order="${focused}"]`)?.focus({ preventScroll: true });
  }

  // Direction of the sort; with several keys, the number of each.
  arrowOf(order) {
    const { orders } = this.data;
    const level = orders.indexOf(order);
    if (level < 0) return "";
    const arrow = order === "left" ? " ←" : order === "right" ? " →" : " ↓";
    return orders.length > 1 ? `${arrow}${level + 1}` : arrow;
  }

  sortOf(order) {
    return this.data.orders[0] === order ? "ascending" : null;
  }

  row(index) {
    const { data } = this;
    const cell = (name, ...children) => html("span", { class: `cell ${name}`, role: "gridcell" }, ...children);
    const [left, token, right] = data.cuts[index];
    const text = (value, cuts) => html("span", { lang: data.lang }, ...this.marked(value, cuts));
    return html(
      "div",
      { class: "row", role: "row", tabindex: "-1", "data-item": index, "aria-rowindex": index + 2 },
      cell("corpus", data.file.length ? html("span", { class: "file", title: data.file[index] }, data.file[index]) : "", String(data.line[index])),
      cell("left", text(data.left[index], left)),
      cell("token", html("b", { lang: data.lang }, ...this.marked(data.token[index], token))),
      cell("right", text(data.right[index], right)),
    );
  }

  // A bar where a token ends.
  marked(text, cuts) {
    const at = [0];
    for (const character of text) at.push(at[at.length - 1] + character.length);
    const bars = new Set(cuts.map((cut) => at[cut]));
    const sorted = [...new Set([0, text.length, ...bars])].sort((a, b) => a - b);
    return sorted.flatMap((edge, k) => [
      bars.has(edge) ? html("i", { class: "bar", "aria-hidden": "true" }) : "",
      text.slice(edge, sorted[k + 1] ?? edge),
    ]);
  }

  mark(selected) {
    this.rows.forEach((row, index) => row.setAttribute("aria-selected", String(index === selected)));
    this.focusable(selected ?? Math.min(this.current, this.rows.length - 1));
  }

  focusable(index) {
    this.rows[this.current]?.setAttribute("tabindex", "-1");
    this.current = index;
    this.rows[index]?.setAttribute("tabindex", "0");
  }

  clicked(event) {
    const order = event.target.closest("[data-order]")?.dataset.order;
    if (order) this.tell("sorted", order);
    else this.pick(event.target.closest("[data-item]"));
  }

  pick(row) {
    if (!row) return;
    const index = Number(row.dataset.item);
    this.focusable(index);
    this.tell("picked", index);
  }

  pressed(event) {
    const row = event.target.closest("[data-item]");
    if (!row) return;
    const last = this.rows.length - 1;
    const at = Number(row.dataset.item);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 10, PageUp: at - 10, Home: 0, End: last }[event.key];
    if (event.key === "Enter" || event.key === " ") this.pick(row);
    else if (to === undefined) return;
    else {
      this.focusable(Math.max(0, Math.min(last, to)));
      this.rows[this.current].focus();
    }
    event.preventDefault();
  }
}

export default shownBy(KwicView);

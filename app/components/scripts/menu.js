// The menu: entries with their icons, the views of the one that is shown, small links, and the active model.

class MenuView {
  constructor(root) {
    this.root = root;
    this.nav = html("nav", { onclick: (event) => this.follow(event) });
    this.model = html("div", { class: "model" });
    root.replaceChildren(this.nav, this.model);
  }

  update(data) {
    this.data = data;
    const drawing = JSON.stringify(data);
    if (drawing === this.drawing) return;
    this.drawing = drawing;
    const focused = this.nav.querySelector(":focus")?.getAttribute("href");
    this.root.setAttribute("lang", data.ui_lang);
    const foot = html("div", { class: "foot" }, ...data.foot.map((link) => this.link(link)), data.version);
    this.nav.setAttribute("aria-label", data.labels.menu);
    this.nav.replaceChildren(...data.entries.flatMap((entry) => this.entry(entry)), foot);
    const [heading, title, ...more] = data.model;
    this.model.replaceChildren(...[heading, html("strong", {}, title), ...more].map((line) => html("div", {}, line)));
    if (focused) this.nav.querySelector(`[href=${JSON.stringify(focused)}]`)?.focus();
  }

  entry({ icon, views, ...link }) {
    const entry = this.link(link, views ? "true" : "page");
    entry.prepend(html("span", { class: "icon", "aria-hidden": "true" }, icon));
    return views ? [entry, html("div", { class: "views" }, ...views.map((view) => this.link(view)))] : [entry];
  }

  link({ address, name, is_current }, current = "page") {
    const label = html("span", { class: "name" }, this.data.labels[name]);
    return html("a", { href: `./${address}`, "aria-current": is_current && current }, label);
  }

  // In this session, which keeps what was chosen; in a new tab the browser opens the address.
  follow(event) {
    const link = event.target.closest("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const address = new URL(link.href);
    const here = new URLSearchParams(window.location.search);
    for (const name of this.data.kept) if (here.has(name)) address.searchParams.set(name, here.get(name));
    for (const [name, value] of Object.entries(this.data.followed)) address.searchParams.set(name, value);
    window.history.pushState({}, "", address);
    window.dispatchEvent(new PopStateEvent("popstate"));
  }
}

export default shownBy(MenuView);

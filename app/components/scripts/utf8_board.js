// A text in nested boxes: graphemes, code points, and bytes, with the bits that encode the code point marked.

class Utf8Board {
  constructor(root) {
    this.root = root;
  }

  update({ graphemes, labels, lang, ui_lang: uiLang }) {
    this.root.setAttribute("lang", uiLang);
    const key = html(
      "p",
      { class: "key" },
      html("span", { class: "bits" }, html("span", { class: "marker" }, "1110"), html("span", { class: "payload" }, "1100")),
      html("span", {}, labels.key),
    );
    const boxes = graphemes.map((grapheme) => this.grapheme(grapheme, labels, lang));
    this.root.replaceChildren(key, html("ul", { class: "graphemes", "aria-label": labels.title }, ...boxes));
  }

  grapheme({ text, points }, labels, lang) {
    const n = points.reduce((sum, point) => sum + point.bytes.length, 0);
    const summary = fill(labels.summary, { points: points.length, bytes: n });
    return html(
      "li",
      { class: "grapheme" },
      html("div", { class: "head" }, html("span", { class: "glyph", lang }, text), html("span", { class: "count" }, summary)),
      html("div", { class: "points" }, ...points.map((point) => this.point(point, lang))),
    );
  }

  point({ text, code, name, bytes }, lang) {
    const boxes = bytes.map(({ hex, marker, payload }) =>
      html(
        "span",
        { class: "byte" },
        html("span", { class: "hex" }, hex),
        html("span", { class: "bits" }, html("span", { class: "marker" }, marker), html("span", { class: "payload" }, payload)),
      ),
    );
    return html(
      "div",
      { class: "point", title: name },
      html("div", { class: "name" }, html("span", { class: "char", lang }, text), html("span", { class: "code" }, code)),
      html("div", { class: "bytes" }, ...boxes),
    );
  }
}

export default shownBy(Utf8Board);

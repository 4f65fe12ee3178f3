// Characters in columns, broken into lines, and bars over them: shared by the lattice, the token strip and the Viterbi
// table. Positions are code points; x continues across all lines until it is split into pieces.

const HEX = /^(?:<0x[0-9A-F]{2}>)+$/;

// "<0xEC><0x95>" -> ["EC", "95"]; null for any other label.
const hexPairs = (label) => (HEX.test(label) ? label.match(/[0-9A-F]{2}(?=>)/g) : null);

const measuring = document.createElement("canvas").getContext("2d");
const widths = new Map();

let widthsEdition = 0;

// A ␣ is drawn at this share of the type size: at full size it is too prominent.
const SPACE_SCALE = 0.7;

// Width of a text at 100 px, its spaces drawn as ␣.
function measure(text, name) {
  measuring.font = name;
  const parts = text.split(" ");
  const spaces = parts.length > 1 ? (parts.length - 1) * SPACE_SCALE * measuring.measureText("␣").width : 0;
  return measuring.measureText(parts.join("")).width + spaces;
}

// Width of a text in px, measured once.
function textWidth(text, size, font, weight = 400) {
  const name = `${weight} 100px ${font}`;
  let known = widths.get(name);
  if (!known) widths.set(name, (known = new Map()));
  let width = known.get(text);
  if (width === undefined) known.set(text, (width = measure(text, name)));
  return (width * size) / 100;
}

// A font has loaded: cached widths may be wrong. All drawings of a page share them, and check by the edition whether
// they must redraw.
function measureAgain() {
  let isNew = false;
  for (const [name, known] of widths) {
    for (const [text, before] of known) {
      const width = measure(text, name);
      isNew ||= Math.abs(width - before) > 0.5;
      known.set(text, width);
    }
  }
  if (isNew) widthsEdition += 1;
}

// Width of hex pairs in a bar.
const hexWidth = (pairs, size) => pairs.length * size * 1.28 + (pairs.length - 1) * size * 0.42;

// x of the edge before every character, and after the last.
function edgesOf(cells) {
  const edges = new Float64Array(cells.length + 1);
  for (let i = 0; i < cells.length; i++) edges[i + 1] = edges[i] + cells[i];
  return edges;
}

// Costs as much as half a line left empty.
const INSIDE_WORD = 0.5;

// Line breaks. Preferably at a position that no span crosses, ideally before a space; if spans cross every position in
// the second half of the line, at the one that splits the least probability.
function cutLines(chars, edges, spans, limit) {
  const n = chars.length;
  const count = new Float64Array(n + 2);
  const mass = new Float64Array(n + 2);
  for (const { b, e, weight } of spans) {
    if (e - b < 2) continue;
    count[b + 1] += 1;
    count[e] -= 1;
    mass[b + 1] += weight;
    mass[e] -= weight;
  }
  for (let p = 1; p <= n; p++) {
    count[p] += count[p - 1];
    mass[p] += mass[p - 1];
  }
  const cost = (p, width) => {
    const torn = count[p] > 0.5 ? 1 + 4 * mass[p] + 0.05 * count[p] : 0;
    return torn + (1 - width / limit) + (chars[p] === " " ? 0 : INSIDE_WORD);
  };
  const cuts = [0];
  let torn = 0;
  for (let from = 0; from < n; ) {
    let far = from + 1;
    while (far < n && edges[far + 1] - edges[from] <= limit) far++;
    let best = far;
    if (far < n) {
      for (let p = far - 1; p > from && edges[p] - edges[from] >= limit / 2; p--) {
        if (cost(p, edges[p] - edges[from]) < cost(best, edges[best] - edges[from])) best = p;
      }
    }
    cuts.push(best);
    torn += best < n ? count[best] : 0;
    from = best;
  }
  return { cuts, torn };
}

// Two lines of about equal length, unless that splits another span: no last line with one word. Of more lines, those
// before the place where one types stay as they are.
function balancedCuts(chars, edges, spans, limit) {
  const first = cutLines(chars, edges, spans, limit);
  for (const slack of first.cuts.length === 3 ? [1.03, 1.1, 1.2] : []) {
    const shorter = (slack * edges[chars.length]) / 2;
    if (shorter >= limit) break;
    const other = cutLines(chars, edges, spans, shorter);
    if (other.cuts.length <= first.cuts.length && other.torn <= first.torn) return other.cuts;
  }
  return first.cuts;
}

// The lines of a text: breaks, where each begins, and the pieces of a span in them.
class Grid {
  constructor(chars, cells, spans, limit) {
    this.edges = edgesOf(cells);
    this.cuts = balancedCuts(chars, this.edges, spans, limit);
    this.n = chars.length;
    this.size = this.cuts.length - 1;
  }

  // Line of the character at a position.
  lineOf(position) {
    let low = 0;
    let high = this.size;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.cuts[middle] <= position) low = middle;
      else high = middle;
    }
    return low;
  }

  left(line) {
    return this.edges[this.cuts[line]];
  }

  width(line) {
    return this.edges[this.cuts[line + 1]] - this.left(line);
  }

  // Pieces of the interval [x0, x1) that begins at character b and ends before e.
  pieces(b, e, x0 = this.edges[b], x1 = this.edges[e]) {
    const pieces = [];
    for (let line = this.lineOf(b); line < this.size && this.cuts[line] < e; line++) {
      const left = this.left(line);
      const right = left + this.width(line);
      const from = Math.max(x0, left);
      const to = Math.min(x1, right);
      if (to <= from) continue;
      pieces.push({
        line,
        x: from - left,
        width: to - from,
        from: Math.max(b, this.cuts[line]),
        to: Math.min(e, this.cuts[line + 1]),
        tornLeft: x0 < left - 0.01,
        tornRight: x1 > right + 0.01,
      });
    }
    return pieces;
  }
}

// Outline of a bar: rounded where the token ends, torn where it continues in another line.
function barPath(x, y, width, height, tornLeft, tornRight, radius) {
  const r = Math.max(0, Math.min(radius, width / 2, height / 2));
  const right = x + width;
  const bottom = y + height;
  const tooth = Math.min(4, width / 4);
  const third = height / 3;
  const rightSide = tornRight
    ? `H${right}l${-tooth} ${third / 2}l${tooth} ${third / 2}l${-tooth} ${third / 2}l${tooth} ${third / 2}` +
      `l${-tooth} ${third / 2}l${tooth} ${third / 2}`
    : `H${right - r}a${r} ${r} 0 0 1 ${r} ${r}V${bottom - r}a${r} ${r} 0 0 1 ${-r} ${r}`;
  const leftSide = tornLeft
    ? `H${x}l${tooth} ${-third / 2}l${-tooth} ${-third / 2}l${tooth} ${-third / 2}l${-tooth} ${-third / 2}` +
      `l${tooth} ${-third / 2}l${-tooth} ${-third / 2}`
    : `H${x + r}a${r} ${r} 0 0 1 ${-r} ${-r}V${y + r}a${r} ${r} 0 0 1 ${r} ${-r}`;
  return `M${tornLeft ? x : x + r} ${y}${rightSide}${leftSide}Z`;
}

// A piece's box in its line, with a gap to its neighbours except where torn.
function insetBox(piece, shift, y, height, gap) {
  const left = shift + piece.x + (piece.tornLeft ? 0 : gap);
  const right = shift + piece.x + piece.width - (piece.tornRight ? 0 : gap);
  return { x: left, y, width: right - left, height };
}

// Outline of a box, or a smaller one inside it.
const outlineOf = ({ x, y, width, height }, { tornLeft, tornRight }, by, radius = 4) =>
  barPath(x + by, y + by, width - 2 * by, height - 2 * by, tornLeft, tornRight, radius - by);

// Text of a piece: the label, or for a torn piece the characters it covers.
function pieceText(label, chars, { from, to, tornLeft, tornRight }) {
  if (!tornLeft && !tornRight) return label;
  return `${tornLeft ? "…" : ""}${chars.slice(from, to).join("")}${tornRight ? "…" : ""}`;
}

// Centred text in a box, smaller if it does not fit, squeezed if that is not enough.
function boxText(text, x, y, width, size, font, attributes = {}) {
  const natural = textWidth(text, size, font, attributes["font-weight"]);
  const scale = Math.min(1, Math.max(0.7, width / natural));
  const squeezed = natural * scale > width + 0.5;
  return svg(
    "text",
    {
      x,
      y: y + size * scale * 0.355,
      "font-size": (size * scale).toFixed(2),
      textLength: squeezed ? width.toFixed(1) : null,
      lengthAdjust: squeezed ? "spacingAndGlyphs" : null,
      ...attributes,
    },
    ...faintSpaces(text, svg),
  );
}

// Hex pairs side by side, each readable as one byte; only the first if there is no room for all.
function hexText(pairs, x, y, width, size) {
  if (hexWidth(pairs, size) > width / 0.7) pairs = [`${pairs[0]}…`];
  const natural = hexWidth(pairs, size);
  const scale = Math.min(1, Math.max(0.6, width / natural));
  const small = size * scale;
  const step = (natural * scale) / pairs.length;
  const group = svg("g", { class: "hex" });
  pairs.forEach((pair, i) => {
    const middle = x + (i - (pairs.length - 1) / 2) * (step + (small * 0.42) / pairs.length);
    group.append(svg("text", { x: middle.toFixed(2), y: y + small * 0.355, "font-size": small.toFixed(2) }, pair));
  });
  return group;
}

// The characters of a line in their columns.
function drawCharacters(target, grid, line, chars, size, middle, shift, language) {
  const left = grid.left(line);
  const group = svg("g", { class: "characters", "aria-hidden": "true", lang: language });
  for (let i = grid.cuts[line]; i < grid.cuts[line + 1]; i++) {
    const x = shift + (grid.edges[i] + grid.edges[i + 1]) / 2 - left;
    const pairs = hexPairs(chars[i]);
    const width = grid.edges[i + 1] - grid.edges[i] - 2;
    if (pairs) group.append(hexText(pairs, x, middle, width, size * 0.55));
    else if (chars[i] === " ") {
      group.append(svg("text", { class: "space", x, y: middle + size * 0.25, "font-size": size * SPACE_SCALE }, "␣"));
    } else group.append(svg("text", { x, y: middle + size * 0.355, "font-size": size }, chars[i]));
  }
  target.append(group);
}

// Column width of every character at a type size: its own width plus padding, hex pairs side by side.
function cellWidths(chars, size, font, air) {
  return chars.map((char) => {
    const pairs = hexPairs(char);
    if (pairs) return hexWidth(pairs, size * 0.55) + 2 * air;
    return Math.max(textWidth(char, size, font) + air, char === " " ? size * 0.8 : size * 0.62);
  });
}

// The item {line, row, left, right} that an arrow key moves to, or undefined.
function neighbour(items, from, key) {
  const middle = (item) => (item.left + item.right) / 2;
  const after = (a, b) => a.line - b.line || a.row - b.row;
  if (key === "Home" || key === "End") {
    const row = items.filter((item) => after(item, from) === 0).sort((a, b) => a.left - b.left);
    return key === "Home" ? row[0] : row[row.length - 1];
  }
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const sign = key === "ArrowRight" ? 1 : -1;
    const row = items.filter((item) => after(item, from) === 0 && sign * (item.left - from.left) > 0);
    if (row.length) return row.sort((a, b) => sign * (a.left - b.left))[0];
    const line = items.filter((item) => item.line === from.line + sign);
    const same = line.filter((item) => item.row === from.row);
    return (same.length ? same : line.filter((item) => item.row === 0)).sort((a, b) => sign * (a.left - b.left))[0];
  }
  const sign = key === "ArrowDown" ? 1 : -1;
  const distance = (item) => Math.max(item.left - middle(from), middle(from) - item.right, 0);
  const beyond = items.filter((item) => sign * after(item, from) > 0).sort((a, b) => sign * after(a, b));
  for (let i = 0; i < beyond.length; ) {
    let end = i;
    while (end < beyond.length && after(beyond[end], beyond[i]) === 0) end++;
    const nearest = beyond.slice(i, end).sort((a, b) => distance(a) - distance(b))[0];
    if (distance(nearest) === 0 || nearest.row === 0) return nearest;
    i = end;
  }
  return undefined;
}

// One tab stop for all items, arrows between them, Enter and Space pick. `items()` are {element, name, ...}.
class Roving {
  constructor(root, items, { pick, leave, enter }) {
    this.items = items;
    this.current = null;
    root.addEventListener("focusin", (event) => {
      const item = this.itemAt(event.target);
      if (!item) return;
      this.makeCurrent(item);
      if (item.element.matches(":focus-visible")) enter(item);
    });
    root.addEventListener("focusout", leave);
    root.addEventListener("keydown", (event) => {
      const item = this.itemAt(event.target);
      if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "Escape") return leave();
      if (event.key === "Enter" || event.key === " ") pick(item);
      else if (/^(Arrow|Home$|End$)/.test(event.key)) neighbour(items(), item, event.key)?.element.focus();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  itemAt(target) {
    const element = target.closest?.("[data-item]");
    return element ? this.items().find((item) => item.name === element.dataset.item) : undefined;
  }

  // Makes an item the tab stop, also after a new drawing (by name).
  makeCurrent(item) {
    this.current?.element.setAttribute("tabindex", "-1");
    item?.element.setAttribute("tabindex", "0");
    this.current = item ?? null;
  }

  // After a drawing: makes the same item current again, and focuses it if it had the focus.
  restore(hadFocus) {
    const items = this.items();
    const same = items.find((item) => item.name === this.current?.name);
    this.current = null;
    this.makeCurrent(same ?? items[0]);
    if (hadFocus && same) same.element.focus({ preventScroll: true });
  }
}

// Draws a long picture in turns: what fits into the first few milliseconds at once, the rest between other events.
class TaskQueue {
  start(tasks) {
    this.stop();
    this.tasks = tasks;
    this.turn();
  }

  turn() {
    const until = performance.now() + 25;
    while (this.tasks.length && performance.now() < until) this.tasks.shift()();
    if (this.tasks.length) this.timer = setTimeout(() => this.turn());
  }

  finish() {
    this.stop();
    while (this.tasks?.length) this.tasks.shift()();
  }

  stop() {
    clearTimeout(this.timer);
  }
}

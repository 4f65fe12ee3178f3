// The page of a phone in the room: it shows the question, sends an answer, and reports whether it was accepted. Its
// elements are those of the components (app/components/scripts/dom.js).

const labels = JSON.parse(document.getElementById("labels").textContent);
const main = document.querySelector("main");
const address = new URLSearchParams(location.search);
const LANG = document.documentElement.lang;
// The same room in another language.
document.querySelector("nav").addEventListener("click", ({ target }) => {
  const address = new URL(window.location.href);
  address.searchParams.set("lang", target.lang);
  target.href = address.href;
});

let room = address.get("room") || "";
let view = null;
let kept = {};
let trouble = "";
let notice = ""; // shown once
let editing = ""; // the question whose answer is being changed
let visit = 0; // increases when the phone joins or leaves, which invalidates earlier requests
let told = 0; // answers that the server has acknowledged
let sending = null;
const RESUME_EVERY = 6;
const RESUMES = 12;
let resumes = 0; // how often it still asks after its room has ended, since the lecturer may resume it

const jitter = () => 0.7 + 0.6 * Math.random();
const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

// ---- storage of the phone: its secret, its answers, drafts and unsent answers

function freshSecret() {
  const bytes = crypto.getRandomValues(new Uint8Array(18));
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_");
}

function remember() {
  const name = `thunder-tok.room.${room}`;
  try {
    kept = JSON.parse(localStorage.getItem(name)) || {};
  } catch {
    kept = {};
  }
  kept.student ||= freshSecret();
  kept.answers ||= {};
  kept.drafts ||= {};
  save();
}

function save() {
  try {
    localStorage.setItem(`thunder-tok.room.${room}`, JSON.stringify(kept));
  } catch {
    // A private window may have no storage: then a reload is another phone.
  }
}

// What the class said stays on the phone: the page after the class is made of it, without a server.
const MOST_SHOWN = 60;

function keepShown(said) {
  kept.plan = said.plan || kept.plan;
  kept.participation = said.participation || null;
  if (!said.result) return;
  const mine = said.mine ?? null;
  kept.shown = [
    ...(kept.shown || []).filter((one) => one.step !== said.step),
    { step: said.step, lang: said.lang, prompt: said.prompt, question: said.question, result: said.result, mine },
  ].slice(-MOST_SHOWN);
}

function leaveSeat() {
  // Out of the room, by the lecturer's hand: the phone may join again as another one, and keeps what was shown.
  kept = { shown: kept.shown, plan: kept.plan, participation: kept.participation };
  save();
}

function forget() {
  try {
    localStorage.removeItem(`thunder-tok.room.${room}`);
  } catch {
    // As above.
  }
  kept = {};
}

// ---- the server

async function ask(path, body) {
  const headers = { "X-Student": kept.student || "" };
  const options = body ? { method: "POST", body: JSON.stringify(body), headers } : { headers, cache: "no-store" };
  const answer = await fetch(`join/${path}${path.includes("?") ? "&" : "?"}lang=${LANG}`, options);
  const said = await answer.json().catch(() => ({}));
  return { status: answer.status, said };
}

async function follow() {
  const mine = ++visit;
  let pause = 1;
  while (visit === mine) {
    let problem = labels.offline;
    let rest = 0;
    try {
      await sendPending();
      const before = told;
      const { status, said } = await ask(`state?room=${encodeURIComponent(room)}&after=${view ? view.version : 0}`);
      if (visit !== mine) return;
      if (status === 404) {
        home(labels.ended, html("a", { class: "again", href: "join" }, labels.other));
        if (resumes-- <= 0) return;
        await sleep(RESUME_EVERY * jitter());
        continue;
      }
      resumes = RESUMES;
      if (status === 410) {
        leaveSeat();
        return home(said.error, again());
      }
      if ([403, 429].includes(status)) return away(said.error, again());
      if (status !== 200) problem = said.error || problem;
      else {
        problem = "";
        take(said, before === told);
        rest = said.pause || 0;
      }
    } catch {
      // No connection.
    }
    setTrouble(problem);
    pause = problem ? Math.min(pause * 2, 8) : 1;
    rest ||= problem ? pause : 0;
    if (rest) await sleep(rest * jitter());
  }
}

function sendPending() {
  sending ||= sendAll().finally(() => (sending = null));
  return sending;
}

async function sendAll() {
  const own = kept;
  while (own.pending) {
    const sent = own.pending;
    const { status, said } = await ask("answer", { room, student: own.student, ...sent });
    if (own !== kept) return; // the phone has left
    if (status >= 500) throw new Error(String(status));
    told += 1;
    const isTaken = status === 200 && said.taken;
    if (status === 200) kept.answers[sent.step] = said.kept;
    if (!isTaken) kept.drafts[sent.step] = sent.answer;
    if (kept.pending === sent) kept.pending = null; // else it was changed in transit
    notice = isTaken ? "" : said.error || (status === 200 ? labels.too_late : labels.refused);
    save();
    if (view) draw();
  }
}

function send(answer) {
  // Later answers have a higher turn, even from another window of this phone; a resent answer keeps its turn.
  kept.turn = Math.max(Date.now(), (kept.turn || 0) + 1);
  kept.pending = { step: view.step, answer, turn: kept.turn };
  editing = "";
  save();
  draw();
  sendPending().catch(() => setTrouble(labels.offline));
}

function take(said, isFresh) {
  const before = view && `${view.version} ${kept.answers[view.step]}`;
  view = { ...said, until: said.seconds === null ? null : Date.now() + said.seconds * 1000 };
  // An answer acknowledged meanwhile is newer than the one in this view.
  if (isFresh && said.mine === null) delete kept.answers[said.step];
  else if (isFresh) kept.answers[said.step] = said.mine;
  keepShown(said);
  save();
  if (!view.open) editing = "";
  if (before !== `${view.version} ${kept.answers[view.step]}`) draw();
}

async function withdraw() {
  const mine = ++visit;
  try {
    const { status, said } = await ask("withdraw", { room, student: kept.student });
    if (status !== 200 && status !== 404) throw new Error(said.error);
    forget();
    away(labels.withdrawn, again());
  } catch {
    if (visit === mine) follow();
    setTrouble(labels.offline);
  }
}

// ---- drawing

function setTrouble(text) {
  trouble = text;
  const bar = main.querySelector(".trouble");
  if (bar) bar.textContent = text;
}

function draw() {
  const parts = [html("p", { class: "head" }, html("b", {}, view.code), html("span", { class: "clock" }))];
  parts.push(html("p", { class: "trouble", role: "status", "aria-live": "polite" }, trouble));
  if (notice) parts.push(html("p", { class: "notice", role: "alert" }, notice));
  if (view.paused) parts.push(html("p", { class: "wait" }, labels.paused));
  else if (view.roam) parts.push(...roam());
  else if (view.question) parts.push(...question());
  else parts.push(html("p", { class: "wait" }, labels.wait));
  if (kept.participation) parts.push(participation());
  main.replaceChildren(...parts, leaving());
  notice = "";
  tick();
}

function participation() {
  return html("p", { class: "help" }, fill(labels.participation, { code: kept.participation }));
}

// The page after the class: what was asked, this phone's answers and the class's, and where to go on.
function home(text, way) {
  const shown = (kept.shown || []).map((one) => {
    view = one; // what faces and scores are drawn from
    const face = FACES[one.question.kind](one.question);
    return html("section", {}, html("h2", { lang: one.lang }, one.prompt), ...face.result(one.mine, one.result), ...score(one.mine, one.result));
  });
  view = null;
  const links = html("p", { class: "ways" },
    html("a", { class: "main", href: `lessons?lang=${LANG}${kept.plan ? `&plan=${encodeURIComponent(kept.plan)}` : ""}` }, labels.alone),
    html("a", { class: "again", href: `exercises?lang=${LANG}` }, labels.exercises),
    shown.length ? html("button", { class: "again", type: "button", onclick: () => print() }, labels.print) : "",
    way);
  main.replaceChildren(
    html("p", { class: "wait" }, text),
    ...(kept.participation ? [participation()] : []),
    links,
    ...(shown.length ? [html("h1", {}, labels.home), ...shown] : []));
}

function leaving() {
  const sure = html("div", { class: "leave" },
    html("p", {}, labels.withdraw_sure),
    html("button", { class: "again", type: "button", onclick: withdraw }, labels.withdraw_now),
    html("button", { class: "again", type: "button", onclick: () => sure.replaceWith(leaving()) }, labels.cancel));
  const ask = html("button", { class: "quiet", type: "button", onclick: () => ask.parentNode.replaceWith(sure) }, labels.withdraw);
  return html("div", { class: "leave" }, ask);
}

function roam() {
  const { plan, lesson } = view.roam;
  const to = `lessons?plan=${encodeURIComponent(plan)}&lesson=${encodeURIComponent(lesson)}&lang=${LANG}`;
  return [html("p", { class: "wait" }, labels.roam), html("a", { class: "main", href: to }, labels.open)];
}

function question() {
  const parts = [html("h1", { lang: view.lang }, view.prompt)];
  if (view.given) {
    const items = view.given.items.map((item) => html("li", {}, item));
    parts.push(html("div", { class: "given", lang: view.lang }, html("p", {}, view.given.head), html("ul", {}, ...items)));
  }
  const face = FACES[view.question.kind](view.question);
  const pending = kept.pending && kept.pending.step === view.step ? kept.pending.answer : null;
  const answer = pending ?? kept.answers[view.step];
  if (view.result) return [...parts, ...face.result(answer, view.result), ...score(answer, view.result)];
  if (answer !== undefined && editing !== view.step) {
    const said = html("p", { class: "sent", role: "status" }, pending !== null ? labels.sending : labels.sent);
    const change = html("button", { class: "again", type: "button", onclick: () => edit(answer) }, labels.change);
    return [...parts, face.shown(answer), said, view.open ? change : ""];
  }
  if (!view.open) return [...parts, html("p", { class: "wait" }, labels.closed)];
  const button = html("button", { class: "main", type: "button", disabled: true }, labels.send);
  const control = face.control(kept.drafts[view.step] ?? "", (draft, isWhole) => {
    kept.drafts[view.step] = draft;
    save();
    button.disabled = !isWhole;
  });
  button.addEventListener("click", () => send(kept.drafts[view.step]));
  return [...parts, control, button];
}

function edit(answer) {
  kept.drafts[view.step] = answer;
  editing = view.step;
  save();
  draw();
}

function score(answer, result) {
  const about = [fill(labels.answered, { n: result.n })];
  if (answer === null || answer === undefined) about.push(labels.none);
  else if (result.right !== undefined) {
    if (view.question.kind === "cuts") {
      const [mine, right] = [placesOf(answer), placesOf(result.right)];
      about.push(fill(labels.share, { mine: mine.length, both: mine.filter((k) => right.includes(k)).length, right: right.length }));
    } else if (view.question.kind !== "numbers") about.push(answer === result.right ? labels.right : labels.wrong);
  }
  return [html("p", { class: "sent" }, about.join(" · "))];
}

// ---- the kinds of questions: controls, the phone's answer, the class's answers

const placesOf = (written) => (!written || written === "none" ? [] : written.split(".").map(Number));

// The answer, the class's and the right one, as `line` shows each after its label.
const compared = (line, label) => (answer, result) => [
  ...(answer ? [line(labels.you, answer)] : []),
  ...(result.class === undefined ? [] : [line(label, result.class)]),
  ...(result.right === undefined ? [] : [line(labels.computed, result.right)]),
];

const FACES = {
  cuts: ({ text }) => {
    const letters = [...text];
    const isPlace = (k) => k > 0 && k < letters.length && letters[k].trim() !== "" && letters[k - 1].trim() !== "";
    const line = (after) => {
      const words = [];
      letters.forEach((letter, k) => {
        if (k === 0 || letters[k - 1].trim() === "") words.push(html("span", { class: "word" }));
        const end = isPlace(k + 1) ? after(k + 1) : null;
        words[words.length - 1].append(html("span", { class: "unit" }, html("span", {}, letter), ...(end ? [end] : [])));
      });
      return html("div", { class: "text", lang: view.lang }, ...words);
    };
    const marks = (cuts, others) => line((k) => {
      const share = others ? others.get(k) || 0 : 0;
      const mark = html("span", { class: cuts.includes(k) ? "place cut" : "place" });
      if (others) mark.append(Object.assign(html("i", { class: "bar" }), { style: `height:${Math.round(share * 100)}%` }));
      return mark;
    });
    return {
      control: (draft, tell) => {
        const cuts = new Set(placesOf(draft));
        const written = () => [...cuts].sort((a, b) => a - b).join(".") || "none";
        const tap = (k) => (event) => {
          if (!cuts.delete(k)) cuts.add(k);
          event.currentTarget.classList.toggle("cut", cuts.has(k));
          event.currentTarget.setAttribute("aria-pressed", String(cuts.has(k)));
          tell(written(), true);
        };
        const board = line((k) => html("button", {
          type: "button", class: cuts.has(k) ? "place cut" : "place", "aria-pressed": String(cuts.has(k)),
          "aria-label": fill(labels.cut, { left: letters[k - 1], right: letters[k] }), onclick: tap(k),
        }));
        queueMicrotask(() => tell(written(), true));
        return html("div", {}, html("p", { class: "help" }, labels.tap), board);
      },
      shown: (answer) => marks(placesOf(answer), null),
      result: (answer, result) => [
        html("p", { class: "help" }, labels.cut_result),
        marks(placesOf(answer), new Map(result.shares || [])),
        ...(result.right === undefined ? [] : [html("p", { class: "help" }, labels.right_cuts), marks(placesOf(result.right), null)]),
      ],
    };
  },

  choice: ({ options }) => {
    const list = (answer, result) => {
      const counts = new Map(result ? result.tally : []);
      return html("ul", { class: "options", lang: view.lang }, ...options.map(([code, label]) => {
        const share = result && result.n ? (counts.get(code) || 0) / result.n : 0;
        const state = `${code === answer ? "mine" : ""} ${result && result.right === code ? "right" : ""}`;
        const item = html("li", { class: state.trim() }, html("span", {}, label), result ? html("b", {}, String(counts.get(code) || 0)) : "");
        item.style.setProperty("--share", `${Math.round(share * 100)}%`);
        return item;
      }));
    };
    return {
      control: (draft, tell) => {
        const buttons = options.map(([code, label]) => html("button", {
          type: "button", class: "option", "aria-pressed": String(code === draft),
          onclick: () => {
            buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(options[k][0] === code)));
            tell(code, true);
          },
        }, label));
        if (options.some(([code]) => code === draft)) queueMicrotask(() => tell(draft, true));
        return html("div", { class: "options", lang: view.lang }, ...buttons);
      },
      shown: (answer) => list(answer, null),
      result: (answer, result) => [list(answer, result)],
    };
  },

  numbers: ({ labels: names, low, high, step, slider, unit }) => {
    const said = (written) => (written || "").split("_").map((number, k) => `${names[k] ? `${names[k]}: ` : ""}${number}${unit}`);
    const lines = (head, written) => html("p", { class: "said" }, html("span", {}, `${head} `), html("b", {}, said(written).join(" · ")));
    return {
      control: (draft, tell) => {
        const old = draft.split("_");
        const fields = names.map((name, k) => {
          const type = slider ? { type: "range" } : { type: "number", inputmode: step % 1 ? "decimal" : "numeric" };
          return html("input", { ...type, min: low, max: high, step, value: old[k] || (slider ? low : ""), "aria-label": name || unit || view.prompt });
        });
        const outputs = fields.map((field) => html("output", {}, slider ? `${field.value}${unit}` : unit));
        const hear = () => {
          fields.forEach((field, k) => (outputs[k].textContent = slider ? `${field.value}${unit}` : unit));
          const isWhole = fields.every((field) => field.value !== "" && field.validity.valid && !(slider && Number(field.value) === low));
          tell(fields.map((field) => (field.value === "" ? "" : String(Number(field.value)))).join("_"), isWhole);
        };
        fields.forEach((field) => field.addEventListener("input", hear));
        if (draft) queueMicrotask(hear);
        return html("div", { class: "numbers" }, ...fields.map((field, k) => html("label", {}, html("span", {}, names[k]), field, outputs[k])));
      },
      shown: (answer) => lines(labels.you, answer),
      result: compared(lines, labels.median),
    };
  },

  order: ({ options }) => {
    const names = new Map(options);
    const list = (head, written) => html("div", {}, html("p", { class: "help" }, head),
      html("ol", { lang: view.lang }, ...(written || "").split(".").map((code) => html("li", {}, names.get(code) || ""))));
    return {
      control: (draft, tell) => {
        let order = draft.split(".").filter((code) => names.has(code));
        const buttons = options.map(([code, label]) => html("button", { type: "button", class: "option", onclick: () => tap(code) }, html("b", {}), label));
        const show = () => buttons.forEach((button, k) => {
          const place = order.indexOf(options[k][0]);
          button.firstChild.textContent = place < 0 ? "" : `${place + 1} `;
          button.setAttribute("aria-pressed", String(place >= 0));
        });
        const tap = (code) => {
          order = order.includes(code) ? order.filter((one) => one !== code) : [...order, code];
          show();
          tell(order.join("."), order.length === options.length);
        };
        show();
        if (order.length) queueMicrotask(() => tell(order.join("."), order.length === options.length));
        return html("div", {}, html("p", { class: "help" }, labels.in_order), html("div", { class: "options", lang: view.lang }, ...buttons));
      },
      shown: (answer) => list(labels.you, answer),
      result: compared(list, labels.class),
    };
  },

  word: ({ limit }) => {
    const shown = (answer) => html("p", { class: "said" }, html("b", {}, answer || ""));
    return {
      control: (draft, tell) => {
        const field = html("textarea", { rows: limit > 60 ? 3 : 1, maxlength: limit, "aria-label": view.prompt });
        field.value = draft;
        const hear = () => tell(field.value, field.value.trim() !== "");
        field.addEventListener("input", hear);
        if (draft) queueMicrotask(hear);
        return field;
      },
      shown,
      result: (answer) => [shown(answer)],
    };
  },
};

// ---- countdown, join form, start

function tick() {
  const clock = main.querySelector(".clock");
  if (!clock || !view) return;
  const left = view.until === null ? null : Math.max(0, Math.ceil((view.until - Date.now()) / 1000));
  clock.textContent = left === null ? "" : `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
}

function away(text, way) {
  visit += 1;
  main.replaceChildren(html("p", { class: "wait" }, text), way);
}

function again() {
  return html("button", { class: "main", type: "button", onclick: begin }, labels.again);
}

function door(text = "") {
  const field = html("input", { class: "code", maxlength: 4, autocapitalize: "characters", autocomplete: "off", spellcheck: "false", "aria-label": labels.code });
  const button = html("button", { class: "main", type: "submit" }, labels.enter);
  const notice = html("p", { class: "notice", role: "alert" }, text);
  const enter = async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      let answer = await ask("find", { code: field.value });
      while (answer.status === 429) {
        notice.textContent = labels.too_many;
        await sleep(4 * jitter());
        answer = await ask("find", { code: field.value });
      }
      if (answer.status !== 200) return door(answer.said.error || labels.refused);
      room = answer.said.room;
      history.replaceState(null, "", `join?room=${encodeURIComponent(room)}&lang=${LANG}`);
      begin();
    } catch {
      door(labels.offline);
    }
  };
  const form = html("form", { onsubmit: enter }, html("p", { class: "wait" }, labels.code), field, button);
  main.replaceChildren(form, notice);
  field.focus();
}

function begin() {
  if (!room) return door();
  remember();
  view = null;
  main.replaceChildren(html("p", { class: "trouble", role: "status" }), html("p", { class: "wait" }, labels.joining));
  follow();
}

setInterval(tick, 500);
begin();

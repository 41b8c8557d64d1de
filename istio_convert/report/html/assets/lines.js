/* The lines of both sides, highlighting, and the details below. All scripts share one function scope. */

const one = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const make = (tag, className, ...children) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
};

const root = document.documentElement;
const data = JSON.parse(one("#data").textContent);
const entries = data.entries;
const panes = [one("#source"), one("#result")];
const search = one("#search");
const component = one("#component");
const idsOf = (element) => (element.dataset.e ? element.dataset.e.split(" ").map(Number) : []);
root.classList.add("js");

/* ---- the lines, read once ---- */

const links = entries.map(() => [[], []]); // entry -> its elements on either side
const rows = panes.map((pane, side) =>
  all(".l", pane).map((element, index) => {
    const ids = new Set();
    for (const token of element.querySelectorAll("[data-e]")) {
      for (const id of idsOf(token)) {
        ids.add(id);
        links[id][side].push(token);
      }
      if (token.tabIndex === 0) token.tabIndex = -1;
    }
    element.row = index;
    const up = element.dataset.u ? index - Number(element.dataset.u) : -1;
    return { element, ids: [...ids], up, side, text: null, off: false, gap: false };
  })
);
const allRows = rows.flat();
const words = entries.map((entry) =>
  [entry.path, entry.outcome, entry.rule, entry.reason, entry.action, ...entry.places.flatMap((place) => place.slice(0, 2))]
    .join("\n")
    .toLowerCase()
);
const byKey = new Map(entries.map((entry, id) => [entry.key, id]));
const sideOf = (element) => (panes[1].contains(element) ? 1 : 0);

/** Entries that an element stands for; for a value that a key above explains, those of the key. */
function idsAt(target) {
  const token = target.closest("[data-e]");
  if (token) return idsOf(token);
  const line = target.closest(".l");
  if (!line) return [];
  const row = rows[sideOf(line)][line.row];
  if (row.ids.length || !line.dataset.p) return row.ids;
  return rows[1][line.row - Number(line.dataset.p)].ids;
}

/* ---- highlight, details ---- */

let lit = new Set();
let kept = []; // entries of the selection
let keptLines = [];

function paint(ids) {
  const fresh = new Set();
  for (const id of ids) {
    for (const element of links[id].flat()) {
      fresh.add(element);
      fresh.add(element.closest(".l"));
    }
  }
  for (const element of lit) if (!fresh.has(element)) element.classList.remove("hit");
  for (const element of fresh) if (!lit.has(element)) element.classList.add("hit");
  lit = fresh;
}

/** Scroll a pane, and nothing else, so that an element is in view. */
function reveal(element, always = false) {
  const pane = panes[sideOf(element)];
  const box = element.getBoundingClientRect();
  const frame = pane.getBoundingClientRect();
  const top = frame.top + 36;
  if (!always && box.top >= top && box.bottom <= frame.bottom - 4) return;
  pane.scrollTop += box.top - top - (frame.height - 36) / 3;
}

/** Where the panes are part of a longer page: scroll the page, so that the pane of an element is in view. */
function bring(element) {
  const frame = panes[sideOf(element)].getBoundingClientRect();
  const box = element.getBoundingClientRect();
  if (box.top < 0 || box.bottom > innerHeight - one("#details").offsetHeight) scrollBy(0, frame.top);
}

const shown = (element) => !element.closest(".off");

function revealOther(ids, side) {
  const candidates = ids.flatMap((id) => links[id][side]).filter(shown);
  if (!candidates.length) return;
  const frame = panes[side].getBoundingClientRect();
  const inView = candidates.some((element) => {
    const box = element.getBoundingClientRect();
    return box.top >= frame.top + 30 && box.bottom <= frame.bottom;
  });
  if (!inView) reveal(candidates[0]);
}

const MOST = 12;

function card(id) {
  const entry = entries[id];
  const outcome = data.outcomes[entry.outcome];
  const origin = make("small", "", entry.origin);
  const name = make("div", "name", make("code", "", entry.path), origin);
  const copy = make("button", "", "Copy link");
  copy.type = "button";
  copy.addEventListener("click", () => copyLink(entry, copy));
  name.append(copy);
  const result = make("article", `card ${entry.outcome}`, make("b", "", outcome.sign), name);
  const said = make("div", "", make("span", "said", entry.outcome), `: ${entry.reason || outcome.meaning}`);
  if (entry.derived) said.append(" (found by the proof)");
  result.append(said);
  if (entry.action) result.append(make("div", "", make("span", "action", entry.action)));
  if (entry.places.length) {
    const list = make("ul", "");
    for (const [release, path, anchor] of entry.places) {
      const text = make("code", "", path);
      const link = anchor ? make("a", "", text) : text;
      if (anchor) link.href = `#${anchor}`;
      list.append(make("li", "", `${release}: `, link));
    }
    result.append(make("div", "", list));
  }
  const why = data.rules[entry.rule];
  result.append(make("div", "rule", "rule ", make("code", "", entry.rule), why ? `: ${why}` : ""));
  return result;
}

async function copyLink(entry, button) {
  const address = `${location.href.split("#")[0]}#e=${entry.key}`;
  let done = "Copied";
  try {
    await navigator.clipboard.writeText(address);
  } catch {
    select([byKey.get(entry.key)]);
    done = "Copy it from the address bar";
  }
  button.textContent = done;
  setTimeout(() => (button.textContent = "Copy link"), 1600);
}

let told = "";

function tell(ids, line) {
  const key = ids.length ? ids.join(" ") : line ? `+${line.id}` : "";
  if (key === told) return;
  told = key;
  const cards = one("#cards");
  if (ids.length) {
    cards.replaceChildren(...ids.slice(0, MOST).map(card));
    if (ids.length > MOST) cards.append(make("p", "hint", `and ${ids.length - MOST} more`));
  } else {
    cards.replaceChildren(
      make("p", "hint", line ? "No field of the operator stands behind this line: istio-convert set it, so that the chart makes what istioctl made." : HINT)
    );
  }
  one("#details").scrollTop = 0;
}

const HINT = one("#cards").textContent;

function say(ids) {
  one("#said").textContent = ids
    .slice(0, 3)
    .map((id) => {
      const entry = entries[id];
      const places = entry.places.map((place) => `${place[0]} ${place[1]}`).join(", ");
      return `${entry.path}: ${entry.outcome}. ${entry.reason} ${places}`;
    })
    .join(" ");
}

function added(target) {
  return target.closest(".l.added");
}

/* Hovering, selecting, deep links and keys. */

/* ---- hovering ---- */

let pending = 0;
let pointed = null;
let dwell = 0;

function hover(target) {
  pointed = target;
  if (!pending) pending = requestAnimationFrame(showPointed);
}

function showPointed() {
  pending = 0;
  clearTimeout(dwell);
  const target = pointed;
  const ids = target ? idsAt(target) : [];
  const current = ids.length ? ids : kept;
  paint(current);
  tell(current, !ids.length && target ? added(target) : null);
  if (!ids.length) return;
  const other = 1 - sideOf(target);
  dwell = setTimeout(() => revealOther(ids, other), 120);
}

for (const pane of panes) {
  pane.addEventListener("pointerover", (event) => hover(event.target));
  pane.addEventListener("pointerleave", () => hover(null));
  pane.addEventListener("focusin", (event) => {
    const token = event.target.closest("[data-e]");
    if (!token) return;
    stop(token);
    const ids = idsOf(token);
    paint(ids);
    tell(ids, null);
    say(ids);
    revealOther(ids, 1 - sideOf(token));
  });
  pane.addEventListener("click", (event) => {
    const token = event.target.closest("a[data-e]");
    if (token && (event.metaKey || event.ctrlKey || event.shiftKey)) return;
    if (String(getSelection())) return;
    const ids = idsAt(event.target);
    if (!ids.length) return;
    event.preventDefault();
    select(ids, token);
  });
}

/* ---- selecting, deep links ---- */

function select(ids, from) {
  keep(ids);
  history.pushState(null, "", `#e=${entries[ids[0]].key}`);
  const side = from ? sideOf(from) : -1;
  for (const other of [0, 1]) if (other !== side) revealOther(ids, other);
}

function keep(ids) {
  kept = ids;
  for (const line of keptLines) line.classList.remove("kept");
  keptLines = ids.flatMap((id) => links[id].flat()).map((element) => element.closest(".l"));
  for (const line of keptLines) line.classList.add("kept");
  one("#close").hidden = !ids.length;
  paint(ids);
  tell(ids, null);
}

function follow() {
  let name = location.hash.slice(1);
  try {
    name = decodeURIComponent(name);
  } catch {
    /* not encoded */
  }
  const raw = location.hash.slice(3);
  if (name.startsWith("e=")) {
    let id = byKey.get(raw);
    if (id === undefined) id = entries.findIndex((entry) => decodeURIComponent(entry.key) === name.slice(2));
    if (id < 0) return;
    unhide([id]);
    keep([id]);
    for (const side of [0, 1]) {
      const element = links[id][side].find(shown);
      if (element) reveal(element);
    }
    arrive(id);
  } else if (name.startsWith("o=") || name.startsWith("r=")) {
    const element = document.getElementById(location.hash.slice(1)) || document.getElementById(name);
    if (element) reveal(element, true);
  } else if (!name) keep([]);
}

/** A link to what the filters hide takes the filters away. */
function unhide(ids) {
  if (ids.some((id) => links[id].flat().length && !links[id].flat().some(shown))) clear();
}

window.addEventListener("popstate", follow);
one("#close").addEventListener("click", letGo);

function letGo() {
  keep([]);
  if (location.hash) history.pushState(null, "", location.href.split("#")[0]);
}

/* ---- keys ---- */

const stops = [null, null]; // the one token of each pane that Tab reaches

function stop(token) {
  const side = sideOf(token);
  if (token.tagName !== "A") return;
  if (stops[side]) stops[side].tabIndex = -1;
  token.tabIndex = 0;
  stops[side] = token;
}

const tokensOf = panes.map((pane) => all("a[data-e]", pane));
for (const tokens of tokensOf) if (tokens.length) stop(tokens[0]);

function go(token) {
  token.focus({ preventScroll: true });
  reveal(token);
}

function step(token, by) {
  const tokens = tokensOf[sideOf(token)];
  let index = tokens.indexOf(token) + by;
  while (tokens[index] && !shown(tokens[index])) index += by;
  if (tokens[index]) go(tokens[index]);
}

function finding(by) {
  const found = entries.map((entry, id) => id).filter((id) => data.outcomes[entries[id].outcome].severity && links[id][0].some(shown));
  if (!found.length) return;
  const here = kept.length ? kept[0] : by > 0 ? -1 : entries.length;
  const next = by > 0 ? found.find((id) => id > here) ?? found[0] : found.filter((id) => id < here).pop() ?? found.at(-1);
  select([next]);
  arrive(next);
}

function arrive(id) {
  const element = links[id][0].find(shown);
  if (!element) return;
  element.focus({ preventScroll: true });
  bring(element);
}

one("#next").addEventListener("click", () => finding(1));
one("#previous").addEventListener("click", () => finding(-1));
for (const name of ["#next", "#previous"]) {
  one(name).disabled = !entries.some((entry) => data.outcomes[entry.outcome].severity);
}

document.addEventListener("keydown", (event) => {
  if (event.metaKey || event.ctrlKey || event.altKey || one("#about").open) return;
  if (event.key === "Escape") {
    if (event.target === search && search.value) return;
    letGo();
    return;
  }
  const pane = panes.find((known) => known.contains(event.target));
  if (!pane) return;
  const side = panes.indexOf(pane);
  const token = event.target.closest("a[data-e]");
  const enter = () => tokensOf[side].find(shown);
  const cross = () => token && idsOf(token).flatMap((id) => links[id][1 - side]).find((element) => element.tagName === "A" && shown(element));
  const keys = {
    ArrowDown: () => (token ? step(token, 1) : enter() && go(enter())),
    ArrowUp: () => token && step(token, -1),
    ArrowRight: () => side === 0 && cross() && go(cross()),
    ArrowLeft: () => side === 1 && cross() && go(cross()),
    Home: () => enter() && go(enter()),
    End: () => tokensOf[side].length && go(tokensOf[side].filter(shown).at(-1)),
    n: () => finding(1),
    p: () => finding(-1),
    "/": () => search.focus(),
  };
  if (!Object.hasOwn(keys, event.key)) return;
  event.preventDefault();
  keys[event.key]();
});
